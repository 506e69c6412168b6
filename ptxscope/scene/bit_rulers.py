"""Numbers to the bit: which of them are kept, which fall off, and what stands above."""

from __future__ import annotations

from ..engine.isa.types import Type
from ..engine.syntax.values import float_parts, format_float_fields, value_text
from .scene_model import Look, Place, Stretch, Strip

_FIELDS = {Type.F32: (8, 23), Type.F64: (11, 52)}
"""Bits of exponent and fraction."""
_LONG = 24
"""Bits from which on a field is written in hexadecimal."""


def digits(value: int, low: int, high: int) -> str:
    """Bits low..high-1 in binary, in groups of four counted from bit 0."""
    groups: list[str] = []
    while low < high:
        end = min(high, (low // 4 + 1) * 4)
        groups.append(f"{value >> low & (1 << end - low) - 1:0{end - low}b}")
        low = end
    return " ".join(reversed(groups))


def above(value: int, bits: int) -> str:
    """The hexadecimal digits above so many bits: ``1`` of 382 and 8; ``…fe`` of -300."""
    rest = value >> bits
    if rest >= 0:
        return f"{rest:x}"
    width = max(((~rest).bit_length() + 3) // 4, 1) * 4
    return f"…f{rest & (1 << width) - 1:x}"


def _sign(value: int) -> Stretch:
    """What goes on above the topmost bit shown."""
    return Stretch("…1", Look.SIGN) if value < 0 else Stretch("…0", Look.ZERO)


def _top(value: int) -> int:
    """The bits from bit 0 to the topmost one that is not the sign."""
    return max((~value if value < 0 else value).bit_length(), 1)


def shifted_down(place: Place, value: int, amount: int) -> Strip:
    """A number shifted right: what is kept, and what falls off below."""
    top = max(_top(value), amount)
    sign = _sign(value)
    kept = [Stretch(digits(value, amount, top), Look.CHIP, "kept")] if top > amount else []
    if not kept:
        sign = sign._replace(label="kept")
    bits = f"{amount} bit{'s' * (amount > 1)} fall{'s' * (amount == 1)} off"
    lost = [Stretch(digits(value, 0, amount), Look.LOST, bits)] if amount else []
    return Strip(place, "", (sign, *kept, *lost), f"= {value >> amount}")


def shifted_up(place: Place, value: int, amount: int) -> Strip:
    """A number shifted left: the window of 32, zeros that come in, what stands above it."""
    made = value << amount
    top = max(_top(made), 32)
    beyond = Stretch(digits(made, 32, top), Look.BEYOND, "above bit 31")
    start = min(amount, 32)
    kept = Stretch(
        digits(made, start, 32), Look.CHIP, "bit 31" if start == 31 else f"bits 31:{start}"
    )
    come = f"{amount} zero{'s' * (amount > 1)} come{'s' * (amount == 1)} in"
    zeros = Stretch(digits(made, 0, start), Look.ZERO, come)
    shown = (_sign(made), beyond, kept, zeros)
    return Strip(place, "", tuple(x for x in shown if x.text), f"= {made}")


def cut(place: Place, value: int, bits: int, said: str) -> Strip:
    """A number cut to so many bits: what falls off stands above, where it was."""
    whole = bits % 4 == 0 and bits > 8
    top = _top(value)
    if whole:
        high, low = above(value, bits), f"{value & (1 << bits) - 1:0{bits // 4}x}"
    else:
        high = digits(value, bits, max(top, bits + 1))
        low = digits(value, 0, bits)
    sign = [Stretch("…1", Look.LOST)] if value < 0 and not whole else []
    label = f"above bit {bits - 1}"
    lost = Stretch(high, Look.LOST, f"{label}: falls off")
    keeps = Stretch(low, Look.CHIP, "bit 0" if bits == 1 else f"bits {bits - 1}:0")
    return Strip(place, "", (*sign, lost, keeps), said)


def float_fields(place: Place, name: str, bits: int, type_: Type, *, lost: bool = False) -> Strip:
    """Sign, exponent and fraction of a float in place; ``lost`` where its fraction is flushed."""
    exponent, fraction = _FIELDS[type_]
    sign, power, rest = float_parts(bits, type_.bits)
    written = f"{rest:0{fraction}b}" if fraction < _LONG else f"0x{rest:0{fraction // 4}x}"
    stretches = (
        Stretch(str(sign), Look.SIGN_BIT, "sign"),
        Stretch(f"{power:0{exponent}b}", Look.EXPONENT, "exponent"),
        Stretch(written, Look.LOST if lost else Look.FRACTION, "fraction"),
    )
    said = f"{value_text(bits, type_)}: {format_float_fields(bits, type_.bits)}"
    return Strip(place, name, stretches, said)
