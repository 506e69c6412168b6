"""Registers in a wide picture, in the parts that are read."""

from __future__ import annotations

from math import fsum

from ...documents.svg.cell_shapes import format_part_name
from ...documents.svg.page_layout import ROLE_INKS, Area, ColumnPart, Sketch, take_column_part
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.symbols import draw_truth
from ...engine.micro_operations.properties import Stage
from ...scene.scene_model import Cell, CellSpan, RegisterFigure, SpanKind
from .wide_settings import get_settings, require_height
from .wide_shapes import (
    CHIP,
    CODE,
    LABEL,
    LINE,
    PILL,
    SCALE,
    Piece,
    draw_middle,
    draw_pieces,
    measure_pieces,
)

_MAX_PART_CHARS = 4
"""Maximum length of a register name that stands beside each part."""
_NAME, _GAP = 30.0, 4.0
"""Height in px of a name above a register, and of the gap between its parts."""
_MIN_READ = 92.0
"""Smallest height in px of a register with its name above and its number below."""
_MIN_PART = 26.0
"""Smallest height in px of a part."""


def draw_register(sketch: Sketch, figure: RegisterFigure, slot: ColumnPart, x: float) -> float:
    """Draw a register in the parts that are read; return the end."""
    if figure.unit == 1:
        return _draw_predicate(sketch, figure, slot, x)
    if figure.is_by_lane:
        areas = sketch.make_areas(len(figure.cells), slot)
        require_height(areas[0], _MIN_PART)
        cells = [*zip(figure.cells, (area.take_middle(CHIP) for area in areas), strict=True)]
        if figure.role == "c":  # its lanes are kept or ignored
            links = (link for row in sketch.rows.values() for link in row.links)
            kept = {link.source for link in links if link.is_taken}
            cells = [(cell._replace(spans=cell.spans[:1]), y) for cell, y in cells
                     if cell.place in kept]  # fmt: skip
        return _draw_parts(sketch, figure, cells, x) if cells else x
    if slot is ColumnPart.MARGIN or (slot is ColumnPart.FULL and len(figure.cells) > 1):
        return _draw_aside(sketch, figure, slot, x)
    return _draw_whole(sketch, figure, slot, x)


def _draw_predicate(sketch: Sketch, figure: RegisterFigure, slot: ColumnPart, x: float) -> float:
    (cell,), (area,) = figure.cells, sketch.make_areas(1, slot)
    top, text = area.center - 18, _format_name(figure)
    center = x + max(PILL.width, LABEL.measure(text)) / 2
    draw_middle(sketch.canvas, center, top - 16, text, LABEL, _choose_ink(figure))
    is_known = cell.spans[0].kind is not SpanKind.EITHER
    draw_truth(sketch.canvas, center, top, str(cell) == "1" if is_known else None, SCALE)
    sketch.set_port(cell.place, Area(top, 36), center + PILL.width / 2)
    return 2 * center - x


def _draw_aside(sketch: Sketch, figure: RegisterFigure, slot: ColumnPart, x: float) -> float:
    """Draw a register above the lanes, or in parts beside them, with its name at the left."""
    cells, name = figure.cells, _format_name(figure)
    boxes = [area.take_middle(CHIP) for area in sketch.make_areas(len(cells), slot)]
    if slot is ColumnPart.MARGIN:
        number = CellSpan(figure.meaning, SpanKind.VALUE)
        has_number = figure.meaning and get_settings(sketch.layout).has_arc_words
        spans = (cells[0].spans[0], number) if has_number else cells[0].spans[:1]
        cells = (cells[0]._replace(spans=spans),)
    draw_middle(sketch.canvas, x, boxes[0].center, name, LABEL, _choose_ink(figure), "start")
    parts = [*zip(cells, boxes, strict=True)]
    return _draw_parts(sketch, figure, parts, x + LABEL.measure(name) + 10)


def _draw_whole(sketch: Sketch, figure: RegisterFigure, slot: ColumnPart, x: float) -> float:
    """Draw a register in one piece, or its parts below each other, with its name above."""
    (area,), cells, name = sketch.make_areas(1, slot), figure.cells, _format_name(figure)
    if sketch.scene.lanes > 1 and figure.role in ("a", "b"):  # beside the lanes of the other one
        area = take_column_part(sketch.columns[-1], slot)
    room = area.width - _NAME + _GAP
    if len(cells) > 1 and room / len(cells) < _MIN_PART + _GAP:  # the parts that are read
        cells = tuple(cell for cell in cells if cell.spans[0].kind is SpanKind.CHIP)
    require_height(area, _NAME + _MIN_PART * len(cells))
    pitch = min(CHIP + _GAP, room / len(cells))
    reading = ""
    if len(figure.cells) == 1:  # its number is below, or beside it
        reading = "" if figure.figure else figure.meaning
        spans = cells[0].spans[:1]
        if reading and area.width < _MIN_READ:
            spans, reading = (*spans, CellSpan(reading, SpanKind.VALUE)), ""
        cells = (cells[0]._replace(spans=spans),)
    height = _NAME + len(cells) * pitch - _GAP + (LINE + 12) * bool(reading)
    top = area.take_middle(height).x
    starts = (top + _NAME + index * pitch for index in range(len(cells)))
    boxes = [Area(start, pitch - _GAP) for start in starts]
    least = max(LABEL.measure(name), CODE.measure(reading))
    end = _draw_parts(sketch, figure, [*zip(cells, boxes, strict=True)], x, least)
    draw_middle(sketch.canvas, x, top + 14, name, LABEL, _choose_ink(figure), "start")
    base = boxes[-1].right + 16
    draw_middle(sketch.canvas, (x + end) / 2, base, reading, CODE, SvgColour.INK)
    return end


def _draw_parts(
    sketch: Sketch, figure: RegisterFigure, cells: list[tuple[Cell, Area]], x: float,
    least: float = 0,
) -> float:  # fmt: skip
    """Draw parts of a register with their names and, unless these come later, their numbers."""
    name = figure.name if 0 < len(figure.name) <= _MAX_PART_CHARS else figure.label
    has_numbers = figure.role not in _find_extended_roles(sketch) and not figure.figure
    lines = []
    for cell, _ in cells:
        span, numbers = cell.spans[0], cell.spans[1:] if has_numbers else ()
        part = format_part_name(name, figure.unit, cell.place.lane)
        first = Piece(span.text, span, "" if span.text.endswith(part) else part)  # as in a form
        lines.append([first, *(Piece(number.text.strip(), None) for number in numbers)])
    widths = measure_pieces(lines)
    widths[0] += max(least - fsum(widths), 0)
    end = x + fsum(widths)
    for (cell, box), pieces in zip(cells, lines, strict=True):
        draw_pieces(sketch.canvas, pieces, widths[: len(pieces)], box, x)
        sketch.set_port(cell.place, box, end)
    return end


def _find_extended_roles(sketch: Sketch) -> frozenset[str]:
    """Return the registers whose numbers a later column has, because it extends their bits."""
    rows = (row for step in sketch.scene.steps if step.stage is Stage.EXTEND for row in step.rows)
    return frozenset(link.source.key for row in rows for link in row.links)


def _format_name(figure: RegisterFigure) -> str:
    """Return the name as written if it is short, otherwise after the letter of the operand."""
    name = "" if figure.name == figure.role else figure.name
    return name if 0 < len(name) <= _MAX_PART_CHARS else f"{figure.label} {name}".strip()


def _choose_ink(figure: RegisterFigure) -> SvgColour:
    return ROLE_INKS.get(figure.role, SvgColour.INK)
