"""How values that are given for registers of a run are read: by what is declared."""

from __future__ import annotations

import struct

import pytest

from ptxscope.cli import main
from ptxscope.engine.isa.types import Type
from ptxscope.sources.source_programs import load

FIVE = struct.unpack("<I", struct.pack("<f", 5.0))[0]
BODY = "set.lt.f32.f32 d, x, x;"


def _given(capsys: pytest.CaptureFixture[str], ptx: str, *words: str) -> dict[str, int]:
    main(["run", ptx, *words, "--quiet"])
    lines = capsys.readouterr().out.splitlines()
    pairs = (line.split()[:3] for line in lines if " = " in line)
    return {name: int(bits, 16) for name, _, bits in pairs}


@pytest.mark.parametrize(("type_", "bits"), [("b32", 5), ("f32", FIVE), ("", FIVE)])
def test_a_decimal_value_is_read_by_the_declared_type(
    type_: str, bits: int, capsys: pytest.CaptureFixture[str]
) -> None:
    declared = f".reg .{type_} x; .reg .b32 d; " if type_ else ""
    assert _given(capsys, declared + BODY, "x=5")["x"] == bits


def test_a_whole_number_in_many_registers_declared_at_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ptx = (
        ".reg .b32 %r<9>; .reg .pred %p<2>; @%p1 set.lt.f32.s32 %r6, %r1, %r2; "
        "vadd.s32.s32.s32 %r5, %r6, %r1;"
    )
    found = _given(capsys, ptx, "%p1=0", "%r6=5", "%r1=1")
    assert (found["%r6"], found["%r5"]) == (5, 6)
    assert main(["run", ptx, "%p1=0", "%r6=5", "%r1=1", "--expect", "%r6=5"]) == 0


def test_an_integer_register_refuses_a_fraction(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", f".reg .b32 x, d; {BODY}", "x=1.5"]) == 2
    assert "`1.5` is a float; the operand is `.b32`" in capsys.readouterr().err


def test_a_register_with_only_float_uses_has_a_float_type() -> None:
    (program,) = load(f".reg .b32 x, d; {BODY}")
    assert program.types["x"] is Type.F32
    (mixed,) = load(f".reg .b32 x, d; {BODY} vadd.s32.s32.s32 d, x, x;")
    assert mixed.types["x"] is Type.B32
