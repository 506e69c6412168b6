"""Sums and products that read or write the carry, and those that were meant to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from ..engine.isa.catalog import list_shapes
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.parser import parse

_OPCODE_COST = 2
_CARRY_OUT_COST = 3


class CarryChange(NamedTuple):
    """An instruction that reads the carry, or writes it, unlike another."""

    instruction: Instruction
    phrase: str
    """``with `addc` rather than `add` and with `.cc```."""
    cost: int
    """Unlikelihood, from 0 to 6."""


def iter_carry_changes(ins: Instruction) -> Iterator[CarryChange]:
    """Yield the instruction as it reads the carry or does not, and writes one or does not."""
    base = ins.opcode.removesuffix("c")
    if not any(x.reads_carry for x in list_shapes(f"{base}c")):
        return
    mnemonic, _, operands = str(replace(ins, guard=None, text="", spans={})).partition(" ")
    *modifiers, type_ = (x for x in mnemonic.split(".")[1:] if x != "cc")
    for opcode, has_carry_out in product((base, f"{base}c"), (False, True)):
        if (opcode, has_carry_out) == (ins.opcode, ins.form.cc):
            continue
        words = (opcode, *modifiers, *("cc",) * has_carry_out, type_)
        try:
            changed = parse(f"{'.'.join(words)} {operands}")
        except PtxError:  # half-words and lanes have no carry
            continue
        phrases = [f"with `{opcode}` rather than `{ins.opcode}`"] * (opcode != ins.opcode)
        if has_carry_out != ins.form.cc:
            phrases.append("with `.cc`" if has_carry_out else "without `.cc`")
        cost = _CARRY_OUT_COST if has_carry_out != ins.form.cc else _OPCODE_COST
        changed = replace(changed, guard=ins.guard, text="", spans={})
        yield CarryChange(changed, " and ".join(phrases), cost)
