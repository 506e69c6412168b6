"""Pictures in what an author puts them into, in a real browser: all of the picture, and no more."""

from __future__ import annotations

import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageFilter

from ptxscope import Trace, export, trace_block
from ptxscope.documents.media.frames import render_for_column
from ptxscope.documents.options import Options
from ptxscope.documents.theme import Theme
from tests.driving.browser import Browser
from tests.driving.drawings import texts
from tests.driving.epub import list_forbidden, make_chapter, write_epub
from tests.driving.samples import E3, QUAD, SCALED, example
from tests.tiers import ci_only

pytestmark = ci_only


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser.start(tmp_path_factory.mktemp("browser")) as started:
        yield started


CONTAINERS = {
    "a page": "PICTURE",
    "a cell of a table": "<table><tr><td>PICTURE</td><td>words that take the width</td></table>",
    "a table of equal columns": (
        '<table style="table-layout: fixed; width: 100%"><tr><td>PICTURE</td><td>words</td></table>'
    ),
    "a flex box": '<div style="display: flex">PICTURE<p>words beside it</p></div>',
    "a flex column": '<div style="display: flex; flex-flow: column; align-items: center">PICTURE',
    "a grid": '<div style="display: grid; grid-template-columns: 1fr 1fr">PICTURE<p>words',
    "a grid by content": '<div style="display: grid; grid-template-columns: auto auto">PICTURE<p>x',
    "a centred grid": '<div style="display: grid; place-items: center">PICTURE',
    "an inline block": '<div style="display: inline-block">PICTURE</div>',
    "a float": '<div style="float: left">PICTURE</div>',
    "a box": '<div style="position: absolute">PICTURE</div>',
    "two columns": '<div style="columns: 2">PICTURE<p>words',
    "a list in a list": "<ul><li><ul><li>PICTURE</li></ul></li></ul>",
    "a slide": '<section style="width: 860px; height: 480px; font-size: 40px">PICTURE</section>',
}
"""What an author puts a picture into."""


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("format_", ["html", "svg"])
def test_a_picture_in_a_container_is_the_picture_alone(
    browser: Browser, format_: str, name: str
) -> None:
    """With letters of 7.7 px, or of 7 px where it has less than 360 px; below 280 px it scrolls."""
    shown = example("vadd4")
    fragment = (
        export(shown, "html", standalone=False, theme="light")
        if format_ == "html"
        else render_for_column(shown, Options(theme=Theme.LIGHT))
    )
    container = CONTAINERS[name].replace("PICTURE", f"<div>{fragment}</div>")
    for width in (380, 900):
        browser.open(container, width)
        is_page_wide = browser.value("document.documentElement.scrollWidth") > width
        assert not is_page_wide or width == 380
        (size,) = {
            (x[0], x[1])
            for x in browser.each(
                "svg", "x.checkVisibility() && [x.clientWidth, x.viewBox.baseVal.width]"
            )
            if x
        }
        letters = browser.each(
            "svg text",
            "x.checkVisibility() && parseFloat(getComputedStyle(x).fontSize) * x.getScreenCTM().a",
        )
        assert min(filter(None, letters)) >= (7.7 if size[0] >= 360 else 6.99)
        room = browser.value("document.querySelector('.px-pictures, .ptx-pictures').clientWidth")
        assert size[0] <= max(room, 280)
        if room < 280:
            continue
        seen = browser.shoot("svg")
        is_compact = size[1] < 600
        alone = export(shown, "svg", compact=is_compact, theme="light")
        browser.open(f"{make_width_style(size[0])}{alone}", 1400)
        assert_alike(seen, browser.shoot("svg"))


def make_width_style(width: int) -> str:
    return f"<style>svg {{ display: block; width: {width}px; height: auto }}</style>"


def assert_alike(image: Image.Image, other: Image.Image) -> None:
    """Assert that two pictures differ by half a pixel at most."""
    assert max(abs(x - y) for x, y in zip(image.size, other.size, strict=True)) <= 1
    box = (0, 0, min(image.width, other.width), min(image.height, other.height))
    blurred = (x.crop(box).filter(ImageFilter.BoxBlur(4)) for x in (image, other))
    assert max(ImageChops.difference(*blurred).tobytes()) < 40


LETTERS = {
    "a head of a table": "<table><tr><th>PICTURE</th></tr></table>",
    "italic capitals": (
        '<div style="font: italic small-caps 700 60px/3 serif; letter-spacing: 3px; '
        'word-spacing: 9px; text-transform: uppercase; text-shadow: 2px 2px red">PICTURE</div>'
    ),
    "a page from right to left": '<html dir="rtl"><body><div>PICTURE</div>',
    "columns of letters": '<div style="writing-mode: vertical-rl"><div>PICTURE</div></div>',
    "preformatted": "<pre>PICTURE</pre>",
    "a slide that is scaled": (
        '<div style="transform: scale(.5); transform-origin: 0 0; width: 900px">PICTURE</div>'
    ),
    "a slide that is zoomed": '<div style="zoom: .5; width: 900px">PICTURE</div>',
}
"""Containers that change the letters of a text."""


