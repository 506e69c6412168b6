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
from typing import TYPE_CHECKING

from ..engine.isa.roles import DESTINATIONS
from ..engine.records import NamedTuple
from ..engine.syntax.errors import PtxError
from ..engine.syntax.values import format_hex
from ..engine.tracing.formula import Sign
from ..engine.tracing.lane_text import describe_lane, format_lane_sentence
from ..engine.tracing.provenance import LaneBits, find_ancestors
from ..engine.tracing.step_text import describe_step, format_title
from ..engine.tracing.trace import RowTrace, Step, Trace
from .question import AnswerLocation as AnswerLocation
from .question import Question as Question
from .question import is_bits, locate_answer

if TYPE_CHECKING:
    from .mistakes import Explanation

MISSED = "No single mistake that is known gives that."


class GradedAnswer(NamedTuple):
    """A graded answer."""

    is_right: bool
    value: int
    """Value of the answer; if right, equal to `expected`."""
    expected: int
    explanations: tuple[Explanation, ...]
    """The mistake that gives this value, or those of its lanes if it takes several; empty if the
    answer is right or no mistake is known."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Sentences of the explanations, each with the right value."""
        return tuple(x.sentence for x in self.explanations)


def compute_expected(question: Question) -> int:
    """Return the right answer from the trace; raise ValueError if there is no such location."""
    where = locate_answer(question)
    return where.get_value({key: row.values for key, row in question.trace.rows.items()})


def grade_answer(question: Question, text: str) -> GradedAnswer:
    """Grade a typed answer.

    Raise PtxError if it is not a value, and ValueError if there is no such location.
    """
    where = locate_answer(question)
    given, right, bits = where.parse_answer(text), compute_expected(question), is_bits(text)
    if where.is_accepted(right, given, bits=bits):
        return GradedAnswer(True, right, right, ())
    from .mistakes import explain_answer

    found = explain_answer(question, given, bits=bits)
    return GradedAnswer(
        False, given, right, _explain_hex_digits(question, where, text.strip(), found) or found
    )


def format_reply(question: Question, answer: GradedAnswer, *, is_first: bool) -> str:
    """Return the reply to a wrong answer: first the mistake alone, later also the right answer."""
    best = answer.explanations[0] if answer.explanations else None
    if is_first:
        return best.name if best else MISSED
    said = best.sentence if best else MISSED
    return said if best and best.has_result else f"{said} It is {format_right_answer(question)}."


def format_right_answer(question: Question) -> str:
    """Format the right answer as it is shown; typed as an answer, it is accepted."""
    where, trace = locate_answer(question), question.trace
    if question.key in DESTINATIONS or where.lane is None:
        return format_hex(compute_expected(question), where.width)
    formula = describe_lane(trace, trace.rows[where.key], where.lane).formula
    return formula.left if formula.sign is Sign.FOR else formula.right


def _explain_hex_digits(
    question: Question, where: AnswerLocation, text: str, known: tuple[Explanation, ...]
) -> tuple[Explanation, ...]:
    """Explain decimal digits that are right, or explicable, as hexadecimal ones."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not (digits.isascii() and digits.isdecimal()):
        return ()
    from .mistakes import Explanation, explain_answer

    meant = f"{sign}0x{digits}"
    try:
        given = where.parse_answer(meant)
    except PtxError:
        return ()
    if where.is_accepted(compute_expected(question), given, bits=not sign):
        name = f"{text} is decimal: hexadecimal digits need a 0x in front."
        return (Explanation(name, f"{text} is decimal; {meant} is right.", True),)
    if known or where.is_same_value(given, where.parse_answer(text)):
        return ()
    found = explain_answer(question, given, bits=not sign)
    return tuple(x.with_lead(f"{text} is decimal, not {meant}.") for x in found)


def list_hints(question: Question) -> tuple[str, ...]:
    """Return hints in order; the last one derives the answer."""
    where, trace = locate_answer(question), question.trace
    if question.key in {written.role for written in trace.plan.results}:
        return _list_destination_hints(question, where)
    step = next(x for x in trace.steps if any(row.key == where.key for row in x.rows))
    row, lane = trace.rows[where.key], where.lane or 0
    sides = describe_lane(trace, row, lane).formula
    said = [f"{format_title(step).capitalize()}: {describe_step(trace, step)}"]
    if where.lane is not None and not sides.grouped:
        said.append(f"Work out {sides.left}.")
    lanes = range(len(row.lanes)) if where.lane is None else (lane,)
    return (*said, _format_sentences(trace, row, lanes))


def _list_destination_hints(question: Question, where: AnswerLocation) -> tuple[str, ...]:
    """Return the hints for a destination: the rule of each step, then its values."""
    trace = question.trace
    used = find_ancestors(trace, LaneBits(where.key, 0, where.shift, where.shift + where.width))
    ways = {step.number: _list_used_lanes(step, used) for step in trace.steps}
    steps = [step for step in trace.steps if ways[step.number]]
    said = [f"{format_title(step).capitalize()}: {describe_step(trace, step)}" for step in steps]
    for step in steps:
        worked = (_format_sentences(trace, row, lanes) for row, lanes in ways[step.number])
        said.append(f"{format_title(step).capitalize()}: {' '.join(worked)}")
    return tuple(said)


def _list_used_lanes(step: Step, used: set[LaneBits]) -> list[tuple[RowTrace, list[int]]]:
    """Return the rows of a step, with their lanes, that an answer depends on."""
    found = [
        (row, sorted({cell.lane for cell in used if cell.key == row.key})) for row in step.rows
    ]
    return [(row, lanes) for row, lanes in found if lanes]


def _format_sentences(trace: Trace, row: RowTrace, lanes: Iterable[int]) -> str:
    said = "; ".join(format_lane_sentence(trace, row, lane) for lane in lanes)
    first = said.partition(" ")[0]
    is_name = len(first) == 1 or first in trace.instruction.names.values()
    return f"{said}." if is_name else f"{said[0].upper()}{said[1:]}."
