"""Explanations of a block's observed result: one change in one statement, by the causes of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ...diagnosis.carry_changes import iter_carry_changes
from ...diagnosis.causes import Cause, CauseKind
from ...diagnosis.explanations import Explanation, investigate
from ...diagnosis.observation import Observation
from ...engine.isa.types import CARRY_REGISTER, Role
from ...engine.semantics.models import ISA_MODEL
from ...engine.semantics.plan import compute_results
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.basic_block import BasicBlock, BlockStatement, ValuePlace
from ...engine.tracing.evaluation import make_plan
from ...engine.tracing.trace import Trace

_CARRY_ROLES = (Role.CARRY, Role.CARRY_OUT)


class StatementExplanation(NamedTuple):
    """A change in one statement that gives the observed result of its block."""

    statement: BlockStatement
    explanation: Explanation
    """The explanation of the result that the statement must have had."""


class BlockDiagnosis(NamedTuple):
    """A block, its observations, and their explanations."""

    block: BasicBlock
    observations: Sequence[Observation]
    """The bits of the given registers and of the observed results, by the block's roles."""
    documented: Trace
    """The documented trace of the observation that is shown."""
    shown_index: int
    """Index of the first observation that contradicts the documentation, or 0."""
    explanations: tuple[StatementExplanation, ...]
    """The explanations, most likely first; empty if the documented result is observed."""
    try_count: int
    """Number of changes that were tried."""

    @property
    def is_documented(self) -> bool:
        """Whether every observed result is the documented one."""
        return not self.explanations and not self.try_count


def investigate_block(block: BasicBlock, observations: Sequence[Observation]) -> BlockDiagnosis:
    """Try every single change in each statement, with the documented evaluation of the others.

    A selector is tried with one other digit, a truth table with one other entry; if a statement's
    result is the only one that is observed, every selector and table is.
    """
    traces = [Trace(block, ISA_MODEL, x.operands) for x in observations]
    pairs = list(zip(traces, observations, strict=True))
    wrong = [i for i, (trace, x) in enumerate(pairs) if not x.matches(trace.result_by_role)]
    if not wrong:
        return BlockDiagnosis(block, observations, traces[0], 0, (), 0)
    explanations, try_count = list[StatementExplanation](), 0
    for statement in block.statements:
        diagnosis = investigate(
            statement.instruction, [_observe(x, trace, statement) for trace, x in pairs], 1
        )
        try_count += diagnosis.try_count
        explanations += (
            StatementExplanation(statement, x)
            for x in diagnosis.explanations
            if x.kind is not CauseKind.DOCUMENTED
        )
        tried = list(_iter_carry_explanations(block, statement, observations))
        try_count += len(tried)
        explanations += filter(None, tried)
    explanations.sort(key=lambda x: x.explanation.cost)
    index = wrong[0]
    return BlockDiagnosis(block, observations, traces[index], index, tuple(explanations), try_count)


def _iter_carry_explanations(
    block: BasicBlock, statement: BlockStatement, observations: Sequence[Observation]
) -> Iterator[StatementExplanation | None]:
    """Yield the statement with a carry that it reads or writes otherwise; None if that is wrong."""
    for ins, phrase, cost in iter_carry_changes(statement.instruction):
        changed = _replace_instruction(block, statement.number, ins)
        given = [{**changed.constants, **x.operands} for x in observations]
        roles = {x.role for x in changed.plan.sources}
        observed = {role for x in observations for role in x.observed}
        if any(roles - x.keys() for x in given) or observed - changed.results.keys():
            continue  # a carry that nothing in the block writes, or one that is observed
        results = [compute_results(changed.plan, x) for x in given]
        if not all(x.matches(y) for x, y in zip(observations, results, strict=True)):
            yield None
            continue
        aspects = frozenset(("opcode", "cc"))
        cause = Cause(CauseKind.OPCODE, aspects, phrase, cost)
        traces = (Trace(changed, ISA_MODEL, x) for x in given)
        operands = tuple(x.parts[statement.number - 1].operands for x in traces)
        sentence = f"The instruction gives this {phrase}."
        explanation = Explanation((cause,), ins, ISA_MODEL, operands, sentence, len(observations))
        yield StatementExplanation(statement, explanation)


def _replace_instruction(block: BasicBlock, number: int, ins: Instruction) -> BasicBlock:
    """Return a block with another instruction in one statement, which may read or write CC.CF."""
    statements, carry = list[BlockStatement](), ValuePlace(0, CARRY_REGISTER)
    for x in block.statements:
        changed = x._replace(instruction=ins) if x.number == number else x
        carries = {role for role, y in changed.instruction.names.items() if y == CARRY_REGISTER}
        reads = {role: place for role, place in x.reads.items() if role not in _CARRY_ROLES}
        if changed.instruction.guard is None:
            carries.discard(Role.CARRY_OUT)
        statements.append(changed._replace(reads={**reads, **dict.fromkeys(carries, carry)}))
        carry = changed.places.get(Role.CARRY_OUT, carry)
    places = {y for x in statements for y in x.places.values()}
    outputs = {name: x for name, x in block.outputs.items() if x in places}
    return replace(block, statements=tuple(statements), outputs=outputs)


def _observe(observation: Observation, trace: Trace, statement: BlockStatement) -> Observation:
    """Return what an observation of a block is of one of its statements."""
    operands = trace.parts[statement.number - 1].operands
    places = {
        ValuePlace(statement.number, role).key: role for role in statement.instruction.results
    }
    if observation.observed.keys() <= places.keys():
        return Observation(operands, {places[x]: y for x, y in observation.observed.items()})

    def compute_rest(result: Mapping[str, int]) -> Mapping[str, int]:
        return _compute_rest(trace, statement, result)

    return Observation(operands, observation.observed, compute_rest)


def _compute_rest(
    trace: Trace, statement: BlockStatement, result: Mapping[str, int]
) -> dict[str, int]:
    """Return the block's results by role if a statement has other results."""
    values = {ValuePlace(statement.number, role).key: bits for role, bits in result.items()}
    for later, part in list(trace.statements)[statement.number :]:
        changes = {role: values[x.key] for role, x in later.reads.items() if x.key in values}
        if changes:
            outcome = compute_results(make_plan(later.instruction), {**part.operands, **changes})
            values |= {ValuePlace(later.number, role).key: bits for role, bits in outcome.items()}
    return {**trace.result_by_role, **values}
