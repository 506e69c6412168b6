"""Number lines of clamps: an axis in each lane's column, or one for all lanes.

All axes of a step have one scale. A value inside is a dot. A value outside is a circle at its
distance, with an arrow to the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from operator import add
from typing import NamedTuple

from ...engine.micro_operations.drawings import Tick
from ...scene.scene_model import NumberLine, Point
from ..base.pane import StyledLine, StyledText
from .lane_cells import join_columns, place_pieces, wrap_line
from .lane_highlights import PlaceMark

_MIN_LANE_COLUMNS = 14
"""Minimum columns of a lane for a separate axis."""
_MIN_AXIS_COLUMNS = 6
"""Minimum cells of an axis with its ends; arrows are shortened first."""
_ALIGNED_AXIS = 9
"""Minimum cells for axes that all begin at the same position of their columns."""
_MAX_AXIS_COLUMNS = 65
_SHORTENING = 4
"""Maximum cells that an axis loses to make room for all ticks."""
_MIN_ARROW_COLUMNS = 2
"""Minimum cells from a bound to a circle: the arrow's head and the circle."""
_BROKEN_WAY = 5
"""The same for an arrow too long to draw to scale."""
_GAP = 2
"""Blanks on either side of a tick's number."""

_MAX_LINE_COLUMNS = 49
"""Maximum columns of the line of a comparison."""
_MIN_LINE_COLUMNS = 5


class _Scale(NamedTuple):
    """The length of a step's axes, and the space before them."""

    cells: int
    """The cells of an axis with its ends."""
    lead: int | None = None
    """Cells before every axis; None if each axis has as many as its arrows need."""
    is_broken: bool = False
    """Whether some arrows are too long to draw to scale."""

    def find_cell(self, position: float) -> int:
        """Return the cell of a number, counted from the low end."""
        last = self.cells - 1
        if 0 <= position <= 1:
            return round(position * last)
        way = _BROKEN_WAY if self.is_cut(position) else _measure_way(position, self.cells)
        return -way if position < 0 else last + way

    def is_cut(self, position: float) -> bool:
        """Whether the arrow of a number is shorter than to scale."""
        return (
            self.is_broken
            and not 0 <= position <= 1
            and _measure_way(position, self.cells) > _BROKEN_WAY
        )

    def find_start(self, points: Sequence[Point]) -> int:
        """Return the first cell of the axis of some points."""
        if self.lead is not None:
            return self.lead
        return max(-min(self.find_cell(point.position) for point in points), 0)


def draw_number_line(axis: NumberLine, width: int, lanes: int) -> list[StyledLine]:
    """Return the axes of a clamp, or the line of a comparison."""
    if axis.nan_names or any(point.names for point in axis.points):
        return _draw_compared_words(axis, width)
    return draw_axis(axis, width, lanes)


