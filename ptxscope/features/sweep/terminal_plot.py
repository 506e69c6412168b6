"""Sweeps in the cells of a terminal: a line of dots or a map of shades, or their ASCII forms."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...engine.micro_operations.drawings import Tick
from .axis import NEARLY, SweepAxis, abbreviate_value
from .computation import Bits, Mask, Sweep
from .register_parts import RegisterPart
from .tick_choice import choose_ticks

_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Braille dots by row and column of a cell."""
RAMP = " .:-=+*#%@"
"""Shades without colours, the least first."""


class PlotCellKind(StrEnum):
    """The content of a cell."""

    EMPTY = "empty"
    PLAIN = "plain"
    CLAMPED = "clamped"
    WRAPPED = "wrapped"
    OTHER = "other"
    """The other answer."""
    STRIP = "strip"
    """A mark below the plot."""
    HERE = "here"
    AXIS = "axis"
    CURRENT = "current"
    """The current value beside an axis."""
    MAP = "map"


class PlotCell(NamedTuple):
    """A cell, or several adjacent ones of one kind."""

    text: str
    kind: PlotCellKind = PlotCellKind.EMPTY
    upper_shade: int = 0
    """Shade of the upper half of a cell of a map; `lower_shade` is that of the lower half."""
    lower_shade: int = 0


PlotLine = list[PlotCell]

_BARS = ("\u2502", "|")
"""Separators between the y values and the plot."""
STRIPS = {"clamped": "=", "wrapped": "%", "other": "x"}
"""Signs on the lines below a plot that mark stretches of each of ``Sweep.masks``."""


class PlotSize(NamedTuple):
    """The size of a plot in cells, and the characters allowed."""

    width: int
    height: int
    has_unicode: bool = True
    has_colours: bool = False


def draw_plot_lines(sweep: Sweep, size: PlotSize) -> list[PlotLine]:
    """Draw the plot or the map with its axes."""
    lines = _draw_map(sweep, size) if sweep.y else _draw_plot(sweep, size)
    if size.has_unicode:
        return lines
    return [[cell._replace(text=cell.text.replace(NEARLY, "~")) for cell in line] for line in lines]


def draw_axis_lines(
    axis: SweepAxis, current_index: int | None, result_part: RegisterPart, size: PlotSize
) -> list[PlotLine]:
    """Draw the axis of x below an empty plot: nothing is known of the results."""
    ends = (result_part.get_value_at(rank) for rank in (0, result_part.values - 1))
    margin = max(len(abbreviate_value(result_part, x)) for x in ends)
    width = max(size.width - margin - 1, 1)
    bar = [
        PlotCell(" " * margin, PlotCellKind.AXIS),
        PlotCell(_BARS[not size.has_unicode], PlotCellKind.AXIS),
    ]
    return [
        *([bar] * max(size.height - 2, 2)),
        _draw_rule(margin, width, size),
        _draw_ticks(axis, current_index, margin, width, is_by_rank=True),
    ]


def format_lines(lines: list[PlotLine]) -> str:
    """Format lines of cells as plain text."""
    return "\n".join("".join(cell.text for cell in line).rstrip() for line in lines)


def find_values_at(
    sweep: Sweep, lines: list[PlotLine], column: int, row: int
) -> tuple[int, int | None] | None:
    """Return the indices of x and y at a cell of the plot; None outside of it."""
    fields = [line for line in lines if len(line) > 2 and line[1].text in _BARS]
    if not 0 <= row < len(fields):
        return None
    start = len(fields[row][0].text) + 1
    width = sum(len(cell.text) for cell in fields[row][2:])
    if not start <= column < start + width:
        return None
    x_part, y_part = (column - start + 0.5) / width, 1 - (row + 0.5) / len(fields)
    if sweep.y:
        return int(x_part * sweep.x.size), int(y_part * sweep.y.size)
    rank = sweep.x.part.compute_rank(sweep.x.low) + int(x_part * sweep.x.span)
    return bisect_right(sweep.x.ranks, rank) - 1, None


# --- a line ------------------------------------------------------------------------------


