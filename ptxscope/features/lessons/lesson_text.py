"""Lessons as plain text: single cards with their pictures, and whole lessons for reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from ...documents.content.document_builder import build_document
from ...documents.formats.markup import (
    Block,
    Heading,
    InlineKind,
    InlineSpan,
    Paragraph,
    make_code,
    make_text,
    make_verbatim,
)
from ...documents.formats.report import write_report
from ...documents.formats.text import (
    WIDTH,
    format_head_lines,
    iter_answer_lines,
    iter_result_lines,
    iter_step_lines,
)
from ...documents.formats.text import wrap_text as wrap_lines
from ...documents.options import Options
from ...engine.tracing.step_text import format_lane_sentence, format_title
from ...engine.tracing.trace import Step, Trace
from ...learn.grader import format_right_answer
from .lesson import Card, Head, Lesson, find_step, format_anchor_name
from .text_templates import TemplatePiece, TemplatePieceKind, Text, strip_marks


def format_picture(card: Card, previous: Card | None = None, width: int = WIDTH) -> list[str]:
    """Return the trace up to a card's step as lines; after a card of the same trace, the new steps.

    A question always asks about a later step, so no line reveals the answer.
    """
    steps = card.trace.steps[: card.step]
    if previous is None or previous.trace != card.trace or card.ask is not None:
        head = format_head_lines(build_document(card.trace), width)
        return _trim_lines([*head, *_iter_step_lines(card.trace, steps, width)])
    if new_steps := steps[previous.step :]:
        return _iter_step_lines(card.trace, new_steps, width)
    anchor_step = find_step(card.anchor, card.trace)
    return _iter_step_lines(
        card.trace, (anchor_step,) if anchor_step else steps[-1:], width, with_result=False
    )


def _iter_step_lines(
    trace: Trace, steps: Sequence[Step], width: int, *, with_result: bool = True
) -> list[str]:
    """Return steps as lines of text; the result and the models' answers follow the last step."""
    doc = build_document(trace, Options(steps=frozenset(step.place for step in steps)))
    lines = [line for step in doc.steps for line in iter_step_lines(step, width)]
    if with_result and trace.steps[-1] in steps:
        lines += ["", *iter_result_lines(doc, width)]
        if doc.answers:
            lines += ["", *iter_answer_lines(doc.answers._replace(errata=()), width)]
    return _trim_lines(lines)


def _trim_lines(lines: list[str]) -> list[str]:
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip() for line in lines]


def list_aims(head: Head) -> tuple[Text, Text]:
    """Return the beginning of a lesson: its purpose, and the line of C."""
    code = TemplatePiece(head.c_line, TemplatePieceKind.CODE)
    return (TemplatePiece(f"Aim: {head.purpose}"),), (TemplatePiece("In C: "), code)


def describe_anchor(card: Card) -> str:
    """Describe the place that a card points at; empty if it is the place to predict."""
    anchor, step = card.anchor, find_step(card.anchor, card.trace)
    if anchor is None or anchor == card.ask:
        return ""
    if step is None:
        return f"see {format_anchor_name(anchor, card.trace)}"
    row = card.trace.rows[anchor.key]
    return f"{format_title(step)}, {format_lane_sentence(row, anchor.lane or 0)}"


def describe_question(card: Card) -> str:
    """Describe the place to predict: ``add, lane 2``."""
    assert card.ask
    return format_anchor_name(card.ask, card.trace)


def format_answer(card: Card) -> str:
    """Format the right answer of a card."""
    return format_right_answer(card.question)


def format_solution(card: Card, width: int = WIDTH) -> list[str]:
    """Return the steps after a question up to the one it asks about, as lines."""
    assert card.ask
    end = find_step(card.ask, card.trace) or card.trace.steps[-1]
    return _iter_step_lines(card.trace, card.trace.steps[card.step : end.number], width)


def wrap_text(text: Text, width: int = WIDTH, lead: str = "") -> Iterator[str]:
    """Wrap a text into lines."""
    for index, paragraph in enumerate(strip_marks(text).split("\n\n")):
        if index:
            yield ""
        yield from wrap_lines(paragraph, lead, lead, width)


# --- whole lessons ------------------------------------------------------------------------


def render(lesson: Lesson, format_: str = "text") -> str:
    """Render a lesson for reading in one of ``REPORT_FORMATS``, with the answers at the end."""
    blocks: Iterable[Block] = _iter_blocks(lesson)
    if format_ == "text":
        blocks = map(_drop_marks, blocks)
    return write_report(blocks, format_, options=Options(heading_level=1, standalone=True))


def _iter_blocks(lesson: Lesson) -> Iterator[Block]:
    head = lesson.head
    yield Heading(0, make_text(head.title))
    yield Paragraph(make_text(f"{head.minutes} minutes: {head.summary}"))
    for text in list_aims(head):
        yield from _iter_paragraphs(text)
    for number, card, previous in _number_cards(lesson):
        yield Heading(1, (InlineSpan(str(number)), InlineSpan(f". {card.title}")))
        yield make_verbatim(format_picture(card, previous))
        yield from _iter_paragraphs(card.text)
    yield Heading(1, make_text("Answers"))
    for number, card, _ in _number_cards(lesson):
        if card.ask:
            lead = (InlineSpan(str(number), InlineKind.STRONG), InlineSpan(". "))
            yield Paragraph((*lead, *make_code(format_answer(card))))
            yield from _iter_paragraphs(card.remark, "   ")
            yield make_verbatim(format_solution(card))


def _iter_paragraphs(text: Text, lead: str = "") -> Iterator[Paragraph]:
    """Yield the paragraphs of a text; values from the trace are code too."""
    is_close = bool(lead)
    for is_break, pieces in groupby(text, lambda x: x.text == "\n\n"):
        if not is_break:
            marks = ((x.text, x.kind is TemplatePieceKind.PLAIN) for x in pieces)
            line = (InlineSpan(x, InlineKind.PLAIN if y else InlineKind.CODE) for x, y in marks)
            yield Paragraph(tuple(line), lead, lead, is_close=is_close)
            is_close = False


def _drop_marks(block: Block) -> Block:
    """Return a paragraph whose values and words of PTX have no marks."""
    if isinstance(block, Paragraph):
        return block._replace(line=(InlineSpan("".join(x.text for x in block.line)),))
    return block


def _number_cards(lesson: Lesson) -> Iterator[tuple[int, Card, Card | None]]:
    """Yield each card with its number and the card before."""
    previous: Card | None = None
    for number, card in enumerate(lesson.cards, 1):
        yield number, card, previous
        previous = card
