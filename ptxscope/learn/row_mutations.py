"""Mutations of a row: the same row with another micro-operation, or with other inputs.

One table by micro-operation. The engine runs a mutated plan like any other; this module computes
nothing.
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
"""Input of a later operation in a chain: the result of the one before."""
IDENTITY = m.Clamp(None, None)
"""Micro-operation that leaves a value unchanged."""
Chain = tuple[tuple[MicroOperation, tuple[str, ...]], ...]


class RowMutation(NamedTuple):
    """A mistake in a row."""

    description: str
    """Verb phrase that completes "You …"."""
    operations: Chain
    """Operations instead of the row's own, in order."""
    weight: int = 1
    """Cost: how unlikely the mistake is."""
    instead: str = ""
    """Phrase with the right choice, after `description`; it may reveal the answer."""


class MutationSite(NamedTuple):
    """The mutated row, and the lane in question."""

    trace: Trace
    row: RowTrace
    lane: int | None

    @property
    def inputs(self) -> tuple[str, ...]:
        """Keys of the row's inputs."""
        return self.row.input_keys

    def format_input(self, index: int) -> str:
        """Return the name of an input: that of a row, or of an operand."""
        key = self.row.input_keys[index]
        source_row = self.trace.rows.get(key)
        return source_row.name if source_row else format_short_name(self.trace, key)

    def replace_operation(
        self, description: str, micro: MicroOperation, weight: int = 1, instead: str = ""
    ) -> RowMutation:
        """Return a mutation with another micro-operation on the same inputs."""
        return RowMutation(description, ((micro, self.inputs),), weight, instead)

    def keep_first_input(self, description: str, weight: int = 1) -> RowMutation:
        """Return a mutation that passes the first input on."""
        return RowMutation(description, ((IDENTITY, self.inputs[:1]),), weight)

    def swap_inputs(self, description: str, weight: int = 1) -> RowMutation:
        """Return a mutation with the last two inputs exchanged."""
        *rest, x, y = self.inputs
        return RowMutation(description, ((self.row.micro, (*rest, y, x)),), weight)

    def append_operation(
        self, description: str, *operations: MicroOperation, weight: int = 1
    ) -> RowMutation:
        """Return a mutation that applies more operations to the result."""
        chain = tuple((operation, (PREVIOUS_RESULT,)) for operation in operations)
        return RowMutation(description, ((self.row.micro, self.inputs), *chain), weight)


def iter_mutations(trace: Trace, row: RowTrace, lane: int | None) -> Iterator[RowMutation]:
    """Yield the plausible mutations of a row."""
    site = MutationSite(trace, row, lane)
    mutate, visible_operands = _MUTATIONS.get(type(row.micro)), get_visible_operands(trace)
    for mutation in mutate(site, row.micro) if mutate else ():
        read_keys = {name for _, inputs in mutation.operations for name in inputs}
        if all(name in visible_operands for name in read_keys.intersection("abc")):
            yield mutation
    if isinstance(row.micro, _EXACT_OPERATIONS):
        yield from _mutate_exact_number(site)


def with_mutation(plan: Plan, key: str, mutation: RowMutation) -> Plan:
    """Return the plan with a mutated row; the mutation may read any operand."""
    rows: list[Row] = []
    for row in plan.rows:
        if row.key != key:
            rows.append(row)
            continue
        previous_key = ""
        for number, (micro, inputs) in enumerate(mutation.operations, 1):
            own_key = key if number == len(mutation.operations) else f"{key} {number}"
            input_keys = tuple(previous_key if name == PREVIOUS_RESULT else name for name in inputs)
            rows.append(row._replace(key=own_key, micro=micro, inputs=input_keys))
            previous_key = own_key
    read_keys = {name for _, inputs in mutation.operations for name in inputs}
    read_keys -= {source.role for source in plan.sources}
    new_sources = tuple(Source(role, Type.U32) for role in sorted(read_keys.intersection("ab")))
    return plan._replace(rows=tuple(rows), sources=plan.sources + new_sources)


# --- selection and extension -------------------------------------------------------------


