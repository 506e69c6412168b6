"""What can go wrong at one row: the same row with another micro-operation, or other inputs.

A table by micro-operation. A slip is run by the engine like any plan; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..engine.isa.integers import get_limits
from ..engine.isa.types import BoolOp, Cmp, Type
from ..engine.records import NamedTuple
from ..engine.semantics import micro_operations as m
from ..engine.semantics.micro_operation import Flag, MicroOperation
from ..engine.semantics.plan import Plan, Row, Source, Stage
from ..engine.tracing.lane_text import (
    UNIT_NAMES,
    format_integer_type,
    format_relation,
    format_short_name,
)
from ..engine.tracing.trace import RowTrace, Trace
from .question import WORD, find_clamp_type, get_visible_operands

PREVIOUS_RESULT = ""
"""As an input of a later link of a chain: what the link before gave."""
IDENTITY = m.Clamp(None, None)
"""Leaves a value as it is."""
Chain = tuple[tuple[MicroOperation, tuple[str, ...]], ...]


class RowMutation(NamedTuple):
    """A row worked otherwise."""

    description: str
    """Completes "You …"."""
    operations: Chain
    """What was done instead, one after the other."""
    weight: int = 1
    """How far-fetched it is."""
    instead: str = ""
    """What was right instead, behind ``did``; it may tell the answer."""


class MutationSite(NamedTuple):
    """The row that is worked otherwise, and the lane that is asked about."""

    trace: Trace
    row: RowTrace
    lane: int | None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Where the row's inputs come from."""
        return self.row.input_keys

    def format_input(self, index: int) -> str:
        """What an input is called: a row's name, or an operand's."""
        key = self.row.input_keys[index]
        known = self.trace.rows.get(key)
        return known.name if known else format_short_name(self.trace, key)

    def replace_operation(
        self, did: str, micro: MicroOperation, weight: int = 1, instead: str = ""
    ) -> RowMutation:
        """Another micro-operation on the same inputs."""
        return RowMutation(did, ((micro, self.inputs),), weight, instead)

    def keep_first_input(self, did: str, weight: int = 1) -> RowMutation:
        """The first input as it is."""
        return RowMutation(did, ((IDENTITY, self.inputs[:1]),), weight)

    def swap_inputs(self, did: str, weight: int = 1) -> RowMutation:
        """The same with its last two inputs exchanged."""
        *rest, x, y = self.inputs
        return RowMutation(did, ((self.row.micro, (*rest, y, x)),), weight)

    def append_operation(self, did: str, *links: MicroOperation, weight: int = 1) -> RowMutation:
        """The same, and something else with what it gives."""
        more = tuple((link, (PREVIOUS_RESULT,)) for link in links)
        return RowMutation(did, ((self.row.micro, self.inputs), *more), weight)


def iter_mutations(trace: Trace, row: RowTrace, lane: int | None) -> Iterator[RowMutation]:
    """Every way in which a row is easily worked otherwise."""
    at = MutationSite(trace, row, lane)
    worked, known = _SLIPS.get(type(row.micro)), get_visible_operands(trace)
    for slip in worked(at, row.micro) if worked else ():
        read = {name for _, inputs in slip.operations for name in inputs}
        if all(name in known for name in read.intersection("abc")):
            yield slip
    if isinstance(row.micro, _EXACT):
        yield from _cut(at)


def with_slip(plan: Plan, key: str, slip: RowMutation) -> Plan:
    """The plan with the row worked otherwise; it may read any operand."""
    rows: list[Row] = []
    for row in plan.rows:
        if row.key != key:
            rows.append(row)
            continue
        before = ""
        for number, (micro, inputs) in enumerate(slip.operations, 1):
            own = key if number == len(slip.operations) else f"{key} {number}"
            named = tuple(before if name == PREVIOUS_RESULT else name for name in inputs)
            rows.append(row._replace(key=own, micro=micro, inputs=named))
            before = own
    read = {name for _, inputs in slip.operations for name in inputs}
    read -= {source.role for source in plan.sources}
    more = tuple(Source(role, Type.U32) for role in sorted(read.intersection("ab")))
    return plan._replace(rows=tuple(rows), sources=plan.sources + more)


