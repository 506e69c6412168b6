"""The parts of a catalog entry: slots, constraints between them, remarks, operands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from .encodings import Range
from .types import DESTINATIONS, Form, Role, Selector, Type


class Group(StrEnum):
    """The families of instructions, in the order of the catalog."""

    COMPARE = "Comparison and selection"
    SCALAR = "Scalar video"
    SIMD = "SIMD video"
    PERMUTE = "Permute and logic"
    FIELDS = "Bit fields"
    PACKED = "Packed arithmetic"
    COMMON = "Common integer"


CORE_GROUPS = (Group.COMPARE, Group.SCALAR, Group.SIMD)
"""The families of the 27 core instructions."""


class SlotPlace(StrEnum):
    """The place of a slot in the text: after the opcode, or at an operand."""

    MODIFIER = "modifier"
    D = "d"
    A = "a"
    B = "b"
    C = "c"
    TABLE = "lut"
    E = "e"


class Slot(NamedTuple):
    """A choice in the spelling of an instruction."""

    name: str
    """The field of ``Form`` with the choice."""
    values: Sequence[object]
    """The legal values, not counting omission."""
    is_optional: bool = False
    place: SlotPlace = SlotPlace.MODIFIER
    word: str = ""
    """The spelling of a flag."""
    is_leading: bool = False
    """Whether the modifier must directly follow the opcode."""

    @property
    def absent(self) -> object:
        """The value of an omitted slot."""
        return False if self.word else None

    def iter_choices(self) -> Iterator[object]:
        """Yield all legal values, omission first if that is legal."""
        if self.is_optional:
            yield self.absent
        yield from self.values

    def count_choices(self) -> int:
        """Return the number of legal values, counting omission."""
        return len(self.values) + self.is_optional

    def format_value(self, value: object) -> str:
        """Return the spelling of a value without the dot; empty if the slot is omitted."""
        if value == self.absent:
            return ""
        return self.word or str(value)


class Constraint(NamedTuple):
    """A rule on the values of several slots of a form."""

    slots: tuple[str, ...]
    holds: Callable[[Form], bool]
    rule: str
    """The rule as a sentence."""
    message: str
    """The error if the rule is broken: a ``str.format`` template over the Form ``f``."""
    allowed: Callable[[Form], str]
    """Returns the legal alternatives, in words."""
    blamed_slot: str
    """The slot whose text the error points at."""


class Remark(NamedTuple):
    """A note on a legal form, such as an undocumented one."""

    slots: tuple[str, ...]
    applies_to: Callable[[Form], bool]
    text: str
    is_documented: bool = True
    is_in_ptxas: bool = True
    """Whether ptxas 13.0 accepts the form."""


class Contradiction(NamedTuple):
    """Two statements of the manual that cannot both be true."""

    opcodes: tuple[str, ...]
    applies_to: Callable[[Form], bool]
    """Whether a form of these opcodes is affected."""
    text: str


class VersionRequirement(NamedTuple):
    """The PTX version or target that some forms need beyond the instruction's own minimum."""

    feature: str
    """The modifier that raises the minimum."""
    applies_to: Callable[[Form], bool]
    ptx_isa: str = ""
    target: str = ""


class MinimumVersion(NamedTuple):
    """The lowest PTX version and target that assemble a form."""

    ptx_isa: str
    target: str

    def __str__(self) -> str:
        return f"PTX {self.ptx_isa}, {format_targets(self.target)}"

    @property
    def version(self) -> tuple[int, int]:
        """The PTX version as two numbers."""
        major, _, minor = self.ptx_isa.partition(".")
        return int(major), int(minor)

    @property
    def sm_number(self) -> int:
        """The number of the target: 90 for ``sm_90``; 0 if any target has the form."""
        return int("".join(filter(str.isdigit, self.target)) or 0)

    @property
    def family(self) -> str:
        """The only family of targets with the form: ``sm_120f``; empty if later targets have it."""
        return self.target if self.target in FAMILIES else ""

    def is_met(self, version: tuple[int, int], target: str) -> bool:
        """Return whether a PTX version and a target such as ``sm_90a`` assemble the form."""
        number = int("".join(filter(str.isdigit, target)))
        if not self.family:
            return version >= self.version and number >= self.sm_number
        oldest_version = FAMILIES[self.family].get(number)
        return target[-1] in "af" and oldest_version is not None and version >= oldest_version


ANY_VERSION = MinimumVersion("1.0", "any")
NEEDS_F64 = VersionRequirement(".f64", lambda f: Type.F64 in (f.stype, f.dtype), target="sm_13")

FAMILIES: Mapping[str, Mapping[int, tuple[int, int]]] = {
    "sm_120f": {120: (9, 2), 121: (9, 2), 107: (9, 4)}
}
"""The ``sm_`` numbers that have a family's instructions, with their lowest PTX versions.

The target is written with ``a`` or ``f``, as in ``sm_121a``: plain ``sm_121`` lacks them.
"""


