"""Predicting: what keys type, what is drawn when one leaves, what an unreadable entry leaves."""

from __future__ import annotations

import pytest

from ptxscope.scene.scene_model import LaneRef
from ptxscope.state.lesson_transitions import open_lesson
from tests.app.driving import KEYS, Driver, explorer
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

LINE = "vmin4.u32.u32.u32 d, a.b7654, b, c"
VALUES = {"a": 0xD4FA0102, "b": 0xFF030405, "c": 0}
SIZES = ((80, 24), (120, 40))


def lanes(drive: Driver) -> str:
    return drive.pane("lanes").read_text()


# --- leaving -----------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
async def test_leaving_the_first_step_draws_the_operands_alone(size: tuple[int, int]) -> None:
    async with explorer(LINE, VALUES, size=size) as drive:
        await drive.press("1", "P", "N")
        assert drive.state.step == 1
        chips = lanes(drive).count("ff")
        await drive.press("escape")
        assert not drive.state.is_predicting
        assert drive.state.is_result_hidden
        assert drive.state.step == 0
        assert "Before step 1" in await drive.text()
        assert lanes(drive).count("ff") == chips  # a takes b's bytes in step 1: none is drawn twice
        await drive.press("P")
        assert drive.state.is_predicting
        assert drive.state.step == 1
        assert drive.lanes.place == LaneRef("select.a", 3)


# --- typing ------------------------------------------------------------------------------


@pytest.mark.parametrize("char", "0123456789abcdef-[")
async def test_a_digit_as_the_chips_show_it_begins_an_answer(char: str) -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "N", KEYS.get(char, char))
        assert drive.state.is_predicting
        assert drive.state.step == 1
        assert drive.app.screen is drive.screen
        assert drive.field.is_open
        begun = f"0x{char}" if char in "abcdef" else char  # a letter can begin nothing else
        assert drive.field.input.value == begun


@pytest.mark.parametrize(
    ("line", "values", "invitation", "text"),
    [
        ("setp.lt.s32 p, a, b", {"a": 3, "b": 2}, "Type yes, no, 1, 0", "no"),
        ("setp.lt.s32 p, a, b", {"a": 3, "b": 2}, "Type yes, no, 1, 0", "false"),
        ("setp.lt.ftz.f32 p, a, b", {"a": 0x7FC00000, "b": 2}, "", "nan"),
    ],
)
async def test_letters_begin_an_answer_that_is_a_word(
    line: str, values: dict[str, int], invitation: str, text: str
) -> None:
    async with explorer(line, values) as drive:
        await drive.press("1", "P")
        assert invitation in drive.hint
        assert "n shows the step" not in drive.hint
        await drive.press("home")
        await drive.type(text)
        assert drive.field.input.value == text
        await drive.press("enter")
        assert drive.hint.startswith("✓ Right")


async def test_the_result_is_refused_and_the_keys_that_act_are_named() -> None:
    async with explorer(LINE, VALUES, size=(200, 40)) as drive:
        shown = await drive.see("1", "P", "N")
        footer = shown.splitlines()[-1]
        assert "a all" not in footer
        assert "d result" not in footer
        assert "h hint" in footer
        await drive.press("up")  # on a register digits are no answers, but nothing is told either
        where = drive.lanes
        assert where.place
        assert not where.is_predictable(where.place)
        assert "press End to see it" in drive.pane("result").read_text()
        await drive.click("result", "▁▁▁▁▁")
        assert "The result would reveal the answer" in drive.hint
        await drive.press("tab")
        assert drive.focus is not drive.pane("lanes")
        await drive.screen.action_do("step.result")
        assert "The result would reveal the answer" in drive.hint
        assert drive.state.is_result_hidden
        await drive.press("escape", "l", "end")
        assert not drive.state.is_predicting
        assert drive.state.step == len(drive.session.trace.steps)
        assert "d result" in (await drive.see("escape", "2")).splitlines()[-1]


@pytest.mark.parametrize("size", SIZES)
async def test_the_hint_says_which_keys_are_digits(size: tuple[int, int]) -> None:
    async with explorer(LINE, VALUES, size=size) as drive:
        await drive.press("1", "P", "N", "escape", "P")
        assert "0-9 a-f are digits here" in drive.hint
        assert "h hint" in (await drive.text()).splitlines()[-1]


# --- what can't be read --------------------------------------------------------------------


async def test_what_can_not_be_read_is_typed_over_and_the_last_verdict_goes() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "N")
        await drive.type("80")
        await drive.press("enter")
        assert drive.hint.startswith("×")
        await drive.type("12q")
        assert "is not an integer" in await drive.see("enter")
        assert "×" not in drive.hint
        await drive.type("0x1")
        assert drive.field.input.value == "0x1"


async def test_a_lessons_question_says_no_more_of_the_answer_before() -> None:
    async with explorer(size=(100, 30)) as drive:
        await drive.screen.perform(open_lesson, "extension")
        await drive.press(*"nnnnnn")
        strip = drive.pane("lesson-view")
        await drive.type("68")
        await drive.press("enter")
        assert "× Not 68. " in strip.read_text()
        await drive.type("foo")
        await drive.press("enter")
        assert "Not 68" not in strip.read_text()
        await drive.type("0x114")
        assert drive.field.input.value == "0x114"
