"""A wide picture for slides, 1280 by 720 px, with letters of at least 18 px."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from ...documents.content.document import Document
from ...documents.options import Motion, Options
from ...documents.svg.page_frame import (
    IdleStep,
    describe_idle_steps,
    draw_instruction,
    find_long_names,
    format_head,
    format_model,
    list_idle_steps,
    make_idle_step,
)
from ...documents.svg.page_layout import Layout
from ...documents.svg.svg_canvas import SvgCanvas
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.text_styles import TextStyle
from ...engine.micro_operations.properties import Stage
from ...scene.scene_model import PermutationFigure
from .wide_canvas import TurnedCanvas
from .wide_columns import Columns
from .wide_fit import describe_too_wide, fit_columns, spread_columns
from .wide_lanes import describe_equal_lanes
from .wide_layout import WIDE
from .wide_lines import TwoWays
from .wide_parts import draw_results
from .wide_settings import LayoutError
from .wide_shapes import NOTE

_HEIGHT = 720.0
_TITLE = TextStyle(26, is_bold=True)
_INSTRUCTION = TextStyle(23, is_monospaced=True, is_bold=True)
_FOOT_LINE = 24.0
"""Distance in px of the lines at the foot."""
_MAX_FOOT_LINES = 3


def draw(doc: Document, prefix: str, options: Options) -> tuple[SvgCanvas, Layout, float]:
    """Draw a document; return canvas, layout and height. Raise LayoutError if it does not fit."""
    canvas = TurnedCanvas(prefix)
    layout = _draw_document(doc, canvas, options)
    return canvas, layout, _HEIGHT


def _draw_document(doc: Document, canvas: TurnedCanvas, options: Options) -> Layout:
    """Draw a document and return its layout."""
    head_end = _draw_head(doc, canvas)
    canvas.add_mark("operands", 0)
    fitting_columns = fit_columns(doc, head_end + 12)
    if fitting_columns is None:
        raise LayoutError(describe_too_wide(doc, options, head_end + 12))
    columns, start = spread_columns(*fitting_columns)
    sketch, _ = columns.draw(canvas, start)
    last, left = doc.sections[-1], WIDE.page.right
    canvas.add_mark(last.name_part("result"), WIDE.page.right - 1)
    texts = [*_list_texts(doc, options, columns)]
    room = _MAX_FOOT_LINES - (options.motion is Motion.STEPPING)  # one line explains a click
    for has_meanings in (True, False):
        marks = len(canvas.parts), len(canvas.flows), len(canvas.zones)
        if sketch and not last.is_folded:  # a card has its result
            left = draw_results(last, sketch, has_meanings=has_meanings)
        lines = _choose_lines(texts, left - 24 - WIDE.page.x, room)
        if lines is not None or not sketch:
            break
        del canvas.parts[marks[0] :], canvas.flows[marks[1] :], canvas.zones[marks[2] :]
    if lines is None:
        raise LayoutError(
            f"the words below a wide picture have room for {room} lines; shorten them, "
            "or choose --layout tall"
        )
    # an answer appears with the result
    canvas.add_mark("answers" if doc.answers or doc.other else "foot", WIDE.page.right)
    canvas.open_group("px-foot")
    y = _HEIGHT + 8 - _FOOT_LINE * len(lines)
    for index, line in enumerate(lines):
        canvas.draw_text(WIDE.page.x, y + _FOOT_LINE * index, line, NOTE)
    canvas.close_group()
    return columns.layout


def _draw_head(doc: Document, canvas: SvgCanvas) -> float:
    """Draw title, instruction and the text of the badge; return the end."""
    page, model, y = WIDE.page, format_model(doc), 20.0
    canvas.open_group("px-head")
    for line in _TITLE.wrap(doc.title, page.width) if doc.title else ():
        canvas.draw_text(page.x, y + 24, line, _TITLE)
        y += 38
    badge, index = NOTE.measure(model) + 26, len(canvas.parts)
    names = [] if doc.sections[0].heading else find_long_names(doc.trace)
    ptx, width = format_head(doc), page.width - badge - 48
    style = _INSTRUCTION if _INSTRUCTION.measure(ptx) <= width else _INSTRUCTION.with_size(19)
    end = draw_instruction(canvas, ptx, page.x + 18, y + 34, width, style, names, NOTE) + 18
    with canvas.insert_below(index):
        canvas.draw_rect(page.x, y, page.width, end - y, radius=10)
    x = page.right - badge - 12
    canvas.draw_rect(x, y + 10, badge, 32, SvgColour.PAGE, SvgColour.DIM, radius=16)
    canvas.draw_text(x + badge / 2, y + 32, model, NOTE, SvgColour.INK, anchor="middle")
    canvas.close_group()
    return end


def _list_texts(doc: Document, options: Options, columns: Columns) -> Iterator[tuple[int, str]]:
    """Yield the words at the foot, each with its rank: words above 0 may be left out."""
    for section in doc.sections:
        yield 0, section.omission
        for step in section.steps:
            yield from ((0, f"{step.number} {step.title}: {text}") for text in step.notes)
        has_lanes = section.trace.instruction.entry.lanes > 1
        for number, text in enumerate(section.lane_notes, 1):
            yield 0, f"note {number}: {text}" if has_lanes else text
    yield 0, doc.caption
    if isinstance(columns, TwoWays) and columns.lanes:
        yield 0, describe_equal_lanes(doc.trace.instruction.entry.lanes, columns.lanes)
    undrawn = [x for x in doc.sections if x.branch not in columns.drawn_branches]
    if undrawn:
        results = (", ".join(f"{x.name} = {x.bits}" for x in y.results) for y in undrawn)
        cards = [f"{x.heading}: {y}" for x, y in zip(undrawn, results, strict=True)]
        yield 0, f"Not drawn: {'; '.join(cards)}."
    if doc.answers:
        answers = (
            f"{x.label}: {x.result}" + (f" ({x.reason})" if x.reason else "")
            for x in doc.answers.all
        )
        yield 0, f"Two answers. {'; '.join(answers)}"
    for erratum in doc.answers.errata if doc.answers and options.both else ():
        first, end, others = erratum.sentence.partition(". ")
        yield 1, f"{erratum.id}: {first}{end}"
        yield 3, others
    yield 0, doc.agreement
    if options.sentences:
        yield 0, describe_idle_steps(_list_undrawn_steps(columns))
    yield 2, doc.source
    for text in dict.fromkeys((*(x for y in doc.sections for x in y.notes), *doc.notes)):
        yield 1 if doc.other else 4, f"Note: {text}."


def _list_undrawn_steps(columns: Columns) -> list[IdleStep]:
    """Return the steps without columns of their own."""
    idle = list[IdleStep]()
    sides = [x.side for x in columns.ways] if isinstance(columns, TwoWays) else repeat("")
    for section, folded, side in zip(columns.sections, columns.scenes, sides, strict=False):
        if not folded:
            continue
        figures = {type(row.figure) for row in folded.scene.rows.values()}
        steps = (x for x in section.steps if x.stage is Stage.SELECT)
        # the digits that a selection picks are beside the bytes of a permutation
        names = {make_idle_step(x).name for x in steps if PermutationFigure in figures}
        idle += [
            x._replace(is_beside=x.is_beside or x.name in names, side=side)
            for x in list_idle_steps(folded.scene, section.steps)
        ]
    return idle


def _choose_lines(texts: list[tuple[int, str]], width: float, room: int) -> list[str] | None:
    """Return the lines at the foot, if necessary without the least important ones."""
    for limit in (4, 3, 2, 1, 0):
        shown = [text for rank, text in texts if text and rank <= limit]
        for parts in (shown, [" · ".join(shown)] if shown else []):
            lines = [line for text in parts for line in NOTE.wrap(text, width)]
            if len(lines) <= room:
                return lines
    return None
