"""One parsed instruction: a legal form with its operands, and its canonical text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from ..isa.catalog import entry_of
from ..isa.entry import Entry, SlotPlace
from ..isa.form import Form
from ..isa.roles import DESTINATIONS, ORDER, SOURCES, Role
from ..isa.types import Destinations, Type
from ..records import FrozenDict, NamedTuple, Record, replace
from .errors import Span

if TYPE_CHECKING:
    from ..semantics.errata import Erratum


class Register(NamedTuple):
    """A register operand, by the name that was written: ``%r1``, ``%0``, ``t1``."""

    name: str
    bits: int | None = None
    """What it always holds, where its asm statement or a ``mov`` gives it a constant."""

    def __str__(self) -> str:
        return self.name


class Literal(NamedTuple):
    """A literal operand: its bits, cut to the operand's width, and how it was written."""

    bits: int
    text: str

    def __str__(self) -> str:
        return self.text


class Guard(NamedTuple):
    """``@p`` or ``@!p``: the instruction acts only where the predicate allows."""

    name: str
    negated: bool

    def __str__(self) -> str:
        return f"@{'!' if self.negated else ''}{self.name}"


class Input(NamedTuple):
    """A register whose value decides the result."""

    name: str
    type: Type
    """The type of its first role."""
    roles: tuple[str, ...]
    """a, b, c, ``guard``; d, p, q where a guard may keep the destination's old value."""


_NOWHERE: Mapping[str, Span] = {}


class Instruction(Record, apart=("text", "spans", "notes")):
    """One of the 27, parsed and legal. Equal when form, operands and guard are."""

    form: Form
    destinations: tuple[str | None, ...]
    """Names of d, or of p and q; None for ``_``."""
    sources: tuple[Register | Literal, ...]
    """a, b and, where it is written, c."""
    guard: Guard | None = None
    text: str = ""
    """The text it was parsed from."""
    spans: Mapping[str, Span] = _NOWHERE
    """Where each part stands in ``text``: ``opcode``, ``guard``, ``line``, slots, operand roles."""
    notes: tuple[str, ...] = ()
    """What is legal but worth a word."""

    @property
    def opcode(self) -> str:
        """The opcode without modifiers."""
        return self.form.opcode

    @cached_property
    def entry(self) -> Entry:
        """The catalog's entry."""
        return entry_of(self.form)

    @cached_property
    def roles(self) -> Mapping[str, Register | Literal]:
        """The source operands by role."""
        return FrozenDict(zip(map(str, SOURCES), self.sources, strict=False))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Every register by role: d, p, q, a, b, c, guard. Sinks and literals have no name."""
        names = {
            role: name
            for role, name in zip(_DST_ROLES[self.form.dst], self.destinations, strict=True)
            if name is not None
        }
        names |= {role: x.name for role, x in self.roles.items() if isinstance(x, Register)}
        return FrozenDict(names | ({"guard": self.guard.name} if self.guard else {}))

    def called(self, role: str) -> str:
        """What the line calls an operand: ``%1``, a literal; the role where nothing is written.

        A destination that is thrown away is called ``_``.
        """
        source = self.roles.get(role)
        if source:
            return str(source)
        return self.names.get(role, "_" if role in DESTINATIONS else role)

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """The bits of the source operands that are constants, by role: literals, and registers."""
        return {role: x.bits for role, x in self.roles.items() if x.bits is not None}

    def with_constants(self, bits: Mapping[str, int]) -> Instruction:
        """The instruction with constants for some source registers, by name."""
        sources = list(self.sources)
        for at, (role, source) in enumerate(self.roles.items()):
            if isinstance(source, Register) and source.name in bits:
                mask = (1 << self.type_of(role).bits) - 1
                sources[at] = source._replace(bits=bits[source.name] & mask)
        return replace(self, sources=tuple(sources))

    @cached_property
    def one_destination(self) -> bool:
        """p and q are one register: only p writes it."""
        return self.form.dst is Destinations.P_Q and len(set(self.destinations)) == 1

    @cached_property
    def results(self) -> Mapping[str, str]:
        """Role (d, p, q) to name of every destination that is kept."""
        names = {role: name for role, name in self.names.items() if role in DESTINATIONS}
        if self.one_destination:
            del names["q"]
        return FrozenDict(names)

    @cached_property
    def computed(self) -> Form:
        """The form that says what it computes: of two destinations in one register, p alone."""
        return self.form._replace(dst=Destinations.P_SINK) if self.one_destination else self.form

    @property
    def unless(self) -> bool | None:
        """The guard as a plan has it: True for ``@!p``, False for ``@p``, None for none."""
        return self.guard.negated if self.guard else None

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """The registers whose values decide the result, in the order of their roles.

        Those that are constants are left out.
        """
        from ..semantics.lowering import lower

        names, roles = self.names, dict[str, list[str]]()
        sources = lower(self.computed, guard=self.unless).sources
        for source in sorted(sources, key=lambda x: ORDER[Role(x.role)]):
            if source.role in names and source.role not in self.constants:
                roles.setdefault(names[source.role], []).append(source.role)
        return tuple(Input(name, self.type_of(x[0]), tuple(x)) for name, x in roles.items())

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """The errata that can change its result, on some operands."""
        from ..semantics.models import errata_of

        return errata_of(self.form, self.unless)

    def type_of(self, role: str) -> Type:
        """The type of the operand with this role."""
        return Type.PRED if role == Role.GUARD else self.entry.operand(role).type_in(self.form)

    def by_lane(self, role: str) -> bool:
        """Whether an operand's bits are lanes: read, or written, each for itself."""
        if role == Role.GUARD:
            return False
        summed = role in DESTINATIONS and self.form.secop is not None
        return self.entry.operand(role).by_lane and not summed

    def lanes_of(self, role: str) -> int:
        """The lanes in which an operand can be given, 1 where it is one number."""
        operand = None if role == Role.GUARD else self.entry.operand(role)
        kept = operand and operand.kept and self.form.secop is None
        given = operand and operand.role in SOURCES and (operand.by_lane or kept)
        return self.entry.lanes if given else 1

    @property
    def mnemonic(self) -> str:
        """Opcode and modifiers in documented order, as they were written."""
        return mnemonic(self.form)

    def __str__(self) -> str:
        """The canonical text."""
        guard = f"{self.guard} " if self.guard else ""
        d = "|".join(name or "_" for name in self.destinations)
        if self.form.dst is Destinations.SINK:
            d = "_"
        operands = [d + operand_suffix(self.form, SlotPlace.D)]
        for role, source in zip(
            (SlotPlace.A, SlotPlace.B, SlotPlace.C), self.sources, strict=False
        ):
            operands.append(
                operand_prefix(self.form, role) + str(source) + operand_suffix(self.form, role)
            )
        return f"{guard}{self.mnemonic} {', '.join(operands)};"


