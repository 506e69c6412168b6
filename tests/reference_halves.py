"""A second formulation of half-precision `set` and `setp`, from PLAIN.md of the team alone.

Floats are exact fractions here. It shares no code with ptxscope: texts are split, types are words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import cache

_FIELDS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
"""Widths of exponent and fraction in bits."""
_RELATIONS: dict[str, Callable[[Fraction | int, Fraction | int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
COMPARISONS = {
    "b": ("eq", "ne"),
    "s": tuple(_RELATIONS),
    "u": (*_RELATIONS, *_UNSIGNED),
    "f": (*_RELATIONS, *(f"{x}u" for x in _RELATIONS), "num", "nan"),
}
_INTEGERS = [f"{kind}{bits}" for kind in "bus" for bits in (16, 32, 64)]
_SCALARS = {
    "f16": [*_INTEGERS, "f32", "f64", "f16"],
    "bf16": [*_INTEGERS, "f32", "f64", "f16", "bf16"],
    **{x: ["f16", "bf16"] for x in ("u16", "s16", "u32", "s32")},
}
_PAIRS = {
    "f16x2": ["f16x2"],
    "bf16x2": ["bf16x2"],
    **{x: ["f16x2", "bf16x2"] for x in ("u32", "s32")},
}


def list_types(opcode: str) -> set[tuple[str, ...]]:
    """The types of `set` and `setp` that concern halves, without the slots that go with them."""
    if opcode == "setp":
        return {(x,) for x in ("f16", "f16x2", "bf16", "bf16x2")}
    tables = (_SCALARS, _PAIRS)
    return {(d, s) for table in tables for d, sources in table.items() for s in sources}


def is_legal(opcode: str, cmp: str, has_ftz: bool, types: tuple[str, ...]) -> bool:
    """Whether the table of legal forms has this one, with or without a Boolean operator."""
    if types not in list_types(opcode):
        return False
    source = types[-1]
    kind = "f" if "f" in source else source[0]
    if cmp not in COMPARISONS[kind]:
        return False
    may_flush = source in ("f16", "f16x2") and types[0] != "bf16"
    return not has_ftz or may_flush or types == ("f16", "f32")


def decode(bits: int, type_: str) -> Fraction | None:
    """The number behind a float's bits; None for NaN. Infinity is beyond all finite numbers."""
    exponent_bits, fraction_bits = _FIELDS[type_]
    text = f"{bits:0{1 + exponent_bits + fraction_bits}b}"
    sign = -1 if text[0] == "1" else 1
    exponent, fraction = int(text[1 : 1 + exponent_bits], 2), int(text[1 + exponent_bits :], 2)
    bias = 2 ** (exponent_bits - 1) - 1
    if exponent == 2**exponent_bits - 1:
        return None if fraction else Fraction(sign * 2 ** (bias + 9))
    significand = Fraction(fraction, 2**fraction_bits) + (exponent > 0)
    scale = max(exponent, 1) - bias
    return sign * significand * (Fraction(2**scale) if scale >= 0 else Fraction(1, 2**-scale))


def _is_subnormal(bits: int, type_: str) -> bool:
    exponent_bits, fraction_bits = _FIELDS[type_]
    return bits >> fraction_bits & ((1 << exponent_bits) - 1) == 0


def compare(cmp: str, type_: str, a: int, b: int, is_flushed: bool) -> bool:
    """Whether a comparison of two scalars holds."""
    if "f" not in type_:
        width = int(type_[1:])
        if type_[0] == "s":
            a, b = (x - 2**width if x >= 2 ** (width - 1) else x for x in (a, b))
        return _RELATIONS[_UNSIGNED.get(cmp, cmp)](a, b)
    x, y = (
        Fraction(0) if is_flushed and _is_subnormal(bits, type_) else decode(bits, type_)
        for bits in (a, b)
    )
    has_nan = x is None or y is None
    if cmp in ("num", "nan"):
        return has_nan == (cmp == "nan")
    if x is None or y is None:
        return cmp.endswith("u")
    return _RELATIONS[cmp[:2]](x, y)


