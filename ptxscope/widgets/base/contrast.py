"""The contrast of colours by WCAG 2, and the nearest readable shade of a colour."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rich.color import Color, ColorSystem, blend_rgb
from rich.color_triplet import ColorTriplet

BLACK = ColorTriplet(0, 0, 0)
WHITE = ColorTriplet(255, 255, 255)
_STEPS = 40
"""Shades between a colour and black or white."""


def parse_colour(name: str) -> ColorTriplet:
    """Return the colour written as ``#rrggbb``."""
    return ColorTriplet(*bytes.fromhex(name.removeprefix("#")[:6]))


def compute_luminance(color: ColorTriplet) -> float:
    """Return the relative luminance of a colour: 0 to 1."""
    red, green, blue = map(_linearize, color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@lru_cache(256)
def _linearize(value: int) -> float:
    channel = value / 255
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


@lru_cache(512)
def _list_shown_luminances(color: ColorTriplet, system: ColorSystem) -> tuple[float, float]:
    """Return a colour's luminance in a terminal, and in Textual's greys."""
    shown_colour = Color.from_triplet(color).downgrade(system).get_truecolor()
    grey = round(color.red * 0.2126 + color.green * 0.7152 + color.blue * 0.0722)
    return compute_luminance(shown_colour), _linearize(grey)


def make_readable(
    color: ColorTriplet, grounds: Iterable[ColorTriplet], ratio: float, system: ColorSystem
) -> ColorTriplet:
    """Return the nearest shade of a colour whose contrast on some others reaches a ratio.

    The ratio holds in a terminal's colours and in greys. Without such a shade, return black or
    white.
    """
    grounds = tuple(dict.fromkeys(grounds))
    pole = max((WHITE, BLACK), key=lambda pole: _compute_worst_contrast(pole, grounds, system))
    for step in range(_STEPS):
        shade = blend_rgb(color, pole, step / _STEPS)
        if _compute_worst_contrast(shade, grounds, system) >= ratio:
            return shade
    return pole


def _compute_worst_contrast(
    color: ColorTriplet, grounds: Iterable[ColorTriplet], system: ColorSystem
) -> float:
    """Return the minimum contrast of a colour on some others, as shown and in greys."""
    luminances = _list_shown_luminances(color, system)
    return min(
        (one + 0.05) / (other + 0.05) if one > other else (other + 0.05) / (one + 0.05)
        for ground in grounds
        for one, other in zip(luminances, _list_shown_luminances(ground, system), strict=True)
    )
