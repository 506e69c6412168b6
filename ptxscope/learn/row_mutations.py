"""What can go wrong at one row: the same row with another micro-operation, or other inputs.

A table by micro-operation. A slip is run by the engine like any plan; nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..engine.isa.integers import limits
from ..engine.isa.types import BoolOp, Cmp, Type
from ..engine.records import NamedTuple
from ..engine.semantics import micro_operations as m
from ..engine.semantics.micro_operation import Flag, Micro
from ..engine.semantics.plan import Plan, Row, Source, Stage
from ..engine.tracing.lane_text import UNIT_NAMES, integer_type, relation, short_name
from ..engine.tracing.trace import RowTrace, Trace
from .question import WORD, clamped_type, shown

BEFORE = ""
"""As an input of a later link of a chain: what the link before gave."""
AS_IT_IS = m.Clamp(None, None)
"""Leaves a value as it is."""
Chain = tuple[tuple[Micro, tuple[str, ...]], ...]


class Slip(NamedTuple):
    """A row worked otherwise."""

    did: str
    """Completes "You …"."""
    chain: Chain
    """What was done instead, one after the other."""
    weight: int = 1
    """How far-fetched it is."""
    instead: str = ""
    """What was right instead, behind ``did``; it may tell the answer."""


class At(NamedTuple):
    """The row that is worked otherwise, and the lane that is asked about."""

    trace: Trace
    row: RowTrace
    lane: int | None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Where the row's inputs come from."""
        return self.row.input_keys

    def called(self, index: int) -> str:
        """What an input is called: a row's name, or an operand's."""
        key = self.row.input_keys[index]
        known = self.trace.rows.get(key)
        return known.name if known else short_name(self.trace, key)

    def only(self, did: str, micro: Micro, weight: int = 1, instead: str = "") -> Slip:
        """Another micro-operation on the same inputs."""
        return Slip(did, ((micro, self.inputs),), weight, instead)

    def first(self, did: str, weight: int = 1) -> Slip:
        """The first input as it is."""
        return Slip(did, ((AS_IT_IS, self.inputs[:1]),), weight)

    def turned(self, did: str, weight: int = 1) -> Slip:
        """The same with its last two inputs exchanged."""
        *rest, x, y = self.inputs
        return Slip(did, ((self.row.micro, (*rest, y, x)),), weight)

    def then(self, did: str, *links: Micro, weight: int = 1) -> Slip:
        """The same, and something else with what it gives."""
        more = tuple((link, (BEFORE,)) for link in links)
        return Slip(did, ((self.row.micro, self.inputs), *more), weight)


def slips(trace: Trace, row: RowTrace, lane: int | None) -> Iterator[Slip]:
    """Every way in which a row is easily worked otherwise."""
    at = At(trace, row, lane)
    worked, known = _SLIPS.get(type(row.micro)), shown(trace)
    for slip in worked(at, row.micro) if worked else ():
        read = {name for _, inputs in slip.chain for name in inputs}
        if all(name in known for name in read.intersection("abc")):
            yield slip
    if isinstance(row.micro, _EXACT):
        yield from _cut(at)


def with_slip(plan: Plan, key: str, slip: Slip) -> Plan:
    """The plan with the row worked otherwise; it may read any operand."""
    rows: list[Row] = []
    for row in plan.rows:
        if row.key != key:
            rows.append(row)
            continue
        before = ""
        for number, (micro, inputs) in enumerate(slip.chain, 1):
            own = key if number == len(slip.chain) else f"{key} {number}"
            named = tuple(before if name == BEFORE else name for name in inputs)
            rows.append(row._replace(key=own, micro=micro, inputs=named))
            before = own
    read = {name for _, inputs in slip.chain for name in inputs}
    read -= {source.role for source in plan.sources}
    more = tuple(Source(role, Type.U32) for role in sorted(read.intersection("ab")))
    return plan._replace(rows=tuple(rows), sources=plan.sources + more)


# --- which bits, and as which numbers ----------------------------------------------------


