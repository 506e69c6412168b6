"""Classification of words as opcodes: one of the 27 instructions, another of PTX, or misspelt."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from ..isa.catalog import CATALOG
from .errors import find_closest_spelling

OPCODES = frozenset(CATALOG)
"""The opcodes of the 27 instructions."""
OTHER_OPCODES = (
    frozenset(
        """
        abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra
        brev brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta
        discard div dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep
        istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov
        movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp
        red redux rem ret rsqrt sad setmaxnreg shf shfl shl shr sin sqrt st stackrestore stacksave
        stmatrix sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq
        vote wgmma wmma xor
        """.split()
    )
    - OPCODES
)
"""The opcodes of the other PTX instructions."""
_LIKENESS = 0.75
"""Minimum similarity of a misspelling to the opcode meant."""


def is_other_opcode(word: str) -> bool:
    """Whether a word is an opcode of PTX, but not of the 27 instructions."""
    return word in OTHER_OPCODES


@lru_cache(maxsize=1 << 14)
def is_misspelt(word: str) -> bool:
    """Whether a word is not an opcode but resembles one of the 27 instructions."""
    if word in OPCODES or word in OTHER_OPCODES:
        return False
    return find_closest_spelling(word, list(CATALOG), _LIKENESS) is not None


def is_meant(word: str) -> bool:
    """Whether a word is an opcode of the 27 instructions, or a misspelling of one."""
    return word in OPCODES or is_misspelt(word)


def make_alternation(words: frozenset[str]) -> str:
    """Return a regular expression for any of some words that tries few of them at each position."""
    groups = groupby(sorted(words, reverse=True), key=lambda word: word[0])
    return "|".join(f"{initial}(?:{'|'.join(x[1:] for x in group)})" for initial, group in groups)
