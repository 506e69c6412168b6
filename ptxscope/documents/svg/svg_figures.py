"""Number lines and their axes, bit rulers and running sums, each with its outcome.

A function takes the sketch, the row, its figure and the y of its top. It draws, records the starts
of lines, and returns the y of its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, NamedTuple

from ...engine.micro_operations.drawings import Tick
from ...scene.scene_model import (
    BitRuler,
    BitRulers,
    BitRun,
    LaneRef,
    NumberLine,
    Point,
    RowScene,
    RunningSum,
    SpanKind,
    Term,
)
from .cell_shapes import draw_cells, draw_sentence
from .page_layout import Area, Sketch
from .svg_canvas import SvgCanvas, format_length
from .svg_colours import SvgColour
from .symbols import draw_bit_box
from .text_styles import (
    DATUM,
    FORMULA,
    LABEL,
    MIN_LETTER_PX,
    MIN_SIZE,
    NAME,
    NOTE,
    SMALL,
    TAG,
    VALUE,
)


class PlacedAxis(NamedTuple):
    """The extent of an axis: x of its ends, or y of them."""

    start: float
    end: float

    @property
    def length(self) -> float:
        """The length in px; below 0 upwards."""
        return self.end - self.start

    def compute_place(self, position: Any) -> Any:
        """Return x or y of a position from 0 to 1, or of an array of positions."""
        return self.start + self.length * position


def draw_tick_text(
    canvas: SvgCanvas, tick: Tick, x: float, y: float, anchor: str = "middle",
    width: float | None = None,
) -> None:  # fmt: skip
    """Draw the text of a tick; the current value's is bold."""
    style, colour = (TAG, SvgColour.INK) if tick.is_current else (DATUM, None)
    canvas.draw_text(x, y, tick.text, style, colour, anchor=anchor, width=width)


class _PlacedNumberLine(NamedTuple):
    """A number line with its area and the positions of its ends."""

    area: Area
    y: float
    axis: PlacedAxis
    max_distance: float = inf
    """Maximum drawn distance in px from an end to a number outside."""

    def compute_x(self, position: float) -> float:
        """Return x of a number: to scale, but, outside, visibly far from the end."""
        if 0 <= position <= 1:
            return float(self.axis.compute_place(position))
        distance = min(max(self._measure_distance(position), _MIN_DISTANCE), self.max_distance)
        return self.axis.start - distance if position < 0 else self.axis.end + distance

    def is_cut(self, position: float) -> bool:
        """Whether the distance of a number from the range is drawn too short."""
        return not 0 <= position <= 1 and self._measure_distance(position) > self.max_distance

    def _measure_distance(self, position: float) -> float:
        return self.axis.length * (-position if position < 0 else position - 1)


_MIN_DISTANCE = 11.0
"""Minimum distance from an end of a range to a number outside, so that dots do not touch."""
_DOT_ROOM = 7.0
"""Between the dot of a number and the neighbours of the line."""
_MIN_RANGE = 0.36
"""Minimum part of the width for a range; longer distances are cut."""


def _place_number_line(
    area: Area, y: float, points: Sequence[Point], *, is_single: bool
) -> _PlacedNumberLine:
    """Return a line with all points of a step to one scale, or with cut distances."""
    min_room = min(62, area.width * 0.3) if is_single else 0
    room = max(area.width * (0.16 if is_single else 0.22), min_room)
    low = max((-point.position for point in points if point.position < 0), default=0.0)
    high = max((point.position - 1 for point in points if point.position > 1), default=0.0)
    usual_width, free_width = area.width - 2 * room, area.width - 2 * _DOT_ROOM
    width = min(usual_width, free_width / (1 + low + high))
    if width < area.width * _MIN_RANGE or not any(point.text for point in points):
        max_distance = room * 0.68
        return _PlacedNumberLine(
            area, y, PlacedAxis(area.x + room, area.right - room), max_distance
        )
    left_distance, right_distance = (
        max(excess * width, _MIN_DISTANCE) if excess else 0.0 for excess in (low, high)
    )
    start = area.center - width / 2
    start = min(
        max(start, area.x + _DOT_ROOM + left_distance),
        area.right - _DOT_ROOM - right_distance - width,
    )
    return _PlacedNumberLine(area, y, PlacedAxis(start, start + width))