def format_targets(minimum: str) -> str:
    """Return ``sm_20 and later``, ``sm_120f and its family``, or ``any target``."""
    if minimum.endswith("f"):
        return f"{minimum} and its family"
    return "any target" if minimum == "any" else f"{minimum} and later"


class Operand(NamedTuple):
    """An operand's role and type; the type is fixed, or the name of a field of Form."""

    role: Role
    type: Type | str
    has_lanes: bool = False
    """Whether the operand is read or written lane by lane."""
    can_keep_lanes: bool = False
    """Whether the result can keep some lanes of an operand that is read as one number."""
    literal_range: Range | None = None
    """The integers that a literal may be; None for all."""
    typical_values: Sequence[int] = ()
    """The values that show the operand's effect; empty if any number does."""
    has_bytes: bool = False
    """Whether its bytes have separate effects, although it is read as one number."""
    is_implicit: bool = False
    """Whether the text does not name it: the carry flag."""
    written_type: Type | str = ""
    """The type whose registers and literals it accepts; empty for the type of its values."""
    refuses_f16x2: bool = False
    """Whether ptxas 13.0 refuses a register of type ``.f16x2``, although it has 32 bits."""

    @property
    def can_be_wider(self) -> bool:
        """Whether a register may be wider than the type in the text (9.4.1)."""
        return self.type in ("converted_type", "unconverted_type")

    def get_type(self, form: Form) -> Type:
        """Return the operand's type in a form."""
        return self.type if isinstance(self.type, Type) else getattr(form, self.type)

    def get_written_type(self, form: Form) -> Type:
        """Return the type whose registers and literals the operand accepts in a form."""
        type_ = self.written_type or self.type
        return type_ if isinstance(type_, Type) else getattr(form, type_)

    def is_like(self, other: Operand) -> bool:
        """Return whether another operand has the same syntax and number of lanes."""
        return self._replace(
            role=other.role,
            type=self.written_type or self.type,
            typical_values=other.typical_values,
            has_bytes=other.has_bytes,
            written_type="",
        ) == other._replace(type=other.written_type or other.type, written_type="")


def make_operands(**types: Type | str) -> tuple[Operand, ...]:
    """Return operands with only a role and a type."""
    return tuple(Operand(Role(role), type_) for role, type_ in types.items())


ISA_EDITION = "9.2"
"""The edition of the PTX ISA whose sections are cited."""


def format_citation(sections: Iterable[str], *, is_ascii: bool = False) -> str:
    """Cite sections of the PTX ISA: ``PTX ISA 9.2, §9.7.6.2, §9.7.6.3``.

    With ``is_ascii``, the sign is ``section ``.
    """
    sign = "section " if is_ascii else "§"
    return ", ".join((f"PTX ISA {ISA_EDITION}", *(sign + section for section in sections)))


Example = tuple[str, dict[str, int]]
"""An example line, and values for the registers that it reads."""


class _EntryFields(NamedTuple):
    opcode: str
    syntax: str
    """The syntax as the manual writes it: ``vadd.dtype… d{.dsel}, {-}a{.asel}, b, c``."""
    slots: tuple[Slot, ...]
    """The slots in documented order; ``read_syntax`` makes them from the syntax."""
    group: Group
    section: str
    """The section of the PTX ISA, in the edition that ``ISA_EDITION`` names."""
    summary: str
    operands: tuple[Operand, ...]
    """The operands, destinations first."""
    example: Example
    minimum: MinimumVersion
    """The lowest PTX version and target of any form."""
    constraints: tuple[Constraint, ...] = ()
    remarks: tuple[Remark, ...] = ()
    lanes: int = 1
    """The number of lanes in a register: 1, 2 (half-words) or 4 (bytes)."""
    can_take_immediates: bool = True
    """Whether operands may be immediates."""
    requirements: tuple[VersionRequirement, ...] = ()
    """Requirements of some forms beyond ``minimum``."""
    contradictions: tuple[Contradiction, ...] = ()
    """The contradictions of the manual about this instruction."""
    family: str = ""
    """The opcode without its lane count if the instruction works on lanes, else empty."""
    distinguishing_modifiers: frozenset[str] = frozenset()
    """Modifiers each of which selects this entry among its opcode's; empty by default."""
    brief: str = ""
    """A summary of a few words, for narrow lists."""
    is_common: bool = False
    """Whether it occurs in all code: its forms without flags count only if there are no others."""
    foreign_types: frozenset[str] = frozenset()
    """Types with which the opcode is an instruction that the catalog lacks."""
    words: str = ""
    """Common words for the operation, for searches; only one entry of an opcode has them."""
    uses: str = ""
    """Words for other uses of the operation."""
    carry_noun: str = ""
    """The meaning of its carry flag: ``carry``, ``borrow``; empty if it has none."""
    is_zero_of_equals: bool = False
    """Whether the result is 0 if a and b are one register, whatever its value."""
    is_move: bool = False
    """Whether the result is a, which may be a special register (``%tid.x``) or a list."""
    is_commutative: bool = False
    """Whether a and b may be exchanged."""
    ignores_sign: bool = False
    """Whether the low bits of the result are the same for signed and unsigned operands."""
    data_roles: str = ""
    """Without ``.sat``, each result bit depends on at most one bit of these operands."""
    computes_indices: bool = False
    """Whether the operation mostly computes indices and addresses."""
    is_expanded_at_64_bits: bool = False
    """Whether ptxas expands the instruction as text if it has 64 bits."""
    misprints: Mapping[str, str] = {}
    """Words of examples in the manual that no assembler accepts, and the examples."""


