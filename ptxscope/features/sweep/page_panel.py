"""The web explorer's panel: a plot and a table of the results over a part's values."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree as ET

from ...documents.elements import Child, Element, make_button, make_element, make_error, make_field
from ...documents.svg.svg_canvas import Area, SvgCanvas, format_length
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.svg_figures import PlacedAxis
from ...documents.svg.text_styles import DATUM, LABEL
from ...engine.syntax.errors import PtxError
from ...engine.tracing.trace import Trace
from ...state.explorer_state import ExplorerState
from .axis import (
    IntegerSweep,
    ResultAxis,
    SweepAxis,
    format_sampling,
    iter_landmarks,
    make_axis,
)
from .plot_ticks import draw_x_label, draw_x_ticks, draw_y_ticks
from .register_parts import (
    RegisterPart,
    choose_default_parts,
    choose_default_result,
    list_sweepable_parts,
    parse_swept_part,
    with_read_order,
)
from .tick_choice import choose_ticks

_MAX_VALUES = 256
"""Maximum values of a part that are all computed."""
_SAMPLES = 240
"""Evenly spaced values that are computed if there are more, with special ones.

With 256 of them, the low byte of a register would go through its values in order, and a sawtooth
would look like a line. With these it goes up and down.
"""
_WIDTH, _MARGIN = 440, 4
_PLOT = Area(118, 300)
_TOP, _BOTTOM = 24, 184
_X_AXIS, _Y_AXIS = PlacedAxis(_PLOT.x, _PLOT.right), PlacedAxis(_BOTTOM, _TOP)
_MAX_RUNS = 64
"""Maximum rows of the table."""


class Sample(NamedTuple):
    """A value of the part and the result there."""

    rank: int
    bits: int
    result: int
    """Bits of the result's part."""
    result_rank: int


def list_samples(swept: IntegerSweep) -> list[Sample]:
    """Return the results over the values of a part."""
    result = swept.result_part
    return [
        Sample(rank, swept.x.part.get_value_at(rank), bits, result.compute_rank(bits))
        for rank, bits in zip(swept.x.ranks, swept.compute_line(), strict=True)
    ]


def sweep_part(trace: Trace, part: RegisterPart, result: RegisterPart) -> IntegerSweep:
    """Return the sweep of a part; the other operands are those of a trace."""
    ins = trace.block
    count = _MAX_VALUES if part.values <= _MAX_VALUES else _SAMPLES
    axis = make_axis(with_read_order(ins, part, result), count, trace.operands)
    return IntegerSweep(ins, trace.model, trace.operands, axis, None, result)


def list_runs(samples: Iterable[Sample]) -> list[list[Sample]]:
    """Return runs of samples in which the result is constant, or moves as far as the value does."""
    runs: list[list[Sample]] = []
    for sample in samples:
        slope = _get_slope(runs[-1][-1], sample) if runs else None
        is_first = bool(runs) and len(runs[-1]) == 1 and slope in (-1, 0, 1)
        if is_first or (runs and len(runs[-1]) > 1 and _get_slope(*runs[-1][:2]) == slope):
            runs[-1].append(sample)
        else:
            runs.append([sample])
    return runs


def _get_slope(x: Sample, y: Sample) -> float:
    return (y.result_rank - x.result_rank) / (y.rank - x.rank)


def make_panel(state: ExplorerState, text: str) -> list[Child]:
    """Return the content of the panel."""
    return sweep(state.shown_trace, text)


def sweep(trace: Trace, text: str) -> list[Child]:
    """Return a table of the results over all values of a part, and the parts to choose from."""
    ins = trace.block
    parts = list_sweepable_parts(ins)
    form = make_element(
        "form",
        make_field("Part of an operand", text, key="sweep", hint="a.b0"),
        make_element("button", "Sweep", type="submit"),
        data_do="tool_text",
    )
    buttons = (make_button(x.text, "tool_text", data_text=x.text) for x in parts if x.text != text)
    head = [form, make_element("p", *buttons, class_="choices")]
    try:
        part = parse_swept_part(ins, text) if text.strip() else choose_default_parts(ins)[0]
    except PtxError as error:
        return [*head, make_error(error)]
    result = choose_default_result(ins, part) if part else None
    if part is None or result is None:
        return [make_element("p", "This instruction reads no operand, or keeps no result.")]
    swept = sweep_part(trace, part, result)
    samples = list_samples(swept)
    if sampling := format_sampling(swept.x, has_changes=False):
        about = f"{result.label} over {swept.x.size} of the {part.values:,} values of {part.label}"
        special = [[x] for x in samples if _is_special(swept.x, x)]
        caption = f"Special values of {part.label}, and those beside them"
        plot = _make_plot(swept, [[x] for x in samples], about)
        table = _make_table(swept, special, caption)
        return [*head, make_element("p", sampling), plot, *table]
    runs = list_runs(samples)
    about = f"{result.label} over all {part.values:,} values of {part.label}"
    return [*head, _make_plot(swept, runs, about), *_make_table(swept, runs)]


