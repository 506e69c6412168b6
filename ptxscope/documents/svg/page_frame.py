"""The parts of a picture outside its statements: head, notes, answers and foot."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from ...engine.micro_operations.properties import Stage
from ...engine.semantics.models import ISA_MODEL
from ...engine.tracing.trace import Trace
from ...scene.scene_model import Scene
from ..content.annotated_trace import abbreviate_names
from ..content.document import Answers, Document, Section, StepView
from ..content.document_builder import iter_names, make_section
from .page_layout import COMPACT, EDGE, FIGURES, MAX_NAME_CHARS, PAGE, Area
from .page_parts import draw_note
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour
from .text_styles import (
    BODY,
    CAPTION,
    CODE,
    HEADING,
    LABEL,
    NAME,
    NOTE,
    REMARK,
    SMALL,
    STRONG,
    SUBHEADING,
    TAG,
    TITLE,
    TextStyle,
)


def find_long_names(trace: Trace, max_chars: int = MAX_NAME_CHARS) -> list[tuple[str, str]]:
    """Return the names too long to draw, with their roles."""
    return list(dict.fromkeys(pair for pair in iter_names(trace) if len(pair[0]) > max_chars))


def shorten_names(section: Section) -> Section:
    """Return a section with letters instead of long names."""
    if not find_long_names(section.trace):
        return section
    part, options = abbreviate_names(section.trace, MAX_NAME_CHARS), section.options
    short = make_section(
        section.statement, part, options, section.step_count, is_only=section.is_only
    )
    short = short if options.sentences else short.without_sentences()
    return section._replace(
        trace=part, operands=short.operands, steps=short.steps, results=short.results
    )


def draw_instruction(
    canvas: SvgCanvas,
    ptx: str,
    x: float,
    y: float,
    width: float,
    style: TextStyle,
    long_names: Names,
    letter_style: TextStyle = TAG,
) -> float:
    """Draw the instruction, with letters below names too long for the picture.

    Return the last baseline, including the letters'.
    """
    ptx = " ".join(ptx.split())
    lines, size, small = style.wrap(ptx, width), style.size, letter_style.size
    roles: dict[str, str] = {}
    for name, role in sorted(long_names):
        roles[name] = f"{roles[name]}, {role}" if name in roles else role
    letters = SvgCanvas(canvas.prefix)
    name_spans = [
        (start, start + len(name), name) for name in roles for start in find_name(name, ptx)
    ]
    start_x = 0
    for index, line in enumerate(lines):
        canvas.draw_text(x, y, line, style)
        start_x = ptx.index(line, start_x)
        end = start_x + len(line)
        line_spans = [
            (max(low, start_x) - start_x, min(high, end) - start_x, name)
            for low, high, name in name_spans
            if low < end and high > start_x
        ]
        start_x = end
        for start, span_end, name in line_spans:
            name_area = Area(x + start * size * _ADVANCE, (span_end - start) * size * _ADVANCE)
            letters.draw_line(name_area.x, y + 4, name_area.right, y + 4, SvgColour.DIM)
            letters.draw_text(
                name_area.center, y + 5 + small, roles[name], letter_style, anchor="middle"
            )
        letters_height = small + 4 if line_spans else 0
        y += (letters_height + size * 1.43) if index + 1 < len(lines) else letters_height
    canvas.parts += letters.parts  # keeps the elements of a line together for screen readers
    return y


def find_name(name: str, line: str) -> list[int]:
    """Return the indices of a name's occurrences as a word in a line."""
    return [m.start() for m in re.finditer(rf"(?<![\w$%]){re.escape(name)}(?![\w$])", line)]


_ADVANCE = 0.602
"""Width of a letter of the instruction, in em."""
Names = Sequence[tuple[str, str]]

_PAGE = PAGE.page
_LABEL = FIGURES.x - EDGE
"""Minimum width in px for the name of an answer."""


def draw_document_head(doc: Document, canvas: SvgCanvas, long_names: Names) -> float:
    """Draw title, instruction and model; return the end."""
    return draw_head(canvas, doc.title, format_head(doc), format_model(doc), long_names)


def format_head(doc: Document) -> str:
    """Return the instruction; for several statements, the input registers."""
    if not doc.is_only or doc.sections[0].heading == doc.ptx:
        return ", ".join(f"{x.name} = {x.bits}" for x in doc.operands)
    return " ".join(doc.ptx.split("\n"))


