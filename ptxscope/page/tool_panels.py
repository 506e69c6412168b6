"""The tools beside the picture: each reads a text and answers with elements."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..engine.syntax.errors import PtxError, make_printable_lines
from ..engine.tracing.trace import Trace
from ..feature import load
from .elements import Child, Element, make_button, make_element, make_error, make_field
from .permalink import list_panels

if TYPE_CHECKING:
    from ..diagnosis.explanations import Diagnosis
    from ..learn.lesson_position import LessonPosition, LessonProgress
    from .page_state import PageState

MAX_LISTING_CHARS = 200_000
"""Maximum characters of a pasted listing."""
_MAX_EXPLAINED = 16
"""Maximum statements of a block that is explained: the time grows with their square."""
_MAX_FOUND = 40
"""Maximum instructions that a search lists."""


def make_panel(page: PageState) -> list[Child]:
    """Return what the open tool shows; its explanations are kept, to be shown."""
    children: list[Child] = []
    match page.tool:
        case ("explain", text):
            children, page.diagnosis = explain(page.shown_trace, text)
            return children
        case ("check", text):
            return check(text)
        case ("lesson", _):
            lesson = page.explorer.lesson
            return show_lesson(lesson) if lesson else list_lessons(page.explorer.lesson_places)
    for panel in list_panels():
        if panel.name == page.tool.name:
            children = load(panel.make)(page, page.tool.text)
    return children


def make_report(text: str) -> Element:
    """Return a report in lines, as in a terminal."""
    return make_element(
        "pre", make_printable_lines(text.rstrip("\n")), class_="report", tabindex="0"
    )


# --- explain -----------------------------------------------------------------------------


def explain(trace: Trace, text: str) -> tuple[list[Child], Diagnosis | None]:
    """Return the explanations of an observed result, or the command that finds them."""
    from ..diagnosis.explanations import investigate
    from ..diagnosis.observation import Observation, parse_got
    from ..documents.formats.diagnosis_report import format_causes, iter_diagnosis_blocks
    from ..documents.formats.report import write_report
    from ..engine.syntax.asm_bindings import reading_type

    ins = trace.block
    names = list(ins.results.values())
    hint = " ".join(f"{x}=1" for x in names) if len(names) > 1 else "0x11223344, -1, 0x??01??00"
    form = make_element(
        "form",
        make_field("I got", "text", text, hint=hint),
        make_element("button", "Explain", type="submit"),
        data_do="tool_text",
    )
    about = "Which result did you get instead? Write ? for unknown digits."
    if not text.strip():
        return [make_element("p", about), form], None
    try:
        parts = text.split() if len(names) > 1 else [text]
        observed = dict(parse_got(ins, part, reading_type) for part in parts)
    except PtxError as error:
        return [form, make_error(error)], None
    observation = Observation(trace.operands, observed)
    if len(trace.parts) > _MAX_EXPLAINED:
        values = (f"{x.name}={trace.operands[x.roles[0]]:#x}" for x in ins.inputs)
        words = ["ptxscope", "explain", str(ins), *values]
        words += [word for part in parts for word in ("--got", part)]
        about = f"A page explains blocks of up to {_MAX_EXPLAINED} statements. The command line:"
        return [form, make_element("p", about), make_report(shlex.join(words))], None
    diagnosis = investigate(ins, [observation])
    buttons = [
        make_button(
            f"Show it {format_causes(explanation)}", "show_explanation", data_index=str(index)
        )
        for index, explanation in enumerate(diagnosis.explanations[:8])
        if len(trace.parts) == 1
    ]
    rows = make_element("p", *buttons, class_="choices") if buttons else ""
    blocks = iter_diagnosis_blocks(diagnosis, with_all=True, is_brief=True)
    return [form, rows, make_report(write_report(blocks))], diagnosis


# --- check -------------------------------------------------------------------------------


def check(text: str) -> list[Child]:
    """Return the diagnostics of a pasted listing."""
    from ..documents.formats.check_report import count_items, format_summary, item_lines
    from ..sources.lint import check_text
    from ..sources.suppressions import hide_remarks

    form = make_element(
        "form",
        make_field("PTX, CUDA, or anything that has PTX in it", "text", text, rows="8"),
        make_element("button", "Check", type="submit"),
        data_do="tool_text",
    )
    if not text.strip():
        return [form]
    if len(text) > MAX_LISTING_CHARS:
        return [form, make_report(f"error: more than {MAX_LISTING_CHARS:,} characters")]
    counts = Counter[str]()
    items = count_items(hide_remarks(check_text(text, "pasted")), counts)
    lines = [line for item in items for line in item_lines(item)]
    lines.append(format_summary(counts))
    return [form, make_report("\n".join(lines))]


# --- lessons -----------------------------------------------------------------------------


def list_lessons(places: Mapping[str, LessonProgress]) -> list[Child]:
    """Return the next lesson, and all in their groups, with the card at which one was left."""
    from itertools import groupby

    from ..learn.lesson import Head, list_headings
    from ..learn.lesson_position import LessonProgress, describe_lesson, find_next_lesson

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
    from ..learn.lesson import parse_lesson_name

    name, _, card = text.partition(".")
    is_number = card.isascii() and card.isdecimal() and len(card) < 4
    return parse_lesson_name(name or text), int(card) if is_number else 0


def show_lesson(lesson: LessonPosition) -> list[Child]:
    """Return the card of an open lesson."""
    from ..learn.lesson_text import describe_anchor, describe_question

    card, count = lesson.card, len(lesson.lesson.cards)
    children: list[Child] = [
        make_element("p", f"{lesson.lesson.head.title}: card {lesson.index + 1} of {count}"),
        make_element("h2", card.title),
        *_make_paragraphs(card.text),
    ]
    if anchor := describe_anchor(card):
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
    from ..learn.text_templates import TemplatePiece, TemplatePieceKind

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


# --- the browser -------------------------------------------------------------------------


def find_instructions(query: str, lanes: int) -> Iterator[Element]:
    """Yield a button for each instruction and intrinsic that words describe; all for none."""
    from ..engine.isa.catalog import CATALOG
    from ..engine.isa.intrinsics import map_intrinsics
    from ..state.instruction_search import search_instructions

    intrinsics = map_intrinsics()
    names = search_instructions(query, lanes) if query.strip() else tuple(CATALOG)
    for name in names[: _MAX_FOUND if query.strip() else None]:
        if name in intrinsics:
            ptx, differs = intrinsics[name].ptx, intrinsics[name].differs
            about = f"is like {ptx}, but {differs}" if differs else f"is {ptx}"
        else:
            about = CATALOG[name].summary
        yield make_element("li", make_button(name, "open_instruction", data_name=name), f" {about}")
    if not names:
        yield make_element("li", "Nothing found")
