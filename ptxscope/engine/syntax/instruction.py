"""A parsed instruction: a legal form with its operands, and its canonical text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..isa.catalog import get_entry
from ..isa.entry import Entry, SlotPlace
from ..isa.grammar import list_modifier_slots
from ..isa.types import CARRY_REGISTER, DESTINATIONS, ORDER, Destinations, Form, Role, Type
from ..records import FrozenDict, FrozenRecord
from .errors import Span

if TYPE_CHECKING:
    from ..semantics.rules import Erratum


class Register(NamedTuple):
    """A register operand by its written name: ``%r1``, ``%0``, ``t1``."""

    name: str
    bits: int | None = None
    """The register's constant, if its asm statement or a ``mov`` determines one."""

    def __str__(self) -> str:
        return self.name


class Immediate(NamedTuple):
    """An immediate operand: its bits, truncated to the operand's width, and its text."""

    bits: int
    text: str

    def __str__(self) -> str:
        return self.text


class Guard(NamedTuple):
    """``@p`` or ``@!p``: the instruction takes effect only if the predicate is true, or false."""

    name: str
    negated: bool

    def __str__(self) -> str:
        return f"@{'!' if self.negated else ''}{self.name}"


class Input(NamedTuple):
    """A register whose value affects the result."""

    name: str
    type: Type
    """The type of its first role."""
    roles: tuple[str, ...]
    """a, b, c or ``guard``; d, p or q if a guard may keep the destination's old value."""


class Signature(Protocol):
    """The registers of an ``Instruction``, or of a block of several, by their roles."""

    @property
    def text(self) -> str:
        """The text that was parsed."""

    @property
    def spans(self) -> Mapping[str, Span]:
        """The spans of parts of the text."""

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The registers whose values affect the result."""

    @property
    def names(self) -> Mapping[str, str]:
        """The registers by role."""

    @property
    def constants(self) -> Mapping[str, int]:
        """The bits of the constant operands by role."""

    @property
    def results(self) -> Mapping[str, str]:
        """The name of each destination that is kept, by role."""

    def type_of(self, role: str) -> Type:
        """Return the type of an operand."""

    def format_operand(self, role: str) -> str:
        """Return an operand as it is written."""


@dataclass(frozen=True)
class Instruction(FrozenRecord):
    """An instruction of the catalog, parsed and legal.

    Instructions are equal if form, operands and guard are.
    """

    form: Form
    destinations: tuple[str | None, ...]
    """The names of d, or of p and q; None for ``_``."""
    sources: tuple[Register | Immediate, ...]
    """The source operands as written: a, b, c and e, as in the form."""
    guard: Guard | None = None
    text: str = field(default="", compare=False, repr=False)
    """The text that was parsed."""
    spans: Mapping[str, Span] = field(default_factory=dict, compare=False, repr=False)
    """The span in ``text`` of each part: ``opcode``, ``guard``, ``line``, slots, operand roles."""
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Remarks on legal but unusual syntax."""

    @property
    def opcode(self) -> str:
        """The opcode without modifiers."""
        return self.form.opcode

    @cached_property
    def entry(self) -> Entry:
        """The catalog entry of the form."""
        return get_entry(self.form)

    @cached_property
    def roles(self) -> Mapping[str, Register | Immediate]:
        """The source operands by role."""
        implicit = [str(x.role) for x in self.entry.sources if x.is_implicit]
        roles = (str(x.role) for x in self.entry.sources if not x.is_implicit)
        return FrozenDict(
            {
                **dict(zip(roles, self.sources, strict=False)),
                **dict.fromkeys(implicit, Register(CARRY_REGISTER)),
            }
        )

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The registers by role: d, p, q, a, b, c, guard. Sinks and immediates have no name."""
        names = {
            role: name
            for role, name in zip(_DST_ROLES[self.form.dst], self.destinations, strict=True)
            if name is not None
        }
        names |= {str(x.role): CARRY_REGISTER for x in self.entry.destinations if x.is_implicit}
        names |= {role: x.name for role, x in self.roles.items() if isinstance(x, Register)}
        return FrozenDict(names | ({"guard": self.guard.name} if self.guard else {}))

    @property
    def written_names(self) -> Mapping[str, str]:
        """The registers in the text, by role: all but the carry flag."""
        names = self.names
        if CARRY_REGISTER not in names.values():
            return names
        return FrozenDict((role, x) for role, x in names.items() if x != CARRY_REGISTER)

    def format_operand(self, role: str) -> str:
        """Return an operand as it is written: ``%1``, an immediate; the role if it is not written.

        A discarded destination is ``_``.
        """
        source = self.roles.get(role)
        if source:
            return str(source)
        return self.names.get(role, "_" if role in DESTINATIONS else role)

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """The bits of the constant source operands by role: immediates and constant registers."""
        return {role: x.bits for role, x in self.roles.items() if x.bits is not None}

    def with_constants(self, bits: Mapping[str, int]) -> Instruction:
        """Return the instruction with constants for some source registers, by name."""
        sources = list(self.sources)
        for index, (role, source) in enumerate(self.roles.items()):
            if isinstance(source, Register) and source.name in bits:
                mask = (1 << self.type_of(role).bits) - 1
                sources[index] = source._replace(bits=bits[source.name] & mask)
        return replace(self, sources=tuple(sources))

    def with_role_names(self) -> Instruction:
        """Return the instruction with each register named like the first of its roles."""
        names: dict[str, str] = {}
        for role, name in self.names.items():
            names.setdefault(name, str(role))
        sources = tuple(
            source._replace(name=names[source.name]) if isinstance(source, Register) else source
            for source in self.sources
        )
        destinations = tuple(x and names[x] for x in self.destinations)
        guard = self.guard and Guard(names[self.guard.name], self.guard.negated)
        return replace(
            self, destinations=destinations, sources=sources, guard=guard, text="", spans={}
        )

    @cached_property
    def has_one_destination(self) -> bool:
        """Whether p and q are the same register; then only p writes it."""
        return self.form.dst is Destinations.P_Q and len(set(self.destinations)) == 1

    @cached_property
    def results(self) -> Mapping[str, str]:
        """The name of each destination that is kept, by role: d, p, q."""
        names = {role: name for role, name in self.names.items() if role in DESTINATIONS}
        if self.has_one_destination:
            del names["q"]
        return FrozenDict(names)

    @cached_property
    def effective_form(self) -> Form:
        """The form that is computed: p alone if both destinations are one register."""
        return (
            self.form._replace(dst=Destinations.P_SINK) if self.has_one_destination else self.form
        )

    @property
    def is_guard_negated(self) -> bool | None:
        """The guard as plans encode it: True for ``@!p``, False for ``@p``, None for no guard."""
        return self.guard.negated if self.guard else None

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """The registers whose values affect the result, in the order of their roles.

        Constant registers are not included.
        """
        from ..semantics.lowering import lower

        names, roles = self.names, dict[str, list[str]]()
        sources = lower(self.effective_form, guard=self.is_guard_negated).sources
        for source in sorted(sources, key=lambda x: ORDER[Role(x.role)]):
            if source.role in names and source.role not in self.constants:
                roles.setdefault(names[source.role], []).append(source.role)
        return tuple(Input(name, self.type_of(x[0]), tuple(x)) for name, x in roles.items())

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """The errata that change the result for some operands."""
        from ..semantics.models import find_errata

        return find_errata(self.form, self.is_guard_negated)

    def type_of(self, role: str) -> Type:
        """Return the type of the operand with this role."""
        return Type.PRED if role == Role.GUARD else self.entry.get_operand(role).get_type(self.form)

    def get_written_type(self, role: str) -> Type:
        """Return the type whose registers and literals the operand with this role accepts."""
        if role == Role.GUARD:
            return Type.PRED
        return self.entry.get_operand(role).get_written_type(self.form)

    def has_lanes(self, role: str) -> bool:
        """Whether an operand's bits are separate lanes when it is read or written."""
        if role == Role.GUARD:
            return False
        operand = self.entry.get_operand(role)
        if role in DESTINATIONS:
            return operand.has_lanes and self.form.secop is None
        return self.count_lanes(role) > 1

    def count_lanes(self, role: str) -> int:
        """Return the number of lanes for entering an operand's value, at least 1."""
        operand = None if role == Role.GUARD else self.entry.get_operand(role)
        can_keep = operand and operand.can_keep_lanes and self.form.secop is None
        is_split = operand and operand.role not in DESTINATIONS and (operand.has_lanes or can_keep)
        return self.entry.lanes if is_split else 1

    @property
    def mnemonic(self) -> str:
        """The opcode and modifiers in documented order."""
        return format_mnemonic(self.form)

    def __repr__(self) -> str:
        return f"<Instruction {self}>"

    def __str__(self) -> str:
        """Return the canonical text."""
        guard = f"{self.guard} " if self.guard else ""
        d = "|".join(name or "_" for name in self.destinations)
        if self.form.dst is Destinations.SINK:
            d = "_"
        operands = [d + format_operand_suffix(self.form, SlotPlace.D)]
        for operand in self.entry.written_sources:
            place = SlotPlace(operand.role)
            if operand.role is Role.TABLE:
                operands.append(f"{self.form.lut:#04x}")
            elif source := self.roles.get(operand.role):
                operands.append(
                    format_operand_prefix(self.form, place)
                    + str(source)
                    + format_operand_suffix(self.form, place)
                )
        return f"{guard}{self.mnemonic} {', '.join(operands)};"


