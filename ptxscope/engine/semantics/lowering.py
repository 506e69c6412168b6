"""The lowering of forms to plans (PTX ISA 9.7.6, 9.7.18).

Docstrings cite the sections and steps of docs/semantics.md, and the errata (E…) and misconceptions
(H…) whose rules they implement.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ..isa.catalog import get_entry
from ..isa.entry import Entry, Group
from ..isa.floats import encode_float
from ..isa.form import Form
from ..isa.integers import Range, get_limits
from ..isa.types import Cmp, Destinations, SecOp, Selector, ShiftMode, Type
from ..micro_operations.base import MicroOperation
from ..micro_operations.comparison import Compare
from ..micro_operations.float_bits import Flush, ToFloat
from ..micro_operations.logic import Choose, Combine, Encode, Not, SpreadTruth, TakeLane
from ..micro_operations.merge import Accumulate, Merge, Pack
from ..micro_operations.numbers import (
    AbsoluteDifference,
    Add,
    Average,
    Magnitude,
    Maximum,
    Minimum,
    Multiply,
    Negate,
    PlusOne,
    ScaleDown,
    Subtract,
)
from ..micro_operations.saturation import ToBits, Truncate, Wrap
from ..micro_operations.selection import Select
from ..micro_operations.shifts import LimitAmount, ShiftLeft, ShiftRight
from ..micro_operations.stage import Stage
from .plan import Builder, Plan
from .rules import ISA, Rules

_OPERATIONS: dict[str, MicroOperation] = {
    opcode: micro
    for opcodes, micro in (
        ("vadd vadd2 vadd4", Add()),
        ("vsub vsub2 vsub4", Subtract()),
        ("vabsdiff vabsdiff2 vabsdiff4", AbsoluteDifference()),
        ("vmin vmin2 vmin4", Minimum()),
        ("vmax vmax2 vmax4", Maximum()),
        ("vavrg2 vavrg4", Average()),
        ("vshl", ShiftLeft()),
        ("vshr", ShiftRight()),
    )
    for opcode in opcodes.split()
}
_SECONDARY: dict[SecOp, MicroOperation] = {
    SecOp.ADD: Add(),
    SecOp.MIN: Minimum(),
    SecOp.MAX: Maximum(),
}


@lru_cache(maxsize=1 << 12)
def lower(form: Form, rules: Rules = ISA, guard: bool | None = None) -> Plan:
    """Return the plan of a legal form.

    ``guard`` adds a last step that keeps the destination's old value if the predicate forbids the
    write: True stands for ``@!p``, False for ``@p``, None for no guard. It has no effect if the
    destination is discarded.
    """
    entry = get_entry(form)
    types = {operand.role: operand.get_type(form) for operand in entry.operands}
    builder = Builder(types | {"guard": Type.PRED})
    results = _find_lowering(entry)(builder, form, rules)
    if guard is not None and form.dst is not Destinations.SINK:  # a sink has no old value to keep
        builder.get_range("guard")  # sources are listed in order of first use
        old_values = {
            x: _convert_old_value(builder, form, x) if rules.old_converted else x for x in results
        }
        allowed = builder.add_row(Stage.GUARD, "guard", Not(), "guard") if guard else "guard"
        results = {
            role: builder.add_row(Stage.GUARD, role, Choose(), allowed, key, old_values[role])
            for role, key in results.items()
        }
    return builder.build_plan(form, results)


def is_choice_converted(form: Form) -> bool:
    """Whether ``set`` converts the choice of true or 0 before it writes d (2, E14)."""
    assert form.stype
    assert form.dtype
    return form.dtype.is_float or (form.stype.bits == 16 and form.dtype.bits == 32)


def _convert_old_value(b: Builder, form: Form, role: str) -> str:
    """Apply the conversion of ``set`` to d's old value (2, E14)."""
    assert form.stype
    assert form.dtype
    bits = 16 if form.stype.bits == 16 else 32
    # a half in a register is the low half of a word that it fills with zeros
    number = b.extend(Stage.GUARD, "number", role, form.dtype.bits, bits <= form.dtype.bits)
    number = b.wrap(Stage.GUARD, "low", number, bits, signed=True)
    if not form.dtype.is_float:
        return b.add_row(Stage.GUARD, "old", ToBits(32), number)
    number = b.add_row(Stage.GUARD, "magnitude", Magnitude(bits), number)
    return b.add_row(Stage.GUARD, "old", ToFloat(form.dtype), number)


