"""Statements in runs from registers and in launches, which are alike."""

from __future__ import annotations

import numpy as np
import pytest

from ptxscope.blocks.execution import execute
from ptxscope.features.kernels.launches.kernel_run import run_kernel
from ptxscope.features.kernels.launches.register_names import iter_read_names, iter_written_names
from ptxscope.sources.source_programs import load
from tests.reference_data import read_lines

_KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<4>; .reg .b64 %x<4>; .reg .pred %p<2>; .reg .b16 %h<4>; .reg .b8 %b<4>;
ld.param.u64 %x1, [out];
STATEMENT
st.global.u32 [%x1], %r1;
ret;
}
"""


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("tanh.approx.f32 %r1, %r2;", "tanh.approx.f32 is not modelled"),
        ("div.full.f32 %r1, %r2, %r3;", "div.full.f32 is not modelled"),
        ("atom.global.add.f16x2 %r1, [%x1], %r2;", "atom.global.add.f16x2 is not modelled"),
        ("mov.u32 %r1, %clock;", "%clock is not modelled"),
        ("mov.u32 %r1, nowhere;", "mov.u32 is not modelled with these operands"),
        ("frob.u32 %r1, %r2;", "frob is not an opcode of PTX"),
        ("barrier.cluster.wait;", "barrier.cluster.wait is not modelled"),
        ("st.async.shared::cluster.u32 [%x1], %r2, [%x2];",
         "st.async.shared::cluster.u32 is not modelled"),
    ],
)  # fmt: skip
def test_both_executors_give_the_same_reason_for_an_unmodelled_statement(
    statement: str, reason: str
) -> None:
    text = _KERNEL.replace("STATEMENT", statement)
    (program,) = load(text)
    run = execute(program, {})
    (step,) = (x for x in run.steps if x.line == 8)
    effect = "makes %r1 unknown" if "%r1," in statement else "writes no register"
    assert step.note == f"{reason}; {effect}"
    launched = run_kernel(text, {"out": np.zeros(1, np.uint32)})
    (doubt,) = launched.fidelity.causes or launched.fidelity.decisions
    assert (doubt.statement.line, doubt.reason) == (8, reason)


@pytest.mark.parametrize(
    "line",
    [
        "add.u32 %r1, %r1, %r1; mad.lo.s32 %r1, %r2, %r1, %r1; mul.hi.u32 %r1, %r1, %r2;",
        "shf.l.wrap.b32 %r1, %r1, %r2, %r1; shf.r.clamp.b32 %r2, %r1, %r2, %r2;",
        "prmt.b32 %r1, %r1, %r2, 0x6249; prmt.b32 %r2, %r1, %r2, %r2;",
        "prmt.b32.rc8 %r1, %r1, %r2, %r1; prmt.b32.f4e %r2, %r2, %r1, %r2;",
        "vadd4.s32.u32.s32.sat %r1, %r1, %r2, %r1; vset4.u32.s32.lt.add %r2, %r2, %r1, %r2;",
        "vmad.s32.u32.s32.sat.shr7 %r1, %r1, %r2, %r1; vsub.s32.s32.u32.sat %r2.b1, %r2, %r1, %r2;",
        "bfi.b32 %r1, %r1, %r2, 4, 9; bfe.s32 %r1, %r1, 3, %r2; bfe.u32 %r2, %r2, %r1, 5;",
        "shl.b32 %r1, %r1, 3; shr.s32 %r1, %r1, 33; shr.u32 %r2, %r2, %r2; popc.b32 %r2, %r2;",
        "sub.cc.u32 %r1, %r1, %r2; subc.cc.u32 %r2, %r2, %r1; addc.u32 %r1, %r1, %r1;",
        "setp.lt.s32 %p1|%p0, %r1, %r2; selp.b32 %r1, %r2, %r1, %p1; selp.b32 %r2, %r1, %r2, %p0;",
        "setp.gt.u32 %p1, %r1, %r2; setp.num.xor.ftz.f32 %p1|%p0, %r1, %r2, %p1;"
        "selp.b32 %r1, %r1, 5, %p1; selp.b32 %r2, %r2, 6, %p0;",
        "div.u32 %r1, %r1, %r2; rem.s32 %r2, %r2, %r1; dp4a.s32.u32 %r1, %r1, %r2, %r1;",
        "lop3.b32 %r1, %r1, %r2, %r1, 0x3A; vabsdiff2.u32.s32.s32.add %r2, %r2, %r1, %r2;",
    ],
)  # fmt: skip
def test_both_executors_write_a_register_that_they_read(line: str) -> None:
    """A run over threads computes in place; a run from registers on integers."""
    draw = np.random.default_rng(len(line))
    for words in draw.integers(0, 2**32, (4, 2)).tolist():
        moves = "".join(f"mov.u32 %r{i + 1}, {word};" for i, word in enumerate(words))
        text = _KERNEL.replace("STATEMENT", f"{moves}\n{line}\nst.global.u32 [%x1+4], %r2;")
        (program,) = load(text)
        registers = execute(program, {}).registers
        run = run_kernel(text, {"out": np.zeros(2, np.uint32)}, block=3)
        assert run.is_exact
        values = run.get_buffer("out").data.tolist()
        assert values == [registers["%r1"].bits, registers["%r2"].bits]


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("mov.v2.b32 {%r1, %r2}, {%r2, %r1};", (0x22222222, 0x11111111)),
        ("mov.v4.b32 {%r2, _, %r1, %r3}, {%r1, %r2, 5, %r2};", (5, 0x11111111)),
        ("mov.b64 %x2, {%r1, %r2}; mov.b64 {%r2, %r1}, %x2;", (0x22222222, 0x11111111)),
        ("mov.v2.b64 {%x2, _}, {%x1, 3}; mov.b64 {%r1, %r2}, 7;", (7, 0)),
        ("mov.b64 %x2, {%r1, -2}; mov.b64 {%r2, %r1}, %x2;", (0xFFFFFFFE, 0x11111111)),
        ("mov.b32 {%h1, %h2}, 0x33334444; mov.b32 %r1, {%h1, %h2}; mov.b32 %r2, {%h2, %h1};",
         (0x33334444, 0x44443333)),
        ("mov.b32 {%b1, %b2, %b3, _}, 0x55668877; mov.b32 %r1, {%b3, %b1, 1, %b2};",
         (0x88017766, 0x22222222)),
        ("mov.b64 %x2, {%r1, %r2}; mov.b64 {%h1, _, %h3, _}, %x2; mov.b32 %r1, {%h3, %h1};",
         (0x11112222, 0x22222222)),
    ],
)  # fmt: skip
def test_both_executors_move_lists_of_registers(moves: str, expected: tuple[int, int]) -> None:
    text = _KERNEL.replace(
        "STATEMENT",
        f"mov.u32 %r1, 0x11111111; mov.u32 %r2, 0x22222222; {moves}\nst.global.u32 [%x1+4], %r2;",
    )
    (program,) = load(text)
    registers = execute(program, {}).registers
    assert (registers["%r1"].bits, registers["%r2"].bits) == expected
    run = run_kernel(text, {"out": np.zeros(2, np.uint32)})
    assert run.is_exact
    assert tuple(run.get_buffer("out").values) == expected


@pytest.mark.parametrize(("text", "written", "read_names"), read_lines("statements.txt", 3))
def test_what_a_statement_reads_and_writes_is_known(
    text: str, written: str, read_names: str
) -> None:
    (program,) = load(f".reg .b32 a, b, c, d; .reg .b64 x, y; .reg .pred p, q; {text}")
    statement = program.statements[-1]
    assert sorted(iter_written_names(statement)) == sorted(written.split())
    assert sorted(iter_read_names(statement)) == sorted(read_names.split())
