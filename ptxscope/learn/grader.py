"""Grades predictions and gives hints.

``judge(Question(trace, "saturate", 2), "127")`` asks for a lane of a row, a destination (``"d"``),
or a lane of a destination. An answer may use any notation that the value field accepts.

A row of bits (a selected byte, a merged lane, a destination) is right by its bits, written as bits
or as the signed or unsigned number. A row of numbers is right by the number, or by its bits,
written as 0x… or 0b…, in the narrowest of 32, 64 or 128 bits that holds the row; a clamped one by
its bits in the type that it is clamped to. So -1 is neither 255 nor 0xff when a byte is extended,
nor 4294967295 when a word is: the question is about exactly that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ..engine.isa.roles import DESTINATIONS
from ..engine.isa.value_text import format_hex
from ..engine.micro_operations.formula import Formula, Sign
from ..engine.syntax.errors import PtxError
from ..engine.tracing.lane_text import describe_lane, format_lane_sentence
from ..engine.tracing.provenance import LaneBits, find_ancestors
from ..engine.tracing.step_text import describe_step, format_title
from ..engine.tracing.trace import RowTrace, Step, Trace
from .question import AnswerLocation as AnswerLocation
from .question import Question as Question
from .question import is_bits, locate_answer

if TYPE_CHECKING:
    from .mistakes import MistakeExplanation

MISSED = "No known single mistake gives that."


class GradedAnswer(NamedTuple):
    """A graded answer."""

    is_right: bool
    value: int
    """Value of the answer; if right, equal to `expected`."""
    expected: int
    explanations: tuple[MistakeExplanation, ...]
    """The mistake that gives this value, or those of its lanes if it takes several; empty if the
    answer is right or no mistake is known."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences of the explanations, each with the right value."""
        return tuple(x.sentence for x in self.explanations)


def compute_expected(question: Question) -> int:
    """Return the right answer from the trace; raise ValueError if there is no such location."""
    location = locate_answer(question)
    return location.get_value({key: row.values for key, row in question.trace.rows.items()})


def grade_answer(question: Question, text: str) -> GradedAnswer:
    """Grade a typed answer.

    Raise PtxError if it is not a value, and ValueError if there is no such location.
    """
    location = locate_answer(question)
    value, expected, is_pattern = (
        location.parse_answer(text),
        compute_expected(question),
        is_bits(text),
    )
    if location.is_accepted(expected, value, is_pattern=is_pattern):
        return GradedAnswer(True, expected, expected, ())
    from .mistakes import explain_answer

    explanations = explain_answer(question, value, is_pattern=is_pattern)
    return GradedAnswer(
        False,
        value,
        expected,
        _explain_hex_digits(question, location, text.strip(), explanations) or explanations,
    )


def format_reply(question: Question, answer: GradedAnswer, *, is_first: bool) -> str:
    """Return the reply to a wrong answer: first the mistake alone, later also the right answer."""
    best = answer.explanations[0] if answer.explanations else None
    if is_first:
        return best.name if best else MISSED
    sentence, right = best.sentence if best else MISSED, format_right_answer(question)
    has_answer = best is not None and (best.has_result or sentence.endswith(f" {right}."))
    return sentence if has_answer else f"{sentence} It is {right}."


def format_right_answer(question: Question) -> str:
    """Format the right answer as it is shown; typed as an answer, it is accepted."""
    location, trace = locate_answer(question), question.trace
    if question.key in DESTINATIONS or location.lane is None:
        return format_hex(compute_expected(question), location.width)
    formula = describe_lane(trace, trace.rows[location.key], location.lane).formula
    is_left = formula.sign is Sign.FOR or formula.right == "_"  # `1 for p`, or `1 → _`
    return formula.left if is_left else formula.right


def _explain_hex_digits(
    question: Question,
    location: AnswerLocation,
    text: str,
    known_explanations: tuple[MistakeExplanation, ...],
) -> tuple[MistakeExplanation, ...]:
    """Explain decimal digits that are right, or explicable, as hexadecimal ones."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not (digits.isascii() and digits.isdecimal()):
        return ()
    from .mistakes import MistakeExplanation, explain_answer

    hex_text = f"{sign}0x{digits}"
    try:
        value = location.parse_answer(hex_text)
    except PtxError:
        return ()
    if location.is_accepted(compute_expected(question), value, is_pattern=not sign):
        name = f"{text} is decimal: hexadecimal digits need a 0x in front."
        return (MistakeExplanation(name, f"{text} is decimal; {hex_text} is right.", True),)
    if known_explanations or location.is_same_value(value, location.parse_answer(text)):
        return ()
    explanations = explain_answer(question, value, is_pattern=not sign)
    return tuple(x.with_lead(f"{text} is decimal, not {hex_text}.") for x in explanations)


def list_hints(question: Question) -> tuple[str, ...]:
    """Return hints in order; the last one derives the answer."""
    location, trace = locate_answer(question), question.trace
    if question.key in {result.role for result in trace.plan.results}:
        return _list_destination_hints(question, location)
    step = next(x for x in trace.steps if any(row.key == location.key for row in x.rows))
    row, lane = trace.rows[location.key], location.lane or 0
    rule = row.micro.format_hint(trace.views[row.key]) or describe_step(trace, step)
    hints = [f"{format_title(step).capitalize()}: {rule}"]
    formula = describe_lane(trace, row, lane).formula
    if location.lane is not None and (task := _format_task(formula, location.width)):
        hints.append(task)
    lanes = range(len(row.lanes)) if location.lane is None else (lane,)
    return (*hints, _format_sentences(trace, row, lanes))


def _format_task(formula: Formula, width: int) -> str:
    """Format what is left to do, without how; empty if only the answer is left."""
    left = formula.left
    if formula.grouped:
        return ""
    if formula.sign is Sign.IS:
        return f"Look up {left}." if left.replace(".", "").isalnum() else f"Work out {left}."
    is_number = left.removeprefix("-").isdecimal()
    return f"Write the low {width} bits of {left}." if is_number else ""


def _list_destination_hints(question: Question, location: AnswerLocation) -> tuple[str, ...]:
    """Return the hints for a destination: the rule of each step, then its values."""
    trace = question.trace
    ancestors = find_ancestors(
        trace, LaneBits(location.key, 0, location.shift, location.shift + location.width)
    )
    used_lanes = {step.number: _list_used_lanes(step, ancestors) for step in trace.steps}
    steps = [step for step in trace.steps if used_lanes[step.number]]
    hints = [f"{format_title(step).capitalize()}: {describe_step(trace, step)}" for step in steps]
    for step in steps:
        sentences = (_format_sentences(trace, row, lanes) for row, lanes in used_lanes[step.number])
        hints.append(f"{format_title(step).capitalize()}: {' '.join(sentences)}")
    return tuple(hints)


def _list_used_lanes(step: Step, ancestors: set[LaneBits]) -> list[tuple[RowTrace, list[int]]]:
    """Return the rows of a step, with their lanes, that an answer depends on."""
    used_rows = [
        (row, sorted({cell.lane for cell in ancestors if cell.key == row.key})) for row in step.rows
    ]
    return [(row, lanes) for row, lanes in used_rows if lanes]


def _format_sentences(trace: Trace, row: RowTrace, lanes: Iterable[int]) -> str:
    text = "; ".join(format_lane_sentence(trace, row, lane) for lane in lanes)
    first_word = text.partition(" ")[0]
    is_name = len(first_word) == 1 or first_word in trace.instruction.names.values()
    return f"{text}." if is_name else f"{text[0].upper()}{text[1:]}."
