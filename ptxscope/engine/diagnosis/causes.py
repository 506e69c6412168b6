"""What may lie behind an unexpected result: single changes, as data.

A cause changes slots of the form, the model, the operands, or how the result was read. Each
slot of the catalog gives its own causes, so a new modifier needs only a weight here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from ..isa.catalog import CATALOG
from ..isa.entry import Group, Place, Slot
from ..isa.form import Form
from ..isa.integers import cast
from ..isa.legality import with_c
from ..isa.types import Type
from ..semantics.errata import Erratum
from ..semantics.misconceptions import BELIEFS, HABITS
from ..semantics.models import PTXAS_MODELS, Model
from ..text.constants import bits_float, float_bits
from ..text.instruction import Instruction, Literal, Register
from ..text.values import hex_text
from .observation import Observation
from .twins import carried, twins

Bits = Mapping[str, int]
"""Operands or results by role."""


class Kind(StrEnum):
    """What sort of explanation it is."""

    DOCUMENTED = "documented"
    PTXAS = "ptxas"
    MODIFIER = "modifier"
    OPCODE = "opcode"
    SELECTOR = "selector"
    OPERAND = "operand"
    READING = "reading"
    HABIT = "habit"
    COMBINATION = "combination"


class Seen(NamedTuple):
    """An observation beside the documented result."""

    observation: Observation
    documented: Bits


class Cause(NamedTuple):
    """One change that may explain a result."""

    kind: Kind
    axes: frozenset[str]
    """What it decides: two causes that share an axis are never combined."""
    phrase: str
    """Completes "the instruction gives this …"."""
    weight: int
    """How far-fetched it is: 0 what is certain to happen, 6 what seldom does."""
    slots: tuple[tuple[str, object], ...] = ()
    """Slots of the form and their other values."""
    errata: tuple[Erratum, ...] = ()
    """Errata or habits that are switched on."""
    model: Model | None = None
    """The assembler whose answer it is."""
    operands: Callable[[Bits, Seen], Bits] | None = None
    """Other operands, by role."""
    swap: bool = False
    """Whether these operands are a and b, exchanged."""
    reading: Callable[[Bits], Bits] | None = None
    """Another reading of the result, by role."""
    guard: bool = False
    """Whether the guard is read the other way."""

    @property
    def lowered(self) -> bool:
        """Whether it changes the plan rather than the values."""
        return bool(self.slots or self.errata or self.guard)


def causes(ins: Instruction, roles: frozenset[str], unordered: bool = False) -> tuple[Cause, ...]:
    """Every single cause for an instruction, but the selectors that are solved.

    ``roles`` are the sources whose values are known; ``unordered`` says that one that is
    compared was a NaN.
    """
    found = [*_models(ins), *_types(ins), *_slots(ins, unordered), *_opcodes(ins)]
    found += [*_habits(), *_guards(ins)]
    return (*found, *_operands(ins, roles), *_readings(ins))


# --- the instruction ---------------------------------------------------------------------

WEIGHTS = {
    "sat": 1,
    "dtype": 2,
    "atype": 2,
    "btype": 2,
    "stype": 2,
    "ftz": 1,
    "mode": 2,
    "po": 2,
    "scale": 2,
    "nega": 2,
    "negb": 2,
    "negc": 2,
    "ctype": 3,
    "boolop": 3,
    "secop": 3,
    "dsel": 3,
    "mask": 3,
    "asel": 3,
    "bsel": 3,
    "cmp": 4,
}
"""Slots that are varied, and how unusual it is to have them wrong."""
_LIKELY_CMP = {
    frozenset(pair)
    for pair in (
        ("lt", "le"),
        ("gt", "ge"),
        ("lt", "gt"),
        ("le", "ge"),
        ("eq", "ne"),
        ("lt", "lo"),
        ("le", "ls"),
        ("gt", "hi"),
        ("ge", "hs"),
        ("num", "nan"),
    )
}
"""Comparisons that are taken for each other."""
_UNORDERED = {frozenset((cmp, f"{cmp}u")) for cmp in ("eq", "ne", "lt", "le", "gt", "ge")}
"""Those that differ where an operand is a NaN."""
_TYPE_SLOTS = ("dtype", "atype", "btype")
_FLIPPED = {Type.U32: Type.S32, Type.S32: Type.U32}


def _models(ins: Instruction) -> Iterator[Cause]:
    if ins.entry.group is not Group.SCALAR and not ins.errata:
        return
    for model in PTXAS_MODELS:
        axes, phrase = frozenset(("model",)), "as {} compiles it for sm_70 and later"
        yield Cause(Kind.PTXAS, axes, phrase, 0, errata=model.errata, model=model)


def _types(ins: Instruction) -> Iterator[Cause]:
    """All types of a video instruction at once."""
    form = ins.form
    now = {name: form.get(name) for name in _TYPE_SLOTS if _varied(ins, name)}
    if len(now) < 2:
        return
    inputs = [name for name in now if name != "dtype"]
    wanted: list[tuple[str, int, dict[str, object]]] = []
    for type_ in (Type.U32, Type.S32):
        every = f"with every type `.{type_}`"
        wanted.append((every, 1 if len(set(now.values())) == 1 else 3, dict.fromkeys(now, type_)))
        both = f"with both inputs `.{type_}`"
        alike = len({now[name] for name in inputs}) == 1
        wanted.append((both, 2 if alike else 3, {**now, **dict.fromkeys(inputs, type_)}))
    flipped: dict[str, object] = {name: _FLIPPED[Type(str(type_))] for name, type_ in now.items()}
    wanted.append(("with every type of the other signedness", 4, flipped))
    told: list[dict[str, object]] = []
    for phrase, weight, types in wanted:
        if sum(types[name] != now[name] for name in now) > 1 and types not in told:
            told.append(types)
            yield Cause(
                Kind.MODIFIER, frozenset(now), phrase, weight, slots=tuple(sorted(types.items()))
            )


def _varied(ins: Instruction, name: str) -> Slot | None:
    """The slot, where the instruction has it with more than one value."""
    slot = ins.entry.slot(name)
    return slot if slot and len(slot.values) + slot.optional > 1 else None


def _slots(ins: Instruction, unordered: bool) -> Iterator[Cause]:
    """Every other value of every slot; selectors of several lanes are solved elsewhere."""
    form = ins.form
    for name, weight in WEIGHTS.items():
        slot = _varied(ins, name)
        if slot is None or (name in ("asel", "bsel") and ins.entry.lanes > 1):
            continue
        if isinstance(ins.roles.get(str(slot.place)), Literal):
            continue  # it takes neither a selector nor a sign
        now = form.get(name)
        for value in slot.choices():
            if value != now and _same_width(now, value):
                kind = Kind.SELECTOR if name in ("asel", "bsel") else Kind.MODIFIER
                yield Cause(
                    kind,
                    frozenset((name,)),
                    slot_phrase(ins, slot, now, value),
                    _cmp_weight(now, value, unordered) if name == "cmp" else weight,
                    slots=((name, value),),
                )


def _cmp_weight(now: object, value: object, unordered: bool) -> int:
    pair = frozenset((now, value))
    if pair in _UNORDERED:
        return 1 if unordered else 2
    return 2 if pair in _LIKELY_CMP else WEIGHTS["cmp"]


def _same_width(now: object, value: object) -> bool:
    """Whether a register that has one type can be read as the other."""
    return not (isinstance(now, Type) and isinstance(value, Type)) or now.bits == value.bits


def slot_phrase(ins: Instruction, slot: Slot, now: object, value: object) -> str:
    """``without `.sat```, ``with `.lt` rather than `.le```, ``with `%1.b1` rather than `%1```."""
    operand = "" if slot.place is Place.MODIFIER else ins.called(str(slot.place))

    def spelled(written: object) -> str:
        text = slot.text(written)
        if slot.word and operand:
            return f"`{text}{operand}`"
        return f"`{operand}.{text}`" if text else f"`{operand}`"

    if value == slot.absent and not (operand and not slot.word):
        return f"without {spelled(now)}"
    if now == slot.absent and not (operand and not slot.word):
        return f"with {spelled(value)}"
    what = f"{slot.name} " if slot.name.endswith("type") else ""
    return f"with {what}{spelled(value)} rather than {spelled(now)}"


def _opcodes(ins: Instruction) -> Iterator[Cause]:
    """Another opcode, the slots carried over."""
    registers = all(isinstance(source, Register) for source in ins.sources)
    for twin in twins(ins.form):
        if not (registers or CATALOG[twin.opcode].literals):
            continue
        yield Cause(
            Kind.OPCODE,
            frozenset(("opcode", *twin.slots)),
            f"with `{twin.opcode}` rather than `{ins.opcode}`",
            twin.weight,
            slots=(("opcode", twin.opcode), *twin.slots.items()),
        )


def _habits() -> Iterator[Cause]:
    for habit in HABITS:
        axes = frozenset(("habit",))
        phrase = f"if {BELIEFS[habit.id]}"
        yield Cause(Kind.HABIT, axes, phrase, 2, errata=(habit,))


def _guards(ins: Instruction) -> Iterator[Cause]:
    if ins.guard:
        other = ins.guard._replace(negated=not ins.guard.negated)
        phrase = f"with `{other}` rather than `{ins.guard}`"
        yield Cause(Kind.MODIFIER, frozenset(("guard",)), phrase, 3, guard=True)


# --- the operands ------------------------------------------------------------------------


def _value(role: str) -> str:
    return f"value of {role}"


_Value = Callable[[str, Bits, Seen], int]
"""The value that a role takes, given all operands."""


def _change(
    roles: str,
    phrase: str,
    weight: int,
    to: Callable[[str, Bits, Seen], int],
    *,
    swap: bool = False,
) -> Cause:
    """A cause that gives operands other values."""

    def changed(operands: Bits, seen: Seen) -> Bits:
        return {**operands, **{role: to(role, operands, seen) for role in roles}}

    axes = frozenset(map(_value, roles))
    return Cause(Kind.OPERAND, axes, phrase, weight, operands=changed, swap=swap)


def _exchanged(ins: Instruction, x: str, y: str, weight: int, *, swap: bool = False) -> Cause:
    other = {x: y, y: x}
    phrase = f"with {ins.called(x)} and {ins.called(y)} exchanged"
    return _change(x + y, phrase, weight, lambda role, bits, _: bits[other[role]], swap=swap)


_AT_OPERANDS = ("asel", "bsel", "nega", "negb")


def _swapped(ins: Instruction) -> Iterator[Cause]:
    """a and b exchanged; a literal can't stand where a selector or a sign does."""
    cause = _exchanged(ins, "a", "b", 2, swap=True)
    if not any(isinstance(ins.roles[role], Literal) for role in "ab"):
        yield cause
    elif not any(ins.form.get(name) for name in _AT_OPERANDS):
        yield cause._replace(axes=cause.axes.union(_AT_OPERANDS))


