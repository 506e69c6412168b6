"""Classification of words as opcodes: one of the catalog, another of PTX, or misspelt.

The opcodes of some instructions belong to others, too, which the catalog lacks: ``add.f32``,
``mad.rn.f32``. And some instructions stand in all code: ``add.u32``, ``and.b32``. Readers of
listings pass over both; the opcodes of a group that is common altogether are like those that the
catalog lacks.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from itertools import groupby

from ..isa.catalog import CATALOG, ENTRIES, find_entry, list_shapes
from ..isa.entry import Group
from ..isa.grammar import map_spellings
from .errors import find_closest_spelling

OPCODES = frozenset(x.opcode for x in CATALOG.values() if x.group is not Group.COMMON)
"""The opcodes of the catalog that a listing is read for."""
_SHARED_OPCODES = frozenset(
    x
    for x in OPCODES
    if any(shape.is_common for shape in list_shapes(x)) or find_entry(x, ()) is None
)
"""The opcodes of common instructions, and of others than those of the catalog."""
_RARE_MODIFIERS = frozenset(
    modifier
    for entry in ENTRIES
    if entry.opcode in _SHARED_OPCODES and entry.group is not Group.COMMON
    for modifier in (*map_spellings(entry), *entry.distinguishing_modifiers)
    if modifier not in ("lo", "hi")
)
"""The modifiers with which such an opcode is an instruction to read."""
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
"""Opcodes of PTX that the catalog lacks, and those of its common instructions."""
ALL_OPCODES = OPCODES | OTHER_OPCODES
_WITHOUT_RESULT = frozenset(
    """
    alloca applypriority bar barrier bra brkpt brx call clusterlaunchcontrol cp discard exit fence
    griddepcontrol ld ldmatrix ldu mbarrier membar multimem nanosleep pmevent prefetch prefetchu red
    ret setmaxnreg st stackrestore stmatrix sust tcgen05 tensormap trap wgmma
    """.split()
)
"""Opcodes that compute no register from others. The result of a load counts as an input."""
_LIKENESS = 0.75
"""Minimum similarity of a misspelling to the opcode meant."""


def is_other_opcode(word: str) -> bool:
    """Whether a word is an opcode of PTX for which no listing is read."""
    return word in OTHER_OPCODES


def is_computing(opcode: str, modifiers: Collection[str]) -> bool:
    """Whether an opcode with modifiers is an instruction of PTX that computes a register."""
    is_known = opcode in OTHER_OPCODES or opcode in OPCODES
    return is_known and bool(modifiers) and opcode not in _WITHOUT_RESULT


@lru_cache(maxsize=1 << 14)
def is_misspelt(word: str) -> bool:
    """Whether a word is not an opcode but resembles an instruction of the catalog."""
    if word in OPCODES or word in OTHER_OPCODES:
        return False
    return find_closest_spelling(word, DISTINCT_OPCODES, _LIKENESS) is not None


DISTINCT_OPCODES = [
    x for x in CATALOG if x in OPCODES and x.removesuffix("c") not in _SHARED_OPCODES
]
"""The opcodes that nothing else looks like; only these are recognised if they are misspelt."""


def is_passed_over(opcode: str, modifiers: Collection[str]) -> bool:
    """Whether an opcode with modifiers is common, or another instruction than the catalog's."""
    if opcode not in _SHARED_OPCODES:
        return False
    if _RARE_MODIFIERS.isdisjoint(modifiers):
        return True
    entry = find_entry(opcode, modifiers)
    return entry is None or entry.group is Group.COMMON


def is_meant(word: str) -> bool:
    """Whether a word is an opcode of the catalog, or a misspelling of one."""
    return word in OPCODES or is_misspelt(word)


def make_opcode_pattern() -> str:
    """Return a regular expression for the opcodes to read, if their modifiers show that they are.

    It excludes what ``is_passed_over``, except for instructions of other types.
    """
    certain, shared = make_alternation(OPCODES - _SHARED_OPCODES), make_alternation(_SHARED_OPCODES)
    return rf"(?:{certain})|(?:{shared})(?={_make_rare_pattern()})"


def make_other_opcode_pattern() -> str:
    """Return a regular expression for the other opcodes."""
    others, shared = make_alternation(OTHER_OPCODES), make_alternation(_SHARED_OPCODES)
    return rf"(?:{others}|(?:{shared})(?!{_make_rare_pattern()}))(?![\w$])"


def _make_rare_pattern() -> str:
    return rf"(?:\s*+\.\w++)*?\s*+\.(?:{make_alternation(_RARE_MODIFIERS)})(?![\w$])"


def make_alternation(words: frozenset[str]) -> str:
    """Return a regular expression for any of some words that tries few of them at each position."""
    groups = groupby(sorted(words, reverse=True), key=lambda word: word[0])
    return "|".join(f"{initial}(?:{'|'.join(x[1:] for x in group)})" for initial, group in groups)
