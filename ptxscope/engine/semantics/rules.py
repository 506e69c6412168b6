"""The knobs by which one model's semantics differs from another's."""

from __future__ import annotations

from ..records import NamedTuple


class Rules(NamedTuple):
    """How a plan is lowered. The defaults are what the PTX ISA documents."""

    h1_takes_high: bool = False
    """``d.h1`` receives bits 31:16 of t, not its low 16."""
    clamp_upper: bool = True
    """``.sat`` to a word has an upper bound."""
    clamp_unsigned: bool = False
    """``.sat`` to a lane has only an upper bound, on t read as an unsigned number."""
    clamp_word: bool = False
    """``.sat`` with dsel clamps to 32 bits rather than to the lane."""
    shift_34: bool = False
    """``vshl.sat`` wraps the shifted value to 34 bits signed before it clamps."""
    cut_32: bool = False
    """t is cut to 32 bits and sign-extended before ``.min``/``.max``."""
    compare_64: bool = False
    """``.min``/``.max`` compare 64-bit numbers, unsigned where dtype is u32."""
    c_by_atype: bool = False
    """``vset.min/.max`` reads c by atype rather than unsigned."""
    words_signed: bool = False
    """A scaled or saturated ``vmad`` multiplies whole words as signed."""
    c_signed: bool = False
    """A scaled or saturated ``vmad`` sign-extends c."""
    sum_64: bool = False
    """A scaled or saturated ``vmad`` adds, shifts and clamps in 64 bits."""
    old_converted: bool = False
    """A false guard of ``set`` leaves d's old value to the conversion behind its choice."""
    declared_widths: bool = False
    """Wrap intermediates to the ``.s34`` and ``.s33`` that the manual's pseudo-code declares."""
    true_swapped: bool = False
    """``vset`` writes all ones for true and ``set`` writes 1."""
    average_down: bool = False
    """``vavrg`` rounds down."""
    average_even: bool = False
    """``vavrg`` rounds halves to the even neighbour."""
    add_clamps: bool = False
    """The ``.add`` of a secondary operation or of an accumulation clamps to 32 bits."""
    lanes_cut: bool = False
    """The lanes are cut to their width before they are accumulated."""
    masked_from_b: bool = False
    """Lanes outside the mask come from b."""
    true_minus_one: bool = False
    """``vset`` counts true as -1 where a second operation follows."""
    zero_takes_b: bool = False
    """``slct`` takes a where c > 0."""
    clamp_symmetric: bool = False
    """A signed clamp has -MAX as its lower bound, not MIN."""
    scale_before_sum: bool = False
    """``vmad`` shifts the product before c is added."""


ISA = Rules()
"""What the PTX ISA documents, with exact intermediates."""
