"""A sweep of one lane as a drawing: a line of steps, its plateaus, teeth and partings marked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ...engine.records import NamedTuple
from ...engine.semantics.micro_operation import Flag
from ...engine.semantics.micro_operations import Clamp
from ...sweep.computation import Bits, Mask, Sweep
from ...sweep.sweep_words import describe_event, find_interval_ends, find_true_intervals
from ..svg.page_layout import EDGE, WIDTH, Area
from ..svg.svg_canvas import SvgCanvas, number
from ..svg.svg_colours import SvgColour
from ..svg.text_fitting import measure_text
from .axis_ticks import (
    abbreviate_value,
    choose_ticks,
    iter_infinities,
    iter_landmarks,
    list_ticks,
    ticks_at,
)

_HIGH = 300.0
_ABOVE = 14.0
"""Height of a line of labels above the plot."""
_PLOT = Area(118, WIDTH - 118 - EDGE)
_MOST_STEPS = 1 << 10
"""Values that are drawn as steps; more of them as how far they reach in each px."""
_MOST_NAMED = 8
"""Stretches of one kind that are each named, above the plot and along x."""
_MOST_TEETH = 400
"""Stretches of one kind that are marked one by one."""


class PlotLineStyle(NamedTuple):
    """How a part of the line is drawn."""

    ink: SvgColour
    width: float
    dash: str = ""


PLAIN = PlotLineStyle(SvgColour.A, 1.8)
CLAMPED = PlotLineStyle(SvgColour.MARK, 4)
WRAPPED = PlotLineStyle(SvgColour.C, 2.2)
OTHER = PlotLineStyle(SvgColour.B, 2, "2 3")


class Plot:
    """Where the values of a sweep stand on the page."""

    def __init__(self, sweep: Sweep, top: float) -> None:
        self.sweep = sweep
        self.top = top
        axis = sweep.x
        self.low = axis.lane.compute_rank(axis.low)
        self.span = axis.lane.compute_rank(axis.high) - self.low + 1
        every = [
            sweep.places,
            *([_compute_other_ranks(sweep)] if sweep.divergence_mask.any() else []),
        ]
        self.least = min(int(x.min()) for x in every)
        self.most = max(int(x.max()) for x in every)

    @property
    def bottom(self) -> float:
        """Of the plot."""
        return self.top + _HIGH

    def list_starts(self) -> npt.NDArray[np.float64]:
        """Where each value begins, and where the last one ends."""
        places = (self.sweep.x.places - np.uint64(self.low)).astype(np.float64)
        return _PLOT.x + _PLOT.width * np.append(places, self.span) / self.span

    def compute_height(self, place: int) -> float:
        """At which y a result stands."""
        if self.most == self.least:
            return self.top + _HIGH / 2
        return self.bottom - _HIGH * (place - self.least) / (self.most - self.least)

    def compute_heights(self, places: Bits) -> npt.NDArray[np.float64]:
        """At which y results stand."""
        if self.most == self.least:
            return np.full(places.shape, self.top + _HIGH / 2)
        part = (places - np.uint64(self.least)).astype(np.float64) / (self.most - self.least)
        return self.bottom - _HIGH * part


def draw(pen: SvgCanvas, sweep: Sweep, y: float) -> float:
    """The plot; returns where it ends."""
    labels = list(_draw_labels(sweep, Plot(sweep, y).list_starts()))
    plot = Plot(sweep, y + 34 + _ABOVE * max((x.line for x in labels), default=0))
    pen.open("px-sweep")
    pen.draw_text(
        EDGE, y + 14, sweep.result_part.label, 13, SvgColour.INK, is_monospaced=True, is_bold=True
    )
    _draw_frame(pen, plot)
    _draw_grounds(pen, plot)
    for label in labels:
        pen.draw_text(
            label.middle,
            plot.top - 14 - _ABOVE * label.line,
            label.text,
            11,
            SvgColour.DIM,
            anchor="middle",
        )
    _draw_ends(pen, plot)
    _draw_values(pen, plot)
    y = _draw_axis(pen, plot)
    pen.close()
    return y


def _draw_frame(pen: SvgCanvas, plot: Plot) -> None:
    pen.draw_rect(
        _PLOT.x, plot.top - 8, _PLOT.width, _HIGH + 16, SvgColour.PAGE, SvgColour.LINE, radius=0
    )


def _draw_grounds(pen: SvgCanvas, plot: Plot) -> None:
    """Behind the line: where it is clamped or wrapped, and a hatch where answers part."""
    sweep, starts = plot.sweep, plot.list_starts()
    top, high = plot.top - 8, _HIGH + 16
    for mask, ink in ((sweep.clamped, SvgColour.MARK_SOFT), (sweep.wrapped, SvgColour.SOFT)):
        for x, end in _iter_columns(mask, starts):
            pen.draw_rect(x, top, max(end - x, 0.6), high, ink, None, radius=0)
    for x, end in _iter_columns(sweep.divergence_mask, starts):
        pen.draw_hatch(x, top, max(end - x, 1.5), high, SvgColour.BAR)


def _iter_columns(mask: Mask, starts: npt.NDArray[np.float64]) -> Iterator[tuple[float, float]]:
    """Where it holds along the page; stretches that can't be told apart are one."""
    firsts, lasts = find_interval_ends(mask)
    if len(firsts) <= _MOST_TEETH:
        yield from zip(starts[firsts].tolist(), starts[lasts + 1].tolist(), strict=True)
        return
    columns = np.zeros(int(_PLOT.width), np.bool_)
    columns[np.minimum(starts[:-1][mask] - _PLOT.x, _PLOT.width - 1).astype(np.int64)] = True
    for first, last in find_true_intervals(columns):
        yield _PLOT.x + first, _PLOT.x + last + 1


