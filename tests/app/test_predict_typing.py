"""Predicting: what keys type, what is drawn when one leaves, what an unreadable entry leaves."""

from __future__ import annotations

import pytest

from ptxscope.scene.scene_model import LaneRef
from ptxscope.state.lesson_transitions import open_lesson
from ptxscope.state.step_transitions import begin_predicting
from ptxscope.widgets.base.hint_bar import HintBar
from ptxscope.widgets.lanes.lanes_pane import LanesPane
from tests.app.driving import KEYS, Driver, explorer, focused
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

LINE = "vmin4.u32.u32.u32 d, a.b7654, b, c"
VALUES = {"a": 0xD4FA0102, "b": 0xFF030405, "c": 0}
SIZES = ((80, 24), (120, 40))


def said(drive: Driver) -> str:
    return " ".join(drive.screen.query_one(HintBar).read_text().split())


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
        assert drive.screen.query_one(LanesPane).place == LaneRef("select.a", 3)


async def test_playing_from_the_operands_alone_begins_at_the_first_step() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "N", "escape", "space")
        assert drive.state.step == 1
        await drive.press("space")


# --- typing ------------------------------------------------------------------------------


@pytest.mark.parametrize("char", "0123456789abcdef-[")
async def test_a_digit_as_the_chips_show_it_begins_an_answer(char: str) -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "N", KEYS.get(char, char))
        assert drive.state.is_predicting
        assert drive.state.step == 1
        assert drive.app.screen is drive.screen
        assert drive.screen.view.mount_value_field().is_open
        begun = f"0x{char}" if char in "abcdef" else char  # a letter can begin nothing else
        assert drive.screen.view.mount_value_field().input.value == begun


async def test_a_letter_begins_hexadecimal_or_false() -> None:
    async with explorer("setp.lt.s32 p, a, b", {"a": 1, "b": 2}) as drive:
        await drive.screen.perform(begin_predicting)
        await drive.press("f")
        assert drive.screen.view.mount_value_field().input.value == "f"
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "N")
        await drive.type("ff")
        await drive.press("enter")
        assert said(drive) == "✓ Right"


async def test_yes_and_no_are_typed_where_a_lane_is_one_of_them() -> None:
    async with explorer("setp.lt.s32 p, a, b", {"a": 3, "b": 2}) as drive:
        await drive.press("1", "P")
        assert "Type yes, no, 1, 0" in said(drive)
        assert "n shows the step" not in said(drive)
        await drive.press("home")
        await drive.type("no")
        assert drive.screen.view.mount_value_field().input.value == "no"
        await drive.press("enter")
        assert said(drive).startswith("✓ Right")


async def test_nan_is_typed_where_a_lane_is_a_float() -> None:
    async with explorer("setp.lt.ftz.f32 p, a, b", {"a": 0x7FC00000, "b": 2}) as drive:
        await drive.press("1", "P", "home")
        await drive.type("nan")
        assert drive.screen.view.mount_value_field().input.value == "nan"
        await drive.press("enter")
        assert said(drive) == "✓ Right"


async def test_bare_hexadecimal_is_told_how_it_is_written() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "N")
        await drive.type("7f")
        shown = await drive.read_after(drive.press("enter"))
        assert "hexadecimal digits need a 0x in front; allowed: 0x7f" in shown
        await drive.type("0xff")
        await drive.press("enter")
        assert said(drive) == "✓ Right"


async def test_the_result_is_refused_and_the_keys_that_act_are_named() -> None:
    async with explorer(LINE, VALUES, size=(200, 40)) as drive:
        shown = await drive.read_after(drive.press("1", "P", "N"))
        footer = shown.splitlines()[-1]
        assert "a all" not in footer
        assert "d result" not in footer
        assert "h hint" in footer
        await drive.press("up")  # on a register digits are no answers, but nothing is told either
        where = drive.screen.query_one(LanesPane)
        assert where.place
        assert not where.is_predictable(where.place)
        assert "press End to see it" in drive.pane("result").read_text()
        await drive.click("result", "▁▁▁▁▁")
        assert "The result would reveal the answer" in said(drive)
        await drive.press("tab")
        assert focused(drive) is not drive.pane("lanes")
        await drive.screen.action_do("step.result")
        assert "The result would reveal the answer" in said(drive)
        assert drive.state.is_result_hidden
        await drive.press("escape", "l", "end")
        assert not drive.state.is_predicting
        assert drive.state.step == len(drive.session.trace.steps)
        assert "d result" in (await drive.read_after(drive.press("escape", "2"))).splitlines()[-1]


@pytest.mark.parametrize("size", SIZES)
async def test_the_hint_says_which_keys_are_digits(size: tuple[int, int]) -> None:
    async with explorer(LINE, VALUES, size=size) as drive:
        await drive.press("1", "P", "N", "escape", "P")
        assert "0-9 a-f are digits here" in said(drive)
        assert "h hint" in (await drive.text()).splitlines()[-1]


# --- what can't be read --------------------------------------------------------------------


async def test_what_can_not_be_read_is_typed_over_by_what_comes_next() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "N")
        await drive.type("12q")
        await drive.press("enter")
        await drive.type("0x1")
        assert drive.screen.view.mount_value_field().input.value == "0x1"


async def test_what_was_said_of_the_answer_before_goes() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "N")
        await drive.type("80")
        await drive.press("enter")
        assert said(drive).startswith("×")
        await drive.press("1")
        await drive.type("2q")
        shown = await drive.read_after(drive.press("enter"))
        assert "is not an integer" in shown
        assert "×" not in said(drive)


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
        assert drive.screen.view.mount_value_field().input.value == "0x114"
