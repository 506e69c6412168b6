"""A literal input of an asm statement, ``"r"(0)``, is a constant in every command.

Expected: arithmetic by hand, and PTX as nvcc 13.0 writes it (``mov.u32 %r3, 0``).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ptxscope.documents import export
from ptxscope.documents.formats.json_reader import load
from ptxscope.engine.syntax.asm_operands import read_operands
from ptxscope.sources.lint import check_text
from tests.cli.running import run
from tests.cli.test_completion import offered


def asm(c: str, text: str = "vadd.u32.s32.s32.sat %0.b0, %1, %2, %3;") -> str:
    return f'asm("{text}" : "=r"(d) : "r"(a), "r"(b), {c});'


CLEARED = asm('"r"(0)')
KEPT = asm('"r"(0x11223344)')


@pytest.mark.parametrize(
    ("operand", "bits"),
    [
        ('"r"(0)', 0),
        ('"r"( 0x11223344u )', 0x11223344),
        ('"r"(-1)', 0xFFFFFFFF),
        ('"r"((07))', 7),
        ('"r"(1\'000)', 1000),
        ('"r"(5uu)', None),
        ('"h"(-2)', 0xFFFE),
        ('"l"(-1LL)', (1 << 64) - 1),
        ('"f"(1.5f)', 0x3FC00000),
        ('"f"(-.5f)', 0xBF000000),
        ('"d"(1e0)', 0x3FF0000000000000),
        ('"r"(x)', None),
        ('"r"(0 + x)', None),
        ('"r"(f(0))', None),
        ('"+r"(0)', None),
        ('"=r"(0)', None),
        ('"f"(1)', None),  # nvcc refuses it
        ('"r"(1.5f)', None),
        ('"l"(0xffffffff)', 0xFFFFFFFF),  # refused too; C extends unsigned values with zeros
        ('"d"(16777217.0f)', 0x4170000000000000),  # 2**24 as a float
        ('"r"(0x1ffffffff)', 0xFFFFFFFF),
        ('"r"((int)3)', 3),
        ('"r"(-(1))', 0xFFFFFFFF),
        ('"r"(~0)', 0xFFFFFFFF),
        ('"r"(- -1)', 1),
        ('"h"((short)70000)', 70000 - 65536),
        ('"r"((int)(unsigned char)-1)', 255),
        ('"l"(~0u)', 0xFFFFFFFF),
        ('"r"(--1)', None),
        ('"r"((int)x)', None),
        ('"r"((T)3)', None),
        ('"r"(08)', None),
        (f'"r"({"9" * 100})', None),
    ],
)
def test_a_literal_operand_has_its_bits(operand: str, bits: int | None) -> None:
    text = f': "=r"(d) : {operand});'
    found = read_operands(text, 0, len(text)).literals
    assert found == ({} if bits is None else {"%1": bits})


def test_a_counterexample_has_the_literal(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("\n".join((CLEARED, KEPT, asm('"r"(c)'))), encoding="utf-8")
    cleared, kept, free = json.loads(run("check", "-f", "json", str(file)).stdout)
    for item, c in ((cleared, 0), (kept, 0x11223344)):
        assert list(item["example"]["values"]) == ["%1", "%2"]
        assert int(item["example"]["isa"], 16) & ~0xFF == c & ~0xFF
        assert int(item["example"]["ptxas"], 16) & ~0xFF == c & ~0xFF
    assert list(free["example"]["values"]) == ["%1", "%2", "%3"]


def test_an_erratum_that_the_literals_exclude_has_no_warning(tmp_path: Path) -> None:
    line = 'asm("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3;" : "=r"(d) : {}, "r"(c));'
    file = tmp_path / "k.cu"
    file.write_text(line.format('"r"(5), "r"(-3)'), encoding="utf-8")
    assert run("check", "-q", str(file)).stdout.startswith("1 instruction, 0 illegal")
    file.write_text(line.format('"r"(3), "r"(-5)'), encoding="utf-8")
    assert "warning: E3" in run("check", "-q", str(file)).stdout  # 3 - 5 is negative


def test_an_operand_in_three_places_is_one_constant(tmp_path: Path) -> None:
    text = "{ .reg .b32 t; vadd.u32.s32.s32.sat t.b0, %1, %1, %1; mov.b32 %0, t; }"
    file = tmp_path / "k.cu"
    file.write_text(f'asm("{text}" : "=r"(d) : "r"(-1));', encoding="utf-8")
    (item,) = json.loads(run("check", "-f", "json", str(file)).stdout)
    assert item["example"]["values"] == {}
    assert item["example"]["isa"] == "0xffffff00"
    assert item["example"]["ptxas"] == "0xffffffff"


@pytest.mark.parametrize("command", ["trace", "eval", "run", "explain"])
def test_a_literal_needs_and_takes_no_value(command: str) -> None:
    got = ("--got", "0x11223303", "--brief") if command == "explain" else ()
    done = run(command, KEPT, "a=1", "b=2", *got)
    assert done.returncode == 0, done.stderr
    assert "0x11223303" in done.stdout
    given = run(command, KEPT, "a=1", "b=2", "%3=0x11223344", *got)
    assert (given.returncode, given.stdout) == (2, "")
    assert "`%3` is the constant 0x11223344 here: it takes no other value" in given.stderr


def test_the_command_of_a_trace_contains_the_literal() -> None:
    shown = run("trace", KEPT, "a=1", "b=2").stdout
    assert "%3=0x11223344" in shown
    recorded = load(run("trace", KEPT, "a=1", "b=2", "-f", "json").stdout)
    assert export(recorded, "text") == shown


def test_a_table_has_no_column_for_a_literal(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("a,b\n1,2\n255,9\n", encoding="utf-8")
    out = run("eval", KEPT, "--csv", str(table)).stdout
    assert out == "a,b,%0\n1,2,0x11223303\n255,9,0x112233ff\n"
    table.write_text("a,b,%3\n1,2,3\n", encoding="utf-8")
    assert "the constant 0x11223344" in run("eval", KEPT, "--csv", str(table)).stderr
    table.write_text("a,b,got\n1,2,0x11223303\n", encoding="utf-8")
    assert run("explain", KEPT, "--observations", str(table), "--brief").returncode == 0


def test_a_literal_is_not_swept_and_not_completed() -> None:
    done = run("sweep", KEPT, "a=1", "b=2", "--x", "%3")
    assert "`%3` is a constant here, which has one value" in done.stderr
    words = offered("trace", KEPT, "a=1", "")
    assert "%2=" in words
    assert "%3=" not in words


def test_no_explanation_changes_a_literal() -> None:
    line = asm('"r"(0x55)', "vadd4.u32.u32.u32.add %0, %1, %2, %3;")
    said = run("explain", line, "a=1", "b=2", "--got", "3").stdout  # 1 + 2 + 0x55 is 0x58
    assert "%3 = 0" not in said


def test_quad_forms_and_common_instructions_read_a_literal() -> None:
    line = asm('"r"(0x01010101)', "vadd4.u32.u32.u32 %0, %1, %2, %2;")
    assert run("eval", line, "a=1", "b=2").stdout == "%0=0x00000003\n"
    block = asm('"r"(7)', "{ .reg .u32 t; vadd4.u32.u32.u32 t, %1, %2, %2; add.u32 %0, t, %3; }")
    done = run("run", block, "a=1", "b=2", "--expect", "d=0xb")
    assert "%0 = 0x0000000a" in done.stdout
    assert "it read %3 = 0x00000007  7  (constant)" in done.stdout


@pytest.mark.parametrize(
    ("operand", "said"),
    [  # each as nvcc 13.0 refuses or takes it
        ('"l"(0xffffffff)', "the literal is unsigned, and the operand b64"),
        ('"l"(-1)', "the literal is int, and the operand b64"),
        ('"d"(16777217.0f)', "the literal is float, and the operand f64"),
        ('"f"(0.1)', "the literal is double, and the operand f32"),
        ('"f"(1)', "the literal is int, and the operand f32"),
        ('"h"(70000)', "the literal is int, and the operand b16"),
        ('"r"(0x1ffffffff)', "the literal is long long, and the operand b32"),
        ('"r"(1.0f)', "the literal is float, and the operand b32"),
        ('"r"((short)2)', "the literal is short, and the operand b32"),
        ('"r"(-1)', ""),
        ('"h"((short)5)', ""),
        ('"l"(0xffffffffffull)', ""),
        ('"f"(0.1f)', ""),
        ('"n"(5)', ""),
        ('"r"(x)', ""),
    ],
)
def test_a_literal_that_nvcc_refuses_is_noted(operand: str, said: str) -> None:
    types = {"l": "u64", "d": "f64", "f": "f32", "h": "u16"}
    type_ = types.get(operand[1], "u32")
    text = f'asm("slct.{type_}.s32 %0, %1, %1, %2;" : "=r"(d) : {operand}, "r"(c));'
    (item,) = check_text(text, "k.cu")
    found = [x for x in item.diagnostics if "nvcc 13.0 refuses" in x.message]
    assert [x.severity for x in found] == ["note"] * bool(said)
    assert all(x.message == f"nvcc 13.0 refuses `{operand}`: {said}" for x in found)
