"""Rules, the switches of the lowering in which models differ, and errata, which set them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..isa.form import Form


class Rules(NamedTuple):
    """Switches of the lowering; with the defaults it computes what the PTX ISA documents.

    Each field cites the section of docs/semantics.md, the erratum (E…) or the misconception (H…)
    that it implements.
    """

    h1_takes_high: bool = False
    """``d.h1`` receives bits 31:16 of t instead of its low 16 (1.1 step 6; E1)."""
    clamp_upper: bool = True
    """``.sat`` to a word has an upper bound (1.1 step 4); switched off by E2."""
    clamp_unsigned: bool = False
    """``.sat`` to a lane has only an upper bound, and reads t as unsigned (1.1 step 4; E3)."""
    clamp_word: bool = False
    """``.sat`` with dsel clamps to 32 bits instead of to the lane (1.1 step 4; E4)."""
    shift_34: bool = False
    """``vshl.sat`` wraps the shifted value to signed 34 bits before clamping (1.1 step 4; E5)."""
    cut_32: bool = False
    """t is truncated to 32 bits and sign-extended before ``.min``/``.max`` (1.1 step 5; E6, E8)."""
    compare_64: bool = False
    """``.min``/``.max`` compare 64-bit numbers, unsigned for u32 (1.1 step 5; E6, E7, E8, E13)."""
    c_by_atype: bool = False
    """``vset.min/.max`` reads c by atype instead of as unsigned (1.1 step 5; E9)."""
    words_signed: bool = False
    """A scaled or saturated ``vmad`` multiplies whole words as signed (1.2 step 1; E10)."""
    c_signed: bool = False
    """A scaled or saturated ``vmad`` sign-extends c (1.2 step 3; E11)."""
    sum_64: bool = False
    """A scaled or saturated ``vmad`` adds, shifts and clamps in 64 bits (1.2 steps 3 to 5; E12)."""
    old_converted: bool = False
    """Under a false guard, ``set`` converts d's old value instead of keeping it (1.4; E14)."""
    field_folded: bool = False
    """``bfe`` of a field above the top bit, in literals, yields -1 whatever a is (1.7; E15)."""
    fields_uncut: bool = False
    """64-bit ``bfe`` and ``bfi`` read position and length from the whole register (1.7; E16)."""
    offset_overflows: bool = False
    """``fns`` with offset -2**31 yields 0 instead of all ones (1.8; E17)."""
    borrow_inverted: bool = False
    """``sub.cc`` and ``subc`` hold 1 for no borrow in a flag that additions share (1.13; E18)."""
    declared_widths: bool = False
    """Intermediates wrap to the declared widths ``.s34`` and ``.s33`` (1.1, after step 7)."""
    true_swapped: bool = False
    """True is all ones for ``vset`` and 1 for ``set`` (1.1 step 3, 1.3 step 3, 1.4; H1, H2)."""
    average_down: bool = False
    """``vavrg`` rounds down (1.3 step 3; H3)."""
    average_even: bool = False
    """``vavrg`` rounds halves to the even neighbour (1.3 step 3; H4)."""
    add_clamps: bool = False
    """The ``.add`` that follows or accumulates clamps to 32 bits (1.1 step 5, 1.3 step 5; H5)."""
    lanes_cut: bool = False
    """Lanes are truncated to their width before they are accumulated (1.3 step 5; H6)."""
    masked_from_b: bool = False
    """Lanes outside the mask come from b (1.3 step 5; H7)."""
    true_minus_one: bool = False
    """``vset`` counts true as -1 if a second operation follows (1.1 step 5, 1.3 step 5; H8)."""
    zero_takes_b: bool = False
    """``slct`` takes a only if c > 0 (1.5; H9)."""
    clamp_symmetric: bool = False
    """A signed clamp reaches down to -MAX instead of MIN (1.1 step 4, 1.2, 1.3 step 4; H10)."""
    scale_before_sum: bool = False
    """``vmad`` shifts the product before adding c (1.2 step 4; H11)."""
    amount_wraps: bool = False
    """``shl`` and ``shr`` take the amount modulo the width (1.14; H12)."""
    quotient_down: bool = False
    """``div`` rounds down, and ``rem`` has the sign of b (1.14; H13)."""
    shift_to_zero: bool = False
    """``shr`` rounds towards zero (1.14; H14)."""
    average_up: bool = False
    """``vavrg`` rounds halves up (1.3 step 3; H15)."""
    average_to_zero: bool = False
    """``vavrg`` rounds halves towards zero (1.3 step 3; H17)."""
    magnitude_clamps: bool = False
    """``abs`` of the most negative number is the largest one (1.14; H16)."""


ISA = Rules()
"""The documented semantics, with exact intermediates (docs/semantics.md, 1)."""

Version = tuple[int, int]

OLDEST: Version = (11, 8)
NEWEST: Version = (13, 5)
"""The oldest and newest version of ptxas that were measured."""
TARGETS = "sm_70 and later"
"""The targets on which short sequences emulate the video instructions, and the errata apply."""


class Erratum(NamedTuple):
    """A difference from the documented result: an assembler's, or a mistaken reader's."""

    id: str
    forms: str
    """The affected forms, in words."""
    opcodes: tuple[str, ...]
    applies_to: Callable[[Form], bool]
    """Whether a form of these opcodes is affected."""
    rules: dict[str, bool]
    """The fields of Rules and the values that they are set to."""
    sentence: str
    example: tuple[str, dict[str, int], int, int]
    """A line, operand values by name, and the results of ``isa`` and ``ptxas``."""
    repaired_in: Version | None = None
    """The first version without the erratum."""
    remark: str = ""
    """A remark shown when errata are listed."""
    targets: str = TARGETS

    def __hash__(self) -> int:
        """Hash the id: the fields hold dicts, which have no hash."""
        return hash(self.id)

    def touches(self, form: Form) -> bool:
        """Whether the erratum covers this form; ``find_errata`` also checks for an effect."""
        return form.opcode in self.opcodes and self.applies_to(form)

    @property
    def versions(self) -> str:
        """The versions that have the erratum, as text."""
        oldest = "{}.{}".format(*OLDEST)
        if self.repaired_in:
            return f"{oldest} to {self.repaired_in[0]}.{self.repaired_in[1] - 1}"
        return "{} to {}.{} (newest known)".format(oldest, *NEWEST)
