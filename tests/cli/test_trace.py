"""``trace``: its parts, its files, its models, and lines that are named only."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ptxscope.cli.support.arguments import map_commands
from ptxscope.cli.support.ptx_arguments import is_instruction_name
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.intrinsics import map_intrinsics
from tests.driving.command_line import run
from tests.tiers import sampled

E3 = ["vadd.u32.s32.s32.sat %0.b0, %1, %2, %3", "%1=-1", "%2=0", "%3=0x11223344"]


@pytest.mark.parametrize(
    "words",
    [
        ("trace", *E3),
        ("trace", *E3, "-f", "json"),
        ("trace", *E3, "-f", "svg"),
        ("show", "vadd4"),
        ("show", "vadd4", "-f", "svg"),
    ],
)
def test_the_file_name_minus_is_standard_output(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = run(*words)
    assert printed.returncode == 0
    assert run(*words, "-o", "-") == printed
    assert list(tmp_path.iterdir()) == []


def test_a_model_may_read_an_operand_that_isa_ignores() -> None:
    # H7 takes the lanes that the mask leaves from b, which the selectors read nothing of
    line = ("vadd4.s32.s32.s32 d.b0, a.b3210, b.b3210, c", "a=1", "c=1", "--model", "H7")
    shown = run("trace", *line, "b=0x02020202").stdout.replace("\\\n", "")
    again = shlex.split(shown[shown.rindex("$ ptxscope ") :])[2:]
    assert "b=0x02020202" in again
    assert run(*again).stdout.replace("\\\n", "") == shown


def test_the_alternative_text_is_printed_beside_a_written_file(tmp_path: Path) -> None:
    path = tmp_path / "p.svg"
    alone = run("trace", *E3, "--alt").stdout
    assert alone.count("\n") == 1
    assert "Result: %0 = 0x11223300" in alone
    assert run("trace", *E3, "--alt", "-f", "svg", "-o", str(path)).stdout == alone
    assert path.read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("name", "format_", "suffix"),
    [("q.png", "svg", "png"), ("q.jpg", "svg", "jpg"), ("q.svg", "text", "svg"),
     ("q.txt", "svg", "text"), ("q.svg", "svg", ""), ("q.txt", "markdown", ""), ("q", "svg", "")],
)  # fmt: skip
def test_a_file_with_the_suffix_of_another_format_is_reported(
    tmp_path: Path, name: str, format_: str, suffix: str
) -> None:
    file = tmp_path / name
    done = run("trace", *E3, "-f", format_, "-o", str(file))
    warning = f"warning: {file} has the suffix of {suffix}, but -f {format_} decides the format\n"
    assert (done.returncode, done.stderr) == (0, warning if suffix else "")
    assert file.read_text("utf-8").startswith("<svg") == (format_ == "svg")


# --- the bare name of an instruction or of an intrinsic: its example ------------------------------


@pytest.mark.parametrize("name", [*CATALOG, *map_intrinsics()])
@sampled
def test_each_name_has_an_example_of_all_operands(name: str) -> None:
    assert name not in map_commands()
    done = run("trace", name, "-f", "json")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_file_of_that_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_instruction_name("sad")
    Path("sad").write_text("")
    assert not is_instruction_name("sad")
