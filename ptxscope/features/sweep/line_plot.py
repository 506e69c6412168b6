"""The plot of a line sweep: a step line, with clamps, wraps and deviations marked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...documents.svg.page_layout import EDGE, WIDTH, Area
from ...documents.svg.svg_canvas import SvgCanvas, format_length
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.svg_figures import PlacedAxis
from ...documents.svg.text_styles import LABEL, NOTE
from .axis import iter_landmarks
from .computation import Bits, Mask, Sweep
from .plot_ticks import draw_x_label, draw_x_ticks, draw_y_ticks
from .sweep_words import describe_event, find_interval_ends, find_true_intervals
from .tick_choice import choose_ticks

_HIGH = 300.0
_ABOVE = 14.0
"""Height in px of a line of labels above the plot."""
_PLOT = Area(118, WIDTH - 118 - EDGE)
_X_AXIS = PlacedAxis(_PLOT.x, _PLOT.right)
_MAX_STEPS = 1 << 10
"""Largest number of values drawn as steps; more are drawn as their extent in each px."""
_MAX_LABELLED_STRETCHES = 8
"""Largest number of stretches of one kind that all get labels, above the plot and along x."""
_MAX_MARKED_STRETCHES = 400
"""Largest number of stretches of one kind that are marked one by one."""


class PlotLineStyle(NamedTuple):
    """The style of a part of the line."""

    ink: SvgColour
    width: float
    dash: str = ""


PLAIN = PlotLineStyle(SvgColour.A, 1.8)
CLAMPED = PlotLineStyle(SvgColour.MARK, 4)
WRAPPED = PlotLineStyle(SvgColour.C, 2.2)
OTHER = PlotLineStyle(SvgColour.B, 2, "2 3")


class Plot:
    """The positions of the values of a sweep on the page."""

    def __init__(self, sweep: Sweep, top: float) -> None:
        self.sweep = sweep
        self.top = top

    @property
    def bottom(self) -> float:
        """Lower edge in px."""
        return self.top + _HIGH

    def list_starts(self) -> npt.NDArray[np.float64]:
        """Return x of the start of each value, and of the end of the last one."""
        axis = self.sweep.x
        starts = np.append(axis.compute_start(np.asarray(axis.ranks)), 1)
        return np.asarray(_X_AXIS.compute_place(starts))

    @property
    def y_axis(self) -> PlacedAxis:
        """The axis of the results, upwards."""
        return PlacedAxis(self.bottom, self.top)

    def compute_height(self, ranks: Any) -> Any:
        """Return y of a result, or of each of an array."""
        return self.y_axis.compute_place(self.sweep.result_axis.compute_part(ranks))


def draw(canvas: SvgCanvas, sweep: Sweep, y: float) -> float:
    """Draw the plot; return its end."""
    labels = list(_draw_labels(sweep, Plot(sweep, y).list_starts()))
    plot = Plot(sweep, y + 34 + _ABOVE * max((x.line for x in labels), default=0))
    canvas.open_group("px-sweep")
    canvas.draw_text(EDGE, y + 14, sweep.result_part.label, LABEL)
    canvas.draw_box(_PLOT, plot.top - 8, _HIGH + 16, SvgColour.PAGE, SvgColour.LINE, radius=0)
    _draw_grounds(canvas, plot)
    for label in labels:
        canvas.draw_text(
            label.middle, plot.top - 14 - _ABOVE * label.line, label.text, NOTE, anchor="middle"
        )
    _draw_ends(canvas, plot)
    _draw_values(canvas, plot)
    y = _draw_axis(canvas, plot)
    canvas.close_group()
    return y


def _draw_grounds(canvas: SvgCanvas, plot: Plot) -> None:
    """Draw the background: shades where the line is clamped or wrapped, hatches at deviations."""
    sweep, starts = plot.sweep, plot.list_starts()
    top, height = plot.top - 8, _HIGH + 16
    for mask, colour in ((sweep.clamped, SvgColour.MARK_SOFT), (sweep.wrapped, SvgColour.SOFT)):
        for x, end in _iter_columns(mask, starts):
            canvas.draw_rect(x, top, max(end - x, 0.6), height, colour, None, radius=0)
    for x, end in _iter_columns(sweep.divergence_mask, starts):
        canvas.draw_hatch(x, top, max(end - x, 1.5), height, SvgColour.BAR)


def _iter_columns(mask: Mask, starts: npt.NDArray[np.float64]) -> Iterator[tuple[float, float]]:
    """Yield the extents of a mask along x; stretches too close to distinguish are merged."""
    firsts, lasts = find_interval_ends(mask)
    if len(firsts) <= _MAX_MARKED_STRETCHES:
        yield from zip(starts[firsts].tolist(), starts[lasts + 1].tolist(), strict=True)
        return
    columns = np.zeros(int(_PLOT.width), np.bool_)
    columns[np.minimum(starts[:-1][mask] - _PLOT.x, _PLOT.width - 1).astype(np.int64)] = True
    for first, last in find_true_intervals(columns):
        yield _PLOT.x + first, _PLOT.x + last + 1


class _LineLabel(NamedTuple):
    """The event of a stretch, above it."""

    text: str
    middle: float
    line: int
    """Line of labels, counted from the plot upwards."""


def _draw_labels(sweep: Sweep, starts: npt.NDArray[np.float64]) -> Iterator[_LineLabel]:
    """Yield the events of each stretch with enough room; a few clamped stretches always get one."""
    used_extents: list[tuple[int, float, float]] = []
    for event in sweep.events:
        text = describe_event(event, sweep.result_part)
        width = NOTE.measure(text) + 10
        runs = list(find_true_intervals(event.mask, _MAX_MARKED_STRETCHES))
        is_always_labelled = event.bound is not None and len(runs) <= _MAX_LABELLED_STRETCHES
        for run in runs:
            x, end = float(starts[run.first]), float(starts[run.last + 1])
            middle = min(max((x + end) / 2, _PLOT.x + width / 2), _PLOT.right - width / 2)
            left, right = middle - width / 2, middle + width / 2
            used_lines = {line for line, a, b in used_extents if right > a and left < b}
            line = next(
                candidate for candidate in range(len(used_lines) + 1) if candidate not in used_lines
            )
            if is_always_labelled or (not line and end - x > min(width, 60)):
                used_extents.append((line, left, right))
                yield _LineLabel(text, middle, line)


def _draw_ends(canvas: SvgCanvas, plot: Plot) -> None:
    """Draw the results beside the plot, and a dashed line at each bound that clamps."""
    sweep, lane, axis = plot.sweep, plot.sweep.result_part, plot.sweep.result_axis
    bounds = [lane.compute_rank(x.bound & lane.mask) for x in sweep.events if x.bound is not None]
    bounds = [rank for rank in bounds if axis.low <= rank <= axis.high]
    for rank in bounds:
        y = plot.compute_height(rank)
        canvas.draw_line(_PLOT.x, y, _PLOT.right, y, SvgColour.MARK, 1, "5 4")
    current_index, _ = sweep.current_point
    current_rank = None if current_index is None else int(sweep.ranks[current_index])
    ranks = [*bounds, *map(lane.compute_rank, iter_landmarks(lane))]
    draw_y_ticks(canvas, axis.list_ticks(current_rank, ranks), _PLOT.x, plot.y_axis)


def _draw_values(canvas: SvgCanvas, plot: Plot) -> None:
    """Draw the line, the other model's line below it, and the current point on top."""
    sweep = plot.sweep
    if sweep.other_ranks is not None:
        _draw_line(canvas, plot, sweep.other_ranks, sweep.divergence_mask, OTHER)
    plain_mask = ~sweep.clamped & ~sweep.wrapped
    _draw_line(canvas, plot, sweep.ranks, plain_mask, PLAIN)
    _draw_line(canvas, plot, sweep.ranks, sweep.wrapped & ~sweep.clamped, WRAPPED)
    _draw_line(canvas, plot, sweep.ranks, sweep.clamped, CLAMPED)
    current_index, _ = sweep.current_point
    if current_index is not None:
        starts = plot.list_starts()
        x = float(starts[current_index] + starts[current_index + 1]) / 2
        y = plot.compute_height(int(sweep.ranks[current_index]))
        canvas.draw_line(x, plot.bottom + 8, x, y, SvgColour.INK, 1, "2 3")
        canvas.draw_line(_PLOT.x, y, x, y, SvgColour.INK, 1, "2 3")
        canvas.draw_dot(x, y, SvgColour.INK, is_hollow=True, size=5)


