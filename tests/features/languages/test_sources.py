"""PTX in files of other languages, as a run and the explorer find it."""

from __future__ import annotations

import pytest

from ptxscope.blocks.execution import execute
from ptxscope.sources.source_programs import load
from ptxscope.state.open_listing import open_listing

CALL = 'x = elementwise(\n  "vadd4.u32.u32.u32 $0, $1, $2, $3;", "=r,r,r,r", [a, b, c])'


def test_a_pasted_call_is_searched_for_strings() -> None:
    cursor = open_listing(CALL, "pasted")
    assert cursor
    assert cursor.statement.line == 2


RUST_BLOCK = """\
asm!("{{", ".reg .u32 t;", "vmin4.u32.u32.u32 t, {x}, {x}, {x};",
     "vadd4.u32.u32.u32 {d}, t, t, t;", "}}", d = out(reg32) d, x = in(reg32) x);
"""
RUST_ADD = 'asm!("vadd.u32.s32.s32.sat {d}.b0, {0}, {x}, {z};", OPERANDS);'
LLVM = (
    '%r = call i32 asm "vadd.u32.s32.s32.sat $0.b0, $1, $2, $3;", '
    '"=r,r,r,r,~{memory}"(i32 %a, i32 5, i32 -7)'
)


def test_operands_of_rust_need_no_declaration() -> None:
    (program,) = load(RUST_BLOCK, "x.rs")
    assert not program.problems
    assert program.find_registers("x") == ("%x",)
    assert execute(program, {"%x": 0x0102}).registers["%d"].bits == 0x0204


RUST_LITERALS = [
    ("in(reg32) 2u32, d = out(reg32) d, x = in(reg32) 0x1_0, z = const 0x0100", 0x0112),
    ("in(reg32) -2, x = in(reg32) 3i32, d = out(reg32) d, z = const 7,", 1),
    ("inlateout(reg32) 2 => y, x = in(reg32) 4, d = out(reg32) f(d, 1), z = const 0", 6),
]


@pytest.mark.parametrize(("operands", "d"), RUST_LITERALS)
def test_literals_of_rust_are_constants(operands: str, d: int) -> None:
    """Expected: the sum in byte 0, and z's other bytes."""
    text = RUST_ADD.replace("OPERANDS", operands)
    assert execute(load(text, "x.rs")[0], {}).registers["%d"].bits == d


def test_literals_of_llvm_are_constants() -> None:
    # the sum of a negative $1 and 5 is clamped to 0; the other bytes are -7's
    assert execute(load(LLVM, "x.ll")[0], {"$1": 1}).registers["$0"].bits == 0xFFFFFF06