@pytest.mark.parametrize("name", LETTERS)
@pytest.mark.parametrize("kind", ["html", "column", "svg", "figure"])
def test_the_letters_of_a_picture_are_its_own(browser: Browser, kind: str, name: str) -> None:
    shown = example("vadd4")
    browser.open(LETTERS[name].replace("PICTURE", MAKERS[kind](shown)), 1000)
    seen = browser.shoot("svg[viewBox]")
    shapes = browser.each("svg[viewBox]", "x.checkVisibility() && x.viewBox.baseVal.width")
    alone = MAKERS["compact" if 400 in shapes else "svg"](shown)
    browser.open(f"{make_width_style(seen.width)}{alone}", 1400)
    assert_alike(seen, browser.shoot("svg"))


LIGHT = Options(theme=Theme.LIGHT)
STEPPING = {"motion": "stepping", "theme": "light"}
MAKERS: dict[str, Callable[[Trace], str]] = {
    "html": lambda x: export(x, "html", LIGHT),
    "column": lambda x: render_for_column(x, LIGHT),
    "svg": lambda x: export(x, "svg", LIGHT),
    "compact": lambda x: export(x, "svg", LIGHT._replace(compact=True)),
    "figure": lambda x: x.figure(theme="light").html,
    "stepping": lambda x: (
        x.figure(motion="stepping", theme="light", id=f"on-{x.instruction.opcode}").svg
    ),
    "file": lambda _: '<p><img src="x.svg" alt="x"/></p>',
}
"""What an author puts into a chapter."""


@pytest.mark.parametrize("kind", MAKERS)
def test_a_chapter_of_an_epub_has_what_its_readers_allow(kind: str) -> None:
    """EPUBCheck 5.3.0 found nothing either."""
    body = "".join(MAKERS[kind](shown) for shown in (E3, SCALED))
    assert [*list_forbidden(make_chapter(body))] == []


@pytest.mark.parametrize("width", [380, 560, 760])
@pytest.mark.parametrize("kind", [x for x in MAKERS if x != "figure"])
def test_a_page_of_an_epub_shows_the_picture_alone(
    browser: Browser, kind: str, width: int, tmp_path: Path
) -> None:
    """At the widths of e-readers, as strict XML. A figure of a notebook scrolls in narrow ones."""
    shown = example("vadd4")
    still = MAKERS["stepping" if kind == "stepping" else "svg"]
    is_compact = kind == "compact" or (kind in ("html", "column") and width < 620)
    alone = MAKERS["compact"](shown) if is_compact else still(shown)
    files = {"x.svg": alone} if kind == "file" else {}
    style = "body{margin:0}img{display:block;max-width:100%}"
    write_epub(tmp_path / "book.epub", make_chapter(MAKERS[kind](shown), style), files)
    with zipfile.ZipFile(tmp_path / "book.epub") as book:
        assert book.namelist()[0] == "mimetype"
        book.extractall(tmp_path / "book")
    browser.visit(tmp_path / "book" / "one.xhtml", width)
    assert browser.value("document.contentType") == "application/xhtml+xml"
    assert browser.value("document.documentElement.scrollWidth") <= width
    css = "img" if files else "svg[viewBox]"
    seen = browser.shoot(css)
    (size,) = filter(None, browser.each(css, "x.checkVisibility() && x.clientWidth"))
    browser.open(f"{make_width_style(size)}{alone}", 1400)
    assert_alike(seen, browser.shoot("svg"))


TALL_BLOCK = trace_block(
    "{ prmt.b32 t, a, b, 0x5410; vadd2.s32.s32.s32.sat u, t, c, c; vmax4.s32.s32.s32 d, u, t, c; }",
    {"a": 0x11223344, "b": 0x8899AABB, "c": 0x7FFF},
)


@pytest.mark.parametrize("kind", ["html", "column", "figure"])
@pytest.mark.parametrize("shown", [QUAD, TALL_BLOCK], ids=["instruction", "block"])
def test_paper_has_the_whole_picture_on_one_page(browser: Browser, shown: Trace, kind: str) -> None:
    """It begins too low on a page for the rest of it, and is wider than the paper, or higher."""
    pdfium = pytest.importorskip("pypdfium2")
    auto = {"html": export(shown, "html"), "column": render_for_column(shown, Options()),
            "figure": shown.figure().html}  # fmt: skip
    words = f"<p>{'words ' * 900}</p>"
    browser.open(f"<body>{words}{auto[kind]}{words}", dark=True)
    with pdfium.PdfDocument(browser.make_pdf()) as document:
        pages = [page.get_textpage() for page in document]
        said = ["".join(page.get_text_range().split()) for page in pages]
        wanted = ["".join(x.split()) for x in texts(ET.fromstring(export(shown, "svg")))]
        assert len(wanted) > 50
        (found,) = [at for at, text in enumerate(said) if wanted[0] in text]
        assert [x for x in wanted if x not in said[found]] == []
        assert "Allvaluesintables" not in "".join(said)  # nobody unfolds paper
        for page, text in zip(document, pages, strict=True):
            wide, high = page.get_size()
            for left, low, right, top in map(text.get_charbox, range(text.count_chars())):
                assert 0 <= left <= right <= wide
                assert 0 <= low <= top <= high
        image = document[found].render(scale=1).to_pil().convert("L")
        assert np.median(np.asarray(image)) > 240  # a dark reader's paper is white
