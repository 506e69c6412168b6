"""Edits: functions that return a changed setup."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import chain, zip_longest
from operator import eq
from typing import TYPE_CHECKING

from ..engine.isa.catalog import CATALOG, find_shapes, find_violations, get_entry, with_slot
from ..engine.isa.encodings import cast, decode_float, encode_float
from ..engine.isa.entry import Entry
from ..engine.isa.types import Form, Role, Selector, Type
from ..engine.micro_operations.properties import Stage
from ..engine.syntax.asm_bindings import parse_pasted
from ..engine.syntax.errors import PtxError
from ..engine.syntax.instruction import Guard, Immediate, Instruction, Register
from ..engine.syntax.parser import parse
from ..engine.tracing.annotations import NOTHING, Annotations, Note
from .setup import (
    Setup,
    collect_operands,
    find_register_constants,
    make_canonical,
    make_example,
    make_setup,
    make_unset_bits,
)
from .slot_choices import ChoiceError, find_slot, with_digit, with_lane_toggled

if TYPE_CHECKING:
    from random import Random

    from ..diagnosis.explanations import Explanation

Sources = Mapping[str, Register | Immediate]

_EDGE_CASES = {
    1: (0, 1),
    16: (0x7FFF, 0x8000, 0xFFFF, 0x0080),
    32: (0x7F7F7F7F, 0x80808080, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80FF7F01),
    64: (0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF),
}
"""Integer edge cases, by width in bits; ``list_edge_cases`` names them."""


def _is_c_kept(form: Form) -> bool:
    """Whether bits of c appear unchanged in the result."""
    return form.secop is None and (form.dsel is not None or form.mask is not None)


@cache
def _list_example_bits() -> frozenset[int]:
    """Return 0 and the values of c in examples that add or compare c."""
    examples = [entry.example for entry in CATALOG.values()]
    return frozenset(
        {0} | {values.get("c", 0) for ptx, values in examples if not _is_c_kept(parse(ptx).form)}
    )


def _with_new_c(setup: Setup, old: Instruction) -> Setup:
    """Drop c's example value once the result keeps bits of c, so that they are recognisable."""
    is_kept = _is_c_kept(setup.instruction.form)
    if _is_c_kept(old.form) or not is_kept or setup.place is not None:
        return setup
    if "c" in setup.edited_roles or setup.values.get("c") not in _list_example_bits():
        return setup
    return replace(setup, values={role: x for role, x in setup.values.items() if role != "c"})


def with_line(setup: Setup, text: str) -> Setup:
    """Return the setup with another line and, if the line is legal, its instruction.

    A register of the old line keeps its value; a new one takes the value of its operand.
    """
    try:
        ins = parse_pasted(text)
    except PtxError as error:
        return replace(setup, line=text, error=error)
    moved_setup, old_ins = _with_moved_values(setup, ins), setup.instruction
    values = {**moved_setup.values, **find_register_constants(ins)}
    new_setup = replace(moved_setup, instruction=ins, line=text, values=values, error=None)
    return _with_new_c(_without_foreign_notes(new_setup, old_ins), old_ins)


def _with_moved_values(setup: Setup, ins: Instruction) -> Setup:
    """Move the values of registers to their roles in an instruction."""
    old_ins, operands = setup.instruction, collect_operands(setup)
    old_roles = {old_ins.names[role]: role for role in [*operands][::-1] if role in old_ins.names}
    roles = {ins.names[role]: role for role in [*map(str, Role)][::-1] if role in ins.names}
    moves = {
        role: old_roles[name]
        for name, role in roles.items()
        if old_roles.get(name, role) != role
        and (ins.type_of(role) is Type.PRED) == (old_ins.type_of(old_roles[name]) is Type.PRED)
    }
    values = {role: operands[old_role] for role, old_role in moves.items()}
    edited_roles = {role for role, old_role in moves.items() if old_role in setup.edited_roles}
    return replace(
        setup,
        values={**setup.values, **values},
        edited_roles=setup.edited_roles - moves.keys() | edited_roles,
    )


def with_instruction(setup: Setup, ins: Instruction) -> Setup:
    """Return the setup with another instruction and its line; values as in ``with_line``."""
    return _with_new_c(_on_line(_with_moved_values(setup, ins), ins), setup.instruction)


def _on_line(setup: Setup, ins: Instruction) -> Setup:
    new_setup = replace(setup, instruction=make_canonical(ins), line=str(ins), error=None)
    return _without_foreign_notes(new_setup, setup.instruction)


