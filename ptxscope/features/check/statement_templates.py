"""Statements that differ only in their numbered registers, as one text: a template."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import itemgetter

RegisterPicker = Callable[[Sequence[str]], tuple[str, ...]]
"""Function that picks some registers out of a sequence."""
_NUMBERED = re.compile(r"(%(?:r|rd|rs|rc|rl|rh|f|fd|fl|p|h|hh|b|q)?\d+)", re.ASCII)
_STAND_IN = re.compile(r"%z(\d++)", re.ASCII)


def split_registers(text: str) -> tuple[tuple[object, ...], Sequence[str]]:
    """Return what a statement shares with those of its template, and its numbered registers.

    There are none if the statement has a register named like a stand-in.
    """
    if "%" not in text or "%z" in text:
        return (text,), ()
    parts = _NUMBERED.split(text)
    registers: Sequence[str] = parts[1::2]
    key: tuple[object, ...] = tuple(parts[::2])
    if len(set(registers)) < len(registers):  # repeated registers distinguish the key
        order = [*dict.fromkeys(registers)]
        key = (*key, *map(order.index, registers))
        registers = order
    return key, registers


def make_template(text: str, registers: Sequence[str]) -> str:
    """Return a statement with stand-ins: ``%z0`` for the first of its registers."""
    numbers = {register: number for number, register in enumerate(registers)}
    return _NUMBERED.sub(lambda match: f"%z{numbers[match[0]]}", text) if registers else text


def fill_template(text: str, registers: Sequence[str]) -> str:
    """Return a template, or a message about one, with a statement's registers."""
    if not registers or "%z" not in text:
        return text
    return _STAND_IN.sub(lambda match: registers[int(match[1])], text)


def make_picker(names: Sequence[str]) -> RegisterPicker | None:
    """Return what picks the registers that some stand-ins stand for; None if others are there."""
    numbers = [int(match[1]) for name in names if (match := _STAND_IN.fullmatch(name))]
    if len(numbers) < len(names):
        return None
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda registers: tuple(registers[number] for number in numbers)
