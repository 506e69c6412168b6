"""Values as colours from dark to light, distinguishable by lightness alone, and as a small PNG."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ...sweep.computation import Sweep

Colour = tuple[int, int, int]
_ANCHORS: tuple[Colour, ...] = (
    (16, 24, 56),
    (30, 66, 118),
    (38, 116, 140),
    (86, 164, 140),
    (176, 202, 110),
    (254, 240, 160),
)
SHADES = 256


def _mix_colours(low: Colour, high: Colour, part: float) -> Colour:
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
    return red, green, blue


def _make_ramp() -> tuple[Colour, ...]:
    stretch = (SHADES - 1) / (len(_ANCHORS) - 1)
    colours = []
    for shade in range(SHADES):
        index = min(int(shade / stretch), len(_ANCHORS) - 2)
        low, high = list(pairwise(_ANCHORS))[index]
        colours.append(_mix_colours(low, high, shade / stretch - index))
    return tuple(colours)


RAMP = _make_ramp()
"""Colour of each shade, the darkest first."""


def compute_shades(sweep: Sweep) -> npt.NDArray[np.uint8]:
    """Return the shade of each result, from 0 for the least to 255 for the greatest."""
    part = sweep.result_axis.compute_part(sweep.ranks)
    return np.asarray(np.rint(part * (SHADES - 1)), np.uint8)


def encode_png(cells: npt.NDArray[np.uint8]) -> bytes:
    """Encode shades as a PNG of one pixel each, with the first row at the bottom."""
    height, width = cells.shape
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter type: none
    rows[:, 1:] = cells[::-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    palette = bytes(part for colour in RAMP for part in colour)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", header),
            (b"PLTE", palette),
            (b"IDAT", zlib.compress(rows.tobytes(), 9)),
            (b"IEND", b""),
        )
    )
