"""Lines of plain PTX, and the registers that hold the lanes of nodes.

A value is written when it is first read, in the form that its reader takes: a 32-bit register (w),
a 64-bit register (t), a predicate (p), or two 64-bit registers if 64 bits are too few.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...engine.ir.tape import Node, Op, get_range
from ...engine.isa.encodings import Range, get_limits
from ...engine.isa.types import Type


class PtxRegister(NamedTuple):
    """A register of the block, numbered in the order of creation, or one of an operand."""

    letter: str
    """t for 64 bits, w for 32 bits, p for a predicate."""
    name: int | str

    def __str__(self) -> str:
        """Return the operand's register, or a name that is unique in the block."""
        return self.name if isinstance(self.name, str) else f"{self.letter}{self.name}"


Operand = PtxRegister | str
"""A register, or a literal."""


class ReplacementLine(NamedTuple):
    """An instruction without a guard."""

    operation: str
    target: PtxRegister
    sources: tuple[Operand, ...]


class UnsupportedNodeError(Exception):
    """A node has no short form in plain PTX."""


MOVED_TYPES = {"p": "pred", "w": "b32", "t": "b64"}


def get_letter(type_: Type) -> str:
    """Return the letter of the registers that hold an operand."""
    return {1: "p", 64: "t"}.get(type_.bits, "w")


def drop_unread_lines(
    lines: list[ReplacementLine], result: PtxRegister
) -> tuple[ReplacementLine, ...]:
    """Return the lines on which a register depends; its own line is then the last one."""
    read_operands: set[Operand] = {result}
    kept_lines: list[ReplacementLine] = []
    takes_carry = False
    for line in reversed(lines):
        if line.target in read_operands or takes_carry:
            read_operands.update(line.sources)
            if ".cc." in line.operation and not takes_carry:
                line = line._replace(operation=line.operation.replace(".cc", ""))
            takes_carry = line.operation in ("addc.s64", "subc.s64")
            kept_lines.append(line)
    return tuple(reversed(kept_lines))


class PtxBlock:
    """The lines so far, and the registers that hold the lanes of nodes."""

    def __init__(self, operands: Mapping[str, str], writers: Mapping[Op, PtxWriter]) -> None:
        self._writers = writers
        self.operands = operands
        self.lines: list[ReplacementLine] = []
        self._registers: dict[tuple[Node, int, str], Operand] = {}
        self._pairs: dict[tuple[Node, int], tuple[Operand, Operand]] = {}
        self._widths: dict[Node, int] = {}

    def emit(self, operation: str, *sources: Operand | int, letter: str) -> PtxRegister:
        """Append an instruction and return the new register that it writes."""
        target = PtxRegister(letter, len(self.lines))
        texts = tuple(str(x) if isinstance(x, int) else x for x in sources)
        self.lines.append(ReplacementLine(operation, target, texts))
        return target

    def measure_width(self, x: Node | int) -> int:
        """Return 32 or 64 if a register of so many bits is to hold a value, else 128."""
        if isinstance(x, int):
            return 32
        if x not in self._widths:
            self._widths[x] = _measure_width(self, x)
        return self._widths[x]

    def read_value(self, x: Node | int, lane: int, form: str) -> Operand:
        """Return a value in a form, truncated to its low bits; a number is a literal."""
        if isinstance(x, int) or x.range.low == x.range.high:
            value = x if isinstance(x, int) else x.range.low
            return str(value) if form != "p" else self.emit("setp.ne.s32", value, 0, letter="p")
        x, lane = x.find_lane(lane)
        key = x, lane, form
        if key not in self._registers:
            if self.measure_width(x) > 64:
                register: Operand = self.read_pair(x, lane)[0]
            else:
                register = self._writers[x.op](self, x, lane, form)
            if isinstance(register, PtxRegister) and register.letter != form:
                self._registers.setdefault((x, lane, register.letter), register)
                register = self._convert(x, register, form)
            self._registers[key] = register
        return self._registers[key]

    def _convert(self, x: Node, register: PtxRegister, form: str) -> PtxRegister:
        if register.letter == "p":
            return self.emit(f"selp.{MOVED_TYPES[form]}", 1, 0, register, letter=form)
        if form == "p":
            return self.emit(f"setp.ne.{MOVED_TYPES[register.letter]}", register, 0, letter="p")
        if form == "w":
            return self.emit("cvt.u32.u64", register, letter="w")
        sign = "s" if x.range.low < 0 else "u"
        return self.emit(f"cvt.{sign}64.{sign}32", register, letter="t")

    def read_register(self, x: Node, lane: int, form: str) -> Operand:
        """Return a value in a form, for an instruction that takes no literals."""
        value = self.read_value(x, lane, form)
        if isinstance(value, str):
            return self.emit(f"mov.{MOVED_TYPES[form]}", value, letter=form)
        return value

    def read_pair(self, x: Node | int, lane: int) -> tuple[Operand, Operand]:
        """Return both words of a value's 128 bits."""
        if isinstance(x, int):
            return str((x & (1 << 64) - 1) - (x >> 63 & 1) * (1 << 64)), str(x >> 64)
        x, lane = x.find_lane(lane)
        if (x, lane) not in self._pairs:
            if self.measure_width(x) > 64:
                pair = _write_pair(self, x, lane)
            else:
                low = self.read_value(x, lane, "t")
                pair = low, "0" if x.range.low >= 0 else self.emit("shr.s64", low, 63, letter="t")
            self._pairs[x, lane] = pair
        return self._pairs[x, lane]


