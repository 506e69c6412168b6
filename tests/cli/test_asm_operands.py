"""Values for a pasted asm statement: by C variable, by constraint, and never by another's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.cli import main
from ptxscope.sources.lint import check_text

SWAPPED = 'asm("vsub4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(b), "r"(a), "r"(c));'
"""C's b is operand a."""


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.parametrize(
    "values", [("a=0x30", "b=0x10"), ("%2=0x30", "%1=0x10"), ("2=0x30", "b=0x10")]
)
def test_a_name_is_that_of_the_c_variable_and_not_of_the_role(
    capsys: pytest.CaptureFixture[str], values: tuple[str, ...]
) -> None:
    assert ran(capsys, "eval", SWAPPED, *values)[1] == "%0=0x000000e0\n"  # 0x10 - 0x30, by lane
    assert "0x000000e0" in ran(capsys, "trace", SWAPPED, *values)[1]
    assert "%0 = 0x000000e0" in ran(capsys, "run", SWAPPED, *values, "c=0")[1]
    status, out, _ = ran(capsys, "explain", SWAPPED, *values, "--got", "0xe0", "--brief")
    assert status == 0
    assert "exchanged" not in out
    assert ran(capsys, "explain", SWAPPED, *values, "--got", "d=0xe0", "--brief")[1] == out


def test_operand_letters_are_names_unless_c_variables_have_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = 'asm("vsub4.u32.u32.u32 %0, %1, %2, %2;" : "=r"(d) : "r"(x[0]), "r"(y + 1));'
    assert ran(capsys, "eval", line, "a=3", "b=2")[1] == "%0=0x00000001\n"
    assert ran(capsys, "eval", "vsub4.u32.u32.u32 %0, %1, %2, %2;", "a=3", "b=2")[1]


@pytest.mark.parametrize(
    ("line", "values", "said"),
    [
        ('asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(y), "r"(b));', ("b=1",),
         "C's `b` is %3, no operand of"),
        (SWAPPED, ("d=1",), "`d` is the destination"),
        (SWAPPED, ("a=1", "%2=1"), "`%2` is given twice"),
        (SWAPPED, ("z=1",), "allowed: %1 (b), %2 (a)"),
        ('asm("vadd.u32.u32.u32 %0, %1, y;" : "=r"(d) : "r"(y));', ("y=1",),
         "`y` is a register here, and the C variable in %1"),
    ],
)  # fmt: skip
def test_an_ambiguous_or_unknown_name_is_explained(
    capsys: pytest.CaptureFixture[str], line: str, values: tuple[str, ...], said: str
) -> None:
    status, out, err = ran(capsys, "eval", line, *values)
    assert (status, out) == (2, "")
    assert said in err


def test_a_variable_in_two_operands_has_one_value(capsys: pytest.CaptureFixture[str]) -> None:
    line = 'asm("vadd.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(x));'
    assert ran(capsys, "eval", line, "x=5")[1] == "%0=0x0000000a\n"
    assert "%0 = 0x0000000a" in ran(capsys, "run", line, "x=5")[1]


