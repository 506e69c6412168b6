"""A sweep of two lanes as a drawing: a map of shades, clamps outlined, partings hatched."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...engine.records import NamedTuple
from ...engine.semantics.micro_operations import Clamp
from ...sweep.computation import Mask, Sweep
from ...sweep.sweep_words import describe_event, find_true_intervals
from ..svg.page_layout import EDGE, WIDTH
from ..svg.svg_canvas import HATCH, SvgCanvas, number
from ..svg.svg_colours import SvgColour
from ..svg.text_fitting import measure_text
from .axis_ticks import abbreviate_value, choose_ticks, list_ticks
from .colour_ramp import RAMP, compute_shades, encode_png
from .line_plot import PlotLineStyle

SIDE = 512.0
LEFT = 118.0
CLAMPED = PlotLineStyle(SvgColour.MARK, 1.4)
WRAPPED = PlotLineStyle(SvgColour.C, 1.4, "5 3")
_MOST_EDGES = 3000
"""Stretches of an outline that are drawn; of more there is nothing to see."""


class Chart(NamedTuple):
    """Where a map stands on the page."""

    top: float
    columns: int
    rows: int

    def compute_x(self, column: float) -> float:
        """Where a column begins."""
        return LEFT + SIDE * column / self.columns

    def compute_y(self, row: float) -> float:
        """Where a row ends, above."""
        return self.top + SIDE * (1 - row / self.rows)


def draw(pen: SvgCanvas, sweep: Sweep, y: float) -> float:
    """The map with its axes and the scale of its shades; returns where it ends."""
    rows, columns = sweep.bits.shape
    chart = Chart(y + 26, columns, rows)
    pen.open("px-sweep")
    assert sweep.y
    pen.draw_text(
        EDGE, y + 14, sweep.y.lane.label, 13, SvgColour.INK, is_monospaced=True, is_bold=True
    )
    pen.draw_image(LEFT, chart.top, SIDE, SIDE, encode_png(compute_shades(sweep)))
    draw_hatch(pen, chart, sweep.divergence_mask)
    draw_outline(pen, chart, sweep.clamped, CLAMPED)
    draw_outline(pen, chart, sweep.wrapped, WRAPPED)
    pen.draw_rect(LEFT, chart.top, SIDE, SIDE, None, SvgColour.DIM, radius=0)
    _draw_clamp_labels(pen, chart, sweep)
    _draw_current_point(pen, chart, sweep)
    _draw_axes(pen, chart, sweep)
    _scale(pen, chart, sweep)
    pen.close()
    return chart.top + SIDE + 54


def is_outlined(mask: Mask) -> bool:
    """Whether an outline of it would show anything."""
    return (
        0
        < sum(1 for _ in zip(_iter_edges(mask), range(_MOST_EDGES + 1), strict=False))
        <= _MOST_EDGES
    )


def draw_outline(pen: SvgCanvas, chart: Chart, mask: Mask, style: PlotLineStyle) -> None:
    """A line around where a mask holds, dark on light so that it shows on every shade."""
    if not is_outlined(mask):
        return
    d = "".join(
        "M{} {}L{} {}".format(
            *map(
                number,
                (
                    chart.compute_x(x),
                    chart.compute_y(y),
                    chart.compute_x(to_x),
                    chart.compute_y(to_y),
                ),
            )
        )
        for x, y, to_x, to_y in _iter_edges(mask)
    )
    pen.draw_path(d, SvgColour.PAGE, line=style.width + 1.6)
    pen.draw_path(d, style.ink, line=style.width, dash=style.dash)


def _iter_edges(mask: Mask) -> Iterator[tuple[int, int, int, int]]:
    """The borders of a region inside a map, in columns and rows."""
    across = mask[1:] != mask[:-1]
    for row in np.flatnonzero(across.any(axis=1)).tolist():
        for run in find_true_intervals(across[row]):
            yield run.first, row + 1, run.last + 1, row + 1
    down = mask[:, 1:] != mask[:, :-1]
    for column in np.flatnonzero(down.any(axis=0)).tolist():
        for run in find_true_intervals(down[:, column]):
            yield column + 1, run.first, column + 1, run.last + 1


def draw_hatch(pen: SvgCanvas, chart: Chart, mask: Mask) -> None:
    """Slanting lines where a mask holds, from corner to corner of its cells."""
    if not mask.any():
        return
    rows, columns = mask.shape
    apart = max(round(HATCH * 1.5 / (SIDE / columns)), 1)
    d = "".join(
        f"M{number(chart.compute_x(at + run.first))} "
        f"{number(chart.compute_y(at - start + run.first))}"
        f"L{number(chart.compute_x(at + run.last + 1))} "
        f"{number(chart.compute_y(at - start + run.last + 1))}"
        for start in range(-rows + 1, columns)
        if start % apart == 0
        for at in (max(start, 0),)
        for run in find_true_intervals(np.diagonal(mask, start))
    )
    if d:
        pen.draw_path(d, SvgColour.PAGE, line=2.6)
        pen.draw_path(d, SvgColour.INK, line=1.1)


def _draw_current_point(pen: SvgCanvas, chart: Chart, sweep: Sweep) -> None:
    column, row = sweep.current_point
    if column is None or row is None:
        return
    x, y = chart.compute_x(column + 0.5), chart.compute_y(row + 0.5)
    for ink, width, dash in ((SvgColour.PAGE, 2.4, ""), (SvgColour.INK, 1.0, "3 3")):
        pen.draw_line(LEFT, y, LEFT + SIDE, y, ink, width, dash)
        pen.draw_line(x, chart.top, x, chart.top + SIDE, ink, width, dash)
    pen.draw_dot(x, y, SvgColour.INK, is_hollow=True, size=5)


def _draw_clamp_labels(pen: SvgCanvas, chart: Chart, sweep: Sweep) -> None:
    """What each clamped region is, in the widest of its rows; no label stands on another."""
    used: list[float] = []
    for event in sweep.events:
        if not isinstance(event.row.micro, Clamp) or not event.where.any():
            continue
        row = int(event.where.sum(axis=1).argmax())
        run = max(find_true_intervals(event.where[row]), key=lambda run: run.last - run.first)
        said = describe_event(event, sweep.result_part)
        wide = measure_text(said, 11) + 10
        x = (chart.compute_x(run.first) + chart.compute_x(run.last + 1)) / 2
        x = min(max(x, LEFT + wide / 2 + 3), LEFT + SIDE - wide / 2 - 3)
        y = min(max(chart.compute_y(row + 0.5), chart.top + 14), chart.top + SIDE - 14)
        while any(abs(y - other) < 20 for other in used):
            y += 20 if y < chart.top + SIDE / 2 else -20
        used.append(y)
        pen.draw_rect(x - wide / 2, y - 9, wide, 18, SvgColour.PAGE, CLAMPED.ink, radius=4)
        pen.draw_text(
            x, y + 4, said, 11, CLAMPED.ink, anchor="middle", is_bold=True, width=wide - 4
        )


def _draw_axes(pen: SvgCanvas, chart: Chart, sweep: Sweep) -> None:
    here_x, here_y = sweep.current_point
    assert sweep.y
    bottom = chart.top + SIDE
    for tick in choose_ticks(list_ticks(sweep.x, here_x, is_by_rank=False), SIDE, 7.4):
        x = LEFT + SIDE * tick.part
        wide = measure_text(tick.text, 11.5, is_monospaced=True)
        pen.draw_line(x, bottom, x, bottom + 5, SvgColour.DIM)
        middle = min(max(x, LEFT + wide / 2 - 20), LEFT + SIDE + 20 - wide / 2)
        pen.draw_text(
            middle,
            bottom + 18,
            tick.text,
            11.5,
            SvgColour.INK if tick.strong else SvgColour.DIM,
            anchor="middle",
            is_monospaced=True,
            is_bold=tick.strong,
        )
    used: list[float] = []
    for tick in list_ticks(sweep.y, here_y, is_by_rank=False):
        y = bottom - SIDE * tick.part
        if any(abs(y - other) < 14 for other in used):
            continue
        used.append(y)
        pen.draw_line(LEFT - 5, y, LEFT, y, SvgColour.DIM)
        pen.draw_text(
            LEFT - 9,
            y + 4,
            tick.text,
            11.5,
            SvgColour.INK if tick.strong else SvgColour.DIM,
            anchor="end",
            is_monospaced=True,
            is_bold=tick.strong,
            width=LEFT - 23,
        )
    pen.draw_text(
        LEFT + SIDE / 2,
        bottom + 38,
        sweep.x.lane.label,
        13,
        SvgColour.INK,
        anchor="middle",
        is_monospaced=True,
        is_bold=True,
    )


def _scale(pen: SvgCanvas, chart: Chart, sweep: Sweep) -> None:
    """Which shade is which result."""
    x, high, lane = LEFT + SIDE + 30, 220.0, sweep.result_part
    width = WIDTH - EDGE - x
    pen.draw_text(
        x,
        chart.top + 12,
        lane.label,
        13,
        SvgColour.INK,
        is_monospaced=True,
        is_bold=True,
        width=width,
    )
    top = chart.top + 26
    column = np.arange(len(RAMP), dtype=np.uint8).reshape(-1, 1)
    pen.draw_image(x, top, 22, high, encode_png(column))
    pen.draw_rect(x, top, 22, high, None, SvgColour.DIM, radius=0)
    least, most = int(sweep.places.min()), int(sweep.places.max())
    marks = [most, least]
    if sweep.current_point[0] is not None and sweep.current_point[1] is not None:
        marks.insert(0, int(sweep.places[sweep.current_point[1], sweep.current_point[0]]))
    marks.append(lane.compute_rank(0))
    used: list[float] = []
    for at, place in enumerate(dict.fromkeys(marks)):
        part = (place - least) / (most - least) if most > least else 0.5
        y = top + high * (1 - part)
        if not least <= place <= most or any(abs(y - other) < 14 for other in used):
            continue
        used.append(y)
        strong = at == 0 and len(marks) == 4
        pen.draw_line(x + 22, y, x + 27, y, SvgColour.DIM)
        pen.draw_text(
            x + 31,
            y + 4,
            abbreviate_value(lane, lane.get_value_at(place)),
            11.5,
            SvgColour.INK if strong else SvgColour.DIM,
            is_monospaced=True,
            is_bold=strong,
            width=width - 31,
        )
