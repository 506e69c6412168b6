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
from ..engine.syntax.errors import PtxError
from ..engine.syntax.values import hex_text
from ..engine.tracing.formula import Sign
from ..engine.tracing.lane_text import sentence, words
from ..engine.tracing.provenance import Cell, ancestors
from ..engine.tracing.step_text import about, title
from ..engine.tracing.trace import RowTrace, Step, Trace
from .question import Place as Place
from .question import Question as Question
from .question import is_bits, place

if TYPE_CHECKING:
    from .mistakes import Explanation

MISSED = "No single mistake that is known gives that."


class Answer(NamedTuple):
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


def expected(question: Question) -> int:
    """The right answer, from the trace; raises ValueError where there is no such place."""
    where = place(question)
    return where.of({key: row.values for key, row in question.trace.rows.items()})


def judge(question: Question, text: str) -> Answer:
    """Judge what was typed; raises PtxError for what is no value, ValueError for no such place."""
    where = place(question)
    given, right, bits = where.read(text), expected(question), is_bits(text)
    if where.gives(right, given, bits=bits):
        return Answer(True, right, right, ())
    from .mistakes import explained

    found = explained(question, given, bits=bits)
    return Answer(False, given, right, _in_hex(question, where, text.strip(), found) or found)


def reply(question: Question, answer: Answer, *, is_first: bool) -> str:
    """What is said of a wrong answer: at first the mistake alone, then what is right too."""
    best = answer.explanations[0] if answer.explanations else None
    if is_first:
        return best.name if best else MISSED
    said = best.said if best else MISSED
    return said if best and best.has_result else f"{said} It is {answer_text(question)}."


def answer_text(question: Question) -> str:
    """The right answer as it is shown; read as an answer, it is right."""
    where, trace = place(question), question.trace
    if question.key in DESTINATIONS or where.lane is None:
        return hex_text(expected(question), where.width)
    formula = words(trace, trace.rows[where.key], where.lane).formula
    return formula.left if formula.sign is Sign.FOR else formula.right


def _in_hex(
    question: Question, where: Place, text: str, known: tuple[Explanation, ...]
) -> tuple[Explanation, ...]:
    """Digits that would be right as hexadecimal; or explained, where nothing explains them."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not (digits.isascii() and digits.isdecimal()):
        return ()
    from .mistakes import Explanation, explained

    meant = f"{sign}0x{digits}"
    try:
        given = where.read(meant)
    except PtxError:
        return ()
    if where.gives(expected(question), given, bits=not sign):
        name = f"{text} is decimal: hexadecimal digits need a 0x in front."
        return (Explanation(name, f"{text} is decimal; {meant} is right.", True),)
    if known or where.same(given, where.read(text)):
        return ()
    found = explained(question, given, bits=not sign)
    return tuple(x.behind(f"{text} is decimal, not {meant}.") for x in found)


def hints(question: Question) -> tuple[str, ...]:
    """What leads to the answer, one step at a time; the last is how it comes about."""
    where, trace = place(question), question.trace
    if question.key in {written.role for written in trace.plan.results}:
        return _from_the_start(question, where)
    step = next(x for x in trace.steps if any(row.key == where.key for row in x.rows))
    row, lane = trace.rows[where.key], where.lane or 0
    sides = words(trace, row, lane).formula
    said = [f"{title(step).capitalize()}: {about(trace, step)}"]
    if where.lane is not None and not sides.grouped:
        said.append(f"Work out {sides.left}.")
    lanes = range(len(row.lanes)) if where.lane is None else (lane,)
    return (*said, _sentences(trace, row, lanes))


def _from_the_start(question: Question, where: Place) -> tuple[str, ...]:
    """A destination's: what each step does, then what it gave on the way there."""
    trace = question.trace
    used = ancestors(trace, Cell(where.key, 0, where.shift, where.shift + where.width))
    ways = {step.number: _lanes_used(step, used) for step in trace.steps}
    steps = [step for step in trace.steps if ways[step.number]]
    said = [f"{title(step).capitalize()}: {about(trace, step)}" for step in steps]
    for step in steps:
        worked = (_sentences(trace, row, lanes) for row, lanes in ways[step.number])
        said.append(f"{title(step).capitalize()}: {' '.join(worked)}")
    return tuple(said)


def _lanes_used(step: Step, used: set[Cell]) -> list[tuple[RowTrace, list[int]]]:
    """The rows and lanes of a step that an answer comes from."""
    found = [
        (row, sorted({cell.lane for cell in used if cell.key == row.key})) for row in step.rows
    ]
    return [(row, lanes) for row, lanes in found if lanes]


def _sentences(trace: Trace, row: RowTrace, lanes: Iterable[int]) -> str:
    said = "; ".join(sentence(trace, row, lane) for lane in lanes)
    first = said.partition(" ")[0]
    is_name = len(first) == 1 or first in trace.instruction.names.values()
    return f"{said}." if is_name else f"{said[0].upper()}{said[1:]}."
