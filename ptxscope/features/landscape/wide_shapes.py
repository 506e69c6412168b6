"""The cells of rows in a wide picture, where steps run from left to right.

A function has the parameters of its counterpart for tall pictures, with the axes exchanged: an area
extends from top to bottom, ``x`` is the left edge, and the function returns the right edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from ...documents.svg.cell_shapes import choose_shape, format_cell_value, list_spans
from ...documents.svg.page_layout import Area, Sketch
from ...documents.svg.svg_canvas import SvgCanvas
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.symbols import (
    STYLES,
    choose_bit_colour,
    draw_bit_box,
    draw_flags,
    draw_mask_box,
    draw_truth,
    measure_flags,
    shorten_flag,
)
from ...documents.svg.text_styles import TextStyle, wrap_formula
from ...engine.micro_operations.properties import Flag
from ...scene.row_pairs import OUTCOMES
from ...scene.scene_model import (
    Cell,
    CellSpan,
    LaneRef,
    NumberLine,
    RowScene,
    SpanKind,
)
from .wide_settings import get_settings, require_height

BITS = TextStyle(21, is_monospaced=True, is_bold=True)
VALUE = TextStyle(24, is_monospaced=True, is_bold=True)
LABEL = TextStyle(22, is_monospaced=True, is_bold=True)
CODE = TextStyle(18, SvgColour.DIM, is_monospaced=True)
NOTE = TextStyle(18, SvgColour.DIM, leading=22)
CHIP = 42.0
"""Height in px of a box of bits."""
SCALE = 1.5
"""Size of truth values relative to a tall picture."""
_FLAG_SCALE = 18 / 11
PILL = Area(0, 66 * SCALE)
_LONG = 14
"""Maximum characters of a number that is drawn large."""
LINE = 22.0
"""Distance in px of lines of text."""
_PAD = 20.0
"""Width in px around a text in a box."""


def draw_middle(
    canvas: SvgCanvas, x: float, y: float, text: str, style: TextStyle,
    colour: SvgColour | None = None, anchor: str = "middle",
) -> None:  # fmt: skip
    """Draw a text in the middle of a line at height y."""
    canvas.draw_text(x, y + style.size * 0.36, text, style, colour, anchor=anchor)


class Piece(NamedTuple):
    """A box in a line of boxes: bits, a number, or bits with a name."""

    text: str
    span: CellSpan | None
    """The bits, or None for a number."""
    name: str = ""

    @property
    def width(self) -> float:
        """The minimum width in px."""
        name = NOTE.measure(self.name) + 6 if self.name else 0
        return self.style.measure(self.text) + name + (_PAD if self.name or not self.span else 16)

    @property
    def style(self) -> TextStyle:
        """The letters, which are smaller for more than 32 bits."""
        return BITS if len(self.text) <= _LONG else BITS.with_size(18)


def draw_pieces(
    canvas: SvgCanvas, pieces: Sequence[Piece], widths: Sequence[float], area: Area, x: float
) -> float:
    """Draw boxes beside each other; return the end."""
    y, height = area.x, area.width
    if any(piece.span is None for piece in pieces):
        canvas.draw_rect(x, y, fsum(widths), height, SvgColour.PAGE, SvgColour.LINE, line=1.5)
    for piece, width in zip(pieces, widths, strict=True):
        box, middle = Area(x, width), y + height / 2
        if piece.span is None:
            draw_middle(canvas, box.center, middle, piece.text, piece.style)
        elif piece.name:
            kind, tint = piece.span.kind, piece.span.tint
            draw_bit_box(canvas, box, y, height, "", kind, tint)
            letters, colour = BITS.with_weight(STYLES[kind].is_bold), choose_bit_colour(kind, tint)
            draw_middle(canvas, x + 9, middle, piece.text, letters, colour, "start")
            draw_middle(canvas, box.right - 8, middle, piece.name, NOTE, colour, "end")
        else:
            kind, tint = piece.span.kind, piece.span.tint
            draw_bit_box(canvas, box, y, height, piece.text, kind, tint, piece.style.size)
        x = box.right
    return x


def measure_pieces(lines: Sequence[Sequence[Piece]]) -> list[float]:
    """Return the widths of the boxes of lines, so that those above each other are equal."""
    count = max(map(len, lines))
    return [max((x[i].width for x in lines if i < len(x)), default=0) for i in range(count)]


def measure_outcome(sketch: Sketch, row: RowScene) -> tuple[float, float]:
    """Return width and height of the only cell of a row, with its flags."""
    (cell,) = row.cells
    lines, flags = len(_wrap_formula(sketch, cell)), _list_flags(sketch, row, cell)
    width = SHAPES[choose_shape(cell)][0](sketch, row, cell)
    width = max([width] + [NOTE.with_weight(True).measure(shorten_flag(f)) + 20 for f in flags])
    return width, LINE * lines + 46 + measure_flags(len(flags), _FLAG_SCALE)


def draw_cells(
    sketch: Sketch, row: RowScene, x: float, *, is_framed: bool = True,
    areas: Sequence[Area] = (),
) -> float:  # fmt: skip
    """Draw the cells of a row by shape, all of one width, with their flags below; return the end.

    Cells without a frame belong to a figure at their left, or above.
    """
    areas, drawn = areas or sketch.get_areas(row), []
    pairs = zip(row.cells, areas, strict=True)
    flags = [_list_flags(sketch, row, cell, area) for cell, area in pairs]
    for cell, area, own in zip(row.cells, areas, flags, strict=True):
        box = Area(area.x, area.width - measure_flags(len(own), _FLAG_SCALE))
        drawn.append((SHAPES[choose_shape(cell)], cell, box))
    width = max(measure(sketch, row, cell) for (measure, _), cell, _ in drawn)
    for own in flags:
        width = max(width, *(NOTE.with_weight(True).measure(shorten_flag(f)) + 20 for f in own), 0)
    for ((_, draw), cell, box), area, own in zip(drawn, areas, flags, strict=True):
        bottom = draw(sketch, row, cell, box, Area(x, width), is_framed)
        if own and not is_framed:  # the line begins beside the middle of both
            sketch.set_port(cell.place, area.take_middle(30), x + width)
        draw_flags(sketch.canvas, Area(x, width), bottom, own, _FLAG_SCALE, is_short=True)
    return x + width


def _list_flags(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area | None = None
) -> tuple[Flag, ...]:
    """Return the flags of a cell, if its area has room for them."""
    view = sketch.words.get((row.key, cell.place.lane))
    if isinstance(row.figure, NumberLine) and not get_settings(sketch.layout).has_arc_words:
        return ()
    if not view or list_spans(cell, SpanKind.KEPT):
        return ()
    has_room = not area or area.width - measure_flags(len(view.flags), _FLAG_SCALE) >= _MIN_CELL
    return view.flags if has_room else ()  # bits that are struck through say the same


def draw_packed_lanes(sketch: Sketch, row: RowScene, x: float) -> float:
    """Draw lanes below each other in one register, each beside its source; return the end."""
    canvas, place, areas = sketch.canvas, row.cells[0].place, sketch.get_areas(row)
    whole = Area(areas[0].x, areas[-1].right - areas[0].x)
    width = max(VALUE.measure(str(cell)) for cell in row.cells) + _PAD
    sketch.draw_links(row, place.lane, whole, x)
    canvas.draw_rect(
        x, whole.x, width, whole.width, SvgColour.PAGE, SvgColour.INK, radius=6, line=2.2
    )
    for upper, lower in pairwise(areas):
        y = (upper.right + lower.x) / 2
        canvas.draw_line(x, y, x + width, y, SvgColour.INK, 1.5)
    for cell, area in zip(row.cells, areas, strict=True):
        draw_middle(canvas, x + width / 2, area.center, str(cell), VALUE)
    sketch.set_port(place, whole, x + width)
    return x + width


def format_passed_value(row: RowScene, place: LaneRef) -> str:
    """Return the name and the value of a place: ``t = -1``."""
    cell = next(x for x in row.cells if x.place == place)
    span = list_spans(cell, *OUTCOMES)[-1]
    truths = {SpanKind.HOLDS: "true", SpanKind.FAILS: "false"}
    text = truths.get(span.kind, span.text.strip(" ="))
    return f"{row.destination_name or row.name} = {text}"


def draw_incoming_values(sketch: Sketch, row: RowScene, x: float) -> float:
    """Draw the values and the name of a row from a step that is not shown; return the end."""
    canvas, name = sketch.canvas, row.destination_name or row.name
    outcomes = [list_spans(cell, *OUTCOMES)[-1:] for cell in row.cells]
    texts = [spans[0].text for spans in outcomes if spans]
    width = max([BITS.measure(t) + _PAD for t in (*texts, name)] + [PILL.width])
    for cell, spans, area in zip(row.cells, outcomes, sketch.get_areas(row), strict=True):
        for span in spans:
            box = area.take_middle(CHIP)
            if area.width > 80:
                draw_middle(canvas, x + width / 2, box.x - 13, name, CODE)
            if span.kind in (SpanKind.HOLDS, SpanKind.FAILS):
                draw_truth(canvas, x + width / 2, box.x + 3, span.kind is SpanKind.HOLDS, SCALE)
                sketch.set_port(cell.place, box, x + (width + PILL.width) / 2)
                continue
            if span.kind is SpanKind.CHIP:
                draw_pieces(canvas, [Piece(span.text, span)], [width], box, x)
            else:
                canvas.draw_rect(
                    x, box.x, width, box.width, SvgColour.PAGE, SvgColour.DIM, dash="4 3"
                )
                draw_middle(canvas, x + width / 2, box.center, span.text, BITS)
            sketch.set_port(cell.place, box, x + width)
    return x + width


# --- shapes ---------------------------------------------------------------------------------


def _list_pieces(cell: Cell) -> list[Piece]:
    bits, value = list_spans(cell, *STYLES), list_spans(cell, SpanKind.VALUE)
    names = list_spans(cell, SpanKind.NAME, SpanKind.AWAY)
    name = names[0].text.strip() if names else ""
    pieces = [Piece(span.text, span, name if len(bits) == 1 else "") for span in bits]
    return [*pieces, *(Piece(span.text, None) for span in value)]


def _measure_bits(_: Sketch, row: RowScene, __: Cell) -> float:
    return fsum(measure_pieces([p for p in map(_list_pieces, row.cells) if p]))


def _draw_bits(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, column: Area, is_framed: bool
) -> float:
    """Draw a bit pattern with its extension, and the number it represents, in a line."""
    lines, pieces = [p for p in map(_list_pieces, row.cells) if p], _list_pieces(cell)
    widths = measure_pieces(lines)
    widths[-1] += column.width - fsum(widths) if column.width < 400 else 0
    box = area.take_middle(CHIP)
    if is_framed:
        sketch.draw_links(row, cell.place.lane, box, column.x)
    end = draw_pieces(sketch.canvas, pieces, widths[: len(pieces)], box, column.x)
    sketch.set_port(cell.place, box, max(end, column.right))
    return box.right


_MIN_CELL = 34.0
"""Smallest height in px of a cell above its flags."""
_MIN_NOTED = 58.0
"""Smallest height in px of a merged lane with a note."""
_MAX_MERGED = 83.0
"""Largest height in px of a merged lane."""


def _measure_merged_lane(_: Sketch, __: RowScene, cell: Cell) -> float:
    (chip,), lost = list_spans(cell, SpanKind.CHIP), list_spans(cell, SpanKind.LOST)
    bits = VALUE.measure(chip.text) + fsum(BITS.measure(x.text) + 12 for x in lost)
    note = _describe_change(cell)
    return max(32 + bits + 8, NOTE.measure(note) + 16 if note else 0)


def _describe_change(cell: Cell) -> str:
    """Return the value before bits were cut off."""
    changed = list_spans(cell, SpanKind.CHANGED)
    is_cut = list_spans(cell, SpanKind.LOST)
    return f"of {changed[0].text.strip(' ◂↻')}" if changed and is_cut else ""


def _draw_merged_lane(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, column: Area, _: bool
) -> float:
    """Draw a lane that takes t, with lost bits struck through, or keeps c's part, hatched."""
    canvas, is_taken = sketch.canvas, bool(list_spans(cell, SpanKind.TAKEN))
    (chip,), lost = list_spans(cell, SpanKind.CHIP), list_spans(cell, SpanKind.LOST)
    colour = SvgColour.INK if is_taken else SvgColour.C
    box = area.take_middle(min(_MAX_MERGED, area.width - 4))
    incoming = sketch.find_incoming_links(row, cell.place.lane)
    for link, port in incoming:  # t arrives above c's part; a line that is not taken is crossed out
        aside = box.width / 4 * (len(incoming) > 1)
        aside = aside if link.source.key in sketch.registers else -aside
        sketch.draw_link(link, (port.area.center, port.y), (box.center + aside, column.x))
    canvas.draw_rect(
        column.x, box.x, column.width, box.width, SvgColour.PAGE, colour, radius=6, line=2
    )
    left, note = column.x + 32, _describe_change(cell) if box.width >= _MIN_NOTED else ""
    middle = box.center - (12 if note else 0)
    if not is_taken:
        canvas.draw_hatch(column.x, box.x, column.width, box.width, colour)
        canvas.draw_rect(column.x + 7, middle - 11, 22, 22, SvgColour.PAGE, None, radius=0)
        width = VALUE.measure(chip.text)
        canvas.draw_rect(left - 3, middle - 16, width + 8, 32, SvgColour.PAGE, None, radius=0)
    draw_mask_box(canvas, column.x + 11, middle - 7, is_taken, colour, 14)
    for span in cell.spans:
        if span in lost:
            width = BITS.measure(span.text) + 8
            draw_bit_box(
                canvas, Area(left, width), middle - 16, 32, span.text, span.kind, span.tint, 18
            )
            left += width + 4
        elif span is chip:
            draw_middle(canvas, left, middle, chip.text, VALUE, colour, "start")
            left += VALUE.measure(chip.text) + 4
    if note:
        draw_middle(canvas, column.center, box.right - 17, note, NOTE)
    sketch.set_port(cell.place, box, column.right)
    return box.right


