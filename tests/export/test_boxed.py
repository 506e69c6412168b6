"""A picture in a narrow page: its letters have 9 px or more, and it scrolls in a box of its own."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest

from ptxscope import export
from ptxscope.documents.media.frames import add_min_width, compute_min_width
from ptxscope.documents.options import Options
from tests.export.browser import CHROMIUM, Browser
from tests.export.drawings import boxes
from tests.export.samples import E3, EXAMPLES, example
from tests.tiers import ci_only

SIZES = """[...document.querySelectorAll('svg text')].map(
    x => parseFloat(getComputedStyle(x).fontSize) * x.getScreenCTM().a)"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium here")
    started = Browser(tmp_path_factory.mktemp("browser"))
    yield started
    started.close()


@ci_only
@pytest.mark.parametrize("width", [380, 760, 1200])
@pytest.mark.parametrize("name", ["e3", "vadd4"])
def test_letters_have_9_px_in_a_narrow_column(browser: Browser, name: str, width: int) -> None:
    """And only the picture scrolls, not the page, whatever the page says of pictures."""
    shown = E3 if name == "e3" else example("vadd4")
    figure = shown.figure(both=name == "e3")
    style = "svg { max-width: 100%; height: auto }"
    browser.open(f"<style>{style}</style><p>text</p>{figure.html}<p>more</p>", width)
    sizes = browser.value(SIZES)
    assert len(sizes) > 20
    assert min(sizes) >= 8.99
    assert browser.value("document.documentElement.scrollWidth") <= width
    box = browser.value("(b => [b.scrollWidth, b.clientWidth, b.tabIndex])"
                        "(document.querySelector('figure'))")  # fmt: skip
    assert (box[0] > box[1]) == (compute_min_width(figure.svg) > box[1])
    assert box[2] == 0


@pytest.mark.parametrize("shown", EXAMPLES[::18])
@pytest.mark.parametrize("options", [Options(), Options(both=True)], ids=["page", "both"])
def test_how_wide_a_picture_must_be(shown: tuple[str, str], options: Options) -> None:
    svg = export(example(*shown), "svg", options)
    wide = float(str(ET.fromstring(svg).get("width")))
    smallest = min(box.size for box in boxes(ET.fromstring(svg)))
    assert compute_min_width(svg) == pytest.approx(9 / smallest * wide, abs=2)
    assert compute_min_width(svg) <= 720
    assert ET.fromstring(add_min_width(svg)).get("style") == f"min-width:{compute_min_width(svg)}px"
