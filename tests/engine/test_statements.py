"""What is known of any statement: the registers that it reads and writes."""

from __future__ import annotations

import pytest

from ptxscope.engine.program.program_loader import load
from ptxscope.engine.program.statement import Statement
from ptxscope.engine.syntax.opcodes import OPCODES
from ptxscope.engine.syntax.register_accesses import find_accesses
from ptxscope.engine.syntax.tokens import find_statements

DECLARATIONS = ".reg .b32 a, b, c, d; .reg .b64 x, y; .reg .pred p, q;"


def read(text: str) -> Statement:
    (program,) = load(f"{DECLARATIONS} {text}")
    return program.statements[-1]


@pytest.mark.parametrize(
    ("text", "written", "read_names"),
    [  # PTX ISA 9.7: what is left of the sources is the destination
        ("tanh.approx.f32 d, a;", "d", "a"),
        ("@p ld.global.v2.u32 {c, d}, [x+4];", "c d", "p x"),
        ("st.global.v2.u32 [x], {c, d};", "", "x c d"),
        ("atom.global.cas.b32 d, [x], a, b;", "d", "x a b"),
        ("red.global.add.u32 [x], a;", "", "x a"),
        ("shfl.sync.up.b32 d|p, a, b, 0, c;", "d p", "a b c"),
        ("bar.warp.sync a;", "", "a"),
        ("barrier.sync a, b;", "", "a b"),
        ("barrier.red.popc.u32 d, a, b, p;", "d", "a b p"),
        ("call (d), f, (a, b);", "d", "a b"),
        ("call f, (a, b);", "", "a b"),
        ("nanosleep.u32 a;", "", "a"),
        ("mbarrier.test_wait.shared.b64 p, [x], y;", "p", "x y"),
        ("mbarrier.arrive.expect_tx.shared.b64 _, [x], a;", "", "x a"),
        ("cp.async.ca.shared.global [a], [x], 4;", "", "a x"),
        ("tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {c, d}, b, [a];", "c d b", "a"),
        ("tcgen05.dealloc.cta_group::1.sync.aligned.b32 a, 64;", "", "a"),
        ("setp.lt.s32 p|q, a, b;", "p q", "a b"),
    ],
)
def test_all_readers_know_what_a_statement_reads_and_writes(
    text: str, written: str, read_names: str
) -> None:
    statement = read(text)
    assert sorted(statement.writes) == sorted(written.split())
    assert sorted(statement.iter_written_names()) == sorted(written.split())
    assert sorted(statement.iter_read_names()) == sorted(read_names.split())
    (raw,) = find_statements(text, OPCODES)
    accesses = find_accesses(raw)
    assert accesses
    names = [x.text for x in accesses.writes if x.text != "_"]
    assert sorted(names) == sorted(written.split())
    names = [x.text for x in accesses.reads if x.text != "f"]
    assert sorted(names) == sorted(read_names.split())
