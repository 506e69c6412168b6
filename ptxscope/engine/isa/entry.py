"""What a catalog entry is made of: slots, constraints between them, remarks, operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import combinations

from ..records import NamedTuple
from .contradictions import Contradiction
from .form import Form
from .roles import DESTINATIONS, Role
from .types import Selector, Type


class Group(StrEnum):
    """The three families of the catalog, in the order they are listed."""

    COMPARE = "Comparison and selection"
    SCALAR = "Scalar video"
    SIMD = "SIMD video"


class SlotPlace(StrEnum):
    """Where a slot is written: behind the opcode, or at an operand."""

    MODIFIER = "modifier"
    D = "d"
    A = "a"
    B = "b"
    C = "c"


class Slot(NamedTuple):
    """One thing that can be chosen when the instruction is written."""

    name: str
    """The field of ``Form``."""
    values: Sequence[object]
    """The legal values, besides leaving it out."""
    is_optional: bool = False
    place: SlotPlace = SlotPlace.MODIFIER
    word: str = ""
    """How a flag is spelled."""

    @property
    def absent(self) -> object:
        """The value of a slot that is left out."""
        return False if self.word else None

    def iter_choices(self) -> Iterator[object]:
        """All legal values, leaving out first where that is legal."""
        if self.is_optional:
            yield self.absent
        yield from self.values

    def count_choices(self) -> int:
        """The number of choices."""
        return len(self.values) + self.is_optional

    def format_value(self, value: object) -> str:
        """The spelling of a value, without the dot; empty when left out."""
        if value == self.absent:
            return ""
        return self.word or str(value)


class Constraint(NamedTuple):
    """What must hold between slots."""

    slots: tuple[str, ...]
    holds: Callable[[Form], bool]
    rule: str
    """What must hold, in words."""
    message: str
    """What is wrong where it does not: a ``str.format`` template over the Form ``f``."""
    allowed: Callable[[Form], str]
    """What may be written instead."""
    blamed_slot: str
    """The slot whose text is at fault."""


class Remark(NamedTuple):
    """What is legal but worth a word."""

    slots: tuple[str, ...]
    applies_to: Callable[[Form], bool]
    text: str
    is_documented: bool = True
    is_in_ptxas: bool = True
    """Accepted by ptxas 13.0."""


class VersionRequirement(NamedTuple):
    """What some forms need above the instruction's own minimum."""

    feature: str
    """The modifier that needs it."""
    applies_to: Callable[[Form], bool]
    ptx_isa: str = ""
    target: str = ""


class MinimumVersion(NamedTuple):
    """The lowest version and target that a form assembles with."""

    ptx_isa: str
    target: str

    def __str__(self) -> str:
        return f"PTX {self.ptx_isa}, {format_targets(self.target)}"


def format_targets(least: str) -> str:
    """``sm_20 and later``; ``any target``."""
    return "any target" if least == "any" else f"{least} and later"


class Operand(NamedTuple):
    """An operand's role and its type: fixed, or the name by which the Form knows it."""

    role: Role
    type: Type | str
    has_lanes: bool = False
    """Read, or written, lane by lane."""
    can_keep_lanes: bool = False
    """Some of its lanes may be kept, though it is read as one number."""

    def get_type(self, form: Form) -> Type:
        """The operand's type in a form."""
        return self.type if isinstance(self.type, Type) else getattr(form, self.type)


class Entry(NamedTuple):
    """One instruction."""

    opcode: str
    group: Group
    section: str
    """Section of the PTX ISA (9.0)."""
    summary: str
    slots: tuple[Slot, ...]
    """In documented order."""
    operands: tuple[Operand, ...]
    """Destinations first."""
    constraints: tuple[Constraint, ...]
    remarks: tuple[Remark, ...]
    example: tuple[str, dict[str, int]]
    """A line and values for what it reads."""
    ptx_isa: str
    target: str
    lanes: int = 1
    """Lanes a register is cut into: 1, 2 (half-words) or 4 (bytes)."""
    takes_immediates: bool = True
    """Operands may be literals."""
    requirements: tuple[VersionRequirement, ...] = ()
    """What some of its forms need beside ``ptx_isa`` and ``target``."""
    contradictions: tuple[Contradiction, ...] = ()
    """Where the manual says two things of it."""
    family: str = ""
    """The opcode of the same operation on words, where this one is on lanes."""
    distinguishing_modifiers: frozenset[str] = frozenset()
    """Modifiers any of which makes a line this shape of its opcode; none for the plain one."""
    brief: str = ""
    """The summary in the few words that stand beside a name in a narrow list."""

    def __hash__(self) -> int:
        return hash((self.opcode, self.distinguishing_modifiers))

    def compute_minimum(self, form: Form) -> MinimumVersion:
        """What a form of it needs."""
        found = MinimumVersion(self.ptx_isa, self.target)
        for need in self.requirements:
            if need.applies_to(form):
                found = MinimumVersion(need.ptx_isa or found.ptx_isa, need.target or found.target)
        return found

    def find_slot(self, name: str) -> Slot | None:
        """The slot that fills a field of Form, where the instruction has it."""
        return next((slot for slot in self.slots if slot.name == name), None)

    def get_operand(self, role: str) -> Operand:
        """The operand of a role: d, p, q, a, b or c."""
        return next(operand for operand in self.operands if operand.role == role)

    @property
    def destinations(self) -> tuple[Operand, ...]:
        """d, or p and q."""
        return tuple(operand for operand in self.operands if operand.role in DESTINATIONS)

    @property
    def sources(self) -> tuple[Operand, ...]:
        """a and b, and c where the instruction can read one."""
        return tuple(operand for operand in self.operands if operand.role not in DESTINATIONS)

    @property
    def base_opcode(self) -> str:
        """What it shares with its like on lanes of other widths: ``vadd`` of ``vadd4``."""
        return self.family or self.opcode

    @property
    def has_lane_selectors(self) -> bool:
        """A selector of a or b has a digit for each lane."""
        return self.lanes > 1 and self.find_slot("asel") is not None

    @property
    def is_c_optional(self) -> bool:
        """c may be left out."""
        return self.find_slot("c") is not None


class SelectorDigits(Sequence[Selector]):
    """Every selector of a number of digits: any order, repeats allowed, each below twice that."""

    def __init__(self, unit: int, digits: int) -> None:
        self.unit, self.digits, self.base = unit, digits, 2 * digits

    def __len__(self) -> int:
        return int(self.base**self.digits)

    def __getitem__(self, index: int | slice) -> Selector:  # type: ignore[override]
        if isinstance(index, slice):
            raise TypeError("selectors are drawn one at a time")
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return Selector(
            self.unit, tuple(index // self.base**i % self.base for i in range(self.digits))
        )

    def __contains__(self, value: object) -> bool:
        return (
            isinstance(value, Selector)
            and value.unit == self.unit
            and len(value.lanes) == self.digits
            and all(0 <= lane < self.base for lane in value.lanes)
        )


def make_masks(unit: int, count: int) -> tuple[Selector, ...]:
    """Every mask: digits strictly descending, at least one."""
    chosen = (lanes for n in range(1, count + 1) for lanes in combinations(range(count), n))
    return tuple(Selector(unit, lanes) for lanes in sorted(chosen, key=lambda x: x[::-1]))
