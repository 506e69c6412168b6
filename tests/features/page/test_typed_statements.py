"""A typed block, open at its last step."""

from __future__ import annotations

from ptxscope.engine.micro_operations.properties import Stage
from ptxscope.features.page.typed_statements import type_statements
from ptxscope.state.edits import (
    with_step_note,
)
from tests.driving.states import make_state, move_by


def test_results_of_later_statements_stay_hidden_while_one_steps_through_a_block() -> None:
    state = make_state()
    type_statements(state, "{ shl.b32 s, a, b; bfe.u32 t, s, b, c; add.u32 d, t, a; }")
    assert state.first_hidden_statement is None
    assert state.go_to_statement(-1)
    assert state.go_to_statement(-1)
    assert state.cursor
    first = state.cursor.index
    assert state.first_hidden_statement is None  # all was shown before
    state.go_to_step(1)
    assert state.first_hidden_statement == first
    state.go_to_step(state.last_step)
    assert state.first_hidden_statement == first + 1
    assert state.go_to_statement(1)
    assert state.first_hidden_statement == first + 1
    assert state.go_to_statement(-1)  # back at the last step of the first
    assert state.first_hidden_statement == first + 1
    state.reveal_result()
    assert state.first_hidden_statement is None
    state.reveal_result(is_revealed=False)
    assert state.end_stepping()
    assert state.first_hidden_statement is None
    state.go_to_step(1)
    move_by(state, 1)  # who goes to a statement sees the results
    assert state.first_hidden_statement is None


def test_notes_that_a_step_to_another_statement_drops_are_restored_by_undo() -> None:
    state = make_state()
    type_statements(state, "{ shl.b32 s, a, b; bfe.u32 t, s, b, c; }")
    count = len(state.session.undo_history)
    assert state.go_to_statement(-1)
    assert len(state.session.undo_history) == count
    state.edit(with_step_note(state.setup, Stage.OPERATE, "why"))
    noted = state.setup
    assert state.go_to_statement(1)
    assert not state.setup.annotations.notes
    assert state.undo()
    assert state.setup == noted
