"""The undo history: what it holds is bounded, and each entry has a description."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import pytest

from ptxscope.engine.syntax.parser import parse
from ptxscope.state import edits
from ptxscope.state.open_listing import ListingCursor, open_listing
from ptxscope.state.session import LISTING_KEY, MAX_UNDO_STEPS, Moment, Session, describe_edit
from ptxscope.state.setup import Setup, make_example, make_setup
from tests.driving.states import make_state, move_by, open_text, set_values
from tests.state.test_open_listing import LONG
from tests.tiers import ci_only


def get_cursor(session: Session) -> ListingCursor | None:
    cursor = session.extras.get(LISTING_KEY)
    assert cursor is None or isinstance(cursor, ListingCursor)
    return cursor


def test_undo_is_bounded_in_number() -> None:
    session = Session(make_example("vadd4"))
    ins = parse("vadd.u32.u32.u32 d, a, b")
    for value in range(MAX_UNDO_STEPS + 50):
        assert session.apply(make_setup(ins, {"a": value}))
    assert len(session.undo_history) == MAX_UNDO_STEPS
    while session.undo():
        pass
    assert session.setup.values["a"] == 49
    assert len(session.redo_history) == MAX_UNDO_STEPS
    while session.redo():
        pass
    assert session.setup.values["a"] == MAX_UNDO_STEPS + 49


def test_undo_is_bounded_in_what_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxscope.state.session.MAX_UNDO_CHARS", 2_000)
    session = Session(make_example("vadd4"))
    for size in range(100):
        session.apply(edits.with_line(session.setup, " " * (200 + size)))
    assert 5 <= len(session.undo_history) <= 10
    assert session.undo()


@pytest.mark.parametrize("cursors", [1, 30])
@ci_only
def test_undo_holds_few_listings(cursors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the cursor moved in one of them, it counts once."""
    monkeypatch.setattr("ptxscope.state.session.MAX_UNDO_CHARS", 20_000)
    session = Session(make_example("vadd4"))
    for number in range(15):
        text = f"vadd.u32.u32.u32 d{number}, a, b;\n" * 60  # 1,680 characters
        cursor = open_listing(text, "x")
        assert cursor
        for at in range(cursors):
            session.apply(cursor.move_to(0, at).make_setup(session.setup), cursor.move_to(0, at))
    moments = list(iter(lambda: session.undo() and get_cursor(session), False))
    assert 5 <= len({id(cursor.listing.programs) for cursor in moments if cursor}) <= 12


@dataclass(frozen=True)
class Counter:
    """An extra of a feature: counts the edits of the setup."""

    count: int
    line: str = ""
    key: ClassVar[str] = "counter"
    values_label: ClassVar[str] = "the count"

    def follow_setup(self, setup: Setup) -> tuple[Counter, Setup]:
        edits = self.count + (setup.line != self.line)
        return Counter(edits, setup.line), setup

    def count_chars(self, previous: Counter | None) -> int:
        return 0 if previous else 1_000

    def without_caches(self) -> Counter:
        return self

    def describe_change(self, old: Moment, new: Moment) -> str:
        return "the first count" if {*new.extras} - {*old.extras} else ""


def test_an_extra_of_a_feature_is_undone_with_the_setup() -> None:
    session = Session(make_example("vadd4"))
    before = session.moment
    assert session.apply(session.setup, Counter(1, session.setup.line))
    assert describe_edit(before, session.moment) == "the first count"
    before = session.moment
    assert session.apply(make_example("vsub4"))
    session.follow_setup()
    assert session.extras["counter"] == Counter(2, session.setup.line)
    assert describe_edit(before, session.moment) == f"the line `{session.setup.line}`"
    assert session.undo()
    assert session.moment == before
    assert not session.apply(session.setup, Counter(1, session.setup.line))
    assert session.apply(session.setup, Counter(5, session.setup.line))
    assert describe_edit(before, session.moment) == "the count"
    assert session.apply(session.setup, removed_key="counter")
    assert not session.extras
    while session.undo():
        pass
    assert session.setup == make_example("vadd4")
    assert not session.extras


def test_what_was_computed_is_not_held() -> None:
    cursor = open_listing(LONG, "long")
    assert cursor
    assert cursor.rows
    assert cursor.listing.runs
    session = Session(make_example("vadd4"), cursor)
    session.apply(make_example("vsub4"))
    session.undo()
    kept = get_cursor(session)
    assert kept
    assert kept == cursor
    assert not kept.listing.runs
    assert not kept.listing.lists


def test_each_edit_has_a_description() -> None:
    state = make_state()
    setup = state.setup
    stage = state.trace.steps[-1].stage
    for edit, description in {
        edits.with_value(setup, "a", 5): "%r2 = 0x00000005",
        edits.swap_operands(setup): "%r2 = 0x01010101, %r3 = 0x80ff7f01",
        edits.with_model(setup, "ptxas-13.5"): "the model ptxas-13.5",
        edits.with_step_note(setup, stage, "why"): "the notes for exports",
        edits.with_line(setup, f"{setup.line}xy"): f"the line `{setup.line}xy`",
    }.items():
        before = state.session.moment
        state.edit(edit)
        assert describe_edit(before, state.session.moment) == description
        state.undo()


def test_each_edit_of_a_listing_has_a_description() -> None:
    state = make_state()
    moments = [state.session.moment]
    open_text(state, LONG, "long.ptx")
    moments.append(state.session.moment)
    move_by(state, 1)
    moments.append(state.session.moment)
    set_values(state, a=5)
    moments.append(state.session.moment)
    texts = [describe_edit(*pair) for pair in pairwise(moments)]
    assert texts == ["the listing `long.ptx`", "line 2 of `long.ptx`", "x1 = 0x00000005"]
