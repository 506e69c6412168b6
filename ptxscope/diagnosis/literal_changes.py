"""Literals with another number: off by one, inverted, a digit longer, in another base.

Each is tried alone: with so many numbers, pairs would explain anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ..engine.isa.types import Type
from ..engine.syntax.instruction import Immediate, Instruction
from .causes import Bits, Cause, CauseKind, ObservedCase

_NEAR_COST = 3
"""Cost of a number next to the written one, of its inverse, and of another base."""
_FAR_COST = 4
_MAX_SLIP = 8
"""The largest difference between a position or length and a near one."""
_MAX_DECIMAL = 0xFFFF
"""The largest number that is shown in decimal beside a decimal literal."""
_DECIMAL = re.compile(r"\d+", re.ASCII)
_HEXADECIMAL = re.compile(r"0[xX]([0-9a-fA-F]+)", re.ASCII)


def iter_literal_changes(ins: Instruction) -> Iterator[Cause]:
    """Yield other numbers that a programmer may have meant by each integer literal.

    The selector of ``prmt`` is left to ``literal_solver``.
    """
    if ins.form.is_field_outside:
        return  # the number decides what an assembler makes of the line
    for role, source in ins.roles.items():
        type_ = ins.type_of(role)
        is_selector = role == "c" and ins.entry.find_slot("permute_mode") is not None
        is_number = type_ is not Type.PRED and not type_.lane_type.is_float
        if not isinstance(source, Immediate) or is_selector or not is_number:
            continue
        field_range = ins.entry.get_operand(role).literal_range
        mask = field_range.high if field_range else (1 << type_.bits) - 1
        literals = dict[int, tuple[str, int]]()
        if text := _find_other_base(source.text):
            literals[int(text, 0)] = text, _NEAR_COST
        numbers = _iter_numbers(source.bits, type_, _find_width(ins, type_))
        if field_range:  # a position or a length
            numbers = chain(numbers, _iter_field_numbers(source.bits, ins.type_of("d").bits))
        for number, cost in numbers:
            literals.setdefault(number, (_format_like(source.text, number, type_.bits), cost))
        for number, (text, cost) in literals.items():
            if 0 <= number <= mask and number != source.bits:
                yield _make_literal_cause(role, source, Immediate(number, text), cost)


def _find_width(ins: Instruction, type_: Type) -> int:
    """Return the width of the result, beside which an amount is written."""
    return ins.type_of("d").bits if "d" in ins.results else type_.bits


def _find_other_base(text: str) -> str:
    """Return a number written in the other base with the same digits; empty if that is none."""
    if _DECIMAL.fullmatch(text):
        return f"0x{text}"
    match = _HEXADECIMAL.fullmatch(text)
    return match[1].lstrip("0") if match and _DECIMAL.fullmatch(match[1]) else ""


def _iter_numbers(number: int, type_: Type, width: int) -> Iterator[tuple[int, int]]:
    """Yield other numbers for a literal, with their costs, the likeliest first.

    ``width`` is that of the result.
    """
    mask = (1 << type_.bits) - 1
    for other in (number - 1, number + 1, ~number & mask):
        yield other, _NEAR_COST
    if 0 < number < width:
        yield width - number, _NEAR_COST
        yield 1 << number & mask, _FAR_COST
    if type_.signed:
        yield -number & mask, _FAR_COST
    is_ones = number & (number + 1) == 0
    for shift in (1, 4, 8):
        fill = (1 << shift) - 1 if is_ones else 0
        yield (number << shift | fill) & mask, _FAR_COST
        yield number >> shift, _FAR_COST
    if number % 8 == 0:
        yield number - 8, _FAR_COST
        yield number + 8, _FAR_COST
    if number & (number - 1) == 0:
        yield number.bit_length() - 1, _FAR_COST
    yield number * 8, _FAR_COST
    yield number // 8, _FAR_COST
    for unit in (8, 16):
        if number < 1 << unit < 1 << type_.bits:
            yield number * (mask // ((1 << unit) - 1)), _FAR_COST


def _iter_field_numbers(number: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield the other positions or lengths of a field, the nearest first."""
    for distance in range(2, width):
        cost = _NEAR_COST if distance <= _MAX_SLIP else _FAR_COST
        yield from ((x, cost) for x in (number - distance, number + distance) if 0 <= x <= width)


def _make_literal_cause(role: str, source: Immediate, literal: Immediate, cost: int) -> Cause:
    """Return the cause that replaces a literal."""

    def change_literal(operands: Bits, _: ObservedCase) -> Bits:
        return {**operands, role: literal.bits}

    return Cause(
        CauseKind.OPERAND,
        frozenset((f"value of {role}",)),
        f"with `{literal}` rather than `{source}`",
        cost,
        literals=((role, literal),),
        operands=change_literal,
    )


def _format_like(written: str, number: int, bits: int) -> str:
    """Return a number of so many bits in the base of a literal, with as many digits."""
    if _HEXADECIMAL.fullmatch(written):
        return f"{number:#0{len(written)}x}"
    signed = number - (number >> bits - 1 << bits)
    return str(signed) if abs(signed) <= _MAX_DECIMAL else f"{number:#x}"
