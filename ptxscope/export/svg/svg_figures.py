"""Axes, numbers to the bit, and running sums, each with what comes out of it.

A function gets the sketch, the row, its figure and the y at which it begins; it draws, notes
where lines go on, and returns the y at which it ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from ...engine.records import NamedTuple
from ...scene.scene_model import (
    BitRuler,
    BitRulers,
    BitRun,
    Cell,
    NumberLine,
    Point,
    RowScene,
    RunningSum,
    SpanKind,
    Term,
)
from .cell_shapes import draw_cells, draw_sentence, draw_text_inside, drop_hex_prefixes
from .page_layout import Area, Sketch
from .svg_canvas import SvgCanvas, number
from .svg_colours import SvgColour
from .symbols import draw_bit_box
from .text_fitting import measure_text


class _PlacedNumberLine(NamedTuple):
    """A number line: where it is drawn, and where its ends are."""

    area: Area
    y: float
    start: float
    stop: float

    most: float = inf
    """How long the way from an end to a number outside is drawn at most."""

    def place(self, at: float) -> float:
        """Where a number stands: to scale, but outside at least so far that it is seen."""
        if 0 <= at <= 1:
            return self.start + (self.stop - self.start) * at
        way = min(max(self._measure_way(at), _LEAST_WAY), self.most)
        return self.start - way if at < 0 else self.stop + way

    def is_cut(self, at: float) -> bool:
        """Whether the way of a number is drawn shorter than it is."""
        return not 0 <= at <= 1 and self._measure_way(at) > self.most

    def _measure_way(self, at: float) -> float:
        return (self.stop - self.start) * (-at if at < 0 else at - 1)


_LEAST_WAY = 11.0
"""From an end of a range to a number outside: two dots do not touch."""
_DOT_ROOM = 7.0
"""Between the dot of a number and what stands beside the line."""
_LEAST_RANGE = 0.36
"""The part of the width that a range has at least; longer ways are cut."""


def _place_number_line(
    area: Area, y: float, points: Sequence[Point], *, is_single: bool
) -> _PlacedNumberLine:
    """A line on which all points of a step are drawn to one scale, or the longest ways are cut."""
    least = min(62, area.width * 0.3) if is_single else 0
    room = max(area.width * (0.16 if is_single else 0.22), least)
    low = max((-point.at for point in points if point.at < 0), default=0.0)
    high = max((point.at - 1 for point in points if point.at > 1), default=0.0)
    usual, free = area.width - 2 * room, area.width - 2 * _DOT_ROOM
    wide = min(usual, free / (1 + low + high))
    if wide < area.width * _LEAST_RANGE or not any(point.text for point in points):
        most = room * 0.68
        return _PlacedNumberLine(area, y, area.x + room, area.right - room, most)
    before, behind = (max(x * wide, _LEAST_WAY) if x else 0.0 for x in (low, high))
    start = area.center - wide / 2
    start = min(max(start, area.x + _DOT_ROOM + before), area.right - _DOT_ROOM - behind - wide)
    return _PlacedNumberLine(area, y, start, start + wide)


def draw_number_lines(sketch: Sketch, row: RowScene, figure: NumberLine, y: float) -> float:
    """A number line a lane, or one for the numbers that are compared."""
    areas = sketch.get_areas(row)
    single = len(areas) == 1
    named = (any(point.names for point in figure.points) and single) or bool(figure.off)
    top = y + (26 if any(point.to for point in figure.points) else 14)
    ends = []
    for cell, area in zip(row.cells, areas, strict=True):
        points = [x for x in figure.points if single or x.place == cell.place]
        line = _place_number_line(area, top, figure.points, is_single=single)
        _draw_ends(sketch.pen, line, figure, points)
        if named:
            ends.append(_draw_compared_numbers(sketch, row, line, figure, points))
        else:
            ends.extend(_draw_moved_number(sketch, row, cell, line, point, y) for point in points)
    end = max(ends)
    if single and named:
        end = draw_sentence(sketch, row, areas[0], end)
    return draw_cells(sketch, row, end, is_framed=False)


def _draw_ends(
    pen: SvgCanvas, line: _PlacedNumberLine, figure: NumberLine, points: Iterable[Point]
) -> None:
    """The range, its ends and their labels."""
    area, y = line.area, line.y
    pen.draw_line(area.x + 2, y, area.right - 2, y, SvgColour.LINE, 1.2, "2 3")
    pen.draw_rect(line.start, y - 3, line.stop - line.start, 6, SvgColour.BAR, None, radius=0)
    half = (line.stop - line.start) / 2
    for label, x, side in ((figure.low, line.start, -1), (figure.high, line.stop, 1)):
        if not label:
            tip, back = number(x + 6 * side), number(x - 2 * side)
            d = f"M{back} {number(y - 7)}L{tip} {number(y)}L{back} {number(y + 7)}"
            pen.draw_path(d, SvgColour.BAR, line=1.6)
            continue
        pen.draw_line(x, y - 7, x, y + 7, SvgColour.INK, 1.4)
        here = any(point.to == label for point in points)
        wide = measure_text(label, pen.scale_size(10.5), is_monospaced=True)
        where = area.clamp_center(x + side * max(0, wide / 2 + 3 - half), wide)
        ink = SvgColour.INK if here else SvgColour.DIM
        pen.draw_text(
            where, y + 19, label, 10.5, ink, anchor="middle", is_monospaced=True, is_bold=here
        )


def _draw_moved_number(
    sketch: Sketch, row: RowScene, cell: Cell, line: _PlacedNumberLine, point: Point, y: float
) -> float:
    """A number on its line, and its way to the end where it lies outside."""
    pen, x, lane = sketch.pen, line.place(point.at), cell.place.lane
    if not point.to:
        sketch.draw_links(row, lane, Area(x - 4, 8), line.y - 4)
        pen.draw_dot(x, line.y, SvgColour.INK, size=4)
        return line.y + 24
    end = line.stop if point.at > 1 else line.start
    wide = measure_text(point.text, pen.scale_size(12), is_monospaced=True)
    label = line.area.clamp_center(x, wide)
    sketch.draw_links(row, lane, Area(label - wide / 2, wide), y)
    pen.draw_text(
        label,
        y + 11,
        point.text,
        12,
        SvgColour.MARK,
        anchor="middle",
        is_monospaced=True,
        is_bold=True,
    )
    high, tip = line.y - 12, line.y - 8
    a, b, c, d = map(number, (x, line.y - 4, end, high))
    pen.draw_path(f"M{a} {b}C{a} {d} {c} {d} {c} {number(tip)}", SvgColour.MARK, line=1.5)
    pen.draw_arrow_head(end, line.y - 4, SvgColour.MARK)
    pen.draw_dot(x, line.y, SvgColour.MARK, is_hollow=True, size=4)
    pen.draw_dot(end, line.y, SvgColour.MARK, size=4)
    if line.is_cut(point.at) and point.text:
        for at in ((x + end) / 2 - 2, (x + end) / 2 + 2):
            pen.draw_line(at - 2, line.y + 5, at + 2, line.y - 5, SvgColour.MARK, 1.4)
    return line.y + 24


def _draw_compared_numbers(
    sketch: Sketch, row: RowScene, line: _PlacedNumberLine, figure: NumberLine, points: list[Point]
) -> float:
    """Numbers at their places on one line, each with its name; what is NaN stands beside it."""
    pen, y = sketch.pen, line.y
    named = dict(zip((x.place for x in points), _spread_points(line, points), strict=True))
    labels = [(named[point.place], _format_point_name(point), SvgColour.INK) for point in points]
    off = [line.area.right - 14 - 18 * at for at in range(len(figure.off))][::-1]
    aside = iter(off)
    for link, port in sketch.find_incoming_links(row, 0):
        x = named.get(link.source)
        x = next(aside, line.stop) if x is None else x
        sketch.draw(link, (port.area.center, port.y), (x, y - 6))
    for point in points:
        pen.draw_dot(named[point.place], y, SvgColour.INK, size=4)
    for x in off:
        a, b, c, d, e, f = map(number, (x - 6, x, x + 6, y - 6, y, y + 6))
        pen.draw_path(
            f"M{a} {e}L{b} {d}L{c} {e}L{b} {f}Z", SvgColour.MARK, SvgColour.MARK_SOFT, line=1.6
        )
    if off:
        names = " and ".join(dict.fromkeys(figure.off))
        labels.append((off[0], f"{names}: NaN, off the line", SvgColour.MARK))
    return y + 22 + 13 * _draw_labels(pen, line.area, y + 34, labels)


_APART = 18.0
"""Two numbers that differ are seen to: so far apart are they at least."""


def _spread_points(line: _PlacedNumberLine, points: list[Point]) -> list[float]:
    """Where numbers stand on a line; two that nearly meet are moved apart."""
    found = [line.place(point.at) for point in points]
    if len(points) != 2 or points[0].at == points[1].at:
        return found
    left, right = sorted(found)
    if right - left >= _APART:
        return found
    middle = min(max((left + right) / 2, line.start + _APART / 2), line.stop - _APART / 2)
    ends = [middle - _APART / 2, middle + _APART / 2]
    return ends if points[0].at < points[1].at else ends[::-1]


def _format_point_name(point: Point) -> str:
    names = " ".join(dict.fromkeys(point.names))
    return point.text if names == point.text else f"{names} = {point.text}"


def _draw_labels(
    pen: SvgCanvas,
    area: Area,
    y: float,
    labels: list[tuple[float, str, SvgColour]],
    size: float = 10.5,
) -> int:
    """Labels below what they belong to, on as many lines as they need; returns how many."""
    size = pen.scale_size(size)
    ends: list[float] = []
    for x, text, ink in labels:
        wide = min(measure_text(text, size), area.width)
        where = area.clamp_center(x, wide)
        left = where - wide / 2
        at = next((at for at, end in enumerate(ends) if end + 4 <= left), len(ends))
        ends[at : at + 1] = [where + wide / 2]
        pen.draw_text(where, y + 13 * at, text, size, ink, anchor="middle", width=area.width)
    return len(ends)


def draw_bit_rulers(sketch: Sketch, row: RowScene, figure: BitRulers, y: float) -> float:
    """Numbers as rulers of bits in a box, and what comes out below them."""
    areas, pen = sketch.get_areas(row), sketch.pen
    under = len(pen.parts)
    ends, valued = [], False
    for cell, area in zip(row.cells, areas, strict=True):
        own = [x for x in figure.strips if len(areas) == 1 or x.place == cell.place]
        valued = any(span.look in (SpanKind.VALUE, SpanKind.CLAMPED) for span in cell.spans)
        end = y + 4
        for strip in own:
            end = draw_bit_ruler(sketch, strip, area.shrink(6), end, with_value=not valued)
        ends.append(end)
        sketch.draw_links(row, cell.place.lane, area, y)
    end = max(ends) + 2
    if len(areas) == 1 and not valued and not row.written:
        end = draw_sentence(sketch, row, areas[0].shrink(6), end - 6)
    end = draw_cells(sketch, row, end, is_framed=False) + 6
    pen.draw_below(under, areas, y, end - y)
    for cell, area in zip(row.cells, areas, strict=True):
        sketch.set_port(cell.place, area, end)
    return end


def draw_bit_ruler(
    sketch: Sketch, strip: BitRuler, area: Area, y: float, *, with_value: bool
) -> float:
    """A number to the bit: a box for each stretch, its label below it; returns the end."""
    pen = sketch.pen
    if strip.name:
        pen.draw_text(
            area.x,
            y + 12,
            strip.name,
            11,
            SvgColour.DIM,
            is_monospaced=True,
            is_bold=True,
            width=area.width,
        )
        y += 16
    shown = [x._replace(text=drop_hex_prefixes(x.text)) if x.text == drop_hex_prefixes(x.text) else
             x._replace(text=drop_hex_prefixes(x.text), label=f"{x.label}, hexadecimal")
             for x in strip.stretches]  # fmt: skip
    room = int(area.width / (pen.scale_size(_SMALL) * _DIGIT))
    for line in _fold_runs(shown, room) if _count_cells(shown) > room else [shown]:
        y = _draw_ruler_line(sketch, strip, line, area, y)
    for text in pen.wrap_text(drop_hex_prefixes(strip.said), area.width, 11) if with_value else ():
        pen.draw_text(area.center, y + 10, text, 11, SvgColour.INK, anchor="middle")
        y += 16
    return y


_DIGIT = 0.605
"""How wide a digit is, of its size."""
_ON = "goes on"
"""The label of what goes on from the line above."""
_SMALL = 9.5
"""The smallest digits of a ruler; one that is longer goes on below."""


def _count_cells(stretches: Iterable[BitRun]) -> int:
    """How many digits fit where stretches stand: each box has a margin."""
    return sum(len(stretch.text) + 1 for stretch in stretches)


def _fold_runs(stretches: Iterable[BitRun], room: int) -> list[list[BitRun]]:
    """Stretches in lines of so many digits; one that no line holds is broken between groups."""
    lines: list[list[BitRun]] = [[]]
    for stretch in stretches:
        if lines[-1] and _count_cells([*lines[-1], stretch]) > room >= _count_cells([stretch]):
            lines.append([])
        rest = stretch.text
        while _count_cells([*lines[-1], stretch._replace(text=rest)]) > room:
            free = room - _count_cells(lines[-1]) - 1
            taken = max(rest.rfind(" ", 0, max(free, 0) + 1), 0)
            if not taken and not lines[-1]:  # no groups: parts that are about as long
                taken = -(-len(rest) // -(-len(rest) // free))
            if taken:
                lines[-1].append(stretch._replace(text=rest[:taken]))
                stretch, rest = stretch._replace(label=_ON), rest[taken:].strip()
            lines.append([])
        lines[-1].append(stretch._replace(text=rest))
    return lines


def _draw_ruler_line(
    sketch: Sketch, strip: BitRuler, stretches: list[BitRun], area: Area, y: float
) -> float:
    """One line of a ruler, and the labels below it; returns the end."""
    pen, tint = sketch.pen, sketch.find_tint(strip.place)
    digits = _count_cells(stretches)
    size = min(13.0, int(area.width / (digits * _DIGIT + 0.1) * 10) / 10)
    x = area.center - digits * size * _DIGIT / 2
    labels = []
    for stretch in stretches:
        box = Area(x, (len(stretch.text) + 1) * size * _DIGIT)
        draw_bit_box(pen, box, y, 24, stretch.text, stretch.look, tint, size)
        if stretch.label:
            ink = SvgColour.MARK if stretch.look is SpanKind.LOST else SvgColour.DIM
            labels.append((box.center, stretch.label, ink))
        x = box.right
    more = pen.scale_size(9.5) - 9.5
    return y + 28 + more + 13 * _draw_labels(pen, area, y + 36 + more, labels, 9.5)


def draw_running_sum(sketch: Sketch, row: RowScene, figure: RunningSum, y: float) -> float:
    """A sum along a rail: from c through the lanes, what is added coming down to it."""
    pen, columns, rail = sketch.pen, sketch.columns, y + 26
    place = row.cells[0].place
    found = sketch.ports.get(figure.start.place)
    start = found.area.center if found else columns[0].x + 8
    last = columns[-1].center
    if found:
        pen.draw_flow((start, found.y), (start, rail), SvgColour.C, has_head=False)
    pen.draw_line(start, rail, last, rail, SvgColour.BAR, 3)
    pen.draw_dot(start, rail, SvgColour.C)
    for column, term in zip(columns, figure.terms, strict=True):
        _draw_term(sketch, term, column, y, rail)
        final = column is columns[-1]
        draw_text_inside(pen, column, rail + 24, term.total, 16 if final else 13,
               SvgColour.INK if final else SvgColour.DIM, is_bold=final)  # fmt: skip
    end = rail + 32
    sketch.set_port(place, columns[-1], end)
    return end


_LEFT_OUT = "left out"


def _draw_term(sketch: Sketch, term: Term, column: Area, y: float, rail: float) -> None:
    """A lane's summand on its way to the rail, or left out of it."""
    pen, x = sketch.pen, column.center
    port = sketch.ports.get(term.place)
    if port:
        pen.draw_flow(
            (x, port.y), (x, rail - 8), SvgColour.DIM, is_strong=term.added, has_head=term.added
        )
    room = Area(x + 10, column.right - x - 12)
    if not term.added:
        pen.draw_cross(x, rail - 12, SvgColour.MARK, 3.2)
        if measure_text(_LEFT_OUT, pen.least) <= room.width:
            pen.draw_text(room.x, y + 13, _LEFT_OUT, 10.5, SvgColour.DIM, width=room.width)
        pen.draw_dot(x, rail, SvgColour.BAR, is_hollow=True, size=4)
        return
    pen.draw_text(
        room.x,
        y + 13,
        term.text,
        13,
        SvgColour.INK,
        is_monospaced=True,
        is_bold=True,
        width=room.width,
    )
    pen.draw_dot(x, rail, SvgColour.INK, is_hollow=True, size=8)
    a, b, c, d, e, f = map(number, (x - 4, x + 4, x, rail, rail - 4, rail + 4))
    pen.draw_path(f"M{a} {d}L{b} {d}M{c} {e}L{c} {f}", SvgColour.INK, line=1.6)
