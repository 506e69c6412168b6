"""Lessons on their screen: played to the end, left and resumed, at large and small sizes."""

from __future__ import annotations

import json
import re
import signal
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from ptxscope.features.lessons.lesson import (
    Card,
    list_files,
    list_headings,
    load_lesson,
    map_groups,
)
from ptxscope.features.lessons.lesson_position import LessonPosition, LessonProgress
from ptxscope.features.lessons.lesson_text import format_answer
from ptxscope.features.lessons.progress_store import load_progress
from ptxscope.features.lessons.terminal.course_screen import CourseScreen
from ptxscope.features.lessons.terminal.end_screen import EndScreen
from ptxscope.features.lessons.terminal.lesson_screen import LessonScreen
from ptxscope.features.lessons.transitions import get_play, open_lesson
from ptxscope.scene.scene_model import LaneRef
from ptxscope.screens.main.main_screen import MainScreen
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.base.pane import Pane
from ptxscope.widgets.lanes.lanes_pane import LanesPane
from tests.driving.explorer import Driver, explorer
from tests.features.lessons.quotes import missing_numbers
from tests.tiers import ci_only, sampled, some, whole

SIZES = [(120, 40), (80, 24), (60, 20), (200, 60)]


async def opened(drive: Driver, name: str) -> LessonScreen:
    await drive.screen.perform(open_lesson, name)
    await drive.text()
    screen = drive.app.screen
    assert isinstance(screen, LessonScreen)
    return screen


def position_of(drive: Driver) -> LessonPosition:
    position = get_play(drive.state).position
    assert position
    return position


def text_of(screen: Screen[Any], id_: str) -> str:
    return screen.query_one(f"#{id_}", Pane).read_text()


async def played(drive: Driver, card: Card, number: int, count: int) -> None:
    """One card: what it shows is what it says; a question gets its answer."""
    screen = drive.app.screen
    assert isinstance(screen, LessonScreen)
    position, lanes = position_of(drive), screen.query_one(LanesPane)
    assert f"{number} of {count}" in await drive.text()
    lines = await drive.text()
    assert missing_numbers(card.text, lines) == []
    said = " ".join("".join(piece.text for piece in card.text).split())
    assert said in " ".join(text_of(screen, "lesson-card").split())
    if card.ask:
        assert drive.focus is screen.field
        results = {x.role: x.key for x in card.trace.plan.results}
        asked_place = LaneRef(results.get(card.ask.key, card.ask.key), card.ask.lane or 0)
        assert lanes.place == asked_place  # without what the answer comes from
        assert lanes.compute_highlights().is_alone
        await drive.type(format_answer(card))
        await drive.press("enter")
        feedback = " ".join(text_of(screen, "lesson-feedback").split())
        assert "".join(piece.text for piece in card.remark)[:40] in feedback
        assert missing_numbers(card.remark, await drive.text()) == []
        asked = card.trace.rows.get(card.ask.key)
        if asked is not None:
            shown = get_play(drive.state).card_state
            assert shown
            assert card.trace.steps[shown.step - 1].stage is asked.stage
            assert lanes.place == LaneRef(card.ask.key, card.ask.lane or 0)
    elif card.anchor and card.anchor.key in card.trace.rows:
        assert lanes.place == LaneRef(card.anchor.key, card.anchor.lane or 0)
    assert not position.is_open
    assert drive.focus is None
    await drive.press("n")


CASES = [
    *(("lanes", (80, 24)), ("shifts", (120, 40)), ("smith-waterman", (60, 20))),
    *((name, SIZES[at % len(SIZES)]) for at, name in enumerate(list_files()) if at % 4 == 1),
]


@sampled
@ci_only
@pytest.mark.parametrize("case", some(CASES), ids=lambda x: f"{x[0]}-{x[1][0]}")
async def test_a_lesson_is_played_to_its_end(case: tuple[str, tuple[int, int]]) -> None:
    name, size = case
    cards = load_lesson(name).cards
    async with explorer(None, {}, size=size) as drive:
        await opened(drive, name)
        for number, card in enumerate(cards, 1):
            await played(drive, card, number, len(cards))
        assert get_play(drive.state).position is None
        assert "right at the first try" in await drive.text()
        for kind in (EndScreen, CourseScreen, MainScreen):
            assert type(drive.app.screen) is kind
            await drive.press("escape")


async def test_it_is_left_and_resumed_and_the_explorer_is_as_it_was(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "state", tmp_path / "config")
    async with explorer(store=store) as drive:
        before = drive.session.setup
        await opened(drive, "clamping")
        await drive.press("pagedown", "pagedown")
        drive.app.save_state()  # as whatever ends the explorer does
        assert store.load().setup == before
        assert load_progress(store) == {"clamping": LessonProgress(2)}
        await drive.press("escape")
        assert drive.app.screen is drive.screen
        assert drive.session.setup == before
        assert "card 3 of 11" in await drive.see("L")
        await drive.press("escape")
        await opened(drive, "clamping")
        assert "3 of 11" in await drive.text()