class _Label(NamedTuple):
    """What happens in a stretch, above it."""

    text: str
    middle: float
    line: int
    """Counted from the plot upwards."""


def _draw_labels(sweep: Sweep, starts: npt.NDArray[np.float64]) -> Iterator[_Label]:
    """What happens, for each stretch that has the room; a few that are clamped always have."""
    taken: list[tuple[int, float, float]] = []
    for event in sweep.events:
        said = describe_event(event, sweep.result_part)
        wide = measure_text(said, 11) + 10
        runs = list(find_true_intervals(event.where, _MOST_TEETH))
        always = isinstance(event.row.micro, Clamp) and len(runs) <= _MOST_NAMED
        for run in runs:
            x, end = float(starts[run.first]), float(starts[run.last + 1])
            middle = min(max((x + end) / 2, _PLOT.x + wide / 2), _PLOT.right - wide / 2)
            left, right = middle - wide / 2, middle + wide / 2
            beside = {line for line, a, b in taken if right > a and left < b}
            line = next(at for at in range(len(beside) + 1) if at not in beside)
            if always or (not line and end - x > min(wide, 60)):
                taken.append((line, left, right))
                yield _Label(said, middle, line)


def _draw_ends(pen: SvgCanvas, plot: Plot) -> None:
    """The results beside the plot, and a dashed line at each bound that clamps."""
    sweep = plot.sweep
    lane = sweep.result_part
    at = [plot.most, plot.least]
    for event in sweep.events:
        micro = event.row.micro
        if isinstance(micro, Clamp):
            bound = micro.high if event.flag is Flag.CLAMPED_HIGH else micro.low
            place = lane.compute_rank((bound or 0) & lane.mask)
            if plot.least <= place <= plot.most:
                y = plot.compute_height(place)
                pen.draw_line(_PLOT.x, y, _PLOT.right, y, SvgColour.MARK, 1, "5 4")
                at.append(place)
    at += [lane.compute_rank(bits) for bits in iter_landmarks(lane)]
    here, _ = sweep.current_point
    if here is not None:
        at.insert(0, int(sweep.places[here]))
    used: list[float] = []
    for number_, place in enumerate(dict.fromkeys(at)):
        y = plot.compute_height(place)
        inside = plot.least <= place <= plot.most
        if not inside or any(abs(y - other) < 14 for other in used):
            continue
        used.append(y)
        strong = number_ == 0 and here is not None
        text = abbreviate_value(lane, lane.get_value_at(place))
        pen.draw_line(_PLOT.x - 5, y, _PLOT.x, y, SvgColour.DIM)
        pen.draw_text(
            _PLOT.x - 9,
            y + 4,
            text,
            11.5,
            SvgColour.INK if strong else SvgColour.DIM,
            anchor="end",
            is_monospaced=True,
            is_bold=strong,
            width=_PLOT.x - 9 - 14,
        )


def _draw_values(pen: SvgCanvas, plot: Plot) -> None:
    """The line itself, the other answer under it, and the current point on it."""
    sweep = plot.sweep
    if sweep.divergence_mask.any():
        _draw_line(pen, plot, _compute_other_ranks(sweep), sweep.divergence_mask, OTHER)
    plain = ~sweep.clamped & ~sweep.wrapped
    _draw_line(pen, plot, sweep.places, plain, PLAIN)
    _draw_line(pen, plot, sweep.places, sweep.wrapped & ~sweep.clamped, WRAPPED)
    _draw_line(pen, plot, sweep.places, sweep.clamped, CLAMPED)
    here, _ = sweep.current_point
    if here is not None:
        starts = plot.list_starts()
        x = float(starts[here] + starts[here + 1]) / 2
        y = plot.compute_height(int(sweep.places[here]))
        pen.draw_line(x, plot.bottom + 8, x, y, SvgColour.INK, 1, "2 3")
        pen.draw_line(_PLOT.x, y, x, y, SvgColour.INK, 1, "2 3")
        pen.draw_dot(x, y, SvgColour.INK, is_hollow=True, size=5)


