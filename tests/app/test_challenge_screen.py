"""Exercises in the explorer."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.learn.exercises import format_solution
from ptxscope.learn.tally import ExerciseKind
from ptxscope.screens.dialogs.exercise_dialog import ExerciseDialog
from ptxscope.state.state_store import StateStore
from tests.app.driving import KEYS, Driver, explorer
from tests.tiers import some


def dialog(drive: Driver) -> ExerciseDialog:
    found = drive.app.screen
    assert isinstance(found, ExerciseDialog)
    return found


def right(screen: ExerciseDialog) -> str:
    found, said = screen._exercise, format_solution(screen._exercise)
    if found.kind is ExerciseKind.RESULT:
        return said.split()[2]
    return said.partition(")")[0] if found.choices else said.removeprefix("for example ")


async def enter(drive: Driver, text: str) -> str:
    keys = {**KEYS, "=": "equals_sign", "?": "question_mark"}
    return await drive.read_after(drive.press(*(keys.get(char, char) for char in text), "enter"))


@pytest.mark.parametrize("size", some([(80, 24), (120, 40)]))
async def test_ten_exercises_right_wrong_hinted_and_skipped(
    size: tuple[int, int], tmp_path: Path
) -> None:
    store = StateStore(tmp_path, tmp_path)
    async with explorer(size=size, store=store) as drive:
        await drive.press("C")
        for at in range(5):
            screen = dialog(drive)
            assert str(screen._question_page.border_title).startswith(("What", "Which"))
            shown = await enter(drive, right(screen))
            assert "Right." in shown
            assert f"{at + 1} of {2 * at + 1} right" in str(screen._feedback_page.border_title)
            await drive.press("enter")
            await enter(drive, "?")
            assert screen._hint_count == 1
            shown = await drive.read_after(drive.press("enter"))
            assert "Skipped." in shown
            await drive.press("enter")
        await drive.press("escape")
        assert not isinstance(drive.app.screen, ExerciseDialog)
        total = StateStore(tmp_path, tmp_path).load_tally().total
        assert (total.right, total.skipped, total.hints) == (5, 5, 5)


async def test_a_wrong_answer_is_told_and_its_steps_can_be_seen() -> None:
    async with explorer() as drive:
        await drive.press("C", "ctrl+l")
        screen = dialog(drive)
        assert screen._level == 2
        while (
            screen._exercise.kind is not ExerciseKind.RESULT
            or "d" not in screen._exercise.trace.result
        ):
            await drive.press("enter", "enter")
        await drive.press("ctrl+t")
        assert "Answer first" in await drive.text()
        found = screen._exercise
        bits = found.trace.result["d"] ^ 1
        shown = await enter(drive, hex(bits))
        assert "Wrong." in shown
        assert screen._now.wrong == 1
        await drive.press("7", "?", "backspace")  # it is judged: it stays
        assert screen._answer.value == hex(bits)
        await drive.press("ctrl+t")
        assert drive.session.trace.instruction == found.trace.instruction
        assert drive.session.trace.result == found.trace.result
        assert drive.state.step == len(drive.session.trace.steps)
        await drive.press("u")
        assert drive.session.trace.instruction.opcode == "vset4"


async def test_what_is_no_answer_is_pointed_at() -> None:
    async with explorer(size=(80, 24)) as drive:
        await drive.press("C")
        shown = await enter(drive, "zz")
        assert "error:" in shown
        assert "^" in shown
        assert not dialog(drive)._is_done


async def test_a_tally_that_cannot_be_kept_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "in the way").touch()
    store = StateStore(tmp_path / "in the way", tmp_path)
    async with explorer(store=store) as drive:
        shown = await drive.read_after(drive.press("C", "enter"))
        assert "The tally can't be saved" in shown
        await drive.press("enter", "enter")
        assert dialog(drive)._now.skipped == 2
        assert dialog(drive)._store is None


async def test_a_question_mark_hints_at_once_and_is_no_part_of_an_answer() -> None:
    async with explorer(size=(80, 24)) as drive:
        await drive.press("C")
        screen = dialog(drive)
        await drive.press("question_mark")
        assert screen._hint_count == 1
        assert screen._answer.value == ""
        assert screen._feedback_page.read_text().strip()
        await drive.press("1", "question_mark")
        assert screen._answer.value == "1"
        screen._answer.value = ""
        assert "Right." in await enter(drive, right(screen))
        await drive.press("question_mark")  # it was answered: what is told of it stays
        assert "Right." in await drive.text()
        await drive.press("enter")
        assert not screen._is_done
