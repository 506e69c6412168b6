"""Grading of predictions, and hints.

``judge(Question(trace, "saturate", 2), "127")`` asks for a lane of a row, a destination (``"d"``),
or a lane of a destination. An answer may use any notation of the value field.

A row of bits (a selected byte, a merged lane, a destination) is right by its bits, written as bits
or as the signed or unsigned number. A row of numbers is right by the number, or by its bits,
written as 0x… or 0b…, in the narrowest of 32, 64 or 128 bits for the row; a clamped one by
its bits in the type that it is clamped to. So -1 is neither 255 nor 0xff when a byte is extended,
nor 4294967295 when a word is: the question is about exactly that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ..engine.isa.encodings import format_bit_range, format_hex
from ..engine.isa.types import DESTINATIONS
from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.properties import MAX_LANE_BITS, Formula, Sign, Stage
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Register
from ..engine.tracing.provenance import LaneBits, find_ancestors, find_provenance
from ..engine.tracing.step_text import (
    describe_lane,
    describe_step,
    format_lane_sentence,
    format_title,
    get_part_name,
    get_row_name,
)
from ..engine.tracing.trace import Step, Trace
from ..feature import Service, find_services
from .question import AnswerLocation, Question, is_bits, locate_answer

_PART = re.compile(r"(?:Lane|Byte|Half-word) \d: ")
_STAGES = 3
"""Hints before the one that derives the answer."""


class MistakeExplanation(NamedTuple):
    """The explanation of a wrong answer."""

    name: str
    """The mistake, without the right answer."""
    sentence: str
    """The mistake, with the right value."""

    def with_lane(self, lane: int) -> MistakeExplanation:
        """Return the same explanation for one lane."""
        return MistakeExplanation(*(f"In lane {lane} {x[:1].lower()}{x[1:]}" for x in self))

    def with_lead(self, lead: str) -> MistakeExplanation:
        """Return the same explanation after a leading sentence."""
        return MistakeExplanation(*(f"{lead} {x}" for x in self))

    def with_doubt(self) -> MistakeExplanation:
        """Return the same explanation as one of several."""
        return MistakeExplanation(
            *(f"Perhaps you{x[3:]}" if x.startswith("You ") else x for x in self)
        )


class GradedAnswer(NamedTuple):
    """A graded answer."""

    is_right: bool
    value: int
    """Value of the answer; if right, equal to `expected`."""
    expected: int
    explanations: tuple[MistakeExplanation, ...]
    """The mistake behind this value, or a mistake per wrong lane; empty if none is known."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences of the explanations, each with the right value."""
        return tuple(x.sentence for x in self.explanations)


def compute_expected(question: Question) -> int:
    """Return the right answer from the trace; raise ValueError if the location does not exist."""
    location = locate_answer(question)
    return location.get_value({key: row.values for key, row in question.trace.rows.items()})


def grade_answer(question: Question, text: str) -> GradedAnswer:
    """Grade a typed answer.

    Raise PtxError if it is not a value, and ValueError if the location does not exist.
    """
    location = locate_answer(question)
    value, expected, is_pattern = (
        location.parse_answer(text),
        compute_expected(question),
        is_bits(text),
    )
    if location.is_accepted(expected, value, is_pattern=is_pattern):
        return GradedAnswer(True, expected, expected, ())
    explanations = _explain_answer(question, value, is_pattern=is_pattern)
    return GradedAnswer(
        False,
        value,
        expected,
        _explain_hex_digits(question, location, text.strip(), explanations) or explanations,
    )


def _explain_answer(
    question: Question, value: int, *, is_pattern: bool
) -> tuple[MistakeExplanation, ...]:
    """Return the mistake behind a wrong answer, or one for each lane, if a feature knows it."""
    explainers = find_services(Service.EXPLAIN_ANSWER)
    return tuple(x for explain in explainers for x in explain(question, value, is_pattern))