def test_columns_may_have_names_of_c_variables(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "a.csv"
    table.write_text("a,b\n0x30,0x10\n", encoding="utf-8")
    assert ran(capsys, "eval", SWAPPED, "--csv", str(table))[1].endswith("0x30,0x10,0x000000e0\n")
    table.write_text("a,b,got\n0x30,0x10,0xe0\n", encoding="utf-8")
    status, out, _ = ran(capsys, "explain", SWAPPED, "--observations", str(table), "--brief")
    assert status == 0
    assert "exchanged" not in out


def test_a_value_is_a_float_by_its_constraint(capsys: pytest.CaptureFixture[str]) -> None:
    line = 'asm("selp.b32 %0, %1, %2, p;" : "=f"(r) : "f"(x), "r"(y));'
    for value, bits in (("1", "0x3f800000"), ("1.5", "0x3fc00000"), ("0x7", "0x00000007")):
        assert ran(capsys, "eval", line, f"x={value}", "y=2", "p=1")[1] == f"%0={bits}\n"
        assert f"%0 = {bits}" in ran(capsys, "run", line, f"x={value}", "y=2", "p=1")[1]
    assert ran(capsys, "eval", line, "x=1", "y=2", "p=0")[1] == "%0=0x00000002\n"


@pytest.mark.parametrize("command", ["eval", "trace", "run", "explain", "sweep"])
def test_an_operand_against_its_constraint_is_reported(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    line = 'asm("selp.b32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "r"(c));'
    more = ("--got", "1") if command == "explain" else ()
    status, out, err = ran(capsys, command, line, "%1=1", "%2=2", "%3=1", *more)
    assert (status, out) == (1, "")
    assert "`%3` is .b32 by its constraint, but operand c is a predicate" in err


def test_an_integer_constraint_inserts_the_literal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = 'asm("vsub.u32.u32.u32 %0, %1, %2;" : "=r"(d) : "r"(x), "n"(0x7));'
    assert ran(capsys, "eval", line, "x=5")[1] == "%0=0xfffffffe\n"
    assert "%0 = 0xfffffffe" in ran(capsys, "run", line, "x=5")[1]
    assert "0xfffffffe" in ran(capsys, "trace", line, "x=5")[1]
    named = line.replace("0x7", "COUNT")
    assert "no value for %2" in ran(capsys, "eval", named, "x=5")[2]
    assert ran(capsys, "eval", named, "x=5", "COUNT=7")[1] == "%0=0xfffffffe\n"
    quad = line.replace("vsub.u32.u32.u32 %0, %1, %2", "vsub4.u32.u32.u32 %0, %1, %1, %2")
    for command in ("eval", "run"):
        status, _, err = ran(capsys, command, quad, "x=5")
        assert status == 1
        assert "`vsub4` takes no literal" in err


NAMED = 'asm("vadd4.u32.u32.u32 %0, %[x], %[y], %2;" : "=r"(q) : [x] "r"(a), [y] "r"(b));'
TIED = 'asm("vadd4.u32.u32.u32 %0, %1, %2, %1;" : "=r"(q) : "0"(7), "r"(9));'


@pytest.mark.parametrize("command", ["eval", "trace", "run"])
def test_operands_by_name_are_computed_in_every_command(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    status, out, err = ran(capsys, command, NAMED, "a=1", "b=0x0102")
    assert (status, err) == (0, "")
    assert "0x00000103" in out
    assert out.count("does not accept operands by name") == (command == "trace")


def test_an_unknown_operand_name_is_one_error(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = ran(capsys, "eval", NAMED.replace("%[y]", "%[z]"), "a=1")
    assert status == 1
    assert err.count("error:") == 1
    assert "`%[z]` names no operand of this asm statement" in err


@pytest.mark.parametrize("command", ["eval", "trace", "run"])
def test_a_tied_input_is_the_value_that_the_output_had(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    status, out, err = ran(capsys, command, TIED)
    assert (status, err) == (0, "")
    assert "0x00000010" in out  # 7 + 9
    assert "0x00000012" in ran(capsys, command, TIED.replace("(7)", "(x)"), "x=9")[1]


def test_a_tied_output_is_not_a_constant(tmp_path: Path) -> None:
    text = (
        'asm("mov.u32 %0, 9; vadd.u32.s32.s32.sat %0.b0, %2, %2, %0;" : "=r"(q) : "0"(7), "r"(b));'
    )
    file = tmp_path / "k.cu"
    file.write_text(text, encoding="utf-8")
    (item,) = check_text(text, str(file))
    assert item.example
    assert "%0" in item.example.values
    assert any(
        'refuses `"0"(7)`' in x.message for x in check_text(TIED, "k.cu").__next__().diagnostics
    )
