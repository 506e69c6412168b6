"""What a command does with an error nobody foresaw, and with very long words."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import patch

import pytest

from ptxscope.cli import main
from ptxscope.cli.support.arguments import map_commands
from ptxscope.engine.isa.types import Type
from ptxscope.engine.syntax.errors import PtxError, shorten_words
from ptxscope.engine.syntax.values import parse_value
from ptxscope.files import replace
from tests.driving.command_line import run
from tests.tiers import sampled

LINE = "vadd4.u32.u32.u32 d, a, b, c"
LONG = "x" * 100_000


def test_an_internal_error_is_one_line_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with patch("ptxscope.cli.commands.show.run", side_effect=AssertionError("an invariant")):
        done = run("show")
    assert done.returncode == 70
    (line,) = done.stderr.splitlines()
    (report,) = tmp_path.glob("failure-*.txt")
    assert line == (
        f"error: internal error (AssertionError: an invariant); please report it: {report} "
        "has the details"
    )
    assert "AssertionError: an invariant" in report.read_text()


@sampled
@pytest.mark.parametrize("command", [name for name in map_commands() if name != "open"])
@pytest.mark.parametrize(
    "words",
    [
        (LONG,),
        (f"{LONG}.ptx",),
        (LINE, f"{LONG}=5"),
        (LINE, f"a={LONG}"),
        (LINE, f"--{LONG}"),
        (LINE, "--model", LONG),
        (LINE, "-f", LONG),
    ],
    ids=["word", "file", "name", "value", "option", "model", "format"],
)
def test_a_long_word_is_shortened(command: str, words: tuple[str, ...]) -> None:
    status, *told_parts = run(command, *words)
    assert status in (1, 2)
    told = "".join(told_parts)
    assert told
    # an excerpt of a text has 76 characters, and stands above its caret
    assert max(map(len, re.findall("x+", told)), default=0) <= 76


def test_words_are_shortened_and_file_names_are_not() -> None:
    name = "/".join(["folder"] * 30)
    assert shorten_words(f"{name}: {LONG} is long") == f"{name}: {'x' * 60}… is long"


@pytest.mark.parametrize("text", [" ", "\t", "   ", ""])
def test_the_span_of_a_blank_value_is_its_first_character(text: str) -> None:
    with pytest.raises(PtxError, match="a value is missing") as info:
        parse_value(text, Type.U32)
    assert info.value.span == (0, 1)


def test_simultaneous_writes_of_equal_bytes_succeed(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"made anew")  # by another, who read b"before" too
    replace(path, b"made anew", unless_changed_from=b"before")
    assert path.read_bytes() == b"made anew"
    assert [x.name for x in tmp_path.iterdir()] == ["page.md"]


def test_an_unknown_colour_system_is_an_error_of_the_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEXTUAL_COLOR_SYSTEM", "zz")
    with (
        patch("sys.stdin.isatty", return_value=True),
        patch("sys.stdout.isatty", return_value=True),
        patch("sys.stderr.isatty", return_value=True),
    ):
        assert main(["open", LINE]) == 2
    assert capsys.readouterr().err == (
        "error: TEXTUAL_COLOR_SYSTEM is 'zz'; it is one of auto, standard, 256, truecolor, "
        "windows\n"
    )


def test_a_lack_of_memory_is_an_error() -> None:
    with patch("ptxscope.cli.commands.show.run", side_effect=MemoryError):
        assert run("show") == (2, "", "error: this does not fit in memory\n")