PtxWriter = Callable[[PtxBlock, Node, int, str], Operand]
"""Writes a lane of a node, preferably in a form; returns it in any."""


_RING = (Op.ADD, Op.SUBTRACT, Op.MULTIPLY, Op.NEGATIVE, Op.SHIFT_LEFT)
RELATIONS = {
    Op.LESS: "lt",
    Op.LESS_EQUAL: "le",
    Op.GREATER: "gt",
    Op.GREATER_EQUAL: "ge",
    Op.EQUAL: "eq",
    Op.NOT_EQUAL: "ne",
}


def find_sign(bits: int, *values: Range) -> str:
    """Return the sign of an integer type of ``bits`` bits that holds some ranges, or ""."""
    return next(
        (letter for letter in "su" if all(x.fits_in(bits, signed=letter == "s") for x in values)),
        "",
    )


def _measure_width(b: PtxBlock, x: Node) -> int:
    match x.op:
        case Op.SOURCE:
            return 64 if x.fixed[1].bits == 64 else 32
        case Op.CAST | Op.PACK | Op.FLOAT_BITS:
            return 32 if find_sign(32, x.range) else 64 if find_sign(64, x.range) else 128
        case Op.KEEP:
            return max(b.measure_width(y) for y in x.nodes)
        case _ if x.op in RELATIONS or x.op is Op.NOT:
            return 32
    is_narrow = all(b.measure_width(y) == 32 for y in x.args)
    values = [x.range] if x.op in _RING else [x.range, *map(get_range, x.args)]
    if is_narrow and find_sign(32, *values):
        return 32
    return 64 if find_sign(64, x.range) else 128


def choose_type(b: PtxBlock, *values: Node | int, result: Node | None = None) -> tuple[str, str]:
    """Return a form and type, t and s64 for example, that hold some values.

    Raise UnsupportedNodeError if none exists.
    """
    nodes = (*values, *([result] if result else ()))
    ranges = [get_range(x) for x in nodes]
    for bits, form in ((32, "w"), (64, "t")):
        if all(b.measure_width(x) <= bits for x in nodes) and (sign := find_sign(bits, *ranges)):
            return form, f"{sign}{bits}"
    raise UnsupportedNodeError(str(ranges))


# --- values of more than 64 bits ---------------------------------------------------------


def _write_pair(b: PtxBlock, x: Node, lane: int) -> tuple[Operand, Operand]:
    """Write a value of more than 64 bits."""
    if not x.range.fits_in(128, signed=True):
        raise UnsupportedNodeError(str(x.range))
    if x.op in (Op.ADD, Op.SUBTRACT):
        (low, high), (other_low, other_high) = (b.read_pair(y, lane) for y in x.args)
    elif x.op is Op.NEGATIVE:
        (low, high), (other_low, other_high) = ("0", "0"), b.read_pair(x.nodes[0], lane)
    elif x.op is Op.SHIFT_RIGHT and isinstance(x.args[1], int):
        return write_shifted_pair(b, x, lane)
    else:
        raise UnsupportedNodeError(f"{x.op} of {x.range}")
    name = "add" if x.op is Op.ADD else "sub"
    total = b.emit(f"{name}.cc.s64", low, other_low, letter="t")
    return total, b.emit(f"{name}c.s64", high, other_high, letter="t")


def write_shifted_pair(b: PtxBlock, x: Node, lane: int) -> tuple[Operand, Operand]:
    """Write a right shift of a value of more than 64 bits by a fixed distance."""
    y, amount = x.args
    assert isinstance(amount, int)
    low, high = b.read_pair(y, lane)
    low_part = b.emit("shr.u64", low, amount, letter="t")
    high_part = b.emit("shl.b64", high, 64 - amount, letter="t")
    shifted = b.emit("shr.s64", high, amount, letter="t")
    return b.emit("or.b64", low_part, high_part, letter="t"), shifted


def write_nearest(b: PtxBlock, x: Node, lane: int) -> PtxRegister:
    """Write the signed 64-bit number nearest to a 128-bit number."""
    low, high = b.read_pair(x, lane)
    sign = b.emit("shr.s64", low, 63, letter="t")
    is_in_range = b.emit("setp.eq.s64", sign, high, letter="p")
    negative = b.emit("shr.s64", high, 63, letter="t")
    end = b.emit("xor.b64", negative, get_limits(64, signed=True).high, letter="t")
    return b.emit("selp.b64", low, end, is_in_range, letter="t")