def format_reply(question: Question, answer: GradedAnswer, wrong_count: int = 1) -> str:
    """Return the reply to a wrong answer, the ``wrong_count``-th; it never has the right answer.

    It is the known mistake, with a hint from the second time on, or else a hint.
    """
    names = [x.name for x in answer.explanations[:1]]
    right = re.escape(format_right_answer(question))
    is_telling = re.compile(rf"(?<![\w.-]){right}(?!\w|\.\w)").search
    hints = [x for x in list_hints(question)[:-1] if not is_telling(x)]
    return " ".join([*names, *hints[: wrong_count - len(names)][-1:]])


def format_right_answer(question: Question) -> str:
    """Format the right answer for display; typed as an answer, it is accepted."""
    location, trace = locate_answer(question), question.trace
    if question.key in DESTINATIONS or location.lane is None:
        return format_hex(compute_expected(question), location.width)
    formula = describe_lane(trace.rows[location.key], location.lane).formula
    is_left = formula.sign is Sign.FOR or formula.right == "_"  # `1 for p`, or `1 → _`
    return formula.left if is_left else formula.right


def _explain_hex_digits(
    question: Question,
    location: AnswerLocation,
    text: str,
    known_explanations: tuple[MistakeExplanation, ...],
) -> tuple[MistakeExplanation, ...]:
    """Explain decimal digits that are right, or a known mistake, in hexadecimal."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not (digits.isascii() and digits.isdecimal()):
        return ()
    hex_text = f"{sign}0x{digits}"
    try:
        value = location.parse_answer(hex_text)
    except PtxError:
        return ()
    if location.is_accepted(compute_expected(question), value, is_pattern=not sign):
        name = f"{text} is decimal: hexadecimal digits need a 0x in front."
        return (MistakeExplanation(name, f"{text} is decimal; {hex_text} is right."),)
    if known_explanations or location.is_same_value(value, location.parse_answer(text)):
        return ()
    explanations = _explain_answer(question, value, is_pattern=not sign)
    return tuple(x.with_lead(f"{text} is decimal, not {hex_text}.") for x in explanations)


def list_hints(question: Question) -> tuple[str, ...]:
    """Return hints in order: the source of the answer, its reading, the operation.

    The last hint derives the answer.
    """
    location, trace = locate_answer(question), question.trace
    cells = _list_asked_cells(trace, location)
    ancestors = set().union(*(find_ancestors(trace, cell) for cell in cells))
    used = {x.number: rows for x in trace.steps if (rows := _list_used_lanes(x, ancestors))}
    steps = [step for step in trace.steps if step.number in used]
    asked_step = steps[-1]
    start: list[str] = []
    is_whole = question.key in {result.role for result in trace.plan.results}
    is_one_lane = len(trace.rows[location.key].values) == 1 and trace.instruction.entry.lanes > 1
    # One row of a trace whose earlier steps are shown joins all lanes of these.
    if asked_step.stage is not Stage.SELECT and (is_whole or not is_one_lane):
        selections = [step for step in steps if step.stage is Stage.SELECT]
        start = [_describe_sources(trace, location, cells)]
        if not any(start) and trace.instruction.entry.lanes > 1:
            start = [_describe_rule(location, step) for step in selections]
        start += [
            _format_used(trace, used[step.number])
            for step in steps
            if step.stage is Stage.EXTEND and step is not asked_step
        ]
    later = [step for step in steps if step.stage not in (Stage.SELECT, Stage.EXTEND)]
    steps_with_rules = later if is_whole else [asked_step]
    has_lanes = trace.instruction.entry.lanes > 1
    if len(steps_with_rules) > 1 and not has_lanes and not asked_step.flags:
        steps_with_rules = [x for x in steps_with_rules if x.stage is not Stage.WRITE]
    rules = [_describe_rule(location, x) for x in steps_with_rules]
    end = _format_used(trace, used[asked_step.number])
    if is_whole:
        end = " ".join(_format_used(trace, used[step.number]) for step in later)
    hints = [*filter(None, start), " ".join(rules)]
    if not is_whole and location.lane is not None:
        row = trace.rows[location.key]
        hints.append(_format_task(describe_lane(row, location.lane).formula, location.width))
    if len(hints) > _STAGES:  # the rule and the task are one
        hints[_STAGES - 1 :] = [" ".join(filter(None, hints[_STAGES - 1 :]))]
    return (*filter(None, hints), end)


def _list_asked_cells(trace: Trace, location: AnswerLocation) -> list[LaneBits]:
    row = trace.rows[location.key]
    if location.lane is None:
        return [LaneBits(row.key, lane, 0, MAX_LANE_BITS) for lane in range(len(row.values))]
    lane = location.lane if len(row.values) > 1 else 0
    if location.is_number:
        return [LaneBits(row.key, lane, 0, MAX_LANE_BITS)]
    return [LaneBits(row.key, lane, location.shift, location.shift + location.width)]


def _describe_sources(trace: Trace, location: AnswerLocation, cells: Iterable[LaneBits]) -> str:
    """Describe the parts of operands behind the answer; empty if they are whole operands."""
    ins, sources = trace.instruction, list[str]()
    origins = {x for cell in cells for x in find_provenance(trace, *cell)}
    is_narrow = False
    for role, low, high in sorted(origins):
        name, width = ins.format_operand(role), high - low
        if width == ins.type_of(role).bits or not isinstance(ins.roles.get(role), Register):
            sources.append(name)
            continue
        is_narrow = True
        is_part = width in (8, 16) and low % width == 0
        part = f".{'b' if width == 8 else 'h'}{low // width}"
        sources.append(f"{name}{part}" if is_part else f"{format_bit_range(low, width)} of {name}")
    row = trace.rows[location.key]
    is_lane = location.lane is not None and len(row.values) > 1
    subject = f"{get_part_name(row).capitalize()} {location.lane}" if is_lane else "It"
    parts = " and ".join(filter(None, (", ".join(sources[:-1]), *sources[-1:])))
    return f"{subject} comes from {parts}." if is_narrow else ""


def _describe_rule(location: AnswerLocation, step: Step) -> str:
    row = next((x for x in step.rows if x.key == location.key), None)
    rule = row.micro.format_hint(row) if row else ""
    title, sentence = format_title(step).capitalize(), rule or describe_step(step)
    return sentence if sentence.startswith(title) else f"{title}: {sentence}"


def _format_used(trace: Trace, rows: Iterable[tuple[RowTrace, list[int]]]) -> str:
    """Format the sentences of a step's lanes, with row names if there are several rows."""
    texts = [(row, _format_sentences(trace, row, lanes)) for row, lanes in rows]
    if len(texts) == 1:
        return texts[0][1]
    return " ".join(_add_row_name(get_row_name(row), text) for row, text in texts)