def _without_foreign_notes(setup: Setup, old: Instruction) -> Setup:
    """Drop title, caption and notes if they were written for another opcode."""
    is_same = setup.instruction.opcode == old.opcode
    return setup if is_same else replace(setup, annotations=NOTHING)


def with_form(setup: Setup, form: Form) -> Setup:
    """Return the setup with another form of the same instruction.

    The operands are unchanged if the form allows them. Otherwise registers with the same numbers
    replace the literals, or registers named after their roles replace all operands.
    """
    ins = setup.instruction
    with suppress(PtxError):
        operands = make_instruction(form, ins.destinations, ins.roles, ins.guard)
        return with_instruction(setup, operands)
    literals = {role: x.bits for role, x in ins.roles.items() if isinstance(x, Immediate)}
    used_names = {*ins.names.values()}
    registers = {
        role: Register(next(x for x in (role, f"{role}1", f"{role}2") if x not in used_names))
        for role in literals
    }
    operands = make_instruction(form, ins.destinations, {**ins.roles, **registers}, ins.guard)
    values = {
        role: _refit_bits(bits, ins.type_of(role), operands.type_of(role))
        for role, bits in literals.items()
        if role in operands.roles
    }
    with suppress(PtxError):
        return with_instruction(replace(setup, values={**setup.values, **values}), operands)
    # a register cannot have the type that the form needs
    return with_instruction(setup, make_instruction(form, (), {}, ins.guard))


def with_choice(setup: Setup, slot: str, value: object) -> Setup:
    """Return the setup with one slot of the form changed.

    If only another shape of the opcode has the value, the form has that shape; operands whose
    values do not fit, or are an example's, take the values of the shape's example.
    """
    ins = setup.instruction
    shapes = find_shapes(ins.form, slot, value)
    if not shapes:
        return with_form(setup, with_slot(ins.form, slot, value))
    forms = [adapt_form(ins.form, shape, {slot: value}) for shape in shapes]
    form = max(forms, key=lambda x: sum(map(eq, x, ins.form)))
    if setup.place is None and setup.values == _make_shape_example(ins.entry).values:
        setup = replace(setup, values={})
    return _with_example_values(with_form(setup, form), ins)


def with_mask_lane(setup: Setup, lane: int) -> Setup:
    """Return the setup with a lane of the mask toggled. Raise ChoiceError for an empty mask."""
    form = setup.instruction.form
    return with_choice(setup, "mask", with_lane_toggled(form, find_slot(form, "mask"), lane))


def with_part(setup: Setup, name: str, lane: int, digit: int, unit: int = 0) -> Setup:
    """Return the setup with another byte or half-word for a lane of ``asel`` or ``bsel``.

    A digit counts the parts of a, then those of b. For a scalar instruction it counts the operand's
    parts, of ``unit`` bits or, if 0, of the current width. Raise ChoiceError if the part does not
    exist.
    """
    form = setup.instruction.form
    slot, selector = find_slot(form, name), form.get(name)
    if get_entry(form).lanes > 1:
        return with_choice(setup, name, with_digit(form, slot, lane, digit))
    unit = unit or (selector.unit if isinstance(selector, Selector) else 8)
    if digit >= 32 // unit:
        last = 32 // unit - 1
        raise ChoiceError(f"{digit} is out of range: {name} takes part 0 to {last} of {name[0]}")
    return with_choice(setup, name, Selector(unit, (digit,)))


def with_opcode(setup: Setup, opcode: str) -> Setup:
    """Return the setup with another instruction, which keeps all common choices.

    An instruction of another shape opens on its example; so does any instruction after an unedited
    example.
    """
    old_instruction, entry = setup.instruction, CATALOG[opcode]
    if old_instruction.opcode == opcode:
        return setup
    untouched = setup == replace(make_example(old_instruction.opcode), model=setup.model)
    if untouched or (old_instruction.entry.group, old_instruction.entry.lanes) != (
        entry.group,
        entry.lanes,
    ):
        return replace(make_example(opcode), model=setup.model)
    form = adapt_form(old_instruction.form, entry)
    same_sort = (form.dst is None) == (old_instruction.form.dst is None)
    names = old_instruction.destinations if same_sort else ()
    try:
        new_setup = with_instruction(
            setup, make_instruction(form, names, old_instruction.roles, old_instruction.guard)
        )
    except PtxError:  # a register cannot have the type that the instruction needs
        return replace(make_example(opcode), model=setup.model)
    return _with_example_values(new_setup, old_instruction)


