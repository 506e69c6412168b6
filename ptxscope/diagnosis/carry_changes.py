"""Sums and products that read or write the carry, and those that were meant to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from ..engine.isa.catalog import list_shapes
from ..engine.isa.types import CARRY_REGISTER, Role
from ..engine.semantics.models import ISA_MODEL
from ..engine.semantics.plan import compute_results
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.parser import parse
from ..engine.tracing.basic_block import BasicBlock, BlockStatement, ValuePlace
from ..engine.tracing.trace import Trace
from .causes import Bits, Cause, CauseKind
from .observation import Observation

_OPCODE_COST = 2
_CARRY_OUT_COST = 3
_CARRY_ROLES = (Role.CARRY, Role.CARRY_OUT)


class CarryChange(NamedTuple):
    """An instruction that reads the carry, or writes it, unlike another."""

    instruction: Instruction
    phrase: str
    """``with `addc` rather than `add` and with `.cc```."""
    cost: int
    """Unlikelihood, from 0 to 6."""

    @property
    def cause(self) -> Cause:
        """The change as a cause of a result."""
        return Cause(CauseKind.OPCODE, frozenset(("opcode", "cc")), self.phrase, self.cost)


def iter_carry_changes(ins: Instruction) -> Iterator[CarryChange]:
    """Yield the instruction as it reads the carry or does not, and writes one or does not."""
    base = ins.opcode.removesuffix("c")
    if not any(x.reads_carry for x in list_shapes(f"{base}c")):
        return
    mnemonic, _, operands = str(replace(ins, guard=None, text="", spans={})).partition(" ")
    *modifiers, type_ = (x for x in mnemonic.split(".")[1:] if x != "cc")
    for opcode, has_carry_out in product((base, f"{base}c"), (False, True)):
        if (opcode, has_carry_out) == (ins.opcode, ins.form.cc):
            continue
        words = (opcode, *modifiers, *("cc",) * has_carry_out, type_)
        try:
            changed = parse(f"{'.'.join(words)} {operands}")
        except PtxError:  # half-words and lanes have no carry
            continue
        phrases = [f"with `{opcode}` rather than `{ins.opcode}`"] * (opcode != ins.opcode)
        if has_carry_out != ins.form.cc:
            phrases.append("with `.cc`" if has_carry_out else "without `.cc`")
        cost = _CARRY_OUT_COST if has_carry_out != ins.form.cc else _OPCODE_COST
        changed = replace(changed, guard=ins.guard, text="", spans={})
        yield CarryChange(changed, " and ".join(phrases), cost)


def iter_carry_trials(
    block: BasicBlock, statement: BlockStatement, observations: Sequence[Observation]
) -> Iterator[tuple[CarryChange, tuple[Bits, ...]] | None]:
    """Yield the tried changes of a statement's carry, with its operands; None if one is wrong."""
    for change in iter_carry_changes(statement.instruction):
        changed = _replace_instruction(block, statement.number, change.instruction)
        given = [{**changed.constants, **x.operands} for x in observations]
        roles = {x.role for x in changed.plan.sources}
        observed = {role for x in observations for role in x.observed}
        if any(roles - x.keys() for x in given) or observed - changed.results.keys():
            continue  # a carry that nothing in the block writes, or one that is observed
        results = [compute_results(changed.plan, x) for x in given]
        if not all(x.matches(y) for x, y in zip(observations, results, strict=True)):
            yield None
            continue
        traces = (Trace(changed, ISA_MODEL, x) for x in given)
        operands = tuple(x.parts[statement.number - 1].operands for x in traces)
        yield change, operands


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
