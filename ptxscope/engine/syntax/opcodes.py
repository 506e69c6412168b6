"""Classification of words as opcodes: of the catalog, of other PTX instructions, or misspelt.

Some opcodes have forms that the catalog lacks: ``add.f32``, ``mad.rn.f32``. Some instructions occur
in all code: ``add.u32``, ``and.b32``. Readers of listings skip both; if all instructions of a group
are common, its opcodes are treated like opcodes that the catalog lacks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import groupby

from ..isa.catalog import CATALOG, ENTRIES, find_entry, list_shapes
from ..isa.entry import Group
from ..isa.grammar import map_spellings
from .errors import find_closest_spelling, format_names

# --- opcodes that the catalog lacks, by kind ---------------------------------------------

ONE_TYPE = frozenset("copysign cos cvta ex2 fma lg2 rcp rsqrt sin sqrt tanh".split())
"""Opcodes whose operands all have the instruction's type."""
JUMPS = frozenset(("bra",))
BRANCHES = JUMPS | {"brx"}
"""Opcodes whose last operand is a label, or a list of labels."""
RETURNS = frozenset(("exit", "ret"))
ENDS = RETURNS | {"trap"}
NEVER_FALLS_THROUGH = BRANCHES | ENDS
"""Opcodes after which the next statement is reached only under a guard."""
CALLS = frozenset(("call",))
"""Opcodes with a destination only if the first operand is a list: ``(r)``."""
BARRIERS = frozenset(("bar", "barrier"))
"""Opcodes with a destination only if they reduce values."""
REDUCING = "red"
"""The modifier with which a barrier has a destination."""
COLLECTIVES = frozenset("elect match redux shfl vote".split())
"""Opcodes by which the threads of a warp exchange values."""
ADDRESS_CONVERSIONS = frozenset(("cvta",))
FENCES = frozenset(("fence", "membar"))
LOADS = frozenset(("ld", "ldu"))
STORES = frozenset(("st",))
ATOMICS = frozenset(("atom", "red"))
WAITS = frozenset(
    """
    applypriority brkpt discard griddepcontrol nanosleep pmevent prefetch prefetchu setmaxnreg
    """.split()
)
"""Opcodes that change neither registers nor memory."""
WITHOUT_DESTINATION = (NEVER_FALLS_THROUGH | BARRIERS | FENCES | STORES | WAITS) | frozenset(
    "cp red stackrestore stmatrix sured sust".split()
)
FREEING = "dealloc"
"""A modifier that leaves an instruction without a destination."""
WITHOUT_RESULT = (WITHOUT_DESTINATION | CALLS | LOADS) | frozenset(
    "alloca clusterlaunchcontrol ldmatrix mbarrier multimem tcgen05 tensormap wgmma".split()
)
"""Opcodes that compute no register from others. The result of a load counts as an input."""
_ABSENT = (ONE_TYPE | WITHOUT_RESULT | COLLECTIVES | ATOMICS) | frozenset(
    """
    activemask createpolicy getctarank isspacep istypep mapa mma movmatrix stacksave suld suq testp
    tex tld4 txq wmma
    """.split()
)
"""All opcodes that the catalog lacks."""
WITHOUT_MODIFIERS = NEVER_FALLS_THROUGH | BARRIERS | CALLS | {"brkpt"}
"""Opcodes that need no modifier."""
VALUE_PLACES = {**dict.fromkeys(LOADS, 0), **dict.fromkeys(STORES, 1)}
"""The position of the value among the operands of a load or store; the other is the address."""
ADDRESS_PLACES = {"atom": 1, "red": 0}
"""The position of the address among the operands of an atomic operation."""


# --- classification ----------------------------------------------------------------------