def _make_shape_example(entry: Entry) -> Setup:
    ptx, bits_by_name = entry.example
    return make_setup(parse(ptx), bits_by_name)


def _with_example_values(setup: Setup, old_instruction: Instruction) -> Setup:
    """Return the setup with example values for operands without a value, or with another type.

    In a listing the setup is unchanged: unknown values are shown as 0.
    """
    if setup.place is not None:
        return setup
    ins = setup.instruction
    example = _make_shape_example(ins.entry)
    fresh: dict[str, int] = {
        role: _refit_bits(
            example.values[role], example.instruction.type_of(role), ins.type_of(role)
        )
        for role in (x.role for x in ins.entry.sources)
        if role in ins.names
        and role in example.values
        and not _is_value_kept(setup, old_instruction, role)
    }
    return replace(setup, values={**setup.values, **fresh}) if fresh else setup


def _is_value_kept(setup: Setup, old_instruction: Instruction, role: Role) -> bool:
    """Whether an operand's value, or its literal, has the same meaning in a new instruction."""
    new_type, value = setup.instruction.type_of(role), setup.values.get(role)
    if value is None:
        return make_unset_bits(setup, role) != 0
    is_representable = value >> new_type.bits == 0
    if role not in old_instruction.roles:
        return is_representable and not new_type.is_float
    old_type = old_instruction.type_of(role)
    if new_type.is_float or old_type.is_float:
        return new_type.is_float and old_type.is_float and new_type.bits == old_type.bits
    return is_representable and (new_type is Type.PRED) == (old_type is Type.PRED)


def _refit_bits(bits: int, old_type: Type, new_type: Type) -> int:
    """Convert a float to another type; an integer or a predicate keeps its bits."""
    if not new_type.is_float or new_type is old_type:
        return bits & ((1 << new_type.bits) - 1)
    number = (
        decode_float(bits, old_type)
        if old_type.is_float
        else float(cast(bits, old_type.bits, old_type.signed))
    )
    return encode_float(number, new_type)


def adapt_form(form: Form, entry: Entry, chosen: Mapping[str, object] | None = None) -> Form:
    """Return a form of an entry with the chosen values and, if legal, another form's values.

    Missing required choices come from the entry's example.
    """
    choices = parse(entry.example[0]).form
    for slot in entry.slots:
        if slot.is_optional:
            choices = with_slot(choices, slot.name, slot.absent)
    for name, value in (chosen or {}).items():
        choices = _repair(with_slot(choices, name, value), entry, name)
    for slot in entry.slots:
        value = form.get(slot.name)
        is_absent = value == slot.absent if slot.is_optional else value not in slot.values
        if is_absent or slot.name in (chosen or {}):
            continue
        changed_form = with_slot(choices, slot.name, value)
        if get_entry(changed_form) is entry and not find_violations(changed_form):
            choices = changed_form
    return choices


def _repair(form: Form, entry: Entry, kept_slot: str) -> Form:
    """Return the form if it is legal, or a legal one with another slot changed."""
    changes = (
        with_slot(form, slot.name, value)
        for slot in entry.slots
        if slot.name != kept_slot
        for value in slot.values
    )
    forms = (x for x in chain((form,), changes) if get_entry(x) is entry)
    return next(x for x in forms if not find_violations(x))


def make_instruction(
    form: Form, destinations: tuple[str | None, ...], sources: Sources, guard: Guard | None
) -> Instruction:
    """Return an instruction of a form; unnamed operands are named after their roles."""
    entry = get_entry(form)
    roles = form.dst.names if form.dst else ("d",)
    if (
        "p" in roles and entry.destinations[0].role is Role.D
    ):  # a number's name can't be a predicate's
        names_written = tuple(
            (role and name) or role for role, name in zip_longest(roles, destinations[: len(roles)])
        )
    else:
        names = iter([name for name in destinations if name is not None])
        names_written = tuple(role and next(names, role) for role in roles)
    operands = []
    for operand in entry.sources:
        if operand.role != "c" or form.c:
            source = sources.get(operand.role) or Register(operand.role)
            literal = isinstance(source, Immediate)
            operands.append(
                Register(operand.role) if literal and not entry.can_take_immediates else source
            )
    return Instruction(form, names_written, tuple(operands), guard)


def with_value(setup: Setup, role: str, bits: int) -> Setup:
    """Return the setup with another value of an operand's register, in all its roles."""
    names = setup.instruction.names
    roles_of_name = [x for x, name in names.items() if name == names.get(role)] or [role]
    return _with_bits(setup, dict.fromkeys(roles_of_name, bits))


