"""Colours as arithmetic: contrast, lightness, and how those see who lack a kind of cone."""

from __future__ import annotations

Rgb = tuple[float, float, float]
Matrix = tuple[Rgb, Rgb, Rgb]

# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB
CONES: dict[str, Matrix] = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
ALL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
EYES: dict[str, Matrix] = {"all cones": ALL, **CONES}


def linear(colour: str | tuple[int, int, int]) -> Rgb:
    """A colour, ``#rrggbb`` or of bytes, as linear light."""
    red, green, blue = bytes.fromhex(colour[1:]) if isinstance(colour, str) else colour

    def of(byte: int) -> float:
        part = byte / 255
        return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)

    return of(red), of(green), of(blue)


def seen(colour: Rgb, eyes: Matrix) -> Rgb:
    """Linear light as some eyes see it."""
    red, green, blue = (
        min(max(sum(x * y for x, y in zip(row, colour, strict=True)), 0.0), 1.0) for row in eyes
    )
    return red, green, blue


def luminance(colour: Rgb) -> float:
    """Relative luminance of WCAG 2.2."""
    return sum(x * y for x, y in zip(colour, (0.2126, 0.7152, 0.0722), strict=True))


def lightness(colour: Rgb) -> float:
    """L* of CIELAB."""
    light = luminance(colour)
    return 116 * light ** (1 / 3) - 16 if light > 216 / 24389 else light * 24389 / 27


def contrast(one: Rgb, other: Rgb) -> float:
    """The ratio of WCAG 2.2."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
