"""An interpreter of plain PTX on arrays: of just the instructions that replacements use."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[Any]
"""Every register is an array of uint64."""

_TYPES = {f"{k}{bits}": f"{n}{bits}" for k, n in (("s", "int"), ("u", "uint"), ("b", "uint"))
          for bits in (8, 16, 32, 64)} | {"pred": "uint8"}  # fmt: skip


def _as(x: Words, type_: str) -> Words:
    """The low bits of 64-bit words as a PTX type."""
    return x.astype(_TYPES[type_])


def _wide(x: Words) -> Words:
    """Any integers as 64-bit words, sign-extended where they are signed."""
    return x.astype(np.int64).view(np.uint64) if x.dtype.kind == "i" else x.astype(np.uint64)


def _shift(x: Words, amount: Words, left: bool, type_: str) -> Words:
    """PTX shifts: amounts above 63 count as 64."""
    bits = int(type_[1:])
    amount = np.minimum(_as(amount, "u32"), bits).astype(np.uint64)
    half = amount // np.uint64(2)
    value = _as(x, type_)
    for part in (half, amount - half):  # NumPy leaves a shift by all bits open
        part = part.astype(value.dtype)
        value = value << part if left else value >> part
    return value


def _carry(x: Words, y: Words, more: Words) -> tuple[Words, Words]:
    """x + y + more in 64 bits, and the carry out."""
    total = x + y
    end = total + more
    return end, ((total < x) | (end < total)).astype(np.uint64)


_TWO: dict[str, Callable[[Words, Words], Words]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul.lo": np.multiply,
    "div": np.floor_divide,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "xor": np.bitwise_xor,
    "or": np.bitwise_or,
}
_RELATIONS: dict[str, Callable[[Words, Words], Words]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _find_nth_one(mask: int, base: int, offset: int) -> int:
    """`fns` as ptxas has it: an offset of -2**31 gives 0."""
    if base > 31 or offset == 2**31:
        return 0 if offset == 2**31 else 0xFFFF_FFFF
    count = offset - 2**32 if offset >= 2**31 else offset
    if count == 0:
        return base if mask >> base & 1 else 0xFFFF_FFFF
    places = range(base, 32) if count > 0 else range(base, -1, -1)
    ones = [place for place in places if mask >> place & 1]
    return ones[abs(count) - 1] if abs(count) <= len(ones) else 0xFFFF_FFFF


class Machine:
    """Runs the lines of one block; knows only registers that were declared or given."""

    def __init__(self, registers: dict[str, Words]) -> None:
        self.registers = registers
        self.carry = np.zeros(1, np.uint64)

    def run(self, lines: tuple[str, ...]) -> None:
        assert (lines[0], lines[-1]) == ("{", "}")
        for line in lines[1:-1]:
            if declared := re.fullmatch(r"    \.reg \.(?:b64|b32|b16|pred) (\w+)<(\d+)>;", line):
                self.registers |= {
                    f"{declared[1]}{i}": np.zeros(1, np.uint64) for i in range(int(declared[2]))
                }
                continue
            parts = re.fullmatch(r"    (?:@(!?)(\S+) )?([\w.]+) ([^;]+);", line)
            assert parts, line
            operation, (to, *sources) = parts[3], parts[4].split(", ")
            value = self.execute(operation, [self.read(x) for x in sources])
            assert to in self.registers, line
            if parts[2]:
                allowed = (self.registers[parts[2]] != 0) != bool(parts[1])
                value = np.where(allowed, value, self.registers[to])
            self.registers[to] = value

    def read(self, text: str) -> Words:
        if text in self.registers:
            return self.registers[text]
        return np.array([int(text, 0) % 2**64], np.uint64)

    def execute(self, operation: str, x: list[Words]) -> Words:
        name, _, type_ = operation.rpartition(".")
        kind, *more = name.split(".")
        if kind == "mov":
            return _wide(_as(x[0], type_))
        if operation == "cvt.rn.f32.s64":
            return _wide(_as(x[0], "s64").astype(np.float64).astype(np.float32).view(np.uint32))
        if kind == "cvt":
            return _wide(_as(_wide(_as(x[0], type_)), more[0]))
        if kind == "bfe":  # ptxas takes whole registers as position and length
            width = np.uint64(int(type_[1:]))
            end = np.minimum(x[1] + x[2], width)
            left = _shift(x[0], width - end, True, f"b{type_[1:]}")
            field = _wide(_shift(left, width - end + np.minimum(x[1], end), False, type_))
            above = _wide(_shift(x[0], np.array([width - 1]), False, type_))
            field = np.where(x[1] >= width, above if type_[0] == "s" else 0, field)
            return np.asarray(np.where(x[2] == 0, 0, field))
        if kind == "bfi":
            width = np.uint64(int(type_[1:]))
            one, start = np.array([1], np.uint64), np.minimum(x[2], width)
            end = np.minimum(x[2] + x[3], width)
            above, below = (_shift(one, n, True, "b64") - one for n in (end, start))
            mask = above & ~below
            return np.asarray((x[1] & ~mask) | (_shift(x[0], start, True, "b64") & mask))
        if kind == "fns":
            words = (y & np.uint64(0xFFFF_FFFF) for y in x)
            rows = np.broadcast(*words)
            return np.array([_find_nth_one(*map(int, row)) for row in rows], np.uint64)
        if kind == "setp":
            return _wide(_RELATIONS[more[0]](_as(x[0], type_), _as(x[1], type_)))
        if kind == "selp":
            return _wide(_as(np.where(x[2] != 0, x[0], x[1]), type_))
        if kind in ("shl", "shr"):
            return _wide(_shift(x[0], x[1], kind == "shl", type_))
        if kind == "neg":
            return _wide(_as(np.uint64(0) - x[0], type_))
        if name == "mul.wide":
            return _wide(_as(x[0], type_)) * _wide(_as(x[1], type_))
        if name == "not":
            return x[0] ^ np.uint64(1)
        if kind == "abs":
            return _wide(np.abs(_as(x[0], type_)))
        if name in ("add.cc", "addc"):
            kept = self.carry if name == "addc" else np.zeros(1, np.uint64)
            total, self.carry = _carry(x[0], x[1], kept)
            return total
        if name in ("sub.cc", "subc"):
            borrow = self.carry if name == "subc" else np.zeros(1, np.uint64)
            total, carry = _carry(x[0], ~x[1], np.uint64(1) - borrow)
            self.carry = np.uint64(1) - carry
            return total
        return _wide(_TWO[name](_as(x[0], type_), _as(x[1], type_)))
