"""Operands of ``asm!`` in Rust and of ``asm`` in LLVM's language."""

from __future__ import annotations

import pytest

from ptxscope.engine.program.program import Program
from ptxscope.kernels.program_runs.execution import execute
from ptxscope.sources.diagnostic import CheckedInstruction
from ptxscope.sources.lint import check_text
from ptxscope.sources.source_programs import load

RUST_BLOCK = """\
asm!("{{", ".reg .u32 t;", "vmin4.u32.u32.u32 t, {x}, {x}, {x};",
     "vadd4.u32.u32.u32 {d}, t, t, t;", "}}", d = out(reg32) d, x = in(reg32) x);
"""
RUST_ADD = 'asm!("vadd.u32.s32.s32.sat {d}.b0, {0}, {x}, {z};", OPERANDS);'
LLVM = (
    '%r = call i32 asm "vadd.u32.s32.s32.sat $0.b0, $1, $2, $3;", '
    '"=r,r,r,r,~{memory}"(i32 %a, i32 5, i32 -7)'
)


def check(text: str, name: str = "x.rs") -> list[CheckedInstruction]:
    return list(check_text(text, name))


def load_one(text: str, name: str = "x.rs") -> Program:
    (program,) = load(text, name)
    return program


def test_operands_of_rust_need_no_declaration() -> None:
    assert [(x.ptx, x.diagnostics) for x in check(RUST_BLOCK)] == [
        ("vmin4.u32.u32.u32 t, {x}, {x}, {x};", ()),
        ("vadd4.u32.u32.u32 {d}, t, t, t;", ()),
    ]
    program = load_one(RUST_BLOCK)
    assert not program.problems
    assert program.find_registers("x") == ("%x",)
    assert execute(program, {"%x": 0x0102}).registers["%d"].bits == 0x0204


@pytest.mark.parametrize(
    ("operands", "d"),
    [
        ("in(reg32) 2u32, d = out(reg32) d, x = in(reg32) 0x1_0, z = const 0x0100", 0x0112),
        ("in(reg32) -2, x = in(reg32) 3i32, d = out(reg32) d, z = const 7,", 1),
        ("inlateout(reg32) 2 => y, x = in(reg32) 4, d = out(reg32) f(d, 1), z = const 0", 6),
    ],
)
def test_literals_of_rust_are_constants(operands: str, d: int) -> None:
    """Expected: the sum in byte 0, the other bytes those of z."""
    text = RUST_ADD.replace("OPERANDS", operands)
    assert execute(load_one(text), {}).registers["%d"].bits == d
    assert all(x.is_legal for x in check(text))


def test_what_is_said_of_rust_has_its_placeholders() -> None:
    text = RUST_ADD.replace(
        "OPERANDS", "in(reg16) y, d = out(reg32) d, x = in(reg32) x, z = const 7"
    )
    (item,) = check(text)
    assert item.message == "`{0}` is .b16 by its constraint, but operand a is .s32"
    assert item.ptx == "vadd.u32.s32.s32.sat {d}.b0, {0}, {x}, 7;"
    assert item.example
    assert set(item.example.values) <= {"{0}", "{x}"}
    assert item.replacement
    assert (item.replacement[0], item.replacement[-1]) == ("{{", "}}")
    assert "%" not in "".join(item.replacement)


def test_a_constant_of_rust_that_is_not_known_is_not_checked() -> None:
    (item,) = check(RUST_ADD.replace("OPERANDS", "in(reg32) y, x = in(reg32) y, z = const N"))
    assert item.is_unreadable


def test_literals_of_llvm_are_constants() -> None:
    (item,) = check(LLVM, "x.ll")
    assert item.example
    assert list(item.example.values) == ["$1"]
    # the sum of a negative $1 and 5 is clamped to 0; the other bytes are those of -7
    assert execute(load_one(LLVM, "x.ll"), {"$1": 1}).registers["$0"].bits == 0xFFFFFF06
    (wrong,) = check(LLVM.replace("=r,r", "=r,l"), "x.ll")
    assert wrong.message == "`$1` is .b64 by its constraint, but operand a is .s32"