def draw_number_lines(sketch: Sketch, row: RowScene, figure: NumberLine, y: float) -> float:
    """Draw a number line for each lane, or one for all compared numbers; return the end."""
    areas = sketch.get_areas(row)
    is_single, ends = len(areas) == 1, find_point_areas(figure, areas)
    has_names = (any(point.names for point in figure.points) and is_single) or bool(
        figure.nan_names
    )
    top = y + (26 if any(point.target for point in figure.points) else 14)
    bottoms = []
    for cell, area in zip(row.cells, areas, strict=True):
        points = [x for x in figure.points if is_single or x.place == cell.place]
        line = _place_number_line(area, top, figure.points, is_single=is_single)
        _draw_ends(sketch.canvas, line, figure, points)
        if has_names:
            bottoms.append(_draw_compared_numbers(sketch, row, line, figure, points))
        else:
            bottoms.extend(
                _draw_moved_number(sketch, row, line, point, ends[point.place], y)
                for point in points
            )
    end = max(bottoms)
    if is_single and has_names:
        end = draw_sentence(sketch, row, areas[0], end)
    return draw_cells(sketch, row, end, is_framed=False)


def find_point_areas(figure: NumberLine, areas: Sequence[Area]) -> dict[LaneRef, Area]:
    """Return the ends of the lines into the numbers of number lines: dots, or labels above."""
    ends = {}
    for point in figure.points:
        is_single = len(areas) == 1
        area = areas[0] if is_single else areas[len(areas) - 1 - point.place.lane]
        line = _place_number_line(area, 0, figure.points, is_single=is_single)
        x = line.compute_x(point.position)
        if point.target:
            width = NAME.measure(point.text)
            ends[point.place] = Area(area.clamp_center(x, width) - width / 2, width)
        else:
            ends[point.place] = Area(x - 4, 8)
    return ends


def _draw_ends(
    canvas: SvgCanvas, line: _PlacedNumberLine, figure: NumberLine, points: Iterable[Point]
) -> None:
    """Draw the range, its ends and their labels."""
    area, y = line.area, line.y
    canvas.draw_line(area.x + 2, y, area.right - 2, y, SvgColour.LINE, 1.2, "2 3")
    canvas.draw_rect(line.axis.start, y - 3, line.axis.length, 6, SvgColour.BAR, None, radius=0)
    half = line.axis.length / 2
    for label, x, side in ((figure.low, line.axis.start, -1), (figure.high, line.axis.end, 1)):
        if not label:
            tip, base = format_length(x + 6 * side), format_length(x - 2 * side)
            top, middle, bottom = map(format_length, (y - 7, y, y + 7))
            d = f"M{base} {top}L{tip} {middle}L{base} {bottom}"
            canvas.draw_path(d, SvgColour.BAR, line=1.6)
            continue
        canvas.draw_line(x, y - 7, x, y + 7, SvgColour.INK, 1.4)
        tick = Tick(label, (1 + side) / 2, any(point.target == label for point in points))
        width = TAG.measure(label)
        center = area.clamp_center(x + side * max(0, width / 2 + 3 - half), width)
        draw_tick_text(canvas, tick, center, y + 19)