def draw_axis(axis: NumberLine, width: int, lanes: int) -> list[StyledLine]:
    """Return the axes of a clamp with their numbers below."""
    lane_columns = width // lanes
    is_shared = lanes == 1 or lane_columns < _MIN_LANE_COLUMNS
    room = width if is_shared else lane_columns - 2
    groups = [axis.points] if is_shared else [(point,) for point in axis.points]
    scale, ticks = _choose_scale_and_ticks(axis, groups, room, is_shared=is_shared)
    axes = [_draw_axis(axis, points, ticks, scale, room) for points in groups]
    lines = [join_columns(line, width // len(groups)) for line in zip(*axes, strict=True)]
    if is_shared and lanes > 1:
        return [_draw_lane_numbers(axis, scale, width), *lines]
    return lines


def _measure_way(position: float, cells: int) -> int:
    """Return the cells from an end of an axis to a number outside."""
    return max(
        round((-position if position < 0 else position - 1) * (cells - 1)), _MIN_ARROW_COLUMNS
    )


def _choose_scale_and_ticks(
    axis: NumberLine, groups: Sequence[Sequence[Point]], room: int, *, is_shared: bool
) -> tuple[_Scale, Sequence[Tick]]:
    """Return the longest axis and its ticks, or a slightly shorter one with all ticks.

    Therefore more room never removes ticks, despite rounding.
    """
    longest = _choose_scale(axis.points, room, _MAX_AXIS_COLUMNS, is_shared=is_shared)
    scales = [longest] + [
        _choose_scale(axis.points, room, longest.cells - cell_count, is_shared=is_shared)
        for cell_count in range(1, _SHORTENING + 1)
        if longest.cells - cell_count >= _ALIGNED_AXIS
    ]
    choices = [
        (scale, _choose_ticks(axis, scale, set(map(scale.find_start, groups)), room))
        for scale in scales
        if scale.is_broken == longest.is_broken
    ]
    return next((x for x in choices if len(x[1]) == len(axis.ticks)), choices[0])


def _choose_scale(
    points: Sequence[Point], room: int, most_cells: int, *, is_shared: bool
) -> _Scale:
    """Return the longest axis that leaves room for all arrows, on a shared axis or one each."""
    low, high = min(point.position for point in points), max(point.position for point in points)
    maximum = min(room - _GAP, most_cells)

    def find_largest(measure: Callable[[int, int], int], minimum: int) -> int:
        for cells in range(maximum, minimum - 1, -1):
            cells_before = _measure_way(low, cells) if low < 0 else 0
            cells_after = _measure_way(high, cells) if high > 1 else 0
            if cells + measure(cells_before, cells_after) <= room:
                return cells
        return 0

    if cells := find_largest(add, _MIN_AXIS_COLUMNS if is_shared else _ALIGNED_AXIS):
        return _Scale(cells, _measure_way(low, cells) if low < 0 else 0)
    if not is_shared and (cells := find_largest(max, _MIN_AXIS_COLUMNS)):
        return _Scale(cells)
    cells_before, cells_after = _BROKEN_WAY * (low < 0), _BROKEN_WAY * (high > 1)
    total_cells = cells_before + cells_after if is_shared else max(cells_before, cells_after)
    cells = min(room - total_cells, most_cells)
    return _Scale(cells, cells_before if is_shared else None, is_broken=True)


def _place_ends(axis: NumberLine, start: int, scale: _Scale, room: int) -> list[tuple[int, str]]:
    """Return the numbers of an axis's ends, each below its end."""
    low, high = axis.low or "-∞", axis.high or "∞"
    cells_after = max(start + scale.cells - 1 - len(high) // 2, len(low) + 1)
    cells_after = min(cells_after, room - len(high))
    cells_before = min(start - len(low) // 2, cells_after - len(low) - 1)
    return [(max(cells_before, 0), low), (cells_after, high)]


def _choose_ticks(axis: NumberLine, scale: _Scale, starts: set[int], room: int) -> Sequence[Tick]:
    """Return the ticks with numbers that fit on every axis of a step: all, the first, or none."""

    def is_fitting(ticks: Sequence[Tick], start: int) -> bool:
        numbers = _place_ends(axis, start, scale, room)
        numbers += [(start + scale.find_cell(x.position) - len(x.text) // 2, x.text) for x in ticks]
        numbers.sort()
        return all(
            position + len(text) + _GAP <= cells_after
            for (position, text), (cells_after, _) in pairwise(numbers)
        )

    candidates = (axis.ticks, axis.ticks[:1])
    return next((ticks for ticks in candidates if all(is_fitting(ticks, x) for x in starts)), ())


def _draw_axis(
    axis: NumberLine, points: Sequence[Point], ticks: Sequence[Tick], scale: _Scale, room: int
) -> list[StyledLine]:
    """Return an axis with its points, and the numbers of its ends and ticks below."""
    start = scale.find_start(points)
    end = start + scale.cells - 1
    mark = PlaceMark(points[0].place) if len(points) == 1 else None
    line = {x: StyledText("─", "quiet", mark) for x in range(start, end)}
    line[start] = StyledText("├" if axis.low else "╌", "quiet", mark)
    line[end] = StyledText("┤" if axis.high else "╌", "quiet", mark)
    targets = {point.target for point in points}
    numbers = {
        position: StyledText(text, "strong" if text in targets else "quiet", mark)
        for position, text in _place_ends(axis, start, scale, room)
    }
    for tick in ticks:
        cell = start + scale.find_cell(tick.position)
        line[cell] = StyledText("┼", "quiet", mark)
        numbers[cell - len(tick.text) // 2] = StyledText(tick.text, "quiet", mark)
    for point in sorted(points, key=lambda point: -abs(point.position - 0.5)):  # the longest below
        line |= _draw_point(point, start, scale)
    if len(axis.low or "-∞") + len(axis.high or "∞") >= room:
        return [place_pieces(line), *(place_pieces({x: text}) for x, text in numbers.items())]
    return [place_pieces(line), place_pieces(numbers)]


def _draw_point(point: Point, start: int, scale: _Scale) -> Mapping[int, StyledText]:
    """Return a dot, or a circle outside with its arrow to the bound, by cells."""
    mark = PlaceMark(point.place)
    cell = start + scale.find_cell(point.position)
    if 0 <= point.position <= 1:
        return {cell: StyledText("●", "strong", mark)}
    pieces = {cell: StyledText("○", "surprise", mark)}
    is_high = point.position > 1
    bound = start + (scale.cells - 1 if is_high else 0)
    step = -1 if is_high else 1
    path_cells = list(range(cell + step, bound, step))
    pieces |= dict.fromkeys(path_cells, StyledText("╌", "surprise", mark))
    if scale.is_cut(point.position):
        pieces[path_cells[len(path_cells) // 2]] = StyledText("╱", "surprise", mark)
    pieces[path_cells[-1]] = StyledText("◂" if is_high else "▸", "surprise", mark)
    pieces[bound] = StyledText("●", "surprise", mark)
    return pieces


def _draw_lane_numbers(axis: NumberLine, scale: _Scale, width: int) -> StyledLine:
    """Return the lane numbers above a shared axis, over their marks."""
    start = scale.find_start(axis.points)
    pieces: dict[int, StyledText] = {}
    next_free = 0
    last = width - 2 * len(axis.points) + 1  # each number needs two cells, the last one needs one
    for point in sorted(axis.points, key=lambda point: point.position):
        x = min(max(start + scale.find_cell(point.position), next_free), last)
        pieces[x] = StyledText(str(point.place.lane), "quiet", PlaceMark(point.place))
        next_free, last = x + 2, last + 2
    return place_pieces(pieces)


# --- comparisons ------------------------------------------------------------


def _draw_compared_words(axis: NumberLine, width: int) -> list[StyledLine]:
    """Return the operands of a comparison on one line, including any off the line."""
    beside = width - len(axis.low) - len(axis.high) - 4
    is_side_by_side = beside >= _MIN_LINE_COLUMNS
    inner = min(beside if is_side_by_side else width - 2, _MAX_LINE_COLUMNS)
    start = len(axis.low) + 1 if is_side_by_side else 0
    columns = _compute_columns(axis.points, inner)
    pairs = sorted(zip(columns, axis.points, strict=True), key=lambda pair: pair[0])
    names = [(start + 1 + column, _make_point_name(point)) for column, point in pairs]
    below = _place_names(names, width)
    places = sorted({*columns})
    shapes = [_SHAPES[places.index(x) if below is None else 0] for x, _ in pairs]
    pieces = {x: StyledText("─", "quiet") for x in range(inner)}
    pieces |= {-1: StyledText("├", "quiet"), inner: StyledText("┤", "quiet")}
    for shape, (x, point) in zip(shapes, pairs, strict=True):
        pieces[x] = StyledText(shape, "strong", PlaceMark(point.place))
    line = place_pieces({x + 1: piece for x, piece in pieces.items()})
    low, high = StyledText(axis.low, "strong"), StyledText(axis.high, "strong")
    if is_side_by_side:
        lines = [[low, StyledText(" "), *line, StyledText(" "), high]]
    else:
        lines = [line, *wrap_line([low, StyledText("  ╌  ", "quiet"), high], width)]
    lines += (
        _list_names(zip(shapes, [x for _, x in names], strict=True), width)
        if below is None
        else below
    )
    if axis.nan_names:
        are = "are" if len(axis.nan_names) > 1 else "is"
        text = f"◆ {' and '.join(axis.nan_names)} {are} NaN: off the line, unordered"
        lines += wrap_line([StyledText(text, "surprise")], width, 2)
    return lines


def _compute_columns(points: Sequence[Point], inner: int) -> list[int]:
    """Return the columns of numbers on a line; different numbers have different columns."""
    columns = [round(point.position * (inner - 1)) for point in points]
    if len(points) == 2 and columns[0] == columns[1] and points[0].position != points[1].position:
        upper = int(points[1].position > points[0].position)
        moved_index, offset = (upper, 1) if columns[0] + 1 < inner else (1 - upper, -1)
        columns[moved_index] += offset
    return columns


_SHAPES = "●■"
"""Marks of two numbers, the lower one first; they differ if no names are below them."""


def _make_point_name(point: Point) -> StyledText:
    return StyledText(" ".join((*point.names, point.text)), "number", PlaceMark(point.place))


def _place_names(names: Iterable[tuple[int, StyledText]], width: int) -> list[StyledLine] | None:
    """Return names of numbers under their columns; None if they do not fit."""
    pieces: dict[int, StyledText] = {}
    next_column = 0
    for column, name in names:
        x = max(min(column - len(name.text) // 2, width - len(name.text)), 0)
        if x < next_column:
            return None
        pieces[x] = name
        next_column = x + len(name.text) + 1
    return [place_pieces(pieces)] if pieces else []


def _list_names(names: Iterable[tuple[str, StyledText]], width: int) -> list[StyledLine]:
    """Return names of numbers on a separate line, after their marks; equal numbers share one."""
    line: StyledLine = []
    previous_shape = ""
    for shape, name in names:
        mark = [StyledText(f"{shape} ", "strong")] * (shape != previous_shape)
        line += [StyledText("   "), *mark, name]
        previous_shape = shape
    return wrap_line(line[1:], width, 2)