def _select(at: At, micro: m.Select) -> Iterator[Slip]:
    entry, unit = at.trace.instruction.entry, micro.unit
    if unit == WORD:
        return
    per, roles = WORD // unit, ("a", "b")
    own = roles.index(at.row.name)
    picks = tuple((roles.index(at.inputs[word]), index) for word, index in micro.picks)
    if entry.selects_lanes:
        plain = tuple((own, lane) for lane in range(entry.lanes))
        turned = picks[::-1]
        if picks != plain:
            yield _picked("passed over the selector", plain, unit)
        if turned != picks:
            did = "read the selector from the left, but its last digit is lane 0's"
            if picks == plain:
                did = "counted from the left, but lane 0 is the rightmost"
            yield _picked(did, turned, unit)
        swapped = tuple((1 - word, index) for word, index in picks)
        yield _picked("exchanged the lanes of a and b", swapped, unit, 2)
    lane = 0 if len(picks) == 1 else at.lane
    if lane is None:
        return
    right, part = picks[lane], UNIT_NAMES[unit]
    for word in (own, 1 - own):
        for index in range(per):
            if (word, index) != right:
                other = (*picks[:lane], (word, index), *picks[lane + 1 :])
                did = f"took {part} {index} of {short_name(at.trace, roles[word])}"
                slip = _picked(did, other, unit, 1 if word == right[0] else 2)
                name = short_name(at.trace, roles[right[0]])
                instead = f" in place of {name}'s {part} {right[1]}" if word != right[0] else ""
                yield slip._replace(instead=instead)


def _picked(did: str, picks: tuple[tuple[int, int], ...], unit: int, weight: int = 1) -> Slip:
    words = sorted({word for word, _ in picks})
    own = tuple((words.index(word), index) for word, index in picks)
    return Slip(did, ((m.Select(unit, own), tuple("ab"[word] for word in words)),), weight)


def _extend(at: At, micro: m.Extend) -> Iterator[Slip]:
    if at.row.name == "b" and at.trace.instruction.form.mode:
        return  # an amount is never negative
    yield at.only(
        "extended it with the other sign", m.Extend(micro.bits, not micro.signed), weight=0
    )


# --- numbers -----------------------------------------------------------------------------


def _add(at: At, _: m.Add) -> Iterator[Slip]:
    if at.row.stage in (Stage.SUM, Stage.SECONDARY):
        yield at.first("left c out")
        yield at.only("subtracted c", m.Subtract(), 2)
    else:
        yield at.only("subtracted", m.Subtract(), 2)


def _subtract(at: At, _: m.Subtract) -> Iterator[Slip]:
    yield at.turned("took a from b")
    yield at.only("added", m.Add(), 2)
    yield at.only("dropped the sign", m.AbsoluteDifference(), 2)


def _difference(at: At, _: m.AbsoluteDifference) -> Iterator[Slip]:
    yield at.only("kept the sign of the difference", m.Subtract())
    yield Slip("kept the sign of b - a", ((m.Subtract(), at.inputs[::-1]),), 2)


def _minimum(at: At, _: m.Minimum) -> Iterator[Slip]:
    yield at.only("took the larger", m.Maximum())


def _maximum(at: At, _: m.Maximum) -> Iterator[Slip]:
    yield at.only("took the smaller", m.Minimum())


def _average(at: At, _: m.Average) -> Iterator[Slip]:
    up = ((m.Negate(), (BEFORE,)), (m.ScaleDown(1), (BEFORE,)), (m.Negate(), (BEFORE,)))
    yield Slip("rounded the half up", ((m.Add(), at.inputs), *up), 2)
    yield at.only("did not halve the sum", m.Add(), 2)


def _limit_amount(at: At, micro: m.LimitAmount) -> Iterator[Slip]:
    other = "clamped the amount to 32" if micro.wrap else "kept five bits of the amount"
    yield at.only(other, m.LimitAmount(not micro.wrap))
    if at.row.inputs[0][0] <= 64:
        yield at.first("left the amount as it is")


def _shift_left(at: At, _: m.ShiftLeft) -> Iterator[Slip]:
    yield at.only("shifted right", m.ShiftRight(), 2)


def _shift_right(at: At, _: m.ShiftRight) -> Iterator[Slip]:
    yield at.only("shifted left", m.ShiftLeft(), 2)
    x, amount = at.inputs
    toward = ((m.Negate(), (x,)), (m.ShiftRight(), (BEFORE, amount)), (m.Negate(), (BEFORE,)))
    yield Slip("rounded up, but a shift rounds down", toward)


