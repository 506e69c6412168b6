"""An open listing in the explorer's state: what runs on, what undo takes back, what notes say."""

from __future__ import annotations

from random import Random

from ptxscope.state.edit_transitions import set_value
from ptxscope.state.edits import randomize_values, swap_operands, with_choice, with_value
from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.session import Moment
from tests.driving.states import (
    answer,
    make_state,
    move_by,
    open_text,
    paste_line,
    said,
    set_values,
)

LONG = "".join(f"vadd.u32.u32.u32 x{i}, x{i - 1}, {i};\n" for i in range(1, 9))
SHORT = "vmin.u32.u32.u32 s, a, b;\nvmax.u32.u32.u32 t, s, b;\n"
BLOCK = """{
  .reg .u32 t1, t2;
  .reg .pred p;
  vadd4.u32.u32.u32 t1, %1, %2, %2;
  not.b32 t2, t1;
  setp.ne.b32 p, t2, 0;
  selp.b32 %0, t1, %3, p;
}"""
TWICE = """\
vadd.u32.u32.u32 x, a, 1;
vadd.u32.u32.u32 x, x, 1;
vadd.u32.u32.u32 x, a, 1;
vadd.u32.s32.s32.sat d.b0, x, b, c;
"""


def sources(state: ExplorerState) -> dict[str, int]:
    """The values of the sources, by role."""
    return {role: bits for role, bits in state.trace.operands.items() if role in "abc"}


def results(state: ExplorerState) -> list[str]:
    """What the list shows as results."""
    assert state.cursor
    return [row.result for row in state.cursor.rows]


# --- the run -------------------------------------------------------------------------------


def test_values_given_at_one_line_run_on_to_the_next() -> None:
    state = make_state()
    open_text(state, BLOCK)
    set_values(state, a=0x01020304, b=0x01010101)
    assert results(state)[:2] == ["0x02030405", "0xfdfcfbfa"]  # not of it, by hand
    move_by(state, 1)
    assert state.trace.operands["a"] == 0xFDFCFBFA
    assert state.trace.result == {"p": 1}
    move_by(state, -1)
    assert state.setup.line == "vadd4.u32.u32.u32 t1, %1, %2, %2;"


def test_what_is_computed_follows_a_value_that_is_given_later() -> None:
    state = make_state()
    text = "vadd4.u32.u32.u32 t, %1, %2, %2;\nnot.b32 u, t;\nvset4.u32.u32.lt.add %0, u, t, %1;"
    open_text(state, text)
    set_values(state, a=1, b=2)
    move_by(state, 1)
    assert sources(state) == {"a": 0xFFFFFFFC, "b": 3, "c": 1}
    set_values(state, c=9)
    assert sources(state) == {"a": 0xFFFFFFF4, "b": 0xB, "c": 9}
    assert "0x0000000b" in results(state)
    state.undo()
    assert sources(state) == {"a": 0xFFFFFFFC, "b": 3, "c": 1}


_PLAIN = """.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .b32 a, b; .reg .b64 o;
  ld.param.u64 o, [out];
  ld.param.u32 a, [n];
  add.u32 b, a, 1;
  mul.lo.u32 b, b, 10;
  st.global.u32 [o], b;
  ret;
}
"""


def test_a_listing_of_common_instructions_only_opens_at_these() -> None:
    state = make_state()
    open_text(state, _PLAIN)
    assert state.setup.line == "add.u32 b, a, 1;"
    set_values(state, a=4)
    assert results(state).count("0x00000032") == 1  # 10 * (4 + 1)
    move_by(state, 1)
    assert (state.setup.line, state.trace.result) == ("mul.lo.u32 b, b, 10;", {"b": 50})
    assert state.cursor
    assert not state.cursor.list_notes(state.setup)
    move_by(state, 1)
    assert state.setup.line == "mul.lo.u32 b, b, 10;"  # the last that is explained
    state.undo()
    state.undo()
    assert state.setup.values.get("a", 0) == 0
    open_text(state, _PLAIN.replace("mul.lo.u32 b, b, 10", "prmt.b32 b, b, 0, 0x0123"))
    assert state.setup.line == "prmt.b32 b, b, 0, 0x0123;"
    move_by(state, -1)
    assert state.setup.line == "prmt.b32 b, b, 0, 0x0123;"


