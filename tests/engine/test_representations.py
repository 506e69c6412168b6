"""What a Python prompt shows of the objects of the interface: a line that says what they are."""

from __future__ import annotations

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
    steps = ptxscope.trace("vadd4.u32.u32.u32 d, a, b, c", {"a": 0x01020304, "b": 2, "c": 0}).steps
    assert repr(steps[2]) == "<Step 3 operate: t = [1, 2, 3, 6]>"
    assert repr(steps[0].rows) == (
        "(<RowTrace select.a = [1, 2, 3, 4]>, <RowTrace select.b = [0, 0, 0, 2]>)"
    )
    block = ptxscope.trace_block(BLOCK, {"a": 6, "b": 5})
    assert repr(block.steps[1]) == "<Step 2 operate: t = 7>"
