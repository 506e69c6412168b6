"""Legal instructions that say more than they compute: shorter lines, operands that do not count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from ..engine.arrays.demand import analyse_demand
from ..engine.ir.bit_functions import (
    IDENTITY,
    INVERSE,
    ONE,
    ZERO,
    Bit,
    BitFunction,
    BitLanes,
    compute_bits,
    make_operand,
)
from ..engine.ir.tape import Op, record_plan
from ..engine.isa.entry import Group
from ..engine.micro_operations.permutation import EvaluateTable
from ..engine.semantics.lowering import lower
from ..engine.semantics.plan import Plan
from ..engine.syntax.instruction import Immediate, Instruction, Register

_GROUPS = frozenset((Group.PERMUTE, Group.FIELDS, Group.PACKED))
_MOVES = {IDENTITY: ("mov", "moves"), INVERSE: ("not", "inverts")}
"""The opcode, and what it does, for each function of a bit."""
_COMBINATIONS = {0b1000: ("and", "&"), 0b1110: ("or", "|"), 0b0110: ("xor", "^")}
"""The opcode and the sign of each function of two bits that has an opcode."""
_MASKS = {
    (ZERO, IDENTITY): ("and", "&", IDENTITY),
    (ONE, IDENTITY): ("or", "|", ONE),
    (IDENTITY, INVERSE): ("xor", "^", INVERSE),
}
"""For two kinds of bits, the opcode, its sign, and the kind at which the mask has a 1."""


class Redundancy(NamedTuple):
    """What an instruction says without effect, and a line with the same result without it."""

    rule: str
    """A key of ``CHECK_RULES``."""
    fact: str
    """What the instruction does, or does not read, as a clause."""
    line: str

    @property
    def message(self) -> str:
        """The fact and the line."""
        return f"{self.fact}: `{self.line}` does the same"


def find_redundancies(ins: Instruction) -> Iterator[Redundancy]:
    """Yield what an instruction says without effect.

    Only instructions that move or combine bits are examined, and only with a constant, a truth
    table or a repeated register.
    """
    if ins.entry.group not in _GROUPS:
        return
    variables = {str(x) for x in ins.sources if x.bits is None}
    if "d" not in ins.results or (len(variables) == len(ins.sources) and ins.form.lut is None):
        return
    plan = lower(ins.effective_form)
    bits = compute_bits(plan, {x.role: _make_operand(ins, x.role) for x in plan.sources})["d"]
    if len(plan.results) == 1 and (shorter := next(_iter_shorter_lines(ins, bits), None)):
        fact, line = shorter
        guard = f"{ins.guard} " if ins.guard else ""
        yield Redundancy("shorter", fact, f"{guard}{line};")
        return
    yield from _find_ignored_operands(ins, bits)
    yield from _find_ignored_bits(ins, plan)


def _make_operand(ins: Instruction, role: str) -> BitLanes:
    if role in ins.constants:
        return (ins.constants[role],)
    return make_operand(ins.names[role], ins.type_of(role).bits)


def _apply_table(table: int, names: Sequence[str], width: int) -> list[Bit]:
    return [BitFunction(table, tuple((x, i) for x in sorted(names))) for i in range(width)]


def _iter_shorter_lines(ins: Instruction, bits: list[Bit]) -> Iterator[tuple[str, str]]:
    """Yield what an instruction does, and a line of another opcode that does the same."""
    width, d = ins.type_of("d").bits, ins.names["d"]
    if all(x in (ZERO, ONE) for x in bits):
        value = f"{sum((x == ONE) << i for i, x in enumerate(bits)):#x}"
        yield f"{d} is always {value}", f"mov.b{width} {d}, {value}"
    words = {
        source.name: None
        for role, source in ins.roles.items()
        if isinstance(source, Register) and ins.type_of(role).bits == width
    }
    for name in words:
        for table, (opcode, verb) in _MOVES.items():
            if bits == _apply_table(table, (name,), width):
                yield f"this {verb} {name}", f"{opcode}.b{width} {d}, {name}"
        if ins.form.lut is not None:
            yield from _iter_masking_lines(name, d, bits, width)
    for x, y in combinations(words, 2):
        for table, (opcode, sign) in _COMBINATIONS.items():
            if bits == _apply_table(table, (x, y), width):
                yield f"this is {x} {sign} {y}", f"{opcode}.b{width} {d}, {x}, {y}"


def _iter_masking_lines(
    name: str, d: str, bits: list[Bit], width: int
) -> Iterator[tuple[str, str]]:
    """Yield a bitwise operation on a register and a constant that gives these bits."""
    kinds: list[object] = [
        bit.table if bit and bit.inputs == ((name, i),) else bit for i, bit in enumerate(bits)
    ]
    for pair, (opcode, sign, kind) in _MASKS.items():
        if set(kinds) == {*pair}:
            mask = f"{sum((x == kind) << i for i, x in enumerate(kinds)):#x}"
            yield f"this is {name} {sign} {mask}", f"{opcode}.b{width} {d}, {name}, {mask}"


def _find_ignored_operands(ins: Instruction, bits: list[Bit]) -> Iterator[Redundancy]:
    """Yield the registers that a truth table ignores, if there are any."""
    if ins.form.lut is None:
        return
    names = {name for x in bits if x for name, _ in x.inputs}
    roles = [
        role for role in "abc" if ins.roles[role].bits is None and ins.names[role] not in names
    ]
    if roles:
        formula = EvaluateTable(ins.form.lut).fill_formula(*map(ins.format_operand, "abc"))
        ignored = " and ".join(dict.fromkeys(ins.names[role] for role in roles))
        line = _replace_sources(ins, dict.fromkeys(roles, Immediate(0, "0")))
        fact = f"the table {ins.form.lut:#04x}, {formula}, ignores {ignored}"
        yield Redundancy("ignored", fact, line)


def _find_ignored_bits(ins: Instruction, plan: Plan) -> Iterator[Redundancy]:
    """Yield the literals of which only some low bits are read."""
    literals = {role: x for role, x in ins.roles.items() if isinstance(x, Immediate) and x.bits}
    if not literals:
        return
    for node, demand in analyse_demand(record_plan(plan)).needs.items():
        literal = literals.get(node.fixed[0]) if node.op is Op.SOURCE else None
        if literal and literal.bits >> demand.bits:
            value = literal.bits & (1 << demand.bits) - 1
            line = _replace_sources(ins, {node.fixed[0]: Immediate(value, f"{value:#x}")})
            fact = f"only the low {demand.bits} bits of {literal} count"
            yield Redundancy("ignored", fact, line)


def _replace_sources(ins: Instruction, literals: dict[str, Immediate]) -> str:
    sources = tuple(literals.get(role, source) for role, source in ins.roles.items())
    return str(replace(ins, sources=sources))
