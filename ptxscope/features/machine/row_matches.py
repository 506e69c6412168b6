"""The machine code of a line: each instruction beside the value of the plan that it computes.

An instruction *computes* a lane of a row if its result equals the lane for all operands, in one of
a few readings: the low word, the high word, the low byte, a truth, its opposite, …. This is proved,
or at least checked on random operands. Any other instruction is *part of* the row that the next
instruction computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import NamedTuple

from ...engine.ir.tape import Node, list_needed_nodes
from ...engine.isa.types import WORD_BITS, Type
from ...engine.semantics.models import ISA_MODEL, Model, parse_model
from ...engine.semantics.plan import Plan
from ...engine.tracing.probe_operands import draw_values
from ...engine.tracing.step_text import format_stage_title
from ..prove.equivalence import TIMEOUT
from ..prove.proof import Verdict
from ..prove.proof_question import compute_nodes
from ..prove.solver import Undecided
from .form_verdict import (
    KNOWN_MODELS,
    FormVerdict,
    MachineQuestion,
    VerdictOutcome,
    decide_line,
    group_models,
)
from .kernel_source import KernelSource
from .machine_instruction import MachineInstruction, MachineKernel
from .machine_run import MachineEffect, MachineOrigin
from .machine_step import MASK, PAIR_BITS, UnknownMachineCodeError, Write

_SAMPLES = 160
"""The operands on which values are compared before anything is proved."""
_FIRST_SAMPLE = 1000
"""The first ones are combinations of edge cases, of which most have a zero."""
_PROOF_SECONDS = 0.5


class Purpose(StrEnum):
    """The purpose of a machine instruction."""

    LOAD = "load"
    STORE = "store"
    ADDRESS = "address"
    CONSTANT = "constant"
    ROW = "row"
    """It computes a value of the plan."""
    PART = "part"
    """It is part of the computation of one."""
    NOTHING = "nothing"
    """Nothing that is stored depends on it."""
    UNKNOWN = "unknown"
    """It belongs to code that is not interpreted."""


class MatchedInstruction(NamedTuple):
    """A machine instruction and the value of the plan that it computes, or is part of."""

    offset: int
    text: str
    purpose: Purpose
    key: str = ""
    """The row's key; of a load or store, the operand's or result's role."""
    lane: int | None = None
    """The lane; None if the row has one, or for all of them."""
    reading: str = ""
    """The reading of the row's value; empty for the number itself, modulo 2**32."""
    is_proved: bool = False
    """Whether the equality is proved, not only checked on random operands."""


class _Reading(NamedTuple):
    """A way in which an instruction can hold the value of a lane."""

    name: str
    bits: int
    """The width of the written value."""
    read: Callable[[int], int]


_NUMBERS = (
    _Reading("", WORD_BITS, lambda x: x & MASK),
    _Reading("", PAIR_BITS, lambda x: x % (1 << PAIR_BITS)),
    _Reading("high word", WORD_BITS, lambda x: x >> WORD_BITS & MASK),
    _Reading("low half", WORD_BITS, lambda x: x & 0xFFFF),
    _Reading("low byte", WORD_BITS, lambda x: x & 0xFF),
    _Reading("both halves", WORD_BITS, lambda x: (x & 0xFFFF) * 0x10001),
)
_TRUTHS = (
    _Reading("", 1, lambda x: x),
    _Reading("opposite", 1, lambda x: 1 - x),
    _Reading("", WORD_BITS, lambda x: x),
    _Reading("all ones", WORD_BITS, lambda x: -x & MASK),
)


_STORING_OPCODES = ("SEL", "IADD3", "IADD3.X")
"""The opcodes that make a word of a predicate or a carry."""


class _Candidate(NamedTuple):
    """A value of the plan in one reading."""

    key: str
    lane: int | None
    reading: str
    node: Node


Signature = tuple[int, ...]


