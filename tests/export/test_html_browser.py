"""HTML in a real browser: readable and whole, whatever the page, the system and the width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from ptxscope import Trace, export, trace
from ptxscope.documents.media.frames import compute_min_width
from ptxscope.documents.options import Options
from ptxscope.documents.theme import HTML, Theme
from tests.driving.browser import Browser, Rgb, Words
from tests.driving.colours import contrast, linear
from tests.driving.samples import E3, HOSTILE, annotated, example
from tests.tiers import ci_only, some

pytestmark = ci_only

WIDTHS = (380, 760, 1200)
LONG = "%" + "long_name_" * 4
LONG_NAMES = trace(
    f"vadd4.s32.s32.s32.sat {LONG}d, {LONG}a, {LONG}b, {LONG}c",
    {f"{LONG}a": 0x7F80FF01, f"{LONG}b": 0x01FF0280, f"{LONG}c": 0},
)
TRACES: dict[str, Trace] = {
    "e3": annotated(E3, "a remark of some length on what is seen here, and another one"),
    "vadd4": example("vadd4"),
    "vset4": example("vset4"),
    "setp": example("setp"),
    "vmad": example("vmad"),
    "wide-sums": trace(
        "vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x80808080, "b": 0x80808080, "c": 0}
    ),
    "wide-shifts": trace(
        "vshl.u32.s32.u32.clamp d.b0, a, b.b2, c",
        {"a": 0xFF80FFFF, "b": 0x7F40FFFF, "c": 0xD60B232C},
    ),
    "wide-doubles": trace("setp.lt.f64 p, a, b", {"a": 1, "b": 0xFFEFFFFFFFFFFFFF}),
    "long-names": LONG_NAMES,
    "long-words": annotated(E3, HOSTILE[-1][:300]),
}


class Host(NamedTuple):
    """A page that a trace may stand in, and how dark it is; None where the reader's system says."""

    attributes: str
    dark: bool | None
    is_dark_itself: bool = False
    """Whether the page's own ground is dark, where it does not follow the system."""


HOSTS = {
    "unmarked": Host("", False),
    "as the system": Host('style="color-scheme: light dark"', None),
    "only dark": Host('style="color-scheme: dark"', True, True),
    "furo light": Host('data-theme="light"', False),
    "furo dark": Host('data-theme="dark"', True, True),
    "furo auto": Host('data-theme="auto"', None),
    "material light": Host('data-md-color-scheme="default"', False),
    "material dark": Host('data-md-color-scheme="slate"', True, True),
    "jupyter light": Host('data-jp-theme-light="true" data-jp-theme-name="JupyterLab"', False),
    "jupyter dark": Host('data-jp-theme-light="false"', True, True),
    "quarto light": Host('class="quarto-light"', False),
    "quarto dark": Host('class="quarto-dark"', True, True),
    "bootstrap dark": Host('data-bs-theme="dark"', True, True),
}