def _operands(ins: Instruction, known: frozenset[str]) -> Iterator[Cause]:
    read = [x for x in "abc" if x in known]
    types = {role: ins.type_of(role) for role in read}
    registers: dict[str, str] = {}  # the roles of each; a register changes in all of them
    for role in read:
        if isinstance(source := ins.roles[role], Register):
            registers[source.name] = registers.get(source.name, "") + role
    if {"a", "b"} <= known and ins.roles["a"] != ins.roles["b"]:
        yield from _swapped(ins)
    alone = "c" in known and registers.get(ins.called("c"), "c") == "c"
    if alone and types["c"] is not Type.PRED:
        yield from (_exchanged(ins, x, "c", 5) for x in read if x != "c" and _same(types, x, "c"))
    if alone:
        yield _change("c", f"with {ins.called('c')} = 0", 3, lambda *_: 0)
    if alone and (ins.form.dsel or ins.form.mask) and not ins.form.secop:
        phrase = f"with another {ins.called('c')}, which the unwritten lanes show"
        yield _change("c", phrase, 5, _kept_lanes(ins))
    for name, roles in registers.items():
        yield from _overwritten(ins, name, roles)
        yield from _misread(ins, name, roles, types[roles[0]])
    wide = "".join(roles for roles in registers.values() if types[roles[0]].bits > 8)
    if len(registers) > 1 and wide:
        yield _change(wide, "with the bytes of every register reversed", 4, _reversed_bytes(types))


