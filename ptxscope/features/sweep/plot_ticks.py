"""The ticks and labels of a plot's axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...documents.svg.page_layout import Area
from ...documents.svg.svg_canvas import SvgCanvas
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.svg_figures import PlacedAxis, draw_tick_text
from ...documents.svg.text_styles import DATUM, LABEL
from ...engine.micro_operations.drawings import Tick
from .tick_choice import choose_ticks

_TICK_HEIGHT = 14
"""Least distance of ticks above each other in px."""


def draw_x_ticks(
    canvas: SvgCanvas, ticks: Iterable[Tick], axis: PlacedAxis, room: Area, bottom: float,
    baseline: float,
) -> None:  # fmt: skip
    """Draw ticks from the bottom of a plot down, and their texts on a baseline, in a room."""
    for tick in ticks:
        x = axis.compute_place(tick.position)
        canvas.draw_line(x, bottom, x, bottom + 5, SvgColour.DIM)
        draw_tick_text(canvas, tick, room.clamp_center(x, DATUM.measure(tick.text)), baseline)


def draw_y_ticks(
    canvas: SvgCanvas, ticks: Sequence[Tick], x: float, axis: PlacedAxis, *, room: float = 0
) -> None:
    """Draw the ticks of an axis upwards that fit, at the left of x, or in a room at its right."""
    side = 1 if room else -1
    for tick in choose_ticks(ticks, -axis.length, 0, _TICK_HEIGHT):
        y = axis.compute_place(tick.position)
        start = x if room else x - 5
        canvas.draw_line(start, y, start + 5, y, SvgColour.DIM)
        anchor, width = ("start", room) if room else ("end", x - 23)
        draw_tick_text(canvas, tick, x + 9 * side, y + 4, anchor, width)


def draw_x_label(canvas: SvgCanvas, x: float, y: float, text: str) -> None:
    """Draw the label of the x axis, centred at x."""
    canvas.draw_text(x, y, text, LABEL, anchor="middle")
