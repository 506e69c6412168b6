"""The instructions as data: the only source of what the package knows about their syntax."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from .arithmetic_entries import ARITHMETIC_ENTRIES
from .common_entries import COMMON_ENTRIES
from .constraints import (
    C_WITH_BOOLOP,
    CMP_FITS,
    FTZ_FITS,
    FTZ_FITS_C,
    NEEDS_F64,
    NEEDS_FTZ,
    NOT_C_SELP,
    SETP_DESTINATIONS,
    SINK_ALONE,
)
from .entry import ANY_VERSION, Entry, Group, SlotPlace, make_operands
from .form import Form
from .half_entries import HALF_ENTRIES
from .integer_entries import INTEGER_ENTRIES
from .syntax_line import NUMBERS, read_syntax
from .types import Type
from .video_entries import VIDEO_ENTRIES

ENTRIES: tuple[Entry, ...] = (
    Entry(
        *read_syntax(
            "set.cmp{.and|.or|.xor}{.ftz}.dtype.stype d, a, b{, {!}c}",
            dtype=(Type.U32, Type.S32, Type.F32),
        ),
        Group.COMPARE,
        "9.7.6.1",
        "all ones (or 1.0f) if a CMP b, else 0",
        make_operands(d="dtype", a="stype", b="stype", c=Type.PRED),
        ("set.lt.and.f32.s32 d, a, b, c", {"a": 0xFFFFFFFF, "b": 1, "c": 1}),
        ANY_VERSION,
        constraints=(CMP_FITS, FTZ_FITS, *C_WITH_BOOLOP),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="all 1s if a CMP b",
        words="compare comparison test ones less greater equal unordered nan",
    ),
    Entry(
        *read_syntax(
            "setp.cmp{.and|.or|.xor}{.ftz}.stype p{|q}, a, b{, {!}c}", dst=SETP_DESTINATIONS
        ),
        Group.COMPARE,
        "9.7.6.2",
        "p = t {BOOL c}, q = !t {BOOL c}; t = a CMP b",
        make_operands(p=Type.PRED, q=Type.PRED, a="stype", b="stype", c=Type.PRED),
        ("setp.lt.and.f32 p|q, a, b, c", {"a": 0x7FC00000, "b": 0, "c": 1}),
        ANY_VERSION,
        constraints=(CMP_FITS, FTZ_FITS, *C_WITH_BOOLOP),
        remarks=(SINK_ALONE,),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="p, q from a CMP b",
        words="compare comparison test predicate condition branch less greater equal unordered nan",
    ),
    Entry(
        *read_syntax("selp.stype d, a, b, {!}c"),
        Group.COMPARE,
        "9.7.6.3",
        "a if the predicate c is true, else b",
        make_operands(d="stype", a="stype", b="stype", c=Type.PRED),
        ("selp.b32 d, a, b, c", {"a": 0x11111111, "b": 0x22222222, "c": 1}),
        ANY_VERSION,
        remarks=(NOT_C_SELP,),
        requirements=(NEEDS_F64,),
        brief="c ? a : b",
        data_roles="ab",
        words="select choose pick ternary conditional move mux predicate if else",
    ),
    Entry(
        *read_syntax(
            "slct{.ftz}.dtype.ctype d, a, b, c", dtype=NUMBERS, ctype=(Type.S32, Type.F32)
        ),
        Group.COMPARE,
        "9.7.6.4",
        "a if c >= 0, else b",
        make_operands(d="dtype", a="dtype", b="dtype", c="ctype"),
        ("slct.u32.f32 d, a, b, c", {"a": 1, "b": 2, "c": 0x80000000}),
        ANY_VERSION,
        constraints=(FTZ_FITS_C,),
        requirements=(NEEDS_FTZ, NEEDS_F64),
        brief="c >= 0 ? a : b",
        words="select choose pick ternary conditional move mux sign if else",
    ),
    *VIDEO_ENTRIES,
    *INTEGER_ENTRIES,
    *ARITHMETIC_ENTRIES,
    *HALF_ENTRIES,
    *COMMON_ENTRIES,
)
"""The entries, those of one opcode together: first the 27, in the order of the PTX ISA."""


def _group_by_opcode() -> dict[str, tuple[Entry, ...]]:
    entries: dict[str, tuple[Entry, ...]] = {}
    for entry in ENTRIES:
        entries[entry.opcode] = (*entries.get(entry.opcode, ()), entry)
    return entries


_SHAPES = _group_by_opcode()
CATALOG: dict[str, Entry] = {opcode: shapes[0] for opcode, shapes in _SHAPES.items()}
"""The first entry of each opcode; ``find_entry`` and ``get_entry`` find the others."""
MOVES = frozenset(x.opcode for x in ENTRIES if x.is_move)


def list_shapes(opcode: str) -> tuple[Entry, ...]:
    """Return the entries of an opcode, the default first; none if the catalog lacks it."""
    return _SHAPES.get(opcode, ())


def find_entry(opcode: str, modifiers: Collection[str]) -> Entry | None:
    """Return the entry of an opcode with these modifiers, spelled without their dots.

    None if the catalog lacks the opcode, or has it with other types only, as ``add.f32``.
    """
    shape = _select_shape(list_shapes(opcode), modifiers)
    return shape if shape and shape.foreign_types.isdisjoint(modifiers) else None


def _select_shape(shapes: tuple[Entry, ...], modifiers: Collection[str]) -> Entry | None:
    """Return the shape that a modifier distinguishes, or the default one; None for neither."""
    defaults = (entry for entry in shapes if not entry.distinguishing_modifiers)
    matches = (
        entry for entry in shapes if not entry.distinguishing_modifiers.isdisjoint(modifiers)
    )
    return next(matches, next(defaults, None))


def find_carry_noun(opcode: str) -> str:
    """Return what the carry flag is to an opcode: ``carry``, ``borrow``; empty if it has none."""
    return next((x.carry_noun for x in list_shapes(opcode) if x.carry_noun), "")


def get_entry(form: Form) -> Entry:
    """Return the entry of a form."""
    shapes = _SHAPES[form.opcode]
    return shapes[0] if len(shapes) == 1 else _find_shape(form)


@lru_cache(maxsize=1 << 12)
def _find_shape(form: Form) -> Entry:
    shapes = _SHAPES[form.opcode]
    slots = [slot for entry in shapes for slot in entry.slots if slot.place is SlotPlace.MODIFIER]
    match = _select_shape(shapes, {slot.format_value(form.get(slot.name)) for slot in slots})
    assert match
    return match