_DST_ROLES = {
    None: ("d",),
    Destinations.P: ("p",),
    Destinations.P_Q: ("p", "q"),
    Destinations.P_SINK: ("p", "q"),
    Destinations.SINK_Q: ("p", "q"),
    Destinations.SINK: ("p",),
}


def mnemonic(form: Form) -> str:
    """Opcode and modifiers in documented order: ``vadd4.s32.s32.u32.sat``."""
    slots = (slot for slot in entry_of(form).slots if slot.place is SlotPlace.MODIFIER)
    return ".".join(
        [form.opcode, *filter(None, (slot.text(form.get(slot.name)) for slot in slots))]
    )


_PREFIXES = {SlotPlace.A: "nega", SlotPlace.B: "negb", SlotPlace.C: "negc"}
_SUFFIXES = {SlotPlace.A: ("asel",), SlotPlace.B: ("bsel",), SlotPlace.D: ("dsel", "mask")}


def operand_prefix(form: Form, place: SlotPlace) -> str:
    """``-``, ``!`` or nothing: what stands before an operand."""
    name = _PREFIXES.get(place, "")
    slot = entry_of(form).slot(name)
    return slot.text(form.get(name)) if slot else ""


def operand_suffix(form: Form, place: SlotPlace) -> str:
    """``.b3210`` or nothing: what stands behind an operand."""
    chosen = (form.get(name) for name in _SUFFIXES.get(place, ()))
    return "".join(f".{value}" for value in chosen if value is not None)
