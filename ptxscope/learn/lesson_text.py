"""Lessons as plain text: single cards with their pictures, and whole lessons for reading."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ..documents.content.document import build_document
from ..documents.formats.markdown import escape_text, fence_text, format_code
from ..documents.formats.text import WIDTH, answer_lines, head_lines, result_lines, step_lines
from ..documents.options import Options
from ..engine.tracing.lane_text import format_lane_sentence
from ..engine.tracing.step_text import format_title
from ..engine.tracing.trace import Step, Trace
from .grader import Question, format_right_answer
from .lesson import Anchor, Card, Lesson, format_anchor_name
from .text_templates import TemplatePieceKind, Text, strip_marks


def make_question(card: Card) -> Question:
    """Return the question of a card."""
    assert card.ask
    return Question(card.trace, card.ask.key, card.ask.lane)


def picture_lines(card: Card, previous: Card | None = None, width: int = WIDTH) -> list[str]:
    """Return the trace up to a card's step as lines; after a card of the same trace, the new steps.

    A question always asks about a later step, so no line reveals the answer.
    """
    steps = card.trace.steps[: card.step]
    if previous is None or previous.trace != card.trace or card.ask is not None:
        head = head_lines(build_document(card.trace), width)
        return _trim_lines([*head, *_step_lines(card.trace, steps, width)])
    if new_steps := steps[previous.step :]:
        return _step_lines(card.trace, new_steps, width)
    anchor_step = _find_step(card.anchor, card)
    return _step_lines(
        card.trace, (anchor_step,) if anchor_step else steps[-1:], width, with_result=False
    )


def _step_lines(
    trace: Trace, steps: Sequence[Step], width: int, *, with_result: bool = True
) -> list[str]:
    """Return steps as lines of text; the result and the models' answers follow the last step."""
    doc = build_document(trace, Options(steps=frozenset(step.place for step in steps)))
    lines = [line for step in doc.steps for line in step_lines(step, width)]
    if with_result and trace.steps[-1] in steps:
        lines += ["", *result_lines(doc, width)]
        if doc.answers:
            lines += ["", *answer_lines(doc.answers._replace(errata=()), width)]
    return _trim_lines(lines)


def _trim_lines(lines: list[str]) -> list[str]:
    """Strip trailing blanks from lines, and blank lines at the end."""
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip() for line in lines]


def describe_anchor(card: Card) -> str:
    """Describe the place that a card points at; empty if it is the one to predict."""
    anchor, step = card.anchor, _find_step(card.anchor, card)
    if anchor is None or anchor == card.ask:
        return ""
    if step is None:
        return f"see {format_anchor_name(anchor, card.trace)}"
    row = card.trace.rows[anchor.key]
    return f"{format_title(step)}, {format_lane_sentence(card.trace, row, anchor.lane or 0)}"


def _find_step(anchor: Anchor | None, card: Card) -> Step | None:
    """Return the step that shows a place, or None if the place is not in a row."""
    row = card.trace.rows.get(anchor.key) if anchor else None
    return next((x for x in card.trace.steps if row and x.stage is row.stage), None)


def describe_question(card: Card) -> str:
    """Describe the place to predict: ``add, lane 2``."""
    assert card.ask
    return format_anchor_name(card.ask, card.trace)


def format_answer(card: Card) -> str:
    """Format the right answer of a card."""
    return format_right_answer(make_question(card))


def revealed_step_lines(card: Card, width: int = WIDTH) -> list[str]:
    """Return the steps after a question up to the one it asks about, as lines."""
    assert card.ask
    end = _find_step(card.ask, card) or card.trace.steps[-1]
    return _step_lines(card.trace, card.trace.steps[card.step : end.number], width)


def wrap_text(text: Text, width: int = WIDTH, lead: str = "") -> Iterator[str]:
    """Wrap a text into lines."""
    for index, paragraph in enumerate(strip_marks(text).split("\n\n")):
        if index:
            yield ""
        yield from textwrap.wrap(
            paragraph, width, initial_indent=lead, subsequent_indent=lead, break_on_hyphens=False
        )


# --- whole lessons ------------------------------------------------------------------------


def render_text(lesson: Lesson) -> str:
    """Render a lesson for reading, with the answers at the end."""
    head = lesson.head
    lines = [head.title, "=" * len(head.title), ""]
    lines += textwrap.wrap(f"{head.minutes} minutes: {head.summary}", WIDTH)
    for number, card, previous in _number_cards(lesson):
        title = f"{number}. {card.title}"
        lines += ["", title, "-" * len(title), "", *picture_lines(card, previous), ""]
        lines += wrap_text(card.text)
    lines += ["", "Answers", "-------"]
    for number, card, _ in _number_cards(lesson):
        if card.ask:
            lines += ["", f"{number}. {format_answer(card)}", *wrap_text(card.remark, lead="   ")]
            lines += ["", *revealed_step_lines(card)]
    return "\n".join(lines) + "\n"


def render_markdown(lesson: Lesson) -> str:
    """Render a lesson for reading in Markdown."""
    head = lesson.head
    parts = [f"# {escape_text(head.title)}", f"{head.minutes} minutes: {escape_text(head.summary)}"]
    for number, card, previous in _number_cards(lesson):
        parts += [f"## {number}. {escape_text(card.title)}"]
        parts += [
            fence_text("\n".join(picture_lines(card, previous)), "text"),
            _format_markdown(card.text),
        ]
    parts += ["## Answers"]
    for number, card, _ in _number_cards(lesson):
        if card.ask:
            parts += [
                f"**{number}.** {format_code(format_answer(card))}",
                _format_markdown(card.remark),
            ]
            parts += [fence_text("\n".join(revealed_step_lines(card)), "text")]
    return "\n\n".join(parts) + "\n"


def _number_cards(lesson: Lesson) -> Iterator[tuple[int, Card, Card | None]]:
    """Yield each card with its number and the card before."""
    previous: Card | None = None
    for number, card in enumerate(lesson.cards, 1):
        yield number, card, previous
        previous = card


def _format_markdown(text: Text) -> str:
    """Render pieces as Markdown; values from the trace become code too."""
    return "".join(
        piece.text
        if piece.text == "\n\n"
        else _escape_markdown(piece.text)
        if piece.kind is TemplatePieceKind.PLAIN
        else format_code(piece.text)
        for piece in text
    )


def _escape_markdown(text: str) -> str:
    """Escape plain text, but keep the blanks at its ends."""
    inner = text.strip(" ")
    start = len(text) - len(text.lstrip(" "))
    if not inner:
        return text
    return " " * start + escape_text(inner) + " " * (len(text) - len(inner) - start)
