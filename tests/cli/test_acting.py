"""The format that a file's name asks for, and options where they do nothing."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from ptxscope.cli.commands.trace import make_parser, parse_request
from ptxscope.documents import BINARY, FORMATS, export, find_file_format, find_format
from ptxscope.documents.options import LAYOUTS, OPTIONS, TALL
from tests.driving.command_line import run
from tests.driving.every import TEXTS
from tests.tiers import sampled, thorough, whole

pytest.importorskip("resvg_py")
pytest.importorskip("typst")
E3 = ["vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344"]

# --- what a file's name asks for -----------------------------------------------------------------

BEGINS: dict[str, bytes] = {
    "svg": b"<svg ",
    "png": b"\x89PNG",
    "pdf": b"%PDF",
    "html": b"<article",
    "htm": b"<article",
    "md": b"```ptx",
    "markdown": b"```ptx",
    "json": b"{\n",
    "rst": b"::\n",
    "adoc": b"[source",
    "c": b"#include <stdint.h>",
    "py": b"def ",
    "txt": b"vadd.u32.s32.s32.sat %0.b0, %1, %2, %3;",
    "SVG": b"<svg ",
    "Md": b"```ptx",
}
TEXT = BEGINS["txt"]


OTHERS = ["x", "x.", "svg", ".hidden", "d.svg/x"]


@sampled
@pytest.mark.parametrize(
    ("name", "words", "begin"),
    [
        *((f"a.b.{ending}", (), begin) for ending, begin in BEGINS.items()),
        *((name, (), TEXT) for name in OTHERS),
        ("x.svg", ("-f", "json"), b"{"),  # what is asked for goes before an ending
        ("x.svg", ("-f", "text"), TEXT),
    ],
)
def test_a_files_ending_is_the_format(
    name: str, words: tuple[str, ...], begin: bytes, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    done = run("trace", *E3, *words, "-o", str(path))
    assert (done.returncode, done.stdout) == (0, "")
    assert not done.stderr or words
    assert path.read_bytes().startswith(begin)


def test_every_format_has_an_ending() -> None:
    """It may be that of an earlier one, for a special document of that kind."""
    formats = [find_format(name) for name in FORMATS]
    for format_ in formats:
        first = find_file_format(f"x.{format_.endings[0]}")
        assert first == next(x for x in formats if format_.endings[0] in x.endings)


def test_the_suffix_of_frames_and_figures_decides_the_format(tmp_path: Path) -> None:
    deck = str(tmp_path / "deck.pdf")
    for words in ((), ("-f", "pdf")):
        assert run("trace", *E3, "--frames", deck, *words).returncode == 0
    assert (tmp_path / "deck.pdf").read_bytes().startswith(b"%PDF")
    for ending, begin in ((".svg", b"<svg "), (".pdf", b"%PDF"), (".md", b"## vadd4: ")):
        path = tmp_path / f"vadd4{ending}"
        assert run("show", "vadd4", "-o", str(path)).returncode == 0
        assert path.read_bytes().startswith(begin)


# --- what does nothing ---------------------------------------------------------------------------

GIVEN: dict[str, list[str]] = {
    "title": ["--title", "T"],
    "caption": ["--caption", "C"],
    "note": ["--note", "saturate=N"],
    "steps": ["--steps", "2-4"],
    "until": ["--until", "saturate"],
    "no-result": ["--no-result"],
    "both": ["--both"],
    "standalone": ["--standalone"],
    "heading-level": ["--heading-level", "3"],
    "theme": ["--theme", "dark"],
    "id": ["--id", "mine"],
    "compact": ["--compact"],
    "stepping": ["--stepping"],
    "scale": ["--scale", "0.5"],
    "width": ["--width", "300"],
    "no-footer": ["--no-footer"],
    "no-text": ["--no-text"],
    "beside": ["--beside", "%1=7"],
}
if others := [x for x in LAYOUTS if x != TALL]:  # features' layouts
    GIVEN["layout"] = ["--layout", others[0]]
BESIDE = {"alt": ["--alt"]}
"""Options of the command only."""
AFFECTED = {x.name: x.formats for x in OPTIONS if x.formats and x.name in {*GIVEN, *BESIDE}}


def test_every_option_is_looked_at() -> None:
    known = {"--help", "-h", "--model", "--format", "-f", "--output", "-o"}
    names = {x.removeprefix("--") for x in {*make_parser().options} - known}
    assert names == {*GIVEN, *BESIDE, "layout", "fold", "frames"} == {x.name for x in OPTIONS}
    assert {format_ for formats in AFFECTED.values() for format_ in formats} <= set(FORMATS)


@cache
def told(format_: str, *words: str) -> str | bytes:
    """A document, but for the command that makes it and for ids that are made up."""
    trace, options, _ = parse_request([*E3, *words, "-f", format_])
    made: str | bytes = export(trace, format_, options)
    if isinstance(made, str):
        made = re.sub("px-[0-9a-f]{10}", "px", made.partition("\n$ ptxscope")[0])
        made = "\n".join(x for x in made.split("\n") if "ptxscope trace" not in x)
    return made


def has_effect(name: str, format_: str) -> bool:
    """Whether the table lists a format for an option; one that is not in it may change any."""
    return all(x.changes(format_) for x in OPTIONS if x.name == name)


@whole
@pytest.mark.parametrize("option", GIVEN)
@pytest.mark.parametrize(
    "format_", [*TEXTS, *(pytest.param(x, marks=thorough) for x in sorted(BINARY))]
)
def test_an_option_has_an_effect_exactly_in_its_listed_formats(option: str, format_: str) -> None:
    plain, with_it = told(format_), told(format_, *GIVEN[option])
    assert (with_it != plain) == has_effect(option, format_)


@pytest.mark.parametrize("option", AFFECTED)
def test_an_option_is_refused_in_other_formats(option: str, tmp_path: Path) -> None:
    words = {**GIVEN, **BESIDE}[option]
    for format_ in set(FORMATS) - set(AFFECTED[option]):
        path = tmp_path / f"x.{find_format(format_).endings[0]}"
        names_format = find_file_format(path.name) == find_format(format_)
        for asking in (["-f", format_], *[["-o", str(path)]] * names_format):
            done = run("trace", *E3, *words, *asking)
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr.startswith(f"error: --{option} does nothing in {format_}; it is for")
            assert done.stderr.count("\n") == 1
            assert all(x in done.stderr for x in AFFECTED[option])
            assert not path.exists()


@pytest.mark.parametrize("format_", TEXTS)
def test_the_command_in_a_document_names_only_effective_options(format_: str) -> None:
    others: tuple[str, ...] = (
        "until",
        "compact",
        "layout",
        "stepping",
        "width",
        "beside",
    )  # go with none that is given here
    if not has_effect("no-result", format_):
        others += ("no-result",)  # some refuse to be without a result
    words = [x for name in GIVEN if name not in others for x in GIVEN[name]]
    trace, options, _ = parse_request([*E3, *words, "-f", format_])
    made = export(trace, format_, options)
    for name in AFFECTED:
        if not has_effect(name, format_):
            assert f"--{name}" not in made


@sampled
@pytest.mark.parametrize(("format_", "option"), [("png", "theme"), ("pdf", "id"), ("pdf", "width")])
def test_an_option_changes_an_image_exactly_if_it_is_listed(format_: str, option: str) -> None:
    assert (told(format_, *GIVEN[option]) != told(format_)) == has_effect(option, format_)


def test_an_alternative_text_needs_no_format() -> None:
    assert run("trace", *E3, "--alt").stdout == run("trace", *E3, "--alt", "-f", "png").stdout
    assert run("trace", *E3, "--alt", "--until", "2").returncode == 0


def test_the_length_of_an_alt_may_be_named_anywhere() -> None:
    long = run("trace", *E3, "--alt")
    assert run("trace", "--alt", *E3) == run("trace", *E3, "--alt=long") == long
    assert run("trace", "--alt", "long", *E3) == long
    short = run("trace", "--alt", "short", *E3)
    assert run("trace", *E3, "--alt", "short", "-f", "svg") == short
    assert short.stdout == (
        "vadd.u32.s32.s32.sat %0.b0, %1, %2, %3 on %1 = 0xffffffff, %2 = 0x00000000, "
        "%3 = 0x11223344 gives %0 = 0x11223300, 287453952; ptxas 11.8 to 13.5, sm_70+: "
        "0x112233ff.\n"
    )
