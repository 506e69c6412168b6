"""Equivalent PTX with the documented result, for instructions that an erratum affects.

The documented plan of a scalar video instruction is written in plain integer instructions, which
every target computes as documented. A guarded ``set`` becomes an unguarded one
with a destination of its own, and a guarded move to d.
"""

from __future__ import annotations

import re

from ..ir.recorded_plan import record_plan
from ..isa.entry import Group
from ..records import replace
from ..semantics.lowering import lower
from ..syntax.instruction import Immediate, Instruction, Register
from .plain_ptx import write_plain_ptx
from .ptx_block import PtxRegister


def make_replacement(ins: Instruction) -> tuple[str, ...] | None:
    """Return the lines of a block with the documented result, or None if none is known.

    The block declares its own registers under names that the instruction does not use.
    """
    if ins.opcode == "set":
        return _make_guarded_move(ins) if ins.guard and ins.errata else None
    return _make_block(ins) if ins.entry.group is Group.SCALAR else None


def _make_guarded_move(ins: Instruction) -> tuple[str, ...]:
    """Return the instruction without its guard, and a guarded move of its result to d."""
    prefix = f"{_prefix(ins)}w"
    set_ = replace(ins, guard=None, destinations=(f"{prefix}0",))
    move = f"{ins.guard} mov.b32 {ins.names['d']}, {prefix}0;"
    return ("{", f"    .reg .b32 {prefix}<1>;", f"    {set_}", f"    {move}", "}")


def _make_block(ins: Instruction) -> tuple[str, ...] | None:
    """Return the documented plan in plain PTX; the last line gets the guard and writes d."""
    operands = {role: _format_operand(source) for role, source in ins.roles.items()}
    lines = write_plain_ptx(record_plan(lower(ins.form)), operands)
    if lines is None:
        return None
    prefix, names = _prefix(ins), dict[PtxRegister, str]()
    counts = {"t": 0, "w": 0, "p": 0}
    for line in lines[:-1]:
        letter = line.target.letter
        names[line.target] = f"{prefix}{letter}{counts[letter]}"
        counts[letter] += 1
    names[lines[-1].target] = ins.names["d"]

    def format_operand(x: PtxRegister | str) -> str:
        return names.get(x, str(x)) if isinstance(x, PtxRegister) else x

    texts = [
        f"{x.operation} {', '.join(map(format_operand, (x.target, *x.sources)))};" for x in lines
    ]
    guard = f"{ins.guard} " if ins.guard else ""
    declarations = (
        f".reg .{type_} {prefix}{letter}<{counts[letter]}>;"
        for letter, type_ in (("t", "b64"), ("w", "b32"), ("p", "pred"))
        if counts[letter]
    )
    body = (*declarations, *texts[:-1], guard + texts[-1])
    return ("{", *(f"    {line}" for line in body), "}")


def _prefix(ins: Instruction) -> str:
    """Return a prefix that makes t0, w0 and p0 differ from the instruction's names."""
    prefix = ""
    while any(re.fullmatch(rf"{prefix}[twp]\d+", name) for name in ins.names.values()):
        prefix += "x"
    return prefix


def _format_operand(source: Register | Immediate) -> str:
    if not isinstance(source, Immediate):
        return source.name
    return source.text if re.fullmatch(r"-?\d{1,9}", source.text) else f"{source.bits:#x}"