def test_a_value_is_given_to_one_load_and_not_to_the_next() -> None:
    text = "ld.u32 a, [p];\nvadd.u32.u32.u32 x, a, 0;\nld.u32 a, [q];\nvadd.u32.u32.u32 y, a, 0;"
    state = make_state()
    open_text(state, text)
    set_values(state, a=5)
    move_by(state, 1)
    assert "unknown, shown as 0: a" in state.notes
    assert sources(state)["a"] == 0
    set_values(state, a=7)
    assert sources(state)["a"] == 7
    move_by(state, -1)
    assert sources(state)["a"] == 5
    move_by(state, 1)
    assert sources(state)["a"] == 7


def test_constants_behind_a_line_that_cannot_run_are_known() -> None:
    text = (
        "vadd.u32.u32.u32 %r9, %r1, %r2;\nmov.u32 %r3, 5;\nmov.u32 %r5, 7;\n"
        "vmad.u32.u32.u32 %r4, %r3, %r5, 0;\nvadd.u32.u32.u32 %r6, %r4, %r9;"
    )
    state = make_state()
    open_text(state, text)
    move_by(state, 1)
    assert sources(state) == {"a": 5, "b": 7, "c": 0}
    assert state.trace.result == {"%r4": 35}
    assert state.notes[:1] == ("the run stops at line 1, which needs %r1",)
    move_by(state, 1)  # 35 + what line 1 would have made
    assert state.trace.operands["a"] == 35
    assert state.notes[0] == "unknown, shown as 0: %r9"


def test_registers_keep_their_values_when_the_line_is_changed() -> None:
    state = make_state()
    open_text(state, TWICE)
    set_values(state, a=5)
    move_by(state, 1)
    paste_line(state, "vsub.u32.u32.u32 y, a, x")
    assert sources(state) == {"a": 5, "b": 6}


def test_an_undeclared_input_has_no_value_of_the_line_before() -> None:
    state = make_state("vadd4.u32.u32.u32 d, a, b, c", {"a": 5, "b": 6, "c": 7})
    open_text(state, "{ .reg .u32 x;\nvadd.u32.u32.u32 x, a, b;\nvmax.u32.u32.u32 y, x, c; }")
    for line in ("vadd.u32.u32.u32 x, a, b;", "vmax.u32.u32.u32 y, x, c;"):
        assert state.setup.line == line
        assert (sources(state)["a"], sources(state)["b"]) == (0, 0)
        assert any("unknown, shown as 0: " in note for note in state.notes)
        move_by(state, 1)
    state.undo()
    state.undo()
    assert sources(state)["a"] == 5


def test_a_computed_operand_keeps_its_value() -> None:
    state = make_state()
    open_text(state, BLOCK)
    set_values(state, a=0x01020304, b=0x01010101)
    move_by(state, 1)
    before, count = sources(state), len(state.session.undo_history)
    edit = state.edit(with_value(state.setup, "a", 7))
    assert edit
    assert state.find_computed_operand(edit) == "t2"
    assert len(state.session.undo_history) == count  # there is nothing to undo
    assert sources(state) == before
    move_by(state, -1)
    edit = state.edit(with_value(state.setup, "a", 7))
    assert edit
    assert not state.find_computed_operand(edit)


def test_a_statement_opens_at_its_last_step_and_ends_playing() -> None:
    state = make_state()
    open_text(state, BLOCK)
    state.go_to_step(1)
    state.play()
    move_by(state, 1)
    assert not state.is_playing
    assert state.is_at_end


# --- notes ---------------------------------------------------------------------------------


def test_what_is_not_known_and_what_is_changed_is_said() -> None:
    state = make_state()
    open_text(state, BLOCK)
    assert state.notes[:1] == ("unknown, shown as 0: %1, %2",)
    move_by(state, 1)
    assert "the run stops at line 4, which needs %1" in state.notes
    move_by(state, -1)
    state.edit(with_choice(state.setup, "sat", True))
    assert any(note.startswith("changed here only") for note in state.notes)
    state.undo()
    assert not any(note.startswith("changed here only") for note in state.notes)


def test_what_stands_behind_a_taken_branch_is_said_not_to_be_reached() -> None:
    state = make_state()
    open_text(state, "vadd.u32.u32.u32 d, 1, 2;\nbra L;\nvadd.u32.u32.u32 e, d, d;\nL:")
    move_by(state, 1)
    assert "not reached: line 2 ends the run" in state.notes