@pytest.mark.parametrize("name", list_files())
@whole
async def test_card_question_and_asked_rows_are_visible_together_at_80x24(name: str) -> None:
    """On every card: its whole text, the field, the cell that it is about, and each number.

    The first card also has the aim and the line of C.
    """
    async with explorer(None, {}, size=(80, 24)) as drive:
        screen = await opened(drive, name)
        head = load_lesson(name).head
        first = " ".join((await drive.text()).split())
        assert f"Aim: {head.purpose} In C: {head.c_line}" in first
        for card in load_lesson(name).cards:
            shown = await drive.text()
            words = " ".join(shown.split())
            said = " ".join("".join(piece.text for piece in card.text).split())
            assert said in words, card.title
            lanes = screen.query_one(LanesPane)
            picture = "\n".join(shown.splitlines()[lanes.region.y :])
            assert missing_numbers(card.text, picture) == [], card.title
            if lanes.place is not None:
                assert lanes.locate_cursor() is not None, card.title
            if card.ask:
                assert screen.field.region.height == 1
                assert drive.focus is screen.field
                assert lanes.place is not None, card.title
            await drive.press("pagedown")


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (120, 40), (56, 40)])
async def test_every_group_and_lesson_is_reached_and_seen(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await drive.press("L")
        for number, (group, heads) in enumerate(
            groupby(list_headings(), lambda head: head.group), 1
        ):
            await drive.press("down")
            assert f"▸{number:2} {group}" in await drive.text()
            await drive.press("right")
            outcome = map_groups()[group]
            for head in heads:
                assert f"▸○ {head.title[: 12 if size[0] < 60 else 16]}" in await drive.text()
                if size[1] > 20:
                    assert outcome in " ".join(text_of(drive.app.screen, "course-lessons").split())
                await drive.press("down")
            await drive.press("left")
        await drive.press("home", "up", "enter")
        assert isinstance(drive.app.screen, LessonScreen)


async def test_a_lesson_that_was_begun_is_continued_first(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "state", tmp_path / "config")
    async with explorer(store=store, size=(80, 24)) as drive:
        await opened(drive, "brighten")
        await drive.press("n", "n", *"4", "enter", "n", "escape")
        shown = await drive.see("L")
        assert "card 4 of 9" in shown
        assert "●●■▣○○□□□" in shown
        await drive.press("enter")
        assert "4 of 9" in await drive.text()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 20)])
async def test_in_ascii_every_sign_of_the_course_and_of_a_card_has_its_letter(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lesson that is begun differs from one to come, and no character is unknown."""
    monkeypatch.setenv("LC_ALL", "C")
    store = StateStore(tmp_path / "state", tmp_path / "config")
    async with explorer(store=store, size=size) as drive:
        screen = await opened(drive, "lanes")
        assert "@oo" in await drive.text()
        assert "?" not in text_of(screen, "lesson-card")
        shown = await drive.see("n", "escape", "L")
        assert shown.isascii()
        assert "* read  x right  @ here  o to come  . a question  c begun" in shown
        assert re.search(r"2 Lanes +co", shown), shown


async def test_without_colours_the_cursor_of_the_course_is_a_sign(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with explorer(size=(80, 24)) as drive:
        for keys in (("L",), ("down",), ("right",), ("down",), ("left",), ("home", "up")):
            assert (await drive.see(*keys)).count("▸") == 1, keys


@pytest.mark.parametrize("size", [(80, 40), (56, 60), (40, 60)])
async def test_the_end_of_a_lesson_shows_every_word_at_any_width(size: tuple[int, int]) -> None:
    lesson = load_lesson("averages")
    head = lesson.head
    async with explorer(size=size) as drive:
        position = LessonPosition(lesson, LessonProgress(), from_start=True)
        drive.app.push_screen(EndScreen(position, list_headings()[0]))
        words = " ".join((await drive.text()).split())
        costs = (words for cost in head.costs for words in (cost.line, str(cost.instructions)))
        for said in (head.purpose, head.c_line, head.use, *costs, list_headings()[0].purpose):
            assert said in words
        for index in position.missed_cards:
            card = lesson.cards[index]
            assert f"card {index + 1}, {card.title} it is {format_answer(card)}" in words


@pytest.mark.parametrize("name", ["signedness", "floats"])
async def test_the_title_of_a_lesson_is_whole_at_its_end(name: str) -> None:
    lesson = load_lesson(name)
    async with explorer(size=(80, 24)) as drive:
        position = LessonPosition(lesson, LessonProgress(), from_start=True)
        drive.app.push_screen(EndScreen(position, None))
        lines = (await drive.text()).splitlines()
        top = lines[: next(i for i, x in enumerate(lines) if "Done" in x)]
        left = [re.split(r" {2,}", x.strip())[0] for x in top]
        assert " ".join(x for x in left if x in lesson.head.title) == lesson.head.title


@sampled
@ci_only
@pytest.mark.parametrize("size", some([(60, 20), (80, 24), (40, 12), (20, 6), (300, 80)], 3))
async def test_any_key_on_any_screen_does_no_harm(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await opened(drive, "errata")
        for key in "n d a r u space 2 w escape up down home x".split():
            await drive.press("@lessons", key)
        await drive.press("escape", "escape", "escape", "escape")
        assert drive.app.is_running


@ci_only
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_lesson_goes_on_where_a_signal_ended_it(tmp_path: Path) -> None:
    from tests.driving.pseudo_terminal import Explorer

    words = ("lesson", "slct")
    with Explorer(tmp_path, size=(100, 30), words=words) as process:
        process.wait_for(b"1 of 10")
        process.type(b"n")
        process.wait_for(b"2 of 10")
        process.process.send_signal(signal.SIGTERM)
        process.process.wait(20)
    left = json.loads((process.state.parent / "lessons.json").read_text(encoding="utf-8"))
    assert left["lessons"] == {"slct": {"card": 1, "done": False}}
    with Explorer(tmp_path, size=(100, 30), words=words) as process:
        process.wait_for(b"2 of 10")