# --- which bits, and as which numbers ----------------------------------------------------


def _select(at: MutationSite, micro: m.Select) -> Iterator[RowMutation]:
    entry, unit = at.trace.instruction.entry, micro.unit
    if unit == WORD:
        return
    per, roles = WORD // unit, ("a", "b")
    own = roles.index(at.row.name)
    picks = tuple((roles.index(at.inputs[word]), index) for word, index in micro.picks)
    if entry.has_lane_selectors:
        plain = tuple((own, lane) for lane in range(entry.lanes))
        turned = picks[::-1]
        if picks != plain:
            yield _mutate_picks("passed over the selector", plain, unit)
        if turned != picks:
            did = "read the selector from the left, but its last digit is lane 0's"
            if picks == plain:
                did = "counted from the left, but lane 0 is the rightmost"
            yield _mutate_picks(did, turned, unit)
        swapped = tuple((1 - word, index) for word, index in picks)
        low, high = ("0 to 3", "4 to 7") if entry.lanes == 4 else ("0 and 1", "2 and 3")
        did = f"read digits {low} as parts of b, and {high} as parts of a"
        if at.trace.instruction.form.get(f"{at.row.name}sel") is None:
            did = f"took the lanes of {roles[own]} from {roles[1 - own]}"
        yield _mutate_picks(did, swapped, unit, 2)
    lane = 0 if len(picks) == 1 else at.lane
    if lane is None:
        return
    right, part = picks[lane], UNIT_NAMES[unit]
    for word in (own, 1 - own):
        for index in range(per):
            if (word, index) != right:
                other = (*picks[:lane], (word, index), *picks[lane + 1 :])
                did = f"took {part} {index} of {format_short_name(at.trace, roles[word])}"
                slip = _mutate_picks(did, other, unit, 1 if word == right[0] else 2)
                name = format_short_name(at.trace, roles[right[0]])
                instead = f" in place of {name}'s {part} {right[1]}" if word != right[0] else ""
                yield slip._replace(instead=instead)


def _mutate_picks(
    did: str, picks: tuple[tuple[int, int], ...], unit: int, weight: int = 1
) -> RowMutation:
    words = sorted({word for word, _ in picks})
    own = tuple((words.index(word), index) for word, index in picks)
    return RowMutation(did, ((m.Select(unit, own), tuple("ab"[word] for word in words)),), weight)


def _extend(at: MutationSite, micro: m.Extend) -> Iterator[RowMutation]:
    if at.row.name == "b" and at.trace.instruction.form.mode:
        return  # an amount is never negative
    yield at.replace_operation(
        "extended it with the other sign", m.Extend(micro.bits, not micro.signed), weight=0
    )


# --- numbers -----------------------------------------------------------------------------


def _add(at: MutationSite, _: m.Add) -> Iterator[RowMutation]:
    if at.row.stage in (Stage.SUM, Stage.SECONDARY):
        yield at.keep_first_input("left c out")
        yield at.replace_operation("subtracted c", m.Subtract(), 2)
    else:
        yield at.replace_operation("subtracted", m.Subtract(), 2)


def _subtract(at: MutationSite, _: m.Subtract) -> Iterator[RowMutation]:
    yield at.swap_inputs("took a from b")
    yield at.replace_operation("added", m.Add(), 2)
    yield at.replace_operation("dropped the sign", m.AbsoluteDifference(), 2)


def _mutate_difference(at: MutationSite, _: m.AbsoluteDifference) -> Iterator[RowMutation]:
    yield at.replace_operation("kept the sign of the difference", m.Subtract())
    yield RowMutation("kept the sign of b - a", ((m.Subtract(), at.inputs[::-1]),), 2)


def _minimum(at: MutationSite, _: m.Minimum) -> Iterator[RowMutation]:
    yield at.replace_operation("took the larger", m.Maximum())


def _maximum(at: MutationSite, _: m.Maximum) -> Iterator[RowMutation]:
    yield at.replace_operation("took the smaller", m.Minimum())


