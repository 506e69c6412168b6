"""Equivalent PTX with the documented result, for instructions that an erratum affects.

The documented plan of a scalar video instruction is written row by row in 64-bit integer
instructions, which every target computes as documented. A guarded ``set`` becomes an unguarded one
with a destination of its own, and a guarded move to d.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..isa.integers import Range, get_limits
from ..micro_operations.comparison import Compare
from ..micro_operations.merge import Merge, Pack
from ..micro_operations.numbers import (
    AbsoluteDifference,
    Add,
    Maximum,
    Minimum,
    Multiply,
    Negate,
    PlusOne,
    ScaleDown,
    Subtract,
)
from ..micro_operations.saturation import Clamp, Truncate
from ..micro_operations.selection import Extend, Select
from ..micro_operations.shifts import LimitAmount, ShiftLeft, ShiftRight
from ..records import NamedTuple, replace
from ..semantics.lowering import lower
from ..semantics.plan import Row
from ..syntax.instruction import Immediate, Instruction


def make_replacement(ins: Instruction) -> tuple[str, ...] | None:
    """Return the lines of a block with the documented result, or None if none is known.

    The block declares its own registers under names that the instruction does not use.
    """
    if ins.opcode == "set":
        return _make_guarded_move(ins) if ins.guard and ins.errata else None
    return _Writer(ins).write_block()


def _make_guarded_move(ins: Instruction) -> tuple[str, ...]:
    """Return the instruction without its guard, and a guarded move of its result to d."""
    prefix = f"{_prefix(ins)}w"
    set_ = replace(ins, guard=None, destinations=(f"{prefix}0",))
    move = f"{ins.guard} mov.b32 {ins.names['d']}, {prefix}0;"
    return ("{", f"    .reg .b32 {prefix}<1>;", f"    {set_}", f"    {move}", "}")


class _Value(NamedTuple):
    """A row's value: a 64-bit register and, if that is too short, the word above."""

    name: str
    high: str = ""
    """The register with bits 127:64, sign-extended; empty if 64 bits are enough."""
    unsigned: bool = False
    """Whether the 64 bits are unsigned and may exceed the signed range."""


class _PtxLine(NamedTuple):
    operation: str
    to: str
    sources: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.operation} {', '.join((self.to, *self.sources))};"


class _Writer:
    """Collects the lines of one block."""

    def __init__(self, ins: Instruction) -> None:
        self.ins = ins
        self.lines: list[_PtxLine] = []
        self.counts = {"t": 0, "w": 0, "p": 0}
        self.prefix = _prefix(ins)
        self.values: dict[str, _Value] = {}
        self.ranges: dict[str, Range] = {}

    def write_block(self) -> tuple[str, ...] | None:
        ins = self.ins
        rows = lower(ins.form).rows  # the last line gets the guard
        if ins.entry.lanes > 1 or any(type(row.micro) not in _WRITERS for row in rows):
            return None
        for row in rows:
            self.ranges[row.key] = row.range
            self.values[row.key] = _WRITERS[type(row.micro)](self, row, row.micro)
        *body, last_line = self.lines
        guard = f"{ins.guard} " if ins.guard else ""
        end = guard + str(last_line._replace(to=ins.names["d"]))
        self.counts["w"] -= 1  # the last line writes d instead of its register
        declarations = [
            f".reg .{type_} {self.prefix}{letter}<{self.counts[letter]}>;"
            for letter, type_ in (("t", "b64"), ("w", "b32"), ("p", "pred"))
            if self.counts[letter]
        ]
        return ("{", *(f"    {line}" for line in (*declarations, *map(str, body), end)), "}")

    def make_register(self, letter: str) -> str:
        self.counts[letter] += 1
        return f"{self.prefix}{letter}{self.counts[letter] - 1}"

    def emit(self, operation: str, *sources: str | int, letter: str = "t") -> str:
        """Append an instruction and return the new register that it writes."""
        name = self.make_register(letter)
        self.lines.append(_PtxLine(operation, name, tuple(map(str, sources))))
        return name

    def get_value(self, row: Row, index: int = 0) -> _Value:
        return self.values[row.inputs[index]]

    def get_word(self, key: str) -> str:
        """Return the 32-bit register of an operand or of an earlier row; move literals to one."""
        if key in self.values:
            return self.values[key].name
        source = self.ins.roles[key]
        if isinstance(source, Immediate):
            return self.emit("mov.b32", _format_immediate(source), letter="w")
        return source.name

    def get_pair(self, value: _Value) -> tuple[str, str]:
        """Return both words of a value's 128 bits."""
        if value.high:
            return value.name, value.high
        return value.name, "0" if value.unsigned else self.emit("shr.s64", value.name, 63)