# --- video (9.7.18) ----------------------------------------------------------------------


def _build_operation(b: Builder, form: Form, rules: Rules, x: str, y: str, unit: int) -> str:
    """Apply the operation to lanes of ``unit`` bits (1.1 and 1.3, step 3; H1, H8)."""
    operation = Compare(form.cmp) if form.cmp else _OPERATIONS[form.opcode]
    is_rounded = (
        rules.average_down or rules.average_to_zero or rules.average_up or rules.average_even
    )
    if isinstance(operation, Average) and is_rounded:
        return _build_average(b, rules, x, y)
    t = b.add_row(Stage.OPERATE, "t", operation, x, y)
    if rules.true_swapped and form.cmp:
        t = b.add_row(Stage.OPERATE, "ones", Encode(get_limits(unit, signed=False).high), t)
    if rules.true_minus_one and form.cmp and form.secop:
        t = b.add_row(Stage.OPERATE, "minus", Negate(), t)
    return t


def _build_average(b: Builder, rules: Rules, x: str, y: str) -> str:
    """Average, rounding down (H3), to even (H4), up (H15) or towards zero (H17): not as 1.3 has."""
    total = b.add_row(Stage.OPERATE, "sum", Add(), x, y)
    if rules.average_up or rules.average_to_zero:
        minus = b.add_row(Stage.OPERATE, "minus", Negate(), total)
        half = b.add_row(Stage.OPERATE, "half", ScaleDown(1), minus)
        if rules.average_up:
            return b.add_row(Stage.OPERATE, "t", Negate(), half)
        up = b.add_row(Stage.OPERATE, "up", Negate(), half)
        zero = b.add_row(Stage.OPERATE, "zero", Subtract(), x, x)
        bound = b.add_row(Stage.OPERATE, "bound", Minimum(), up, zero)
        down = b.add_row(Stage.OPERATE, "down", ScaleDown(1), total)
        return b.add_row(Stage.OPERATE, "t", Maximum(), down, bound)
    if rules.average_even:
        half = b.add_row(Stage.OPERATE, "half", ScaleDown(1), total)
        odd_bit = b.add_row(Stage.OPERATE, "odd", Wrap(1, signed=False), half)
        total = b.add_row(Stage.OPERATE, "even", Add(), total, odd_bit)
    return b.add_row(Stage.OPERATE, "t", ScaleDown(1), total)


# --- scalar video (9.7.18.1) -------------------------------------------------------------


