"""f16 and bf16 arithmetic in runs, against fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest

from tests.features.kernels.test_launches import make_kernel, run
from tests.reference_halves import decode, round_half
from tests.tiers import whole

_NAN = 0x7FFF
_FRACTION_BITS = {"f16": 10, "bf16": 7}
_COUNT = 500


def _infinity(type_: str) -> int:
    return 0x7FFF >> _FRACTION_BITS[type_] << _FRACTION_BITS[type_]


@cache
def _read(bits: int, type_: str) -> Fraction:
    value = decode(bits, type_)
    assert value is not None
    return value


def _round(value: Fraction, type_: str, zero_sign: int) -> int:
    """The bits of the nearest number, ties to even bits."""
    return (value < 0 if value else zero_sign) << 15 | round_half(abs(value), type_)


def _is_nan(bits: int, type_: str) -> bool:
    return bits & 0x7FFF > _infinity(type_)


def _add(x: int | Fraction, x_sign: int, y: int, type_: str) -> int:
    """The sum of a number, or the bits of an infinity with this sign, and y."""
    infinity = _infinity(type_)
    if isinstance(x, int):
        return _NAN if y & 0x7FFF == infinity and y != x else x
    if y & 0x7FFF == infinity:
        return y
    return _round(x + _read(y, type_), type_, x_sign & y >> 15)


def _multiply_and_add(a: int, b: int, c: int | None, type_: str) -> int:
    """a * b, or a * b + c, rounded once."""
    infinity = _infinity(type_)
    sign = (a ^ b) >> 15
    magnitudes = {a & 0x7FFF, b & 0x7FFF}
    if infinity in magnitudes:
        if 0 in magnitudes:
            return _NAN
        product = sign << 15 | infinity
        return product if c is None else _add(product, sign, c, type_)
    exact = _read(a, type_) * _read(b, type_)
    return _round(exact, type_, sign) if c is None else _add(exact, sign, c, type_)


def _expect(opcode: str, flags: str, words: tuple[int, ...], type_: str) -> int:
    if "ftz" in flags:
        words = tuple(x if x & _infinity(type_) else x & 0x8000 for x in words)
    a, b, c = words
    if opcode in ("min", "max"):
        return _choose(opcode, flags, a, b, type_)
    sources = (a, b, c) if opcode == "fma" else (a, b)
    if any(_is_nan(x, type_) for x in sources):
        result = _NAN
    elif opcode in ("mul", "fma"):
        result = _multiply_and_add(a, b, c if opcode == "fma" else None, type_)
    else:
        result = _sum(opcode, a, b, type_)
    if "sat" in flags:
        one = (1 << 14 - _FRACTION_BITS[type_]) - 1 << _FRACTION_BITS[type_]
        result = 0 if _is_nan(result, type_) or result >> 15 else min(result, one)
    if "ftz" in flags and not result & _infinity(type_):
        result &= 0x8000
    return result


def _sum(opcode: str, a: int, b: int, type_: str) -> int:
    b ^= 0x8000 if opcode == "sub" else 0
    x = a if a & 0x7FFF == _infinity(type_) else _read(a, type_)
    return _add(x, a >> 15, b, type_)


def _choose(opcode: str, flags: str, a: int, b: int, type_: str) -> int:
    """The smaller or larger number, -0 below +0; a number rather than a NaN without .NaN."""
    numbers = [x for x in (a, b) if not _is_nan(x, type_)]
    if not numbers or ("NaN" in flags and len(numbers) < 2):
        return _NAN
    order = sorted(numbers, key=lambda x: 0x7FFF - x if x >> 15 else x)
    return order[0 if opcode == "min" else -1]


def _draw(draw: Random, type_: str) -> int:
    """Bits of a number: often of a similar size, or at an edge."""
    infinity, one = _infinity(type_), _infinity(type_) // 2
    kind = draw.randrange(8)
    if kind == 0:
        edges = (0, 1, 2, 1 << _FRACTION_BITS[type_], one, infinity - 1, infinity, infinity + 1)
        return draw.choice(edges) | draw.getrandbits(1) << 15
    if kind < 5:
        near = one + draw.randint(-12 << _FRACTION_BITS[type_], 12 << _FRACTION_BITS[type_])
        return max(near, 0) & 0x7FFF | draw.getrandbits(1) << 15
    return draw.getrandbits(16)


_FORMS = [
    (opcode, flags, type_)
    for type_ in ("f16", "bf16")
    for opcode, all_flags in {
        "add": ("", ".rn", ".rn.ftz", ".rn.sat", ".ftz.sat"),
        "sub": ("", ".rn", ".rn.ftz", ".rn.sat"),
        "mul": ("", ".rn", ".rn.ftz", ".rn.sat"),
        "fma": (".rn", ".rn.ftz", ".rn.sat", ".rn.ftz.sat"),
        "min": ("", ".ftz", ".NaN"),
        "max": ("", ".ftz", ".ftz.NaN", ".NaN"),
    }.items()
    for flags in all_flags
    if type_ == "f16" or not {"ftz", "sat"} & {*flags.split(".")}
]
"""The forms that ptxas 13.0 assembles."""


@pytest.mark.parametrize(("opcode", "flags", "type_"), _FORMS)
@whole
def test_arithmetic_on_one_and_on_two_halves(opcode: str, flags: str, type_: str) -> None:
    draw = Random(f"{opcode}{flags}{type_}")
    rows = np.array(
        [[_draw(draw, type_) | _draw(draw, type_) << 16 for _ in range(4)] for _ in range(_COUNT)],
        np.uint32,
    )
    count = 3 if opcode == "fma" else 2
    words = ", ".join(f"%r{4 + i}" for i in range(count))
    halves = ", ".join(f"%h{1 + i}" for i in range(count))
    body = f"""
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 128, %r1;
setp.ge.u32 %p1, %r1, {_COUNT};
@%p1 ret;
ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
mul.wide.u32 %d3, %r1, 16; add.u64 %d1, %d1, %d3;
mul.wide.u32 %d3, %r1, 8; add.u64 %d2, %d2, %d3;
ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%d1];
{opcode}{flags}.{type_}x2 %r8, {words};
mov.b32 {{%h1, %h4}}, %r4; mov.b32 {{%h2, %h4}}, %r5; mov.b32 {{%h3, %h4}}, %r6;
{opcode}{flags}.{type_} %h5, {halves};
mov.b32 %r9, {{%h5, %h5}};
st.global.v2.u32 [%d2], {{%r8, %r9}};
ret;"""
    result = run(make_kernel(body), rows, f"zeros:u32:{2 * _COUNT}", block=128, grid=4)
    assert result.is_exact
    results = result.get_buffer("out").values.reshape(-1, 2)
    for row, (packed, single) in zip(rows.tolist(), results.tolist(), strict=True):
        low, high = (
            _expect(opcode, flags, tuple(x >> shift & 0xFFFF for x in row[:3]), type_)
            for shift in (0, 16)
        )
        expected = f"{high << 16 | low:#010x} {low:#06x}"
        assert f"{packed:#010x} {single & 0xFFFF:#06x}" == expected, [hex(x) for x in row]


@pytest.mark.parametrize(
    "line",
    [
        "fma.rz.bf16x2 %r8, %r4, %r5, %r6;",
        "add.ftz.bf16x2 %r8, %r4, %r5;",
        "add.rn.f16x2 %r8, %r4, 0x3c00;",
        "fma.rn.relu.f16x2 %r8, %r4, %r5, %r6;",
        "min.sat.f16x2 %r8, %r4, %r5;",
    ],
)
def test_other_forms_and_literals_are_not_modelled(line: str) -> None:
    body = f"""ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%d1]; {line} st.global.u32 [%d2], %r8; ret;"""
    result = run(make_kernel(body), np.ones(4, np.uint32), "zeros:u32:1")
    assert not result.is_exact


@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_a_fusible_packed_sum_is_exact_only_if_fusion_changes_nothing(
    type_: str,
) -> None:
    draw = Random(11)
    one = _infinity(type_) // 2 & ~1
    rows = [[one + draw.getrandbits(6) for _ in range(6)] for _ in range(128)]
    words = [[x | y << 16 for x, y in zip(r[:3], r[3:], strict=True)] + [0] for r in rows]
    body = f"""ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, %tid.x;
mul.wide.u32 %d3, %r1, 16; add.u64 %d1, %d1, %d3;
mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3;
ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%d1];
mul.{type_}x2 %r8, %r4, %r5; sub.{type_}x2 %r9, %r6, %r8;
st.global.u32 [%d2], %r9; ret;"""
    result = run(make_kernel(body), np.array(words, np.uint32), "zeros:u32:128", block=128)
    differs = []
    for row in rows:
        lanes = []
        for a, b, c in (row[:3], row[3:]):
            product = _multiply_and_add(a, b, None, type_)
            lanes.append(
                _multiply_and_add(a ^ 0x8000, b, c, type_) != _sum("sub", c, product, type_)
            )
        differs.append(any(lanes))
    causes = result.get_buffer("out").causes
    assert causes is not None
    assert (causes != 0).tolist() == differs
    assert 16 < sum(differs) < 120