class Entry(_EntryFields):
    """An instruction of the catalog."""

    def __hash__(self) -> int:
        return hash((self.opcode, self.distinguishing_modifiers))

    def compute_minimum(self, form: Form) -> MinimumVersion:
        """Return the lowest PTX version and target that assemble a form."""
        minimum = self.minimum
        for need in self.requirements:
            if need.applies_to(form):
                minimum = MinimumVersion(
                    need.ptx_isa or minimum.ptx_isa, need.target or minimum.target
                )
        return minimum

    @property
    def modifier_syntax(self) -> str:
        """The syntax of the modifiers: ``.dtype.atype.btype{.sat}``."""
        return self.syntax.partition(" ")[0].removeprefix(self.opcode)

    def find_slot(self, name: str) -> Slot | None:
        """Return the slot that fills a field of Form, or None if the instruction lacks it."""
        return self._slots_by_name.get(name)

    @cached_property
    def _slots_by_name(self) -> Mapping[str, Slot]:
        return {slot.name: slot for slot in self.slots}

    def get_operand(self, role: str) -> Operand:
        """Return the operand of a role: d, p, q, a, b or c."""
        return self._operands_by_role[role]

    @cached_property
    def _operands_by_role(self) -> Mapping[str, Operand]:
        return {operand.role: operand for operand in self.operands}

    @cached_property
    def destinations(self) -> tuple[Operand, ...]:
        """The destination operands: d, or p and q."""
        return tuple(operand for operand in self.operands if operand.role in DESTINATIONS)

    @cached_property
    def sources(self) -> tuple[Operand, ...]:
        """The source operands with a value: a, b, c, e and CC.CF, if read."""
        sources = (x for x in self.operands if x.role not in DESTINATIONS)
        return tuple(x for x in sources if x.role is not Role.TABLE)

    @cached_property
    def written_sources(self) -> tuple[Operand, ...]:
        """The operands written after the destination, including a truth table."""
        sources = (x for x in self.operands if x.role not in DESTINATIONS)
        return tuple(x for x in sources if not x.is_implicit)

    @property
    def destination_pattern(self) -> str:
        """The documented pattern of the destination: ``d``, ``p{|q}``, ``d|p``."""
        roles = [operand.role for operand in self.destinations if not operand.is_implicit]
        return "p{|q}" if Role.Q in roles else "|".join(roles)

    @property
    def base_opcode(self) -> str:
        """The opcode without its lane count: ``vadd`` for ``vadd4``."""
        return self.family or self.opcode

    @cached_property
    def needs_c(self) -> bool:
        """Whether c is written in every form."""
        return not self.is_c_optional and any(x.role is Role.C for x in self.operands)

    @cached_property
    def reads_carry(self) -> bool:
        """Whether the instruction reads the carry flag."""
        return any(x.role is Role.CARRY for x in self.operands)

    @cached_property
    def can_have_wider_registers(self) -> bool:
        """Whether registers may be wider than the types in the text."""
        return any(x.can_be_wider for x in self.operands)

    @cached_property
    def has_lane_selectors(self) -> bool:
        """Whether a selector of a or b has one digit per lane."""
        return self.lanes > 1 and self.find_slot("asel") is not None

    @cached_property
    def is_c_optional(self) -> bool:
        """Whether c may be omitted."""
        return self.find_slot("c") is not None


class SelectorDigits(Sequence[Selector]):
    """All selectors with ``digits`` digits below ``2 * digits``, in any order, with repeats."""

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
    """Return all masks over ``count`` lanes of ``unit`` bits, with strictly descending digits."""
    lane_sets = (lanes for n in range(1, count + 1) for lanes in combinations(range(count), n))
    return tuple(Selector(unit, lanes) for lanes in sorted(lane_sets, key=lambda x: x[::-1]))
