"""The labels of an axis of a plot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...sweep.axis import AxisTick, choose_ticks
from ..svg.page_layout import Area
from ..svg.svg_canvas import SvgCanvas
from ..svg.svg_colours import SvgColour
from ..svg.text_styles import DATUM, LABEL, TAG

_TICK_HEIGHT = 14
"""Least distance of ticks above each other in px."""


def draw_x_ticks(
    canvas: SvgCanvas,
    ticks: Iterable[AxisTick],
    plot: Area,
    bottom: float,
    baseline: float,
    *,
    overhang: float = 0,
) -> None:
    """Draw ticks from the bottom of a plot down, and their texts on a baseline.

    ``overhang`` is how far, in px, a text may reach beyond the right edge of the plot.
    """
    for tick in ticks:
        x = plot.x + plot.width * tick.part
        canvas.draw_line(x, bottom, x, bottom + 5, SvgColour.DIM)
        width = DATUM.measure(tick.text)
        middle = min(max(x, plot.x + width / 2 - 20), plot.right + overhang - width / 2)
        _draw_tick_text(canvas, tick, middle, baseline, "middle")


def draw_y_ticks(
    canvas: SvgCanvas,
    ticks: Sequence[AxisTick],
    x: float,
    top: float,
    height: float,
    *,
    room: float = 0,
) -> None:
    """Draw the ticks of an axis upwards that fit, at the left of x, or in a room at its right."""
    side = 1 if room else -1
    for tick in choose_ticks(ticks, height, 0, _TICK_HEIGHT):
        y = top + height * (1 - tick.part)
        start = x if room else x - 5
        canvas.draw_line(start, y, start + 5, y, SvgColour.DIM)
        anchor, width = ("start", room) if room else ("end", x - 23)
        _draw_tick_text(canvas, tick, x + 9 * side, y + 4, anchor, width)


def _draw_tick_text(
    canvas: SvgCanvas, tick: AxisTick, x: float, y: float, anchor: str, width: float | None = None
) -> None:
    """Draw the text of a tick; the current value's is bold."""
    colour = SvgColour.INK if tick.is_current else SvgColour.DIM
    canvas.draw_text(
        x, y, tick.text, TAG.with_weight(tick.is_current), colour, anchor=anchor, width=width
    )


def draw_x_label(canvas: SvgCanvas, x: float, y: float, text: str) -> None:
    """Draw what the x axis shows, centred at x."""
    canvas.draw_text(x, y, text, LABEL, anchor="middle")
