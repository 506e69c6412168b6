"""The Sphinx extension: every option, cross references, values in a text, every builder."""

from __future__ import annotations

import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from contextlib import redirect_stderr
from html import unescape
from io import StringIO
from pathlib import Path
from unittest.mock import Mock
from warnings import catch_warnings, simplefilter

import html5lib
import pytest
from sphinx.cmd.build import build_main

from ptxscope import Trace, trace
from ptxscope.features.publish import sphinx_extension
from ptxscope.features.publish.value_lookup import (
    format_block_value,
    format_destinations,
    format_value,
)
from tests.driving.epub import list_forbidden
from tests.driving.feature_tables import needs
from tests.driving.samples import E3, LANES
from tests.tiers import ci_only

pytestmark = ci_only

CLAMP = trace("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x7F80FF01, "b": 0x01FF0280, "c": 0})


def read_rst(name: str, **changes: str) -> str:
    """A page in rst, with words in capitals replaced."""
    text = Path(__file__).with_name("sphinx_pages").joinpath(f"{name}.rst").read_text("utf-8")
    for word, replacement in changes.items():
        text = text.replace(word, replacement)
    return text


def built(
    folder: Path, pages: dict[str, str], builder: str = "html", conf: str = "", *more: str
) -> str:
    """Build pages into ``folder/out``; returns what was warned of.

    Jobs, which are processes, begin in one of their own.
    """
    (folder / "conf.py").write_text(f'extensions = ["ptxscope.sphinx"]\n{conf}')
    for name, text in pages.items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")
    arguments = ["-q", "-b", builder, *more, str(folder), str(folder / "out")]
    if "-j" in more:
        command = [sys.executable, "-m", "sphinx", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr
    with redirect_stderr(StringIO()) as warned, catch_warnings():
        simplefilter("ignore")  # as in a process: Sphinx warns its extensions of later versions
        assert build_main(arguments) == 0, warned.getvalue()
    return warned.getvalue()


def read(folder: Path, name: str) -> str:
    return (folder / "out" / name).read_text(encoding="utf-8")


EQUAL = "".join(
    f".. ptx-trace:: vset.s32.u32.lt d, a, b\n   :operands: a=1 b={b}\n   :format: {format_}\n\n"
    for b in ("2", "0x2")
    for format_ in ("html", "svg")
)
"""Traces that are equal, or nearly."""


SITE = {
    "index": read_rst("clamp", FORMAT="html"),
    "other": read_rst("references"),
    "compact": read_rst("compact"),
    "equal": f"Title\n=====\n\n{EQUAL}",
    **{
        f"class-{format_}": read_rst("class", FORMAT=format_) for format_ in ("html", "svg", "text")
    },
}
"""Pages that do not disturb each other, built once for the tests that read them."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    pages = {name: text if name in ("index", "other") else f":orphan:\n\n{text}"
             for name, text in SITE.items()}  # fmt: skip
    assert built(folder, pages) == ""
    return folder


def pages_of(format_: str) -> dict[str, str]:
    return {"index": read_rst("clamp", FORMAT=format_), "other": read_rst("references")}


def test_options_of_pictures_are_those_of_the_command(site: Path) -> None:
    page = read(site, "compact.html")
    assert 'viewBox="0 0 400 ' in page
    assert page.count("viewBox") == 2
    assert "d = 0x00000007" in page
    assert page.count("PTX ISA") == 1


@pytest.mark.parametrize(("format_", "role"), [("html", "group"), ("svg", "img")])
def test_every_option_and_every_reference(
    format_: str, role: str, site: Path, tmp_path: Path
) -> None:
    if format_ == "svg":
        site = tmp_path
        assert built(site, pages_of("svg")) == ""
    index, other = read(site, "index.html"), read(site, "other.html")
    assert (
        f'<div class="ptx-trace wide extra" role="{role}" '
        f'aria-label="four &quot;sums&quot; &amp; two clamps">'
    ) in index
    assert len(re.findall(r'class="[^"]*\bextra\b', index)) == 1
    for said in ("below it", "the clamp is why", "another", "Steps not shown: 1 select"):
        assert said in index
    assert 'class="ptxscope px-dark" id="e3"' in index
    ids = re.findall(r'\bid="([^"]+)"', index)
    assert len(set(ids)) == len(ids)
    tree = html5lib.parse(other, namespaceHTMLElements=False)
    links = {
        (a.get("href"), "".join(a.itertext()))
        for a in tree.iter("a")
        if str(a.get("href")).startswith("index.html#")
        and "reference internal" in str(a.get("class"))
    }
    wanted = {
        ("index.html#the-clamp", "Saturation"),
        ("index.html#the-clamp-step-operate", "3. add"),
        ("index.html#the-clamp-step-saturate", "4. saturate"),
        ("index.html#the-clamp-step-saturate", "here"),
        ("index.html#e3-step-saturate", "4. saturate"),
    }
    assert wanted <= links
    assert {str(href).partition("#")[2] for href, _ in wanted} <= {*ids}
    values = ["".join(x.itertext()) for x in tree.iter("code")]
    # 127 + 1, -128 - 1, -1 + 2, 1 - 128, clamped; and by erratum E3 the lane's largest
    assert values == ["0x7f800181", "0x7f800181", "127", "0x01ff0280", "0x112233ff"]


@pytest.mark.parametrize("builder", ["html", "epub", "latex"])
@pytest.mark.parametrize("format_", ["html", "svg"])
def test_a_caption_makes_a_figure_with_a_number(tmp_path: Path, builder: str, format_: str) -> None:
    """An EPUB is XML, and its readers run no scripts."""
    conf = "numfig = True\nversion = '1'\nepub_copyright = 'x'\n"
    doctrees = str(tmp_path / "doctrees")
    assert (
        built(
            tmp_path, {"index": read_rst("figure", FORMAT=format_)}, builder, conf, "-d", doctrees
        )
        == ""
    )
    if builder == "latex":
        (file,) = (tmp_path / "out").glob("*.tex")
        text = file.read_text(encoding="utf-8")
        assert text.count(r"\begin{figure}") == text.count(r"\caption{") == 2
        assert text.count(r"\label{\detokenize{index:four-sums}}") == 1
        return
    text = read(tmp_path, "index.html" if builder == "html" else "index.xhtml")
    assert "Fig. 1" in text
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(set(ids)) == len(ids)
    tree = html5lib.parse(text, namespaceHTMLElements=False)
    first, second = (x for x in tree.iter("figure") if "px-picture" not in x.get("class", ""))
    assert first.get("id") == "four-sums"
    assert [x.text for x in first.iter("em")] == ["sums"]
    assert {"four-sums", "four-sums-step-saturate"} <= {*ids}
    assert "One bit." in "".join(second.itertext())
    if builder == "epub":
        ET.fromstring(text.replace("&nbsp;", "&#160;"))
        assert not (tmp_path / "out" / "_static" / "ptxscope").exists()


def test_paper_gets_pictures_with_labels(tmp_path: Path) -> None:
    assert built(tmp_path, pages_of("svg"), "latex") == ""
    (tex,) = (tmp_path / "out").glob("*.tex")
    text = tex.read_text(encoding="utf-8")
    shown = re.findall(r"\\sphinxincludegraphics\[.*?\]\{\{(.*?)\}\.(pdf|png)\}", text)
    assert len(shown) == 4
    assert text.count(r"\ifdim\linewidth<300pt \sphinxincludegraphics") == 2
    for name, suffix in shown:
        data = (tmp_path / "out" / f"{name}.{suffix}").read_bytes()
        if suffix == "pdf":
            assert data.startswith(b"%PDF-")
            continue
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        wide, high = struct.unpack(">II", data[16:24])
        assert wide >= 2 * 800  # twice what a screen shows
        assert len(data) > wide * high / 100  # a blank one takes a thousandth
    for label in re.findall(r"\\hyperref\[\\detokenize\{(index:.*?)\}\]", text):
        assert rf"\label{{\detokenize{{{label}}}}}" in text
    assert "0x7f800181" in text


def test_a_narrow_column_of_paper_has_the_compact_picture(tmp_path: Path) -> None:
    """300 pt is its own width, of 400 px."""
    pdfium = pytest.importorskip("pypdfium2")
    pytest.importorskip("typst")
    compact = "\n.. ptx-trace:: popc.b32 d, a\n   :operands: a=1\n   :compact:\n"
    whole = compact.replace("   :compact:\n", "")
    assert built(tmp_path, {"index": f"Title\n=====\n{whole}{compact}"}, "latex") == ""
    (tex,) = (tmp_path / "out").glob("*.tex")
    text = tex.read_text(encoding="utf-8")
    include = r"\\sphinxincludegraphics\[.*?\]\{\{(.*?)\}\.pdf\}"
    ((small, large),) = re.findall(rf"<300pt {include}\\else {include}\\fi", text)
    assert re.findall(include, text) == [small, large, small]
    for name, width in ((small, 300), (large, 600)):
        with pdfium.PdfDocument(tmp_path / "out" / f"{name}.pdf") as document:
            assert document[0].get_width() == pytest.approx(width)


def test_a_tall_picture_floats_on_paper(tmp_path: Path) -> None:
    """Below a heading, one of the height of a page would run off it."""
    lines = ("vadd.u32.s32.s32.sat d.b0, a, b, c", "popc.b32 d, a")
    traces = [f".. ptx-trace:: {line}\n   :operands: a=1 b=2 c=3\n" for line in lines]
    traces[1] = traces[1].replace(" b=2 c=3", "")
    text = "\n".join(["Title", "=====", "", *traces])
    assert built(tmp_path, {"index": text}, "latex") == ""
    (tex,) = (tmp_path / "out").glob("*.tex")
    include = r"\\sphinxincludegraphics\[(.*?)\]"
    pictures = rf"(begin\{{figure\}}[^\\]*\\centering\s*)?\\noindent\\ifdim.*?{include}"
    floated, inline = re.findall(pictures, tex.read_text(encoding="utf-8"))
    assert floated[0]
    assert not inline[0]
    assert floated[1] == inline[1] == r"width=\linewidth,height=.8\textheight,keepaspectratio"


def test_paper_without_a_drawing_library_gets_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("resvg_py", "typst"):
        monkeypatch.setitem(sys.modules, name, None)
    assert built(tmp_path, pages_of("svg"), "latex") == ""
    (tex,) = (tmp_path / "out").glob("*.tex")
    text = tex.read_text(encoding="utf-8")
    assert "sphinxincludegraphics[" not in text
    assert "d = 0x7f800181" in text


@pytest.mark.parametrize("builder", ["text", "texinfo", "man", "dirhtml", "pseudoxml"])
def test_every_sphinx_builder_runs_without_warnings(tmp_path: Path, builder: str) -> None:
    assert built(tmp_path, pages_of("html"), builder) == ""
    made = "".join(x.read_text("utf-8") for x in (tmp_path / "out").rglob("*") if x.is_file()
                   and x.suffix not in (".pickle", ".doctree", ".gif", ".png", ".inv"))  # fmt: skip
    assert "7f800181" in made


def test_a_theme_for_all_is_that_of_traces_without_one(tmp_path: Path) -> None:
    assert built(tmp_path, pages_of("html"), conf='ptx_theme = "light"\n') == ""
    index = read(tmp_path, "index.html")
    assert 'class="ptxscope px-light"' in index
    assert 'class="ptxscope px-dark" id="e3"' in index
    warned = built(tmp_path, pages_of("html"), conf='ptx_theme = "blue"\n')
    assert "argument :theme: invalid choice: 'blue'" in warned


@pytest.mark.parametrize("jobs", [("-j", "2"), ()])
def test_a_value_in_a_text_follows_changes_of_its_trace(
    tmp_path: Path, jobs: tuple[str, ...]
) -> None:
    pages = pages_of("html")
    more = {f"page{at}": f"T\n=\n\n:ptx:result:`the-clamp`, {at}\n" for at in range(8)}
    more = {name: f":orphan:\n\n{text}" for name, text in more.items()}
    assert built(tmp_path, pages | more, "html", "", *jobs) == ""
    assert all("0x7f800181" in read(tmp_path, f"{name}.html") for name in ("other", *more))
    pages["index"] = pages["index"].replace("a=0x7f80ff01", "a=0x7f80ff02")
    assert built(tmp_path, pages, "html", "", *jobs) == ""
    assert all("0x7f800182" in read(tmp_path, f"{name}.html") for name in ("other", *more))
    del more["page0"]
    pages["index"] = "Title\n=====\n\n.. toctree::\n\n   other\n"
    warned = built(tmp_path, pages, "html", "", *jobs)
    assert "no trace has the :name: 'the-clamp'; no trace has a name" in warned


WRONG = {
    ":ptx:result:`nosuch`": "no trace has the :name: 'nosuch'; the-clamp, e3",
    ":ptx:result:`q of e3`": "`q` is not written; %0 is",
    ":ptx:value:`e3`": "'e3': say which value",
    ":ptx:value:`nosuch of e3`": "'nosuch' is not a step of this instruction",
    ":ptx:value:`select of e3`": "`select` is not one of select.a, select.b",
    ":ptx:value:`add lane 1 of e3`": "operate.t has no lane 1: it has one value",
    ":ptx:result:`'vadd4;' a=1`": "is missing its destination type",
    ":ptx:result:`'vadd4 a=1`": "No closing quotation",
    ":ptx:result:`<script>`": "no trace has the :name: '<script>'",
}
WRONG_TRACES = {
    "vadd4.s32.s32 d, a, b, c": "is missing its type of b",
    "vadd4.s32.s32.s32 d, a, b, c\n   :operands: a=1": "no value for",
    "popc.b32 d, a\n   :operands: a=1\n   :notes: x=y": "'x' is not a step",
    "popc.b32 d, a\n   :operands: a='": "No closing quotation",
    "popc.b32 d, a\n   :operands: a=1 --help": "unrecognized arguments: --help",
}


def test_an_error_in_a_sphinx_page_is_reported_at_its_line(tmp_path: Path) -> None:
    traces = "".join(f".. ptx-trace:: {text}\n\n" for text in WRONG_TRACES)
    other = "Other\n=====\n\n" + "\n\n".join(WRONG) + "\n"
    names = read_rst("clamp", FORMAT="html").replace("e3", "the clamp").replace("The Clamp", "???")
    pages = pages_of("html") | {"other": other, "twice": names}
    warned = built(tmp_path, pages | {"traces": f":orphan:\n\n{traces}"})
    line = 3
    for text, said in WRONG_TRACES.items():
        (warning,) = re.findall(rf"traces\.rst:{line}: WARNING: ptx-trace: (.*)", warned)
        assert said in warning
        line += 2 + text.count("\n")
    assert "vadd4.s32.s32" in read(tmp_path, "traces.html")
    at = [warned.index(f"other.rst:{4 + 2 * line}: WARNING: ptx:") for line in range(len(WRONG))]
    for start, end, said in zip(at, [*at[1:], None], WRONG.values(), strict=True):
        assert said in warned[start:end]
    assert "the name the-clamp is already used, in " in warned
    assert "'???' is not a name" in warned
    assert "Traceback" not in warned
    shown = read(tmp_path, "other.html")
    assert "&lt;script&gt;`" in shown
    assert "<script>`" not in shown


@pytest.mark.parametrize("name", ["parse_request", "_framed"])
def test_an_internal_error_does_not_end_the_build(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sphinx_extension, name, Mock(side_effect=IndexError("an index")))
    page = ".. ptx-trace:: popc.b32 d, a\n   :operands: a=1\n\nThe rest.\n"
    warned = built(tmp_path, {"index": page})
    assert "index.rst:1: WARNING: ptx-trace: internal error (IndexError: an index)" in warned
    assert "Traceback" not in warned
    assert "The rest." in read(tmp_path, "index.html")


def test_steps_have_link_targets_and_duplicate_names_are_reported(tmp_path: Path) -> None:
    warned = built(tmp_path, {"index": read_rst("targets")}, conf="numfig = True\n").splitlines()
    assert len(warned) == 3
    assert ":8: WARNING: ptx-trace: the name the-block is already used" in warned[0]
    assert ":12: WARNING: ptx-trace: :fold: is for a block of several statements" in warned[1]
    assert ":16: WARNING: undefined label: 'the block' [ref.numref]" in warned[2]  # not numbered
    page = (tmp_path / "out" / "index.html").read_text()
    assert page.count('href="#the-block-s2-operate"') == 2


@pytest.mark.parametrize("format_", ["html", "svg", "text"])
def test_a_class_is_of_one_box(site: Path, format_: str) -> None:
    assert len(re.findall(r'class="[^"]*\bmine\b', read(site, f"class-{format_}.html"))) == 1


@pytest.mark.parametrize(("builder", "traces"), [("html", 4), ("singlehtml", 8)])
def test_equal_traces_have_ids_of_their_own(
    builder: str, traces: int, site: Path, tmp_path: Path
) -> None:
    page = read(site, "equal.html")
    if builder == "singlehtml":
        index = f"Title\n=====\n\n.. toctree::\n\n   other\n\n{EQUAL}"
        pages = {"index": index, "other": f"Other\n=====\n\n{EQUAL}"}
        assert built(tmp_path, pages, builder) == ""
        page = read(tmp_path, "index.html")
    assert page.count('class="ptx-trace"') == traces
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert sorted(ids) == sorted(set(ids))
    assert {*re.findall(r"url\(#([^)]+)\)", page)} <= {*ids}


COMPARED = trace("setp.lt.and.s32 q|r, a, b, c", {"a": -5, "b": 7, "c": 1})


@pytest.mark.parametrize(
    ("format_", "shown", "what", "told"),
    [
        (format_value, CLAMP, "a", "0x7f80ff01"),
        (format_value, CLAMP, "select.a", "[0x7f, 0x80, 0xff, 0x01]"),
        (format_value, CLAMP, "select.b lane 1", "0x02"),
        (format_value, CLAMP, "extend.a", "[127, -128, -1, 1]"),
        *((format_value, CLAMP, x, "[128, -129, 1, -127]") for x in ("add", "3", "operate")),
        (format_value, CLAMP, "saturate", "[127, -128, 1, -127]"),
        (format_value, CLAMP, "saturate lane 3", "127"),
        (format_value, CLAMP, "saturate.t LANE 2", "-128"),
        (format_value, CLAMP, "merge lane 0", "0x81"),
        (format_value, CLAMP, "write", "0x7f800181"),
        (format_value, E3, "%1", "0xffffffff"),
        (format_value, E3, "a", "0xffffffff"),
        (format_value, E3, "add", "-1"),
        (format_value, COMPARED, "c", "1"),
        (format_destinations, E3, "", "0x11223300"),
        (format_destinations, E3, "%0", "0x11223300"),
        (format_destinations, COMPARED, "", "q = 1, r = 0"),
        (format_destinations, COMPARED, "q", "1"),
        (format_destinations, COMPARED, "r", "0"),
        (format_block_value, LANES, "", "0xaabb7fff"),
        (format_block_value, LANES, "d", "0xaabb7fff"),
        (format_block_value, LANES, "a", "0x11223344"),
        (format_block_value, LANES, "s2.saturate lane 0", "32767"),
    ],
)
def test_a_value_by_its_name(
    format_: Callable[[Trace, str], str], shown: Trace, what: str, told: str
) -> None:
    assert format_(shown, what) == told


@pytest.mark.parametrize("wrong", ["t", "s3.write", "saturate", "s2.none"])
def test_a_value_that_a_block_lacks_is_an_error(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"not one of|not a step"):
        format_block_value(LANES, wrong)


@pytest.mark.parametrize("format_", ["html", "svg", "text"])
def test_a_block_is_a_trace(tmp_path: Path, format_: str) -> None:
    assert built(tmp_path, {"index": read_rst("block", FORMAT=format_)}) == ""
    text = read(tmp_path, "index.html")
    assert "the clamp" in text
    assert "0xaabb7fff" in text
    for anchor in set(re.findall(r'href="#(pack[^"]*)"', text)):
        assert f'id="{anchor}"' in text


@needs("page")
@pytest.mark.parametrize("format_", ["html", "svg"])
def test_a_live_figure_is_the_still_one_with_fields(tmp_path: Path, format_: str) -> None:
    from ptxscope.features.page.live_figure import LiveFigure

    text = read_rst("live", FORMAT=format_)
    still, live = tmp_path / "still", tmp_path / "live"
    for folder, mark in ((still, "class: x"), (live, "live:")):
        folder.mkdir()
        pages = {"index": "T\n=\n\n.. toctree::\n\n   sub/page\n"}
        (folder / "sub").mkdir()
        (folder / "sub" / "page.rst").write_text(text.replace("LIVE:", mark), encoding="utf-8")
        assert built(folder, pages, "html", "", "-W") == ""
    page = read(live, "sub/page.html")
    drawn = re.findall(r"<svg.*?</svg>", read(still, "sub/page.html"), re.DOTALL)
    assert re.findall(r"<svg.*?</svg>", page, re.DOTALL) == drawn
    assert page.count('src="../_static/ptxscope/live.js"') == 3
    assert (live / "out" / "_static" / "ptxscope" / "engine.json").exists()
    assert not (still / "out" / "_static" / "ptxscope").exists()
    for words, shown in zip(
        re.findall('data-words="([^"]*)"', page),
        ("a=0x7f b=1", "a=1 b=2 c=0x3210", "a=255 b=3"),
        strict=True,
    ):
        figure = LiveFigure(unescape(words))
        values = dict(x.split("=") for x in shown.split())
        assert json.loads(figure.render(json.dumps(values)))["document"].strip() in page


def test_the_readers_of_an_epub_run_no_scripts(tmp_path: Path) -> None:
    conf = "version = '1'\nepub_copyright = 'x'\n"
    pages = {"index": read_rst("live", LIVE="live", FORMAT="svg")}
    assert built(tmp_path, pages, "epub", conf, "-d", str(tmp_path / "doctrees")) == ""
    assert "live.js" not in read(tmp_path, "index.xhtml")
    assert not (tmp_path / "out" / "_static" / "ptxscope").exists()


def test_an_epub_has_pictures_and_styles_in_files(tmp_path: Path) -> None:
    """Sphinx does not declare that a chapter has SVG, and EPUB readers want a style in the head."""
    conf = "version = '1'\nepub_copyright = 'x'\n"
    pages = {"index": f"Title\n=====\n\n{EQUAL}"}
    assert built(tmp_path, pages, "epub", conf, "-d", str(tmp_path / "doctrees")) == ""
    page = read(tmp_path, "index.xhtml")
    assert [*list_forbidden(page)] == []
    assert "<svg" not in page
    images = re.findall('<img src="([^"]+)" alt="([^"]+)"/>', page)
    assert len(images) == 8  # each of four, whole and compact
    for name, alt in images:
        picture = read(tmp_path, name)
        assert ET.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
        assert "Result: d = 0x00000001" in alt  # 1 < 2
        assert "px-light" in picture
    styles = re.findall('<link rel="stylesheet" href="([^"]+ptx-[^"]+)"/>', page)
    assert len(styles) == 2 * 2 + 2
    assert ".px-narrow img" in "".join(read(tmp_path, name) for name in styles)


def test_a_live_figure_is_still_if_no_feature_makes_it_live(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sphinx_extension, "find_services", lambda _: ())
    told = built(tmp_path, {"index": read_rst("live", LIVE="live", FORMAT="svg")}, "html")
    assert told.count("no feature makes live figures; this one is static") == 3
    assert "px-live" not in read(tmp_path, "index.html")


def test_a_text_builder_has_the_still_text(tmp_path: Path) -> None:
    text = read_rst("live", LIVE="live", FORMAT="svg")
    assert built(tmp_path, {"index": text}, "text", "", "-W") == ""
    assert "vadd4.s32.s32.s32.sat" in read(tmp_path, "index.txt")
    assert not (tmp_path / "out" / "_static").exists()
