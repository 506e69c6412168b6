"""Judging what somebody predicts, and leading there by hints.

``judge(Question(trace, "saturate", 2), "127")``: a lane of a row, a destination (``"d"``), or a
lane of it. An answer may be written in every notation that the value field takes.

A row of bits (a selected byte, a merged lane, a destination) is right by its bits, given as
bits or as the signed or unsigned number. A row of numbers is right by the number; or by its bits,
written as 0x… or 0b…, in 32, 64 or 128 bits, whichever holds the row; a clamped one by its bits in
the type that it is clamped to. So neither 255 nor 0xff is -1 where a byte is extended, nor is
4294967295 where a word is: that is what is asked there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..engine.isa.roles import DESTINATIONS
from ..engine.records import NamedTuple
from ..engine.semantics import micro_operations as m
from ..engine.syntax.errors import PtxError
from ..engine.syntax.values import format_hex
from ..engine.tracing.formula import Formula, Sign
from ..engine.tracing.lane_text import UNIT_NAMES, describe_lane, format_lane_sentence
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
    """What somebody answered, judged."""

    is_right: bool
    given: int
    """As ``expected`` has it, where it is right."""
    expected: int
    explanations: tuple[Explanation, ...]
    """Which mistake gives just this, or those of the lanes, where it takes several; none where it
    is right or none is known."""

    @property
    def why(self) -> tuple[str, ...]:
        """The explanations, each with what is right."""
        return tuple(x.said for x in self.explanations)


def compute_expected(question: Question) -> int:
    """The right answer, from the trace; raises ValueError where there is no such place."""
    where = locate_answer(question)
    return where.get_value({key: row.values for key, row in question.trace.rows.items()})


def judge(question: Question, text: str) -> GradedAnswer:
    """Judge what was typed; raises PtxError for what is no value, ValueError for no such place."""
    where = locate_answer(question)
    given, right, bits = where.read(text), compute_expected(question), is_bits(text)
    if where.is_accepted(right, given, bits=bits):
        return GradedAnswer(True, right, right, ())
    from .mistakes import explain_answer

    found = explain_answer(question, given, bits=bits)
    return GradedAnswer(
        False, given, right, _explain_hex_digits(question, where, text.strip(), found) or found
    )


def reply(question: Question, answer: GradedAnswer, *, is_first: bool) -> str:
    """What is said of a wrong answer: at first the mistake alone, then what is right too."""
    best = answer.explanations[0] if answer.explanations else None
    if is_first:
        return best.name if best else MISSED
    said, right = best.said if best else MISSED, answer_text(question)
    is_told = best is not None and (best.has_result or said.endswith(f" {right}."))
    return said if is_told else f"{said} It is {right}."


def answer_text(question: Question) -> str:
    """The right answer as it is shown; read as an answer, it is right."""
    where, trace = locate_answer(question), question.trace
    if question.key in DESTINATIONS or where.lane is None:
        return format_hex(compute_expected(question), where.width)
    formula = describe_lane(trace, trace.rows[where.key], where.lane).formula
    return formula.left if formula.sign is Sign.FOR else formula.right


def _explain_hex_digits(
    question: Question, where: AnswerLocation, text: str, known: tuple[Explanation, ...]
) -> tuple[Explanation, ...]:
    """Digits that would be right as hexadecimal; or explained, where nothing explains them."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not (digits.isascii() and digits.isdecimal()):
        return ()
    from .mistakes import Explanation, explain_answer

    meant = f"{sign}0x{digits}"
    try:
        given = where.read(meant)
    except PtxError:
        return ()
    if where.is_accepted(compute_expected(question), given, bits=not sign):
        name = f"{text} is decimal: hexadecimal digits need a 0x in front."
        return (Explanation(name, f"{text} is decimal; {meant} is right.", True),)
    if known or where.is_same_value(given, where.read(text)):
        return ()
    found = explain_answer(question, given, bits=not sign)
    return tuple(x.behind(f"{text} is decimal, not {meant}.") for x in found)


def list_hints(question: Question) -> tuple[str, ...]:
    """What leads to the answer, one step at a time; the last is how it comes about."""
    where, trace = locate_answer(question), question.trace
    if question.key in {written.role for written in trace.plan.results}:
        return _from_the_start(question, where)
    step = next(x for x in trace.steps if any(row.key == where.key for row in x.rows))
    row, lane = trace.rows[where.key], where.lane or 0
    rule = _format_selector_rule(row) or describe_step(trace, step)
    said = [f"{format_title(step).capitalize()}: {rule}"]
    formula = describe_lane(trace, row, lane).formula
    if where.lane is not None and (task := _format_task(formula, where.width)):
        said.append(task)
    lanes = range(len(row.lanes)) if where.lane is None else (lane,)
    return (*said, _format_sentences(trace, row, lanes))


def _format_selector_rule(row: RowTrace) -> str:
    """How the digits of a selector are read; empty for a row that has no lanes."""
    micro = row.micro
    if not isinstance(micro, m.Select) or len(micro.picks) == 1:
        return ""
    count, part = len(micro.picks), UNIT_NAMES[micro.unit]
    if row.input_keys == (row.name,) and micro.picks == tuple((0, x) for x in range(count)):
        return f"Each lane takes its own {part} of {row.name}."
    digits = ("0 to 3 are", "4 to 7") if count == 4 else ("0 and 1 are", "2 and 3")
    return f"Digits {digits[0]} {part}s of a, {digits[1]} those of b; the last one is lane 0's."


def _format_task(formula: Formula, width: int) -> str:
    """What is left to do, without how it is done; empty where the answer is all that is left."""
    left = formula.left
    if formula.grouped:
        return ""
    if formula.sign is Sign.IS:
        return f"Look up {left}." if left.replace(".", "").isalnum() else f"Work out {left}."
    is_number = left.removeprefix("-").isdecimal()
    return f"Write the low {width} bits of {left}." if is_number else ""


def _from_the_start(question: Question, where: AnswerLocation) -> tuple[str, ...]:
    """A destination's: what each step does, then what it gave on the way there."""
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
    """The rows and lanes of a step that an answer comes from."""
    found = [
        (row, sorted({cell.lane for cell in used if cell.key == row.key})) for row in step.rows
    ]
    return [(row, lanes) for row, lanes in found if lanes]


def _format_sentences(trace: Trace, row: RowTrace, lanes: Iterable[int]) -> str:
    said = "; ".join(format_lane_sentence(trace, row, lane) for lane in lanes)
    first = said.partition(" ")[0]
    is_name = len(first) == 1 or first in trace.instruction.names.values()
    return f"{said}." if is_name else f"{said[0].upper()}{said[1:]}."