def _draw_moved_number(
    sketch: Sketch, row: RowScene, line: _PlacedNumberLine, point: Point, label: Area, y: float
) -> float:
    """Draw a number on its line, with an arrow to the end if it is outside; return the end."""
    canvas, x, lane = sketch.canvas, line.compute_x(point.position), point.place.lane
    if not point.target:
        sketch.draw_links(row, lane, label, line.y - 4)
        canvas.draw_dot(x, line.y, SvgColour.INK, size=4)
        return line.y + 24
    end = line.axis.end if point.position > 1 else line.axis.start
    sketch.draw_links(row, lane, label, y)
    canvas.draw_text(label.center, y + 11, point.text, NAME, SvgColour.MARK, anchor="middle")
    arc_top, tip = line.y - 12, line.y - 8
    a, b, c, d = map(format_length, (x, line.y - 4, end, arc_top))
    canvas.draw_path(f"M{a} {b}C{a} {d} {c} {d} {c} {format_length(tip)}", SvgColour.MARK, line=1.5)
    canvas.draw_arrow_head(end, line.y - 4, SvgColour.MARK)
    canvas.draw_dot(x, line.y, SvgColour.MARK, is_hollow=True, size=4)
    canvas.draw_dot(end, line.y, SvgColour.MARK, size=4)
    if line.is_cut(point.position) and point.text:
        draw_break(canvas, (x + end) / 2, line.y, SvgColour.MARK)
    return line.y + 24


def draw_break(canvas: SvgCanvas, x: float, y: float, colour: SvgColour) -> None:
    """Draw the mark of a distance that is not to scale."""
    for cut_x in (x - 2, x + 2):
        canvas.draw_line(cut_x - 2, y + 5, cut_x + 2, y - 5, colour, 1.4)


def _draw_compared_numbers(
    sketch: Sketch, row: RowScene, line: _PlacedNumberLine, figure: NumberLine, points: list[Point]
) -> float:
    """Draw named numbers on one line, with NaN beside it; return the end."""
    canvas, y = sketch.canvas, line.y
    places = [line.compute_x(point.position) for point in points]
    spread = spread_points(points, places, line.axis)
    positions = dict(zip((x.place for x in points), spread, strict=True))
    labels = [
        (positions[point.place], " = ".join((*point.names, point.text)), SvgColour.INK)
        for point in points
    ]
    nan_positions = [line.area.right - 14 - 18 * index for index in range(len(figure.nan_names))][
        ::-1
    ]
    nan_iterator = iter(nan_positions)
    for link, port in sketch.find_incoming_links(row, 0):
        x = positions.get(link.source)
        x = next(nan_iterator, line.axis.end) if x is None else x
        sketch.draw_link(link, (port.area.center, port.y), (x, y - 6))
    if any(line.compute_x(x.position) != positions[x.place] for x in points):
        draw_break(canvas, sum(positions.values()) / 2, y, SvgColour.INK)
    for point in points:
        canvas.draw_dot(positions[point.place], y, SvgColour.INK, size=4)
    for x in nan_positions:
        a, b, c, d, e, f = map(format_length, (x - 6, x, x + 6, y - 6, y, y + 6))
        canvas.draw_path(
            f"M{a} {e}L{b} {d}L{c} {e}L{b} {f}Z", SvgColour.MARK, SvgColour.MARK_SOFT, line=1.6
        )
    if nan_positions:
        names = " and ".join(dict.fromkeys(figure.nan_names))
        labels.append((nan_positions[0], f"{names}: NaN, off the line", SvgColour.MARK))
    return y + 22 + 13 * _draw_labels(canvas, line.area, y + 34, labels)


_MIN_POINT_GAP = 18.0
"""Minimum distance in px between different numbers."""


def spread_points(
    points: Sequence[Point], places: list[float], axis: PlacedAxis, gap: float = _MIN_POINT_GAP
) -> list[float]:
    """Return the places of numbers on an axis; separate two that almost coincide."""
    if len(points) != 2 or points[0].position == points[1].position:
        return places
    low, high = sorted(places)
    if high - low >= gap:
        return places
    start, end = sorted(axis)
    middle = min(max((low + high) / 2, start + gap / 2), end - gap / 2)
    spread = [middle - gap / 2, middle + gap / 2]
    is_forward = (points[0].position < points[1].position) == (axis.length > 0)
    return spread if is_forward else spread[::-1]


