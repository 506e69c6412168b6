"""What ``check`` finds in an open listing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.engine.tracing.deviation import find_deviations
from ptxscope.features.check.lint import check_text
from ptxscope.state.listing_transitions import paste_text
from ptxscope.state.open_listing import MAX_CHARS, open_listing, read_listing
from ptxscope.state.requests import Notify
from tests.driving.states import answer, do, make_state, move_by, open_text, set_values


@pytest.mark.parametrize(("c", "can_change"), [("%r3", True), ("0", False)])
def test_the_list_marks_the_errata_that_check_finds(c: str, can_change: bool) -> None:
    """E11 extends the sign of c (SEMANTICS.md, section 4): that of a literal 0 changes nothing."""
    text = f"vmad.u32.u32.u32.sat %r4, %r1, %r2, {c};\nvmax.u32.u32.u32 %r5, %r4, %r1;"
    row = next(iter(check_text(text, "x.ptx")))
    assert ("E11" in row.errata) == can_change
    cursor = open_listing(text, "x.ptx")
    assert cursor
    assert ("E11" in cursor.rows[0].possible_errata) == can_change


def test_an_example_of_an_erratum_stays_beside_the_run() -> None:
    text = (
        "vadd.u32.u32.u32 x, a, 1;\nvadd.u32.u32.u32 x, x, 1;\nvadd.u32.s32.s32.sat d.b0, x, b, c;"
    )
    state = make_state()
    open_text(state, text)
    set_values(state, a=5)
    (checked,) = (x for x in check_text(text, "pasted") if x.example)
    do(state, "check", checked)
    assert any("these operands differ from the run's" in note for note in state.notes)
    assert find_deviations(state.trace)
    assert state.cursor
    assert state.cursor.listing.inputs_by_program == ({"a": 5},)
    move_by(state, -1)
    move_by(state, 1)
    assert state.trace.operands["a"] == 7
    assert not any("not those of the run" in note for note in state.notes)


def test_a_text_that_is_too_long_for_a_listing_is_left_to_check(tmp_path: Path) -> None:
    path = tmp_path / "long.ptx"
    path.write_bytes(b" " * (MAX_CHARS + 1))
    with pytest.raises(ValueError, match=r"characters; `ptxscope check` reads it"):
        read_listing(str(path))
    (told,) = answer(paste_text(make_state(), "x" * (MAX_CHARS + 1)))
    assert isinstance(told, Notify)
    assert told.text.endswith("characters; `ptxscope check` reads a file of any length")
