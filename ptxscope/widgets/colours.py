"""Colours that can be read: contrast as WCAG 2 counts it, and what is done to reach it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rich.color import Color, ColorSystem, blend_rgb
from rich.color_triplet import ColorTriplet

BLACK = ColorTriplet(0, 0, 0)
WHITE = ColorTriplet(255, 255, 255)
_STEPS = 40
"""Shades between a colour and black or white."""


def rgb(name: str) -> ColorTriplet:
    """The colour that is written ``#rrggbb``."""
    return ColorTriplet(*bytes.fromhex(name.removeprefix("#")[:6]))


def luminance(color: ColorTriplet) -> float:
    """How light a colour is: 0 to 1."""
    red, green, blue = (_linear(channel / 255) for channel in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """The contrast of two colours: 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@lru_cache(512)
def _shown(color: ColorTriplet) -> tuple[ColorTriplet, ...]:
    """What terminals show for a colour: in full, in 256 colours, and in Textual's greys."""
    few = Color.from_triplet(color).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
    grey = round(color.red * 0.2126 + color.green * 0.7152 + color.blue * 0.0722)
    return color, few, ColorTriplet(grey, grey, grey)


def mixed(color: ColorTriplet, other: ColorTriplet, part: float) -> ColorTriplet:
    """A colour with a part, 0 to 1, of another."""
    return blend_rgb(color, other, part)


def readable(color: ColorTriplet, on: Iterable[ColorTriplet], ratio: float) -> ColorTriplet:
    """The shade nearest to a colour whose contrast on some others reaches a ratio.

    It does so in full colours, in 256, and in greys. Where no shade does, it is black or white.
    """
    grounds = tuple(dict.fromkeys(on))
    pole = max((WHITE, BLACK), key=lambda pole: worst(pole, grounds))
    for step in range(_STEPS):
        shade = blend_rgb(color, pole, step / _STEPS)
        if worst(shade, grounds) >= ratio:
            return shade
    return pole


def worst(color: ColorTriplet, on: Iterable[ColorTriplet]) -> float:
    """The least contrast of a colour on some others, however they are shown."""
    seen = _shown(color)
    return min(contrast(*pair) for x in on for pair in zip(seen, _shown(x), strict=True))
