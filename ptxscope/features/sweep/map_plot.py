"""The plot of a map sweep: a map of shades, with clamps outlined and deviations hatched."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...documents.svg.page_layout import EDGE, WIDTH, Area
from ...documents.svg.svg_canvas import HATCH, SvgCanvas, format_length
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.svg_figures import PlacedAxis
from ...documents.svg.text_styles import EMPHASIS, LABEL
from .computation import Mask, Sweep
from .line_plot import PlotLineStyle
from .plot_ticks import draw_x_label, draw_x_ticks, draw_y_ticks
from .sweep_words import describe_event, find_true_intervals
from .terminal_plot import COLOUR_RAMP, compute_shades
from .tick_choice import choose_ticks

SIDE = 512.0
LEFT = 118.0
CLAMPED = PlotLineStyle(SvgColour.MARK, 1.4)
WRAPPED = PlotLineStyle(SvgColour.C, 1.4, "5 3")
_MAX_SEGMENTS = 3000
"""Largest number of segments of a visible outline."""


class Chart(NamedTuple):
    """The position of a map on the page."""

    top: float
    columns: int
    rows: int

    @property
    def x_axis(self) -> PlacedAxis:
        """The axis to the right."""
        return PlacedAxis(LEFT, LEFT + SIDE)

    @property
    def y_axis(self) -> PlacedAxis:
        """The axis upwards."""
        return PlacedAxis(self.top + SIDE, self.top)

    def compute_x(self, column: float) -> float:
        """Return x of the left edge of a column."""
        return float(self.x_axis.compute_place(column / self.columns))

    def compute_y(self, row: float) -> float:
        """Return y of the edge between `row` and the row below it."""
        return float(self.y_axis.compute_place(row / self.rows))

    def format_corner(self, column: float, row: float) -> str:
        """Format the lower left corner of a cell for a path."""
        return f"{format_length(self.compute_x(column))} {format_length(self.compute_y(row))}"


def draw(canvas: SvgCanvas, sweep: Sweep, y: float) -> float:
    """Draw the map, its axes and the scale of its shades; return the end."""
    rows, columns = sweep.bits.shape
    chart = Chart(y + 26, columns, rows)
    canvas.open_group("px-sweep")
    assert sweep.y
    canvas.draw_text(EDGE, y + 14, sweep.y.part.label, LABEL)
    _draw_image(canvas, LEFT, chart.top, SIDE, SIDE, encode_png(compute_shades(sweep)))
    draw_hatch(canvas, chart, sweep.divergence_mask)
    draw_outline(canvas, chart, sweep.clamped, CLAMPED)
    draw_outline(canvas, chart, sweep.wrapped, WRAPPED)
    canvas.draw_rect(LEFT, chart.top, SIDE, SIDE, None, SvgColour.DIM, radius=0)
    _draw_clamp_labels(canvas, chart, sweep)
    _draw_current_point(canvas, chart, sweep)
    _draw_axes(canvas, chart, sweep)
    _draw_scale(canvas, chart, sweep)
    canvas.close_group()
    return chart.top + SIDE + 54


def is_outlined(mask: Mask) -> bool:
    """Whether the outline of a mask has few enough segments to be visible."""
    return (
        0
        < sum(1 for _ in zip(_iter_edges(mask), range(_MAX_SEGMENTS + 1), strict=False))
        <= _MAX_SEGMENTS
    )


def draw_outline(canvas: SvgCanvas, chart: Chart, mask: Mask, style: PlotLineStyle) -> None:
    """Draw an outline of a mask, dark on light so that it is visible on every shade."""
    if not is_outlined(mask):
        return
    d = "".join(
        f"M{chart.format_corner(x, y)}L{chart.format_corner(to_x, to_y)}"
        for x, y, to_x, to_y in _iter_edges(mask)
    )
    canvas.draw_path(d, SvgColour.PAGE, line=style.width + 1.6)
    canvas.draw_path(d, style.ink, line=style.width, dash=style.dash)


def _iter_edges(mask: Mask) -> Iterator[tuple[int, int, int, int]]:
    """Yield the borders of a region inside a map, in columns and rows."""
    across = mask[1:] != mask[:-1]
    for row in np.flatnonzero(across.any(axis=1)).tolist():
        for run in find_true_intervals(across[row]):
            yield run.first, row + 1, run.last + 1, row + 1
    down = mask[:, 1:] != mask[:, :-1]
    for column in np.flatnonzero(down.any(axis=0)).tolist():
        for run in find_true_intervals(down[:, column]):
            yield column + 1, run.first, column + 1, run.last + 1


def draw_hatch(canvas: SvgCanvas, chart: Chart, mask: Mask) -> None:
    """Draw diagonal lines over the cells where a mask is true."""
    if not mask.any():
        return
    rows, columns = mask.shape
    spacing = max(round(HATCH * 1.5 / (SIDE / columns)), 1)
    d = "".join(
        f"M{chart.format_corner(column + run.first, column - start + run.first)}"
        f"L{chart.format_corner(column + run.last + 1, column - start + run.last + 1)}"
        for start in range(-rows + 1, columns)
        if start % spacing == 0
        for column in (max(start, 0),)
        for run in find_true_intervals(np.diagonal(mask, start))
    )
    if d:
        canvas.draw_path(d, SvgColour.PAGE, line=2.6)
        canvas.draw_path(d, SvgColour.INK, line=1.1)


def _draw_current_point(canvas: SvgCanvas, chart: Chart, sweep: Sweep) -> None:
    column, row = sweep.current_point
    if column is None or row is None:
        return
    x, y = chart.compute_x(column + 0.5), chart.compute_y(row + 0.5)
    for colour, width, dash in ((SvgColour.PAGE, 2.4, ""), (SvgColour.INK, 1.0, "3 3")):
        canvas.draw_line(LEFT, y, LEFT + SIDE, y, colour, width, dash)
        canvas.draw_line(x, chart.top, x, chart.top + SIDE, colour, width, dash)
    canvas.draw_dot(x, y, SvgColour.INK, is_hollow=True, size=5)


def _draw_clamp_labels(canvas: SvgCanvas, chart: Chart, sweep: Sweep) -> None:
    """Label each clamped region in its widest row; labels do not overlap."""
    label_places: list[float] = []
    for event in sweep.events:
        if event.bound is None or not event.mask.any():
            continue
        row = int(event.mask.sum(axis=1).argmax())
        run = max(find_true_intervals(event.mask[row]), key=lambda run: run.last - run.first)
        text = describe_event(event, sweep.result_part)
        width = EMPHASIS.measure(text) + 10
        x = (chart.compute_x(run.first) + chart.compute_x(run.last + 1)) / 2
        x = min(max(x, LEFT + width / 2 + 3), LEFT + SIDE - width / 2 - 3)
        y = min(max(chart.compute_y(row + 0.5), chart.top + 14), chart.top + SIDE - 14)
        while any(abs(y - other) < 20 for other in label_places):
            y += 20 if y < chart.top + SIDE / 2 else -20
        label_places.append(y)
        canvas.draw_rect(x - width / 2, y - 9, width, 18, SvgColour.PAGE, CLAMPED.ink, radius=4)
        canvas.draw_text(x, y + 4, text, EMPHASIS, CLAMPED.ink, anchor="middle", width=width - 4)


def _draw_axes(canvas: SvgCanvas, chart: Chart, sweep: Sweep) -> None:
    here_x, here_y = sweep.current_point
    assert sweep.y
    bottom = chart.top + SIDE
    ticks = choose_ticks(sweep.x.list_ticks(here_x, is_by_rank=False), SIDE, 7.4)
    room = Area(LEFT - 20, SIDE + 40)
    draw_x_ticks(canvas, ticks, chart.x_axis, room, bottom, bottom + 18)
    draw_y_ticks(canvas, sweep.y.list_ticks(here_y, is_by_rank=False), LEFT, chart.y_axis)
    draw_x_label(canvas, LEFT + SIDE / 2, bottom + 38, sweep.x.part.label)


def _draw_scale(canvas: SvgCanvas, chart: Chart, sweep: Sweep) -> None:
    """Draw the scale from shades to results."""
    x, height, lane = LEFT + SIDE + 30, 220.0, sweep.result_part
    width = WIDTH - EDGE - x
    canvas.draw_text(x, chart.top + 12, lane.label, LABEL, width=width)
    top = chart.top + 26
    column = np.arange(len(COLOUR_RAMP), dtype=np.uint8).reshape(-1, 1)
    _draw_image(canvas, x, top, 22, height, encode_png(column))
    canvas.draw_rect(x, top, 22, height, None, SvgColour.DIM, radius=0)
    column_index, row_index = sweep.current_point
    current_rank = None
    if column_index is not None and row_index is not None:
        current_rank = int(sweep.ranks[row_index, column_index])
    ticks = sweep.result_axis.list_ticks(current_rank, [lane.compute_rank(0)])
    draw_y_ticks(canvas, ticks, x + 22, PlacedAxis(top + height, top), room=width - 31)


def encode_png(cells: npt.NDArray[np.uint8]) -> bytes:
    """Encode shades as a PNG of one pixel each, with the first row at the bottom."""
    height, width = cells.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter type: none
    rows[:, 1:] = cells[::-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    palette = bytes(part for colour in COLOUR_RAMP for part in colour)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", header),
            (b"PLTE", palette),
            (b"IDAT", zlib.compress(rows.tobytes(), 9)),
            (b"IEND", b""),
        )
    )


def _draw_image(
    canvas: SvgCanvas, x: float, y: float, width: float, height: float, png: bytes
) -> None:
    """Draw an image of square cells, stretched to fill an area."""
    left, top, across, down = map(format_length, (x, y, width, height))
    data = b64encode(png).decode()
    canvas.parts.append(
        f'<image x="{left}" y="{top}" width="{across}" height="{down}" preserveAspectRatio="none" '
        'image-rendering="optimizeSpeed" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{data}"/>'
    )
