"""The web explorer's panel that plays lessons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...documents.elements import Child, Element, make_button, make_element, make_words
from ...state.explorer_state import ExplorerState
from ...state.requests import Requests, ShowHint, Transition
from . import transitions as lessons

if TYPE_CHECKING:
    from ...scene.scene_model import LaneRef
    from .lesson import Head
    from .lesson_position import LessonPosition, LessonProgress
    from .text_templates import Text


def make_panel(state: ExplorerState, _: str) -> list[Child]:
    """Return the card of the open lesson, the end of one, or all lessons."""
    play = lessons.get_play(state)
    if play.position:
        return show_lesson(play.position)
    if play.end:
        return show_end(*play.end)
    return list_lessons(lessons.load_progress(state))


def find_card(state: ExplorerState) -> tuple[str, ExplorerState, LaneRef | None] | None:
    """Return the open lesson and its card, ``lanes.3``, its trace, and the card's place.

    None if no lesson is open.
    """
    play = lessons.get_play(state)
    if play.position is None or play.card_state is None:
        return None
    position = play.position
    text = format_lesson_card(position.lesson.head.name, position.index)
    return text, play.card_state, position.anchor[1]


# --- actions -----------------------------------------------------------------------------


def open_card(text: str) -> Transition:
    """Return the transition that opens a lesson at a card: ``lanes.3``.

    Without a card, the lesson opens where it was left, or at its first card. Raise ValueError if
    there is no such lesson.
    """
    name, card = parse_lesson_card(text)

    def open_lesson(state: ExplorerState) -> Requests:
        if card:
            yield from lessons.reopen_lesson(state, name, card - 1)
        else:
            yield from lessons.open_lesson(state, name)

    return open_lesson


def open_lesson(state: ExplorerState, arguments: Mapping[str, Any]) -> Requests:
    """Open a lesson."""
    yield from open_card(str(arguments["name"]))(state) or ()


def answer(state: ExplorerState, arguments: Mapping[str, Any]) -> None:
    """Grade an answer."""
    lessons.take_answer(state, str(arguments.get("text", ""))[:200])


def give_hint(state: ExplorerState, _: Mapping[str, Any]) -> None:
    """Show the next hint."""
    lessons.give_hint(state)


def reveal_answer(state: ExplorerState, _: Mapping[str, Any]) -> None:
    """Show the answer."""
    lessons.reveal_answer(state)


def turn_card(state: ExplorerState, arguments: Mapping[str, Any]) -> Requests:
    """Go to another card; the end of a lesson says its score itself."""
    for request in lessons.turn_card(state, int(arguments["delta"])):
        if not isinstance(request, ShowHint):
            yield request


def leave(state: ExplorerState, _: Mapping[str, Any]) -> Requests:
    """Close the lesson at its card."""
    if position := lessons.get_play(state).position:
        text = f"{position.lesson.head.title}: left at card {position.index + 1}"
        yield from lessons.leave(state)
        yield ShowHint(text)


def leave_end(state: ExplorerState, arguments: Mapping[str, Any]) -> Requests:
    """Perform the choice at the end of a lesson."""
    yield from lessons.leave_end(state, lessons.Ending(str(arguments["name"])))


# --- elements ----------------------------------------------------------------------------


def list_lessons(progress: Mapping[str, LessonProgress]) -> list[Child]:
    """Return the next lesson, and all in their groups, with the progress in each."""
    from .course import Course

    course = Course(progress)
    following: list[Child] = [course.next_title]
    if head := course.next:
        label = f"{course.next_title}: {head.title}"
        name = format_lesson_card(head.name, course.next_card)
        button = make_button(label, "open_lesson", data_name=name, class_="main")
        following = [button, f" {head.purpose}"]
    children: list[Child] = [
        make_element("h2", "Lessons"),
        make_element("p", course.summary),
        make_element("p", *following),
        make_element(
            "p", "The web explorer stores no answers: a reload forgets them, but keeps the card."
        ),
    ]
    number = 1
    for group in course.groups.values():
        items = [_list_lesson(x, course.get_progress(x.name)) for x in group.heads]
        children.append(
            make_element(
                "section",
                make_element("h3", f"{group.number} {group.name}"),
                make_element("p", *make_words(group.ability)),
                make_element("ol", *items, start=str(number), class_="lessons"),
            )
        )
        number += len(items)
    return children


def _list_lesson(head: Head, progress: LessonProgress) -> Element:
    from .lesson_position import describe_progress, mark_lesson

    about = describe_progress(head, progress)
    return make_element(
        "li",
        make_element("span", mark_lesson(progress), class_="marks", aria_hidden="true"),
        make_button(head.title, "open_lesson", data_name=head.name),
        make_element("span", f" {about}"),
        make_element("code", head.c_line),
        make_element("div", head.purpose),
    )


def format_lesson_card(name: str, index: int | None) -> str:
    """Return the text by which ``parse_lesson_card`` finds a lesson, or a card by its index."""
    return name if index is None else f"{name}.{index + 1}"


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
    from .lesson_text import describe_anchor

    card, count = lesson.card, len(lesson.lesson.cards)
    key = f"{lesson.lesson.head.name}-{lesson.index}"
    text = _make_paragraphs(card.text)
    if not lesson.index:
        text = [*_show_purpose(lesson.lesson.head), *text]
    is_of_step = card.anchor is not None and card.anchor.key in card.trace.rows
    if is_of_step and (anchor := describe_anchor(card)):
        text.append(make_element("p", anchor, class_="anchor"))
    children: list[Child] = [
        make_element("h2", card.title),
        make_element("div", *text, id=f"card-{key}"),
    ]
    question = [_make_question(lesson, key)] if lesson.is_open else []
    children.append(make_element("div", *question))  # empty, so that the next one stays the same
    children.append(_make_feedback(lesson))
    following = "Skip" if lesson.is_open else "End" if lesson.is_last else "Next"
    leaving = make_button(
        "‹ Lessons",
        "lesson_leave",
        data_keys="Escape",
        title="Leave the lesson at this card (Esc)",
    )
    return [
        _show_head(lesson, f"{lesson.index + 1} of {count} · {lesson.right_count} right", leaving),
        make_element("div", *children, class_="card"),
        make_element(
            "div",
            make_button(
                "Back",
                "lesson_go",
                data_delta="-1",
                disabled=not lesson.index,
                data_keys="N PageUp",
                title="The card before (N, PgUp)",
            ),
            make_button(
                following,
                "lesson_go",
                data_delta="1",
                data_keys="n PageDown",
                title="The next card (n, PgDn)",
                id=f"next-{key}-{lesson.is_open}",
                data_focus=None if lesson.is_open else "true",
                class_=None if lesson.is_open else "main",
            ),
            class_="bar",
        ),
    ]


def _make_feedback(lesson: LessonPosition) -> Element:
    """Return the feedback on the last answer, in an element that screen readers follow."""
    if lesson.feedback is None:
        return make_element("div", role="status", class_="feedback")
    outcome, text = lesson.feedback
    kind = outcome.name.lower()
    sign = "✓ " if kind == "right" else outcome.value or ""
    parts = [*map(make_words, _split_hint(text))] if kind == "hint" else []
    first, *others = [make_element("p", *x) for x in parts] or _make_paragraphs(text)
    first = [*first[:2], make_element("b", sign), *first[2:]] if sign else first
    return make_element("div", first, *others, role="status", class_=f"feedback {kind}")


def _split_hint(text: Text) -> list[str]:
    """Return the steps of a hint."""
    from .text_templates import strip_marks

    return re.split(r"(?<=\.) (?=[A-Z`]|[a-z][\w., ]*: )", strip_marks(text))


def _show_head(lesson: LessonPosition, about: str, *buttons: Element) -> Element:
    """Return buttons, the title of a lesson, its cards as signs, and the score."""
    return make_element(
        "div",
        *buttons,
        make_element("b", lesson.lesson.head.title),
        make_element("span", lesson.marks, class_="marks", aria_hidden="true"),
        make_element("span", about),
        class_="head",
    )


def _show_purpose(head: Head) -> list[Child]:
    return [make_element("p", make_element("code", head.c_line)), make_element("p", head.purpose)]


def _make_question(lesson: LessonPosition, key: str) -> Element:
    from .lesson_text import describe_question

    id_ = f"answer-{key}"
    return make_element(
        "form",
        make_element("label", f"{describe_question(lesson.card)}; any notation", for_=id_),
        make_element(
            "input",
            id=id_,
            name="text",
            type="text",
            value=lesson.take_text(),
            autocomplete="off",
            spellcheck="false",
            autocapitalize="off",
            aria_describedby=f"card-{key}",
            data_focus="true",
        ),
        make_element("button", "Check", type="submit", class_="main"),
        make_button("Hint", "lesson_hint", data_keys="?", title="The next hint (?)"),
        make_button("Show the answer", "lesson_reveal", data_keys="s", title="Show the answer (s)"),
        class_="answer",
        data_do="lesson_answer",
    )


def show_end(lesson: LessonPosition, following: Head | None) -> list[Child]:
    """Return the end of a lesson: its purpose, use, costs, missed questions, and the next one."""
    from .course import COST_TITLE, format_cost, format_missed_title, get_line, iter_missed
    from .lesson import list_files

    head = lesson.lesson.head
    children: list[Child] = [
        make_element("h2", "Done"),
        *_show_purpose(head),
        make_element("p", make_element("code", get_line(lesson))),
    ]
    if head.use:
        children += [make_element("h3", "Use it"), make_element("p", *make_words(head.use))]
    if head.costs:
        largest = str(max(cost.instructions for cost in head.costs))
        rows = [
            make_element(
                "li",
                make_element("code", cost.line),
                make_element(
                    "progress",
                    value=str(cost.instructions),
                    max=largest,
                    aria_label=format_cost(cost),
                ),
                f" {format_cost(cost)}",
            )
            for cost in head.costs
        ]
        children += [make_element("h3", COST_TITLE), make_element("ul", *rows, class_="costs")]
    if lesson.missed_cards:
        items = [make_element("li", f"{x} · {wrote}") for x, wrote in iter_missed(lesson)]
        children += [
            make_element("h3", format_missed_title(lesson)),
            make_element("ul", *items),
        ]
    if following:
        names = [*list_files()]
        is_after = names.index(following.name) > names.index(head.name)
        title = "Next" if is_after else "The course ends here; not done yet"
        children += [
            make_element("h3", f"{title}: {following.title}, {following.minutes} min"),
            make_element("p", following.purpose),
        ]
    else:
        children.append(make_element("h3", "All lessons are done"))
    ways = {
        lessons.Ending.MISSED: ("Missed questions", "r", bool(lesson.missed_cards)),
        lessons.Ending.LINE: ("Explore its line", "o", True),
        lessons.Ending.LESSONS: ("All lessons", "Escape", True),
        lessons.Ending.NEXT: ("Next lesson", "n", following is not None),
    }
    buttons = [
        make_button(
            label,
            "lesson_end",
            data_name=ending.value,
            data_keys=key,
            title=f"{label} ({'Esc' if key == 'Escape' else key})",
            id=f"end-{head.name}-{ending.value}",
            data_focus="true" if ending is lessons.Ending.NEXT else None,
            class_="main" if ending is lessons.Ending.NEXT else None,
        )
        for ending, (label, key, is_possible) in ways.items()
        if is_possible
    ]
    return [
        _show_head(lesson, lesson.score),
        make_element("div", *children, class_="card"),
        make_element("div", *buttons, class_="bar ways"),
    ]


def _make_paragraphs(text: Sequence[object]) -> list[Child]:
    from .text_templates import TemplatePiece, TemplatePieceKind

    paragraphs: list[list[Child]] = [[]]
    for piece in text:
        assert isinstance(piece, TemplatePiece)
        if piece.text == "\n\n":
            paragraphs.append([])
        elif piece.kind is TemplatePieceKind.PLAIN:
            paragraphs[-1] += make_words(piece.text)
        else:
            paragraphs[-1].append(make_element("code", piece.text))
    return [make_element("p", *x) for x in paragraphs if x]
