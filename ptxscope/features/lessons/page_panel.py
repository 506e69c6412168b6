"""The panel of a page that plays lessons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...documents.elements import Child, Element, make_button, make_element, make_field
from ...state.explorer_state import ExplorerState
from ...state.requests import Requests, ShowHint, Transition
from . import transitions as lessons

if TYPE_CHECKING:
    from .lesson_position import LessonPosition, LessonProgress


def make_panel(state: ExplorerState, _: str) -> list[Child]:
    """Return the card of the open lesson, or all lessons."""
    position = lessons.get_play(state).position
    return show_lesson(position) if position else list_lessons(lessons.load_progress(state))


def find_card(state: ExplorerState) -> tuple[str, ExplorerState] | None:
    """Return the name of the open lesson and the number of its card, ``lanes.3``, and its trace.

    None if no lesson is open.
    """
    play = lessons.get_play(state)
    if play.position is None or play.card_state is None:
        return None
    return f"{play.position.lesson.head.name}.{play.position.index + 1}", play.card_state


# --- actions -----------------------------------------------------------------------------


def open_card(text: str) -> Transition:
    """Return the transition that opens a lesson at a card: ``lanes.3``.

    Without a card, it is the one where the lesson was left, or its first. Raise ValueError if there
    is no such lesson.
    """
    name, card = parse_lesson_card(text)

    def open_lesson(state: ExplorerState) -> Requests:
        from .lesson_position import LessonProgress

        play = lessons.get_play(state)
        if card:
            progress = play.progress.get(name, LessonProgress())._replace(card=card - 1)
            play.progress = {**play.progress, name: progress}
        yield from lessons.open_lesson(state, name)

    return open_lesson


def open_lesson(state: ExplorerState, arguments: Mapping[str, Any]) -> Requests:
    """Open a lesson."""
    yield from open_card(str(arguments["name"]))(state) or ()


def answer(state: ExplorerState, arguments: Mapping[str, Any]) -> Requests:
    """Grade an answer."""
    yield from lessons.take_answer(state, str(arguments.get("text", ""))[:200])


def give_hint(state: ExplorerState, _: Mapping[str, Any]) -> None:
    """Show the next hint."""
    lessons.give_hint(state)


def reveal_answer(state: ExplorerState, _: Mapping[str, Any]) -> None:
    """Show the answer."""
    lessons.reveal_answer(state)


def turn_card(state: ExplorerState, arguments: Mapping[str, Any]) -> Requests:
    """Go to another card."""
    yield from lessons.turn_card(state, int(arguments["delta"]))


def leave(state: ExplorerState, _: Mapping[str, Any]) -> Requests:
    """Close the lesson at its card."""
    if position := lessons.get_play(state).position:
        text = f"Lesson {position.lesson.head.name} was left at card {position.index + 1}"
        yield from lessons.leave(state)
        yield ShowHint(text)


# --- elements ----------------------------------------------------------------------------


def list_lessons(places: Mapping[str, LessonProgress]) -> list[Child]:
    """Return the next lesson, and all in their groups, with the card at which one was left."""
    from itertools import groupby

    from .lesson import Head, list_headings
    from .lesson_position import LessonProgress, describe_lesson, find_next_lesson

    def make_item(head: Head) -> Element:
        button = make_button(head.title, "open_lesson", data_name=head.name)
        about = describe_lesson(head, places.get(head.name, LessonProgress()))
        return make_element("li", button, make_element("div", about))

    heads, number = {head.name: head for head in list_headings()}, 1
    children: list[Child] = []
    if name := find_next_lesson([*heads], places):
        label = f"{'Next' if places else 'Begin with'}: {heads[name].title}"
        children.append(make_element("p", make_button(label, "open_lesson", data_name=name)))
    for group, members in groupby(heads.values(), lambda head: head.group):
        items = list(map(make_item, members))
        children.append(make_element("h2", group))
        children.append(make_element("ol", *items, start=str(number), class_="lessons"))
        number += len(items)
    return children


def parse_lesson_card(text: str) -> tuple[str, int]:
    """Return the name of a lesson and the number of a card, from ``lanes.3``; 0 from ``lanes``.

    Raise ValueError if there is no such lesson.
    """
    from .lesson import parse_lesson_name

    name, _, card = text.partition(".")
    is_number = card.isascii() and card.isdecimal() and len(card) < 4
    return parse_lesson_name(name or text), int(card) if is_number else 0


def show_lesson(lesson: LessonPosition) -> list[Child]:
    """Return the card of an open lesson."""
    from .lesson_text import describe_anchor, describe_question

    card, count = lesson.card, len(lesson.lesson.cards)
    children: list[Child] = [
        make_element("p", f"{lesson.lesson.head.title}: card {lesson.index + 1} of {count}"),
        make_element("h2", card.title),
        *_make_paragraphs(card.text),
    ]
    is_of_step = card.anchor is not None and card.anchor.key in card.trace.rows
    if is_of_step and (anchor := describe_anchor(card)):  # the picture highlights an operand
        children.append(make_element("p", anchor, class_="anchor"))
    if lesson.is_open:
        children.append(
            make_element(
                "form",
                make_field(
                    f"{describe_question(card)} =",
                    "text",
                    lesson.take_text(),
                    key=f"-{lesson.lesson.head.name}-{lesson.index}",
                ),
                make_element("button", "Answer", type="submit"),
                make_button("Hint", "lesson_hint"),
                make_button("Show the answer", "lesson_reveal"),
                data_do="lesson_answer",
            )
        )
    if lesson.feedback:
        children += _make_paragraphs(lesson.feedback.signed_text)
    elif card.ask and lesson.is_answered:
        children += _make_paragraphs(card.remark)
    last = "End the lesson" if lesson.is_last else "Next card"
    children.append(
        make_element(
            "p",
            make_button("Previous card", "lesson_go", data_delta="-1", disabled=not lesson.index),
            make_button(last, "lesson_go", data_delta="1"),
            make_button("Leave", "lesson_leave"),
            class_="choices",
        )
    )
    return children


def _make_paragraphs(text: Sequence[object]) -> list[Child]:
    from .text_templates import TemplatePiece, TemplatePieceKind

    paragraphs: list[list[Child]] = [[]]
    for piece in text:
        assert isinstance(piece, TemplatePiece)
        if piece.text == "\n\n":
            paragraphs.append([])
        elif piece.kind is TemplatePieceKind.PLAIN:
            paragraphs[-1].append(piece.text)
        else:
            paragraphs[-1].append(make_element("code", piece.text))
    return [make_element("p", *x) for x in paragraphs if x]