def _is_special(axis: SweepAxis, sample: Sample) -> bool:
    """Return whether a sample is at an end, or was added to the even ones."""
    return sample.rank in (axis.ranks[0], axis.ranks[-1]) or sample.rank % axis.stride != 0


def _make_plot(swept: IntegerSweep, runs: list[list[Sample]], about: str) -> Element:
    """Return a plot of the results by rank, with the current value marked; samples are dots."""
    axis, result, is_sampled = swept.x, swept.result_part, swept.x.stride > 1
    results = ResultAxis(result, 0, result.values - 1)

    def compute_x(rank: int) -> float:
        return float(_X_AXIS.compute_place(axis.compute_start(rank) + 0.5 / axis.span))

    def compute_y(sample: Sample) -> float:
        return float(_Y_AXIS.compute_place(results.compute_part(sample.result_rank)))

    def place(sample: Sample) -> str:
        return f"{format_length(compute_x(sample.rank))} {format_length(compute_y(sample))}"

    canvas = SvgCanvas("")
    canvas.draw_text(_MARGIN, _TOP - 8, result.label, LABEL)
    canvas.draw_box(_PLOT, _TOP, _BOTTOM - _TOP, SvgColour.SOFT, radius=0)
    point, _ = swept.current_point
    x = compute_x(axis.ranks[point or 0])
    canvas.draw_line(x, _TOP, x, _BOTTOM, SvgColour.FOCUS, dash="4 3")
    if is_sampled:
        for (sample,) in runs:
            canvas.draw_dot(compute_x(sample.rank), compute_y(sample), SvgColour.A, size=2)
    else:  # a line to its own start would not be drawn
        path = "".join(
            f"M{place(run[0])}" + (f"L{place(run[-1])}" if len(run) > 1 else "h1") for run in runs
        )
        canvas.draw_path(path, SvgColour.A, line=2.5)
    starts = [] if is_sampled else [run[0] for run in runs]
    ticks = axis.list_ticks(point, is_by_rank=True, breaks=[x.rank for x in starts])
    ticks = choose_ticks(ticks, _PLOT.width, DATUM.measure("0"))
    draw_x_ticks(canvas, ticks, _X_AXIS, Area(0, _WIDTH), _BOTTOM, _BOTTOM + 18)
    draw_x_label(canvas, _PLOT.center, _BOTTOM + 36, axis.part.label)
    landmarks = map(result.compute_rank, iter_landmarks(result))
    ranks = [*(x.result_rank for x in starts), *landmarks]
    draw_y_ticks(canvas, results.list_ticks(None, ranks), _PLOT.x, _Y_AXIS)
    plot = _parse_svg(f'<svg class="px-svg px-auto">{"".join(canvas.parts)}</svg>')
    plot[1] |= {"viewBox": f"0 0 {_WIDTH} {_BOTTOM + 44}", "role": "img", "aria-label": about}
    axes = f"To the right, {axis.part.label}; upwards, {result.label}; dashed, the current value"
    axes += "; each dot is a computed value." if is_sampled else "."
    return make_element(
        "figure", make_element("figcaption", f"{about}. {axes}"), plot, class_="plot"
    )


def _make_table(swept: IntegerSweep, runs: list[list[Sample]], caption: str = "") -> list[Child]:
    """Return a table of runs; without a caption, with the number of values of each."""
    part, result = swept.x.part, swept.result_part
    rows = [
        make_element(
            "tr",
            make_element("th", _format_run(part, [x.bits for x in run]), scope="row"),
            make_element("td", _format_run(result, [x.result for x in run])),
            "" if caption else make_element("td", str(len(run))),
        )
        for run in runs[:_MAX_RUNS]
    ]
    heads = (part.label, result.label, *([] if caption else ["values"]))
    head = make_element("tr", *(make_element("th", x, scope="col") for x in heads))
    children: list[Child] = [
        make_element(
            "table",
            make_element("caption", caption) if caption else "",
            make_element("thead", head),
            make_element("tbody", *rows),
        )
    ]
    if len(runs) > _MAX_RUNS:
        children.append(make_element("p", f"{len(runs) - _MAX_RUNS} more rows are left out."))
    return children


def _format_run(part: RegisterPart, values: list[int]) -> str:
    """Return the first and the last of values: ``-128 to -29``."""
    texts = [text for text, _ in groupby(map(part.format_value, (values[0], values[-1])))]
    return " to ".join(texts)


def _parse_svg(text: str) -> Element:
    """Return the elements of an SVG of ptxscope's own."""

    def convert(node: ET.Element) -> Element:
        return [node.tag, dict(node.attrib), *filter(None, [node.text]), *map(convert, node)]

    return convert(ET.fromstring(text))  # noqa: S314
