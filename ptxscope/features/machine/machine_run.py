"""A run of a kernel's machine code over any arithmetic, from its loads to its stores.

A value that depends on no operand is known as a number: a constant, or an address, which is
computed for one thread and one place of the arrays. Where an address meets an operand, it is a term
of unknowns: the stack pointer, the driver's values, the arrays and the thread. ptxas reads some of
them where any value will do. A result that is proved holds for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache, lru_cache, partial
from typing import Generic, NamedTuple

from ...engine.isa.types import WORD_BITS
from ...engine.micro_operations.arithmetic import EXACT, Arithmetic, V
from .bit_opcodes import BIT_OPCODES
from .comparison_opcodes import COMPARISON_OPCODES
from .machine_instruction import (
    ZERO_REGISTER,
    MachineInstruction,
    MachineKernel,
    MachineOperand,
    OperandKind,
)
from .machine_step import PAIR_BITS, MachineStep, Opcode, UnknownMachineCodeError, Write
from .sum_opcodes import SUM_OPCODES

OPCODES: tuple[Opcode, ...] = (*SUM_OPCODES, *BIT_OPCODES, *COMPARISON_OPCODES)
"""The opcodes that compute; a run itself knows the opcodes of memory and control flow."""


@lru_cache(maxsize=1 << 12)
def _find_spelling(text: str) -> tuple[Opcode, re.Match[str]] | None:
    return next(((x, match) for x in OPCODES if (match := x.spelling.fullmatch(text))), None)


def find_opcode(ins: MachineInstruction) -> tuple[Opcode, re.Match[str], int]:
    """Return the opcode of an instruction, the match of its spelling, and its count of outputs.

    Raise UnknownMachineCodeError if its meaning is not known.
    """
    if (found := _find_spelling(ins.opcode)) is None:
        raise UnknownMachineCodeError("this opcode has no known meaning", ins)
    opcode, match = found
    if (outputs := opcode.outputs.match(ins.layout)) is None:
        raise UnknownMachineCodeError("these operands have no known meaning", ins)
    return opcode, match, outputs.end()


OUTPUT, INPUT = 0x7F_0120_0000, 0x7F_4560_0000
"""The addresses of the arrays of results and operands."""
_POINTER_BYTES = 8
_SUFFIXES = frozenset(("E", "SYS", "CONSTANT", "64", "U16", "S16", "STRONG", "GPU", "CTA"))
"""The modifiers of loads and stores that are understood; ``S16`` only for loads."""
_FILES = {
    OperandKind.REGISTER: "R",
    OperandKind.UNIFORM_REGISTER: "UR",
    OperandKind.PREDICATE: "P",
    OperandKind.UNIFORM_PREDICATE: "UP",
}
_ACCESSES = frozenset(("LDG", "STG", "S2R", "S2UR", "LDC", "ULDC", "LDCU"))
"""The opcodes of memory and of special registers; any other computes."""
_IGNORED = frozenset(("EXIT", "NOP"))


class MachineOrigin(IntEnum):
    """The origin of a value; if there are several, the greatest."""

    CONSTANT = 0
    ADDRESS = 1
    """The place of the arrays, the thread's number, or a value from the driver."""
    OPERAND = 2


class MachineValue(NamedTuple, Generic[V]):
    """The contents of a register or a predicate."""

    origin: MachineOrigin
    number: int
    """The value, unless it depends on operands."""
    value: V | None = None
    """The value that depends on operands."""
    make_term: Callable[[], V] | None = None
    """Returns an address as a term of unknowns; None for its number."""


class MachineEffect(NamedTuple, Generic[V]):
    """An executed instruction, and its writes."""

    ins: MachineInstruction
    origin: MachineOrigin
    writes: tuple[Write[V], ...]
    """The words, pairs and predicates that depend on operands."""
    reads: tuple[int, ...]
    """The indexes of the effects, or of loads, whose values it read."""
    is_load: bool = False
    is_store: bool = False
    place: int = -1
    """The offset of a loaded or stored value in its array."""
    numbers: tuple[Write[int], ...] = ()
    """The other written values: constants and addresses."""


