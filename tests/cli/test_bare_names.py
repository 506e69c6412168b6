"""The bare name of an instruction or of an intrinsic: its example."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.cli.support.arguments import is_instruction_name
from ptxscope.cli.support.command_table import COMMANDS
from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.intrinsics import map_intrinsics
from tests.cli.running import run
from tests.tiers import sampled


def test_an_instruction_is_its_example() -> None:
    said = run("trace", "vadd4").stdout
    assert said.startswith("vadd4.s32.s32.s32.sat d, a, b, c;")
    assert "d = 0x7f8003fe  [127, -128, 3, -2]" in said  # 100 + 100, -100 - 100, 1 + 2, 5 - 7


def test_given_values_take_the_place_of_the_examples() -> None:
    said = run("trace", "vadd4", "a=[0,0,0,1]").stdout
    assert "[100, -100, 2, -6]" in said  # 0 + 100, 0 - 100, 0 + 2, 1 - 7
    assert "is not an operand" in run("trace", "vadd4", "x=1").stderr


def test_an_intrinsic_is_called_on_an_example() -> None:
    said = run("trace", "__vaddss4", "b=0").stdout
    assert "d = 0x649c0105  [100, -100, 1, 5]" in said


def test_explain_takes_a_name() -> None:
    said = run("explain", "vadd4", "--got", "0xc83803fe", "--no-next").stdout
    assert "documented  0x7f8003fe" in said  # without .sat, 200 and -200 wrap to c8 and 38


@pytest.mark.parametrize("name", [*CATALOG, *map_intrinsics()])
@sampled
def test_each_name_has_an_example_of_all_operands(name: str) -> None:
    assert name not in COMMANDS
    done = run("trace", name, "-f", "json")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_name_is_opened_without_a_command() -> None:
    for name in ("vadd4", "__vaddss4"):
        done = run(name)
        assert "the explorer needs a terminal" in done.stderr
    assert "'vadd5' is not a command" in run("vadd5").stderr


def test_a_file_of_that_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_instruction_name("sad")
    Path("sad").write_text("")
    assert not is_instruction_name("sad")


def test_other_commands_keep_their_error() -> None:
    done = run("eval", "vadd4")
    assert (done.returncode, done.stdout) == (1, "")
    assert "`vadd4` is missing its destination type" in done.stderr
