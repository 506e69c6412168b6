"""The labels of an axis of a plot."""

from __future__ import annotations

from collections.abc import Iterable

from ..svg.page_layout import Area
from ..svg.svg_canvas import SvgCanvas
from ..svg.svg_colours import SvgColour
from ..svg.text_fitting import measure_text
from .axis_ticks import AxisTick


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
        width = measure_text(tick.text, 11.5, is_monospaced=True)
        middle = min(max(x, plot.x + width / 2 - 20), plot.right + overhang - width / 2)
        draw_tick_text(
            canvas, middle, baseline, tick.text, is_current=tick.is_current, anchor="middle"
        )


def draw_tick_text(
    canvas: SvgCanvas,
    x: float,
    y: float,
    text: str,
    *,
    is_current: bool,
    anchor: str = "start",
    width: float | None = None,
) -> None:
    """Draw the text of a tick; the current value's is bold."""
    colour = SvgColour.INK if is_current else SvgColour.DIM
    canvas.draw_text(
        x, y, text, 11.5, colour, anchor=anchor, is_monospaced=True, is_bold=is_current, width=width
    )


def draw_x_label(canvas: SvgCanvas, x: float, y: float, text: str) -> None:
    """Draw what the x axis shows, centred at x."""
    canvas.draw_text(
        x, y, text, 13, SvgColour.INK, anchor="middle", is_monospaced=True, is_bold=True
    )