def _mutate_average(at: MutationSite, _: m.Average) -> Iterator[RowMutation]:
    up = (
        (m.Negate(), (PREVIOUS_RESULT,)),
        (m.ScaleDown(1), (PREVIOUS_RESULT,)),
        (m.Negate(), (PREVIOUS_RESULT,)),
    )
    yield RowMutation("rounded the half up", ((m.Add(), at.inputs), *up), 2)
    yield at.replace_operation("did not halve the sum", m.Add(), 2)


def _limit_amount(at: MutationSite, micro: m.LimitAmount) -> Iterator[RowMutation]:
    other = "clamped the amount to 32" if micro.wrap else "kept five bits of the amount"
    yield at.replace_operation(other, m.LimitAmount(not micro.wrap))
    if at.row.inputs[0][0] <= 64:
        yield at.keep_first_input("left the amount as it is")


def _shift_left(at: MutationSite, _: m.ShiftLeft) -> Iterator[RowMutation]:
    yield at.replace_operation("shifted right", m.ShiftRight(), 2)


def _shift_right(at: MutationSite, _: m.ShiftRight) -> Iterator[RowMutation]:
    yield at.replace_operation("shifted left", m.ShiftLeft(), 2)
    x, amount = at.inputs
    toward = (
        (m.Negate(), (x,)),
        (m.ShiftRight(), (PREVIOUS_RESULT, amount)),
        (m.Negate(), (PREVIOUS_RESULT,)),
    )
    yield RowMutation("rounded up, but a shift rounds down", toward)


def _scale_down(at: MutationSite, micro: m.ScaleDown) -> Iterator[RowMutation]:
    yield at.keep_first_input("did not shift")
    up = ((m.Negate(), at.inputs), (micro, (PREVIOUS_RESULT,)), (m.Negate(), (PREVIOUS_RESULT,)))
    yield RowMutation("rounded up, but a shift rounds down", up)
    other = 7 if micro.amount == 15 else 15
    yield at.replace_operation(f"shifted by {other}", m.ScaleDown(other), 2)


def _negate(at: MutationSite, _: m.Negate) -> Iterator[RowMutation]:
    yield at.keep_first_input("did not negate")


def _mutate_plus_one(at: MutationSite, _: m.PlusOne) -> Iterator[RowMutation]:
    yield at.keep_first_input("left out the one that .po adds")


def _multiply(at: MutationSite, _: m.Multiply) -> Iterator[RowMutation]:
    yield at.replace_operation("added", m.Add(), 2)


def _accumulate(at: MutationSite, micro: m.Accumulate) -> Iterator[RowMutation]:
    _, c = at.inputs
    alone = ((micro, at.inputs), (m.Subtract(), (PREVIOUS_RESULT, c)))
    yield RowMutation("left c out", alone, 1)
    yield RowMutation("forgot the lanes", ((IDENTITY, (c,)),), 2)
    every = tuple(range(micro.input_lanes))
    if micro.lanes != every:
        yield at.replace_operation(
            "summed every lane, mask or not", m.Accumulate(every, micro.input_lanes)
        )
        left = tuple(lane for lane in every if lane not in micro.lanes)
        yield at.replace_operation(
            "summed the lanes that are not in the mask", m.Accumulate(left, micro.input_lanes)
        )


_EXACT = (
    m.Add,
    m.Subtract,
    m.Multiply,
    m.AbsoluteDifference,
    m.ShiftLeft,
    m.PlusOne,
    m.Accumulate,
    m.Average,
)


def _cut(at: MutationSite) -> Iterator[RowMutation]:
    """An exact number that was cut to its lane already."""
    ins = at.trace.instruction
    unit = WORD if at.row.stage is not Stage.OPERATE else WORD // ins.entry.lanes
    signed = ins.form.dtype is Type.S32
    for kind in (signed, not signed):
        name = format_integer_type(kind, unit)
        weight = 1 + (kind is not signed)
        too_early = f"it to {name} where numbers are still exact"
        yield at.append_operation(f"cut {too_early}", m.Wrap(unit, kind), weight=weight)
        yield at.append_operation(
            f"clamped {too_early}", m.Clamp(*get_limits(unit, kind)), weight=weight + 1
        )


# --- clamping, cutting, merging ----------------------------------------------------------


