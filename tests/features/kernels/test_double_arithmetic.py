"""f64 arithmetic and atomic sums of floats in runs, against fractions."""

from __future__ import annotations

import math
import struct
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from tests.features.kernels.test_launches import make_kernel, run
from tests.reference_halves import decode, round_half

_REGISTERS = ".reg .f64 %g<9>;\n"
_COUNT = 600
_EDGES = [0.0, 5e-324, 2.0**-1022, 2.0**-1021, 1.0, 1 + 2.0**-52, 2.0**53, 1.7976931348623157e308]
_ADDRESSES = """
mov.u32 %r1, %tid.x;
ld.param.u64 %d1, [in];
ld.param.u64 %d2, [out];
mad.wide.u32 %d3, %r1, 32, %d1;
mad.wide.u32 %d4, %r1, 8, %d2;
"""


def _draw(draw: Random) -> float:
    """A finite number: of a similar size as the others, at an edge, or of any size."""
    sign = draw.choice((-1, 1))
    kind = draw.randrange(8)
    if kind == 0:
        return sign * draw.choice(_EDGES)
    if kind < 5:
        return sign * math.ldexp(1 + draw.getrandbits(52) / 2**52, draw.randint(-60, 60))
    if kind == 5:  # few digits: results are often exact, or ties
        return sign * math.ldexp(draw.getrandbits(6), draw.randint(-60, 60))
    bits: float = struct.unpack("<d", (draw.getrandbits(63) & ~(1 << 62)).to_bytes(8, "little"))[0]
    return sign * bits if math.isfinite(bits) else 1.0


def _round(exact: Fraction, zero: float) -> float:
    """The nearest double, ties to even; a sum of zero has the sign of ``zero``."""
    if not exact:
        return zero
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _expect(opcode: str, a: float, b: float, c: float) -> float:
    x, y, z = map(Fraction, (a, b, c))
    if opcode in ("add", "sub"):
        return _round(x + y if opcode == "add" else x - y, a + b if opcode == "add" else a - b)
    if opcode == "mul":
        return _round(x * y, math.copysign(0, a) * math.copysign(1, b))
    if opcode == "fma":
        sign = math.copysign(1, a) * math.copysign(1, b)
        return _round(x * y + z, c if x * y == 0 and math.copysign(1, c) == sign else 0.0)
    return min(a, b) if opcode == "min" else max(a, b)


def _run_doubles(line: str, rows: list[tuple[float, float, float]]) -> np.ndarray:
    load = "ld.global.v2.f64 {%g1, %g2}, [%d3];\nld.global.f64 %g3, [%d3+16];\n"
    body = f"{_REGISTERS}{_ADDRESSES}{load}{line}\nst.global.f64 [%d4], %g4;\nret;"
    data = np.array([[*row, 0] for row in rows], np.float64)
    result = run(make_kernel(body), data, f"zeros:f64:{len(rows)}", block=len(rows))
    assert result.is_exact
    values: np.ndarray = result.get_buffer("out").values
    return values


@pytest.mark.parametrize("opcode", ["add", "sub", "mul", "fma", "min", "max"])
def test_doubles_are_rounded_once(opcode: str) -> None:
    draw = Random(opcode)
    rows = [(_draw(draw), _draw(draw), _draw(draw)) for _ in range(_COUNT)]
    if opcode in ("min", "max"):  # -0 and +0 are compared elsewhere
        rows = [x for x in rows if x[0] != x[1]]
    if opcode == "fma":  # products that a sum nearly cancels
        rows[::3] = [(a, b, -(a * b) if math.isfinite(a * b) else 1.0) for a, b, _ in rows[::3]]
    sources = "%g1, %g2, %g3" if opcode == "fma" else "%g1, %g2"
    suffix = "" if opcode in ("min", "max") else ".rn"
    values = _run_doubles(f"{opcode}{suffix}.f64 %g4, {sources};", rows)
    for row, value in zip(rows, values.tolist(), strict=True):
        wanted = _expect(opcode, *row)
        assert struct.pack("<d", value) == struct.pack("<d", wanted), (row, value, wanted)


