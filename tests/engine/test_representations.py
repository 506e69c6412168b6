"""What a Python prompt shows of the objects of the interface: a line that says what they are."""

from __future__ import annotations

import pytest

import ptxscope

ADD = "add.cc.u32 d, a, b"
BLOCK = "{ add.u32 t, a, 1; xor.b32 d, t, b; }"


def test_the_repr_of_an_object_is_one_line() -> None:
    instruction = ptxscope.parse("@!p add.u32 d, a, 5")
    assert repr(instruction) == "<Instruction @!p add.u32 d, a, 5;>"
    assert repr(ptxscope.parse_block(BLOCK)) == f"<BasicBlock {BLOCK}>"
    assert repr(ptxscope.trace(ADD, {"a": -1, "b": 2})) == (
        f"<Trace of {ADD}; under isa: a = 0xffffffff, b = 0x00000002 -> d = 0x00000001, CC.CF = 1>"
    )
    assert repr(ptxscope.trace_block(BLOCK, {"a": 6, "b": 5}, model="ptxas-13.0")) == (
        f"<Trace of {BLOCK} under ptxas-13.0: a = 0x00000006, b = 0x00000005 -> d = 0x00000002>"
    )
    assert repr(ptxscope.diagnose("add.u32 d, a, b", {"a": 5, "b": 3}, 2)[0]) == (
        "<Explanation: The instruction gives this with `sub` rather than `add`. sub.u32 d, a, b;>"
    )


def test_the_repr_of_a_solver_answer_is_one_line() -> None:
    pytest.importorskip("bitwuzla")
    equal = ptxscope.prove("add.u32 d, a, b", "add.s32 d, b, a")
    assert repr(equal) == "<Proof: equal for all values of a, b>"
    where = ptxscope.prove("and.b32 d, a, 7", "rem.u32 d, a, 8", where="a != 1")
    assert repr(where) == "<Proof: equal for all values of a with a != 1>"
    constant = ptxscope.prove("add.u32 d, 1, 2", "add.u32 d, 2, 1")
    assert repr(constant) == "<Proof: equal>"
    different = ptxscope.prove("add.u32 d, a, 1", "add.u32 d, a, 2", where="a == 9")
    assert repr(different) == "<Proof: different for a = 0x00000009 with a == 9>"
    found = ptxscope.find("popc.b32 d, a", "d == 32", count=2)
    assert repr(found) == "<OperandSearch: d == 32 for a = 0xffffffff>"
    none = ptxscope.find("popc.b32 d, a", "d == 33")
    assert repr(none) == "<OperandSearch: d == 33 for no operands>"
