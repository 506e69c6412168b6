"""Mistakes in rows of bits: fields, counts, permutations, shifts."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.isa.types import WORD_BITS, BoolOp
from ...engine.micro_operations.base import MicroOperation
from ...engine.micro_operations.bitwise import (
    CombineBits,
    InvertBits,
    JoinFields,
    JoinWords,
    TakeBits,
    TakeWord,
)
from ...engine.micro_operations.counts import (
    CountLeadingZeros,
    CountOnes,
    FindNthOne,
    InvertNegative,
    ReplaceValue,
    ReverseBits,
    SubtractFrom,
)
from ...engine.micro_operations.fields import (
    ExtendField,
    FieldMask,
    InsertField,
    LimitField,
    ReadField,
)
from ...engine.micro_operations.numbers import Add, Negate, PlusOne, Subtract
from ...engine.micro_operations.permutation import (
    MAJORITY,
    EvaluateTable,
    PermuteBytes,
    SelectDigits,
)
from ...engine.micro_operations.saturation import Clamp, Wrap
from ...engine.micro_operations.shifts import (
    Average,
    Divide,
    LimitAmount,
    Remainder,
    ScaleDown,
    ShiftLeft,
    ShiftRight,
)
from .row_mutations import (
    PREVIOUS_RESULT,
    MutationSite,
    RowMutation,
    iter_row_mutations,
)


@iter_row_mutations.register
def _mutate_combine_bits(micro: CombineBits, site: MutationSite) -> Iterator[RowMutation]:
    for boolop in BoolOp:
        if boolop is not micro.boolop:
            yield site.replace_operation(
                f"combined the bits with {boolop}", CombineBits(micro.bits, boolop)
            )
    mask = site.row.inputs[1].values[0]
    width = mask.bit_length()
    if micro.boolop is BoolOp.AND and 0 < width < micro.bits and not mask & mask + 1:
        top = TakeBits(micro.bits - width, width)
        yield site.replace_operation("kept the bits at the other end", top, cost=0)


@iter_row_mutations.register
def _mutate_invert_bits(micro: InvertBits, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not invert the bits")


@iter_row_mutations.register
def _mutate_take_bits(micro: TakeBits, site: MutationSite) -> Iterator[RowMutation]:
    if micro.bits > 1:
        other = TakeBits(0 if micro.low else micro.bits, micro.bits)
        yield site.replace_operation("took the other word", other, cost=0)


@iter_row_mutations.register
def _mutate_join_words(micro: JoinWords, site: MutationSite) -> Iterator[RowMutation]:
    yield site.swap_inputs("took {a} for the high word")


@iter_row_mutations.register
def _mutate_join_fields(micro: JoinFields, site: MutationSite) -> Iterator[RowMutation]:
    low, high, *rest = site.inputs
    swapped = ((micro, (high, low, *rest)),)
    yield RowMutation("put {a} into the low bits, but it is {b} that goes there", swapped, 0)
    if rest:
        yield RowMutation("left {c} out", ((micro, (low, high)),))


@iter_row_mutations.register
def _mutate_take_word(micro: TakeWord, site: MutationSite) -> Iterator[RowMutation]:
    pair, start = site.inputs
    other_start = ((SubtractFrom(WORD_BITS), (start,)), (micro, (pair, PREVIOUS_RESULT)))
    yield RowMutation("shifted the other way", other_start, 0)
    a, b = (source.key for source in site.row.inputs[0].inputs)
    amounts = [source.key for source in site.row.inputs[1].inputs]
    if site.row.inputs[1].micro == SubtractFrom(WORD_BITS):  # .l
        alone = (
            (ShiftLeft(), (b, *amounts)),
            (Wrap(WORD_BITS, signed=False), (PREVIOUS_RESULT,)),
        )
        yield RowMutation("shifted {b} alone, so that zeros came in", alone)
    else:
        yield RowMutation("shifted {a} alone, so that zeros came in", ((micro, (a, start)),))


@iter_row_mutations.register
def _mutate_subtract_from(micro: SubtractFrom, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("counted from the other end")


@iter_row_mutations.register
def _mutate_reverse_bits(micro: ReverseBits, site: MutationSite) -> Iterator[RowMutation]:
    for unit, name in ((8, "bytes"), (4, "hexadecimal digits")):
        description = f"reversed the {name}, but not the bits within them"
        yield site.replace_operation(description, ReverseBits(micro.bits, unit))


@iter_row_mutations.register
def _mutate_count_ones(micro: CountOnes, site: MutationSite) -> Iterator[RowMutation]:
    yield site.append_operation("counted the zeros", SubtractFrom(micro.bits))


@iter_row_mutations.register
def _mutate_leading_zeros(micro: CountLeadingZeros, site: MutationSite) -> Iterator[RowMutation]:
    yield site.append_operation("took the position of the highest 1", SubtractFrom(micro.bits - 1))
    description = "counted the zeros below the lowest 1"
    yield site.replace_operation(description, ReverseBits(micro.bits), micro)


@iter_row_mutations.register
def _mutate_invert_negative(micro: InvertNegative, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not invert the bits of a negative number")


@iter_row_mutations.register
def _mutate_replace_value(micro: ReplaceValue, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("took the width if there is no such bit")


@iter_row_mutations.register
def _mutate_find_nth_one(micro: FindNthOne, site: MutationSite) -> Iterator[RowMutation]:
    yield site.swap_inputs("took the base for the offset")
    x, start, offset = site.inputs
    find = (micro, (x, start, PREVIOUS_RESULT))
    other_direction = ((SubtractFrom(0), (offset,)), find)
    yield RowMutation("counted in the other direction", other_direction, 0)
    ones, first, count = (source.values[0] for source in site.row.inputs)
    if count and ones >> first & 1:
        is_down = count < 0  # one less is the opposite of one more
        steps = (SubtractFrom(0), PlusOne(), SubtractFrom(0)) if is_down else (PlusOne(),)
        names = (offset, *[PREVIOUS_RESULT] * (len(steps) - 1))
        one_more = tuple((step, (name,)) for step, name in zip(steps, names, strict=True))
        yield RowMutation("did not count the 1 at bit b itself", (*one_more, find), 0)


@iter_row_mutations.register
def _mutate_limit_field(micro: LimitField, site: MutationSite) -> Iterator[RowMutation]:
    wrong, name = LimitField(not micro.wrap, micro.bits), site.row.name
    description = f"limited the {name}" if micro.wrap else f"cut the {name} to a few bits"
    yield site.replace_operation(description, wrong)


@iter_row_mutations.register
def _mutate_extend_field(micro: ExtendField, site: MutationSite) -> Iterator[RowMutation]:
    other = ExtendField(micro.bits, not micro.signed)
    yield site.replace_operation("extended it with the other sign", other, cost=0)
    yield site.keep_first_input("did not cut it off")


@iter_row_mutations.register
def _mutate_read_field(micro: ReadField, site: MutationSite) -> Iterator[RowMutation]:
    other = ReadField(micro.bits, not micro.signed)
    yield site.replace_operation("extended it with the other sign", other, cost=0)
    yield site.swap_inputs("took the position for the length")
    x, position, length = site.inputs
    last_bit = _count_bits_to(position, length, micro.bits)
    yield RowMutation(_TOOK_LAST_BIT, (*last_bit, (micro, (x, position, PREVIOUS_RESULT))))
    yield RowMutation("did not cut it off", ((ShiftRight(), (x, position)),))
    read = (micro, (x, PREVIOUS_RESULT, length))
    end, lower = (Add(), (position, length)), (Subtract(), (position, length))
    mirror = (SubtractFrom(micro.bits), (PREVIOUS_RESULT,))
    yield RowMutation("counted the position from the left", (end, mirror, read), 0)
    yield RowMutation("took the field above", (end, read))
    yield RowMutation("took the field below", (lower, read))
    yield RowMutation(
        "did not shift it down", ((ExtendField(micro.bits, micro.signed), (x, length)),)
    )


@iter_row_mutations.register
def _mutate_insert_field(micro: InsertField, site: MutationSite) -> Iterator[RowMutation]:
    x, y, position, length = site.inputs
    yield site.swap_inputs("took the position for the length")
    yield RowMutation("inserted {b} into {a}", ((micro, (y, x, position, length)),))
    in_place = ((ShiftRight(), (x, position)), (micro, (PREVIOUS_RESULT, y, position, length)))
    yield RowMutation(
        "took the same bits of {a}, but it is its low bits that go there", in_place, 0
    )
    into_zero = ((Clamp(0, 0), (y,)), (micro, (x, PREVIOUS_RESULT, position, length)))
    yield RowMutation("forgot the other bits of {b}", into_zero, 0)
    free_bits = ((Add(), (position, length)), (SubtractFrom(micro.bits), (PREVIOUS_RESULT,)))
    high_bits = ((Negate(), (PREVIOUS_RESULT,)), (ShiftRight(), (x, PREVIOUS_RESULT)))
    chain = (*free_bits, *high_bits, (micro, (PREVIOUS_RESULT, y, position, length)))
    yield RowMutation("kept the high bits of {a}, but it is the low ones that fit", chain, 0)
    last_bit = _count_bits_to(position, length, micro.bits)
    insertion = (micro, (x, y, position, PREVIOUS_RESULT))
    yield RowMutation(_TOOK_LAST_BIT, (*last_bit, insertion))


@iter_row_mutations.register
def _mutate_field_mask(micro: FieldMask, site: MutationSite) -> Iterator[RowMutation]:
    yield site.swap_inputs("took the position for the length")
    position, length = site.inputs
    last_bit = _count_bits_to(position, length, micro.bits)
    yield RowMutation(_TOOK_LAST_BIT, (*last_bit, (micro, (position, PREVIOUS_RESULT))))


_TOOK_LAST_BIT = "took the length for the number of the last bit"


def _count_bits_to(
    position: str, last: str, bits: int
) -> tuple[tuple[MicroOperation, tuple[str, ...]], ...]:
    """Return the operations of a mistake: the bits from a position to the last one are counted."""
    return (
        (SubtractFrom(1), (position,)),
        (Add(), (PREVIOUS_RESULT, last)),
        (Clamp(0, bits), (PREVIOUS_RESULT,)),
    )


@iter_row_mutations.register
def _mutate_select_digits(micro: SelectDigits, site: MutationSite) -> Iterator[RowMutation]:
    description = "read the digits from the left, but the last one is byte 0's"
    yield site.replace_operation(description, SelectDigits(is_reversed=True), cost=-2)


@iter_row_mutations.register
def _mutate_permute_bytes(micro: PermuteBytes, site: MutationSite) -> Iterator[RowMutation]:
    digits, a, b = site.inputs
    plain_bytes = ((Wrap(3, signed=False), (digits,)), (micro, (PREVIOUS_RESULT, a, b)))
    yield RowMutation(
        "took the byte itself, but a digit of 8 or more copies its top bit", plain_bytes, 0
    )
    yield site.swap_inputs("counted the bytes of {b} before those of {a}")


@iter_row_mutations.register
def _mutate_evaluate_table(micro: EvaluateTable, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation("inverted the table", EvaluateTable(micro.table ^ 0xFF), cost=2)
    reversed_table = int(f"{micro.table:08b}"[::-1], 2)
    yield site.replace_operation(
        "counted the table's bits from the left", EvaluateTable(reversed_table)
    )
    if micro.table == MAJORITY:
        for name, table in (("or", 0xFE), ("and", 0x80)):
            description = f"took the {name}, but the table is the majority"
            yield site.replace_operation(description, EvaluateTable(table), cost=0)
    x, y, z = site.inputs
    yield RowMutation("read the table with {c} as the highest bit", ((micro, (z, y, x)),))
    yield RowMutation("exchanged {b} and {c}", ((micro, (x, z, y)),))


@iter_row_mutations.register
def _mutate_limit_amount(micro: LimitAmount, site: MutationSite) -> Iterator[RowMutation]:
    description = "clamped the amount to 32" if micro.wrap else "kept five bits of the amount"
    if micro.bits >= 32:
        yield site.replace_operation(description, LimitAmount(not micro.wrap))
    if micro.wrap and site.row.inputs[0].values[0] >= micro.bits:
        yield site.replace_operation(f"let {micro.bits} or more become 0", Clamp(0, 0))
    if site.row.inputs[0].values[0] <= 64:
        yield site.keep_first_input("left the amount as it is")


@iter_row_mutations.register
def _mutate_shift_left(micro: ShiftLeft, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation("shifted right", ShiftRight(), cost=2)


@iter_row_mutations.register
def _mutate_shift_right(micro: ShiftRight, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation("shifted left", ShiftLeft(), cost=2)
    x, amount = site.inputs
    chain = (
        (Negate(), (x,)),
        (ShiftRight(), (PREVIOUS_RESULT, amount)),
        (Negate(), (PREVIOUS_RESULT,)),
    )
    yield RowMutation("rounded up, but a shift rounds down", chain)
    high_bits = ((micro, (x, amount)), (ShiftLeft(), (PREVIOUS_RESULT, amount)))
    low_bits = (*high_bits, (Subtract(), (x, PREVIOUS_RESULT)))
    yield RowMutation("kept the bits that fall out", low_bits, 0)


@iter_row_mutations.register
def _mutate_scale_down(micro: ScaleDown, site: MutationSite) -> Iterator[RowMutation]:
    yield site.keep_first_input("did not shift")
    yield site.replace_operation("rounded up, but a shift rounds down", Negate(), micro, Negate())


@iter_row_mutations.register
def _mutate_average(micro: Average, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation(
        "rounded the half up", Add(), Negate(), ScaleDown(1), Negate(), cost=2
    )
    yield site.replace_operation("did not halve the sum", Add(), cost=2)


@iter_row_mutations.register
def _mutate_divide(micro: Divide, site: MutationSite) -> Iterator[RowMutation]:
    yield site.swap_inputs("divided {b} by {a}")
    yield site.replace_operation("took the remainder", Remainder(micro.bits, micro.signed))


@iter_row_mutations.register
def _mutate_remainder(micro: Remainder, site: MutationSite) -> Iterator[RowMutation]:
    yield site.replace_operation("took the quotient", Divide(micro.bits, micro.signed))
    yield site.swap_inputs("divided {b} by {a}")
