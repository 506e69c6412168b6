"""Steps, edits, undo, the pin and what is saved: the explorer's transitions, without a terminal."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ptxscope import diagnose
from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.state.edits import (
    randomize_values,
    swap_operands,
    with_choice,
    with_explanation,
    with_line,
    with_model,
    with_opcode,
    with_step_note,
    with_value,
)
from ptxscope.state.explorer_state import ExplorerState, Mode
from ptxscope.state.setup import evaluate_setup, make_example
from ptxscope.state.state_store import SavedState, StateStore
from tests.driving.states import LINE, VALUES, make_state, paste_line, reopen, set_values

VADD4 = "vadd4.s32.s32.u32.sat d, a, b, c"


# --- steps ---------------------------------------------------------------------------------


def test_a_line_opens_at_its_last_step_and_steps_stay_in_the_trace() -> None:
    state = make_state()
    assert (state.step, state.last_step, state.is_at_end) == (5, 5, True)
    assert not state.go_to_step(9)
    assert state.go_to_step(0)
    assert state.step == 1
    assert not state.go_to_step(-3)


def test_a_result_asked_for_is_shown_until_another_instruction() -> None:
    state = make_state()
    assert not state.is_result_hidden
    state.go_to_step(1)
    assert state.is_result_hidden
    assert state.reveal_result()
    state.go_to_step(2)
    state.edit(randomize_values(state.setup, Random(1)))
    assert not state.is_result_hidden
    state.edit(with_opcode(state.setup, "vmad"))
    assert state.is_result_hidden


def test_a_step_is_no_edit() -> None:
    state = make_state()
    for step in (1, 2, 3, 4):
        state.go_to_step(step)
        state.reveal_result()
    assert not state.session.undo_history
    assert not state.undo()
    assert state.step == 4


@pytest.mark.parametrize("action", ["edit", "undo", "redo"])
def test_an_edit_undo_or_redo_stops_playing(action: str) -> None:
    state = make_state()
    state.edit(swap_operands(state.setup))
    if action == "redo":
        state.undo()
    state.go_to_step(1)
    state.play()
    assert state.is_playing
    if action == "edit":
        set_values(state, a=7)
    else:
        assert getattr(state, action)()
    assert state.mode is Mode.READING
    assert not state.pause()


def test_an_edit_that_changes_nothing_goes_on_playing() -> None:
    state = make_state()
    state.play()
    assert state.edit(state.setup) is None
    assert state.is_playing


# --- undo ----------------------------------------------------------------------------------


def test_undo_and_redo_keep_the_step_and_stay_at_the_end() -> None:
    state = make_state(VADD4, {})
    count = state.last_step
    state.edit(with_choice(state.setup, "sat", False))
    fewer = state.last_step
    assert state.step == fewer < count
    state.undo()
    assert state.step == count
    state.redo()
    assert state.step == fewer
    state.go_to_step(2)
    assert state.undo()
    assert state.step == 2
    state.go_to_step(4)
    assert state.redo()
    assert state.step == 4


def test_another_instruction_keeps_the_choices_it_also_has() -> None:
    state = make_state("vadd4.s32.s32.u32.sat d.b310, a, b, c", {"a": 0x80FF7F01})
    state.edit(with_opcode(state.setup, "vsub4"))
    assert state.setup.line == "vsub4.s32.s32.u32.sat d.b310, a, b, c;"
    assert state.trace.operands["a"] == 0x80FF7F01


# --- typing in the line --------------------------------------------------------------------


def type_keys(state: ExplorerState, text: str) -> None:
    """Type characters at the end of the line; ``<`` deletes one."""
    for char in text:
        line = state.setup.line
        state.type_line(line[:-1] if char == "<" else line + char)


def test_each_visit_to_the_line_is_one_edit_however_many_keys() -> None:
    state = make_state()
    before = state.setup
    for text in ("xyz", "<<<<<<%r9, %r8"):
        type_keys(state, text)
        state.end_typing()
    assert len(state.session.undo_history) == 2
    state.undo()
    assert state.setup.line.endswith("xyz")
    state.undo()
    assert state.setup == before


def test_typing_that_came_to_nothing_is_no_edit() -> None:
    state = make_state()
    state.edit(swap_operands(state.setup))
    type_keys(state, "xyz<<<")
    state.end_typing()
    assert len(state.session.undo_history) == 1
    state.undo()
    assert state.trace.operands["a"] == VALUES["%r2"]


def test_typing_the_same_illegal_line_again_is_no_edit() -> None:
    state = make_state()
    for _ in range(2):
        for text in ("", "vadd4.u32.u32.u32.sat.add d, a, b, c"):
            state.type_line(text)
        state.end_typing()
    assert state.undo()
    assert state.setup.line == f"{LINE};"
    assert not state.undo()


def test_a_paste_into_the_line_is_an_edit_of_its_own() -> None:
    state = make_state()
    before = state.setup.line
    type_keys(state, "xy")
    state.type_line(f"{before}xypasted", is_pasted=True)
    type_keys(state, "zw")
    lines = []
    while state.session.undo_history:
        lines.append(state.setup.line)
        state.undo()
    assert lines == [f"{before}xypastedzw", f"{before}xypasted", f"{before}xy"]
    assert state.setup.line == before


def test_a_line_pasted_where_the_old_one_was_cleared_is_one_edit_with_that() -> None:
    state = make_state()
    before = state.setup
    state.type_line("")
    paste_line(state, "vadd.s32.s32.s32.sat d.b0, a, b, c")
    assert state.undo()
    assert state.setup == before
    assert not state.session.undo_history


def test_lines_that_typing_passes_through_drop_nothing() -> None:
    state = make_state(values=VALUES)
    note = with_step_note(state.setup, Stage.WRITE, "look")
    state.edit(note)
    for line in (
        "vset.s32.u32.lt %r1, %r2, %r3",
        "vadd.s32.s32.s32 %r1.b0, %r2, %r3, %r0",
        f"{LINE};",
    ):
        state.type_line(line)
        assert state.setup.error is None
    assert state.setup == note


# --- the pin -------------------------------------------------------------------------------


def test_a_pin_is_compared_with_the_same_instruction_only() -> None:
    state = make_state(VADD4, {"a": 1, "b": 2})
    pinned = state.trace
    assert not state.toggle_pin()
    set_values(state, a=3)
    assert state.comparable_pin == pinned
    state.edit(with_opcode(state.setup, "vmad"))
    assert state.pin
    assert state.comparable_pin is None
    state.undo()
    assert state.comparable_pin == pinned
    state.toggle_pin()
    assert state.pin is None


def test_the_model_is_what_it_was_when_a_comparison_is_closed() -> None:
    line, values = "vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x7F, "b": 1, "c": 0}
    state = make_state(line, values)
    state.edit(with_model(state.setup, "ptxas-13.5"))
    documented = with_model(state.setup, "isa")
    # 127 + 1 without the clamp is 0x80
    finding = next(x for x in diagnose(line, values, 0x80) if x.model.name == "isa")
    state.pin_for_explanation(documented, finding)
    state.edit(with_explanation(documented, finding))
    assert state.trace.result == {"d": 0x80}
    assert state.setup.model == "isa"
    assert state.toggle_pin()
    assert (state.pin, state.setup.model) == (None, "ptxas-13.5")


# --- what is saved -------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "saved"), [(1, 1), (3, 3), (5, 0)])
def test_the_step_is_saved_and_the_last_as_such(step: int, saved: int) -> None:
    state = make_state()
    state.go_to_step(step)
    assert state.make_saved_state().step == saved
    assert reopen(state).step == step


def test_what_was_open_is_there_again(tmp_path: Path) -> None:
    state = make_state(VADD4, {"a": 1, "b": 2})
    state.toggle_pin()
    state.edit(swap_operands(state.setup))
    state.edit(with_step_note(state.setup, state.trace.steps[0].stage, "why"))
    state.add_recent("vsub4")
    state.go_to_step(2)
    state.reveal_result()
    StateStore(tmp_path, tmp_path).save(state.make_saved_state("textual-light"))
    saved = StateStore(tmp_path, tmp_path).load()
    assert saved.setup
    again = ExplorerState(saved.setup, saved)
    assert (again.setup, again.pin, again.step) == (state.setup, state.pin, 2)
    assert not again.is_result_hidden
    assert again.recent == ["vsub4"]
    assert saved.theme == "textual-light"


def test_an_illegal_line_is_saved_too(tmp_path: Path) -> None:
    state = make_state()
    state.edit(with_line(state.setup, f"{LINE}, xyz"))
    StateStore(tmp_path, tmp_path).save(state.make_saved_state())
    saved = StateStore(tmp_path, tmp_path).load().setup
    assert saved
    again = ExplorerState(saved)
    assert again.setup.line.endswith("xyz")
    assert again.setup.error
    assert again.trace.result == {"%r1": 7}


def test_a_state_of_before_has_asked_for_nothing(tmp_path: Path) -> None:
    store = StateStore(tmp_path, tmp_path)
    state = ExplorerState(make_example("vset4"), SavedState(step=1))
    state.reveal_result()
    store.save(state.make_saved_state())
    text = store.state.read_text(encoding="utf-8")
    without = text.replace(',\n "asked": true', "")
    assert without != text
    store.state.write_text(without, encoding="utf-8")
    assert store.load().setup is not None
    assert store.load().is_result_revealed is False
    assert not store.messages


def test_recent_instructions_are_few_and_different() -> None:
    state = make_state()
    for opcode in ("vadd", "vsub", "vmad", "vset", "vadd", "vmin", "selp"):
        state.add_recent(opcode)
    assert state.recent == ["selp", "vmin", "vadd", "vset", "vmad"]


def test_one_register_in_two_roles_has_one_value() -> None:
    state = make_state("vadd4.u32.u32.u32 x, x, y, x", {"x": 1, "y": 2})
    state.edit(with_value(state.setup, "a", 2))
    assert state.trace.result == {"x": 4}


VSUB4 = "vsub4.s32.s32.s32 d, a, b, c"


@pytest.mark.parametrize("is_pasted", [False, True])
def test_values_follow_the_names_of_registers(is_pasted: bool) -> None:
    state = make_state(VSUB4, {"a": 0x0A0A0A0A, "b": 0x01020304, "c": 0})
    line = VSUB4.replace("a, b", "b, a")
    if is_pasted:
        paste_line(state, line)
    else:
        state.type_line(line)
    assert state.trace.result["d"] == 0xF7F8F9FA
    assert state.trace.operands == {"a": 0x01020304, "b": 0x0A0A0A0A}


@pytest.mark.parametrize(
    ("operands", "values"),
    [
        ("x, a", (1, 1)),  # a new name has the value of its place
        ("b, x", (2, 2)),
        ("a, a", (1, 1)),
        ("b, b", (2, 2)),
        ("c, b", (3, 2)),
        ("x, y", (1, 2)),
        ("7, a", (7, 1)),
    ],
)
def test_a_register_keeps_its_value_in_any_place(operands: str, values: tuple[int, int]) -> None:
    state = make_state("vmad.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2, "c": 3})
    setup = with_line(state.setup, f"vmad.u32.u32.u32 d, {operands}, z")
    assert tuple(evaluate_setup(setup).operands[x] for x in "abc") == (*values, 3)


def test_a_register_of_another_sort_has_the_value_of_its_place() -> None:
    state = make_state("set.lt.and.u32.s32 d, a, b, c", {"a": 6, "b": 2, "c": 1})
    setup = with_line(state.setup, "set.lt.and.u32.s32 d, c, b, a")
    assert evaluate_setup(setup).operands == {"a": 6, "b": 2, "c": 1}


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