def compute(mnemonic: str, a: int, b: int, c: int | None) -> tuple[int, ...]:
    """The documented results of a line: d; p; or p and q. ``c`` is the predicate as it counts."""
    opcode, *words = mnemonic.split(".")
    cmp = words[0]
    types = [x for x in words if x[-1].isdigit()]
    source = types[-1]
    pair = source.endswith("x2")
    scalar = source.removesuffix("x2")
    parts = [(a & 0xFFFF, b & 0xFFFF), (a >> 16, b >> 16)] if pair else [(a, b)]
    found = [compare(cmp, scalar, x, y, "ftz" in words) for x, y in parts]
    if opcode == "setp" and not pair:
        found.append(not found[0])  # q
    truths = []
    for t in found:
        pairs = {"and": t and c == 1, "or": t or c == 1, "xor": t != (c == 1)}
        truths.append(t if c is None else next(pairs[x] for x in words if x in pairs))
    if opcode == "setp":
        return tuple(map(int, truths))
    target = types[0]
    if not pair:
        true = {"f16": 0x3C00, "bf16": 0x3F80, "u16": 0xFFFF, "s16": 0xFFFF}
        return (true.get(target, 0xFFFFFFFF) if truths[0] else 0,)
    unit = {"f16x2": 0x3C00, "bf16x2": 0x3F80}.get(target, 0xFFFF)
    return ((unit if truths[0] else 0) + (unit << 16 if truths[1] else 0),)


def compute_line(line: str, values: dict[str, int]) -> dict[str, int]:
    """The documented results of a line by the names of its destinations; without a sink `_`."""
    mnemonic, _, rest = line.strip().removesuffix(";").partition(" ")
    targets, *sources = (x.strip() for x in rest.split(","))
    a, b = (values[x] for x in sources[:2])
    c = None
    if sources[2:]:
        name = sources[2].removeprefix("!")
        truth = int(name, 0) != 0 if name[0].isdecimal() else values[name] % 2 == 1
        c = int(truth != sources[2].startswith("!"))
    names = [x.strip() for x in targets.split("|")]
    found = compute(mnemonic, a, b, c)[: len(names)]
    pairs = reversed(list(zip(names, found, strict=True)))  # p wins in p|p
    return {name: bits for name, bits in pairs if name != "_"}


# --- erratum E14 -------------------------------------------------------------------------


@cache
def _list_halves(type_: str) -> list[Fraction]:
    """The numbers from zero to infinity, in order; infinity where the next number would be."""
    exponent_bits, fraction_bits = _FIELDS[type_]
    infinity = (2**exponent_bits - 1) << fraction_bits
    numbers = [decode(x, type_) for x in range(infinity)]
    return [*(x for x in numbers if x is not None), Fraction(2**2 ** (exponent_bits - 1))]


def round_half(number: Fraction, type_: str) -> int:
    """The pattern of the nearest half, ties to even, for a number that is not negative."""
    halves = _list_halves(type_)
    above = bisect_left(halves, number)
    if above == len(halves):
        return above - 1
    if above == 0:
        return 0
    low, high = number - halves[above - 1], halves[above] - number
    if low == high:
        return above - above % 2
    return above if high < low else above - 1


def convert_old_value(mnemonic: str, old: int) -> int:
    """What `@p set` leaves in d under a false guard, as ptxas has it."""
    _, *words = mnemonic.split(".")
    target, source = [x for x in words if x[-1].isdigit()]
    if source.endswith("x2") or target in ("u16", "s16"):
        return old
    has_half_source = source.endswith("16")
    low = old & 0xFFFF
    signed = low - 2**16 if low >= 2**15 else low
    if target in ("u32", "s32"):
        return signed % 2**32
    return round_half(Fraction(abs(signed) if has_half_source else low), target)