_DST_ROLES = {
    None: ("d",),
    Destinations.P: ("p",),
    Destinations.P_Q: ("p", "q"),
    Destinations.P_SINK: ("p", "q"),
    Destinations.SINK_Q: ("p", "q"),
    Destinations.SINK: ("p",),
    Destinations.D_P: ("d", "p"),
    Destinations.SINK_P: ("d", "p"),
}


def make_instruction(form: Form) -> Instruction:
    """Return an instruction of a form whose registers bear the names of their roles."""
    sources = (x.role for x in get_entry(form).sources if not x.is_implicit)
    registers = tuple(Register(role) for role in sources if role is not Role.C or form.c)
    return Instruction(form, form.dst.names if form.dst else ("d",), registers)


def format_mnemonic(form: Form) -> str:
    """Return the opcode and modifiers in documented order: ``vadd4.s32.s32.u32.sat``."""
    slots = list_modifier_slots(get_entry(form))
    words = (slot.format_value(form.get(slot.name)) for slot in slots)
    return ".".join([form.opcode, *filter(None, words)])


_PREFIXES = {SlotPlace.A: "nega", SlotPlace.B: "negb", SlotPlace.C: "negc", SlotPlace.E: "nege"}
_SUFFIXES = {SlotPlace.A: ("asel",), SlotPlace.B: ("bsel",), SlotPlace.D: ("dsel", "mask")}


def format_operand_prefix(form: Form, place: SlotPlace) -> str:
    """Return the text before an operand: ``-``, ``!`` or nothing."""
    name = _PREFIXES.get(place, "")
    slot = get_entry(form).find_slot(name)
    return slot.format_value(form.get(name)) if slot else ""


def format_operand_suffix(form: Form, place: SlotPlace) -> str:
    """Return the text after an operand: ``.b3210`` or nothing."""
    selectors = (form.get(name) for name in _SUFFIXES.get(place, ()))
    return "".join(f".{value}" for value in selectors if value is not None)
