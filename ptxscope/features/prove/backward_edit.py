"""Operands that give a wanted value: a computed place as the target of an edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...engine.cancellation import IsStopped, never
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Input
from ...engine.tracing.trace import Trace
from ...learn.question import Question, has_same_bits, is_bits, locate_answer
from ...scene.scene_model import BitRef, Place
from .operand_search import OperandSearch, find_operands
from .proof_report import format_operands, format_seconds

SECONDS = 5.0
"""The time for one search."""
LANE_SECONDS = 1.0
"""The time for one search in which a register may change in one lane only."""


class EditTarget(NamedTuple):
    """A place in a trace whose value the user wants to decide."""

    trace: Trace
    place: Place

    @property
    def name(self) -> str:
        """The name of the place: ``d``, ``t lane 2``, ``t bit 5``, ``extend.a lane 2``."""
        row, plan = self.trace.rows[self.place.key], self.trace.plan
        is_operand = row.role in {x.role for x in plan.sources} - {x.role for x in plan.results}
        name = row.key if is_operand else row.name
        lane = f" lane {self.place.lane}" if len(row.values) > 1 else ""
        bit = f" bit {self.place.bit}" if isinstance(self.place, BitRef) else ""
        return f"{name}{lane}{bit}"

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The registers that the place depends on."""
        pending, keys = [self.place.key], set[str]()
        while pending:
            key = pending.pop()
            if key in self.trace.rows and key not in keys:
                pending += self.trace.rows[key].input_keys
            keys.add(key)
        return tuple(x for x in self.trace.instruction.inputs if keys.intersection(x.roles))

    @property
    def letters(self) -> str:
        """Letters that a value may begin with."""
        return "" if isinstance(self.place, BitRef) else locate_answer(self._question).letters

    @property
    def _question(self) -> Question:
        return Question(self.trace, self.place.key, self.place.lane)

    def parse_value(self, text: str) -> int:
        """Return the wanted value; raise PtxError if the text is not a value."""
        location = locate_answer(self._question)
        if isinstance(self.place, BitRef):
            location = location._replace(is_number=True, is_truth=True, type=None, width=1)
            return min(location.parse_answer(text), 1)
        return location.parse_answer(text)

    def has_value(self, text: str) -> bool:
        """Whether the place has a typed value already; raise PtxError for any other text."""
        value = self.trace.rows[self.place.key].values[self.place.lane]
        if isinstance(self.place, BitRef):
            value = value >> self.place.bit & 1
        return value in self._list_readings(text)

    def make_condition(self, text: str) -> str:
        """Return the condition that the place has a typed value; raise PtxError for other text."""
        row = f"{self.place.key}[{self.place.lane}]"
        if isinstance(self.place, BitRef):
            row = f"({row} >> {self.place.bit} & 1)"
        return " or ".join(f"{row} == {x}" for x in self._list_readings(text))

    def _list_readings(self, text: str) -> list[int]:
        """Return the numbers that a typed value may be: bits may also be a negative number's."""
        key, value = self.place.key, self.parse_value(text)
        if isinstance(self.place, BitRef):
            return [value]
        location, limits = locate_answer(self._question), self.trace.rows[key].range
        values = [value]
        if is_bits(text) or not location.is_number:
            size = 1 << location.width
            readings = (value, value - size, value + size)
            values = [
                reading
                for reading in readings
                if limits.low <= reading <= limits.high
                and (reading == value or has_same_bits(reading, value, location.width))
            ] or values
        return values


class Finding(NamedTuple):
    """The answer to the question which operands give a value."""

    search: OperandSearch
    """The last search."""
    source: Input | None
    """The register that should give it; None for all."""
    others: OperandSearch | None = None
    """The search among all operands, if no value of the register gives it."""

    @property
    def operands(self) -> dict[str, int]:
        """The bits of the operands to set, by name; empty if no operands give the value."""
        answer = dict(self.search.answers[0]) if self.search.answers else {}
        return {x: answer[x] for x in answer if self.source is None or x == self.source.name}

    def describe(self, target: EditTarget, text: str) -> str:
        """Return a sentence: the operands that give a typed value, or the reason for none."""
        equation, search = f"{target.name} = {text.strip()}", self.others or self.search
        seconds = f"{format_seconds(search.seconds)} ({search.solver})"
        if self.operands:
            operands = format_operands(self.search.inputs, self.operands)
            sentence = f"{operands} {'gives' if self.source else 'give'} {equation}"
        elif self.search.is_undecided:
            sentence = f"Undecided: no operands for {equation} were found in {seconds}"
        elif search.answers and self.source:
            sentence = (
                f"No value of {self.source.name} gives {equation} while the others stay (proved) · "
                "try another operand, or all of them"
            )
        elif search.is_undecided and self.source:
            sentence = f"No value of {self.source.name} gives {equation} (proved)"
        else:
            sentence = f"No operands give {equation}, proved in {seconds}"
        return make_printable(sentence)


def find_sources(
    target: EditTarget, condition: str, source: Input | None, is_stopped: IsStopped = never
) -> Finding:
    """Find a value of a register, or values of all, for which a condition holds.

    In a register of lanes, only one lane changes if that is enough: first the lane of the place.
    Raise PtxError if the condition can't be read, ImportError without the solver, and Stopped when
    ``is_stopped`` returns true.
    """
    block, model = target.trace.block, target.trace.model

    def find(values: Mapping[str, int], masks: Mapping[str, int], seconds: float) -> OperandSearch:
        return find_operands(
            block,
            condition,
            fixed_values=values,
            masks=masks,
            model=model,
            timeout=seconds,
            is_stopped=is_stopped,
        )

    if source is None:
        return Finding(find({}, {}, SECONDS), None)
    values = {x.name: target.trace.operands[x.roles[0]] for x in block.inputs}
    for mask in _iter_masks(target, source):
        search = find(values, {source.name: mask}, LANE_SECONDS if mask else SECONDS)
        if search.answers:
            return Finding(search, source)
    others = None
    if search.is_complete and len(target.inputs) > 1:
        others = find({}, {}, SECONDS)
    return Finding(search, source, others)


def _iter_masks(target: EditTarget, source: Input) -> Iterator[int]:
    """Yield the bits of a register that are fixed: all but those of a lane, then none."""
    count = target.trace.instruction.count_lanes(source.roles[0])
    unit = source.type.bits // count
    ones = (1 << source.type.bits) - 1
    if count > 1:
        lanes: Sequence[int] = sorted(range(count), key=lambda x: (x != target.place.lane, x))
        yield from (ones & ~((1 << unit) - 1 << unit * lane) for lane in lanes)
    yield 0
