"""A setup: an instruction and operand values, the input of every evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..engine.isa.catalog import CATALOG
from ..engine.isa.types import Role
from ..engine.isa.video_entries import C_BITS
from ..engine.records import FrozenRecord
from ..engine.semantics.models import parse_model
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Instruction
from ..engine.syntax.parser import parse
from ..engine.tracing.annotations import NOTHING, Annotations, Note
from ..engine.tracing.trace import Trace, make_trace

FIRST_OPCODE = "vadd4"
"""The instruction of the first start's example."""


class OperandOrigin(NamedTuple):
    """The source of operands that differ from the listing's run."""

    text: str
    """``step 18 of another run``."""
    values: Mapping[str, int]
    """The operands by role at the source."""


@dataclass(frozen=True, slots=True)
class Setup(FrozenRecord):
    """An instruction and operand values: the unit of editing and of undo."""

    instruction: Instruction
    line: str
    """The text of the line. While it is not legal, ``instruction`` is the last legal one."""
    values: Mapping[str, int]
    """Operand bits by role, including operands that are not in the line now."""
    model: str = "isa"
    error: PtxError | None = field(default=None, compare=False, repr=False)
    """The error in the line, which depends only on the line."""
    annotations: Annotations = NOTHING
    """The user's annotations, for exports."""
    place: tuple[int, int] | None = None
    """The program and the statement of the open listing."""
    is_detached: bool = False
    """Whether its operands come from an explanation, not from the listing."""
    edited_roles: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """The roles with values that the user edited; other values may be an example's."""
    origin: OperandOrigin | None = None
    """The source of the operand values, if known."""


def evaluate_setup(setup: Setup) -> Trace:
    """Return the evaluation of a setup on the operands that are read."""
    ins = setup.instruction
    names, read_names = ins.names, {x.name for x in ins.inputs}
    operands = {
        role: bits
        for role, bits in collect_operands(setup).items()
        if role in ins.constants or names[role] in read_names
    }
    trace = make_trace(ins, parse_model(setup.model), operands)
    notes = tuple(note for note in setup.annotations.notes if _is_in(note, trace))
    return trace.with_annotations(setup.annotations._replace(notes=notes))


def collect_operands(setup: Setup) -> dict[str, int]:
    """Return the operands that are read, and the others that have a value.

    A register in several roles has the value of the first.
    """
    ins = setup.instruction
    read_names = {x.name for x in ins.inputs}
    first: dict[str, int] = {}
    operands = dict(ins.constants)
    for role in map(str, Role):
        name = ins.names.get(role)
        if name and role not in operands and (name in read_names or role in setup.values):
            width = (1 << ins.type_of(role).bits) - 1
            value = setup.values.get(role, make_unset_bits(setup, role)) & width
            operands[role] = first.setdefault(name, value)
    return operands


def make_unset_bits(setup: Setup, role: str) -> int:
    """Return the default bits of a register. A listing shows unknown values as 0."""
    if role == Role.GUARD:
        return 1
    form, entry = setup.instruction.form, setup.instruction.entry
    keeps = (
        role == Role.C
        and (entry.find_slot("mask") or entry.find_slot("dsel"))
        and form.secop is None
    )
    return C_BITS if keeps and setup.place is None else 0


def _is_in(note: Note, trace: Trace) -> bool:
    """Whether the trace has the note's lane at its step; an edit may restore it."""
    rows = [row for row in trace.rows.values() if note.stage in (None, row.stage)]
    return any(note.lane is None or note.lane < len(row.values) for row in rows)


def make_setup(ins: Instruction, bits_by_name: Mapping[str, int], model_name: str = "isa") -> Setup:
    """Return a setup of an instruction with values by register name; others are unset."""
    values = {role: bits_by_name[name] for role, name in ins.names.items() if name in bits_by_name}
    values |= find_register_constants(ins)
    return Setup(make_canonical(ins), str(ins), values, model_name)


def make_canonical(ins: Instruction) -> Instruction:
    """Return the instruction parsed from its canonical text; registers stay constants."""
    bits = {ins.names[role]: bits for role, bits in find_register_constants(ins).items()}
    return parse(str(ins)).with_constants(bits)


def find_register_constants(ins: Instruction) -> dict[str, int]:
    """Return the bits of the registers that are constants, by role."""
    return {role: bits for role, bits in ins.constants.items() if role in ins.names}


def make_setup_of_trace(trace: Trace) -> Setup:
    """Return a setup that evaluates to the same trace."""
    ins = trace.instruction
    return Setup(make_canonical(ins), str(ins), dict(trace.operands), trace.model.name)


def make_example(opcode: str) -> Setup:
    """Return the catalog's example of an instruction."""
    ptx, values = CATALOG[opcode].example
    return make_setup(parse(ptx), values)