def _lower_scalar(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower the scalar video instructions except ``vmad`` (1.1)."""
    unit = form.dsel.unit if form.dsel else 32
    signed = form.dtype is Type.S32
    x, y = _build_scalar_operand(b, form, "a"), _build_scalar_operand(b, form, "b")
    if form.mode:
        amount = LimitAmount(form.mode is ShiftMode.WRAP)
        y = b.add_row(Stage.OPERATE, "amount", amount, y)
    t = _build_operation(b, form, rules, x, y, unit)
    if rules.declared_widths:
        t = b.wrap(Stage.OPERATE, "s34", t, 34, signed=True)
    if form.sat:
        t = _build_saturation(b, t, get_limits(unit, signed), form, rules)
    if form.secop:
        t = _build_secondary(b, t, form, rules)
    return _build_write(b, t, form.dsel, signed, rules)


def _build_scalar_operand(b: Builder, form: Form, role: str, words_signed: bool = False) -> str:
    """Select and extend a or b (1.1, steps 1 and 2; words of ``vmad`` as signed: E10)."""
    selector = form.asel if role == "a" else form.bsel
    type_ = form.atype if role == "a" else form.btype
    unit, index = (selector.unit, selector.lanes[0]) if selector else (32, 0)
    part = b.add_row(Stage.SELECT, role, Select(unit, ((0, index),)), role)
    signed = type_ is Type.S32 or (words_signed and not selector)
    return b.extend(Stage.EXTEND, role, part, unit, signed)


def _build_saturation(b: Builder, t: str, bounds: Range, form: Form, rules: Rules) -> str:
    """Clamp t (1.1, step 4; E2 to E5, H10).

    If no value can reveal a rule, the row is the documented clamp.
    """
    if rules.shift_34:
        t = b.wrap(Stage.SATURATE, "s34", t, 34, signed=True)
    possible_range = b.get_range(t)
    word = get_limits(32, form.dtype is Type.S32)
    if rules.clamp_word and word.intersect(possible_range) != bounds.intersect(possible_range):
        bounds = word
    low, high = _find_bounds(bounds, rules)
    if rules.clamp_unsigned and possible_range.low < 0:
        t = b.wrap(Stage.SATURATE, "u64", t, 64, signed=False)
        return b.clamp(t, None, high)
    bounded = rules.clamp_upper or possible_range.high <= high
    return b.clamp(t, low, high if bounded else None)


def _find_bounds(limits: Range, rules: Rules) -> Range:
    """Return the bounds of a clamp to a type's range, symmetric under H10."""
    return Range(-limits.high, limits.high) if rules.clamp_symmetric and limits.low else limits


def _build_secondary(b: Builder, t: str, form: Form, rules: Rules) -> str:
    """Combine t with c (1.1, step 5; E6 to E9, E13, H5)."""
    assert form.secop
    signed = form.dtype is Type.S32
    c_signed = form.atype is Type.S32 if rules.c_by_atype else signed
    if rules.declared_widths:
        t = b.wrap(Stage.SECONDARY, "s33", t, 33, signed=True)
    if rules.cut_32:
        t = b.wrap(Stage.SECONDARY, "s32", t, 32, signed=True)
    c = b.extend(Stage.SECONDARY, "c", "c", 32, c_signed)
    if rules.compare_64:
        t = b.wrap(Stage.SECONDARY, "t64", t, 64, signed)
        c = b.wrap(Stage.SECONDARY, "c64", c, 64, signed)
    t = b.add_row(Stage.SECONDARY, "t", _SECONDARY[form.secop], t, c)
    if rules.add_clamps and form.secop is SecOp.ADD:
        t = b.clamp(t, *get_limits(32, signed), Stage.SECONDARY, "clamped")
    return t


def _build_write(
    b: Builder, t: str, dsel: Selector | None, signed: bool, rules: Rules
) -> dict[str, str]:
    """Merge into c if there is a dsel, and write the word (1.1, steps 6 and 7; E1)."""
    if dsel is None:
        return {"d": b.add_row(Stage.WRITE, "d", Truncate(32, signed), t)}
    high = rules.h1_takes_high and dsel == Selector(16, (1,))
    merge_key = b.add_row(Stage.MERGE, "t", Merge(dsel.unit, dsel.lanes, signed, high), t, "c")
    return {"d": b.add_row(Stage.WRITE, "d", Pack(dsel.unit), merge_key)}


def _lower_vmad(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``vmad`` (1.2; E10 to E12, H10, H11)."""
    signed = form.final_type is Type.S32
    x = _build_scalar_operand(b, form, "a", rules.words_signed)
    y = _build_scalar_operand(b, form, "b", rules.words_signed)
    t = b.add_row(Stage.OPERATE, "t", Multiply(), x, y)
    if form.nega != form.negb:
        t = b.add_row(Stage.OPERATE, "negated", Negate(), t)
    scale = form.scale
    if scale and rules.scale_before_sum:
        t = b.add_row(Stage.OPERATE, "scaled", ScaleDown(scale.amount), t)
        scale = None
    c = b.extend(Stage.SUM, "c", "c", 32, signed or rules.c_signed)
    if form.negc:
        c = b.add_row(Stage.SUM, "negated", Negate(), c)
    t = b.add_row(Stage.SUM, "t", Add(), t, c)
    if form.po:
        t = b.add_row(Stage.SUM, "po", PlusOne(), t)
    if scale:
        if rules.sum_64:
            t = b.wrap(Stage.SUM, "t64", t, 64, signed)
        t = b.add_row(Stage.SCALE, "t", ScaleDown(scale.amount), t)
    if form.sat:
        if rules.sum_64:
            t = b.wrap(Stage.SATURATE, "s64", t, 64, signed=True)
        t = b.clamp(t, *_find_bounds(get_limits(32, signed), rules))
    return {"d": b.add_row(Stage.WRITE, "d", Truncate(32, signed), t)}


# --- SIMD video (9.7.18.2) ---------------------------------------------------------------


def _lower_simd(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower the SIMD video instructions (1.3; H5 to H7, H10)."""
    lanes = get_entry(form).lanes
    unit = 32 // lanes
    signed = form.dtype is Type.S32
    mask = form.mask.lanes if form.mask else tuple(range(lanes))
    x = _build_simd_operand(b, form.asel, form.atype, "a", lanes)
    y = _build_simd_operand(b, form.bsel, form.btype, "b", lanes)
    t = _build_operation(b, form, rules, x, y, unit)
    if form.secop:
        if rules.lanes_cut:
            t = b.wrap(Stage.ACCUMULATE, "cut", t, unit, signed)
        # the bits of an unsigned c are its value: no row is needed
        c = b.extend(Stage.ACCUMULATE, "c", "c", 32, signed=True) if signed else "c"
        total = b.add_row(Stage.ACCUMULATE, "t", Accumulate(mask, lanes), t, c)
        if rules.add_clamps:
            total = b.clamp(total, *get_limits(32, signed), Stage.ACCUMULATE, "clamped")
        return {"d": b.add_row(Stage.WRITE, "d", Truncate(32, signed), total)}
    if form.sat:
        t = b.clamp(t, *_find_bounds(get_limits(unit, signed), rules))
    kept_operands = () if len(mask) == lanes else ("b" if rules.masked_from_b else "c",)
    merge_key = b.add_row(Stage.MERGE, "t", Merge(unit, mask, signed), t, *kept_operands)
    return {"d": b.add_row(Stage.WRITE, "d", Pack(unit), merge_key)}


def _build_simd_operand(
    b: Builder, selector: Selector | None, type_: Type | None, role: str, lanes: int
) -> str:
    """Select and extend the lanes of a or b from the pair {b, a} (1.3, steps 1 and 2)."""
    first_lane = 0 if role == "a" else lanes
    digits = selector.lanes if selector else range(first_lane, first_lane + lanes)
    words = sorted({digit // lanes for digit in digits})
    picks = tuple((words.index(digit // lanes), digit % lanes) for digit in digits)
    part = b.add_row(Stage.SELECT, role, Select(32 // lanes, picks), *("ab"[i] for i in words))
    return b.extend(Stage.EXTEND, role, part, 32 // lanes, type_ is Type.S32)


# --- comparison and selection (9.7.6) ----------------------------------------------------


def _build_comparison(b: Builder, form: Form) -> str:
    """Compare a and b for ``set`` and ``setp``, flushed first with ``.ftz`` (1.4).

    Of two halves in a word, each is a lane.
    """
    assert form.cmp
    assert form.stype
    type_, keys = form.stype.lane_type, ["a", "b"]
    if form.stype.lanes > 1:
        halves = Select(16, ((0, 0), (0, 1)))
        keys = [b.add_row(Stage.SELECT, role, halves, role) for role in "ab"]
    if form.ftz:
        keys = [
            b.add_row(Stage.FLUSH, role, Flush(type_), key)
            for role, key in zip("ab", keys, strict=True)
        ]
    return b.add_row(Stage.COMPARE, "t", Compare(form.cmp, type_), *keys)


def _build_condition(b: Builder, form: Form, stage: Stage) -> str:
    """Return the predicate c, negated if it is written ``!c`` (1.4, 1.5)."""
    return b.add_row(stage, "c", Not(), "c") if form.negc else "c"


def _combine_with_c(b: Builder, form: Form, t: str) -> str:
    """Combine each lane of t with c if there is a Boolean operator (1.4)."""
    if form.boolop is None:
        return t
    c = _build_condition(b, form, Stage.BOOLEAN)
    if (lanes := b.rows[t].lanes) > 1:
        c = b.add_row(Stage.BOOLEAN, "each", SpreadTruth(lanes), c)
    return b.add_row(Stage.BOOLEAN, "t", Combine(form.boolop), t, c)


def _lower_set(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``set`` (1.4, 1.6; H2); its guard under E14 is ``_convert_old_value``."""
    assert form.dtype
    assert form.stype
    t = _combine_with_c(b, form, _build_comparison(b, form))
    lanes = form.stype.lanes
    type_ = form.dtype.lane_type
    if type_.is_float:
        true = encode_float(1.0, type_)
    else:
        true = 1 if rules.true_swapped else (1 << form.dtype.bits // lanes) - 1
    if lanes == 1:
        return {"d": b.add_row(Stage.WRITE, "d", Encode(true, type_), t)}
    t = b.add_row(Stage.MERGE, "t", Encode(true, type_ if type_.is_float else Type.B16), t)
    return {"d": b.add_row(Stage.WRITE, "d", Pack(16), t)}


def _lower_setp(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``setp``; q is written from the negation of t, or from the high halves (1.4, 1.6)."""
    assert form.stype
    t = _build_comparison(b, form)
    if form.stype.lanes > 1:
        return _take_halves(b, form, _combine_with_c(b, form, t))
    result_keys = {"p": t}
    if form.dst in (Destinations.P_Q, Destinations.SINK_Q):
        result_keys["q"] = b.add_row(Stage.BOOLEAN, "not", Not(), t)
    if form.dst is Destinations.SINK_Q:
        del result_keys["p"]
    if form.boolop:
        c = _build_condition(b, form, Stage.BOOLEAN)
        for role, key in result_keys.items():
            result_keys[role] = b.add_row(Stage.BOOLEAN, role, Combine(form.boolop), key, c)
    return {
        role: b.add_row(Stage.WRITE, role, Truncate(1, signed=False), key)
        for role, key in result_keys.items()
    }


def _take_halves(b: Builder, form: Form, t: str) -> dict[str, str]:
    """Write the low lane to p and the high lane to q (1.6)."""
    roles = {Destinations.P_Q: "pq", Destinations.SINK_Q: "q"}.get(form.dst or Destinations.P, "p")
    return {role: b.add_row(Stage.WRITE, role, TakeLane("pq".index(role), 2), t) for role in roles}


def _lower_selp(b: Builder, form: Form, _: Rules) -> dict[str, str]:
    """Lower ``selp`` (1.5)."""
    assert form.stype
    c = _build_condition(b, form, Stage.CHOOSE)
    choice = b.add_row(Stage.CHOOSE, "t", Choose(), c, "a", "b")
    return {"d": b.add_row(Stage.WRITE, "d", Truncate(form.stype.bits, signed=False), choice)}


def _lower_slct(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``slct``; ``.ftz`` flushes c first (1.5; H9)."""
    assert form.dtype
    c = b.add_row(Stage.FLUSH, "c", Flush(), "c") if form.ftz else "c"
    cmp = Cmp.GT if rules.zero_takes_b else Cmp.GE
    condition = b.add_row(Stage.COMPARE, "t", Compare(cmp, form.ctype), c)
    choice = b.add_row(Stage.CHOOSE, "t", Choose(), condition, "a", "b")
    return {"d": b.add_row(Stage.WRITE, "d", Truncate(form.dtype.bits, signed=False), choice)}


_Lowering = Callable[[Builder, Form, Rules], dict[str, str]]
_BY_GROUP: dict[Group, _Lowering] = {Group.SCALAR: _lower_scalar, Group.SIMD: _lower_simd}
_BY_OPCODE: dict[str, _Lowering] = {
    "set": _lower_set,
    "setp": _lower_setp,
    "selp": _lower_selp,
    "slct": _lower_slct,
    "vmad": _lower_vmad,
}
"""The opcodes that are not lowered like the rest of their group."""


def _find_lowering(entry: Entry) -> _Lowering:
    lowering = _BY_OPCODE.get(entry.opcode) or _BY_GROUP.get(entry.group)
    if lowering is not None:
        return lowering
    # loaded on first use: its micro-operations would take 3 % of the start of every `trace`
    from .integer_lowering import LOWERINGS

    return LOWERINGS[entry.opcode]