class MachineRun(Generic[V]):
    """A run of straight-line machine code.

    ``loads`` has the value and the width in bits of each operand by its offset in its array.
    ``make_unknown`` returns any value of a width, by the name of the unknown: a register that is
    read before it is written, a value of the driver, and an address, unless the run
    ``has_numbers`` for addresses. Raise UnknownMachineCodeError for code without a known meaning.
    """

    def __init__(
        self,
        kernel: MachineKernel,
        parameter_bytes: int,
        stride: int,
        loads: Mapping[int, tuple[V, int]],
        ar: Arithmetic[V],
        lift: Callable[[int], V],
        make_unknown: Callable[[str, int], V],
        thread: int,
        *,
        has_numbers: bool = False,
    ) -> None:
        self._thread, self._has_numbers = thread, has_numbers
        self._ar, self._lift, self._make_unknown = ar, lift, make_unknown
        self._loads, self._stride = loads, stride
        self._constants = kernel.constants
        self._parameters = len(kernel.constants.get(0, b"")) - parameter_bytes
        self._registers: dict[tuple[str, int], MachineValue[V]] = {}
        self._pairs: dict[int, tuple[MachineValue[V], MachineValue[V], V]] = {}
        """For the low register of a pair that is one value: both words, and the pair."""
        self._writers: dict[tuple[str, int], int] = {}
        self._read_indexes: set[int] = set()
        self.stores: dict[int, tuple[V, int]] = {}
        """The value and the width in bits of each result by its offset in its array."""
        self.effects: list[MachineEffect[V]] = []
        for ins in kernel.instructions:
            self._ins = ins
            self._run()

    # --- one instruction ------------------------------------------------------------------------

    def _refuse(self, reason: str) -> UnknownMachineCodeError:
        """Return the error that the current instruction has no known meaning."""
        return UnknownMachineCodeError(reason, self._ins)

    def _run(self) -> None:
        ins = self._ins
        name, *modifiers = ins.opcode.split(".")
        self._read_indexes = set()
        if ins.opcode in _IGNORED and ins.guard is None:
            return
        if name not in _ACCESSES:
            self._compute()
            return
        if not all(x.is_plain for x in ins.operands):
            raise self._refuse("this access has no known meaning")
        match name:
            case "LDG":
                self._load(modifiers)
            case "STG":
                self._store(modifiers)
            case "S2R" | "S2UR":
                self._read_special()
            case _:
                self._load_constant(modifiers)

    def _compute(self) -> None:
        ins = self._ins
        opcode, match, outputs = find_opcode(ins)
        origin = MachineOrigin.CONSTANT
        read_values: list[MachineValue[V]] = []

        def read_exact(x: MachineOperand, bits: int) -> tuple[int, ...]:
            nonlocal origin
            value = self._read(x, bits)
            origin = max(origin, value.origin)
            read_values.append(value)
            return (value.number,)

        exact = MachineStep(EXACT, _lift_exact, ins, outputs, read_exact)
        opcode.meaning(exact, match)
        exact.check_operands()

        if ins.opcode.startswith("R2UR") and origin is MachineOrigin.OPERAND:
            raise self._refuse("threads share a value that depends on an operand")

        @cache
        def compute_terms() -> list[V]:
            """Return the written value, over the values that were read."""
            values = iter(read_values)
            step = MachineStep(
                self._ar, self._lift, ins, outputs, lambda *_: self._take(next(values))
            )
            opcode.meaning(step, match)
            return [write.value for write in step.writes]

        is_operand = origin is MachineOrigin.OPERAND
        terms = compute_terms() if is_operand else [None] * len(exact.writes)
        is_term = not is_operand and any(x.make_term for x in read_values)
        writes = [
            (
                write.operand,
                MachineValue(
                    origin,
                    0 if is_operand else write.value[0],
                    term,
                    partial(_get_item, compute_terms, index) if is_term else None,
                ),
                write.bits,
            )
            for index, (write, term) in enumerate(zip(exact.writes, terms, strict=True))
        ]
        self._finish(writes)

    def _take(self, x: MachineValue[V]) -> V:
        """Return a value in the arithmetic of the run."""
        if x.value is not None:
            return x.value
        return x.make_term() if x.make_term else self._lift(x.number)

    def _finish(
        self, writes: list[tuple[MachineOperand, MachineValue[V], int]], *, place: int = -1
    ) -> None:
        """Write values under the guard, and note the effect."""
        final = []
        for operand, value, bits in writes:
            if not operand.is_sink:
                guarded = self._guard(operand, value, bits)
                final.append((operand, guarded, bits))
        index = len(self.effects)
        for operand, value, bits in final:
            self._write(operand, value, bits, index)
        origin = max((value.origin for _, value, _ in final), default=MachineOrigin.CONSTANT)
        self.effects.append(
            MachineEffect(
                self._ins,
                origin,
                tuple(
                    Write(operand, value.value, bits)
                    for operand, value, bits in final
                    if value.value is not None
                ),
                tuple(sorted(self._read_indexes)),
                is_load=place >= 0,
                place=place,
                numbers=tuple(
                    Write(operand, value.number, bits)
                    for operand, value, bits in final
                    if value.value is None
                ),
            )
        )

    def _guard(self, operand: MachineOperand, value: MachineValue[V], bits: int) -> MachineValue[V]:
        """Return a value that is written only if the guard holds."""
        if self._ins.guard is None:
            return value
        guard = self._read(self._ins.guard._replace(sign=""), 1)
        old = self._read(operand, bits)
        is_negated = self._ins.guard.sign == "!"
        if guard.value is None:
            return value if bool(guard.number) != is_negated else old
        new_value, old_value = self._take(value), self._take(old)
        if is_negated:
            new_value, old_value = old_value, new_value
        return MachineValue(
            MachineOrigin.OPERAND, 0, self._ar.where(guard.value, new_value, old_value)
        )

    # --- registers ------------------------------------------------------------------------------

    def _read(self, x: MachineOperand, bits: int) -> MachineValue[V]:
        """Return an operand's bits without its sign; of an immediate, with it."""
        kind = x.kind
        if kind is OperandKind.IMMEDIATE and bits > 1:
            if bits == PAIR_BITS and abs(x.number) >> WORD_BITS - 1:
                raise self._refuse("an immediate that may be extended by its sign")
            return MachineValue(MachineOrigin.CONSTANT, x.number & (1 << bits) - 1)
        if kind is OperandKind.CONSTANT and bits > 1:
            return self._read_constant(x, bits)
        is_predicate = kind in (OperandKind.PREDICATE, OperandKind.UNIFORM_PREDICATE)
        if kind not in _FILES or is_predicate != (bits == 1):
            raise self._refuse("an operand of another kind than expected")
        if x.is_sink:
            return MachineValue(MachineOrigin.CONSTANT, int(is_predicate))
        if bits == PAIR_BITS:
            return self._read_pair(x)
        return self._read_register(_FILES[kind], x.number)

    def _read_register(self, file: str, number: int) -> MachineValue[V]:
        value = self._registers.get((file, number))
        if value is None:
            if file.startswith("U"):
                raise self._refuse(f"{file}{number} is read before it is written")
            name = f"{file}{number} before it is written"
            unknown = self._make_unknown(name, 1 if file == "P" else WORD_BITS)
            value = self._registers[file, number] = MachineValue(MachineOrigin.OPERAND, 0, unknown)
        if (file, number) in self._writers:
            self._read_indexes.add(self._writers[file, number])
        return value

    def _read_pair(self, x: MachineOperand) -> MachineValue[V]:
        file = _FILES[x.kind]
        low = self._read_register(file, x.number)
        high = self._read_register(file, x.number + 1)
        origin = max(low.origin, high.origin)
        if origin is MachineOrigin.OPERAND:
            pair = self._pairs.get(x.number) if file == "R" else None
            if pair and pair[0] is low and pair[1] is high:
                return MachineValue(origin, 0, pair[2])
            return MachineValue(origin, 0, self._join(low, high))
        number = high.number << WORD_BITS | low.number
        is_term = low.make_term or high.make_term
        return MachineValue(
            origin, number, None, partial(self._join, low, high) if is_term else None
        )

    def _join(self, low: MachineValue[V], high: MachineValue[V]) -> V:
        """Return two words as one number."""
        words = self._ar.gather((self._take(low), self._take(high)), 32, ((0, 0), (1, 0)))
        return self._ar.pack(words, 32)

    def _get_half(self, x: MachineValue[V], position: int) -> V:
        """Return a word of a pair."""
        if position:
            return self._ar.shift_right(self._take(x), WORD_BITS)
        return self._ar.cast(self._take(x), WORD_BITS, signed=False)

    def _write(self, x: MachineOperand, value: MachineValue[V], bits: int, index: int) -> None:
        file = _FILES[x.kind]
        if bits != PAIR_BITS:
            self._registers[file, x.number] = value
            self._writers[file, x.number] = index
            return
        halves = [
            MachineValue(
                value.origin,
                value.number >> WORD_BITS * i & (1 << WORD_BITS) - 1,
                None if value.value is None else self._get_half(value, i),
                partial(self._get_half, value, i) if value.make_term else None,
            )
            for i in range(2)
        ]
        for position, half in enumerate(halves):
            self._registers[file, x.number + position] = half
            self._writers[file, x.number + position] = index
        if file == "R" and value.value is not None:
            self._pairs[x.number] = (halves[0], halves[1], value.value)

    # --- memory ---------------------------------------------------------------------------------

    def _read_constant(self, x: MachineOperand, bits: int) -> MachineValue[V]:
        """Return constants: of bank 0 the parameters; other values of the driver are opaque."""
        size, place = bits // 8, x.number
        if x.index_register != ZERO_REGISTER:
            index = self._read_register("R", x.index_register)
            if index.origin is MachineOrigin.OPERAND:
                raise self._refuse("a constant at a place that depends on an operand")
            place += index.number
        if x.bank == 0:
            start = place - self._parameters
            if start < 0:
                return self._make_address(f"c[0x0][{place:#x}]", None, bits)
            pointers = OUTPUT | INPUT << PAIR_BITS
            if start + size > 2 * _POINTER_BYTES:
                raise self._refuse("a parameter that does not exist")
            number = pointers >> 8 * start & (1 << bits) - 1
            return self._make_address(f"c[0x0][{place:#x}]", number, bits)
        data = self._constants.get(x.bank, b"")[place : place + size]
        if len(data) != size:
            raise self._refuse("a constant that does not exist")
        return MachineValue(MachineOrigin.CONSTANT, int.from_bytes(data, "little"))

    def _make_address(self, name: str, number: int | None, bits: int) -> MachineValue[V]:
        """Return the number of a named value, if it has one; as a term, it is unknown."""
        if self._has_numbers and number is not None:
            return MachineValue(MachineOrigin.ADDRESS, number)

        @cache
        def make_term() -> V:
            if bits <= WORD_BITS:
                return self._make_unknown(name, bits)
            words = (self._make_unknown(f"{name}, word {i}", WORD_BITS) for i in range(2))
            return self._join(*(MachineValue(MachineOrigin.OPERAND, 0, x) for x in words))

        return MachineValue(MachineOrigin.ADDRESS, number or 0, None, make_term)

    def _load_constant(self, modifiers: list[str]) -> None:
        bits = PAIR_BITS if modifiers == ["64"] else WORD_BITS
        is_known = modifiers in ([], ["64"]) and self._ins.layout in ("RC", "UC")
        if not is_known:
            raise self._refuse("this load has no known meaning")
        target, source = self._ins.operands
        self._finish([(target, self._read_constant(source, bits), bits)])

    def _read_special(self) -> None:
        target, source = self._ins.operands
        if source.text != "SR_TID.X":
            raise self._refuse("another special register than the thread's number")
        self._finish(
            [(target, self._make_address(source.text, self._thread, WORD_BITS), WORD_BITS)]
        )

    def _find_offset(self, x: MachineOperand, start: int) -> int:
        """Return the offset of an address in the thread's part of an array."""
        base = MachineOperand(OperandKind.REGISTER, x.bank)
        address = self._read(base, PAIR_BITS)
        if address.origin is MachineOrigin.OPERAND:
            raise self._refuse("an address that depends on an operand")
        offset = (
            (address.number + x.number) % (1 << PAIR_BITS) - start - self._thread * self._stride
        )
        if not 0 <= offset < self._stride:
            raise self._refuse("an address outside the arrays")
        return offset

    def _get_width(self, modifiers: list[str], layout: str) -> int:
        if self._ins.layout != layout or not _SUFFIXES.issuperset(modifiers):
            raise self._refuse("this access has no known meaning")
        return PAIR_BITS if "64" in modifiers else 16 if {"U16", "S16"} & {*modifiers} else 32

    def _load_part(self, place: int, bits: int) -> V | None:
        """Return so many bits of the operand that holds a place; None if it has fewer."""
        for start, (value, width) in self._loads.items():
            skipped = (place - start) * 8
            if 0 <= skipped <= width - bits:
                whole = self._ar.shift_right(value, skipped) if skipped else value
                return whole if width == bits else self._ar.cast(whole, bits, signed=False)
        return None

    def _load(self, modifiers: list[str]) -> None:
        bits = self._get_width(modifiers, "RM")
        target, source = self._ins.operands
        place = self._find_offset(source, INPUT)
        value = self._load_part(place, bits)
        if value is None:
            raise self._refuse("a load that is wider than its operand")
        if "S16" in modifiers:
            signed = self._ar.cast(value, 16, signed=True)
            value = self._ar.cast(signed, WORD_BITS, signed=False)
        width = max(bits, WORD_BITS)
        self._finish([(target, MachineValue(MachineOrigin.OPERAND, 0, value), width)], place=place)

    def _store(self, modifiers: list[str]) -> None:
        bits = self._get_width(modifiers, "MR")
        if self._ins.guard is not None:
            raise self._refuse("a store under a guard")
        target, source = self._ins.operands
        offset = self._find_offset(target, OUTPUT)
        self._read_indexes = set()
        value = self._take(self._read(source, max(bits, WORD_BITS)))
        self.stores[offset] = (self._ar.cast(value, bits, signed=False), bits)
        self.effects.append(
            MachineEffect(
                self._ins,
                MachineOrigin.OPERAND,
                (),
                tuple(sorted(self._read_indexes)),
                is_store=True,
                place=offset,
            )
        )

    # --- results --------------------------------------------------------------------------------

    def iter_computations(self) -> Iterator[tuple[int, MachineEffect[V]]]:
        """Yield the instructions that compute from operands, with their indexes."""
        for index, effect in enumerate(self.effects):
            is_access = effect.is_load or effect.is_store
            if effect.origin is MachineOrigin.OPERAND and not is_access:
                yield index, effect


def _lift_exact(x: int) -> tuple[int, ...]:
    return (x,)


def _get_item(compute: Callable[[], Sequence[V]], index: int) -> V:
    return compute()[index]
