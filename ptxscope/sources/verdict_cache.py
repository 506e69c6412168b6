"""Verdicts on legal instructions, cached for all that differ only in their registers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from ..engine.isa.types import Type
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.parser import scan
from ..engine.tracing.folding_bugs import describe_folded_slct, describe_lost_difference
from .counterexample import Counterexample, find_counterexample
from .redundancy import Redundancy, find_redundancies

RegisterPicker = Callable[[Sequence[str]], tuple[str, ...]]
"""Function that picks some registers out of a sequence."""


def _make_picker(numbers: Sequence[int]) -> RegisterPicker:
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda registers: tuple(registers[number] for number in numbers)


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
    """What it says without effect."""
    loss: str
    """Warning that constant folding drops an absolute value, or an empty string."""
    example: Counterexample | None
    replacement: str
    """Lines of the replacement; empty if none is known or no erratum shows."""


def fill_template(text: str, registers: Sequence[str]) -> str:
    """Return a text of a verdict with a statement's registers."""
    if not registers or "%z" not in text:
        return text
    return _STAND_IN.sub(lambda match: registers[int(match[1])], text)


_NUMBERED = re.compile(r"(%(?:r|rd|rs|rc|rl|rh|f|fd|fl|p|h|hh|b|q)?\d+)", re.ASCII)
_STAND_IN = re.compile(r"%z(\d++)", re.ASCII)
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
    registers: Sequence[str] = ()
    key: tuple[object, ...] = (text,)
    if "%" in text and "%z" not in text:
        parts = _NUMBERED.split(text)
        registers = parts[1::2]
        key = tuple(parts[::2])
        if len(set(registers)) < len(registers):  # repeated registers distinguish the key
            order = [*dict.fromkeys(registers)]
            key = (*key, *map(order.index, registers))
            registers = order
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
        numbers = {register: number for number, register in enumerate(registers)}
        template_text = text
        if registers:
            template_text = _NUMBERED.sub(lambda match: f"%z{numbers[match[0]]}", text)
        verdict = _VERDICTS[key] = _compute_verdict(template_text, bits)
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
    numbers = [_STAND_IN.fullmatch(name) for name in names.values()]
    return CachedVerdict(
        ins,
        str(ins),
        tuple((role, name, ins.get_written_type(role)) for role, name in names.items()),
        _make_picker([int(x[1]) for x in numbers if x]) if all(numbers) else None,
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
