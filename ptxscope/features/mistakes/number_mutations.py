"""Mistakes in rows of numbers: arithmetic, comparisons, selections, results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...engine.isa.encodings import UNIT_NAMES, format_integer_type, format_value, get_limits
from ...engine.isa.types import WORD_BITS, BoolOp, Cmp, Role, Type
from ...engine.micro_operations.arithmetic import Picks
from ...engine.micro_operations.base import Copy, LaneView
from ...engine.micro_operations.comparison import (
    RELATION_SIGNS,
    RELATIONS,
    UNORDERED,
    Compare,
    format_relation,
)
from ...engine.micro_operations.logic import Choose, Combine, Encode, Flush, Not, TakeLane
from ...engine.micro_operations.merge import Merge, Pack
from ...engine.micro_operations.numbers import (
    AbsoluteDifference,
    Accumulate,
    Add,
    Maximum,
    Minimum,
    Multiply,
    Negate,
    PlusOne,
    Subtract,
)
from ...engine.micro_operations.properties import Flag, Reading, Stage
from ...engine.micro_operations.saturation import Clamp, Wrap
from ...engine.micro_operations.selection import Extend, Select, Truncate
from .row_mutations import (
    PREVIOUS_RESULT,
    MutationSite,
    RowMutation,
    iter_row_mutations,
)


@iter_row_mutations.register
def _mutate_compare(micro: Compare, site: MutationSite) -> Iterator[RowMutation]:
    cmp, type_, names = micro.cmp, micro.type, [x.name for x in site.row.inputs]
    simple_cmp = RELATIONS.get(cmp, cmp)
    if type_ is not None and type_.is_float:
        if micro.is_nan_test:
            is_nan = site.row.values[site.lane or 0] == (cmp is Cmp.NAN)
            description = "let a NaN pass" if is_nan else "took a number for a NaN"
            other = Compare(Cmp.NAN if cmp is Cmp.NUM else Cmp.NUM, type_)
            yield site.replace_operation(description, other, cost=0)
        else:
            integer = Type(f"s{type_.bits}")
            description = "compared the bits as integers"
            cost = 1
            if not names[1:]:
                description, cost = f"read {names[0]} as {integer}", -2
            yield site.replace_operation(description, Compare(simple_cmp, integer), cost=cost)
        if counterpart := _UNORDERED_COUNTERPARTS.get(cmp):
            verb = "hold" if counterpart in UNORDERED else "not hold"
            description = f"let a comparison with NaN {verb}"
            yield site.replace_operation(description, Compare(counterpart, type_), cost=0)
    elif type_ is not None and (other_type := _OTHER_SIGN.get(type_)):
        operands = "both" if names[1:] else names[0]
        description = f"read {operands} as {other_type}"
        yield site.replace_operation(description, Compare(cmp, other_type), cost=0)
    if cmp not in UNORDERED:
        for other_cmp in _CONFUSABLE_RELATIONS.get(simple_cmp, ()):
            relation = format_relation(other_cmp, *(*names, "0")[:2])
            yield site.replace_operation(f"tested {relation}", Compare(other_cmp, type_), cost=2)


_OTHER_SIGN = {
    Type(f"{x}{bits}"): Type(f"{y}{bits}") for x, y in ("su", "us") for bits in (16, 32, 64)
}
_CONFUSABLE_RELATIONS = {
    Cmp.LT: (Cmp.LE, Cmp.GT),
    Cmp.LE: (Cmp.LT, Cmp.GE),
    Cmp.GT: (Cmp.GE, Cmp.LT),
    Cmp.GE: (Cmp.GT, Cmp.LE),
    Cmp.EQ: (Cmp.NE,),
    Cmp.NE: (Cmp.EQ,),
}
_UNORDERED_COUNTERPARTS = {cmp: Cmp(f"{cmp}u") for cmp in RELATION_SIGNS}
_UNORDERED_COUNTERPARTS |= {other: cmp for cmp, other in _UNORDERED_COUNTERPARTS.items()}


@iter_row_mutations.register
def _mutate_not(micro: Not, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not negate")


@iter_row_mutations.register
def _mutate_combine(micro: Combine, site: MutationSite) -> Iterator[RowMutation]:
    for boolop in BoolOp:
        if boolop is not micro.boolop:
            yield site.replace_operation(f"combined with {boolop}", Combine(boolop), cost=2)
    yield site.keep_first_input(f"left {site.row.inputs[1].name} out")
    x, y = site.row.inputs
    if site.row.role == "q" and isinstance(x.micro, Not):
        opposite = ((micro, (*x.input_keys, y.key)), (Not(), (PREVIOUS_RESULT,)))
        yield RowMutation("took {q} for the opposite of {p}", opposite, 0)


@iter_row_mutations.register
def _mutate_choose(micro: Choose, site: MutationSite) -> Iterator[RowMutation]:
    condition, x, y = site.row.inputs
    if site.row.stage is Stage.GUARD:
        description = "kept the old value" if condition.values[0] else "wrote it anyway"
    else:
        truth = format_value(condition.values[0], Type.PRED)
        why = f"{condition.full_name} is {truth}"
        if not condition.is_operand:
            why = condition.micro.describe_lane(LaneView(condition, 0)).sentence
        choice = (y if condition.values[0] else x).name
        description = f"took {choice}, but {why.replace(': ', '; ')}"
    yield site.swap_inputs(description, 0)


@iter_row_mutations.register
def _mutate_take_lane(micro: TakeLane, site: MutationSite) -> Iterator[RowMutation]:
    other_lane = TakeLane(1 - micro.lane, micro.input_lanes)
    half = ("low", "high")[other_lane.lane]
    yield site.replace_operation(f"took the {half} half's result", other_lane)


@iter_row_mutations.register
def _mutate_encode(micro: Encode, site: MutationSite) -> Iterator[RowMutation]:
    if micro.is_one:  # misconceptions cover the integers
        instead, ones = ", which is 1.0 here", (1 << micro.type.bits) - 1
        for description, true in (("1", 1), ("all ones", ones)):
            yield site.replace_operation(
                f"wrote {description} for true",
                Encode(true, micro.type),
                cost=0,
                instead=instead,
            )


@iter_row_mutations.register
def _mutate_flush(micro: Flush, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("kept the subnormal", cost=0)
    if Flag.FLUSHED in site.row.flags[0]:
        yield site.replace_operation("lost the sign of zero", Encode(0, micro.type))


@iter_row_mutations.register
def _mutate_merge(micro: Merge, site: MutationSite) -> Iterator[RowMutation]:
    low, high = get_limits(micro.unit, micro.signed)
    t, *c = site.inputs
    if not micro.high:
        chain = ((Clamp(low, high), (t,)), (micro, (PREVIOUS_RESULT, *c)))
        yield RowMutation(f"clamped to {low}..{high}", chain)
    if not c:
        return
    kept_name, all_lanes = site.row.inputs[1].name, tuple(micro.all_lanes)

    def take_lanes(description: str, lanes: tuple[int, ...], cost: int = 1) -> RowMutation:
        merge = Merge(micro.unit, lanes, micro.signed)
        return site.replace_operation(description, merge, cost=cost)

    if len(site.row.inputs[0].values) > 1:
        other_lanes = tuple(lane for lane in all_lanes if lane not in micro.lanes)
        description = f"exchanged the lanes that are taken and those that keep {kept_name}"
        yield take_lanes(description, other_lanes)
        yield take_lanes("wrote every lane, mask or not", all_lanes)
    else:
        for index in all_lanes:
            if (index,) != micro.lanes:
                yield take_lanes(f"wrote {UNIT_NAMES[micro.unit]} {index}", (index,))
    yield take_lanes(f"kept all of {kept_name}", (), 2)


@iter_row_mutations.register
def _mutate_pack(micro: Pack, site: MutationSite) -> Iterator[RowMutation]:
    if site.lane is not None:
        return  # one lane has no order
    lanes = reversed(range(len(site.row.inputs[0].values)))
    reversal = Select(micro.unit, tuple((0, lane) for lane in lanes))
    description = "put the lanes side by side in the opposite order, but lane 0 is the rightmost"
    yield site.append_operation(description, reversal, micro)
    ins, (t,) = site.instruction, site.inputs
    has_sum = any(slot.name == "secop" for slot in ins.entry.slots)  # of lanes, with `.add`
    if ins.form.cmp and not ins.form.mask and has_sum:
        count = len(site.row.inputs[0].values)
        total = Accumulate(tuple(range(count)), count), (t, PREVIOUS_RESULT)
        chain = ((Clamp(0, 0), ("a",)), total)
        yield RowMutation("counted the lanes, but each has its own part of {d}", chain, 0)


@iter_row_mutations.register
def _mutate_add(micro: Add, site: MutationSite) -> Iterator[RowMutation]:
    if site.row.stage in (Stage.SUM, Stage.SECONDARY):
        yield site.keep_first_input("left {c} out")
        yield site.replace_operation("subtracted {c}", Subtract(), cost=2)
    else:
        yield from _iter_crossed_lanes(site, "carry")
        yield site.keep_first_input("did not add")
        yield site.replace_operation("subtracted", Subtract(), cost=2)


@iter_row_mutations.register
def _mutate_subtract(micro: Subtract, site: MutationSite) -> Iterator[RowMutation]:
    yield from _iter_crossed_lanes(site, "borrow")
    yield site.swap_inputs("took {a} from {b}")
    yield site.keep_first_input("did not subtract")
    yield site.replace_operation("added", Add(), cost=2)
    yield site.replace_operation("dropped the sign", AbsoluteDifference(), cost=2)


def _iter_crossed_lanes(site: MutationSite, noun: str) -> Iterator[RowMutation]:
    """Yield the sum or difference of whole words, with carries across lanes."""
    lanes, form = len(site.row.values), site.instruction.form
    if lanes == 1 or form.sat or form.asel or form.bsel or site.instruction.entry.lanes != lanes:
        return
    parts = Select(WORD_BITS // lanes, tuple((0, lane) for lane in range(lanes)))
    chain = ((site.row.micro, ("a", "b")), (parts, (PREVIOUS_RESULT,)))
    yield RowMutation(f"let a {noun} cross into the lane", chain, 0)


@iter_row_mutations.register
def _mutate_difference(micro: AbsoluteDifference, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation("kept the sign of the difference", Subtract())
    yield RowMutation("kept the sign of {b} - {a}", ((Subtract(), site.inputs[::-1]),), 2)


@iter_row_mutations.register
def _mutate_minimum(micro: Minimum, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation("took the larger", Maximum())


@iter_row_mutations.register
def _mutate_maximum(micro: Maximum, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation("took the smaller", Minimum())


@iter_row_mutations.register
def _mutate_multiply(micro: Multiply, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation("added", Add(), cost=2)


@iter_row_mutations.register
def _mutate_negate(micro: Negate, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not negate")


@iter_row_mutations.register
def _mutate_plus_one(micro: PlusOne, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("left out the one that .po adds")


@iter_row_mutations.register
def _mutate_accumulate(micro: Accumulate, site: MutationSite) -> Iterator[RowMutation]:
    _, c = site.inputs
    chain = ((micro, site.inputs), (Subtract(), (PREVIOUS_RESULT, c)))
    yield RowMutation("left {c} out", chain, 1)
    yield RowMutation("forgot the lanes", ((Copy(), (c,)),), 2)
    all_lanes = tuple(range(micro.input_lanes))
    if micro.lanes != all_lanes:
        excluded_lanes = tuple(lane for lane in all_lanes if lane not in micro.lanes)
        for description, lanes in (
            ("summed every lane, mask or not", all_lanes),
            ("summed the lanes that are not in the mask", excluded_lanes),
        ):
            yield site.replace_operation(description, Accumulate(lanes, micro.input_lanes))


@iter_row_mutations.register
def _mutate_clamp(micro: Clamp, site: MutationSite) -> Iterator[RowMutation]:
    type_ = micro.find_type() or Reading(WORD_BITS, True)
    bits, signed = type_.bits, type_.signed
    yield site.keep_first_input("did not clamp", cost=0)
    yield site.replace_operation("let it wrap around", Wrap(bits, signed))
    for width, is_signed in ((bits, not signed), (WORD_BITS, signed), (WORD_BITS, not signed)):
        low, high = get_limits(width, is_signed)
        if (low, high) != (micro.low, micro.high):
            cost = 1 if width == bits else 2
            description = f"clamped to {low}..{high}"
            yield site.replace_operation(description, Clamp(low, high), cost=cost)


@iter_row_mutations.register
def _mutate_wrap(micro: Wrap, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not truncate it")
    yield site.replace_operation("read it with the other sign", Wrap(micro.bits, not micro.signed))
    yield site.replace_operation("clamped", Clamp(*get_limits(micro.bits, micro.signed)))


def iter_early_narrowings(site: MutationSite) -> Iterator[RowMutation]:
    """Yield mutations that truncate or clamp an exact number too early."""
    ins = site.instruction
    unit = WORD_BITS if site.row.stage is not Stage.OPERATE else WORD_BITS // ins.entry.lanes
    has_signed_type = ins.form.dtype is Type.S32
    for is_signed in (has_signed_type, not has_signed_type):
        cost = 2 + (is_signed is not has_signed_type)
        phrase = f"it to {format_integer_type(is_signed, unit)} while numbers are still exact"
        yield site.append_operation(f"cut {phrase}", Wrap(unit, is_signed), cost=cost)
        clamp = Clamp(*get_limits(unit, is_signed))
        yield site.append_operation(f"clamped {phrase}", clamp, cost=cost + 1)


@iter_row_mutations.register
def _mutate_select(micro: Select, site: MutationSite) -> Iterator[RowMutation]:
    entry, unit, role = site.instruction.entry, micro.unit, site.row.role
    if unit == WORD_BITS:
        return
    is_of_pair = entry.has_lane_selectors or entry.find_slot(f"{role}sel")
    words = (Role.A, Role.B) if is_of_pair else (Role(role),)
    own_word = words.index(Role(role))
    picks = tuple((words.index(Role(site.inputs[word])), index) for word, index in micro.picks)
    if entry.has_lane_selectors:
        default_picks = tuple((own_word, lane) for lane in range(entry.lanes))
        reversed_picks = picks[::-1]
        if picks != default_picks:
            yield _mutate_picks("ignored the selector", default_picks, unit, words, -1)
        if reversed_picks != picks:
            description = "read the selector from the left, but its last digit is lane 0's"
            if picks == default_picks:
                description = "counted from the left, but lane 0 is the rightmost"
            cost = 0 if picks == default_picks else -1
            yield _mutate_picks(description, reversed_picks, unit, words, cost)
        swapped_picks = tuple((1 - word, index) for word, index in picks)
        low, high = ("0 to 3", "4 to 7") if entry.lanes == 4 else ("0 and 1", "2 and 3")
        description = f"read digits {low} as parts of b, and {high} as parts of a"
        if site.instruction.form.get(f"{role}sel") is None:
            description = f"took the lanes of {role} from {words[1 - own_word]}"
        yield _mutate_picks(description, swapped_picks, unit, words, 2)
    elif len(picks) > 1:
        description = f"took the {UNIT_NAMES[unit]}s of {{{role}}} in the opposite order"
        yield _mutate_picks(description, picks[::-1], unit, words, 0)
    lane = 0 if len(picks) == 1 else site.lane
    if lane is None:
        return
    right_word, right_index = picks[lane]
    own_cost = 0 if len(picks) == 1 else 1
    for word in (own_word, 1 - own_word)[: len(words)]:
        name, is_own = site.format_operand(words[word]), word == right_word
        for index in range(WORD_BITS // unit):
            if (word, index) != (right_word, right_index):
                changed_picks = (*picks[:lane], (word, index), *picks[lane + 1 :])
                description = f"took {UNIT_NAMES[unit]} {index} of {name}"
                right_name = site.format_operand(words[right_word])
                right_part = f"{right_name}'s {UNIT_NAMES[unit]} {right_index}"
                instead = "" if is_own else f" instead of {right_part}"
                cost = own_cost if is_own else 2
                yield _mutate_picks(description, changed_picks, unit, words, cost, instead)


def _mutate_picks(
    description: str,
    picks: Picks,
    unit: int,
    words: Sequence[Role],
    cost: int = 1,
    instead: str = "",
) -> RowMutation:
    numbers = sorted({word for word, _ in picks})
    own_picks = tuple((numbers.index(word), index) for word, index in picks)
    inputs = tuple(words[number] for number in numbers)
    return RowMutation(description, ((Select(unit, own_picks), inputs),), cost, instead)


@iter_row_mutations.register
def _mutate_extend(micro: Extend, site: MutationSite) -> Iterator[RowMutation]:
    if site.row.role == "b" and site.instruction.form.mode:
        return  # an amount is never negative
    yield site.replace_operation(
        "extended it with the other sign", Extend(micro.bits, not micro.signed), cost=0
    )


@iter_row_mutations.register
def _mutate_truncate(micro: Truncate, site: MutationSite) -> Iterator[RowMutation]:
    if micro.bits >= WORD_BITS:
        low, high = get_limits(micro.bits, micro.signed)
        description = f"clamped to {low}..{high}"
        yield site.replace_operation(description, Clamp(low, high), micro, cost=2)