def _prefix(ins: Instruction) -> str:
    """Return a prefix that makes t0, w0 and p0 differ from the instruction's names."""
    prefix = ""
    while any(re.fullmatch(rf"{prefix}[twp]\d+", name) for name in ins.names.values()):
        prefix += "x"
    return prefix


def _format_immediate(source: Immediate) -> str:
    return source.text if re.fullmatch(r"-?\d{1,9}", source.text) else f"{source.bits:#x}"


# --- a function for each kind of micro-operation -----------------------------------------


def _is_word_sized(row: Row) -> bool:
    return row.range.fits_in(64, signed=True)


def _select(w: _Writer, row: Row, micro: Select) -> _Value:
    ((_, index),) = micro.picks
    source = w.get_word(row.inputs[0])
    if micro.unit == 32:
        return _Value(source)
    return _Value(w.emit("bfe.u32", source, micro.unit * index, micro.unit, letter="w"))


def _extend(w: _Writer, row: Row, micro: Extend) -> _Value:
    kind = f"{'s' if micro.signed else 'u'}{micro.bits}"
    return _Value(w.emit(f"cvt.s64.{kind}", w.get_word(row.inputs[0])))


def _add(w: _Writer, row: Row, _: Add) -> _Value:
    return _write_sum(w, row, w.get_value(row), w.get_value(row, 1))


def _write_plus_one(w: _Writer, row: Row, _: PlusOne) -> _Value:
    return _write_sum(w, row, w.get_value(row), _Value("1", "0"))


def _write_sum(w: _Writer, row: Row, x: _Value, y: _Value) -> _Value:
    if _is_long_sized(row):
        return _Value(w.emit("add.s64", x.name, y.name), unsigned=not _is_word_sized(row))
    (low, high), (other_low, other_high) = w.get_pair(x), w.get_pair(y)
    total = w.emit("add.cc.s64", low, other_low)
    return _Value(total, w.emit("addc.s64", high, other_high))


def _is_long_sized(row: Row) -> bool:
    """Return whether 64 bits hold every value of a row, signed or unsigned."""
    return _is_word_sized(row) or row.range.fits_in(64, signed=False)


def _negate(w: _Writer, row: Row, _: Negate) -> _Value:
    x = w.get_value(row)
    if _is_word_sized(row):
        return _Value(w.emit("neg.s64", x.name))
    low, high = w.get_pair(x)
    negated = w.emit("sub.cc.s64", 0, low)
    return _Value(negated, w.emit("subc.s64", 0, high))


def _multiply(w: _Writer, row: Row, _: Multiply) -> _Value:
    product = w.emit("mul.lo.s64", w.get_value(row).name, w.get_value(row, 1).name)
    return _Value(product, unsigned=not _is_word_sized(row))


def _make_binary_writer(operation: str) -> Callable[[_Writer, Row, Any], _Value]:
    def write(w: _Writer, row: Row, _: Any) -> _Value:
        return _Value(w.emit(operation, w.get_value(row).name, w.get_value(row, 1).name))

    return write


def _minimum(w: _Writer, row: Row, _: Minimum) -> _Value:
    x, y = w.get_value(row), w.get_value(row, 1)
    name = x.name
    if x.unsigned:  # y is a word: it is below any number outside the signed range
        name = w.emit("min.u64", name, get_limits(64, signed=True).high)
    return _Value(w.emit("min.s64", name, y.name))


def _maximum(w: _Writer, row: Row, _: Maximum) -> _Value:
    x, y = w.get_value(row), w.get_value(row, 1)
    if not x.unsigned:
        return _Value(w.emit("max.s64", x.name, y.name))
    name = y.name
    if w.ranges[row.inputs[1]].low < 0:
        name = w.emit("max.s64", name, 0)
    return _Value(w.emit("max.u64", x.name, name), unsigned=True)


