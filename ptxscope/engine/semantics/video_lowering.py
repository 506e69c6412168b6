"""The lowering of the video instructions (PTX ISA 9.7.18).

Docstrings cite the sections and steps of docs/semantics.md, and the errata (E…) and misconceptions
(H…) whose rules they implement.
"""

from __future__ import annotations

from ..isa.catalog import get_entry
from ..isa.encodings import Range, get_limits
from ..isa.types import Form, SecOp, Selector, ShiftMode, Type
from ..micro_operations.base import MicroOperation
from ..micro_operations.comparison import Compare
from ..micro_operations.numbers import (
    AbsoluteDifference,
    Add,
    Maximum,
    Minimum,
    Multiply,
    Negate,
    PlusOne,
    Subtract,
)
from ..micro_operations.properties import Stage
from ..micro_operations.selection import Select
from .plan import Builder, Lowering
from .rules import Rules

_OPERATIONS: dict[str, MicroOperation] = {
    opcode: micro
    for opcodes, micro in (
        ("vadd vadd2 vadd4", Add()),
        ("vsub vsub2 vsub4", Subtract()),
        ("vabsdiff vabsdiff2 vabsdiff4", AbsoluteDifference()),
        ("vmin vmin2 vmin4", Minimum()),
        ("vmax vmax2 vmax4", Maximum()),
    )
    for opcode in opcodes.split()
}
_SECONDARY: dict[SecOp, MicroOperation] = {
    SecOp.ADD: Add(),
    SecOp.MIN: Minimum(),
    SecOp.MAX: Maximum(),
}


def _build_operation(b: Builder, form: Form, rules: Rules, x: str, y: str, unit: int) -> str:
    """Apply the operation to lanes of ``unit`` bits (1.1 and 1.3, step 3; H1, H8)."""
    operation = Compare(form.cmp) if form.cmp else _find_operation(form.opcode)
    is_rounded = (
        rules.average_down or rules.average_to_zero or rules.average_up or rules.average_even
    )
    if is_rounded and form.opcode.startswith("vavrg"):
        return _build_average(b, rules, x, y)
    t = b.add_row(Stage.OPERATE, "t", operation, x, y)
    if rules.true_swapped and form.cmp:
        from ..micro_operations.logic import Encode  # loaded late: no other rule needs it

        t = b.add_row(Stage.OPERATE, "ones", Encode(get_limits(unit, signed=False).high), t)
    if rules.true_minus_one and form.cmp and form.secop:
        t = b.add_row(Stage.OPERATE, "minus", Negate(), t)
    return t


def _find_operation(opcode: str) -> MicroOperation:
    if opcode not in _OPERATIONS:
        from ..micro_operations.shifts import Average, ShiftLeft, ShiftRight  # loaded late

        return {"vshl": ShiftLeft, "vshr": ShiftRight}.get(opcode, Average)()
    return _OPERATIONS[opcode]


def _build_average(b: Builder, rules: Rules, x: str, y: str) -> str:
    """Build an average, with the rounding of a misconception: H3, H4, H15 or H17 (1.3)."""
    from ..micro_operations.shifts import ScaleDown

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
        from ..micro_operations.saturation import Wrap

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
        from ..micro_operations.shifts import LimitAmount

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

    The row is the documented clamp if no value can reveal a rule.
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
        return b.write_result(t, signed=signed)
    from ..micro_operations.merge import Merge, Pack

    high = rules.h1_takes_high and dsel == Selector(16, (1,))
    merge_key = b.add_row(Stage.MERGE, "t", Merge(dsel.unit, dsel.lanes, signed, high), t, "c")
    return {"d": b.add_row(Stage.WRITE, "d", Pack(dsel.unit), merge_key)}


def _lower_vmad(b: Builder, form: Form, rules: Rules) -> dict[str, str]:
    """Lower ``vmad`` (1.2; E10 to E12, H10, H11)."""
    from ..micro_operations.shifts import ScaleDown

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
    return b.write_result(t, signed=signed)


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
        from ..micro_operations.numbers import Accumulate

        if rules.lanes_cut:
            t = b.wrap(Stage.ACCUMULATE, "cut", t, unit, signed)
        # the bits of an unsigned c are its value: no row is needed
        c = b.extend(Stage.ACCUMULATE, "c", "c", 32, signed=True) if signed else "c"
        total = b.add_row(Stage.ACCUMULATE, "t", Accumulate(mask, lanes), t, c)
        if rules.add_clamps:
            total = b.clamp(total, *get_limits(32, signed), Stage.ACCUMULATE, "clamped")
        return b.write_result(total, signed=signed)
    from ..micro_operations.merge import Merge, Pack

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


LOWERINGS: dict[str, Lowering] = {
    **dict.fromkeys("vadd vsub vabsdiff vmin vmax vshl vshr vset".split(), _lower_scalar),
    "vmad": _lower_vmad,
    **dict.fromkeys("vadd2 vsub2 vabsdiff2 vmin2 vmax2 vavrg2 vset2".split(), _lower_simd),
    **dict.fromkeys("vadd4 vsub4 vabsdiff4 vmin4 vmax4 vavrg4 vset4".split(), _lower_simd),
}
"""The lowering of each opcode."""