def _draw_plot(sweep: Sweep, size: PlotSize) -> list[PlotLine]:
    rows = max(size.height - 2 - len(sweep.masks), 2)
    extent = sweep.result_axis[1:]
    ends = [abbreviate_value(sweep.result_part, sweep.result_part.get_value_at(x)) for x in extent]
    current_index = sweep.current_point[0]
    result = (
        abbreviate_value(sweep.result_part, int(sweep.bits[current_index]))
        if current_index is not None
        else ""
    )
    margin = min(max(map(len, (*ends, result))), max(size.width // 3, 1))
    width = max(size.width - margin - 1, 1)
    first, last = _split_columns(sweep.x, width)
    field = (
        _draw_braille(sweep, width, rows) if size.has_unicode else _draw_ascii(sweep, width, rows)
    )
    labels: dict[int, tuple[str, PlotCellKind]] = {}
    if current_index is not None:
        column = int(np.searchsorted(first, current_index, side="right")) - 1
        row = (
            rows
            - 1
            - _compute_levels(sweep, sweep.ranks[current_index : current_index + 1], rows)[0]
        )
        field[row][column] = PlotCell("\u25cf" if size.has_unicode else "@", PlotCellKind.HERE)
        labels[int(row)] = (result, PlotCellKind.CURRENT)
    end_rows = rows - 1 - _compute_levels(sweep, np.array(extent, np.uint64), rows)
    # the current value never hides them
    for label_row, text in zip(end_rows.tolist(), ends, strict=True):
        if labels.get(label_row, ("",))[0] != text:
            labels[label_row] = (text, PlotCellKind.AXIS)
    bar = _BARS[not size.has_unicode]
    lines: list[PlotLine] = []
    for row in range(rows):
        text, kind = labels.get(row, ("", PlotCellKind.AXIS))
        lines.append(
            [
                PlotCell(text[:margin].rjust(margin), kind),
                PlotCell(bar, PlotCellKind.AXIS),
                *field[row],
            ]
        )
    lines.append(_draw_rule(margin, width, size))
    lines.append(_draw_ticks(sweep.x, current_index, margin, width, is_by_rank=True))
    for name, mask in sweep.masks.items():
        cell = PlotCell(STRIPS[name], PlotCellKind.STRIP)
        row_ = [cell if x else PlotCell(" ") for x in _reduce_mask(mask, first, last).tolist()]
        lines.append([PlotCell(" " * (margin + 1), PlotCellKind.AXIS), *row_])
    return lines


def _split_columns(
    axis: SweepAxis, count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the indices of the first and the last value in each of `count` columns."""
    starts = axis.compute_start(np.asarray(axis.ranks))
    edges = np.arange(count + 1) / count
    first = np.searchsorted(starts, edges[:-1], side="right") - 1
    last = np.maximum(np.searchsorted(starts, edges[1:], side="left") - 1, first)
    return first, last


def _reduce_mask(mask: Mask, first: npt.NDArray[np.int64], last: npt.NDArray[np.int64]) -> Mask:
    """Return whether a mask is true for any value of each column."""
    counts = np.concatenate(([0], np.cumsum(mask)))
    return np.asarray(counts[last + 1] > counts[first])


def _compute_levels(sweep: Sweep, places: Bits, rows: int) -> npt.NDArray[np.int64]:
    """Return the level of each result in `rows` rows; 0 is the lowest."""
    axis = sweep.result_axis
    if axis.high == axis.low:
        return np.full(places.shape, rows // 2, np.int64)
    return np.asarray(np.rint(axis.compute_part(places) * (rows - 1)), np.int64)


def _iter_spans(
    sweep: Sweep, columns: int, rows: int
) -> Iterator[tuple[int, int, int, PlotCellKind]]:
    """Yield column, lowest row, highest row and kind of dots; the other answer comes first."""
    if sweep.other_ranks is not None:
        first, last = _split_columns(sweep.x, columns)
        deviations = _reduce_mask(sweep.divergence_mask, first, last).tolist()
        for span in _iter_answer_spans(sweep, sweep.other_ranks, columns, rows):
            if deviations[span[0]]:
                yield *span[:3], PlotCellKind.OTHER
    yield from _iter_answer_spans(sweep, sweep.ranks, columns, rows)


def _iter_answer_spans(
    sweep: Sweep, places: Bits, columns: int, rows: int
) -> Iterator[tuple[int, int, int, PlotCellKind]]:
    """Yield the columns of dots of one answer."""
    first, last = _split_columns(sweep.x, columns)
    levels = _compute_levels(sweep, places, rows)
    pairs = np.stack([first, last + 1], axis=1).reshape(-1)
    padded = np.append(levels, levels[-1:])
    low = np.minimum.reduceat(padded, pairs)[::2].tolist()
    high = np.maximum.reduceat(padded, pairs)[::2].tolist()
    clamped, wrapped = (
        _reduce_mask(mask, first, last).tolist() for mask in (sweep.clamped, sweep.wrapped)
    )
    previous: tuple[int, int, PlotCellKind] | None = None
    for column in range(columns):
        bottom, top = low[column], high[column]
        kind = PlotCellKind.CLAMPED if clamped[column] else PlotCellKind.PLAIN
        kind = PlotCellKind.WRAPPED if wrapped[column] and not clamped[column] else kind
        if previous and previous[2] is kind:  # one line, without gaps
            bottom, top = min(bottom, previous[1] + 1), max(top, previous[0] - 1)
            bottom, top = min(bottom, high[column]), max(top, low[column])
        previous = low[column], high[column], kind
        yield column, bottom, top, kind


def _draw_braille(sweep: Sweep, width: int, rows: int) -> list[PlotLine]:
    """Draw the line in Braille: two by four dots in a cell."""
    bits = [[0] * width for _ in range(rows)]
    kinds = [[PlotCellKind.EMPTY] * width for _ in range(rows)]
    for column, bottom, top, kind in _iter_spans(sweep, 2 * width, 4 * rows):
        for level in range(bottom, top + 1):
            row, dot = divmod(4 * rows - 1 - level, 4)
            bits[row][column // 2] |= _DOTS[dot][column % 2]
            kinds[row][column // 2] = kind
    return [
        [
            PlotCell(chr(_BRAILLE | dots) if dots else " ", kind)
            for dots, kind in zip(*row_pair, strict=True)
        ]
        for row_pair in zip(bits, kinds, strict=True)
    ]


def _draw_ascii(sweep: Sweep, width: int, rows: int) -> list[PlotLine]:
    """Draw the line in ASCII: one mark in a cell."""
    field = [[PlotCell(" ")] * width for _ in range(rows)]
    for column, bottom, top, kind in _iter_spans(sweep, width, rows):
        for level in range(bottom, top + 1):
            field[rows - 1 - level][column] = PlotCell("*" if bottom == top else "|", kind)
    return field


# --- a map -------------------------------------------------------------------------------


def _draw_map(sweep: Sweep, size: PlotSize) -> list[PlotLine]:
    axis = sweep.y
    assert axis
    halves = size.has_unicode and size.has_colours
    here_x, here_y = sweep.current_point
    shown_at = (0, axis.size - 1, *([] if here_y is None else [here_y]))
    names = [abbreviate_value(axis.part, axis.get_value(index)) for index in shown_at]
    margin = min(max(map(len, names)), max(size.width // 3, 1))
    width = max(min(size.width - margin - 1, sweep.x.size), 1)
    height = max(size.height - 2, 1)
    rows = min(height * (2 if halves else 1), axis.size)
    rows -= rows % 2 if halves and rows > 1 else 0
    columns, lines_of = (
        _choose_sampled_values(sweep.x.size, width, here_x),
        _choose_sampled_values(axis.size, rows, here_y),
    )
    shades = compute_shades(sweep)[np.ix_(lines_of, columns)].tolist()
    deviations = _reduce_map_mask(sweep.divergence_mask, rows, width).tolist()
    at_x = None if here_x is None else here_x * width // sweep.x.size
    at_y = None if here_y is None else here_y * rows // axis.size
    rows_per_line = 2 if halves and rows > 1 else 1
    labels = {0: names[1], -(-rows // rows_per_line) - 1: names[0]}
    current_row = None if at_y is None else (rows - 1 - at_y) // rows_per_line
    if current_row is not None:  # the current value never hides the ends
        labels.setdefault(current_row, names[2])
    bar = _BARS[not size.has_unicode]
    lines: list[PlotLine] = []
    for row in range(-(-rows // rows_per_line)):
        top = rows - 1 - row * rows_per_line
        low = top - rows_per_line + 1
        text = labels.get(row, "")
        kind = (
            PlotCellKind.CURRENT if row == current_row and text == names[2] else PlotCellKind.AXIS
        )
        line = [PlotCell(text[:margin].rjust(margin), kind), PlotCell(bar, PlotCellKind.AXIS)]
        for column, (upper, lower) in enumerate(zip(shades[top], shades[low], strict=True)):
            if row == current_row and column == at_x:
                line.append(
                    PlotCell("\u25cf" if size.has_unicode else "O", PlotCellKind.HERE, upper, lower)
                )
            elif deviations[top][column] or deviations[low][column]:
                line.append(PlotCell("\u2571" if halves else "x", PlotCellKind.OTHER, upper, lower))
            else:
                line.append(
                    PlotCell(_make_map_cell(upper, is_half=halves), PlotCellKind.MAP, upper, lower)
                )
        lines.append(line)
    lines.append(_draw_rule(margin, width, size))
    lines.append(_draw_ticks(sweep.x, here_x, margin, width, is_by_rank=False))
    return lines


def _make_map_cell(shade: int, *, is_half: bool) -> str:
    return "\u2580" if is_half else RAMP[shade * len(RAMP) // SHADES]


def _choose_sampled_values(size: int, count: int, current_index: int | None) -> list[int]:
    """Return an index for each cell: the middle one, or the current one."""
    indices = [min((2 * cell + 1) * size // (2 * count), size - 1) for cell in range(count)]
    if current_index is not None:
        indices[current_index * count // size] = current_index
    return indices


def _reduce_map_mask(mask: Mask, rows: int, columns: int) -> Mask:
    """Return whether a mask is true for any value of each cell."""
    reduced = np.zeros((rows, columns), np.bool_)
    where_y, where_x = np.nonzero(mask)
    reduced[where_y * rows // mask.shape[0], where_x * columns // mask.shape[1]] = True
    return reduced


# --- both --------------------------------------------------------------------------------


def _draw_rule(margin: int, width: int, size: PlotSize) -> PlotLine:
    corner, line = ("\u2514", "\u2500") if size.has_unicode else ("+", "-")
    return [
        PlotCell(" " * margin, PlotCellKind.AXIS),
        PlotCell(corner + line * width, PlotCellKind.AXIS),
    ]


def _draw_ticks(
    axis: SweepAxis, current_index: int | None, margin: int, width: int, *, is_by_rank: bool
) -> PlotLine:
    """Draw the values below a plot."""
    room: list[PlotCell] = [PlotCell(" ", PlotCellKind.AXIS)] * (margin + 1 + width)
    for tick in choose_ticks(axis.list_ticks(current_index, is_by_rank=is_by_rank), width, 1):
        start = _compute_start(tick, margin, width)
        kind = PlotCellKind.CURRENT if tick.is_current else PlotCellKind.AXIS
        for column, char in enumerate(tick.text[: len(room)], start):
            if 0 <= column < len(room):
                room[column] = PlotCell(char, kind)
    return room


def _compute_start(tick: Tick, margin: int, width: int) -> int:
    """Return the column of a label's first character."""
    middle = margin + 1 + int(tick.position * width)
    return max(min(middle - len(tick.text) // 2, margin + 1 + width - len(tick.text)), 0)


Colour = tuple[int, int, int]
_ANCHORS: tuple[Colour, ...] = (
    (16, 24, 56),
    (30, 66, 118),
    (38, 116, 140),
    (86, 164, 140),
    (176, 202, 110),
    (254, 240, 160),
)
SHADES = 256


def _mix_colours(low: Colour, high: Colour, part: float) -> Colour:
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
    return red, green, blue


def _make_ramp() -> tuple[Colour, ...]:
    stretch = (SHADES - 1) / (len(_ANCHORS) - 1)
    colours = []
    for shade in range(SHADES):
        index = min(int(shade / stretch), len(_ANCHORS) - 2)
        low, high = list(pairwise(_ANCHORS))[index]
        colours.append(_mix_colours(low, high, shade / stretch - index))
    return tuple(colours)


COLOUR_RAMP = _make_ramp()
"""Colour of each shade, the darkest first."""


def compute_shades(sweep: Sweep) -> npt.NDArray[np.uint8]:
    """Return the shade of each result, from 0 for the least to 255 for the greatest."""
    part = sweep.result_axis.compute_part(sweep.ranks)
    return np.asarray(np.rint(part * (SHADES - 1)), np.uint8)
