"""Values after an edit: registers in two roles, and a mask that keeps what nobody gave."""

from __future__ import annotations

from ptxscope.state.edits import with_line, with_value
from ptxscope.state.setup import make_example
from tests.state.states import make_state


def test_one_register_in_two_roles_has_one_value() -> None:
    state = make_state("vadd4.u32.u32.u32 x, x, y, x", {"x": 1, "y": 2})
    state.edit(with_value(state.setup, "a", 2))
    assert state.trace.result == {"x": 4}


def test_a_mask_shows_c_where_nobody_gave_it() -> None:
    state = make_state("vavrg4.s32.s32.s32 d, a, b, c", {"a": 0x01020304, "b": 0})
    state.edit(with_line(state.setup, "vavrg4.s32.s32.s32 d.b20, a, b, c"))
    assert state.trace.operands["c"] == 0xCCCCCCCC
    assert f"{state.trace.result['d']:08x}"[:2] == "cc"


def test_c_of_an_example_is_replaced_where_it_is_kept_and_the_users_is_not() -> None:
    example = make_example("vset4")
    line = "vadd.s32.s32.s32.sat d.b0, a, b, c"
    assert "c" in example.values
    assert "c" not in with_line(example, line).values
    edited = with_value(with_value(example, "c", 1), "c", example.values["c"])
    assert with_line(edited, line).values["c"] == example.values["c"]