def _add_row_name(name: str, text: str) -> str:
    """Return a sentence after the name of its row: ``a: 0xff is …``, ``a, lane 2: 0xff is …``."""
    if text.startswith(f"{name} "):
        return text
    is_of_part = _PART.match(text)
    return f"{name}, {text[0].lower()}{text[1:]}" if is_of_part else f"{name}: {text}"


def _format_task(formula: Formula, width: int) -> str:
    """Format the remaining task; empty if only the answer remains."""
    left = formula.left
    if formula.is_grouped:
        return ""
    if formula.sign is Sign.IS:
        return f"Look up {left}." if left.replace(".", "").isalnum() else f"Work out {left}."
    is_number = left.removeprefix("-").isdecimal()
    return f"Write the low {width} bits of {left}." if is_number else ""


def _list_used_lanes(step: Step, ancestors: set[LaneBits]) -> list[tuple[RowTrace, list[int]]]:
    used_rows = [
        (row, sorted({cell.lane for cell in ancestors if cell.key == row.key})) for row in step.rows
    ]
    return [(row, lanes) for row, lanes in used_rows if lanes]


def _format_sentences(trace: Trace, row: RowTrace, lanes: Iterable[int]) -> str:
    text = "; ".join(format_lane_sentence(row, lane) for lane in lanes)
    first_word = text.partition(" ")[0]
    is_name = len(first_word) == 1 or first_word in trace.instruction.names.values()
    return f"{text}." if is_name else f"{text[0].upper()}{text[1:]}."
