"""Verdicts on legal instructions, cached for all that differ only in their registers.

Among them are redundancies: instructions that a shorter line can replace, and operands without
effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from ...engine.arrays.demand import analyse_demand
from ...engine.ir.tape import Op, record_plan
from ...engine.isa.entry import Group
from ...engine.isa.types import Type
from ...engine.micro_operations.permutation import EvaluateTable
from ...engine.semantics.lowering import lower
from ...engine.semantics.plan import Plan
from ...engine.syntax.instruction import Immediate, Instruction, Register
from ...engine.syntax.parser import scan
from ...engine.tracing.folding_bugs import describe_folded_slct, describe_lost_difference
from .bit_functions import (
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
from .counterexample import Counterexample, find_counterexample
from .statement_templates import RegisterPicker, make_picker, make_template, split_registers

_GROUPS = frozenset((Group.PERMUTE, Group.FIELDS, Group.PACKED))
_MOVES = {IDENTITY: ("mov", "moves"), INVERSE: ("not", "inverts")}
"""The opcode, and its effect in words, for each function of a bit."""
_COMBINATIONS = {0b1000: ("and", "&"), 0b1110: ("or", "|"), 0b0110: ("xor", "^")}
"""The opcode and the sign of each function of two bits that has an opcode."""
_MASKS = {
    (ZERO, IDENTITY): ("and", "&", IDENTITY),
    (ONE, IDENTITY): ("or", "|", ONE),
    (IDENTITY, INVERSE): ("xor", "^", INVERSE),
}
"""For two kinds of bits, the opcode, its sign, and the kind at which the mask has a 1."""


class Redundancy(NamedTuple):
    """A part of an instruction without effect, and a line without it that has the same result."""

    rule: str
    """A key of ``map_rules``."""
    fact: str
    """The instruction's effect, or the part that it ignores, as a clause."""
    line: str

    @property
    def message(self) -> str:
        """The fact and the line."""
        return f"{self.fact}: `{self.line}` does the same"


def find_redundancies(ins: Instruction) -> Iterator[Redundancy]:
    """Yield the parts of an instruction without effect.

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
    """Yield the effect of an instruction, and a line of another opcode with the same effect."""
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


class CachedVerdict(NamedTuple):
    """The verdict on a legal instruction in any context.

    Its numbered registers have stand-ins: ``%z0`` for the first in the text, ``%z1`` for the next.
    So statements that differ only in such names share a verdict.
    """

    instruction: Instruction
    text: str
    uses: tuple[tuple[str, str, Type], ...]
    """Role, name and type of every register."""
    pick_registers: RegisterPicker | None
    """Picks the registers in use; None if any of them has no stand-in."""
    accepted_types: set[tuple[str, ...]]
    """Some declared types of those registers that need no diagnostic."""
    version: tuple[int, int]
    target: int
    family: str
    """The family of targets that it needs: ``sm_120f``; empty if later targets have it, too."""
    notes: tuple[str, ...]
    reads_carry: bool
    writes_carry: bool
    redundancies: tuple[Redundancy, ...]
    """The parts without effect."""
    loss: str
    """Warning that constant folding drops an absolute value, or an empty string."""
    example: Counterexample | None
    replacement: str
    """Lines of the replacement; empty if none is known or no erratum shows."""


_CARRY_ROLES = ("cc", "cf")
"""The roles of the carry flag as a source and as a destination."""
_MAX_VERDICTS = 1 << 14
_VERDICTS: dict[tuple[object, ...], CachedVerdict | None] = {}
"""Verdicts by the statement's text without its numbered registers; None if it is not legal."""


def get_cached_verdict(
    text: str, constants: Mapping[str, int]
) -> tuple[CachedVerdict | None, Sequence[str]]:
    """Return the verdict on a statement, and the registers of its stand-ins.

    There are no stand-ins if the statement has a register named like one. ``constants`` are the
    bits of registers that are constants. The verdict is None if the statement is not one legal
    instruction.
    """
    key, registers = split_registers(text)
    bits: dict[str, int] = {}
    if constants:
        stand_ins = {register: f"%z{number}" for number, register in enumerate(registers)}
        bits = {stand_ins.get(x, x): constants[x] for x in constants}
        key = (*key, tuple(bits.items()))
    try:
        return _VERDICTS[key], registers
    except KeyError:
        if len(_VERDICTS) >= _MAX_VERDICTS:
            _VERDICTS.clear()
        verdict = _VERDICTS[key] = _compute_verdict(make_template(text, registers), bits)
        return verdict, registers


def _compute_verdict(text: str, constants: Mapping[str, int]) -> CachedVerdict | None:
    items = list(scan(text))
    if len(items) != 1 or items[0].instruction is None:
        return None
    return make_verdict(items[0].instruction.with_constants(constants))


def make_verdict(ins: Instruction) -> CachedVerdict:
    """Return the verdict on an instruction, possibly with stand-ins."""
    example = find_counterexample(ins)
    minimum = ins.entry.compute_minimum(ins.form)
    lines: tuple[str, ...] = ()
    if example:
        from .replacement import make_replacement  # it loads the back end for PTX

        lines = make_replacement(ins) or ()
    names = ins.written_names
    return CachedVerdict(
        ins,
        str(ins),
        tuple((role, name, ins.get_written_type(role)) for role, name in names.items()),
        make_picker([*names.values()]),
        set(),
        minimum.version,
        minimum.sm_number,
        minimum.family,
        tuple(dict.fromkeys((*ins.notes, *describe_folded_slct(ins)))),
        *_find_carry_uses(ins),
        tuple(find_redundancies(ins)),
        describe_lost_difference(ins),
        example,
        "\n".join(lines),
    )


def _find_carry_uses(ins: Instruction) -> tuple[bool, bool]:
    """Return whether an instruction reads the carry flag, and whether it writes it."""
    roles = {str(operand.role) for operand in ins.entry.operands}
    reads_carry, writes_carry = (role in roles for role in _CARRY_ROLES)
    return reads_carry, writes_carry
