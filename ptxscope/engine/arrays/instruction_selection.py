"""Instruction selection: a recording to NumPy calls, each in the narrowest sufficient type.

Selection starts from the results and requests each argument in its reader's type. Nodes that are
never read cause no call, and a node read in two types is copied once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..ir.tape import Node, Op, get_range
from ..isa.encodings import Range
from ..isa.types import Type
from .call_sequence import (
    DTYPES,
    ArrayView,
    Buffer,
    BufferKind,
    CallConstant,
    CallSequence,
    Function,
    NodeSelector,
    SelectorState,
    clip,
    extract_part,
    make_constant,
    select_gather,
    select_kept_lanes,
    select_lane_sum,
    select_pack,
)
from .demand import ALL_BITS, Recording, measure_gathered_bits
from .narrowing import MachineInt, find_common_type, get_unsigned_type, round_up_width

_MAX_DEPTH = 40
"""Maximum number of nodes on a path between two nodes of ``_list_distant_nodes``."""
_BYTE = get_unsigned_type(8)


def select_calls(recording: Recording) -> CallSequence:
    """Return the calls that compute a recording; raise WidthError if a node has no machine type."""
    state = SelectorState(recording, _SELECTORS)
    for node in _list_distant_nodes(recording):
        state.find_narrowest_view(node, 1)
    results = {
        role: state.read(node, get_unsigned_type(max(type_.bits, 8)))
        for role, (node, type_) in recording.results.items()
    }
    return CallSequence(tuple(state.steps), results)


def _list_distant_nodes(recording: Recording) -> Iterator[Node]:
    """Yield nodes to select first, so that no request for an argument nests too deeply.

    Only the plan of a long block has any.
    """
    depths: dict[Node, int] = {}
    for x in recording.needs:
        depths[x] = 1 + max((depths[y] for y in x.nodes), default=0)
        if depths[x] >= _MAX_DEPTH and x.op is not Op.KEEP:  # a KEEP only picks lanes
            yield x
            depths[x] = 0


# --- a function for each operation -------------------------------------------------------


def _select_source(s: SelectorState, x: Node) -> ArrayView:
    role, type_ = x.fixed
    bits = 8 if type_ is Type.PRED else type_.bits
    return ArrayView(Buffer(BufferKind.OPERAND, role), DTYPES[get_unsigned_type(bits)], 1)


def _make_ring_selector(function: Function) -> NodeSelector:
    """Make a selector for an operation whose low bits depend only on its arguments' low bits.

    If all bits count, the type truncates the surplus.
    """

    def select_node(s: SelectorState, x: Node) -> ArrayView:
        type_ = (
            s.choose_wide_type(x, *x.args)
            if s.count_needed_bits(x) < ALL_BITS
            else s.get_storage_type(x)
        )
        return s.append_call(function, type_, x.lanes, *(s.read_as(y, type_) for y in x.args))

    return select_node


def _select_from(s: SelectorState, x: Node) -> ArrayView:
    type_ = s.get_storage_type(x)
    (y,), (k,) = x.nodes, x.fixed
    return s.append_call(np.subtract, type_, x.lanes, make_constant(k, type_), s.read(y, type_))


def _select_quotient(s: SelectorState, x: Node) -> ArrayView:
    type_ = find_common_type(*(get_range(y) for y in x.args))
    return s.append_call(np.floor_divide, type_, x.lanes, *(s.read_as(y, type_) for y in x.args))


def _select_absolute(s: SelectorState, x: Node) -> ArrayView:
    (y,) = x.nodes
    type_ = find_common_type(x.range, y.range)
    return s.append_call(np.absolute, type_, x.lanes, s.read(y, type_))


def _select_bound(s: SelectorState, x: Node) -> ArrayView:
    """Select a minimum or maximum; "and" or "or" of truths; with a constant, clip at one end."""
    if len(x.nodes) == 2 and all(y.is_truth for y in x.nodes):
        logical = np.bitwise_and if x.op is Op.MINIMUM else np.bitwise_or
        return s.append_call(logical, _BYTE, x.lanes, *(s.read(y, _BYTE) for y in x.nodes))
    type_ = find_common_type(*(get_range(y) for y in x.args))
    y, bound = x.args
    assert isinstance(y, Node)
    if isinstance(bound, int):
        low, high = _get_type_range(type_)
        bounds = (low, bound) if x.op is Op.MINIMUM else (bound, high)
        return _clip_to_type(s, y, type_, *bounds)
    function = np.minimum if x.op is Op.MINIMUM else np.maximum
    return s.append_call(function, type_, x.lanes, s.read(y, type_), s.read(bound, type_))


def _get_type_range(type_: MachineInt) -> Range:
    info = np.iinfo(DTYPES[type_])
    return Range(int(info.min), int(info.max))


def _select_clip(s: SelectorState, x: Node) -> ArrayView:
    (y,) = x.nodes
    return _clip_to_type(s, y, find_common_type(y.range, Range(*x.fixed)), *x.fixed)


def _clip_to_type(s: SelectorState, x: Node, type_: MachineInt, low: int, high: int) -> ArrayView:
    ends_ = (make_constant(low, type_), make_constant(high, type_))
    return s.append_call(clip, type_, x.lanes, s.read(x, type_), *ends_)


def _select_average(s: SelectorState, x: Node) -> ArrayView:
    """Select half the sum, halves away from zero, in the type of the terms.

    p & q has the bits common to p and q, p ^ q the bits of only one, so (p & q) + (p ^ q) // 2 is
    half the sum, rounded down. It is one too low if p ^ q is odd and the half is not negative.
    """
    p, q = x.nodes
    type_ = find_common_type(p.range, q.range)

    def call(function: Function, *inputs: ArrayView | CallConstant) -> ArrayView:
        return s.append_call(function, type_, x.lanes, *inputs)

    one, differing = (
        make_constant(1, type_),
        call(np.bitwise_xor, s.read(p, type_), s.read(q, type_)),
    )
    rest = call(np.right_shift, differing, one)
    if not type_.signed:
        return call(np.subtract, call(np.bitwise_or, s.read(p, type_), s.read(q, type_)), rest)
    half = call(np.add, call(np.bitwise_and, s.read(p, type_), s.read(q, type_)), rest)
    sign = call(np.right_shift, half, make_constant(type_.bits - 1, type_))
    return call(np.add, half, call(np.bitwise_and, differing, call(np.add, sign, one)))


def _make_comparison_selector(function: Function) -> NodeSelector:
    def select_node(s: SelectorState, x: Node) -> ArrayView:
        type_ = find_common_type(*(get_range(y) for y in x.args))
        return s.append_truth_call(function, x.lanes, *(s.read_as(y, type_) for y in x.args))

    return select_node


def _select_not(s: SelectorState, x: Node) -> ArrayView:
    return s.append_call(
        np.bitwise_xor, _BYTE, x.lanes, s.read(x.nodes[0], _BYTE), make_constant(1, _BYTE)
    )


def _select_right_shift(s: SelectorState, x: Node) -> ArrayView:
    """Select a right shift in a type wide enough for x or the bits that count.

    NumPy allows any distance.
    """
    y, amount = x.args
    assert isinstance(y, Node)
    type_ = (
        s.choose_wide_type(y, y)
        if s.count_needed_bits(y) < ALL_BITS
        else find_common_type(y.range, get_range(amount))
    )
    return s.append_call(np.right_shift, type_, x.lanes, s.read(y, type_), s.read_as(amount, type_))


def _select_bitand(s: SelectorState, x: Node) -> ArrayView:
    type_ = s.choose_wide_type(x, *x.args)
    return s.append_call(np.bitwise_and, type_, x.lanes, *(s.read_as(y, type_) for y in x.args))


def _select_choice(s: SelectorState, x: Node) -> ArrayView:
    """Select a choice by masks, since ``np.where`` cannot write into an existing array."""
    condition, y, alternative = x.args
    assert isinstance(condition, Node)
    assert isinstance(y, Node)
    type_ = s.get_storage_type(x)

    def call(function: Function, *inputs: ArrayView | CallConstant) -> ArrayView:
        return s.append_call(function, type_, x.lanes, *inputs)

    if (
        y.op is Op.BITAND and y.args[0] is alternative and isinstance(y.args[1], int)
    ):  # y & mask, or y: the other mask is all ones
        less_one = call(np.subtract, s.read(condition, type_), make_constant(1, type_))
        kept_bits = call(np.bitwise_or, less_one, make_constant(y.args[1], type_))
        return call(np.bitwise_and, s.read_as(alternative, type_), kept_bits)
    mask = _make_condition_mask(s, condition, type_)
    if y.args[:1] == (alternative,) and y.op is Op.NEGATIVE:  # -y, or y: the complement of y - 1
        return call(np.subtract, call(np.bitwise_xor, s.read_as(alternative, type_), mask), mask)
    if alternative == 0:
        return call(np.bitwise_and, s.read(y, type_), mask)
    differing = call(np.bitwise_xor, s.read(y, type_), s.read_as(alternative, type_))
    return call(
        np.bitwise_xor, call(np.bitwise_and, differing, mask), s.read_as(alternative, type_)
    )


def _make_condition_mask(s: SelectorState, condition: Node, type_: MachineInt) -> ArrayView:
    """Return all ones if a condition is true, else 0, from a sign bit or from the negated truth."""
    signed = MachineInt(type_.bits, signed=True)
    negative = _find_negative_witness(s, condition, signed) if type_.bits > _BYTE.bits else None
    if negative is None:
        return s.append_call(np.negative, type_, condition.lanes, s.read(condition, type_))
    top = make_constant(type_.bits - 1, signed)
    return s.append_call(np.right_shift, signed, condition.lanes, negative, top).with_type(type_)


def _find_negative_witness(
    s: SelectorState, condition: Node, signed: MachineInt
) -> ArrayView | None:
    """Return a value that is negative exactly if a comparison with a constant is true.

    None if the condition is another, or the type has no room for the value.
    """
    if len(condition.args) < 2 or not isinstance(k := condition.args[1], int):
        return None
    (x,) = condition.nodes
    if condition.op is Op.GREATER_EQUAL and k == 1 << (signed.bits - 1):
        return s.read(x, signed) if x.range.fits_in(*get_unsigned_type(signed.bits)) else None
    low, high = x.range
    match condition.op:
        case Op.LESS | Op.LESS_EQUAL:
            k += condition.op is Op.LESS_EQUAL
            if not Range(low - k, high - k).fits_in(*signed):
                return None
            view = s.read(x, signed)
            return (
                s.append_call(np.subtract, signed, x.lanes, view, make_constant(k, signed))
                if k
                else view
            )
        case Op.GREATER | Op.GREATER_EQUAL:
            k -= condition.op is Op.GREATER_EQUAL
            if Range(k - high, k - low).fits_in(*signed):
                return s.append_call(
                    np.subtract, signed, x.lanes, make_constant(k, signed), s.read(x, signed)
                )
    return None


def _select_cast(s: SelectorState, x: Node) -> ArrayView:
    (y,), (bits, signed) = x.nodes, x.fixed
    type_ = MachineInt(round_up_width(bits), signed)
    if s.count_needed_bits(x) <= bits < s.find_narrowest_view(y, bits).bits:
        return s.find_narrowest_view(y, bits)
    if type_.bits == bits:
        if signed and s.count_needed_bits(x) > bits and _is_part_of_word(y, bits):
            return extract_part(s, y, signed=True)
        return s.read(y, type_)
    if not signed:
        low = make_constant((1 << bits) - 1, type_)
        return s.append_call(np.bitwise_and, type_, x.lanes, s.read(y, type_), low)
    distance = make_constant(type_.bits - bits, type_)
    top = s.append_call(np.left_shift, type_, x.lanes, s.read(y, type_), distance)
    return s.append_call(np.right_shift, type_, x.lanes, top, distance)


def _is_part_of_word(x: Node, bits: int) -> bool:
    """Whether a node is one part, of ``bits`` bits, of a 32-bit word."""
    return (
        x.op is Op.GATHER and x.lanes == 1 and x.fixed[0] == bits and measure_gathered_bits(x) <= 32
    )


_SELECTORS: Mapping[Op, NodeSelector] = {
    Op.SOURCE: _select_source,
    Op.ADD: _make_ring_selector(np.add),
    Op.SUBTRACT: _make_ring_selector(np.subtract),
    Op.MULTIPLY: _make_ring_selector(np.multiply),
    Op.DIVIDE: _select_quotient,
    Op.NEGATIVE: _make_ring_selector(np.negative),
    Op.REVERSE_SUBTRACT: _select_from,
    Op.ABSOLUTE: _select_absolute,
    Op.MINIMUM: _select_bound,
    Op.MAXIMUM: _select_bound,
    Op.CLIP: _select_clip,
    Op.SHIFT_LEFT: _make_ring_selector(np.left_shift),
    Op.SHIFT_RIGHT: _select_right_shift,
    Op.AVERAGE: _select_average,
    Op.LESS: _make_comparison_selector(np.less),
    Op.LESS_EQUAL: _make_comparison_selector(np.less_equal),
    Op.GREATER: _make_comparison_selector(np.greater),
    Op.GREATER_EQUAL: _make_comparison_selector(np.greater_equal),
    Op.EQUAL: _make_comparison_selector(np.equal),
    Op.NOT_EQUAL: _make_comparison_selector(np.not_equal),
    Op.NOT: _select_not,
    Op.WHERE: _select_choice,
    Op.BITAND: _select_bitand,
    Op.BITOR: _make_ring_selector(np.bitwise_or),
    Op.BITXOR: _make_ring_selector(np.bitwise_xor),
    Op.CAST: _select_cast,
    Op.GATHER: select_gather,
    Op.KEEP: select_kept_lanes,
    Op.PACK: select_pack,
    Op.SUM_LANES: select_lane_sum,
}
