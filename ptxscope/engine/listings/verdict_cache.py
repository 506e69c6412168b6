"""What holds of a legal instruction, found once for all that differ in their registers alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

from ..isa.types import Type
from ..records import NamedTuple
from ..syntax.instruction import Instruction
from ..syntax.parser import scan
from ..tracing.folding_bugs import describe_folded_slct, describe_lost_difference
from .counterexample import Counterexample, find_counterexample
from .replacement import make_replacement

RegisterPicker = Callable[[Sequence[str]], tuple[str, ...]]
"""Takes some registers out of many."""


def _make_picker(numbers: Sequence[int]) -> RegisterPicker:
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda registers: tuple(registers[number] for number in numbers)


class RegisterTemplate(NamedTuple):
    """A text with stand-ins in it."""

    text: str
    form: str
    """The text with a ``%s`` for each stand-in."""
    written: RegisterPicker
    """What stands there, of the registers that the stand-ins stand for."""

    def fill_registers(self, registers: Sequence[str]) -> str:
        """The text with a statement's registers; as it is where there are none."""
        return self.form % self.written(registers) if registers else self.text


def _make_template(text: str) -> RegisterTemplate:
    between = _STAND_IN.split(text)
    form = "%s".join(part.replace("%", "%%") for part in between[::2])
    return RegisterTemplate(text, form, _make_picker([int(number) for number in between[1::2]]))


class CachedVerdict(NamedTuple):
    """What holds of a legal instruction wherever it stands.

    Its numbered registers are called by stand-ins: ``%z0`` for the first that is written,
    ``%z1`` for the next. So it is one for all statements that differ in such names only.
    """

    instruction: Instruction
    text: RegisterTemplate
    uses: tuple[tuple[str, str, Type], ...]
    """Role, name and type of every register."""
    used: RegisterPicker | None
    """What is used, of those registers; None where anything else is."""
    accepted_types: set[tuple[str, ...]]
    """Some declared types of what is used of which nothing is to be said."""
    version: tuple[int, int]
    target: int
    notes: tuple[str, ...]
    loss: str
    """How folding its constants loses an absolute value; empty where it does not."""
    example: Counterexample | None
    replacement: RegisterTemplate
    """Its lines; empty where none is known, or no erratum shows."""


def fill_template(text: str, registers: Sequence[str]) -> str:
    """A text of a facts with a statement's registers."""
    if not registers or "%z" not in text:
        return text
    return _STAND_IN.sub(lambda found: registers[int(found[1])], text)


_NUMBERED = re.compile(r"(%(?:r|rd|rs|rc|rl|rh|f|fd|fl|p|h|hh|b|q)?\d+)", re.ASCII)
_STAND_IN = re.compile(r"%z(\d++)", re.ASCII)
_MOST_FACTS = 1 << 14
_FACTS: dict[tuple[object, ...], CachedVerdict | None] = {}
"""Verdicts by the statement's text without its numbered registers; None: look again each time."""


def get_cached_verdict(
    text: str, constants: Mapping[str, int]
) -> tuple[CachedVerdict | None, Sequence[str]]:
    """The facts of a statement, and the registers that its stand-ins stand for.

    Where somebody calls a register as the stand-ins are, there are none. ``constants`` are the
    bits of registers that are constants.
    """
    registers: Sequence[str] = ()
    key: tuple[object, ...] = (text,)
    if "%" in text and "%z" not in text:
        between = _NUMBERED.split(text)
        registers = between[1::2]
        key = tuple(between[::2])
        if len(set(registers)) < len(registers):  # which of them are one belongs to it
            order = [*dict.fromkeys(registers)]
            key = (*key, *map(order.index, registers))
            registers = order
    bits: dict[str, int] = {}
    if constants:
        stand_ins = {register: f"%z{number}" for number, register in enumerate(registers)}
        bits = {stand_ins.get(x, x): constants[x] for x in constants}
        key = (*key, tuple(bits.items()))
    try:
        return _FACTS[key], registers
    except KeyError:
        if len(_FACTS) >= _MOST_FACTS:
            _FACTS.clear()
        numbers = {register: number for number, register in enumerate(registers)}
        told = text
        if registers:
            told = _NUMBERED.sub(lambda found: f"%z{numbers[found[0]]}", text)
        facts = _FACTS[key] = _compute_verdict(told, bits)
        return facts, registers


def _compute_verdict(text: str, constants: Mapping[str, int]) -> CachedVerdict | None:
    items = list(scan(text))
    if len(items) != 1 or items[0].instruction is None:
        return None
    return make_verdict(items[0].instruction.with_constants(constants))


def make_verdict(ins: Instruction) -> CachedVerdict:
    """Those of an instruction in which stand-ins may be written."""
    example = find_counterexample(ins)
    version, target = _compute_minimums(ins)
    lines = (example and make_replacement(ins)) or ()
    names = ins.names
    numbers = [_STAND_IN.fullmatch(name) for name in names.values()]
    return CachedVerdict(
        ins,
        _make_template(str(ins)),
        tuple((role, name, ins.type_of(role)) for role, name in names.items()),
        _make_picker([int(x[1]) for x in numbers if x]) if all(numbers) else None,
        set(),
        version,
        target,
        tuple(dict.fromkeys((*ins.notes, *describe_folded_slct(ins)))),
        describe_lost_difference(ins),
        example,
        _make_template("\n".join(lines)),
    )


def _compute_minimums(ins: Instruction) -> tuple[tuple[int, int], int]:
    """The lowest ``.version`` and ``sm_`` number that an instruction assembles with."""
    least = ins.entry.compute_minimum(ins.form)
    major, _, minor = least.ptx_isa.partition(".")
    target = re.search(r"sm_(\d+)", least.target)
    return (int(major), int(minor)), int(target[1]) if target else 0