def page(host: Host, fragment: str) -> str:
    """A page with rules of its own for tables, code and headings, as themes have them."""
    ink, ground, other = ("#ddd", "#111", "#333") if host.is_dark_itself else (
        "#222", "#fff", "#e8e8e8")  # fmt: skip
    return f"""<!DOCTYPE html><html lang="en"><head><title>x</title><style>
    body {{ color: {ink}; background: {ground}; margin: 8px }}
    .host h3, .host h4, .host p, .host td, .host th, .host label, .host dt {{ color: {ink} }}
    .host code, .host pre {{ color: {ink}; background: {other}; font-size: 9px;
      word-break: break-all }}
    .host pre > code {{ color: {ink}; background: {other}; display: block; padding: 20px }}
    .host table {{ width: 1000px; font-size: 8px; text-align: right; background: {ground} }}
    .host tbody tr:nth-child(odd) {{ background: {other}; color: {ink} }}
    </style></head><body {host.attributes}><div class="host">{fragment}</div></body></html>"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser.start(tmp_path_factory.mktemp("browser")) as started:
        yield started


def ground_of(browser: Browser) -> tuple[int, int, int]:
    """The colour at the upper edge of an article."""
    box = browser.each(".ptxscope", "x.getBoundingClientRect().toJSON()")[0]
    return browser.pixel(box["left"] + box["width"] / 2, box["top"] + 4)


def expected(dark: bool) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(HTML["page"][dark][1:])
    return red, green, blue


def check_readable(words: list[Words]) -> None:
    assert len(words) > 20
    for said in words:
        assert min(said.ground) >= 0, said
        assert contrast(linear(said.ink), linear(said.ground)) >= 4.5, said
        assert said.size >= 9, said


def check_whole(browser: Browser, width: int) -> None:
    assert browser.value("document.documentElement.scrollWidth") <= width
    for said in browser.words():
        assert said.boxed or (said.left >= 0 and said.right <= width), said
    assert all(x < 2 for x in browser.each(".px-bits code, .px-arrow", "x.getClientRects().length"))
    for position, wide, room in browser.each(
        "th", "[getComputedStyle(x).position, x.offsetWidth, x.closest('.px-scroll')?.clientWidth]"
    ):  # a column that stays must leave room for what scrolls past it
        assert position != "sticky" or wide <= room / 3
    for wide, shown, overflow in browser.each(
        ".px-scroll", "[x.scrollWidth, x.clientWidth, getComputedStyle(x).overflowX]"
    ):
        assert wide <= shown or overflow == "auto"
    assert all(browser.each(".px-scroll", "x.scrollHeight <= x.clientHeight"))


@pytest.mark.parametrize("dark", [False, True], ids=["light system", "dark system"])
@pytest.mark.parametrize("host", some(HOSTS, 1))
def test_a_fragment_follows_the_light_or_dark_scheme_of_its_page(
    browser: Browser, host: str, dark: bool
) -> None:
    of = HOSTS[host]
    fragment = export(TRACES["e3"], "html", Options(both=True))
    browser.open(page(of, fragment), dark=dark)
    browser.unfold()
    check_readable(browser.words())
    check_whole(browser, 760)
    assert ground_of(browser) == expected(dark if of.dark is None else of.dark)


@pytest.mark.parametrize("dark", [False, True], ids=["light system", "dark system"])
@pytest.mark.parametrize("theme", list(Theme))
def test_a_chosen_theme_overrides_the_page(browser: Browser, theme: Theme, dark: bool) -> None:
    shown = dark if theme is Theme.AUTO else theme is Theme.DARK
    options = Options(both=True, theme=theme)
    for host in ("unmarked", "material dark", "furo light"):
        browser.open(page(HOSTS[host], export(TRACES["e3"], "html", options)), dark=dark)
        browser.unfold()
        check_readable(browser.words())
        if theme is not Theme.AUTO:
            assert ground_of(browser) == expected(shown)
    browser.open(export(TRACES["e3"], "html", options._replace(standalone=True)), dark=dark)
    browser.unfold()
    check_readable(browser.words())
    assert browser.pixel(1, 1) == expected(shown)


@pytest.mark.parametrize("width", some(WIDTHS))
@pytest.mark.parametrize("name", some(TRACES))
def test_no_part_of_a_page_is_truncated_or_too_wide(
    browser: Browser, name: str, width: int
) -> None:
    for options in (Options(both=True, standalone=True), Options(both=True)):
        text = export(TRACES[name], "html", options)
        browser.open(text if options.standalone else page(HOSTS["unmarked"], text), width)
        check_whole(browser, width)
        browser.unfold()
        check_whole(browser, width)
        check_readable(browser.words())
        if name.startswith("wide") and options.standalone:  # what has no room goes on below
            assert all(browser.each(".px-scroll:has(table)", "x.scrollWidth <= x.clientWidth"))
        browser.value("document.querySelector('.px-say input').click()")
        check_whole(browser, width)
        check_readable(browser.words())


PICTURES = {
    "alone": ("SVG", None),
    "unmarked": ("<body>SVG", False),
    "as the system": ('<body style="color-scheme: light dark">SVG', None),
    "material dark": ('<body data-md-color-scheme="slate">SVG', True),
    "material light": (
        '<html style="color-scheme: dark"><body data-md-color-scheme="default">SVG', False
    ),
}  # fmt: skip


@pytest.mark.parametrize("theme", list(Theme))
def test_a_picture_follows_its_theme_or_its_page(browser: Browser, theme: Theme) -> None:
    svg = E3.figure(theme=theme).svg
    for text, is_dark in PICTURES.values():
        for dark in (False, True):
            alone = text == "SVG"
            document = text.replace("SVG", svg)
            browser.open(document if alone else f"<!DOCTYPE html>{document}", dark=dark,
                         name="picture.svg" if alone else "page.html")  # fmt: skip
            shown = dark if is_dark is None else is_dark
            if theme is not Theme.AUTO:
                shown = theme is Theme.DARK
            assert ground_of_pictures(browser) == [expected(shown)], (text, dark)


def ground_of_pictures(browser: Browser) -> list[Rgb]:
    """The colours behind pictures: the first box of each."""
    found = browser.each("svg > rect:first-of-type", "getComputedStyle(x).fill")
    return [pixels(x) for x in found]


def test_fragments_of_two_themes_keep_their_colours_on_one_page(browser: Browser) -> None:
    light, dark = (export(E3, "html", Options(theme=theme)) for theme in (Theme.LIGHT, Theme.DARK))
    browser.open(page(HOSTS["unmarked"], light + dark))
    browser.unfold()
    check_readable(browser.words())
    assert len(set(browser.each(".ptxscope", "getComputedStyle(x).backgroundColor"))) == 2


def test_a_printed_fragment_is_complete_and_dark_on_light(browser: Browser) -> None:
    for host in ("unmarked", "furo dark", "only dark"):
        browser.open(page(HOSTS[host], export(TRACES["vadd4"], "html")))
        browser.unfold()
        browser.print()
        check_readable(browser.words())
        assert ground_of(browser) == expected(False)
        assert set(browser.each(".px-scroll", "getComputedStyle(x).overflowX")) == {"visible"}


@pytest.mark.parametrize("width", WIDTHS)
def test_a_cell_under_the_mouse_shows_the_origin_of_its_bits(browser: Browser, width: int) -> None:
    browser.open(export(TRACES["vadd4"], "html", Options(standalone=True)), width)
    browser.unfold()
    browser.value("document.querySelector('.px-pictures').remove()")  # the tables move up
    cells = browser.each(
        ".px-lanes td",
        "[x.getBoundingClientRect().toJSON(), x.querySelector('.px-from').textContent]",
    )
    reached = [x for x in cells if x[0]["left"] < width - 35 and x[0]["top"] < 995]
    assert len(reached) >= 8
    for box, told in reached[::3]:
        browser.point(box["left"] + 5, box["top"] + 5)
        shown = [said for said in browser.words() if said.text == told]
        assert len(shown) == 1
        assert shown[0].left >= 0
        assert shown[0].right <= width
        assert browser.value("document.documentElement.scrollWidth") <= width
        assert contrast(linear(shown[0].ink), linear(shown[0].ground)) >= 4.5


LIT = """
[...document.querySelectorAll('.px-zones rect')]
    .filter(x => getComputedStyle(x).strokeOpacity === '1').map(x => x.dataset.v)