def _select(site: MutationSite, micro: m.Select) -> Iterator[RowMutation]:
    entry, unit = site.trace.instruction.entry, micro.unit
    if unit == WORD:
        return
    part_count, roles = WORD // unit, ("a", "b")
    own_word = roles.index(site.row.name)
    picks = tuple((roles.index(site.inputs[word]), index) for word, index in micro.picks)
    if entry.has_lane_selectors:
        default_picks = tuple((own_word, lane) for lane in range(entry.lanes))
        reversed_picks = picks[::-1]
        if picks != default_picks:
            yield _mutate_picks("passed over the selector", default_picks, unit)
        if reversed_picks != picks:
            description = "read the selector from the left, but its last digit is lane 0's"
            if picks == default_picks:
                description = "counted from the left, but lane 0 is the rightmost"
            yield _mutate_picks(description, reversed_picks, unit)
        swapped_picks = tuple((1 - word, index) for word, index in picks)
        yield _mutate_picks("exchanged the lanes of a and b", swapped_picks, unit, 2)
    lane = 0 if len(picks) == 1 else site.lane
    if lane is None:
        return
    right_pick, part_name = picks[lane], UNIT_NAMES[unit]
    for word in (own_word, 1 - own_word):
        for index in range(part_count):
            if (word, index) != right_pick:
                changed_picks = (*picks[:lane], (word, index), *picks[lane + 1 :])
                description = (
                    f"took {part_name} {index} of {format_short_name(site.trace, roles[word])}"
                )
                mutation = _mutate_picks(
                    description, changed_picks, unit, 1 if word == right_pick[0] else 2
                )
                name = format_short_name(site.trace, roles[right_pick[0]])
                instead = (
                    f" in place of {name}'s {part_name} {right_pick[1]}"
                    if word != right_pick[0]
                    else ""
                )
                yield mutation._replace(instead=instead)


def _mutate_picks(
    description: str, picks: tuple[tuple[int, int], ...], unit: int, weight: int = 1
) -> RowMutation:
    words = sorted({word for word, _ in picks})
    own_picks = tuple((words.index(word), index) for word, index in picks)
    return RowMutation(
        description, ((m.Select(unit, own_picks), tuple("ab"[word] for word in words)),), weight
    )


def _extend(site: MutationSite, micro: m.Extend) -> Iterator[RowMutation]:
    if site.row.name == "b" and site.trace.instruction.form.mode:
        return  # an amount is never negative
    yield site.replace_operation(
        "extended it with the other sign", m.Extend(micro.bits, not micro.signed), weight=0
    )


# --- numbers -----------------------------------------------------------------------------


def _add(site: MutationSite, _: m.Add) -> Iterator[RowMutation]:
    if site.row.stage in (Stage.SUM, Stage.SECONDARY):
        yield site.keep_first_input("left c out")
        yield site.replace_operation("subtracted c", m.Subtract(), 2)
    else:
        yield site.replace_operation("subtracted", m.Subtract(), 2)


def _subtract(site: MutationSite, _: m.Subtract) -> Iterator[RowMutation]:
    yield site.swap_inputs("took a from b")
    yield site.replace_operation("added", m.Add(), 2)
    yield site.replace_operation("dropped the sign", m.AbsoluteDifference(), 2)


def _mutate_difference(site: MutationSite, _: m.AbsoluteDifference) -> Iterator[RowMutation]:
    yield site.replace_operation("kept the sign of the difference", m.Subtract())
    yield RowMutation("kept the sign of b - a", ((m.Subtract(), site.inputs[::-1]),), 2)


def _minimum(site: MutationSite, _: m.Minimum) -> Iterator[RowMutation]:
    yield site.replace_operation("took the larger", m.Maximum())


def _maximum(site: MutationSite, _: m.Maximum) -> Iterator[RowMutation]:
    yield site.replace_operation("took the smaller", m.Minimum())


def _mutate_average(site: MutationSite, _: m.Average) -> Iterator[RowMutation]:
    rounding = (
        (m.Negate(), (PREVIOUS_RESULT,)),
        (m.ScaleDown(1), (PREVIOUS_RESULT,)),
        (m.Negate(), (PREVIOUS_RESULT,)),
    )
    yield RowMutation("rounded the half up", ((m.Add(), site.inputs), *rounding), 2)
    yield site.replace_operation("did not halve the sum", m.Add(), 2)


def _limit_amount(site: MutationSite, micro: m.LimitAmount) -> Iterator[RowMutation]:
    description = "clamped the amount to 32" if micro.wrap else "kept five bits of the amount"
    yield site.replace_operation(description, m.LimitAmount(not micro.wrap))
    if site.row.inputs[0][0] <= 64:
        yield site.keep_first_input("left the amount as it is")


def _shift_left(site: MutationSite, _: m.ShiftLeft) -> Iterator[RowMutation]:
    yield site.replace_operation("shifted right", m.ShiftRight(), 2)


def _shift_right(site: MutationSite, _: m.ShiftRight) -> Iterator[RowMutation]:
    yield site.replace_operation("shifted left", m.ShiftLeft(), 2)
    x, amount = site.inputs
    chain = (
        (m.Negate(), (x,)),
        (m.ShiftRight(), (PREVIOUS_RESULT, amount)),
        (m.Negate(), (PREVIOUS_RESULT,)),
    )
    yield RowMutation("rounded up, but a shift rounds down", chain)