def _write_absolute_difference(w: _Writer, row: Row, _: AbsoluteDifference) -> _Value:
    difference = w.emit("sub.s64", w.get_value(row).name, w.get_value(row, 1).name)
    return _Value(w.emit("abs.s64", difference))


def _limit_amount(w: _Writer, row: Row, micro: LimitAmount) -> _Value:
    operation, limit = ("and.b64", 31) if micro.wrap else ("min.s64", 32)
    return _Value(w.emit(operation, w.get_value(row).name, limit))


def _shift_left(w: _Writer, row: Row, _: ShiftLeft) -> _Value:
    amount = w.emit("cvt.u32.u64", w.get_value(row, 1).name, letter="w")
    shifted = w.emit("shl.b64", w.get_value(row).name, amount)
    return _Value(shifted, unsigned=not _is_word_sized(row))


def _shift_right(w: _Writer, row: Row, _: ShiftRight) -> _Value:
    amount = w.emit("cvt.u32.u64", w.get_value(row, 1).name, letter="w")
    return _Value(w.emit("shr.s64", w.get_value(row).name, amount))


def _scale_down(w: _Writer, row: Row, micro: ScaleDown) -> _Value:
    x = w.get_value(row)
    if not x.high:
        return _Value(w.emit("shr.u64" if x.unsigned else "shr.s64", x.name, micro.amount))
    below = w.emit("shr.u64", x.name, micro.amount)
    above = w.emit("shl.b64", x.high, 64 - micro.amount)
    return _Value(w.emit("or.b64", below, above))


def _clamp(w: _Writer, row: Row, micro: Clamp) -> _Value:
    x, possible = w.get_value(row), w.ranges[row.inputs[0]]
    kind, name = "u64" if x.unsigned else "s64", _write_nearest(w, x) if x.high else x.name
    if micro.low is not None and possible.low < micro.low:
        name = w.emit("max.s64", name, micro.low)
    if micro.high is not None and possible.high > micro.high:
        name = w.emit(f"min.{kind}", name, micro.high)
    return _Value(name)


def _write_nearest(w: _Writer, x: _Value) -> str:
    """Write the signed 64-bit number nearest to a 128-bit number; return its register."""
    sign = w.emit("shr.s64", x.name, 63)
    is_in_range = w.emit("setp.eq.s64", sign, x.high, letter="p")
    negative = w.emit("shr.s64", x.high, 63)
    end = w.emit("xor.b64", negative, get_limits(64, signed=True).high)
    return w.emit("selp.b64", x.name, end, is_in_range)


def _compare(w: _Writer, row: Row, micro: Compare) -> _Value:
    predicate = w.emit(
        f"setp.{micro.cmp}.s64", w.get_value(row).name, w.get_value(row, 1).name, letter="p"
    )
    return _Value(w.emit("selp.b64", 1, 0, predicate))


def _truncate(w: _Writer, row: Row, _: Truncate) -> _Value:
    return _Value(w.emit("cvt.u32.u64", w.get_value(row).name, letter="w"))


def _merge(w: _Writer, row: Row, micro: Merge) -> _Value:
    word = w.emit("cvt.u32.u64", w.get_value(row).name, letter="w")
    shift = micro.unit * micro.lanes[0]
    return _Value(w.emit("bfi.b32", word, w.get_word(row.inputs[1]), shift, micro.unit, letter="w"))


def _write_pack(w: _Writer, row: Row, _: Pack) -> _Value:
    return w.get_value(row)


_WRITERS: dict[type, Callable[[_Writer, Row, Any], _Value]] = {
    Select: _select,
    Extend: _extend,
    Add: _add,
    Subtract: _make_binary_writer("sub.s64"),
    Multiply: _multiply,
    AbsoluteDifference: _write_absolute_difference,
    Minimum: _minimum,
    Maximum: _maximum,
    LimitAmount: _limit_amount,
    ShiftLeft: _shift_left,
    ShiftRight: _shift_right,
    ScaleDown: _scale_down,
    Negate: _negate,
    PlusOne: _write_plus_one,
    Clamp: _clamp,
    Compare: _compare,
    Merge: _merge,
    Pack: _write_pack,
    Truncate: _truncate,
}
