"""A second formulation of arithmetic on floats: exact fractions, rounded explicitly.

It is written from the PTX ISA and IEEE 754, and shares no code with ptxscope.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from random import Random
from typing import NamedTuple

FIELDS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
"""Widths of exponent and fraction in bits."""


class Number(NamedTuple):
    """A float: its sign, and its magnitude, None for infinity; ``is_nan`` for no number."""

    sign: int
    magnitude: Fraction | None
    is_nan: bool = False


NAN = Number(0, None, is_nan=True)


def decode(bits: int, type_: str) -> Number:
    exponent_bits, fraction_bits = FIELDS[type_]
    bias = (1 << exponent_bits - 1) - 1
    sign = bits >> exponent_bits + fraction_bits
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    fraction = bits & (1 << fraction_bits) - 1
    if exponent == (1 << exponent_bits) - 1:
        return NAN if fraction else Number(sign, None)
    significand = fraction + ((1 << fraction_bits) if exponent else 0)
    return Number(sign, significand * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits))


def is_subnormal(bits: int, type_: str) -> bool:
    exponent_bits, fraction_bits = FIELDS[type_]
    is_zero = bits & (1 << exponent_bits + fraction_bits) - 1 == 0
    return not is_zero and bits >> fraction_bits & (1 << exponent_bits) - 1 == 0


def flush(bits: int, type_: str) -> int:
    width = sum(FIELDS[type_])
    return bits >> width << width if is_subnormal(bits, type_) else bits


def round_whole(value: Fraction, rounding: str, sign: int) -> int:
    """A magnitude as an integer; ``rm`` and ``rp`` are of the signed value."""
    low, rest = divmod(value, 1)
    if rounding in ("rm", "rp"):
        is_up = rest > 0 and (sign == 1) == (rounding == "rm")
    elif rounding == "rz":
        is_up = False
    else:
        is_up = rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1)
    return int(low) + is_up


def encode(x: Number, type_: str, rounding: str = "rn") -> int:
    exponent_bits, fraction_bits = FIELDS[type_]
    width = exponent_bits + fraction_bits
    if x.is_nan:
        return (1 << width) - 1
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if x.magnitude is None:
        return x.sign << width | infinity
    bias = (1 << exponent_bits - 1) - 1
    exponent = 1 - bias
    while x.magnitude >= Fraction(2) ** (exponent + 1):
        exponent += 1
    quantum = Fraction(2) ** (exponent - fraction_bits)
    count = round_whole(x.magnitude / quantum, rounding, x.sign)
    bits = count + (exponent + bias - 1 << fraction_bits)  # a subnormal has no hidden bit
    if bits >= infinity:
        goes_up = rounding == "rn" or (rounding == "rp" and not x.sign) or (
            rounding == "rm" and x.sign)  # fmt: skip
        bits = infinity if goes_up else infinity - 1
    return x.sign << width | bits


def _signed(x: Number) -> Fraction:
    assert x.magnitude is not None
    return -x.magnitude if x.sign else x.magnitude


def _negate(x: Number) -> Number:
    return x._replace(sign=1 - x.sign)


def _add(x: Number, y: Number, rounding: str) -> Number:
    if x.is_nan or y.is_nan:
        return NAN
    if x.magnitude is None or y.magnitude is None:
        infinite = [z for z in (x, y) if z.magnitude is None]
        return infinite[0] if infinite[0] == infinite[-1] else NAN
    total = _signed(x) + _signed(y)
    if total == 0:
        return Number(x.sign if x.sign == y.sign else int(rounding == "rm"), Fraction(0))
    return Number(int(total < 0), abs(total))


def _multiply(x: Number, y: Number) -> Number:
    if x.is_nan or y.is_nan:
        return NAN
    if x.magnitude is None or y.magnitude is None:
        return NAN if 0 in (x.magnitude, y.magnitude) else Number(x.sign ^ y.sign, None)
    return Number(x.sign ^ y.sign, x.magnitude * y.magnitude)


def _divide(x: Number, y: Number) -> Number:
    if y.is_nan:
        return NAN
    if y.magnitude is None:
        return _multiply(x, Number(y.sign, Fraction(0)))
    if y.magnitude == 0:
        return _multiply(x, Number(y.sign, None))
    return _multiply(x, Number(y.sign, 1 / y.magnitude))


def _find_root(x: Number) -> Number:
    """A number that rounds as the root does: it is cut far beyond any format, to an odd place."""
    if x.is_nan or (x.sign and x.magnitude != 0):
        return NAN
    if x.magnitude is None or x.magnitude == 0:
        return x
    scaled = x.magnitude * 2**800
    assert scaled.denominator == 1
    root = isqrt(scaled.numerator)
    return Number(0, Fraction(root | int(root * root != scaled.numerator), 2**400))


def _choose(opcode: str, x: Number, y: Number, keeps_nan: bool) -> Number:
    numbers = [z for z in (x, y) if not z.is_nan]
    if not numbers or (keeps_nan and len(numbers) < 2):
        return NAN

    def rank(z: Number) -> tuple[Fraction, int]:
        size = Fraction(2) ** 2000 if z.magnitude is None else z.magnitude
        return (-size if z.sign else size), 1 - z.sign

    return (min if opcode == "min" else max)(numbers, key=rank)


def saturate(x: Number) -> Number:
    if x.is_nan or x.sign or x.magnitude == 0:
        return Number(0, Fraction(0))
    return Number(0, Fraction(1)) if x.magnitude is None or x.magnitude > 1 else x


def compute(name: str, words: tuple[int, ...]) -> int | None:
    """The bits of the result of ``add.rz.ftz.f32`` in one lane; None for an unspecified NaN."""
    opcode, *modifiers, type_ = name.split(".")
    if opcode == "copysign":
        width = sum(FIELDS[type_])
        return words[0] >> width << width | words[1] & (1 << width) - 1
    rounding = next((x for x in modifiers if x in ("rz", "rm", "rp")), "rn")
    words = tuple(flush(x, type_) for x in words) if "ftz" in modifiers else words
    x, y, z = (*(decode(word, type_) for word in words), NAN, NAN)[:3]
    match opcode:
        case "abs":
            value = x._replace(sign=0)
        case "neg":
            value = _negate(x)
        case "add":
            value = _add(x, y, rounding)
        case "sub":
            value = _add(x, _negate(y), rounding)
        case "mul":
            value = _multiply(x, y)
        case "fma":
            value = _add(_multiply(x, y), z, rounding)
        case "div":
            value = _divide(x, y)
        case "rcp":
            value = _divide(Number(0, Fraction(1)), x)
        case "sqrt":
            value = _find_root(x)
        case _:
            value = _choose(opcode, x, y, "NaN" in modifiers)
    if "sat" in modifiers:
        value = saturate(value)
    if value.is_nan and (opcode in ("abs", "neg") or type_ == "f64"):
        return None
    bits = encode(value, type_, rounding)
    return flush(bits, type_) if "ftz" in modifiers else bits


def _convert_to_integer(x: Number, target: str, source: str, rounding: str) -> int:
    width = int(target[1:])
    low, high = (-(1 << width - 1), (1 << width - 1)) if target[0] == "s" else (0, (1 << width))
    if x.is_nan:
        is_wide = width == 64 or source == "f64"
        return (low or (1 << width - 1)) if is_wide else 0
    if x.magnitude is None:
        value = low if x.sign else high - 1
    else:
        whole = round_whole(x.magnitude, rounding, x.sign)
        value = min(max(-whole if x.sign else whole, low), high - 1)
    return value


def convert(name: str, words: tuple[int, ...], width: int) -> int | None:
    """The bits of ``cvt.rn.ftz.f16.f32`` in a register of a width; None for an unspecified NaN."""
    _, *modifiers, target, source = name.split(".")
    rounding = next((x for x in modifiers if x[0] == "r"), "")
    if target.endswith("x2") and source == "f32":
        inner = name.replace("x2", "")
        high, low = (convert(inner, (x,), 16) for x in words)
        return None if high is None or low is None else high << 16 | low
    (word,) = words
    if source in FIELDS:
        word &= (1 << 1 + sum(FIELDS[source])) - 1
        x = decode(flush(word, source) if "ftz" in modifiers and source == "f32" else word, source)
        if x.is_nan and (source == "bf16" or (target, source) == ("f64", "f32")):
            return None
    else:
        bits = int(source[1:])
        number = word & (1 << bits) - 1
        number -= (source[0] == "s" and number >> bits - 1) << bits
        x = Number(int(number < 0), Fraction(abs(number)))
    if target not in FIELDS:
        return _convert_to_integer(x, target, source, rounding[:2]) & (1 << width) - 1
    if rounding.endswith("i") and x.magnitude is not None:
        x = x._replace(magnitude=Fraction(round_whole(x.magnitude, rounding[:2], x.sign)))
    if "sat" in modifiers:
        x = saturate(x)
    return encode(x, target, rounding[:2] or "rn")


def draw(random: Random, type_: str) -> int:
    """Bits of a number: often of a similar size, or at an edge."""
    exponent_bits, fraction_bits = FIELDS[type_]
    width = exponent_bits + fraction_bits
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    one = infinity // 2 >> fraction_bits << fraction_bits
    sign = random.getrandbits(1) << width
    match random.randrange(8):
        case 0 | 1:
            least = 1 << fraction_bits
            edges = (0, 1, 2, least - 1, least, least + 1, one, one - 1, one + 1, infinity - 1)
            return random.choice((*edges, infinity, infinity + 1, (1 << width) - 1)) | sign
        case 2 | 3 | 4:
            near = one + random.randint(-4 << fraction_bits, 4 << fraction_bits)
            near = near >> random.randrange(fraction_bits) << random.randrange(3)
            return near & (1 << width) - 1 | sign
        case 5:  # a tie of a narrower format
            return (one + random.getrandbits(fraction_bits)) & -1 << fraction_bits // 2 | sign
        case _:
            return random.getrandbits(width + 1)
