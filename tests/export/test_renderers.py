"""Each family of pictures, drawn by the renderers that are here: all ink the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from ptxscope.documents.media import images
from tests.driving.browser import Browser
from tests.driving.inked import WIDTH, Grid, differences, grid, resvg
from tests.driving.samples import PICTURES, draw_golden
from tests.tiers import ci_only, sampled, some

pytestmark = ci_only

FAMILIES = (
    *("permuted bytes", "products", "shifted left", "a choice by sign", "two predicates"),
    *("near numbers", "a sum over a mask", "a truth table", "a window inserted"),
    *("a form of bits", "two lines", "compact answers", "stepping"),
)
"""Names of golden pictures."""


@cache
def drawn(name: str) -> str:
    return draw_golden(PICTURES[name])


@cache
def reference(name: str) -> Grid:
    return resvg(drawn(name))


def cairosvg(svg: str) -> Grid:
    surface = _module("cairosvg.surface")
    tree = _module("cairosvg.parser").Tree(bytestring=svg.encode())
    image = surface.PNGSurface(tree, None, 96, output_width=WIDTH).cairo
    wide, high = image.get_width(), image.get_height()
    lines = np.frombuffer(bytes(image.get_data()), np.uint8).reshape(high, image.get_stride())
    pixels = lines[:, : 4 * wide].reshape(high, wide, 4)[..., [2, 1, 0, 3]].astype(np.float64)
    alpha = np.maximum(pixels[..., 3:], 1)  # colours are premultiplied
    pixels[..., :3] = np.minimum(pixels[..., :3] * 255 / alpha, 255)
    return grid(pixels.astype(np.uint8))


def pdf(svg: str) -> Grid:
    """What PDFium inks of the PDF that is made of it."""
    _module("typst")
    pdfium = _module("pypdfium2")
    with pdfium.PdfDocument(images.render_pdf_bytes([svg])) as document:
        page = document[0]
        # no line of PDFium's is thinner than a pixel: drawn large, and made small
        large = page.render(scale=4 * WIDTH / page.get_width(), rev_byteorder=True).to_numpy()
        high = -(-large.shape[0] // 4)
        found = np.full((4 * high, 4 * WIDTH, 4), 255, np.uint8)
        found[: large.shape[0], : large.shape[1], :3] = large[:, : 4 * WIDTH, :3]
        return grid(found.reshape(high, 4, WIDTH, 4, 4).mean(axis=(1, 3)).astype(np.uint8))


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except (ImportError, OSError):  # OSError: a library of the system's that it needs
        pytest.skip(f"{name} is not here")


RENDERERS: dict[str, Callable[[str], Grid]] = {"cairosvg": cairosvg, "pdf": pdf}


@pytest.fixture(scope="module")
def in_chromium(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Grid]:
    """What Chromium inks of every family, in one go."""
    with Browser.start(tmp_path_factory.mktemp("chromium")) as browser:
        found = browser.ink_pictures([(drawn(name), "") for name in FAMILIES])
    return dict(zip(FAMILIES, found, strict=True))


@pytest.mark.parametrize("name", some(FAMILIES, 0, 9))
def test_something_is_inked_everywhere(name: str) -> None:
    """Of resvg's picture: neither blank nor black, and nothing stands out of the page."""
    inked = reference(name)
    assert 0.01 < inked.mean() < 0.2
    thirds = np.array_split(inked, 3)
    assert all(third.mean() > 0.004 for third in thirds)


@sampled
@pytest.mark.parametrize("name", some(FAMILIES, 0, 9))
@pytest.mark.parametrize("renderer", RENDERERS)
def test_renderers_draw_the_same_picture(renderer: str, name: str) -> None:
    assert not differences(reference(name), RENDERERS[renderer](drawn(name)))


@ci_only
@pytest.mark.parametrize("name", FAMILIES)
def test_chromium_draws_the_same_picture(name: str, in_chromium: dict[str, Grid]) -> None:
    assert not differences(reference(name), in_chromium[name])


@sampled
@pytest.mark.parametrize(
    ("what", "instead"),
    [
        (r'<g class="px-flows">', '<g class="px-flows" display="none">'),
        (r'fill="none"', ""),
        (r"<svg ", '<svg display="none" '),
        (r"<text ", '<text dx="-45" '),
    ],
    ids=["no lines", "paths are filled", "blank", "text is shifted"],
)
def test_the_comparison_finds_a_changed_picture(what: str, instead: str) -> None:
    other = re.sub(what, instead, drawn("two predicates"))
    assert other != drawn("two predicates")
    assert differences(reference("two predicates"), resvg(other))
