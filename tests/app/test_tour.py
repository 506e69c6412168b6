"""Lessons in the explorer: played to the end, left and resumed, on large and small screens."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.learn.lesson import Card, list_files, load_lesson
from ptxscope.learn.lesson_position import LessonProgress
from ptxscope.learn.lesson_text import format_answer
from ptxscope.scene.scene_model import LaneRef
from ptxscope.state.lesson_transitions import open_lesson
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.lesson_strip import LessonStrip
from tests.driving.explorer import Driver, explorer
from tests.driving.quotes import missing_numbers
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

SIZES = [(120, 40), (80, 24), (60, 20), (200, 60)]


async def opened(drive: Driver, name: str) -> str:
    await drive.screen.perform(open_lesson, name)
    return await drive.text()


def strip(drive: Driver) -> str:
    return " ".join(drive.pane("lesson-view").read_text().split())


def title(drive: Driver) -> str:
    return str(drive.pane("lesson-view").border_title)


def picture(drive: Driver) -> str:
    return "\n".join(drive.pane(x).read_text() for x in ("operands", "lanes", "result"))


async def played(drive: Driver, card: Card, at: int, many: int) -> None:
    """One card: what it shows is what it says; a question gets its answer."""
    assert drive.state.lesson
    whole = f"Lesson {drive.state.lesson.lesson.head.name} · {at} of {many} · {card.title}"
    assert title(drive) in (whole, whole.partition(" · ")[2])
    assert title(drive) in await drive.text()
    trace = drive.session.trace
    assert trace.instruction.form == card.trace.instruction.form
    assert missing_numbers(card.text, picture(drive)) == []
    said = " ".join("".join(piece.text for piece in card.text).split())
    assert said in strip(drive)
    if card.ask:
        assert drive.field.is_open
        results = {x.role: x.key for x in trace.plan.results}
        asked_place = LaneRef(results.get(card.ask.key, card.ask.key), card.ask.lane or 0)
        assert drive.lanes.place == asked_place  # without what the answer comes from
        assert drive.lanes.compute_highlights().is_alone
        await drive.type(format_answer(card))
        await drive.press("enter")
        assert "".join(piece.text for piece in card.remark)[:40] in strip(drive)
        assert not drive.field.is_open
        assert missing_numbers(card.remark, picture(drive)) == []
        asked = trace.rows.get(card.ask.key)
        if asked is not None:
            assert trace.steps[drive.state.step - 1].stage is asked.stage
            assert drive.lanes.place == LaneRef(card.ask.key, card.ask.lane or 0)
    elif card.anchor and card.anchor.key in trace.rows:
        assert drive.lanes.place == LaneRef(card.anchor.key, card.anchor.lane or 0)
    elif card.anchor and card.anchor.is_slot:
        assert drive.screen.query_one("#modifiers").pointed == card.anchor.key  # type: ignore[attr-defined]
    assert drive.focus is drive.pane("lesson-view")
    await drive.press("n")


CASES = [
    *(("lanes", (80, 24)), ("shifts", (120, 40)), ("smith-waterman", (60, 20))),
    *((name, SIZES[at % len(SIZES)]) for at, name in enumerate(list_files()) if at % 4 == 1),
]


@pytest.mark.parametrize("case", some(CASES), ids=lambda x: f"{x[0]}-{x[1][0]}")
async def test_a_lesson_is_played_to_its_end(case: tuple[str, tuple[int, int]]) -> None:
    name, size = case
    cards = load_lesson(name).cards
    async with explorer(None, {}, size=size) as drive:
        await opened(drive, name)
        for at, card in enumerate(cards, 1):
            await played(drive, card, at, len(cards))
        assert drive.state.lesson is None
        assert not drive.screen.query_one(LessonStrip).display
        shown = await drive.text()
        assert "End of the lesson" in shown
        assert "show it" not in shown.splitlines()[-1]
        assert drive.lanes.place is None


async def test_it_is_left_and_resumed_and_the_explorer_goes_on_where_it_was(
    tmp_path: Path,
) -> None:
    store = StateStore(tmp_path / "state", tmp_path / "config")
    async with explorer(store=store) as drive:
        before = drive.session.setup
        await opened(drive, "clamping")
        await drive.press("n", "n")
        drive.app.save_state()  # as whatever ends the explorer does
        assert store.load().setup == before
        assert store.load_lessons() == {"clamping": LessonProgress(2)}
        shown = await drive.see("escape")
        assert "Lesson clamping was left at card 3" in shown
        assert "u shows its line" in shown
        assert drive.session.setup == before
        await drive.press("u")
        assert "vadd4" in drive.line
        await drive.press("u")
        assert drive.session.setup == before
        assert "card 3 of 10" in await drive.see("@lessons")
        await drive.press("escape")
        await opened(drive, "clamping")
        assert "clamping · 3 of 10" in title(drive)
        await opened(drive, "slct")  # another lesson takes its place
        assert "slct · 1 of" in title(drive)
        assert drive.screen.query_one(LessonStrip).display


async def test_an_answer_of_yes_or_no_begins_on_the_strip_too() -> None:
    async with explorer(size=(40, 12)) as drive:
        await opened(drive, "setp")
        await drive.press(*"nnnnnnn")
        assert drive.field.input.size.width > 10  # on a narrow screen, too
        await drive.pilot.resize_terminal(120, 40)
        await drive.press("escape", "y")
        assert drive.field.input.value == "y"
        shown = await drive.see("e", "x", "enter")
        assert "`yex` is neither yes nor no; allowed: yes, no, true, false, 1, 0" in shown


@pytest.mark.parametrize("size", some([(60, 20), (80, 24), (40, 12), (20, 6), (300, 80)], 3))
async def test_any_key_on_any_screen_does_no_harm(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await opened(drive, "errata")
        for key in "n d a r u space 2 w escape up down home x".split():
            await drive.press("@lessons", key)
        await drive.press("escape", "escape", "escape", "escape")
        assert drive.app.is_running
