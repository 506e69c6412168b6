"""A listing that was open at the end is open at the next start, with its values and its cursor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ptxscope.blocks.block_parser import parse_block
from ptxscope.state.edits import with_line, with_model
from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.open_block import open_block
from ptxscope.state.saved_listing import MAX_SAVED_CHARS
from ptxscope.state.setup import make_example
from ptxscope.state.state_store import SavedState, StateStore
from tests.driving.states import make_state, move_by, open_text, set_values

KERNEL = """.visible .entry first(.param .u32 p) {
  .reg .b32 %r<9>;
  ld.param.u32 %r1, [p];
  mov.b32 %r2, 3;
  vadd4.u32.u32.u32 %r3, %r1, %r2, %r2;
  vmin.u32.u32.u32 %r4, %r3, %r5;
}
.visible .entry second(.param .u32 p) {
  .reg .b32 %r<9>;
  vmax.u32.u32.u32 %r4, %r1, %r2;
  vmax.u32.u32.u32 %r4, %r1;
}
"""
BLOCK = "{ add.u32 t, a, b; mul.lo.u32 d, t, c; }"


def close_and_open(state: ExplorerState, folder: Path) -> ExplorerState:
    """Return the state of the next start."""
    StateStore(folder, folder).save(state.make_saved_state())
    store = StateStore(folder, folder)
    saved = store.load()
    assert not store.messages
    assert saved.setup
    return ExplorerState(saved.setup, saved)


def open_kernel() -> ExplorerState:
    """Return a state at the second instruction of the first kernel, with values of both."""
    state = make_state()
    open_text(state, KERNEL, "k.ptx")
    set_values(state, a=0x01020304, b=0x01010101)
    move_by(state, 1)
    set_values(state, b=0x7F)
    return state


def assert_equal(again: ExplorerState, state: ExplorerState) -> None:
    """Check that everything of the listing and the line is as it was."""
    assert again.cursor
    assert state.cursor
    assert again.setup == state.setup
    assert (again.cursor.program, again.cursor.index) == (state.cursor.program, state.cursor.index)
    assert again.cursor.rows == state.cursor.rows
    for name in ("name", "text", "model", "inputs_by_program"):
        assert getattr(again.cursor.listing, name) == getattr(state.cursor.listing, name)
    assert again.notes == state.notes
    assert again.trace.result == state.trace.result
    assert again.first_hidden_statement == state.first_hidden_statement
    assert not again.undo()


def test_a_listing_reopens_with_its_values_and_its_cursor(tmp_path: Path) -> None:
    state = open_kernel()
    again = close_and_open(state, tmp_path)
    assert again.setup.line == "vmin.u32.u32.u32 %r4, %r3, %r5;"
    # 0x01020304 + 0x00000003, lane by lane, by hand; the least of that and 0x7f
    assert again.trace.operands == {"a": 0x01020307, "b": 0x7F}
    assert again.trace.result == {"%r4": 0x7F}
    assert_equal(again, state)
    move_by(again, -1)
    assert again.trace.operands["a"] == 0x01020304


@pytest.mark.parametrize("moves", range(4))
def test_every_line_reopens(moves: int, tmp_path: Path) -> None:
    state = open_kernel()
    move_by(state, -1)
    for _ in range(moves):
        move_by(state, 1)
    assert_equal(close_and_open(state, tmp_path), state)


def test_an_edited_line_reopens_as_an_edit_of_the_listing(tmp_path: Path) -> None:
    state = open_kernel()
    state.edit(with_line(state.setup, "vmax.u32.u32.u32 %r4, %r3, %r5"))
    assert "changed here only" in state.notes[0]
    assert_equal(close_and_open(state, tmp_path), state)


def test_another_model_reopens(tmp_path: Path) -> None:
    state = open_kernel()
    state.edit(with_model(state.setup, "ptxas"))
    again = close_and_open(state, tmp_path)
    assert again.cursor
    assert again.cursor.listing.model == "ptxas"
    assert_equal(again, state)


def test_operands_that_are_not_of_the_run_reopen(tmp_path: Path) -> None:
    from dataclasses import replace

    state = open_kernel()
    state.edit(replace(state.setup, values={"a": 5, "b": 6}, is_detached=True))
    again = close_and_open(state, tmp_path)
    assert again.trace.operands == {"a": 5, "b": 6}
    assert_equal(again, state)


def test_a_listing_that_was_left_for_another_line_stays_closed(tmp_path: Path) -> None:
    state = open_kernel()
    state.edit(make_example("vset4"))
    again = close_and_open(state, tmp_path)
    assert again.cursor is None
    assert again.setup == make_example("vset4")


@pytest.mark.parametrize("step", [1, 2])
def test_a_block_reopens_at_its_step_with_later_results_hidden(step: int, tmp_path: Path) -> None:
    state = make_state()
    state.show_statement(open_block(parse_block(BLOCK), values={"a": 7, "b": 8, "c": 9}))
    state.go_to_step(1)
    state.go_to_step(step)
    again = close_and_open(state, tmp_path)
    assert_equal(again, state)
    assert (again.step, again.first_hidden_statement) == (step, state.first_hidden_statement)
    assert again.block_trace
    assert again.block_trace.result == {"d": (7 + 8) * 9}


def test_a_long_listing_does_not_delay_the_next_start(tmp_path: Path) -> None:
    state = make_state()
    open_text(state, KERNEL + "/" * (MAX_SAVED_CHARS + 1))
    set_values(state, a=5)
    again = close_and_open(state, tmp_path)
    assert again.cursor is None
    assert again.trace.operands["a"] == 5


def test_a_name_that_is_not_utf_8_does_not_damage_the_saved_state(tmp_path: Path) -> None:
    state = make_state()
    open_text(state, KERNEL + "// \udc80", "k\udc80.ptx")
    again = close_and_open(state, tmp_path)
    assert again.cursor
    assert again.cursor.listing.name == "k?.ptx"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", "no PTX"),
        ("text", ""),
        ("statement", 1 << 70),
        ("statement", -1),
        ("program", 7),
        ("inputs_by_program", []),
        ("inputs_by_program", [{"nothing": "0x7"}, {}]),
        ("is_block", True),
    ],
)
def test_a_changed_listing_opens_where_it_can(name: str, value: object, tmp_path: Path) -> None:
    state = open_kernel()
    store = StateStore(tmp_path, tmp_path)
    store.save(state.make_saved_state())
    data: dict[str, Any] = json.loads(store.state.read_text("utf-8"))
    data["listing"][name] = value
    store.state.write_text(json.dumps(data), "utf-8")
    saved = store.load()
    assert saved.setup
    again = ExplorerState(saved.setup, saved)
    assert (again.cursor is None) == (name in ("text", "is_block"))
    assert again.setup.line
    assert again.trace.result
    assert not store.messages


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", None),
        ("text", " " * (MAX_SAVED_CHARS + 1)),
        ("model", "E99"),
        ("statement", True),
        ("inputs_by_program", {}),
        ("inputs_by_program", [[]]),
        ("inputs_by_program", [{"%r1": 5}]),
        ("inputs_by_program", [{"%r1": hex(1 << 64)}]),
        ("is_block", 1),
    ],
)
def test_a_damaged_listing_is_set_aside(name: str, value: object, tmp_path: Path) -> None:
    store = StateStore(tmp_path, tmp_path)
    store.save(open_kernel().make_saved_state())
    data: dict[str, Any] = json.loads(store.state.read_text("utf-8"))
    data["listing"][name] = value
    store.state.write_text(json.dumps(data), "utf-8")
    assert store.load() == SavedState()
    assert "could not be read" in store.messages[0]