def match_rows(
    machine: MachineQuestion, plan: Plan, *, has_proofs: bool = True
) -> list[MatchedInstruction]:
    """Return every instruction of machine code with the value of a plan that it computes.

    Without proofs, every equality is one on random operands.
    """
    return _Matcher(machine, plan, has_proofs).match_all()


class _Matcher:
    def __init__(self, machine: MachineQuestion, plan: Plan, has_proofs: bool) -> None:
        self.machine, self.plan, self.has_proofs = machine, plan, has_proofs
        results = {x.key for x in plan.results}
        is_line = machine.source.program.is_line
        self.rows = [x for x in plan.rows if is_line or x.key in results]
        """The values that instructions may compute: of a block with other lines, its results."""
        self.values = machine.add_plan(plan)
        self.effects = machine.run.effects
        self.stored_halves = {
            effect.reads[-1]
            for effect in self.effects
            if effect.is_store and _stores_half(effect.ins) and effect.reads
        }
        self.samples = self._draw_samples()
        self.columns = self._evaluate()

    def _draw_samples(self) -> list[Mapping[str, int]]:
        inputs = self.machine.question.inputs
        widths = tuple(x.bits for x in inputs.values())
        draws = islice(draw_values(widths), _FIRST_SAMPLE, _FIRST_SAMPLE + _SAMPLES)
        return [dict(zip(inputs, bits, strict=True)) for bits in draws]

    def _evaluate(self) -> Mapping[Node, list[tuple[int, ...]]]:
        """Return the lanes of every value for each sample."""
        values = [x.value for effect in self.effects for x in effect.writes]
        ends = [*values, *(self.values[row.key] for row in self.rows)]
        nodes = list_needed_nodes(self.machine.question.tape.nodes, ends)
        rows = [compute_nodes(nodes, sample) for sample in self.samples]
        return {node: [row[node] for row in rows] for node in ends}

    # --- candidates -----------------------------------------------------------------------------

    def _list_candidates(self) -> dict[tuple[int, Signature], list[_Candidate]]:
        """Return the values of the plan by width and samples, in the plan's order."""
        candidates: dict[tuple[int, Signature], list[_Candidate]] = {}
        for row in self.rows:
            node = self.values[row.key]
            for lane, name, bits, signature in self._iter_signatures(node, row.lanes):
                if len(set(signature)) > 1:
                    candidate = _Candidate(row.key, lane, name, node)
                    candidates.setdefault((bits, signature), []).append(candidate)
        return candidates

    def _iter_signatures(
        self, node: Node, lanes: int
    ) -> Iterator[tuple[int | None, str, int, Signature]]:
        """Yield the lane, the reading, the width and the samples of each way to hold a value."""
        column = self.columns[node]
        for reading in _TRUTHS if node.is_truth else _NUMBERS:
            for lane in range(lanes):
                signature = tuple(reading.read(x[lane]) for x in column)
                yield lane if lanes > 1 else None, reading.name, reading.bits, signature
        if lanes > 1:
            unit = WORD_BITS // lanes
            yield None, "all lanes", WORD_BITS, tuple(_pack(x, unit) for x in column)

    # --- matches --------------------------------------------------------------------------------

    def match_all(self) -> list[MatchedInstruction]:
        candidates = self._list_candidates()
        matches = [self._match(index, candidates) for index in range(len(self.effects))]
        self._mark_predicate_accesses(matches)
        readers: dict[int, list[int]] = {}
        for index, effect in enumerate(self.effects):
            for read in effect.reads:
                readers.setdefault(read, []).append(index)
        self._follow_readers(matches, candidates, readers)
        for index in reversed(range(len(matches))):
            if matches[index].purpose is Purpose.NOTHING:
                behind = [
                    x
                    for reader in readers.get(index, ())
                    if (x := matches[reader]).purpose is not Purpose.NOTHING
                ]
                if behind:
                    matches[index] = self._make_part(matches[index], behind[0])
        return matches

    def _follow_readers(
        self,
        matches: list[MatchedInstruction],
        candidates: Mapping[tuple[int, Signature], list[_Candidate]],
        readers: Mapping[int, Sequence[int]],
    ) -> None:
        """Name the lane that an instruction is for: several may have its value."""
        for index in reversed(range(len(matches))):
            match = matches[index]
            read_lanes = {matches[reader].lane for reader in readers.get(index, ())} - {None}
            if match.purpose is not Purpose.ROW or match.lane is None or match.lane in read_lanes:
                continue
            for write, signature, _ in self._iter_written(index):
                for candidate in candidates.get((write.bits, signature), ()):
                    is_of_row = candidate.key == match.key and candidate.reading == match.reading
                    if (
                        is_of_row
                        and candidate.lane in read_lanes
                        and self._is_equal(write, candidate, match)
                    ):
                        matches[index] = match._replace(lane=candidate.lane)

    def _is_equal(
        self, write: Write[Node], candidate: _Candidate, match: MatchedInstruction
    ) -> bool:
        """Whether another lane has a written value, by a proof if the match of the lane has one."""
        return not match.is_proved or self._decide(write, candidate) is Verdict.EQUAL

    def _mark_predicate_accesses(self, matches: list[MatchedInstruction]) -> None:
        """Count the conversions of predicates from and to the words in memory as accesses."""
        source, effects = self.machine.source, self.effects
        inputs = [x for x in source.inputs if x.type is Type.PRED]
        results = {x.offset for x in source.results if x.type is Type.PRED}
        stored = {
            effect.reads[-1]: matches[index].key
            for index, effect in enumerate(effects)
            if effect.is_store and effect.place in results and effect.reads
        }
        for index in [x for x in stored if effects[x].ins.opcode == "IADD3"]:
            stored[effects[index].reads[-1]] = stored[index]  # a borrow is read as 0 or -1
        for index, effect in enumerate(effects):
            ins, role, purpose = effect.ins, "", Purpose.STORE
            if ins.opcode in _STORING_OPCODES:
                role = stored.get(index, "")
            if ins.opcode.startswith("ISETP.NE") or _writes_carry_alone(ins):
                role = next((x.role for x in inputs if self._is_operand(effect, x.name)), "")
                purpose = Purpose.LOAD
            if role:
                matches[index] = matches[index]._replace(purpose=purpose, key=role)

    def _is_operand(self, effect: MachineEffect[Node], name: str) -> bool:
        """Whether an instruction writes a predicate operand, or its opposite, for every sample."""
        truths = [x[name] for x in self.samples]
        opposites = [1 - x for x in truths]
        return any(
            [lanes[0] for lanes in self.columns[write.value]] in (truths, opposites)
            for write in effect.writes
            if write.bits == 1
        )

    def _make_part(
        self, match: MatchedInstruction, behind: MatchedInstruction
    ) -> MatchedInstruction:
        key, lane = behind.key, behind.lane
        if behind.purpose is Purpose.STORE:
            key = next(x.key for x in self.plan.results if x.role == behind.key)
        return match._replace(purpose=Purpose.PART, key=key, lane=lane)

    def _match(
        self, index: int, candidates: Mapping[tuple[int, Signature], list[_Candidate]]
    ) -> MatchedInstruction:
        effect = self.effects[index]
        ins = effect.ins
        match = MatchedInstruction(ins.offset, ins.text, Purpose.NOTHING)
        if effect.is_load or effect.is_store:
            purpose = Purpose.LOAD if effect.is_load else Purpose.STORE
            return match._replace(purpose=purpose, key=self._find_role(effect))
        if effect.origin is not MachineOrigin.OPERAND:
            purpose = (
                Purpose.ADDRESS if effect.origin is MachineOrigin.ADDRESS else Purpose.CONSTANT
            )
            return match._replace(purpose=purpose)
        for write, signature, reading in self._iter_written(index):
            for candidate in self._order_words(candidates.get((write.bits, signature), ())):
                verdict = self._decide(write, candidate) if self.has_proofs else Verdict.UNDECIDED
                if verdict is not Verdict.DIFFERENT:
                    return match._replace(
                        purpose=Purpose.ROW,
                        key=candidate.key,
                        lane=candidate.lane,
                        reading=candidate.reading or reading,
                        is_proved=verdict is Verdict.EQUAL,
                    )
        return match

    def _order_words(self, candidates: Sequence[_Candidate]) -> Sequence[_Candidate]:
        """Return candidates with a result first, if the first are lanes packed for it."""
        if not candidates or candidates[0].reading != "all lanes":
            return candidates
        results = {row.key for row in self.plan.results}
        return sorted(candidates, key=lambda x: x.key not in results)

    def _iter_written(self, index: int) -> Iterator[tuple[Write[Node], Signature, str]]:
        """Yield the writes of an instruction with their samples, and a stored half-word."""
        for write in self.effects[index].writes:
            signature = tuple(lanes[0] for lanes in self.columns[write.value])
            yield write, signature, ""
            if index in self.stored_halves:
                half = self.machine.question.tape.cast(write.value, 16, signed=False)
                yield write._replace(value=half), tuple(x & 0xFFFF for x in signature), "low half"

    def _find_role(self, effect: MachineEffect[Node]) -> str:
        slots = self.machine.source.results if effect.is_store else self.machine.source.inputs
        return next((x.role for x in slots if x.offset == effect.place), "")

    def _decide(self, write: Write[Node], candidate: _Candidate) -> Verdict:
        """Return whether a written value equals a candidate for all operands."""
        question, tape = self.machine.question, self.machine.question.tape
        expected = self._make_node(candidate, write.bits)
        if expected is write.value:
            return Verdict.EQUAL
        differs = tape.equal(tape.equal(expected, write.value), 0)
        try:
            truth = question.make_truth(differs)
            is_different = question.solver.is_possible(truth, seconds=_PROOF_SECONDS)
        except Undecided:
            return Verdict.UNDECIDED
        return Verdict.DIFFERENT if is_different else Verdict.EQUAL

    def _make_node(self, candidate: _Candidate, bits: int) -> Node:
        """Return a candidate as a node of one lane, unsigned."""
        tape, node = self.machine.question.tape, candidate.node
        cut = partial(tape.cast, signed=False)
        if candidate.reading == "all lanes":
            unit = WORD_BITS // node.lanes
            return tape.pack(cut(node, unit), unit)
        if candidate.lane is not None:
            node = tape.sum_lanes(node, (candidate.lane,), node.lanes)
        match candidate.reading:
            case "high word":
                return cut(tape.shift_right(node, WORD_BITS), WORD_BITS)
            case "low half":
                return cut(node, 16)
            case "low byte":
                return cut(node, 8)
            case "both halves":
                return tape.multiply(cut(node, 16), 0x10001)
            case "opposite":
                return tape.equal(node, 0)
            case "all ones":
                return tape.multiply(node, MASK)
            case _:
                return node if bits == 1 else cut(node, bits)