@pytest.mark.parametrize(
    ("line", "a", "expected"),
    [
        # PTX ISA, cvt: rounded, clamped to the range of the type; NaN is the highest bit
        ("cvt.rzi.s32.f64 %r4, %g1;", -2.75, 0xFFFFFFFE),
        ("cvt.rni.s32.f64 %r4, %g1;", 2.5, 2),
        ("cvt.rpi.u32.f64 %r4, %g1;", 2.25, 3),
        ("cvt.rzi.u32.f64 %r4, %g1;", -1.0, 0),
        ("cvt.rzi.s32.f64 %r4, %g1;", 1e300, 0x7FFFFFFF),
        ("cvt.rzi.s32.f64 %r4, %g1;", math.nan, 0x80000000),
        ("cvt.rzi.u32.f64 %r4, %g1;", math.nan, 0x80000000),
        ("cvt.rn.f32.f64 %f1, %g1; mov.b32 %r4, %f1;", 1 + 2.0**-24, 0x3F800000),  # a tie
        ("cvt.rn.f32.f64 %f1, %g1; mov.b32 %r4, %f1;", 1 + 2.0**-24 + 2.0**-50, 0x3F800001),
        ("cvt.rn.f32.f64 %f1, %g1; mov.b32 %r4, %f1;", 2.0**-149, 1),
        ("cvt.rn.f32.f64 %f1, %g1; mov.b32 %r4, %f1;", -1e39, 0xFF800000),
        ("abs.f64 %g1, %g1; cvt.rzi.s32.f64 %r4, %g1;", -7.0, 7),
        ("neg.f64 %g1, %g1; cvt.rzi.s32.f64 %r4, %g1;", 7.0, 0xFFFFFFF9),
        ("mul.rn.f64 %g1, %g1, 0d4008000000000000; cvt.rzi.s32.f64 %r4, %g1;", 7.0, 21),
        ("mov.u32 %r5, -3; cvt.rn.f64.s32 %g1, %r5; cvt.rzi.s32.f64 %r4, %g1;", 0.0, 0xFFFFFFFD),
        ("mov.u32 %r5, -3; cvt.rn.f64.u32 %g1, %r5; cvt.rzi.s32.f64 %r4, %g1;", 0.0, 0x7FFFFFFF),
    ],
)
def test_conversions_of_doubles(line: str, a: float, expected: int) -> None:
    load, store = "ld.global.f64 %g1, [%d3];", "st.global.u32 [%d2], %r4;"
    body = f"{_REGISTERS}{_ADDRESSES}{load}\n{line}\n{store}\nret;"
    result = run(make_kernel(body), np.array([a]), "zeros:u32:1")
    assert result.is_exact
    assert int(result.get_buffer("out").values[0]) == expected


def test_which_nan_a_double_becomes_is_unknown() -> None:
    """NaN payloads are supported for f64, and no manual says which one is the result's."""
    body = f"{_REGISTERS}{_ADDRESSES}ld.global.f64 %g1, [%d3];\nadd.f64 %g4, %g1, %g1;\n"
    body += "st.global.f64 [%d4], %g4;\nret;"
    data = np.array([[math.nan, 0, 0, 0], [1, 0, 0, 0]])
    values = run(make_kernel(body), data, "zeros:f64:2", block=2).get_buffer("out").values
    assert np.ma.getmaskarray(values).tolist() == [True, False]
    assert values[1] == 2


# --- atomic sums --------------------------------------------------------------------------


def _add_atomically(type_: str, start: int, word: int, space: str = "global") -> tuple[int, bool]:
    """The bits of a word after an atomic sum, and whether they are exact."""
    register = {"f32": "%f1", "f16": "%h1"}.get(type_, "%r4")
    bits = "b16" if type_ == "f16" else "b32"
    suffix = f"add{'' if type_ == 'f32' else '.noftz'}.{type_}"
    lines = f"ld.global.{bits} {register}, [%d1+4];\n"
    if space == "shared":
        lines += ".shared .b32 x[1];\nld.global.b32 %r7, [%d1];\nst.shared.b32 [x], %r7;\n"
        lines += f"red.shared.{suffix} [x], {register};\nld.shared.b32 %r8, [x];\n"
    else:
        lines += f"red.global.{suffix} [%d1], {register};\nld.global.b32 %r8, [%d1];\n"
    body = f"{_ADDRESSES}{lines}st.global.b32 [%d2], %r8;\nret;"
    result = run(make_kernel(body), np.array([start, word], np.uint32), "zeros:u32:1")
    return int(result.get_buffer("out").values[0]), result.is_exact


@pytest.mark.parametrize(
    ("type_", "space", "start", "word", "expected"),
    [
        ("f32", "global", 0x3F800000, 0x40000000, 0x40400000),
        ("f32", "global", 0x00000001, 0x00000001, 0),  # PTX ISA: flushed in global memory
        ("f32", "global", 0x80000001, 0x80000001, 0x80000000),
        ("f32", "shared", 0x00000001, 0x00000001, 2),  # and not in shared memory
        ("f16", "global", 0x12343C00, 0x4000, 0x12344200),
        ("f16", "global", 0x00000001, 0x0001, 2),
        ("f16x2", "global", 0x3C003C00, 0xBC004000, 0x00004200),
        ("bf16x2", "global", 0x3F803F80, 0xC0003F80, 0xBF804000),
    ],
)
def test_atomic_sums_of_floats(
    type_: str, space: str, start: int, word: int, expected: int
) -> None:
    assert _add_atomically(type_, start, word, space) == (expected, True)


@pytest.mark.parametrize("type_", ["f16x2", "bf16x2"])
def test_atomic_sums_of_two_halves_round_each(type_: str) -> None:
    draw, half = Random(type_), type_.removesuffix("x2")
    for _ in range(40):
        words = [draw.getrandbits(32) & 0xBFFF_BFFF for _ in range(2)]  # all numbers
        expected = 0
        for shift in (0, 16):
            numbers = [decode(x >> shift & 0xFFFF, half) for x in words]
            total = Fraction(numbers[0] or 0) + Fraction(numbers[1] or 0)
            assert None not in numbers
            if not total:
                break
            expected |= (round_half(abs(total), half) | (total < 0) << 15) << shift
        else:
            assert _add_atomically(type_, words[0], words[1]) == (expected, True)


def test_sums_of_floats_depend_on_the_order_of_threads() -> None:
    body = f"{_ADDRESSES}mov.f32 %f1, 0f3F800000;\nred.global.add.f32 [%d2], %f1;\nret;"
    result = run(make_kernel(body), "zeros:f32:4", "zeros:f32:1", block=50)
    assert result.get_buffer("out").values.tolist() == [50.0]
    assert result.fidelity.ordered_statements