def _draw_line(
    canvas: SvgCanvas, plot: Plot, places: Bits, mask: Mask, style: PlotLineStyle
) -> None:
    """Draw the parts of a line where a mask is true."""
    if not mask.any():
        return
    starts, heights = plot.list_starts(), plot.compute_height(places)
    if len(places) <= _MAX_STEPS:
        d = "".join(_iter_steps(starts, heights, mask))
    else:
        d = "".join(_iter_extents(starts, heights, mask))
    canvas.draw_path(d, style.ink, line=style.width, dash=style.dash)


def _iter_steps(
    starts: npt.NDArray[np.float64], heights: npt.NDArray[np.float64], mask: Mask
) -> Iterator[str]:
    """Yield a step for each value; a new subpath begins after a gap in the mask."""
    x, y = starts.tolist(), heights.tolist()
    for run in find_true_intervals(mask):
        yield f"M{format_length(x[run.first])} {format_length(y[run.first])}"
        for index in range(run.first, run.last + 1):
            if index > run.first and y[index] != y[index - 1]:
                yield f"V{format_length(y[index])}"
            yield f"H{format_length(x[index + 1])}"


def _iter_extents(
    starts: npt.NDArray[np.float64], heights: npt.NDArray[np.float64], mask: Mask
) -> Iterator[str]:
    """Yield the extent from the least to the greatest value in each px, connected if adjacent."""
    columns = np.minimum(starts[:-1] - _PLOT.x, _PLOT.width - 1).astype(np.int64)
    count = int(_PLOT.width)
    tops, bottoms = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(tops, columns[mask], heights[mask])
    np.maximum.at(bottoms, columns[mask], heights[mask])
    previous_column, y = -2, 0.0
    for column in np.flatnonzero(np.isfinite(tops)).tolist():
        ends = float(tops[column]), float(bottoms[column])
        x = _PLOT.x + column
        if column != previous_column + 1:
            y = ends[0]
            yield f"M{format_length(x)} {format_length(y)}"
        near_end, far_end = sorted(ends, key=lambda end: abs(end - y))
        yield "".join(
            f"V{format_length(end)}" for end in dict.fromkeys((near_end, far_end)) if end != y
        )
        yield f"H{format_length(x + 1)}"
        previous_column, y = column, far_end


