"""What a renderer inks of a picture: how much of each cell of a grid is dark."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import resvg_py
from numpy.typing import NDArray
from PIL import Image

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
    return grid(decoded(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=WIDTH))))


def decoded(png: bytes) -> Pixels:
    """The RGBA pixels of a PNG."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"))


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