def format_model(doc: Document) -> str:
    """Return the model of the drawn answer, or both models."""
    names = [doc.model]
    if doc.answers and doc.answers.steps:
        names.append(doc.answers.other_name)
    if doc.other:
        names.append(doc.other.model.name)
    ordered = sorted(dict.fromkeys(names), key=lambda x: x != ISA_MODEL.name)
    return f"model{'s' * (len(ordered) > 1)} {' and '.join(ordered)}"


def draw_head(canvas: SvgCanvas, title: str, ptx: str, model: str, long_names: Names = ()) -> float:
    """Draw title, instruction and the text of the badge; return the end."""
    y = 26.0
    canvas.open_group("px-head")
    if title:
        y = canvas.draw_paragraph(_PAGE, y + 14, title, TITLE) - 8
    badge = min(NOTE.measure(model) + 22, 240)
    parts_start = len(canvas.parts)
    end = (
        draw_instruction(canvas, ptx, EDGE + 14, y + 25, _PAGE.width - badge - 30, CODE, long_names)
        + 15
    )
    line = canvas.parts[parts_start:]
    del canvas.parts[parts_start:]
    if ptx:
        canvas.draw_rect(EDGE, y, _PAGE.width, end - y, SvgColour.SOFT, SvgColour.LINE, radius=8)
    else:
        y, end = y - 9, y + 22  # the badge is alone
    canvas.parts += line
    x = EDGE + _PAGE.width - badge - 10
    canvas.draw_rect(x, y + 9, badge, 22, SvgColour.PAGE, SvgColour.DIM, radius=11)
    canvas.draw_text(x + badge / 2, y + 24, model, NOTE, anchor="middle", width=badge - 14)
    canvas.close_group()
    return end + 18


def draw_compact_head(doc: Document, canvas: SvgCanvas, long_names: Names) -> float:
    """Draw title, instruction, and the model unless it is the documentation; return the end."""
    page, y = COMPACT.page, 10.0
    canvas.open_group("px-head")
    if doc.title:
        y = canvas.draw_paragraph(page, y + 13, doc.title, SUBHEADING) - 9
    is_documented = doc.model == ISA_MODEL.name and not doc.answers and not doc.other
    model = "" if is_documented else format_model(doc)
    room = min(SMALL.measure(model) + 12, page.width / 2) if model else 0
    canvas.draw_text(page.right, y + 14, model, SMALL, anchor="end", width=room)
    end = draw_instruction(
        canvas, format_head(doc), page.x, y + 14, page.width - room, NAME, long_names
    )
    canvas.draw_line(page.x, end + 7, page.right, end + 7, SvgColour.LINE)
    canvas.close_group()
    return end + 14


class IdleStep(NamedTuple):
    """A step that a picture does not draw separately."""

    name: str
    """Number and title."""
    is_beside: bool
    """Whether its numbers are beside the operands; otherwise it changes nothing."""
    side: str = ""
    """The place of one of two traces in words."""


def make_idle_step(step: StepView) -> IdleStep:
    """Return a step that is not drawn."""
    return IdleStep(f"{step.number} {step.title}", step.stage is Stage.EXTEND)


def list_idle_steps(scene: Scene, steps: tuple[StepView, ...]) -> list[IdleStep]:
    """Return the steps that are not drawn because they change or show nothing more."""
    drawn_stages = {step.stage for step in scene.steps if step.rows}
    joined_stages = {Stage.SELECT} if Stage.EXTEND in drawn_stages else set()
    omitted_steps = (
        step for step in steps if step.stage not in drawn_stages | joined_stages and not step.notes
    )
    return [*map(make_idle_step, omitted_steps)]


def describe_idle_steps(steps: Collection[IdleStep]) -> str:
    """Return a sentence or two with the steps that are not drawn; empty if all are drawn."""
    sides: dict[IdleStep, str] = {}
    for step in steps:  # a step that both traces omit is on neither side
        alike = step._replace(side="")
        sides[alike] = "" if alike in sides else step.side
    idle = [x for x in sides if not x.is_beside]
    beside = [x for x in sides if x.is_beside]
    clause = "it changes" if len(idle) == 1 else "they change"
    sentences = []
    if idle:
        sentences.append(f"Not drawn, because {clause} nothing: {_list_by_side(idle, sides)}.")
    if beside:
        sentences.append(f"Drawn beside the operands: {_list_by_side(beside, sides)}.")
    return " ".join(sentences)


