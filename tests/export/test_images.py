"""PNG and PDF: their size, their text, and what is said where they can't be made."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from ptxscope import export
from ptxscope.documents.media import images
from ptxscope.documents.options import DEFAULT, Options
from tests.driving.command_line import list_loaded_modules, run
from tests.driving.drawings import texts as drawn_texts
from tests.driving.inked import decoded, differences, grid, resvg
from tests.driving.samples import E3, HOSTILE, SCALED, SCALED_WORDS, annotated, example
from tests.tiers import ci_only, sampled, some


def measured(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def own_size(svg: str) -> tuple[float, float]:
    found = re.search(r'<svg[^>]* width="(\S+)" height="(\S+)"', svg)
    assert found
    return float(found[1]), float(found[2])


@sampled
@pytest.mark.parametrize(
    ("options", "times"),
    [
        (DEFAULT, 2),
        (Options(scale=1), 1),
        (Options(scale=0.5), 0.5),
        (Options(width=200), 0.25),
    ],
)
def test_a_png_has_the_requested_size(options: Options, times: float) -> None:
    wide, high = own_size(export(SCALED, "svg", options))
    found = measured(export(SCALED, "png", options))
    assert found == pytest.approx((wide * times, high * times), abs=0.5)


@pytest.mark.skipif(os.name != "posix", reason="a current folder can't be deleted")
@pytest.mark.parametrize("format_", ["png", "pdf"])
def test_an_image_is_rendered_in_a_folder_that_is_deleted(
    format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if format_ == "pdf":
        pytest.importorskip("typst")
    folder = tmp_path / "deleted"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    images.list_missing_chars.cache_clear()
    assert export(E3, format_, Options(width=160))


@ci_only
def test_a_png_is_the_picture() -> None:
    png = export(E3, "png", Options(both=True, width=800))
    assert not differences(grid(decoded(png)), resvg(export(E3, "svg", Options(both=True))))


@pytest.mark.parametrize("format_", ["png", "pdf"])
@pytest.mark.parametrize(
    "options",
    [Options(width=10**6), *(Options(scale=x) for x in (1e9, float("inf"), 1e-9))],
)
def test_a_size_that_cannot_be_is_an_error(format_: str, options: Options) -> None:
    if format_ == "pdf":
        pytest.importorskip("typst")
    with pytest.raises(ValueError, match=r"above 0|px"):
        export(SCALED, format_, options)


@pytest.mark.parametrize(("format_", "name"), [("png", "resvg-py"), ("pdf", "typst")])
def test_an_error_names_the_missing_package(
    format_: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name.replace("-", "_"), None)
    with pytest.raises(ImportError) as error:
        export(SCALED, format_)
    needed = (
        f"{format_} needs {name}, which is not installed: "
        "in a clone of ptxscope, run pipx install --force '.[images]'"
    )
    assert str(error.value) == needed
    done = run("trace", *SCALED_WORDS, "-f", format_)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {needed}\n")
    done = run("trace", *SCALED_WORDS, "-f", format_, "--frames", "no-such-folder")
    assert (done.returncode, done.stderr) == (2, f"error: {needed}\n")
    assert not Path("no-such-folder").exists()


def test_missing_fonts_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """resvg leaves out what it has no font for, and says nothing."""
    assert images.has_font("DejaVu Sans, sans-serif")
    assert not images.has_font("DejaVu Sans, sans-serif", skip_system_fonts=True)
    draws = images.has_font
    monkeypatch.setattr(images, "has_font", lambda family: draws(family, skip_system_fonts=True))
    images.has_fonts.cache_clear()
    try:
        with pytest.raises(ValueError, match="no font was found"):
            export(SCALED, "png")
    finally:
        images.has_fonts.cache_clear()


def texts(pdf: bytes) -> list[str]:
    """What can be selected on each page, without blanks."""
    pdfium = pytest.importorskip("pypdfium2")
    with pdfium.PdfDocument(pdf) as document:
        return ["".join(page.get_textpage().get_text_range().split()) for page in document]


def written(svg: str) -> list[str]:
    return ["".join(text.split()) for text in drawn_texts(ET.fromstring(svg))]


@pytest.mark.parametrize("opcode", ["vadd", "vadd4", "vmad", "setp", "slct", "vset2"])
def test_the_text_of_a_pdf_can_be_selected(opcode: str) -> None:
    pytest.importorskip("typst")
    shown = example(opcode)
    (said,) = texts(export(shown, "pdf", Options(both=True)))
    for text in written(export(shown, "svg", Options(both=True))):
        assert text in said


def test_a_pdf_has_a_page_of_the_size_of_the_picture_and_always_the_same_bytes() -> None:
    pytest.importorskip("typst")
    pdf = export(SCALED, "pdf", Options(scale=2))
    assert pdf == export(SCALED, "pdf", Options(scale=2))
    pdfium = pytest.importorskip("pypdfium2")
    wide, high = own_size(export(SCALED, "svg"))
    with pdfium.PdfDocument(pdf) as document:
        assert document[0].get_size() == pytest.approx((1.5 * wide, 1.5 * high))


@sampled
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_stays_text(text: str) -> None:
    pytest.importorskip("typst")
    shown = annotated(E3, text)
    assert export(shown, "pdf").startswith(b"%PDF-")
    assert measured(export(shown, "png", Options(scale=0.5)))[0] == 400


def test_typst_brings_its_own_fonts() -> None:
    typst = pytest.importorskip("typst")
    found = typst.Fonts(include_system_fonts=False).families()
    assert "DejaVu Sans Mono" in found


def test_a_trace_of_text_loads_nothing_of_images() -> None:
    loaded = list_loaded_modules("trace", *SCALED_WORDS)
    assert "ptxscope.cli.support.picture_output" in loaded
    media = {f"ptxscope.documents.media.{name}" for name in ("images", "frames")}
    assert not loaded & {"resvg_py", "typst", "pathlib", "numpy", *media}


def process(*words: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
    done: subprocess.CompletedProcess[bytes] = subprocess.run(
        [sys.executable, "-m", "ptxscope", "trace", *SCALED_WORDS, *words],
        stderr=subprocess.PIPE,
        timeout=60,
        **how,
    )
    return done


@ci_only
def test_an_image_can_be_written_to_a_pipe_or_a_file(tmp_path: Path) -> None:
    wanted = export(SCALED, "png", Options(scale=1))
    piped = process("-f", "png", "--scale", "1", stdout=subprocess.PIPE)
    assert (piped.returncode, piped.stdout) == (0, wanted)
    path = tmp_path / "t.png"
    assert run("trace", *SCALED_WORDS, "-f", "png", "--scale", "1", "-o", str(path)).returncode == 0
    assert path.read_bytes() == wanted


@ci_only
def test_an_image_is_not_written_to_a_terminal() -> None:
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    try:
        done = process("-f", "png", stdout=follower)
    finally:
        os.close(follower)
        os.close(leader)
    assert done.returncode == 2
    said = b"error: png is binary, and standard output is a terminal; add -o FILE.png\n"
    assert done.stderr == said


@ci_only
def test_an_image_for_a_closed_output_is_discarded() -> None:
    done = process("-f", "png", stdout=None, preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, b"")  # it goes nowhere, as was asked


def test_frames_are_the_pages_of_a_pdf(tmp_path: Path) -> None:
    pytest.importorskip("typst")
    deck = tmp_path / "deck.pdf"
    done = run("trace", *SCALED_WORDS, "-f", "pdf", "--frames", str(deck))
    assert (done.returncode, done.stderr) == (0, "")
    pages = texts(deck.read_bytes())
    assert len(pages) == 7
    assert ["Result" in page for page in pages] == [False] * 6 + [True]


@ci_only
@pytest.mark.parametrize("format_", ["png", "pdf"])
def test_characters_without_a_font_are_reported(format_: str, tmp_path: Path) -> None:
    """Private ones, of which no two fonts have the same; what is there or unseen is not told."""
    pytest.importorskip("typst" if format_ == "pdf" else "resvg_py")
    title = "é → “…” \N{SOFT HYPHEN}\N{ZERO WIDTH JOINER}\N{NO-BREAK SPACE}e\u0301 \U00010fff\u0379"
    words = [
        "trace",
        *SCALED_WORDS,
        "--title",
        title,
        "-f",
        format_,
        "--steps",
        "1-2",
        "--scale",
        "1",
    ]
    said = (
        "warning: no font here has \U00010fff (U+10FFF), \u0379 (U+0379): the {} shows a box for "
        "each; install a font that has them\n"
    )
    for more in (["-o", str(tmp_path / "x")], ["--frames", str(tmp_path / "y")]):
        command = [sys.executable, "-m", "ptxscope", *words, *more]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)
        told = re.sub("[^ ] (?=.U)", "", done.stderr)  # as the terminal shows them
        assert told == re.sub("[^ ] (?=.U)", "", said.format(format_.upper()))
    done_ = run(
        "trace", *SCALED_WORDS, "--title", "é → “…”", "-f", "svg", "-o", str(tmp_path / "z")
    )
    assert done_.stderr == ""


def test_only_characters_without_a_glyph_are_missing() -> None:
    pytest.importorskip("resvg_py")
    svg = export(annotated(E3, "é\u0378→"), "svg")
    assert images.find_missing_glyphs([svg], "png") == ["\u0378"]
    assert images.find_missing_glyphs([svg.replace("\u0378", "")], "png") == []


@pytest.mark.parametrize("format_", some(["pdf", "png"]))
def test_a_missing_character_does_not_affect_other_characters(format_: str) -> None:
    """A mark behind its letter, a ligature, or a character that no font has, beside Chinese."""
    pytest.importorskip("typst" if format_ == "pdf" else "resvg_py")
    made = export(annotated(E3, "饱和 e\u0301 fi"), "svg")
    if images.find_missing_glyphs([made], format_):
        pytest.skip("no font here has Chinese")
    assert images.find_boxed_glyphs([made], format_) == []
    beside = export(annotated(E3, "饱和 \U00010fff \u03bb"), "svg")
    assert images.find_missing_glyphs([beside], format_) == ["\U00010fff"]
    assert images.find_boxed_glyphs([beside], format_) == []
    draw = (
        images.render_png_bytes if format_ == "png" else lambda svg: images.render_pdf_bytes([svg])
    )
    composed, box = (
        export(annotated(E3, text), "svg")
        for text in ("饱和 \u00e9 f\u200ci", "饱和 \u25a1 \u03bb")
    )
    if format_ == "png":  # the same pixels; the description differs
        assert pixels(draw(made)) == pixels(draw(composed))
        assert pixels(draw(beside)) == pixels(draw(box))


def pixels(png: bytes) -> list[bytes]:
    """The chunks of a PNG that hold its image."""
    return [
        chunk.partition(b"IDAT")[2] for chunk in re.split(b"(?=....IDAT)", png, flags=re.S)[1:2]
    ]


def test_characters_that_become_boxes_only_in_their_line_are_reported() -> None:
    """A mark for which there is no letter with it: Arabic lam and alef make one glyph."""
    pytest.importorskip("resvg_py")
    svg = export(annotated(E3, "饱和 \u0627\u0644\u0627"), "svg")
    if images.find_missing_glyphs([svg], "png"):
        pytest.skip("no font here has Chinese and Arabic")
    assert images.find_boxed_glyphs([svg], "png") in ([], ["饱", "和"])