def _draw_line(pen: SvgCanvas, plot: Plot, places: Bits, mask: Mask, style: PlotLineStyle) -> None:
    """The parts of a line where a mask holds."""
    if not mask.any():
        return
    starts, heights = plot.list_starts(), plot.compute_heights(places)
    if len(places) <= _MOST_STEPS:
        d = "".join(_iter_steps(starts, heights, mask))
    else:
        d = "".join(_iter_extents(starts, heights, mask))
    pen.draw_path(d, style.ink, line=style.width, dash=style.dash)


def _iter_steps(
    starts: npt.NDArray[np.float64], heights: npt.NDArray[np.float64], mask: Mask
) -> Iterator[str]:
    """A step for each value; where the value before is drawn in another way, it begins anew."""
    x, y = starts.tolist(), heights.tolist()
    for run in find_true_intervals(mask):
        yield f"M{number(x[run.first])} {number(y[run.first])}"
        for at in range(run.first, run.last + 1):
            if at > run.first and y[at] != y[at - 1]:
                yield f"V{number(y[at])}"
            yield f"H{number(x[at + 1])}"


def _iter_extents(
    starts: npt.NDArray[np.float64], heights: npt.NDArray[np.float64], mask: Mask
) -> Iterator[str]:
    """From the least to the greatest in each px, as one line as long as there is one."""
    columns = np.minimum(starts[:-1] - _PLOT.x, _PLOT.width - 1).astype(np.int64)
    count = int(_PLOT.width)
    above, below = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(above, columns[mask], heights[mask])
    np.maximum.at(below, columns[mask], heights[mask])
    before, y = -2, 0.0
    for column in np.flatnonzero(np.isfinite(above)).tolist():
        ends = float(above[column]), float(below[column])
        x = _PLOT.x + column
        if column != before + 1:
            y = ends[0]
            yield f"M{number(x)} {number(y)}"
        near, far = sorted(ends, key=lambda end: abs(end - y))
        yield "".join(f"V{number(end)}" for end in dict.fromkeys((near, far)) if end != y)
        yield f"H{number(x + 1)}"
        before, y = column, far


def _draw_axis(pen: SvgCanvas, plot: Plot) -> float:
    """The values along x, and what it is; returns where they end."""
    y = plot.bottom + 8
    axis, (here, _) = plot.sweep.x, plot.sweep.current_point
    breaks = _breaks(plot.sweep)
    first = choose_ticks(list_ticks(axis, here, is_by_rank=True, breaks=breaks), _PLOT.width, 7.4)
    named = {tick.part for tick in first}
    second = [*iter_infinities(axis), *breaks]
    rest = [x for x in ticks_at(axis, second, by_place=True) if x.part not in named]
    for line, ticks in enumerate((first, choose_ticks(rest, _PLOT.width, 7.4))):
        y += 14 if line and ticks else 0
        for tick in ticks:
            x = _PLOT.x + _PLOT.width * tick.part
            pen.draw_line(x, plot.bottom + 8, x, plot.bottom + 13, SvgColour.DIM)
            wide = measure_text(tick.text, 11.5, is_monospaced=True)
            middle = min(max(x, _PLOT.x + wide / 2 - 20), _PLOT.right - wide / 2)
            pen.draw_text(
                middle,
                y + 19,
                tick.text,
                11.5,
                SvgColour.INK if tick.strong else SvgColour.DIM,
                anchor="middle",
                is_monospaced=True,
                is_bold=tick.strong,
            )
    pen.draw_text(_PLOT.center, y + 38, plot.sweep.x.lane.label, 13, SvgColour.INK, anchor="middle",
             is_monospaced=True, is_bold=True)  # fmt: skip
    return y + 52


def _breaks(sweep: Sweep) -> list[int]:
    """Where a stretch begins that is clamped, wrapped or has another answer, and where one ends."""
    found: set[int] = set()
    for mask in (sweep.clamped, sweep.wrapped, sweep.divergence_mask):
        firsts, lasts = find_interval_ends(mask)
        if len(firsts) <= _MOST_NAMED:
            found.update(firsts.tolist(), (lasts + 1).tolist())
    return sorted(found - {0, sweep.x.size})


def _compute_other_ranks(sweep: Sweep) -> Bits:
    """The places of the other answer's results."""
    assert sweep.other_bits is not None
    return sweep.order(sweep.other_bits)
