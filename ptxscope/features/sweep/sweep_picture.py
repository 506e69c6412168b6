"""The picture of a sweep, 800 px wide: the instruction, the plot or map, its key, a footer."""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.content.id_prefix import hash_id
from ...documents.content.sanitizer import sanitize_text
from ...documents.options import DEFAULT, Options
from ...documents.svg.page_frame import draw_head
from ...documents.svg.page_layout import EDGE, WIDTH
from ...documents.svg.svg_canvas import Sheet, SvgCanvas, write_sheet
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.text_styles import REMARK, SMALL
from ...engine.isa.entry import format_citation
from . import line_plot, map_plot
from .axis import describe_sampling
from .computation import Sweep
from .sweep_words import (
    describe_event,
    describe_point,
    describe_sweep,
    format_share,
    iter_fixed_sentences,
    iter_signedness_sentences,
)

_PAGE = WIDTH - 2 * EDGE


def render(sweep: Sweep, options: Options = DEFAULT, title: str = "") -> str:
    """Render the picture as an ``<svg>``."""
    title = sanitize_text(title).strip()
    canvas = SvgCanvas(options.id or _make_prefix(sweep, options, title))
    y = draw_head(canvas, title, str(sweep.instruction), f"model {sweep.model.name}")
    y = map_plot.draw(canvas, sweep, y) if sweep.y else line_plot.draw(canvas, sweep, y)
    y = _draw_key(canvas, sweep, y)
    height = _draw_foot(canvas, sweep, y)
    page = SvgCanvas(canvas.prefix)
    page.draw_rect(0.5, 0.5, WIDTH - 1, height - 1, SvgColour.PAGE, SvgColour.LINE, radius=12)
    sheet = Sheet(
        canvas.prefix,
        WIDTH,
        height,
        title or str(sweep.instruction),
        " ".join(describe_sweep(sweep)),
    )
    return write_sheet(sheet, [*page.parts, *canvas.parts], options.theme)


def _make_prefix(sweep: Sweep, options: Options, title: str) -> str:
    axes = [(x.part.text, x.low, x.high) for x in (sweep.x, sweep.y) if x]
    values = sorted(sweep.operands.items())
    inputs = (str(sweep.instruction), values, sweep.model.name, axes, sweep.result_part.text)
    return hash_id(("sweep", *inputs, title, str(options.theme)))


def _draw_key(canvas: SvgCanvas, sweep: Sweep, y: float) -> float:
    """Draw the key of lines and hatches, several entries in a line; return the end."""
    canvas.open_group("px-key")
    x = float(EDGE)
    for kind, text in _iter_legend_entries(sweep):
        lead = 38 if kind else 0
        entry_width = lead + REMARK.measure(text) + 16
        if x > EDGE and x + entry_width > WIDTH - EDGE:
            x, y = float(EDGE), y + 20
        _draw_sample(canvas, kind, x, y, is_on_map=sweep.y is not None)
        lines = REMARK.wrap(text, WIDTH - EDGE - x - lead)
        y = canvas.draw_lines(x + lead, y + 12, lines, REMARK) - 28
        x += entry_width
    canvas.close_group()
    return y + 24


def _iter_legend_entries(sweep: Sweep) -> Iterator[tuple[str, str]]:
    """Yield the entries of the key: a kind of line and its description."""
    if not sweep.y:
        yield "plain", f"{sweep.result_part.label} under {sweep.model.name}"
    for kind, mask in sweep.masks.items():
        if kind != "other":
            event_texts = [
                describe_event(event, sweep.result_part)
                for event in sweep.events
                if (event.mask & mask).any()
            ]
            matching_texts = [x for x in dict.fromkeys(event_texts) if x.split()[0] == kind]
            text = ", ".join(matching_texts) or kind
            is_drawn = not sweep.y or map_plot.is_outlined(mask)
            yield kind if is_drawn else "", f"{text}: {format_share(mask)}"
    shown_masks = [sweep.clamped, sweep.wrapped]
    for event in sweep.events:
        if not any((event.mask & ~mask).sum() == 0 for mask in shown_masks):
            yield "", f"{describe_event(event, sweep.result_part)}: {format_share(event.mask)}"
    if sweep.divergence_mask.any() and sweep.other_model:
        kind = "other" if not sweep.y else "apart"
        yield (kind, f"{sweep.other_model.name} differs: {format_share(sweep.divergence_mask)}")
    if point_text := describe_point(sweep):
        yield "here", point_text


def _draw_sample(canvas: SvgCanvas, kind: str, x: float, y: float, *, is_on_map: bool) -> None:
    plot_module = map_plot if is_on_map else line_plot
    styles = {
        "plain": line_plot.PLAIN,
        "clamped": plot_module.CLAMPED,
        "wrapped": plot_module.WRAPPED,
    }
    middle = y + 8
    match kind:
        case "here":
            canvas.draw_dot(x + 15, middle, SvgColour.INK, is_hollow=True, size=5)
        case "apart":
            canvas.draw_rect(x, y, 30, 15, SvgColour.BAR, None, radius=0)
            canvas.draw_hatch(x, y, 30, 15, SvgColour.INK)
        case "other":
            canvas.draw_hatch(x, y, 30, 15, SvgColour.BAR)
            style = line_plot.OTHER
            canvas.draw_line(x, middle, x + 30, middle, style.ink, style.width, style.dash)
        case "plain" | "clamped" | "wrapped":
            style = styles[kind]
            canvas.draw_line(x, middle, x + 30, middle, style.ink, style.width, style.dash)


def _draw_foot(canvas: SvgCanvas, sweep: Sweep, y: float) -> float:
    """Draw the fixed parts, second readings and the sampling; return the height of the page."""
    canvas.open_group("px-foot")
    sentences = [*iter_fixed_sentences(sweep), *iter_signedness_sentences(sweep)]
    sentences += [
        f"Drawn: {sentence}."
        for sentence in map(describe_sampling, filter(None, (sweep.x, sweep.y)))
        if sentence
    ]
    for text in sentences:
        y = canvas.draw_lines(EDGE, y + 14, REMARK.wrap(text, _PAGE), REMARK) - 12
    ins = sweep.instruction
    canvas.draw_text(EDGE, y + 24, format_citation(ins.sections), SMALL, width=_PAGE)
    canvas.close_group()
    return y + 42