def _draw_labels(
    canvas: SvgCanvas, area: Area, y: float, labels: list[tuple[float, str, SvgColour]]
) -> int:
    """Draw labels below their subjects; return the number of lines."""
    end_positions: list[float] = []
    for x, text, colour in labels:
        width = min(SMALL.measure(text), area.width)
        center = area.clamp_center(x, width)
        left = center - width / 2
        line = next(
            (line for line, end in enumerate(end_positions) if end + 4 <= left), len(end_positions)
        )
        end_positions[line : line + 1] = [center + width / 2]
        canvas.draw_text(
            center, y + 13 * line, text, SMALL, colour, anchor="middle", width=area.width
        )
    return len(end_positions)


def draw_bit_rulers(sketch: Sketch, row: RowScene, figure: BitRulers, y: float) -> float:
    """Draw numbers as bit rulers in a box, with their outcome below; return the end."""
    areas, canvas = sketch.get_areas(row), sketch.canvas
    parts_start = len(canvas.parts)
    bottoms, has_value = [], False
    for cell, area in zip(row.cells, areas, strict=True):
        own_rulers = [x for x in figure.rulers if len(areas) == 1 or x.place == cell.place]
        has_value = any(span.kind in (SpanKind.VALUE, SpanKind.CLAMPED) for span in cell.spans)
        end = y + 4
        for ruler in own_rulers:
            end = draw_bit_ruler(sketch, ruler, area.shrink(6), end, with_value=not has_value)
        bottoms.append(end)
        sketch.draw_links(row, cell.place.lane, area, y)
    end = max(bottoms) + 2
    if len(areas) == 1 and not has_value and not row.destination_name:
        end = draw_sentence(sketch, row, areas[0].shrink(6), end - 6)
    end = draw_cells(sketch, row, end, is_framed=False) + 6
    canvas.draw_below(parts_start, areas, y, end - y)
    for cell, area in zip(row.cells, areas, strict=True):
        sketch.set_port(cell.place, area, end)
    return end


def draw_bit_ruler(
    sketch: Sketch, ruler: BitRuler, area: Area, y: float, *, with_value: bool
) -> float:
    """Draw a number bit by bit: a box for each run, with its label below; return the end."""
    canvas = sketch.canvas
    if ruler.name:
        canvas.draw_text(area.x, y + 12, ruler.name, TAG, width=area.width)
        y += 18
    runs = list(ruler.runs)
    room = int(area.width / (MIN_SIZE * _DIGIT))
    for line in fold_runs(runs, room) if _count_cells(runs) > room else [runs]:
        y = _draw_ruler_line(sketch, ruler, line, area, y)
    for text in NOTE.wrap(ruler.summary, area.width) if with_value else ():
        canvas.draw_text(area.center, y + 10, text, NOTE, SvgColour.INK, anchor="middle")
        y += 16
    return y


_DIGIT = 0.605
"""Width of a digit in em."""
CONTINUATION = "goes on"
"""Label of a run that continues from the line above."""


def _count_cells(runs: Iterable[BitRun]) -> int:
    """Return the width of runs in digits, including margins."""
    return sum(len(run.text) + 1 for run in runs)


