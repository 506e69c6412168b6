"""Axes, numbers to the bit, and running sums, each with what comes out of it.

A function gets the sketch, the row, its figure and the y at which it begins; it draws, notes
where lines go on, and returns the y at which it ends.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...engine.records import NamedTuple
from ...scene.scene_model import (
    Axis,
    Cell,
    Look,
    Point,
    RowScene,
    Running,
    Stretch,
    Strip,
    Strips,
    Term,
)
from .cell_shapes import cells, inside, plain, say
from .page_layout import Area, Sketch
from .svg_canvas import Pen, number
from .svg_colours import Ink
from .symbols import bits
from .text_fitting import text_width


class _Line(NamedTuple):
    """A number line: where it is drawn, and where its ends are."""

    area: Area
    y: float
    start: float
    stop: float

    def place(self, at: float) -> float:
        """Where a number stands; outside, far from the end for the eye, not by how far it lies."""
        room = (self.start - self.area.x) * 0.68
        if at < 0:
            return self.start - room
        if at > 1:
            return self.stop + room
        return self.start + (self.stop - self.start) * at


def axis(sketch: Sketch, row: RowScene, figure: Axis, y: float) -> float:
    """A number line a lane, or one for the numbers that are compared."""
    areas = sketch.areas(row)
    single = len(areas) == 1
    named = (any(point.names for point in figure.points) and single) or bool(figure.off)
    top = y + (26 if any(point.to for point in figure.points) else 14)
    ends = []
    for cell, area in zip(row.cells, areas, strict=True):
        points = [x for x in figure.points if single or x.place == cell.place]
        least = min(62, area.width * 0.3) if single else 0
        room = max(area.width * (0.16 if single else 0.22), least)
        line = _Line(area, top, area.x + room, area.right - room)
        _ends(sketch.pen, line, figure, points)
        if named:
            ends.append(_compared(sketch, row, line, figure, points))
        else:
            ends.extend(_moved(sketch, row, cell, line, point, y) for point in points)
    end = max(ends)
    if single and named:
        end = say(sketch, row, areas[0], end)
    return cells(sketch, row, end, framed=False)


def _ends(pen: Pen, line: _Line, figure: Axis, points: Iterable[Point]) -> None:
    """The range, its ends and their labels."""
    area, y = line.area, line.y
    pen.line(area.x + 2, y, area.right - 2, y, Ink.LINE, 1.2, "2 3")
    pen.rect(line.start, y - 3, line.stop - line.start, 6, Ink.BAR, None, radius=0)
    half = (line.stop - line.start) / 2
    for label, x, side in ((figure.low, line.start, -1), (figure.high, line.stop, 1)):
        if not label:
            tip, back = number(x + 6 * side), number(x - 2 * side)
            d = f"M{back} {number(y - 7)}L{tip} {number(y)}L{back} {number(y + 7)}"
            pen.path(d, Ink.BAR, line=1.6)
            continue
        pen.line(x, y - 7, x, y + 7, Ink.INK, 1.4)
        here = any(point.to == label for point in points)
        wide = text_width(label, pen.sized(10.5), mono=True)
        where = area.inside(x + side * min(0, half - wide / 2 - 3), wide)
        ink = Ink.INK if here else Ink.DIM
        pen.text(where, y + 19, label, 10.5, ink, anchor="middle", mono=True, bold=here)


def _moved(sketch: Sketch, row: RowScene, cell: Cell, line: _Line, point: Point, y: float) -> float:
    """A number on its line, and its way to the end where it lies outside."""
    pen, x, lane = sketch.pen, line.place(point.at), cell.place.lane
    if not point.to:
        sketch.link(row, lane, Area(x - 4, 8), line.y - 4)
        pen.dot(x, line.y, Ink.INK, size=4)
        return line.y + 24
    end = line.stop if point.at > 1 else line.start
    wide = text_width(point.text, pen.sized(12), mono=True)
    label = line.area.inside(x, wide)
    sketch.link(row, lane, Area(label - wide / 2, wide), y)
    pen.text(label, y + 11, point.text, 12, Ink.MARK, anchor="middle", mono=True, bold=True)
    high, tip = line.y - 12, line.y - 8
    a, b, c, d = map(number, (x, line.y - 4, end, high))
    pen.path(f"M{a} {b}C{a} {d} {c} {d} {c} {number(tip)}", Ink.MARK, line=1.5)
    pen.head(end, line.y - 4, Ink.MARK)
    pen.dot(x, line.y, Ink.MARK, hollow=True, size=4)
    pen.dot(end, line.y, Ink.MARK, size=4)
    return line.y + 24


def _compared(
    sketch: Sketch, row: RowScene, line: _Line, figure: Axis, points: list[Point]
) -> float:
    """Numbers at their places on one line, each with its name; what is NaN stands beside it."""
    pen, y = sketch.pen, line.y
    named = dict(zip((x.place for x in points), _spread(line, points), strict=True))
    labels = [(named[point.place], _named(point), Ink.INK) for point in points]
    off = [line.area.right - 14 - 18 * at for at in range(len(figure.off))][::-1]
    aside = iter(off)
    for link, port in sketch.ways(row, 0):
        x = named.get(link.source)
        x = next(aside, line.stop) if x is None else x
        sketch.draw(link, (port.area.center, port.y), (x, y - 6))
    for point in points:
        pen.dot(named[point.place], y, Ink.INK, size=4)
    for x in off:
        a, b, c, d, e, f = map(number, (x - 6, x, x + 6, y - 6, y, y + 6))
        pen.path(f"M{a} {e}L{b} {d}L{c} {e}L{b} {f}Z", Ink.MARK, Ink.MARK_SOFT, line=1.6)
    if off:
        names = " and ".join(dict.fromkeys(figure.off))
        labels.append((off[0], f"{names}: NaN, off the line", Ink.MARK))
    return y + 22 + 13 * _labels(pen, line.area, y + 34, labels)


_APART = 18.0
"""Two numbers that differ are seen to: so far apart are they at least."""


def _spread(line: _Line, points: list[Point]) -> list[float]:
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


def _named(point: Point) -> str:
    names = " ".join(dict.fromkeys(point.names))
    return point.text if names == point.text else f"{names} = {point.text}"


def _labels(
    pen: Pen, area: Area, y: float, labels: list[tuple[float, str, Ink]], size: float = 10.5
) -> int:
    """Labels below what they belong to, on as many lines as they need; returns how many."""
    size = pen.sized(size)
    ends: list[float] = []
    for x, text, ink in labels:
        wide = min(text_width(text, size), area.width)
        where = area.inside(x, wide)
        left = where - wide / 2
        at = next((at for at, end in enumerate(ends) if end + 4 <= left), len(ends))
        ends[at : at + 1] = [where + wide / 2]
        pen.text(where, y + 13 * at, text, size, ink, anchor="middle", width=area.width)
    return len(ends)


def strips(sketch: Sketch, row: RowScene, figure: Strips, y: float) -> float:
    """Numbers as rulers of bits in a box, and what comes out below them."""
    areas, pen = sketch.areas(row), sketch.pen
    under = len(pen.parts)
    ends, valued = [], False
    for cell, area in zip(row.cells, areas, strict=True):
        own = [x for x in figure.strips if len(areas) == 1 or x.place == cell.place]
        valued = any(span.look in (Look.VALUE, Look.CLAMPED) for span in cell.spans)
        end = y + 4
        for strip in own:
            end = ruler(sketch, strip, area.within(6), end, said=not valued)
        ends.append(end)
        sketch.link(row, cell.place.lane, area, y)
    end = max(ends) + 2
    if len(areas) == 1 and not valued and not row.written:
        end = say(sketch, row, areas[0].within(6), end - 6)
    end = cells(sketch, row, end, framed=False) + 6
    pen.below(under, areas, y, end - y)
    for cell, area in zip(row.cells, areas, strict=True):
        sketch.leave(cell.place, area, end)
    return end


def ruler(sketch: Sketch, strip: Strip, area: Area, y: float, *, said: bool) -> float:
    """A number to the bit: a box for each stretch, its label below it; returns the end."""
    pen = sketch.pen
    if strip.name:
        pen.text(area.x, y + 12, strip.name, 11, Ink.DIM, mono=True, bold=True,
                 width=area.width)  # fmt: skip
        y += 16
    shown = [x._replace(text=plain(x.text)) if x.text == plain(x.text) else
             x._replace(text=plain(x.text), label=f"{x.label}, hexadecimal")
             for x in strip.stretches]  # fmt: skip
    room = int(area.width / (pen.sized(_SMALL) * _DIGIT))
    for line in _folded(shown, room) if _cells(shown) > room else [shown]:
        y = _stretches(sketch, strip, line, area, y)
    for text in pen.wrapped(plain(strip.said), area.width, 11) if said else ():
        pen.text(area.center, y + 10, text, 11, Ink.INK, anchor="middle")
        y += 16
    return y


_DIGIT = 0.605
"""How wide a digit is, of its size."""
_ON = "goes on"
"""The label of what goes on from the line above."""
_SMALL = 9.5
"""The smallest digits of a ruler; one that is longer goes on below."""


def _cells(stretches: Iterable[Stretch]) -> int:
    """How many digits fit where stretches stand: each box has a margin."""
    return sum(len(stretch.text) + 1 for stretch in stretches)


def _folded(stretches: Iterable[Stretch], room: int) -> list[list[Stretch]]:
    """Stretches in lines of so many digits; one that no line holds is broken between groups."""
    lines: list[list[Stretch]] = [[]]
    for stretch in stretches:
        if lines[-1] and _cells([*lines[-1], stretch]) > room >= _cells([stretch]):
            lines.append([])
        rest = stretch.text
        while _cells([*lines[-1], stretch._replace(text=rest)]) > room:
            free = room - _cells(lines[-1]) - 1
            taken = max(rest.rfind(" ", 0, max(free, 0) + 1), 0)
            if not taken and not lines[-1]:  # no groups: parts that are about as long
                taken = -(-len(rest) // -(-len(rest) // free))
            if taken:
                lines[-1].append(stretch._replace(text=rest[:taken]))
                stretch, rest = stretch._replace(label=_ON), rest[taken:].strip()
            lines.append([])
        lines[-1].append(stretch._replace(text=rest))
    return lines


def _stretches(
    sketch: Sketch, strip: Strip, stretches: list[Stretch], area: Area, y: float
) -> float:
    """One line of a ruler, and the labels below it; returns the end."""
    pen, tint = sketch.pen, sketch.tint_of(strip.place)
    digits = _cells(stretches)
    size = min(13.0, int(area.width / (digits * _DIGIT + 0.1) * 10) / 10)
    x = area.center - digits * size * _DIGIT / 2
    labels = []
    for stretch in stretches:
        box = Area(x, (len(stretch.text) + 1) * size * _DIGIT)
        bits(pen, box, y, 24, stretch.text, stretch.look, tint, size)
        if stretch.label:
            ink = Ink.MARK if stretch.look is Look.LOST else Ink.DIM
            labels.append((box.center, stretch.label, ink))
        x = box.right
    more = pen.sized(9.5) - 9.5
    return y + 28 + more + 13 * _labels(pen, area, y + 36 + more, labels, 9.5)


def running(sketch: Sketch, row: RowScene, figure: Running, y: float) -> float:
    """A sum along a rail: from c through the lanes, what is added coming down to it."""
    pen, columns, rail = sketch.pen, sketch.columns, y + 26
    place = row.cells[0].place
    found = sketch.ports.get(figure.start.place)
    start = found.area.center if found else columns[0].x + 8
    last = columns[-1].center
    if found:
        pen.flow((start, found.y), (start, rail), Ink.C, head=False)
    pen.line(start, rail, last, rail, Ink.BAR, 3)
    pen.dot(start, rail, Ink.C)
    for column, term in zip(columns, figure.terms, strict=True):
        _term(sketch, term, column, y, rail)
        final = column is columns[-1]
        inside(pen, column, rail + 24, term.total, 16 if final else 13,
               Ink.INK if final else Ink.DIM, bold=final)  # fmt: skip
    end = rail + 32
    sketch.leave(place, columns[-1], end)
    return end


_LEFT_OUT = "left out"


def _term(sketch: Sketch, term: Term, column: Area, y: float, rail: float) -> None:
    """A lane's summand on its way to the rail, or left out of it."""
    pen, x = sketch.pen, column.center
    port = sketch.ports.get(term.place)
    if port:
        pen.flow((x, port.y), (x, rail - 8), Ink.DIM, strong=term.added, head=term.added)
    room = Area(x + 10, column.right - x - 12)
    if not term.added:
        pen.cross(x, rail - 12, Ink.MARK, 3.2)
        if text_width(_LEFT_OUT, pen.least) <= room.width:
            pen.text(room.x, y + 13, _LEFT_OUT, 10.5, Ink.DIM, width=room.width)
        pen.dot(x, rail, Ink.BAR, hollow=True, size=4)
        return
    pen.text(room.x, y + 13, term.text, 13, Ink.INK, mono=True, bold=True, width=room.width)
    pen.dot(x, rail, Ink.INK, hollow=True, size=8)
    a, b, c, d, e, f = map(number, (x - 4, x + 4, x, rail, rail - 4, rail + 4))
    pen.path(f"M{a} {d}L{b} {d}M{c} {e}L{c} {f}", Ink.INK, line=1.6)
