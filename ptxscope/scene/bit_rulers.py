"""Bit rulers: numbers drawn bit by bit, with the bits that a step keeps or cuts off."""

from __future__ import annotations

from ..engine.isa.encodings import format_float_fields, format_value, split_float
from ..engine.isa.types import Type
from ..engine.micro_operations.drawings import BitFate, BitField
from ..engine.syntax.errors import format_count
from .scene_model import PLAIN, BitRuler, BitRun, LaneRef, SpanKind, Tint

_LONG = 24
"""Minimum width in bits of fields in hexadecimal."""


def format_binary(value: int, low: int, high: int) -> str:
    """Format bits low..high-1 in binary, in groups of four counted from bit 0."""
    groups: list[str] = []
    while low < high:
        end = min(high, (low // 4 + 1) * 4)
        groups.append(f"{value >> low & (1 << end - low) - 1:0{end - low}b}")
        low = end
    return " ".join(reversed(groups))


def format_high_digits(value: int, bits: int) -> str:
    """Format the hexadecimal digits above bit `bits` - 1: ``1`` of 382 and 8; ``…fe`` of -300."""
    rest = value >> bits
    if rest >= 0:
        return f"{rest:x}"
    width = max(((~rest).bit_length() + 3) // 4, 1) * 4
    return f"…f{rest & (1 << width) - 1:x}"


def format_high_bits(value: int, bits: int) -> str:
    """Format the bits above bit `bits` - 1 up to the sign: ``1`` of 382 and 8; ``…10`` of -300."""
    top = max(_find_top_bit(value), bits + (value >= 0))
    digits = format_binary(value, bits, top)
    return f"…1{digits}" if value < 0 else digits


def _make_sign_run(value: int) -> BitRun:
    """Return the run for the endless sign bits above the topmost bit shown."""
    return BitRun("…1", SpanKind.SIGN) if value < 0 else BitRun("…0", SpanKind.ZERO)


def _find_top_bit(value: int) -> int:
    """Return the number of bits up to the topmost one that differs from the sign; at least 1."""
    return max((~value if value < 0 else value).bit_length(), 1)


def make_right_shift_ruler(place: LaneRef, value: int, amount: int, bits: int = 0) -> BitRuler:
    """Return the ruler of a right shift: the bits kept, and the bits cut off below.

    By default, the bits below the sign are shown; otherwise, at least ``bits`` bits.
    """
    top = max(_find_top_bit(value), amount, bits)
    sign = _make_sign_run(value)
    kept_text = f"{format_count(top - amount, 'bit')} kept" if bits else "kept"
    kept_runs = (
        [BitRun(format_binary(value, amount, top), SpanKind.CHIP, kept_text)]
        if top > amount
        else []
    )
    if not kept_runs:
        sign = sign._replace(label="kept")
    lost = f"{format_count(amount, 'bit')} cut off"
    lost_runs = [BitRun(format_binary(value, 0, amount), SpanKind.LOST, lost)] if amount else []
    return BitRuler(place, "", (sign, *kept_runs, *lost_runs), f"= {value >> amount}")


def make_left_shift_ruler(place: LaneRef, value: int, amount: int) -> BitRuler:
    """Return the ruler of a left shift: the 32-bit window, the zeros shifted in, the bits above."""
    product = value << amount
    top = max(_find_top_bit(product), 32)
    beyond = BitRun(format_binary(product, 32, top), SpanKind.BEYOND, "above bit 31")
    start = min(amount, 32)
    kept_run = BitRun(
        format_binary(product, start, 32),
        SpanKind.CHIP,
        "bit 31" if start == 31 else f"bits 31:{start}",
    )
    come = f"{amount} zero{'s' * (amount > 1)} come{'s' * (amount == 1)} in"
    zeros = BitRun(format_binary(product, 0, start), SpanKind.ZERO, come)
    runs = (_make_sign_run(product), beyond, kept_run, zeros)
    return BitRuler(place, "", tuple(x for x in runs if x.text), f"= {product}")


def make_truncation_ruler(place: LaneRef, value: int, bits: int, summary: str) -> BitRuler:
    """Return the ruler of a number truncated to `bits` bits, with the lost bits above the rest."""
    whole = bits % 4 == 0 and bits > 8
    top = _find_top_bit(value)
    if whole:
        high_digits, low_digits = (
            format_high_digits(value, bits),
            f"{value & (1 << bits) - 1:0{bits // 4}x}",
        )
    else:
        high_digits = format_binary(value, bits, max(top, bits + 1))
        low_digits = format_binary(value, 0, bits)
    sign = [BitRun("…1", SpanKind.LOST)] if value < 0 and not whole else []
    label = f"above bit {bits - 1}"
    lost_run = BitRun(high_digits, SpanKind.LOST, f"{label}: cut off")
    kept_run = BitRun(low_digits, SpanKind.CHIP, "bit 0" if bits == 1 else f"bits {bits - 1}:0")
    return BitRuler(place, "", (*sign, lost_run, kept_run), summary)


_FATES = {
    BitFate.TAKEN: SpanKind.CHIP,
    BitFate.OUTSIDE: SpanKind.OUTSIDE,
    BitFate.SIGN: SpanKind.SIGN,
    BitFate.ZERO: SpanKind.ZERO,
    BitFate.LOST: SpanKind.LOST,
}


def make_field_ruler(
    place: LaneRef, name: str, value: int, fields: tuple[BitField, ...]
) -> BitRuler:
    """Return the ruler of a number whose fields, the lowest first, have separate fates."""
    runs, low = list[BitRun](), 0
    for field in fields:
        if field.width:
            text = format_binary(value, low, low + field.width)
            tint = Tint(field.role) if field.role else None
            runs.append(BitRun(text, _FATES[field.fate], field.label, tint))
        low += field.width
    return BitRuler(place, name, tuple(reversed(runs)))


def make_float_ruler(
    place: LaneRef, name: str, bits: int, type_: Type, tint: Tint = PLAIN, is_flushed: bool = False
) -> BitRuler:
    """Return the ruler of a float's sign, exponent and fraction; a flushed fraction is lost."""
    fraction = type_.fraction_bits
    exponent = type_.bits - 1 - fraction
    sign, power, rest = split_float(bits, type_)
    fraction_digits = f"{rest:0{fraction}b}" if fraction < _LONG else f"0x{rest:0{fraction // 4}x}"
    fraction_kind = SpanKind.LOST if is_flushed else SpanKind.FIELD
    runs = (
        BitRun(str(sign), SpanKind.FIELD, "sign", tint._replace(byte=3)),
        BitRun(f"{power:0{exponent}b}", SpanKind.FIELD, "exponent", tint._replace(byte=2)),
        BitRun(fraction_digits, fraction_kind, "fraction", tint._replace(byte=1)),
    )
    summary = f"{format_value(bits, type_)}: {format_float_fields(bits, type_)}"
    return BitRuler(place, name, runs, summary)