def _same(types: Mapping[str, Type], x: str, y: str) -> bool:
    return types[x].bits == types[y].bits


def _overwritten(ins: Instruction, name: str, roles: str) -> Iterator[Cause]:
    """A register that had received the result before it was read."""
    if "d" in ins.results and ins.type_of(roles[0]).bits == ins.type_of("d").bits:
        phrase = f"with {name} holding the result already, as if run twice"
        weight = 3 if roles == "c" else 4
        yield _change(roles, phrase, weight, lambda _, __, seen: seen.documented["d"])


def _kept_lanes(ins: Instruction) -> _Value:
    """c as the lanes show it that the instruction does not write."""
    chosen = ins.form.dsel or ins.form.mask
    assert chosen
    field = (1 << chosen.unit) - 1
    written = sum(field << chosen.unit * lane for lane in chosen.lanes)

    def c(_: str, operands: Bits, seen: Seen) -> int:
        observed = seen.observation.observed["d"]
        shown = observed.known & ~written
        return operands["c"] & ~shown | observed.bits & shown

    return c


def _reversed_bytes(types: Mapping[str, Type]) -> _Value:
    return lambda role, bits, _: _reverse(bits[role], types[role].bits)


def _reverse(bits: int, width: int) -> int:
    return int.from_bytes(bits.to_bytes(width // 8, "big"), "little")


def _misread(ins: Instruction, name: str, roles: str, type_: Type) -> Iterator[Cause]:
    if type_.bits > 8:
        types = dict.fromkeys(roles, type_)
        yield _change(roles, f"with the bytes of {name} reversed", 3, _reversed_bytes(types))
    if type_.bits == 32:
        for unit, part in ((8, "byte"), (16, "half-word")):
            phrase = f"with {name} sign-extended from its low {part}"
            yield _change(roles, phrase, 4, _sign_extended(unit))
    if ins.entry.group is Group.COMPARE and type_.bits >= 32:
        yield _change(roles, f"with {name}'s integer made a float", 4, _to_float(type_.bits))
        yield _change(roles, f"with {name}'s float made an integer", 4, _to_integer(type_.bits))


def _sign_extended(unit: int) -> _Value:
    return lambda role, bits, _: cast(bits[role], unit, signed=True) & 0xFFFF_FFFF


def _to_float(width: int) -> _Value:
    return lambda role, bits, _: float_bits(cast(bits[role], width, signed=True), width)


def _to_integer(width: int) -> _Value:
    return lambda role, bits, _: _rounded(bits[role], width)


def _rounded(bits: int, width: int) -> int:
    """The integer of a float; the bits as they are where it has none, or none but 0."""
    number = bits_float(bits, width)
    in_range = -(1 << (width - 1)) <= number < 1 << width  # a NaN is not
    return int(number) & ((1 << width) - 1) if in_range and abs(number) >= 1 else bits


# --- the result --------------------------------------------------------------------------


def _readings(ins: Instruction) -> Iterator[Cause]:
    axes = frozenset(("reading",))
    if {"p", "q"} <= ins.results.keys():
        yield Cause(
            Kind.READING,
            axes,
            f"with {ins.called('p')} and {ins.called('q')} exchanged",
            1,
            reading=lambda result: {"p": result["q"], "q": result["p"]},
        )
    if "d" not in ins.results:
        return
    width = ins.type_of("d").bits

    def d(phrase: str, weight: int, to: Callable[[int], int]) -> Cause:
        return Cause(
            Kind.READING, axes, phrase, weight, reading=lambda result: {"d": to(result["d"])}
        )

    name = ins.called("d")
    yield d(f"with the bytes of {name} reversed", 3, lambda bits: _reverse(bits, width))
    if width >= 32 and ins.entry.group is Group.COMPARE:
        yield d(f"with {name}'s float read as a number", 3, lambda bits: _rounded(bits, width))
        yield d(
            f"with {name}'s number shown as a float's bits",
            4,
            lambda bits: float_bits(cast(bits, width, signed=True), width),
        )


def shown_operands(ins: Instruction, before: Bits, after: Bits) -> str:
    """``%1 = 0x00000001, %3 = 0x00000000``: the operands that a cause has changed."""
    return ", ".join(
        f"{ins.called(role)} = {hex_text(bits, ins.type_of(role).bits)}"
        for role, bits in after.items()
        if bits != before[role]
    )


def changed_form(form: Form, slots: Mapping[str, object], c_written: bool) -> Form | None:
    """A form with other values in some slots and c where it is needed.

    None where c is needed and not written, or where another opcode does not take a slot's
    value. It may break a constraint. An opcode that has to have a c takes any register for it.
    """
    changed: Form | None = form._replace(**slots)  # type: ignore[arg-type]
    if "opcode" in slots and changed:
        changed = carried(changed)
    if changed is None:
        return None
    # an ignored c stays as it was written, but not behind another opcode
    bare = form.c and not (form.boolop or form.secop or form.dsel or "opcode" in slots)
    changed = with_c(changed, bare=bare)
    must = changed.c and ("opcode" not in slots or CATALOG[changed.opcode].c_optional)
    return None if must and not c_written else changed