def _measure_verdict(sketch: Sketch, _: RowScene, cell: Cell) -> float:
    return max([CODE.measure(line) + 8 for line in _wrap_formula(sketch, cell)] + [PILL.width + 4])


def _draw_verdict(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, column: Area, is_framed: bool
) -> float:
    """Draw a comparison, its outcome below, and the name of a single outcome."""
    canvas, lines = sketch.canvas, _wrap_formula(sketch, cell)
    name = (row.destination_name or row.name) if len(row.cells) == 1 else ""
    head = LINE * len(lines) + 8 * bool(lines)
    center, has_box = column.center, bool(lines) and is_framed and not name
    box = area.take_middle(48 + head)
    if not has_box:  # the outcome is in the middle
        box = Area(area.center - 24 - head, 48 + head + 30 * bool(name))
    if lines:
        if has_box:
            canvas.draw_rect(column.x, box.x, column.width, box.width, SvgColour.PAGE, line=1.5)
        for index, line in enumerate(lines):
            draw_middle(canvas, center, box.x + 18 + LINE * index, line, CODE, SvgColour.INK)
    either, holds = list_spans(cell, SpanKind.EITHER), list_spans(cell, SpanKind.HOLDS)
    top = box.x + 6 + head
    is_true = None if either else bool(holds)
    draw_truth(canvas, center, top, is_true, SCALE)
    if name:
        value = name if either else f"{name} = {int(bool(holds))}"
        draw_middle(canvas, center, top + 52, value, BITS)
    port = box if has_box else Area(top, 36)
    if is_framed:
        sketch.draw_links(
            row, cell.place.lane, port, column.x if has_box else center - PILL.width / 2
        )
    sketch.set_port(cell.place, port, column.right if has_box else center + PILL.width / 2)
    return box.right