def _scale_down(site: MutationSite, micro: m.ScaleDown) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not shift")
    chain = (
        (m.Negate(), site.inputs),
        (micro, (PREVIOUS_RESULT,)),
        (m.Negate(), (PREVIOUS_RESULT,)),
    )
    yield RowMutation("rounded up, but a shift rounds down", chain)
    other_amount = 7 if micro.amount == 15 else 15
    yield site.replace_operation(f"shifted by {other_amount}", m.ScaleDown(other_amount), 2)


def _negate(site: MutationSite, _: m.Negate) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not negate")


def _mutate_plus_one(site: MutationSite, _: m.PlusOne) -> Iterator[RowMutation]:
    yield site.keep_first_input("left out the one that .po adds")


def _multiply(site: MutationSite, _: m.Multiply) -> Iterator[RowMutation]:
    yield site.replace_operation("added", m.Add(), 2)


def _accumulate(site: MutationSite, micro: m.Accumulate) -> Iterator[RowMutation]:
    _, c = site.inputs
    chain = ((micro, site.inputs), (m.Subtract(), (PREVIOUS_RESULT, c)))
    yield RowMutation("left c out", chain, 1)
    yield RowMutation("forgot the lanes", ((IDENTITY, (c,)),), 2)
    all_lanes = tuple(range(micro.input_lanes))
    if micro.lanes != all_lanes:
        yield site.replace_operation(
            "summed every lane, mask or not", m.Accumulate(all_lanes, micro.input_lanes)
        )
        excluded_lanes = tuple(lane for lane in all_lanes if lane not in micro.lanes)
        yield site.replace_operation(
            "summed the lanes that are not in the mask",
            m.Accumulate(excluded_lanes, micro.input_lanes),
        )


_EXACT_OPERATIONS = (
    m.Add,
    m.Subtract,
    m.Multiply,
    m.AbsoluteDifference,
    m.ShiftLeft,
    m.PlusOne,
    m.Accumulate,
    m.Average,
)


def _mutate_exact_number(site: MutationSite) -> Iterator[RowMutation]:
    """Yield mutations that cut or clamp an exact number too early."""
    ins = site.trace.instruction
    unit = WORD if site.row.stage is not Stage.OPERATE else WORD // ins.entry.lanes
    has_signed_type = ins.form.dtype is Type.S32
    for is_signed in (has_signed_type, not has_signed_type):
        name = format_integer_type(is_signed, unit)
        weight = 1 + (is_signed is not has_signed_type)
        phrase = f"it to {name} where numbers are still exact"
        yield site.append_operation(f"cut {phrase}", m.Wrap(unit, is_signed), weight=weight)
        yield site.append_operation(
            f"clamped {phrase}", m.Clamp(*get_limits(unit, is_signed)), weight=weight + 1
        )


# --- clamping, cutting, merging ----------------------------------------------------------


def _clamp(site: MutationSite, micro: m.Clamp) -> Iterator[RowMutation]:
    bits, signed = find_clamp_type(micro)
    yield site.keep_first_input("did not clamp", weight=0)
    yield site.replace_operation("let it wrap around", m.Wrap(bits, signed), 0)
    for width, is_kind_signed in ((bits, not signed), (WORD, signed), (WORD, not signed)):
        low, high = get_limits(width, is_kind_signed)
        if (low, high) != (micro.low, micro.high):
            yield site.replace_operation(f"clamped to {low}..{high}", m.Clamp(low, high))


def _wrap(site: MutationSite, micro: m.Wrap) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not cut it")
    yield site.replace_operation(
        "read it with the other sign", m.Wrap(micro.bits, not micro.signed)
    )
    yield site.replace_operation("clamped", m.Clamp(*get_limits(micro.bits, micro.signed)))


def _truncate(site: MutationSite, micro: m.Truncate) -> Iterator[RowMutation]:
    if micro.bits < WORD:
        return
    low, high = get_limits(micro.bits, micro.signed)
    chain = ((m.Clamp(low, high), site.inputs), (micro, (PREVIOUS_RESULT,)))
    yield RowMutation(f"clamped to {low}..{high}", chain)