def _draw_axis(canvas: SvgCanvas, plot: Plot) -> float:
    """Draw the values along x and the label; return the end."""
    y = plot.bottom + 8
    axis, (current_index, _) = plot.sweep.x, plot.sweep.current_point
    breaks = _find_breaks(plot.sweep)
    first_ticks = choose_ticks(
        axis.list_ticks(current_index, is_by_rank=True, breaks=breaks), _PLOT.width, 7.4
    )
    labelled = {tick.position for tick in first_ticks}
    indices = [*axis.iter_infinities(), *breaks]
    other_ticks = [
        tick for tick in axis.iter_ticks(indices, is_by_rank=True) if tick.position not in labelled
    ]
    room = Area(_PLOT.x - 20, _PLOT.width + 20)
    for line, ticks in enumerate((first_ticks, choose_ticks(other_ticks, _PLOT.width, 7.4))):
        y += 14 if line and ticks else 0
        draw_x_ticks(canvas, ticks, _X_AXIS, room, plot.bottom + 8, y + 19)
    draw_x_label(canvas, _PLOT.center, y + 38, plot.sweep.x.part.label)
    return y + 52


def _find_breaks(sweep: Sweep) -> list[int]:
    """Return the indices at which a clamped, wrapped or divergent stretch begins or ends."""
    indices: set[int] = set()
    for mask in sweep.masks.values():
        firsts, lasts = find_interval_ends(mask)
        if len(firsts) <= _MAX_LABELLED_STRETCHES:
            indices.update(firsts.tolist(), (lasts + 1).tolist())
    return sorted(indices - {0, sweep.x.size})