def fold_runs(runs: Iterable[BitRun], room: int) -> list[list[BitRun]]:
    """Fold runs into lines of ``room`` digits; longer runs are broken between groups."""
    lines: list[list[BitRun]] = [[]]
    for run in runs:
        if lines[-1] and _count_cells([*lines[-1], run]) > room >= _count_cells([run]):
            lines.append([])
        remaining_text = run.text
        while _count_cells([*lines[-1], run._replace(text=remaining_text)]) > room:
            free_digits = room - _count_cells(lines[-1]) - 1
            length = max(remaining_text.rfind(" ", 0, max(free_digits, 0) + 1), 0)
            if not length and not lines[-1]:  # without groups, the parts are about equally long
                length = -(-len(remaining_text) // -(-len(remaining_text) // free_digits))
            if length:
                lines[-1].append(run._replace(text=remaining_text[:length]))
                run, remaining_text = (
                    run._replace(label=CONTINUATION),
                    remaining_text[length:].strip(),
                )
            lines.append([])
        lines[-1].append(run._replace(text=remaining_text))
    return lines


def _draw_ruler_line(
    sketch: Sketch, ruler: BitRuler, runs: list[BitRun], area: Area, y: float
) -> float:
    """Draw one line of a ruler, and the labels below it; return the end."""
    canvas, tint = sketch.canvas, sketch.find_tint(ruler.place)
    digits = _count_cells(runs)
    size = min(LABEL.size, int(area.width / (digits * _DIGIT + 0.1) * 10) / 10)
    x = area.center - digits * size * _DIGIT / 2
    labels = []
    for run in runs:
        box = Area(x, (len(run.text) + 1) * size * _DIGIT)
        draw_bit_box(canvas, box, y, 24, run.text, run.kind, run.tint or tint, size)
        if run.label:
            colour = SvgColour.MARK if run.kind is SpanKind.LOST else SvgColour.DIM
            labels.append((box.center, run.label, colour))
        x = box.right
    return y + 28.5 + 13 * _draw_labels(canvas, area, y + 36.5, labels)


def draw_running_sum(sketch: Sketch, row: RowScene, figure: RunningSum, y: float) -> float:
    """Draw a sum along a rail, from c through the lanes, with summands above; return the end."""
    canvas, columns, rail = sketch.canvas, sketch.columns, y + 26
    place = row.cells[0].place
    port = sketch.ports.get(figure.start.place)
    start = port.area.center if port else columns[0].x + 8
    last = columns[-1].center
    if port:
        canvas.draw_flow((start, port.y), (start, rail), SvgColour.C, has_head=False)
    canvas.draw_line(start, rail, last, rail, SvgColour.BAR, 3)
    canvas.draw_dot(start, rail, SvgColour.C)
    for column, term in zip(columns, figure.terms, strict=True):
        _draw_term(sketch, term, column, y, rail)
        is_final = column is columns[-1]
        canvas.draw_centered(column, rail + 24, term.total, VALUE if is_final else FORMULA)
    end = rail + 32
    sketch.set_port(place, columns[-1], end)
    return end


_OMITTED = "left out"


def _draw_term(sketch: Sketch, term: Term, column: Area, y: float, rail: float) -> None:
    """Draw the summand of a lane on its way to the rail, or omitted."""
    canvas, x = sketch.canvas, column.center
    port = sketch.ports.get(term.place)
    if port:
        canvas.draw_flow(
            (x, port.y),
            (x, rail - 8),
            SvgColour.DIM,
            is_strong=term.is_added,
            has_head=term.is_added,
        )
    end = column.right - 2
    is_narrow = LABEL.with_size(MIN_LETTER_PX).measure(term.text) > end - x - 10
    start = x + (6 if is_narrow else 10)
    room = Area(start, end - start)
    if not term.is_added:
        canvas.draw_cross(x, rail - 12, SvgColour.DIM, 3.2)
        if SMALL.measure(_OMITTED) <= room.width:
            canvas.draw_text(room.x, y + 13, _OMITTED, SMALL, width=room.width)
        canvas.draw_dot(x, rail, SvgColour.BAR, is_hollow=True, size=4)
        return
    canvas.draw_text(room.x, y + 13, term.text, LABEL, width=room.width)
    canvas.draw_dot(x, rail, SvgColour.INK, is_hollow=True, size=8)
    a, b, c, d, e, f = map(format_length, (x - 4, x + 4, x, rail, rail - 4, rail + 4))
    canvas.draw_path(f"M{a} {d}L{b} {d}M{c} {e}L{c} {f}", SvgColour.INK, line=1.6)