def _clamp(at: MutationSite, micro: m.Clamp) -> Iterator[RowMutation]:
    bits, signed = find_clamp_type(micro)
    yield at.keep_first_input("did not clamp", weight=0)
    yield at.replace_operation("let it wrap around", m.Wrap(bits, signed), 0)
    for width, kind in ((bits, not signed), (WORD, signed), (WORD, not signed)):
        low, high = get_limits(width, kind)
        if (low, high) != (micro.low, micro.high):
            yield at.replace_operation(f"clamped to {low}..{high}", m.Clamp(low, high))


def _wrap(at: MutationSite, micro: m.Wrap) -> Iterator[RowMutation]:
    yield at.keep_first_input("did not cut it")
    yield at.replace_operation("read it with the other sign", m.Wrap(micro.bits, not micro.signed))
    yield at.replace_operation("clamped", m.Clamp(*get_limits(micro.bits, micro.signed)))


def _truncate(at: MutationSite, micro: m.Truncate) -> Iterator[RowMutation]:
    if micro.bits < WORD:
        return
    low, high = get_limits(micro.bits, micro.signed)
    clamped = ((m.Clamp(low, high), at.inputs), (micro, (PREVIOUS_RESULT,)))
    yield RowMutation(f"clamped to {low}..{high}", clamped)