def _wrap_formula(sketch: Sketch, cell: Cell) -> list[str]:
    formula = "".join(span.text for span in list_spans(cell, SpanKind.NUMBER))
    widest = max(map(CODE.measure, formula.split()), default=0)
    room = max(get_settings(sketch.layout).formula_room, widest)
    return wrap_formula(formula, room, (CODE.size,)) if formula else []


def _choose_style(cell: Cell) -> TextStyle:
    """Return the letters of a value: smaller ones for more than 32 bits."""
    if not list_spans(cell, SpanKind.VALUE, SpanKind.CLAMPED):
        return CODE
    return VALUE if len(format_cell_value(cell)) <= _LONG else _SMALL_VALUE


_SMALL_VALUE = VALUE.with_size(18)


def _measure_formula(sketch: Sketch, _: RowScene, cell: Cell) -> float:
    lines = [CODE.measure(line) for line in _wrap_formula(sketch, cell)]
    style = _choose_style(cell)
    return max(*lines, style.measure(format_cell_value(cell)), 0) + 18


def _draw_formula(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, column: Area, is_framed: bool
) -> float:
    """Draw a formula and its value, or beside a figure the value alone."""
    canvas, lines = sketch.canvas, _wrap_formula(sketch, cell)
    value = list_spans(cell, SpanKind.VALUE, SpanKind.CLAMPED)
    colour = SvgColour.MARK if value and value[0].kind is SpanKind.CLAMPED else SvgColour.INK
    height = LINE * len(lines) + 30 + 12
    require_height(area, height - 14)
    box = area.take_middle(min(max(height, 83 if lines else 0), area.width))
    style = _choose_style(cell)
    if is_framed and value:
        canvas.draw_rect(
            column.x, box.x, column.width, box.width, SvgColour.PAGE, radius=6, line=1.5
        )
    top = box.center - height / 2 + 6
    for index, line in enumerate(lines):
        draw_middle(canvas, column.center, top + LINE * (index + 0.5), line, CODE)
    text = format_cell_value(cell)
    middle = top + LINE * len(lines) + 15
    draw_middle(canvas, column.center, middle, text, style, colour)
    if is_framed:
        sketch.draw_links(row, cell.place.lane, box, column.x)
    aside = 0 if is_framed and value else (column.width - style.measure(text)) / 2 - 6
    port = box if is_framed and value else Area(middle - 15, 30)
    sketch.set_port(cell.place, port, column.right - aside)
    return port.right if is_framed else middle + 12


_Measure = Callable[[Sketch, RowScene, Cell], float]
_Draw = Callable[[Sketch, RowScene, Cell, Area, Area, bool], float]
_MERGE = (_measure_merged_lane, _draw_merged_lane)
_VERDICT = (_measure_verdict, _draw_verdict)
_FORMULA = (_measure_formula, _draw_formula)
SHAPES: dict[SpanKind, tuple[_Measure, _Draw]] = {
    SpanKind.TAKEN: _MERGE,
    SpanKind.KEPT: _MERGE,
    SpanKind.HOLDS: _VERDICT,
    SpanKind.FAILS: _VERDICT,
    SpanKind.EITHER: _VERDICT,
    SpanKind.CHIP: (_measure_bits, _draw_bits),
    SpanKind.VALUE: _FORMULA,
    SpanKind.CLAMPED: _FORMULA,
    SpanKind.TEXT: _FORMULA,
}
"""The function that measures a shape, and the one that draws it in a column, for each kind."""