def read_value(lanes: Sequence[int], match: MatchedInstruction, bits: int) -> int | None:
    """Return a row's value in the reading of a match; None if the reading has another width.

    ``lanes`` are the lanes of the row.
    """
    if match.reading == "all lanes":
        return _pack(lanes, WORD_BITS // len(lanes)) if bits == WORD_BITS else None
    value = lanes[match.lane or 0]
    for reading in (*_TRUTHS, *_NUMBERS) if value in (0, 1) else _NUMBERS:
        if (reading.name, reading.bits) == (match.reading, bits):
            return reading.read(value)
    return None


def _pack(lanes: Sequence[int], unit: int) -> int:
    """Return the word of lanes, each cut to its width."""
    return sum((x & (1 << unit) - 1) << unit * lane for lane, x in enumerate(lanes))


def _stores_half(ins: MachineInstruction) -> bool:
    return "U16" in ins.opcode.split(".")


def _writes_carry_alone(ins: MachineInstruction) -> bool:
    """Whether an addition is only there for its carry."""
    return ins.opcode == "IADD3" and ins.operands[0].is_sink


class MachineListing(NamedTuple):
    """The machine code of a line for one target."""

    arch: str
    verdict: FormVerdict
    model: Model
    """The model whose values the instructions are compared with: the one that the code follows."""
    instructions: Sequence[MatchedInstruction]
    """Every instruction, in order; all are ``UNKNOWN`` if the code is not interpreted."""
    missing_rows: Sequence[str]
    """The keys of the documentation's rows that the code does not compute as documented."""
    names: Mapping[str, str] = {}
    """The registers as they were written, by role."""
    row_names: Mapping[str, str] = {}
    """The rows' names in a trace, by key: ``add t``."""
    values: Mapping[int, str] = {}
    """The values that each instruction writes for some operands, by its offset."""

    @property
    def instruction_count(self) -> int:
        """The instructions that compute from operands: no loads, stores, addresses, constants.

        In code that is not interpreted, all are counted.
        """
        return _count(self.instructions)

    @property
    def is_interpreted(self) -> bool:
        """Whether the purposes of the instructions are known."""
        return self.verdict.outcome is not VerdictOutcome.UNKNOWN


def count_instructions(source: KernelSource, kernel: MachineKernel) -> int | None:
    """Return the number of a line's instructions; None if the code is not interpreted.

    It is as in ``MachineListing``, without proofs.
    """
    try:
        machine = MachineQuestion(source, kernel)
    except UnknownMachineCodeError:
        return None
    plan = next(iter(group_models(source, KNOWN_MODELS)))
    return _count(match_rows(machine, plan, has_proofs=False))


def _count(instructions: Sequence[MatchedInstruction]) -> int:
    counted = (Purpose.ROW, Purpose.PART, Purpose.NOTHING, Purpose.UNKNOWN)
    return sum(x.purpose in counted for x in instructions)


def list_machine_code(
    line: str, source: KernelSource, kernel: MachineKernel, arch: str, *, timeout: float = TIMEOUT
) -> MachineListing:
    """Return the machine code of a line, compared with the model that it follows."""
    verdict = decide_line(line, source, kernel, timeout=timeout)
    model = parse_model(verdict.models[0]) if verdict.models else ISA_MODEL
    try:
        machine = MachineQuestion(source, kernel, timeout)
    except UnknownMachineCodeError:
        plain = [MatchedInstruction(x.offset, x.text, Purpose.UNKNOWN) for x in kernel.instructions]
        return MachineListing(arch, verdict, model, plain, (), source.names)
    plans = group_models(source, KNOWN_MODELS)
    plan = next(plan for plan, models in plans.items() if model in models)
    documented = next(iter(plans))
    if source.program.is_line:
        row_names = _name_rows(documented) | _name_rows(plan)
    else:
        row_names = {x.key: source.names[x.role] for x in plan.results}
    matches = match_rows(machine, plan)
    missing: list[str] = []
    if verdict.outcome is VerdictOutcome.PROVED and documented is not plan:
        followed_values, values = machine.add_plan(plan), machine.add_plan(documented)
        missing = [
            row.key
            for row in documented.rows
            if values[row.key] is not followed_values.get(row.key)
        ]
    return MachineListing(arch, verdict, model, matches, missing, source.names, row_names)


def _name_rows(plan: Plan) -> dict[str, str]:
    """Return the name of each row of a plan, with the title of its step in a trace."""
    stages = {row.stage: [x for x in plan.rows if x.stage is row.stage] for row in plan.rows}
    titles = {stage: format_stage_title(stage, tuple(rows)) for stage, rows in stages.items()}
    return {row.key: f"{titles[row.stage]} {row.name}" for row in plan.rows}
