"""Lessons on the page: the picture is that of the card, and the page's own line comes back."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ptxscope.features.lessons.lesson import list_files, list_headings, map_groups
from ptxscope.features.lessons.transitions import get_play
from ptxscope.features.page.permalink import format_permalink, parse_permalink
from ptxscope.learn.grader import format_right_answer
from tests.driving.element_texts import text_of
from tests.tiers import some, whole

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
    told = text_of(shown["#panel"])
    assert told.count("0 of 5 right") == 1
    assert page.state.message == ""
    assert "Next: Averages" in told


def test_the_end_of_a_lesson_says_what_it_was_for_and_what_was_missed() -> None:
    page = open_page(f"{VADD4}&lesson=brighten.4&v=1")
    act(page, "lesson_answer", text="4")
    assert "wrap around" in text_of(page.state.panel)
    for _ in range(6):
        shown = act(page, "lesson_go", delta="1")
    told = text_of(shown["#panel"])
    head = next(head for head in list_headings() if head.name == "brighten")
    assert head.purpose in told
    assert head.c_line in told
    assert head.use in told
    assert "27 instructions" in told  # as the lesson's file says
    assert "card 4, Your turn: the brightest pixel · you wrote 4; it is 255" in told
    told = text_of(act(page, "lesson_end", name="missed")["#panel"])
    assert "Your turn: what fits" in told  # the first question, which was skipped
    act(page, "lesson_leave")
    act(page, "open_link", fragment=f"{VADD4}&lesson=brighten.9&v=1")
    act(page, "lesson_go", delta="1")
    act(page, "lesson_end", name="line")
    assert page.state.line.startswith("vadd4.u32.u32.s32.sat")
    assert page.state.layout == ""


def test_the_list_of_lessons_says_what_each_is_for_and_how_far_one_is() -> None:
    page = open_page(VADD4)
    told = text_of(act(page, "lessons")["#panel"])
    assert all(head.purpose in told and head.c_line in told for head in list_headings())
    groups = {head.group for head in list_headings()}
    abilities = {name: sentence.split("`")[0] for name, sentence in map_groups().items()}
    assert all(abilities[group] in told for group in groups)
    assert "Begin here" in told
    assert "forgets them" in told  # no storage holds what was answered
    assert page.state.layout == "panel"
    act(page, "open_lesson", name="brighten")
    act(page, "lesson_go", delta="1")
    assert page.state.layout == "card"
    told = text_of(act(page, "lessons")["#panel"])  # the key of lessons leads to all of them
    assert "Continue: Brighten four pixels" in told
    assert "card 2 of 9" in told
    act(page, "explore")
    assert page.state.layout == ""


@pytest.mark.parametrize(
    ("name", "is_compact"), [(name, bool(index % 2)) for index, name in enumerate(list_files())]
)
@whole
def test_the_picture_of_a_card_has_its_registers_and_its_step_in_little_room(
    name: str, is_compact: bool
) -> None:
    page = open_page(f"{VADD4}&lesson={name}.1&v=1")
    position = get_play(page.state.own).position
    assert position
    for card in position.lesson.cards:
        act(page, "resize", compact=is_compact, room=100)
        (drawn,) = json.loads(page.list_zones())["pictures"]
        keys = {zone[6] for zone in drawn["zones"]}
        assert not card.step or keys & {*card.trace.operands}
        pointed = position.anchor[1]
        if not is_compact and pointed and not position.is_open and pointed.key in card.trace.rows:
            assert pointed.key in keys
        act(page, "lesson_go", delta="1")


def test_a_lesson_reopens_at_its_last_card() -> None:
    page = open_page(VADD4)
    act(page, "open_lesson", name="clamping")
    act(page, "lesson_go", delta="1")
    act(page, "lesson_go", delta="1")
    assert parse_permalink(format_permalink(page.state.link)).text == "clamping.3"
    told = text_of(act(page, "lesson_leave")["#panel"])
    assert "card 3 of 11, 5 min" in told
    assert "3 of 11" in text_of(act(page, "open_lesson", name="clamping")["#panel"])
    act(page, "open_link", fragment=f"{VADD4}&lesson=clamping.11")
    told = text_of(act(page, "lesson_go", delta="1")["#panel"])
    assert "right at the first try" in told
    assert "Clamping" in told
    assert "done, 0 of 5 right, 5 min" in text_of(act(page, "lesson_end", name="lessons")["#panel"])
    assert "1 of 11" in text_of(act(page, "open_lesson", name="clamping")["#panel"])


def test_an_edit_ends_a_lesson_and_is_one_of_its_line() -> None:
    page = open_page(VADD4)
    act(page, "open_lesson", name="clamping")
    shown = page.state.line
    assert shown.startswith("vsub.u32.u32.u32")
    act(page, "value", role="a", text="0x01020304")
    assert get_play(page.state.own).position is None
    assert page.state.line == shown
    assert page.state.trace.operands["a"] == 0x01020304
    act(page, "edit.undo")
    assert page.state.trace.operands["a"] == 0x80FF7F01


def test_steps_of_a_card_are_walked_without_leaving_it() -> None:
    page = open_page(VADD4)
    act(page, "open_lesson", name="brighten")
    step = page.state.shown_step
    act(page, "step.next")
    assert page.state.shown_step == step + 1
    assert get_play(page.state.own).position is not None


def find_feedback(page: Any) -> tuple[int, Any]:
    """Return the number of the element that screen readers follow in its card, and the element."""
    (card,) = (x for x in page.state.panel if x[1].get("class") == "card")
    parts = enumerate(card[2:])
    return next((i, x) for i, x in parts if x[1].get("role") == "status")


def test_an_answer_says_whether_it_is_right_where_the_one_before_stood() -> None:
    page = open_page(f"{VADD4}&lesson=brighten.4&v=1")  # 250 + 10 is more than 255
    place, element = find_feedback(page)
    assert element[2:] == []
    for action, text, kind, told in (
        ("lesson_answer", "99999999999z", "wrong", "✗ Not an answer:"),
        ("lesson_answer", "`", "wrong", "✗ Not an answer:"),
        ("lesson_answer", "4", "wrong", "✗ Not 4."),
        ("lesson_hint", "", "hint", "? "),
        ("lesson_answer", "255", "right", "✓ Right"),
    ):
        shown = act(page, action, text=text)
        assert shown.get("message", "") == ""
        assert find_feedback(page)[0] == place
        element = find_feedback(page)[1]
        assert element[1]["class"] == f"feedback {kind}"
        assert re.sub(" +", " ", text_of(element)).startswith(told[:30])
    assert position_of(page).is_answered


def position_of(page: Any) -> Any:
    return get_play(page.state.own).position


@pytest.mark.parametrize("head", some(list_headings()), ids=lambda head: head.name)
def test_no_word_of_a_lesson_stands_between_backticks(head: Any) -> None:
    page = open_page(VADD4)
    act(page, "open_link", fragment=f"{VADD4}&lesson={head.name}.1&v=1")
    for _ in range(head.cards):
        if position_of(page).is_open:
            act(page, "lesson_answer", text="99999999999z")
            assert "`" not in text_of(page.state.panel)
            act(page, "lesson_answer", text="1")
            act(page, "lesson_hint")
        assert "`" not in text_of(page.state.panel), head.name
        act(page, "lesson_go", delta="1")
    assert "`" not in text_of(page.state.panel), head.name


@pytest.mark.parametrize("name", ["unpack", "slct"])
def test_a_question_has_every_operand_and_its_answer_the_row_that_was_asked(name: str) -> None:
    page = open_page(VADD4)
    head = next(head for head in list_headings() if head.name == name)
    for number in range(1, head.cards + 1):
        act(page, "open_link", fragment=f"{VADD4}&lesson={name}.{number}&v=1")
        if not position_of(page).is_open:
            continue
        for action in ("lesson_hint", "lesson_reveal"):
            act(page, action)
            act(page, "resize", compact=True, room=300)
            given = "".join(act(page, "resize", compact=True, room=100)["#undrawn"])
            zones = json.loads(page.list_zones())
            keys = {zone[6] for zone in zones["pictures"][0]["zones"]}
            for role in "abc":  # bfe and slct read all three
                assert role in keys or f"{role} = 0x" in given
            if action == "lesson_reveal":
                assert zones["pointed"][0] in keys


def test_an_address_leads_back_to_a_card_with_the_answers_so_far() -> None:
    page = open_page(f"{VADD4}&lesson=brighten.4&v=1")
    act(page, "lesson_answer", text="255")  # 250 + 10, clamped to a byte
    act(page, "lesson_go", delta="1")
    for number in (4, 1):
        told = text_of(
            act(page, "open_link", fragment=f"{VADD4}&lesson=brighten.{number}")["#panel"]
        )
        assert f"{number} of 9 · 1 right" in told


def test_the_model_of_a_card_is_its_own() -> None:
    page = open_page(f"{VADD4}&lesson=brighten.4&v=1")
    shown = act(page, "model", text="ptxas-13.1")
    assert "leave it" in shown["message"]
    assert page.state.layout == "card"
    assert page.state.trace.model.name == "isa"


def test_what_was_missed_is_asked_again_alone() -> None:
    page = open_page(f"{VADD4}&lesson=brighten.1&v=1")
    asked = [i for i, card in enumerate(position_of(page).lesson.cards) if card.ask]
    for _ in range(9):
        if position_of(page).is_open and position_of(page).index not in (asked[1], asked[3]):
            right = position_of(page).question
            act(page, "lesson_answer", text=format_right_answer(right))
        act(page, "lesson_go", delta="1")
    act(page, "lesson_end", name="missed")
    assert position_of(page).index == asked[1]
    act(page, "lesson_go", delta="1")
    assert position_of(page).index == asked[3]
    assert "Done" in text_of(act(page, "lesson_go", delta="1")["#panel"])


def test_the_end_leads_to_all_lessons_and_says_whether_the_course_ends() -> None:
    page = open_page(VADD4)
    last = list_headings()[-1]
    act(page, "open_link", fragment=f"{VADD4}&lesson={last.name}.{last.cards}&v=1")
    told = text_of(act(page, "lesson_go", delta="1")["#panel"])
    assert "The course ends here; not done yet: " in told
    assert told.count("right at the first try") == 1
    assert "1 of 23 done" in text_of(act(page, "lessons")["#panel"])