def _merge(at: MutationSite, micro: m.Merge) -> Iterator[RowMutation]:
    low, high = get_limits(micro.unit, micro.signed)
    if not micro.high:
        clamped = ((m.Clamp(low, high), at.inputs[:1]), (micro, (PREVIOUS_RESULT, *at.inputs[1:])))
        yield RowMutation(f"clamped to {low}..{high}", clamped)
    if len(at.inputs) < 2:
        return
    kept, unit = at.format_input(1), UNIT_NAMES[micro.unit]
    every = tuple(range(WORD // micro.unit))
    if len(at.row.inputs[0]) > 1:
        other = tuple(lane for lane in every if lane not in micro.lanes)
        taken = m.Merge(micro.unit, other, micro.signed)
        yield at.replace_operation(
            f"exchanged the lanes that are taken and those that keep {kept}", taken
        )
        whole = m.Merge(micro.unit, every, micro.signed)
        yield at.replace_operation("wrote every lane, mask or not", whole)
    else:
        for index in every:
            if (index,) != micro.lanes:
                moved = m.Merge(micro.unit, (index,), micro.signed)
                yield at.replace_operation(f"wrote {unit} {index}", moved)
    yield at.replace_operation(f"kept all of {kept}", m.Merge(micro.unit, (), micro.signed), 2)
    for role in "ab":
        other_name = format_short_name(at.trace, role)
        if at.inputs[1] != role:
            chain = ((micro, (at.inputs[0], role)),)
            yield RowMutation(f"took the others from {other_name}", chain, 2)


def _mutate_pack(at: MutationSite, micro: m.Pack) -> Iterator[RowMutation]:
    if at.lane is not None:
        return  # one lane has no order
    count = len(at.row.inputs[0])
    turned = m.Select(micro.unit, tuple((0, lane) for lane in reversed(range(count))))
    did = "put the lanes side by side the other way round, but lane 0 is the rightmost"
    yield at.append_operation(did, turned, micro)


# --- comparing and choosing --------------------------------------------------------------


def _flush(at: MutationSite, _: m.Flush) -> Iterator[RowMutation]:
    yield at.keep_first_input("kept the subnormal", weight=0)
    if Flag.FLUSHED in at.row.lanes[0].flags:
        yield RowMutation("lost the sign of zero", ((m.Encode(0), at.inputs),))


def _compare(at: MutationSite, micro: m.Compare) -> Iterator[RowMutation]:
    type_ = micro.type
    if type_ is not None and type_.is_float:
        if micro.cmp in m.RELATIONS or micro.cmp not in (Cmp.NUM, Cmp.NAN):
            plain = m.RELATIONS.get(micro.cmp, micro.cmp)
            integer = Type.S32 if type_.bits == WORD else Type.S64
            yield at.replace_operation("compared the bits as integers", m.Compare(plain, integer))
        twin = _UNORDERED_TWIN.get(micro.cmp)
        if twin:
            held = "hold" if twin in m.UNORDERED else "not hold"
            yield at.replace_operation(
                f"let a comparison with NaN {held}", m.Compare(twin, type_), 0
            )
    elif type_ is not None:
        flipped = _OTHER_SIGN.get(type_)
        what = "both" if len(at.inputs) > 1 else at.format_input(0)
        if flipped:
            yield at.replace_operation(
                f"read {what} as {flipped}", m.Compare(micro.cmp, flipped), 0
            )
    for cmp in _TAKEN_FOR.get(m.RELATIONS.get(micro.cmp, micro.cmp), ()):
        if micro.cmp not in m.UNORDERED:
            tested = format_relation(
                cmp, at.format_input(0), at.format_input(1) if len(at.inputs) > 1 else "0"
            )
            yield at.replace_operation(f"tested {tested}", m.Compare(cmp, type_), 2)


_OTHER_SIGN = {
    Type.S16: Type.U16,
    Type.U16: Type.S16,
    Type.S32: Type.U32,
    Type.U32: Type.S32,
    Type.S64: Type.U64,
    Type.U64: Type.S64,
}
_TAKEN_FOR = {
    Cmp.LT: (Cmp.LE, Cmp.GT),
    Cmp.LE: (Cmp.LT, Cmp.GE),
    Cmp.GT: (Cmp.GE, Cmp.LT),
    Cmp.GE: (Cmp.GT, Cmp.LE),
    Cmp.EQ: (Cmp.NE,),
    Cmp.NE: (Cmp.EQ,),
}
_ORDERED = (Cmp.EQ, Cmp.NE, Cmp.LT, Cmp.LE, Cmp.GT, Cmp.GE)
_UNORDERED_TWIN = {cmp: Cmp(f"{cmp}u") for cmp in _ORDERED}
_UNORDERED_TWIN |= {twin: cmp for cmp, twin in _UNORDERED_TWIN.items()}


def _mutate_not(at: MutationSite, _: m.Not) -> Iterator[RowMutation]:
    yield at.keep_first_input("did not negate")


def _mutate_combination(at: MutationSite, micro: m.Combine) -> Iterator[RowMutation]:
    for boolop in BoolOp:
        if boolop is not micro.boolop:
            yield at.replace_operation(f"combined with {boolop}", m.Combine(boolop))
    yield at.keep_first_input("left c out", 2)


def _choose(at: MutationSite, _: m.Choose) -> Iterator[RowMutation]:
    if at.row.stage is Stage.GUARD:
        did = "kept the old value" if at.row.inputs[0][0] else "wrote it all the same"
    else:
        did = f"took {at.format_input(2 if at.row.inputs[0][0] else 1)}"
    yield at.swap_inputs(did, 0)


def _encode(at: MutationSite, micro: m.Encode) -> Iterator[RowMutation]:
    if micro.true == 0x3F80_0000:  # of integers the misconceptions know
        instead = ", which is 1.0 here"
        yield at.replace_operation("wrote 1 for true", m.Encode(1), 0, instead)
        yield at.replace_operation("wrote all ones for true", m.Encode(0xFFFF_FFFF), 0, instead)


_SLIPS: dict[type[MicroOperation], Callable[[MutationSite, Any], Iterator[RowMutation]]] = {
    m.Select: _select,
    m.Extend: _extend,
    m.Add: _add,
    m.Subtract: _subtract,
    m.Multiply: _multiply,
    m.AbsoluteDifference: _mutate_difference,
    m.Minimum: _minimum,
    m.Maximum: _maximum,
    m.Average: _mutate_average,
    m.LimitAmount: _limit_amount,
    m.ShiftLeft: _shift_left,
    m.ShiftRight: _shift_right,
    m.ScaleDown: _scale_down,
    m.Negate: _negate,
    m.PlusOne: _mutate_plus_one,
    m.Clamp: _clamp,
    m.Wrap: _wrap,
    m.Truncate: _truncate,
    m.Merge: _merge,
    m.Pack: _mutate_pack,
    m.Accumulate: _accumulate,
    m.Flush: _flush,
    m.Compare: _compare,
    m.Not: _mutate_not,
    m.Combine: _mutate_combination,
    m.Choose: _choose,
    m.Encode: _encode,
}
"""By micro-operation; a kind that is in none is not got wrong by itself."""
