"""``trace``: parts of a trace, and what it says in words."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from ptxscope.cli import main
from tests.cli.running import run

E3 = ["vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344"]
BLOCK = ["{ add.u32 t, a, b; sub.u32 d, t, b; }", "a=3", "b=4"]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def run(*words: str, status: int = 0) -> str:
        assert main(["trace", *words]) == status
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return said.err if status else said.out

    return run


@pytest.mark.parametrize(
    ("line", "options", "messages"),
    [
        (E3, ["--steps", "1-2", "--note", "saturate=n", "--note", "extend=n"], ["saturate"]),
        (E3, ["--note", "saturate=n", "--note", "lane 0=n"], []),
        (BLOCK, ["--fold", "1", "--note", "s1.write=n", "--note", "s2.1=n"], ["s1.write"]),
        (BLOCK, ["--steps", "s1", "--note", "s1.write=n"], []),
    ],
)
def test_a_note_on_a_hidden_step_is_reported(
    line: list[str], options: list[str], messages: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trace", *line, *options]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"note: the note on {x} is not shown, because its step is not" for x in messages
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*E3, "--steps", "2,x"], "'x' is not a step"),
        ([*E3, "--steps", "2,"], "'' is not a step"),
        ([*E3, "--steps", "a" * 99], f"'{'a' * 57}…' is not a step"),
        ([*E3, "--steps", "4-2"], "wrong way round"),
    ],
)
def test_what_is_wrong_is_said(words: list[str], said: str, told: Callable[..., str]) -> None:
    assert said in told(*words, status=2)


def test_alt_is_printed_beside_what_is_written(told: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "p.svg"
    alone = told(*E3, "--alt")
    assert alone.count("\n") == 1
    assert "Result: %0 = 0x11223300" in alone
    assert told(*E3, "--alt", "-f", "svg", "-o", str(path)) == alone
    assert path.read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize(
    "words",
    [
        ("trace", *E3),
        ("trace", *E3, "-f", "json"),
        ("trace", *E3, "-f", "svg"),
        ("show", "vadd4"),
        ("show", "vadd4", "-f", "svg"),
        ("sweep", "vadd.s32.s32.s32.sat d, a.b0, b, c", "b=1", "c=0"),
    ],
)
def test_a_file_called_minus_is_standard_output(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = run(*words)
    assert printed.returncode == 0
    assert run(*words, "-o", "-") == printed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("trace", *E3, "-o", "x.jpg"), "error: x.jpg: .jpg is not supported; pictures are .svg, "),
        (("trace", *E3, "-o", "x.GIF"), "error: x.GIF: .gif is not supported; pictures are .svg, "),
        (("show", "vadd4", "-o", "x.webp"), "x.webp: .webp is not supported"),
        (
            ("show", "vadd4", "-o", "x.json"),
            "error: x.json: json is not supported here, only text, markdown, rst, asciidoc, html, "
            "svg, png and pdf; -f text",
        ),
        (
            ("sweep", "vmin.u32.u32.u32 d, a, b", "b=1", "-o", "x.html"),
            "html is not supported here",
        ),
        (("sweep", "vmin.u32.u32.u32 d, a, b", "b=1", "-o", "x.jpeg"), ".jpeg is not supported"),
        (("trace", *E3, "-o", ""), "'' is not a file name"),
        (("trace", *E3, "-f", "svg", "--frames", ""), "'' is not a file name"),
    ],
)
def test_where_nothing_can_be_written_nothing_is(
    words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_picture_that_is_called_as_another_is_told_of(tmp_path: Path) -> None:
    file = tmp_path / "x.jpg"
    done = run("trace", *E3, "-f", "svg", "-o", str(file))
    assert done.returncode == 0
    assert done.stderr == (
        f"warning: {file} has the suffix of jpg, but -f svg decides the format\n"
    )
    assert file.read_text("utf-8").startswith("<svg")


def test_two_things_are_not_printed_at_once(told: Callable[..., str]) -> None:
    assert "needs a file: -o FILE" in told(*E3, "--alt", "-o", "-", status=2)


def test_a_model_may_read_what_the_documentation_does_not() -> None:
    # H7 takes the lanes that the mask leaves from b, which the selectors read nothing of
    line = ("vadd4.s32.s32.s32 d.b0, a.b3210, b.b3210, c", "a=1", "c=1", "--model", "H7")
    for command in ("trace", "eval"):
        done = run(command, *line)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "error: no value for b, which H7 reads\n"
    shown = run("trace", *line, "b=0x02020202").stdout.replace("\\\n", "")
    again = shlex.split(shown[shown.rindex("$ ptxscope ") :])[2:]
    assert "b=0x02020202" in again
    assert run(*again).stdout.replace("\\\n", "") == shown


def test_a_block_of_one_statement_is_shown_as_one() -> None:
    done = run("trace", "mov.b32 a, 7; popc.b32 d, a;")
    assert done.stdout.startswith("popc ")
    assert "  mov.b32 a, 7;\n  popc.b32 d, a;\n\n  a   0x00000007  7\n\n1 count" in done.stdout