"""


def test_a_table_has_a_line_on_every_side(browser: Browser) -> None:
    browser.open(page(HOSTS["unmarked"], export(TRACES["vadd4"], "html")), 1200)
    browser.unfold()
    for side in ("Top", "Right", "Bottom", "Left"):
        assert {*browser.each("th, td", f"getComputedStyle(x).border{side}Width")} == {"1px"}


@pytest.mark.parametrize("width", [380, 640, 676, 1200])
@pytest.mark.parametrize("name", TRACES)
def test_one_complete_picture_is_visible(browser: Browser, name: str, width: int) -> None:
    """The columns of alabaster (660 px) and of wider themes have room for the whole picture."""
    for options in (Options(both=True), Options(standalone=True)):
        text = export(TRACES[name], "html", options)
        browser.open(text if options.standalone else page(HOSTS["unmarked"], text), width)
        seen = browser.each(
            ".px-picture",
            "[x.offsetWidth, x.classList.contains('px-narrow'), x.scrollWidth - x.clientWidth]",
        )
        assert {tuple(rest) for wide, *rest in seen if wide} == {(width < 660, 0)}


@pytest.mark.parametrize("width", [380, 1200])
@pytest.mark.parametrize("name", ["vadd4", "vset4", "setp", "vmad", "e3"])
def test_a_value_under_the_mouse_highlights_related_values(
    browser: Browser, name: str, width: int
) -> None:
    browser.open(page(HOSTS["unmarked"], export(TRACES[name], "html", Options(both=True))), width)
    assert browser.value(LIT) == []
    values = browser.each(
        ".px-zones rect", "[x.getBoundingClientRect().toJSON(), x.dataset.v, x.dataset.r]"
    )
    reached = [x for x in values if 0 < x[0]["top"] < 1097]
    assert len(reached) > 5
    for box, own, related in reached[::4]:
        browser.point(box["left"] + 3, box["top"] + 3)
        lit = browser.value(LIT)
        assert own in lit
        assert {*lit} == {*related.split()} & {number for _, number, _ in values}
    browser.point(width - 2, 5)
    assert browser.value(LIT) == []


FOCUS = "document.activeElement.closest('td')?.querySelector('code').textContent ?? " \
    "document.activeElement.type ?? document.activeElement.localName"  # fmt: skip


def test_a_fragment_has_a_tab_stop_for_the_picture_and_one_for_the_tables(
    browser: Browser,
) -> None:
    two = export(TRACES["vadd4"], "html") + export(TRACES["vset4"], "html")
    browser.open(page(HOSTS["unmarked"], two), 1200)
    stops = []
    for _ in range(5):
        browser.press("Tab")
        stops.append(browser.value(FOCUS))
    assert stops == ["figure", "summary", "figure", "summary", "body"]
    browser.unfold()
    for key in ("Tab", "Tab", "Tab", " "):
        browser.press(key)
    said = [word.text for word in browser.words()]
    told = browser.each(".ptxscope:first-of-type .px-from", "x.textContent.trim()")
    assert told
    assert all(text in said for text in told)


def test_arrow_keys_move_between_cells_of_a_page(browser: Browser) -> None:
    browser.open(export(LONG_NAMES, "html", Options(standalone=True)), 1200)
    browser.unfold()
    rows = browser.each(
        ".px-lanes tbody tr",
        "[...x.querySelectorAll('td')].map(cell => cell.querySelector('code').textContent)",
    )

    def after(key: str) -> str:
        browser.press(key)
        return str(browser.value(FOCUS))

    assert [after("Tab") for _ in range(3)] == ["figure", "summary", "checkbox"]
    for key, reached in (
        ("ArrowUp", "checkbox"), ("ArrowDown", rows[0][0]), ("ArrowRight", rows[0][1]),
        ("ArrowDown", rows[1][1]), ("End", rows[1][-1]), ("ArrowRight", rows[1][-1]),
        ("Home", rows[1][0]), ("ArrowUp", rows[0][0]), ("ArrowUp", "checkbox"),
        ("ArrowDown", rows[0][0]), ("Escape", "checkbox"), ("ArrowDown", rows[0][0]),
    ):  # fmt: skip
        assert after(key) == reached
    assert after("Tab") in ("body", "checkbox", "figure")


def test_arrow_keys_move_between_values_of_a_picture(browser: Browser) -> None:
    browser.open(export(TRACES["vadd4"], "html", Options(standalone=True)), 1200)
    focus = "(x => x.localName === 'rect' ? x.textContent || x.dataset.v : x.localName)" \
        "(document.activeElement)"  # fmt: skip

    def after(key: str) -> str:
        browser.press(key)
        return str(browser.value(focus))

    assert after("Tab") == "figure"
    registers = [after("ArrowDown"), *(after("ArrowRight") for _ in range(7))]
    assert len(set(registers)) == 8  # four bytes of a and four of b
    assert after("ArrowRight") == registers[-1]
    assert after("Home") == registers[0]
    assert "From a bits 31:24." in after("ArrowDown")
    assert browser.value(LIT)
    assert after("Escape") == "figure"


def test_pictures_of_several_themes_keep_their_colours_on_one_page(browser: Browser) -> None:
    """Each has its colours, whichever comes last, and however much of it is shown."""
    noted = E3.figure(theme="light", notes={"saturate": "a note"}).svg
    pictures = {
        noted: False,
        E3.figure(theme="dark", until="saturate").svg: True,
        E3.figure().svg: False,
    }
    for order in (list(pictures), list(pictures)[::-1]):
        browser.open(page(HOSTS["unmarked"], "".join(order)))
        assert ground_of_pictures(browser) == [expected(pictures[x]) for x in order]


def pixels(css: str) -> Rgb:
    red, green, blue = map(int, re.findall(r"\d+", css)[:3])
    return red, green, blue


@pytest.mark.parametrize("width", [380, 760, 1200])
@pytest.mark.parametrize("name", ["e3", "vadd4"])
def test_letters_have_9_px_in_a_narrow_column(browser: Browser, name: str, width: int) -> None:
    """And only the picture scrolls, not the page, whatever the page says of pictures."""
    shown = E3 if name == "e3" else example("vadd4")
    figure = shown.figure(both=name == "e3")
    style = "svg { max-width: 100%; height: auto }"
    browser.open(f"<style>{style}</style><p>text</p>{figure.html}<p>more</p>", width)
    sizes = browser.each(
        "svg text", "parseFloat(getComputedStyle(x).fontSize) * x.getScreenCTM().a"
    )
    assert len(sizes) > 20
    assert min(sizes) >= 8.99
    assert browser.value("document.documentElement.scrollWidth") <= width
    (box,) = browser.each("figure", "[x.scrollWidth, x.clientWidth, x.tabIndex]")
    assert (box[0] > box[1]) == (compute_min_width(figure.svg) > box[1])
    assert box[2] == 0