def _scale_down(at: At, micro: m.ScaleDown) -> Iterator[Slip]:
    yield at.first("did not shift")
    up = ((m.Negate(), at.inputs), (micro, (BEFORE,)), (m.Negate(), (BEFORE,)))
    yield Slip("rounded up, but a shift rounds down", up)
    other = 7 if micro.amount == 15 else 15
    yield at.only(f"shifted by {other}", m.ScaleDown(other), 2)


def _negate(at: At, _: m.Negate) -> Iterator[Slip]:
    yield at.first("did not negate")


def _plus_one(at: At, _: m.PlusOne) -> Iterator[Slip]:
    yield at.first("left out the one that .po adds")


def _multiply(at: At, _: m.Multiply) -> Iterator[Slip]:
    yield at.only("added", m.Add(), 2)


def _accumulate(at: At, micro: m.Accumulate) -> Iterator[Slip]:
    _, c = at.inputs
    alone = ((micro, at.inputs), (m.Subtract(), (BEFORE, c)))
    yield Slip("left c out", alone, 1)
    yield Slip("forgot the lanes", ((AS_IT_IS, (c,)),), 2)
    every = tuple(range(micro.of))
    if micro.lanes != every:
        yield at.only("summed every lane, mask or not", m.Accumulate(every, micro.of))
        left = tuple(lane for lane in every if lane not in micro.lanes)
        yield at.only("summed the lanes that are not in the mask", m.Accumulate(left, micro.of))


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


def _cut(at: At) -> Iterator[Slip]:
    """An exact number that was cut to its lane already."""
    ins = at.trace.instruction
    unit = WORD if at.row.stage is not Stage.OPERATE else WORD // ins.entry.lanes
    signed = ins.form.dtype is Type.S32
    for kind in (signed, not signed):
        name = integer_type(kind, unit)
        weight = 1 + (kind is not signed)
        too_early = f"it to {name} where numbers are still exact"
        yield at.then(f"cut {too_early}", m.Wrap(unit, kind), weight=weight)
        yield at.then(f"clamped {too_early}", m.Clamp(*limits(unit, kind)), weight=weight + 1)


# --- clamping, cutting, merging ----------------------------------------------------------


def _clamp(at: At, micro: m.Clamp) -> Iterator[Slip]:
    bits, signed = clamped_type(micro)
    yield at.first("did not clamp", weight=0)
    yield at.only("let it wrap around", m.Wrap(bits, signed), 0)
    for width, kind in ((bits, not signed), (WORD, signed), (WORD, not signed)):
        low, high = limits(width, kind)
        if (low, high) != (micro.low, micro.high):
            yield at.only(f"clamped to {low}..{high}", m.Clamp(low, high))


def _wrap(at: At, micro: m.Wrap) -> Iterator[Slip]:
    yield at.first("did not cut it")
    yield at.only("read it with the other sign", m.Wrap(micro.bits, not micro.signed))
    yield at.only("clamped", m.Clamp(*limits(micro.bits, micro.signed)))


def _truncate(at: At, micro: m.Truncate) -> Iterator[Slip]:
    if micro.bits < WORD:
        return
    low, high = limits(micro.bits, micro.signed)
    clamped = ((m.Clamp(low, high), at.inputs), (micro, (BEFORE,)))
    yield Slip(f"clamped to {low}..{high}", clamped)