def _with_bits(setup: Setup, bits: Mapping[str, int]) -> Setup:
    edited_roles = setup.edited_roles | bits.keys()
    return replace(setup, values={**setup.values, **bits}, edited_roles=edited_roles)


def with_registers(setup: Setup, values: Mapping[str, int]) -> Setup:
    """Return the setup with other values of registers, by name."""
    names = setup.instruction.names
    return _with_bits(setup, {x: values[name] for x, name in names.items() if name in values})


def find_changed_registers(old: Setup, new: Setup) -> list[str]:
    """Return the registers with changed values; none if the instruction changed."""
    if old.instruction != new.instruction:
        return []
    names = new.instruction.names
    return [name for role, name in names.items() if old.values.get(role) != new.values.get(role)]


def with_literal(setup: Setup, role: str, bits: int) -> Setup:
    """Return the setup with another literal as an operand."""
    ins = setup.instruction
    sources = {**ins.roles, role: Immediate(bits, hex(bits))}
    return with_instruction(setup, make_instruction(ins.form, ins.destinations, sources, ins.guard))


def with_annotations(setup: Setup, annotations: Annotations) -> Setup:
    """Return the setup with another title, caption and notes."""
    return replace(setup, annotations=annotations)


def with_step_note(setup: Setup, stage: Stage, text: str) -> Setup:
    """Return the setup with one note on a step; an empty text removes its notes."""
    other_notes = [x for x in setup.annotations.notes if x.stage is not stage or x.lane is not None]
    fresh = [Note(text.strip(), stage)] if text.strip() else []
    return with_annotations(setup, setup.annotations._replace(notes=(*other_notes, *fresh)))


def with_model(setup: Setup, name: str) -> Setup:
    """Return the setup under another model."""
    return replace(setup, model=name)


def with_explanation(setup: Setup, explanation: Explanation) -> Setup:
    """Return the setup with an explanation's instruction, model and operands."""
    values = {**setup.values, **explanation.operands[explanation.shown_index]}
    new_setup = replace(setup, values=values, model=explanation.model.name, is_detached=True)
    return _on_line(new_setup, explanation.instruction)


def swap_operands(setup: Setup) -> Setup:
    """Return the setup with the values of a and b exchanged."""
    values = {**setup.values}
    values["a"], values["b"] = values.get("b", 0), values.get("a", 0)
    return replace(setup, values=values)


def randomize_values(setup: Setup, rng: Random) -> Setup:
    """Return the setup with random source values: any bits, or edge cases."""
    values = {**setup.values}
    for operand in setup.instruction.inputs:
        width = operand.type.bits
        bits = rng.getrandbits(width)
        if rng.random() < 0.3:
            bits = rng.choice(_EDGE_CASES[width])
        values |= dict.fromkeys(operand.roles, bits)
    return replace(setup, values=values)


def list_edge_cases(type_: Type, lanes: int) -> tuple[tuple[str, int], ...]:
    """Return named edge cases for an operand's type and number of lanes."""
    if type_ is Type.PRED:
        return (("false", 0), ("true", 1))
    width = type_.bits
    top = 1 << (width - 1)
    if type_.is_float:
        fraction = 23 if width == 32 else 52
        infinity = (top - 1) >> fraction << fraction
        smallest_float = ((1 << (width - 2 - fraction)) - 1) << fraction
        return (
            ("0.0", 0),
            ("-0.0", top),
            ("1.0", smallest_float),
            ("-1.0", top | smallest_float),
            ("smallest subnormal", 1),
            ("largest subnormal", (1 << fraction) - 1),
            ("negative subnormal", top | 1),
            ("inf", infinity),
            ("-inf", top | infinity),
            ("NaN", infinity | 1 << (fraction - 1)),
            ("signalling NaN", infinity | 1),
        )
    unit = width // lanes
    ones = sum(1 << unit * lane for lane in range(lanes))
    high = 1 << (unit - 1)
    prefix = "each lane " if lanes > 1 else ""
    return (
        ("0", 0),
        (f"{prefix}1", ones),
        (f"{prefix}{high - 1:#x}", ones * (high - 1)),
        (f"{prefix}{high:#x}", ones * high),
        (f"{prefix}{2 * high - 1:#x}", ones * (2 * high - 1)),
        *((("0x80ff7f01", 0x80FF7F01),) if lanes == 4 else ()),
    )