OPCODES = frozenset(x.opcode for x in CATALOG.values() if x.group is not Group.COMMON)
"""The opcodes of the catalog that readers look for in a listing."""
SHARED_OPCODES = frozenset(
    opcode
    for opcode in OPCODES
    if any(shape.is_common for shape in list_shapes(opcode)) or find_entry(opcode, ()) is None
)
"""Opcodes of the catalog that common instructions, or instructions outside the catalog, share."""
RARE_MODIFIERS = frozenset(
    modifier
    for entry in ENTRIES
    if entry.opcode in SHARED_OPCODES and entry.group is not Group.COMMON
    for modifier in (*map_spellings(entry), *entry.distinguishing_modifiers)
    if modifier not in ("lo", "hi")
)
"""The modifiers that make such an opcode a rarer instruction of the catalog."""
OTHER_OPCODES = (_ABSENT | CATALOG.keys()) - OPCODES
"""PTX opcodes that the catalog lacks, and the opcodes of its common instructions."""
ALL_OPCODES = OPCODES | OTHER_OPCODES
TYPES = frozenset(
    """
    b1 b8 b16 b32 b64 b128 s2 s4 s8 s16 s32 s64 u2 u4 u8 u16 u32 u64 f16 f16x2 f32 f32x2 f64 bf16
    bf16x2 tf32 e2m1 e2m1x2 e2m3 e2m3x2 e3m2 e3m2x2 e4m3 e4m3x2 e5m2 e5m2x2 ue8m0 ue8m0x2 s16x2
    u16x2 s8x4 u8x4 pred
    """.split()
)
"""The types in PTX mnemonics."""
_LIKENESS = 0.75
"""Minimum similarity of a misspelling to the opcode meant."""
_DIGITS = "0123456789"


def is_computing(opcode: str, modifiers: Collection[str]) -> bool:
    """Whether an opcode with modifiers is a PTX instruction that computes a register."""
    return opcode in ALL_OPCODES and bool(modifiers) and opcode not in WITHOUT_RESULT


def suggest_opcodes(word: str) -> tuple[str, ...]:
    """Return the opcodes of the catalog that a misspelt one may mean: the closest, or none.

    An opcode with another width may mean any width: ``vadd5`` means vadd, vadd2 or vadd4.
    """
    closest = find_closest_spelling(word, list(CATALOG))
    if closest is None or closest == word.lower():
        return (closest,) if closest else ()
    stem = word.rstrip(_DIGITS)
    return tuple(x for x in CATALOG if x.rstrip(_DIGITS) == stem) or (closest,)


def format_opcode_question(opcodes: Sequence[str]) -> str:
    """Return a question on some opcodes, ``did you mean `vadd` or `vadd2`?``; empty for none."""
    return f"did you mean {format_names([f'`{x}`' for x in opcodes], 'or')}?" if opcodes else ""


@lru_cache(maxsize=1 << 14)
def is_misspelt(word: str) -> bool:
    """Whether a word is not an opcode but resembles an instruction of the catalog."""
    if word in ALL_OPCODES:
        return False
    return find_closest_spelling(word, DISTINCT_OPCODES, _LIKENESS) is not None


DISTINCT_OPCODES = [
    opcode
    for opcode in CATALOG
    if opcode in OPCODES and opcode.removesuffix("c") not in SHARED_OPCODES
]
"""The opcodes that resemble no other word; only these are recognised if they are misspelt."""


def is_unchecked(opcode: str, modifiers: Collection[str]) -> bool:
    """Whether an opcode with modifiers is a common instruction, or one that the catalog lacks."""
    if opcode not in SHARED_OPCODES:
        return False
    if RARE_MODIFIERS.isdisjoint(modifiers):
        return True
    entry = find_entry(opcode, modifiers)
    return entry is None or entry.group is Group.COMMON


def looks_like_opcode(word: str) -> bool:
    """Whether a word is an opcode of the catalog, or a misspelling of one."""
    return word in OPCODES or is_misspelt(word)


def make_opcode_pattern() -> str:
    """Return a regular expression for the opcodes to read, if their modifiers identify them.

    It excludes unchecked instructions (``is_unchecked``), except of other types.
    """
    certain, shared = make_alternation(OPCODES - SHARED_OPCODES), make_alternation(SHARED_OPCODES)
    rare = rf"(?:\s*+\.\w++)*?\s*+\.(?:{make_alternation(RARE_MODIFIERS)})(?![\w$])"
    return rf"(?:{certain})|(?:{shared})(?={rare})"


def make_alternation(words: frozenset[str]) -> str:
    """Return a regular expression for some words that tries few alternatives per position."""
    groups = groupby(sorted(words, reverse=True), key=lambda word: word[0])
    return "|".join(f"{initial}(?:{'|'.join(x[1:] for x in group)})" for initial, group in groups)