def _merge(at: At, micro: m.Merge) -> Iterator[Slip]:
    low, high = limits(micro.unit, micro.signed)
    if not micro.high:
        clamped = ((m.Clamp(low, high), at.inputs[:1]), (micro, (BEFORE, *at.inputs[1:])))
        yield Slip(f"clamped to {low}..{high}", clamped)
    if len(at.inputs) < 2:
        return
    kept, unit = at.called(1), UNIT_NAMES[micro.unit]
    every = tuple(range(WORD // micro.unit))
    if len(at.row.inputs[0]) > 1:
        other = tuple(lane for lane in every if lane not in micro.lanes)
        taken = m.Merge(micro.unit, other, micro.signed)
        yield at.only(f"exchanged the lanes that are taken and those that keep {kept}", taken)
        whole = m.Merge(micro.unit, every, micro.signed)
        yield at.only("wrote every lane, mask or not", whole)
    else:
        for index in every:
            if (index,) != micro.lanes:
                moved = m.Merge(micro.unit, (index,), micro.signed)
                yield at.only(f"wrote {unit} {index}", moved)
    yield at.only(f"kept all of {kept}", m.Merge(micro.unit, (), micro.signed), 2)
    for role in "ab":
        other_name = short_name(at.trace, role)
        if at.inputs[1] != role:
            chain = ((micro, (at.inputs[0], role)),)
            yield Slip(f"took the others from {other_name}", chain, 2)


def _pack(at: At, micro: m.Pack) -> Iterator[Slip]:
    count = len(at.row.inputs[0])
    turned = m.Select(micro.unit, tuple((0, lane) for lane in reversed(range(count))))
    did = "put the lanes side by side the other way round, but lane 0 is the rightmost"
    yield at.then(did, turned, micro)


# --- comparing and choosing --------------------------------------------------------------


def _flush(at: At, _: m.Flush) -> Iterator[Slip]:
    yield at.first("kept the subnormal", weight=0)
    if Flag.FLUSHED in at.row.lanes[0].flags:
        yield Slip("lost the sign of zero", ((m.Encode(0), at.inputs),))


def _compare(at: At, micro: m.Compare) -> Iterator[Slip]:
    type_ = micro.type
    if type_ is not None and type_.is_float:
        if micro.cmp in m.RELATIONS or micro.cmp not in (Cmp.NUM, Cmp.NAN):
            plain = m.RELATIONS.get(micro.cmp, micro.cmp)
            integer = Type.S32 if type_.bits == WORD else Type.S64
            yield at.only("compared the bits as integers", m.Compare(plain, integer))
        twin = _UNORDERED_TWIN.get(micro.cmp)
        if twin:
            held = "hold" if twin in m.UNORDERED else "not hold"
            yield at.only(f"let a comparison with NaN {held}", m.Compare(twin, type_), 0)
    elif type_ is not None:
        flipped = _OTHER_SIGN.get(type_)
        what = "both" if len(at.inputs) > 1 else at.called(0)
        if flipped:
            yield at.only(f"read {what} as {flipped}", m.Compare(micro.cmp, flipped), 0)
    for cmp in _TAKEN_FOR.get(m.RELATIONS.get(micro.cmp, micro.cmp), ()):
        if micro.cmp not in m.UNORDERED:
            tested = relation(cmp, at.called(0), at.called(1) if len(at.inputs) > 1 else "0")
            yield at.only(f"tested {tested}", m.Compare(cmp, type_), 2)


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


def _not(at: At, _: m.Not) -> Iterator[Slip]:
    yield at.first("did not negate")


def _combine(at: At, micro: m.Combine) -> Iterator[Slip]:
    for boolop in BoolOp:
        if boolop is not micro.boolop:
            yield at.only(f"combined with {boolop}", m.Combine(boolop))
    yield at.first("left c out", 2)


def _choose(at: At, _: m.Choose) -> Iterator[Slip]:
    if at.row.stage is Stage.GUARD:
        did = "kept the old value" if at.row.inputs[0][0] else "wrote it all the same"
    else:
        did = f"took {at.called(2 if at.row.inputs[0][0] else 1)}"
    yield at.turned(did, 0)


def _encode(at: At, micro: m.Encode) -> Iterator[Slip]:
    if micro.true == 0x3F80_0000:  # of integers the misconceptions know
        instead = ", which is 1.0 here"
        yield at.only("wrote 1 for true", m.Encode(1), 0, instead)
        yield at.only("wrote all ones for true", m.Encode(0xFFFF_FFFF), 0, instead)


_SLIPS: dict[type[Micro], Callable[[At, Any], Iterator[Slip]]] = {
    m.Select: _select,
    m.Extend: _extend,
    m.Add: _add,
    m.Subtract: _subtract,
    m.Multiply: _multiply,
    m.AbsoluteDifference: _difference,
    m.Minimum: _minimum,
    m.Maximum: _maximum,
    m.Average: _average,
    m.LimitAmount: _limit_amount,
    m.ShiftLeft: _shift_left,
    m.ShiftRight: _shift_right,
    m.ScaleDown: _scale_down,
    m.Negate: _negate,
    m.PlusOne: _plus_one,
    m.Clamp: _clamp,
    m.Wrap: _wrap,
    m.Truncate: _truncate,
    m.Merge: _merge,
    m.Pack: _pack,
    m.Accumulate: _accumulate,
    m.Flush: _flush,
    m.Compare: _compare,
    m.Not: _not,
    m.Combine: _combine,
    m.Choose: _choose,
    m.Encode: _encode,
}
"""By micro-operation; a kind that is in none is not got wrong by itself."""
