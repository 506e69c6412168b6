"""What a renderer inks of a picture: how much of each cell of a grid is dark."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
import resvg_py
from numpy.typing import NDArray

CELL = 20
"""Px of the side of a cell, of a picture 800 px wide."""
WIDTH = 800
DARK = 140
"""What is darker than that, of 255, is ink."""

Grid = NDArray[np.float64]
Pixels = NDArray[np.uint8]


def grid(pixels: Pixels) -> Grid:
    """The share of ink in each cell of RGBA pixels, on white."""
    values = pixels.astype(np.float64)
    alpha = values[..., 3] / 255
    bright = values[..., :3] @ np.array([0.299, 0.587, 0.114])
    dark = (bright * alpha + 255 * (1 - alpha) < DARK).astype(np.float64)
    high, wide = (-(-side // CELL) * CELL for side in dark.shape)
    whole = np.zeros((high, wide))
    whole[: dark.shape[0], : dark.shape[1]] = dark
    cells = whole.reshape(high // CELL, CELL, wide // CELL, CELL)
    return np.asarray(cells.mean(axis=(1, 3)))


def resvg(svg: str) -> Grid:
    """What resvg inks."""
    return grid(decoded(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH))))


def decoded(png: bytes) -> Pixels:
    """The RGBA pixels of a PNG of 8 bits a channel without interlace."""
    header = next(body for kind, body in _chunks(png) if kind == b"IHDR")
    wide, high = (int.from_bytes(header[at : at + 4], "big") for at in (0, 4))
    assert header[8:] == bytes((8, 6, 0, 0, 0))
    raw = zlib.decompress(b"".join(body for kind, body in _chunks(png) if kind == b"IDAT"))
    lines = np.frombuffer(raw, np.uint8).reshape(high, 1 + 4 * wide)
    return _unfiltered(lines[:, 0], lines[:, 1:].reshape(high, wide, 4).astype(np.int16))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at = 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += 12 + size


def _unfiltered(kinds: Pixels, lines: NDArray[np.int16]) -> Pixels:
    """The pixels of filtered lines: each is guessed from those on its left and above.

    Those on one slant (x + y) do not depend on each other.
    """
    high, wide, _ = lines.shape
    found = np.zeros((high + 1, wide + 1, 4), np.int16)
    for slant in range(high + wide - 1):
        y = np.arange(max(0, slant - wide + 1), min(high, slant + 1))
        x = slant - y
        left, up, corner = found[y + 1, x], found[y, x + 1], found[y, x]
        base = left + up - corner
        off = [abs(base - value) for value in (left, up, corner)]
        nearer = np.where(off[1] <= off[2], up, corner)
        paeth = np.where((off[0] <= off[1]) & (off[0] <= off[2]), left, nearer)
        guess = np.choose(kinds[y, None], [np.int16(0), left, up, (left + up) // 2, paeth])
        found[y + 1, x + 1] = (lines[y, x] + guess) & 255
    return found[1:, 1:].astype(np.uint8)


def differences(one: Grid, other: Grid) -> list[str]:
    """Where one inks much and the other, there and around, hardly anything; and the reverse."""
    assert one.shape == other.shape, (one.shape, other.shape)
    return [*_lacking(one, other, "lacking"), *_lacking(other, one, "added")]


def _lacking(one: Grid, other: Grid, what: str) -> Iterator[str]:
    """Cells of a grid of which little stands in another, shifted by a cell at most."""
    padded = np.pad(other, 1)
    rows, columns = other.shape
    around = np.max(
        [padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)], axis=0
    )
    for y, x in zip(*np.nonzero(one > 2.5 * around + 0.06), strict=True):
        yield f"{what} at {x * CELL}, {y * CELL}: {one[y, x]:.2f} and {around[y, x]:.2f}"
