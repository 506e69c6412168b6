"""Lessons on the page: the picture is that of the card, and the page's own line comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ptxscope.features.lessons.transitions import get_play
from ptxscope.state.permalink import format_permalink, parse_permalink
from tests.driving.element_texts import text_of

explorer_page = pytest.importorskip("ptxscope.features.page.explorer_page")

VADD4 = "vadd4.s32.s32.s32.sat+d,+a,+b,+c&a=0x80ff7f01&b=0x01010101"


def act(page: Any, action: str, **arguments: object) -> dict[str, Any]:
    changes: dict[str, Any] = json.loads(page.handle(action, json.dumps(arguments)))
    return changes


def open_page(fragment: str) -> Any:
    page = explorer_page.ExplorerPage(fragment)
    page.format_changes()
    return page


def test_a_lesson_is_played_to_its_end() -> None:
    page = open_page(VADD4)
    line = page.state.line
    act(page, "lessons")
    act(page, "open_lesson", name="lanes")
    position = get_play(page.state.own).position
    assert position
    for _ in range(len(position.lesson.cards)):
        assert page.state.trace == position.card.trace
        if position.is_open:
            act(page, "lesson_answer", text="nonsense")
            assert position.is_open
            act(page, "lesson_hint")
            act(page, "lesson_reveal")
            assert page.state.shown_step == position.asked_step
        shown = act(page, "lesson_go", delta="1")
    assert get_play(page.state.own).position is None
    assert page.state.explorer is page.state.own
    assert page.state.line == line
    assert text_of(shown["#panel"]).startswith("Next: Registers")


def test_a_lesson_reopens_at_its_last_card() -> None:
    page = open_page(VADD4)
    act(page, "open_lesson", name="clamping")
    act(page, "lesson_go", delta="1")
    act(page, "lesson_go", delta="1")
    assert parse_permalink(format_permalink(page.state.link)).text == "clamping.3"
    told = text_of(act(page, "lesson_leave")["#panel"])
    assert "card 3 of 10, 5 minutes" in told
    assert "card 3 of 10" in text_of(act(page, "open_lesson", name="clamping")["#panel"])
    act(page, "open_link", fragment=f"{VADD4}&lesson=clamping.10")
    told = text_of(act(page, "lesson_go", delta="1")["#panel"])
    assert "done, 5 minutes" in told
    assert "card 1 of 10" in text_of(act(page, "open_lesson", name="clamping")["#panel"])


def test_an_edit_ends_a_lesson_and_is_one_of_its_line() -> None:
    page = open_page(VADD4)
    act(page, "open_lesson", name="clamping")
    shown = page.state.line
    assert shown.startswith("vadd4.s32.s32.s32.sat")
    act(page, "value", role="a", text="0x01020304")
    assert get_play(page.state.own).position is None
    assert page.state.line == shown
    assert page.state.trace.operands["a"] == 0x01020304
    act(page, "edit.undo")
    assert page.state.trace.operands["a"] == 0x80FF7F01


def test_steps_of_a_card_are_walked_without_leaving_it() -> None:
    page = open_page(VADD4)
    act(page, "open_lesson", name="clamping")
    step = page.state.shown_step
    act(page, "step.next")
    assert page.state.shown_step == step + 1
    assert get_play(page.state.own).position is not None