def _list_by_side(steps: Collection[IdleStep], sides: Mapping[IdleStep, str]) -> str:
    """Return the names of steps, grouped after their side's name."""
    parts = []
    for side in sorted({sides[step] for step in steps}):  # "" is the first
        names = ", ".join(step.name for step in steps if sides[step] == side)
        parts.append(f"{side}, {names}" if side else names)
    return "; ".join(parts)


def draw_answers(answers: Answers, canvas: SvgCanvas, y: float, page: Area) -> float:
    """Draw each answer of differing models, and the reasons; return the end."""
    y += 16
    canvas.open_group("px-answers")
    canvas.draw_line(page.x, y, page.right, y, SvgColour.MARK, 1.5, "6 4")
    title = "Why" if answers.other_trace else "Two answers"  # both are drawn, or one of them
    canvas.draw_text(page.x, y + 28, title, HEADING)
    widest = max(BODY.measure(answer.label) for answer in answers.all)
    room = min(max(_LABEL, widest + 9), page.width / 2)
    text_area = Area(page.x + room, page.width - room)
    about = f"They first differ at “{answers.step}”."
    canvas.draw_text(text_area.x, y + 28, about, BODY, SvgColour.DIM, width=text_area.width)
    y += 52
    for answer in answers.all:
        reason = answer.reason
        canvas.draw_text(page.x, y, answer.label, BODY, width=room - 8)
        result_room = min(text_area.width - STRONG.measure(reason) - 8, 360)
        canvas.draw_text(text_area.x, y, answer.result, LABEL, width=result_room)
        canvas.draw_text(page.right, y, reason, STRONG, SvgColour.MARK, anchor="end")
        y += 20
    for erratum in answers.errata:
        text = f"{erratum.id}: {erratum.sentence}"
        y = draw_note(canvas, text, y, page, is_surprise=True) + 8
    canvas.close_group()
    return y


def draw_agreement(text: str, canvas: SvgCanvas, y: float, page: Area) -> float:
    """Draw the sentence that there is one answer; return the end."""
    canvas.open_group("px-answers")
    y = canvas.draw_paragraph(page, y + 18, text, STRONG)
    canvas.close_group()
    return y - 14


def draw_notes(doc: Document, canvas: SvgCanvas, y: float, page: Area, has_lanes: bool) -> float:
    """Draw the notes on lanes and ptxscope's notes; return the end."""
    only, notes = doc.sections[0], dict.fromkeys(x for y in doc.sections for x in y.notes)
    y = draw_lane_notes(() if only.heading else only.lane_notes, canvas, y + 14, page, has_lanes)
    texts = [f"Note: {text}." for text in dict.fromkeys((*notes, *doc.notes))]
    if only.heading and doc.no_result:
        texts.append(f"The result: {doc.no_result}.")
    for text in texts:
        y = canvas.draw_paragraph(page, y + 14, text, REMARK) - 6
    return y


def draw_lane_notes(
    notes: tuple[str, ...], canvas: SvgCanvas, y: float, page: Area, is_numbered: bool
) -> float:
    """Draw the author's notes on lanes, numbered like their columns; return the end."""
    for number, text in enumerate(notes, 1):
        y = draw_note(canvas, f"note {number}: {text}" if is_numbered else text, y, page) + 8
    return y


def draw_foot(doc: Document, canvas: SvgCanvas, y: float, page: Area, idle_text: str = "") -> float:
    """Draw caption and source; return the height of the page in whole px, as renderers round it."""
    canvas.open_group("px-foot")
    if doc.caption:
        y = canvas.draw_paragraph(page, y + 20, doc.caption, CAPTION) - 10
    y = canvas.draw_paragraph(page, y + 22, idle_text, SMALL) - 22
    if doc.source:
        y = canvas.draw_paragraph(page, y + 22, doc.source, SMALL) - 22 - SMALL.leading
    else:
        y -= 14
    canvas.close_group()
    return ceil(y + (30 if idle_text else 40))