# --- undo ----------------------------------------------------------------------------------


def test_undo_goes_back_to_the_listing_before() -> None:
    state = make_state()
    before = state.setup
    open_text(state, LONG)
    for _ in range(5):
        move_by(state, 1)
    assert state.setup.line == "vadd.u32.u32.u32 x6, x5, 6;"
    open_text(state, SHORT)
    assert state.setup.line == "vmin.u32.u32.u32 s, a, b;"
    state.undo()
    assert state.setup.line == "vadd.u32.u32.u32 x6, x5, 6;"
    assert state.cursor
    assert state.cursor.statement.instruction == state.setup.instruction
    for _ in range(6):
        state.undo()
    assert state.session.moment == Moment(before)
    for _ in range(7):
        state.redo()
    assert state.setup.line == "vmin.u32.u32.u32 s, a, b;"


def test_the_values_given_belong_to_their_listing() -> None:
    state = make_state()
    open_text(state, LONG)
    set_values(state, a=100)
    move_by(state, 1)
    open_text(state, SHORT)
    set_values(state, a=7)
    assert state.cursor
    assert state.cursor.listing.inputs_by_program == ({"a": 7},)
    state.undo()
    state.undo()
    assert state.cursor.listing.inputs_by_program == ({"x0": 100},)
    assert state.trace.operands["a"] == 101  # x1 = x0 + 1
    assert results(state)[-1] == "0x00000088"  # 100 + 1 + … + 8 = 136, what x8 holds
    state.redo()
    state.redo()
    assert state.cursor.listing.inputs_by_program == ({"a": 7},)


def test_a_listing_of_the_same_first_line_is_undone_too() -> None:
    state = make_state()
    open_text(state, SHORT)
    open_text(state, SHORT.splitlines()[0] + "\nvsub.u32.u32.u32 u, s, b;\n")
    assert state.cursor
    assert "vsub" in state.cursor.rows[-1].text
    state.undo()
    assert "vmax" in state.cursor.rows[-1].text


def test_undo_takes_a_given_value_back() -> None:
    state = make_state()
    open_text(state, "vadd.u32.u32.u32 x, a, b; vadd.u32.u32.u32 y, x, x;")
    state.edit(with_value(with_value(state.setup, "a", 3), "b", 4))
    assert state.cursor
    given = state.cursor.listing.inputs_by_program
    move_by(state, 1)
    assert state.trace.operands["a"] == 7
    state.undo()
    assert state.setup.instruction == state.cursor.statement.instruction
    assert state.cursor.listing.inputs_by_program == given
    state.undo()
    assert state.cursor.rows[0].missing_names == ("a", "b")
    state.redo()
    state.redo()
    assert state.trace.operands["a"] == 7


def test_undo_goes_back_to_the_line_it_came_from() -> None:
    state = make_state()
    open_text(state, TWICE)
    set_values(state, a=5)
    for _ in range(3):
        move_by(state, 1)
    state.undo()
    assert state.cursor
    assert state.cursor.statement.line == 3
    assert state.trace.operands["a"] == 5


def test_what_is_illegal_only_in_the_listing_was_not_changed_here() -> None:
    state = make_state()
    line = "@p vmad.s32.s32.u32.sat.shr7 t0, %r1.h0, -%r2.b1, %r3;"
    open_text(state, f"{{ .reg .u32 t0;\n{line}\nvset2.u32.u32.ge %r4, %r5, %r6, t0; }}")
    (note, *_) = state.notes
    assert note.startswith("it can't run in the listing: `%r1` is not declared here")
    state.type_line(line.replace("%r3", "%r5"))
    assert state.setup.error is None
    assert state.notes[0].startswith("changed here only")


def test_a_constant_of_an_asm_statement_keeps_its_value() -> None:
    line = 'asm("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"({}));'
    state = make_state()
    paste_line(state, line.format("0x55667788"))
    state.edit(randomize_values(state.setup, Random(1)))
    state.edit(swap_operands(state.setup))
    assert sources(state)["c"] == 0x55667788
    open_text(state, "\n".join((line.format(7), line.format(8))))
    asked = answer(set_value(state, "c", 9))
    assert said(asked) == "× %3 is a constant of the asm statement"
    assert sources(state)["c"] == 7
    move_by(state, 1)
    assert sources(state)["c"] == 8