def _merge(site: MutationSite, micro: m.Merge) -> Iterator[RowMutation]:
    low, high = get_limits(micro.unit, micro.signed)
    if not micro.high:
        clamp_chain = (
            (m.Clamp(low, high), site.inputs[:1]),
            (micro, (PREVIOUS_RESULT, *site.inputs[1:])),
        )
        yield RowMutation(f"clamped to {low}..{high}", clamp_chain)
    if len(site.inputs) < 2:
        return
    kept_name, unit = site.format_input(1), UNIT_NAMES[micro.unit]
    all_lanes = tuple(range(WORD // micro.unit))
    if len(site.row.inputs[0]) > 1:
        other_lanes = tuple(lane for lane in all_lanes if lane not in micro.lanes)
        swapped_merge = m.Merge(micro.unit, other_lanes, micro.signed)
        yield site.replace_operation(
            f"exchanged the lanes that are taken and those that keep {kept_name}", swapped_merge
        )
        full_merge = m.Merge(micro.unit, all_lanes, micro.signed)
        yield site.replace_operation("wrote every lane, mask or not", full_merge)
    else:
        for index in all_lanes:
            if (index,) != micro.lanes:
                moved_merge = m.Merge(micro.unit, (index,), micro.signed)
                yield site.replace_operation(f"wrote {unit} {index}", moved_merge)
    yield site.replace_operation(
        f"kept all of {kept_name}", m.Merge(micro.unit, (), micro.signed), 2
    )
    for role in "ab":
        other_name = format_short_name(site.trace, role)
        if site.inputs[1] != role:
            chain = ((micro, (site.inputs[0], role)),)
            yield RowMutation(f"took the others from {other_name}", chain, 2)


def _mutate_pack(site: MutationSite, micro: m.Pack) -> Iterator[RowMutation]:
    count = len(site.row.inputs[0])
    reversal = m.Select(micro.unit, tuple((0, lane) for lane in reversed(range(count))))
    description = "put the lanes side by side the other way round, but lane 0 is the rightmost"
    yield site.append_operation(description, reversal, micro)


# --- comparing and choosing --------------------------------------------------------------


def _flush(site: MutationSite, _: m.Flush) -> Iterator[RowMutation]:
    yield site.keep_first_input("kept the subnormal", weight=0)
    if Flag.FLUSHED in site.row.lanes[0].flags:
        yield RowMutation("lost the sign of zero", ((m.Encode(0), site.inputs),))


def _compare(site: MutationSite, micro: m.Compare) -> Iterator[RowMutation]:
    type_ = micro.type
    if type_ is not None and type_.is_float:
        if micro.cmp in m.RELATIONS or micro.cmp not in (Cmp.NUM, Cmp.NAN):
            relation = m.RELATIONS.get(micro.cmp, micro.cmp)
            integer = Type.S32 if type_.bits == WORD else Type.S64
            yield site.replace_operation(
                "compared the bits as integers", m.Compare(relation, integer)
            )
        confusable = _UNORDERED_TWIN.get(micro.cmp)
        if confusable:
            verb = "hold" if confusable in m.UNORDERED else "not hold"
            yield site.replace_operation(
                f"let a comparison with NaN {verb}", m.Compare(confusable, type_), 0
            )
    elif type_ is not None:
        other_type = _OTHER_SIGN.get(type_)
        operand_names = "both" if len(site.inputs) > 1 else site.format_input(0)
        if other_type:
            yield site.replace_operation(
                f"read {operand_names} as {other_type}", m.Compare(micro.cmp, other_type), 0
            )
    for cmp in _CONFUSABLE_RELATIONS.get(m.RELATIONS.get(micro.cmp, micro.cmp), ()):
        if micro.cmp not in m.UNORDERED:
            tested_relation = format_relation(
                cmp, site.format_input(0), site.format_input(1) if len(site.inputs) > 1 else "0"
            )
            yield site.replace_operation(f"tested {tested_relation}", m.Compare(cmp, type_), 2)


_OTHER_SIGN = {
    Type.S16: Type.U16,
    Type.U16: Type.S16,
    Type.S32: Type.U32,
    Type.U32: Type.S32,
    Type.S64: Type.U64,
    Type.U64: Type.S64,
}
_CONFUSABLE_RELATIONS = {
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


def _mutate_not(site: MutationSite, _: m.Not) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not negate")


def _mutate_combination(site: MutationSite, micro: m.Combine) -> Iterator[RowMutation]:
    for boolop in BoolOp:
        if boolop is not micro.boolop:
            yield site.replace_operation(f"combined with {boolop}", m.Combine(boolop))
    yield site.keep_first_input("left c out", 2)


def _choose(site: MutationSite, _: m.Choose) -> Iterator[RowMutation]:
    if site.row.stage is Stage.GUARD:
        description = "kept the old value" if site.row.inputs[0][0] else "wrote it all the same"
    else:
        description = f"took {site.format_input(2 if site.row.inputs[0][0] else 1)}"
    yield site.swap_inputs(description, 0)


def _encode(site: MutationSite, micro: m.Encode) -> Iterator[RowMutation]:
    if micro.true == 0x3F80_0000:  # misconceptions cover the integers
        instead = ", which is 1.0 here"
        yield site.replace_operation("wrote 1 for true", m.Encode(1), 0, instead)
        yield site.replace_operation("wrote all ones for true", m.Encode(0xFFFF_FFFF), 0, instead)


_MUTATIONS: dict[type[MicroOperation], Callable[[MutationSite, Any], Iterator[RowMutation]]] = {
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
"""Mutations by micro-operation; the other kinds have none."""
