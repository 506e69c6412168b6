"""Equivalent PTX with the documented result, for instructions that an erratum affects.

The documented plan of a scalar video instruction is written in plain integer instructions, which
every target computes as documented. A guarded ``set`` becomes an unguarded one
with a destination of its own, and a guarded move to d. The other instructions stay as they are,
behind a line that limits an operand to the values for which they are right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..engine.ir.tape import record_plan
from ..engine.isa.entry import Group
from ..engine.isa.types import Type
from ..engine.semantics.lowering import lower
from ..engine.syntax.instruction import Immediate, Instruction, Register
from .plain_ptx import write_plain_ptx
from .ptx_block import PtxRegister


def make_replacement(ins: Instruction) -> tuple[str, ...] | None:
    """Return the lines of a block with the documented result, or None if none is known.

    The block declares its own registers under names that the instruction does not use.
    """
    if ins.entry.group is Group.SCALAR:
        return _make_block(ins)
    write = _WRITERS.get(ins.opcode)
    return write(ins) if write and ins.errata else None


def _make_guarded_move(ins: Instruction) -> tuple[str, ...]:
    """Return the instruction without its guard, and a guarded move of its result to d."""
    prefix = f"{_prefix(ins)}w"
    type_ = f".b{ins.type_of('d').bits}"
    set_ = replace(ins, guard=None, destinations=(f"{prefix}0",))
    move = f"{ins.guard} mov{type_} {ins.names['d']}, {prefix}0;"
    return _indent((f".reg {type_} {prefix}<1>;", str(set_), move))


def _replace_field(ins: Instruction) -> tuple[str, ...] | None:
    """Return a shift that fills d with the sign of a (E15), or a field with cut operands (E16)."""
    if ins.form.is_field_outside and ins.form.stype is Type.S32:
        guard = f"{ins.guard} " if ins.guard else ""
        return _indent((f"{guard}shr.s32 {ins.names['d']}, {ins.roles['a']}, 31;",))
    roles = (x.role for x in ins.entry.operands if x.literal_range)  # literals have one byte
    registers = [role for role in roles if isinstance(ins.roles[role], Register)]
    return _limit_operands(ins, registers, "and.b32 {w}, {x}, 255;") if registers else None


def _limit_offset(ins: Instruction) -> tuple[str, ...]:
    """Return ``fns`` with an offset above -2**31: both find nothing (E17).

    The offset may be declared ``.f32``, which ``max.s32`` does not take, but ``mov.b32`` does.
    """
    return _limit_operands(ins, ("c",), "mov.b32 {w}, {x};\nmax.s32 {w}, {w}, -2147483647;")


def _limit_operands(ins: Instruction, roles: Sequence[str], limit: str) -> tuple[str, ...]:
    """Return the instruction behind lines that limit some of its operands.

    ``limit`` is the PTX that limits the operand ``{x}`` into the register ``{w}``.
    """
    prefix, lines, sources = f"{_prefix(ins)}w", list[str](), dict(ins.roles)
    for role in roles:
        name = f"{prefix}{roles.index(role)}"
        lines += limit.format(w=name, x=_format_operand(sources[role])).splitlines()
        sources[role] = Register(name)
    limited = replace(ins, sources=tuple(sources.values()))
    return _indent((f".reg .b32 {prefix}<{len(roles)}>;", *lines, str(limited)))


_WRITERS: Mapping[str, Callable[[Instruction], tuple[str, ...] | None]] = {
    "set": _make_guarded_move,
    "bfe": _replace_field,
    "bfi": _replace_field,
    "fns": _limit_offset,
}
"""The replacement of an instruction that an erratum affects, outside the scalar video group."""


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
        f"{line.operation} {', '.join(map(format_operand, (line.target, *line.sources)))};"
        for line in lines
    ]
    guard = f"{ins.guard} " if ins.guard else ""
    declarations = (
        f".reg .{type_} {prefix}{letter}<{counts[letter]}>;"
        for letter, type_ in (("t", "b64"), ("w", "b32"), ("p", "pred"))
        if counts[letter]
    )
    body = (*declarations, *texts[:-1], guard + texts[-1])
    return _indent(body)


def _indent(body: Sequence[str]) -> tuple[str, ...]:
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
