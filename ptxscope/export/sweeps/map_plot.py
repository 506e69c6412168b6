"""A sweep of two lanes as a drawing: a map of shades, clamps outlined, partings hatched."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...engine.records import NamedTuple
from ...sweep.computation import Mask, Sweep
from ...sweep.sweep_words import stretches
from ..svg.page_layout import EDGE, WIDTH
from ..svg.svg_canvas import HATCH, Pen, number
from ..svg.svg_colours import Ink
from ..svg.text_fitting import text_width
from .axis_ticks import along, brief, chosen
from .colour_ramp import RAMP, png, shades
from .line_plot import Style

SIDE = 512.0
LEFT = 118.0
CLAMPED = Style(Ink.MARK, 1.4)
WRAPPED = Style(Ink.C, 1.4, "5 3")
_MOST_EDGES = 3000
"""Stretches of an outline that are drawn; of more there is nothing to see."""


class Chart(NamedTuple):
    """Where a map stands on the page."""

    top: float
    columns: int
    rows: int

    def x(self, column: float) -> float:
        """Where a column begins."""
        return LEFT + SIDE * column / self.columns

    def y(self, row: float) -> float:
        """Where a row ends, above."""
        return self.top + SIDE * (1 - row / self.rows)


def draw(pen: Pen, sweep: Sweep, y: float) -> float:
    """The map with its axes and the scale of its shades; returns where it ends."""
    rows, columns = sweep.bits.shape
    chart = Chart(y + 26, columns, rows)
    pen.open("px-sweep")
    assert sweep.y
    pen.text(EDGE, y + 14, sweep.y.lane.label, 13, Ink.INK, mono=True, bold=True)
    pen.image(LEFT, chart.top, SIDE, SIDE, png(shades(sweep)))
    hatch(pen, chart, sweep.apart)
    outlined(pen, chart, sweep.clamped, CLAMPED)
    outlined(pen, chart, sweep.wrapped, WRAPPED)
    pen.rect(LEFT, chart.top, SIDE, SIDE, None, Ink.DIM, radius=0)
    _here(pen, chart, sweep)
    _axes(pen, chart, sweep)
    _scale(pen, chart, sweep)
    pen.close()
    return chart.top + SIDE + 54


def is_outlined(mask: Mask) -> bool:
    """Whether an outline of it would show anything."""
    return (
        0 < sum(1 for _ in zip(_edges(mask), range(_MOST_EDGES + 1), strict=False)) <= _MOST_EDGES
    )


def outlined(pen: Pen, chart: Chart, mask: Mask, style: Style) -> None:
    """A line around where a mask holds, dark on light so that it shows on every shade."""
    if not is_outlined(mask):
        return
    d = "".join(
        "M{} {}L{} {}".format(*map(number, (chart.x(x), chart.y(y), chart.x(to_x), chart.y(to_y))))
        for x, y, to_x, to_y in _edges(mask)
    )
    pen.path(d, Ink.PAGE, line=style.width + 1.6)
    pen.path(d, style.ink, line=style.width, dash=style.dash)


def _edges(mask: Mask) -> Iterator[tuple[int, int, int, int]]:
    """The borders of a region inside a map, in columns and rows."""
    across = mask[1:] != mask[:-1]
    for row in np.flatnonzero(across.any(axis=1)).tolist():
        for run in stretches(across[row]):
            yield run.first, row + 1, run.last + 1, row + 1
    down = mask[:, 1:] != mask[:, :-1]
    for column in np.flatnonzero(down.any(axis=0)).tolist():
        for run in stretches(down[:, column]):
            yield column + 1, run.first, column + 1, run.last + 1


def hatch(pen: Pen, chart: Chart, mask: Mask) -> None:
    """Slanting lines where a mask holds, from corner to corner of its cells."""
    if not mask.any():
        return
    rows, columns = mask.shape
    apart = max(round(HATCH * 1.5 / (SIDE / columns)), 1)
    d = "".join(
        f"M{number(chart.x(at + run.first))} {number(chart.y(at - start + run.first))}"
        f"L{number(chart.x(at + run.last + 1))} {number(chart.y(at - start + run.last + 1))}"
        for start in range(-rows + 1, columns)
        if start % apart == 0
        for at in (max(start, 0),)
        for run in stretches(np.diagonal(mask, start))
    )
    if d:
        pen.path(d, Ink.PAGE, line=2.6)
        pen.path(d, Ink.INK, line=1.1)


def _here(pen: Pen, chart: Chart, sweep: Sweep) -> None:
    column, row = sweep.here
    if column is None or row is None:
        return
    x, y = chart.x(column + 0.5), chart.y(row + 0.5)
    for ink, width, dash in ((Ink.PAGE, 2.4, ""), (Ink.INK, 1.0, "3 3")):
        pen.line(LEFT, y, LEFT + SIDE, y, ink, width, dash)
        pen.line(x, chart.top, x, chart.top + SIDE, ink, width, dash)
    pen.dot(x, y, Ink.INK, hollow=True, size=5)


def _axes(pen: Pen, chart: Chart, sweep: Sweep) -> None:
    here_x, here_y = sweep.here
    assert sweep.y
    bottom = chart.top + SIDE
    for tick in chosen(along(sweep.x, here_x, by_place=False), SIDE, 7.4):
        x = LEFT + SIDE * tick.part
        wide = text_width(tick.text, 11.5, mono=True)
        pen.line(x, bottom, x, bottom + 5, Ink.DIM)
        middle = min(max(x, LEFT + wide / 2 - 20), LEFT + SIDE + 20 - wide / 2)
        pen.text(middle, bottom + 18, tick.text, 11.5, Ink.INK if tick.strong else Ink.DIM,
                 anchor="middle", mono=True, bold=tick.strong)  # fmt: skip
    used: list[float] = []
    for tick in along(sweep.y, here_y, by_place=False):
        y = bottom - SIDE * tick.part
        if any(abs(y - other) < 14 for other in used):
            continue
        used.append(y)
        pen.line(LEFT - 5, y, LEFT, y, Ink.DIM)
        pen.text(LEFT - 9, y + 4, tick.text, 11.5, Ink.INK if tick.strong else Ink.DIM,
                 anchor="end", mono=True, bold=tick.strong, width=LEFT - 23)  # fmt: skip
    pen.text(LEFT + SIDE / 2, bottom + 38, sweep.x.lane.label, 13, Ink.INK, anchor="middle",
             mono=True, bold=True)  # fmt: skip


def _scale(pen: Pen, chart: Chart, sweep: Sweep) -> None:
    """Which shade is which result."""
    x, high, lane = LEFT + SIDE + 30, 220.0, sweep.of
    width = WIDTH - EDGE - x
    pen.text(x, chart.top + 12, lane.label, 13, Ink.INK, mono=True, bold=True, width=width)
    top = chart.top + 26
    column = np.arange(len(RAMP), dtype=np.uint8).reshape(-1, 1)
    pen.image(x, top, 22, high, png(column))
    pen.rect(x, top, 22, high, None, Ink.DIM, radius=0)
    least, most = int(sweep.places.min()), int(sweep.places.max())
    marks = [most, least]
    if sweep.here[0] is not None and sweep.here[1] is not None:
        marks.insert(0, int(sweep.places[sweep.here[1], sweep.here[0]]))
    marks.append(lane.place(0))
    used: list[float] = []
    for at, place in enumerate(dict.fromkeys(marks)):
        part = (place - least) / (most - least) if most > least else 0.5
        y = top + high * (1 - part)
        if not least <= place <= most or any(abs(y - other) < 14 for other in used):
            continue
        used.append(y)
        strong = at == 0 and len(marks) == 4
        pen.line(x + 22, y, x + 27, y, Ink.DIM)
        pen.text(x + 31, y + 4, brief(lane, lane.at(place)), 11.5, Ink.INK if strong else Ink.DIM,
                 mono=True, bold=strong, width=width - 31)  # fmt: skip
