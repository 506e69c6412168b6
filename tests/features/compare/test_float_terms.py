"""Floats as terms of the solver: bit for bit as runs compute them, and as fractions do."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from ptxscope.features.compare.float_terms import FloatFunctions
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.kernels.launches.kernel_run import run_kernel
from ptxscope.features.prove.proof_question import ProofQuestion
from tests.reference_floats import FIELDS, compute, convert, draw
from tests.tiers import sampled, whole

pytest.importorskip("bitwuzla")

_COUNT = 32
_ROUNDED = ("", ".rn", ".rz", ".rm", ".rp")
_FLAGS = ("", ".ftz", ".sat", ".ftz.sat")
FORMS = [
    *(f"{x}{r}{f}.f32" for x in ("add", "sub", "mul") for r in _ROUNDED for f in _FLAGS),
    *(f"fma{r}{f}.f32" for r in _ROUNDED[1:] for f in _FLAGS),
    *(f"{x}.rn{f}.f32" for x in ("div", "rcp", "sqrt") for f in ("", ".ftz")),
    *(f"{x}{f}.f32" for x in ("abs", "neg") for f in ("", ".ftz")),
    *(f"{x}{f}.f32" for x in ("min", "max") for f in ("", ".ftz", ".NaN", ".ftz.NaN")),
    *(f"{x}{f}.f16x2" for x in ("add", "sub", "mul", "fma.rn") for f in _FLAGS),
    *(f"{x}{f}.f16{n}" for x in ("abs", "neg") for f in ("", ".ftz") for n in ("", "x2")),
    *(f"{x}{f}.f16" for x in ("min", "max") for f in ("", ".ftz", ".NaN", ".ftz.NaN")),
    *(f"{x}.bf16{n}" for x in ("add", "sub", "mul", "fma.rn", "neg", "abs") for n in ("", "x2")),
    *(f"{x}{f}.bf16x2" for x in ("min", "max") for f in ("", ".NaN")),
    *(f"{x}.f64" for x in ("add", "sub.rn", "mul", "fma.rn", "min", "max", "neg", "abs")),
]
_INTEGERS = [f"{kind}{bits}" for kind in "us" for bits in (8, 16, 32, 64)]
CONVERSIONS = [
    *(f"cvt.{r}{f}.f16.f32" for r in ("rn", "rz") for f in _FLAGS),
    *(f"cvt.{r}.bf16.f32" for r in ("rn", "rz")),
    *(f"cvt.{r}.{x}x2.f32" for r in ("rn", "rz") for x in ("f16", "bf16")),
    *(f"cvt{f}.f32.f16" for f in _FLAGS),
    *("cvt.f32.bf16", "cvt.rn.f32.f64", "cvt.f64.f32", "cvt.ftz.f64.f32"),
    *(f"cvt{r}{f}.f32.f32" for r in (".rni", ".rzi", ".rmi", ".rpi") for f in ("", ".ftz")),
    *("cvt.sat.f32.f32", "cvt.ftz.f32.f32", "cvt.rni.sat.f32.f32"),
    *(f"cvt.rn.{x}.{y}" for x in ("f16", "f32", "f64") for y in _INTEGERS),
    *(f"cvt.{r}.f32.{y}" for r in ("rz", "rm", "rp") for y in ("s8", "u16", "s32", "u32")),
    *("cvt.rn.sat.f32.s32", "cvt.rn.sat.f16.s8"),
    *(
        f"cvt.{r}.{x}.{y}"
        for r in ("rni", "rzi", "rmi", "rpi")
        for x in _INTEGERS
        for y in ("f16", "f32", "f64")
    ),
    *("cvt.rzi.ftz.s32.f32", "cvt.rmi.ftz.s16.f32"),
]  # fmt: skip
_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f16x2": 32, "bf16x2": 32}


def _get_bits(type_: str) -> int:
    return _BITS.get(type_) or max(int(type_[1:]), 16)


def make_text(name: str, count: int, target: str, source: str) -> str:
    """A kernel whose threads compute one statement each."""
    bits, source_bits = _get_bits(target), _get_bits(source)
    stride, registers = bits // 8, ", ".join(f"a{i}" for i in range(count))
    loads = "\n".join(
        f"ld.global.b{source_bits} a{i}, [x+{i * source_bits // 8}];" for i in range(count)
    )
    return f"""
.version 9.0
.target sm_100
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
.reg .b{source_bits} {registers}; .reg .b{bits} d; .reg .b32 t; .reg .b64 x, y, z;
mov.u32 t, %tid.x;
ld.param.u64 x, [in];
ld.param.u64 y, [out];
mul.wide.u32 z, t, {count * source_bits // 8};
add.u64 x, x, z;
mul.wide.u32 z, t, {stride};
add.u64 y, y, z;
{loads}
{name} d, {registers};
st.global.b{bits} [y], d;
ret;
}}"""


def check_form(name: str, rows: Sequence[tuple[int, ...]], expected: Sequence[int | None]) -> None:
    """Runs and terms give the expected bits; unknown ones, and some NaN, for None."""
    opcode, *_, last = name.split(".")
    target, source = name.split(".")[-2:] if opcode == "cvt" else (last, last)
    text = make_text(name, len(rows[0]), target, source)
    bits, source_bits = _get_bits(target), _get_bits(source)
    words = np.array(rows, np.uint64).astype(f"u{source_bits // 8}")
    out = f"zeros:u{bits}:{len(rows)}"
    result = run_kernel(text, {"in": words, "out": out}, block=len(rows))
    buffer = result.get_buffer("out")
    for row, value, actual in zip(rows, expected, buffer.values.tolist(), strict=True):
        if value is not None:
            assert f"{actual & 2**bits - 1:#x}" == f"{value:#x}", [hex(x) for x in row]
    causes = buffer.causes
    unknown = [False] * len(rows) if causes is None else (causes != 0).tolist()
    assert unknown == [x is None for x in expected]
    (function,) = load_device_code(text).kernels
    (statement,) = (x for x in function.statements if x.name == name)
    question = ProofQuestion(60)
    floats, terms = FloatFunctions(question), question.solver.terms
    results = []
    for row in rows:
        node = floats.apply(statement, bits, [terms.make_value(x, source_bits) for x in row])
        results.append(question.vectors.variables[node.fixed[0]])
    assert not floats.other_names
    assert question.solver.is_possible(*floats.facts)
    for row, value, term in zip(rows, expected, results, strict=True):
        actual = question.solver.get_value(term)
        if value is not None:
            assert f"{actual:#x}" == f"{value:#x}", [hex(x) for x in row]
    # no other values are possible
    others = [
        terms.make("DISTINCT", term, terms.make_value(value, bits))
        for term, value in zip(results, expected, strict=True)
        if value is not None
    ]
    assert not question.solver.is_possible(*floats.facts, terms.join("OR", others))


@pytest.mark.parametrize("name", FORMS)
@sampled
def test_arithmetic(name: str) -> None:
    opcode, *_, type_ = name.split(".")
    lane_type, random = type_.removesuffix("x2"), Random(name)
    count = {"fma": 3, "abs": 1, "neg": 1, "rcp": 1, "sqrt": 1}.get(opcode, 2)
    width = 1 + sum(FIELDS[lane_type])
    rows, expected = [], list[int | None]()
    for _ in range(_COUNT):
        lanes = [
            tuple(draw(random, lane_type) for _ in range(count))
            for _ in range(_get_bits(type_) // width)
        ]
        results = [compute(name.replace("x2", ""), lane) for lane in lanes]
        rows.append(
            tuple(sum(x[i] << width * j for j, x in enumerate(lanes)) for i in range(count))
        )
        is_known = all(x is not None for x in results)
        total = sum((x or 0) << width * j for j, x in enumerate(results))
        expected.append(total if is_known else None)
    check_form(name, rows, expected)


@pytest.mark.parametrize("name", CONVERSIONS)
@sampled
def test_conversions(name: str) -> None:
    *_, target, source = name.split(".")
    random, count = Random(name), 1 + target.endswith("x2")
    rows = []
    for _ in range(_COUNT):
        if source in FIELDS:
            row = tuple(draw(random, source) for _ in range(count))
        else:
            bits = _get_bits(source)
            edges = (0, 1, 2 ** (bits - 1), 2 ** (bits - 1) - 1, 2**bits - 1, 2**24 + 1, 2**25 + 3)
            number = random.choice((*edges, random.getrandbits(bits)))
            row = (number & 2**bits - 1,)
        rows.append(row)
    expected = [convert(name, row, _get_bits(target)) for row in rows]
    check_form(name, rows, expected)


@pytest.mark.parametrize("kind", ["e4m3x2", "e5m2x2"])
@whole
def test_floats_of_8_bits(kind: str) -> None:
    """All 256 are decoded by their fields."""
    exponent_bits, fraction_bits = (4, 3) if kind == "e4m3x2" else (5, 2)
    bias = 2 ** (exponent_bits - 1) - 1

    def decode(byte: int) -> int:
        exponent = byte >> fraction_bits & 2**exponent_bits - 1
        fraction = byte & 2**fraction_bits - 1
        sign = -1.0 if byte >> 7 else 1.0
        if kind == "e4m3x2" and byte & 0x7F == 0x7F:
            return 0x7FFF
        if kind == "e5m2x2" and exponent == 31:
            return 0x7FFF if fraction else 0xFC00 if byte >> 7 else 0x7C00
        significand = fraction / 2**fraction_bits + (exponent > 0)
        value = sign * significand * 2.0 ** (max(exponent, 1) - bias)
        return int(np.float16(value).view(np.uint16))

    rows = [(x | (255 - x) << 8,) for x in range(128)]
    expected: list[int | None] = [decode(x) | decode(255 - x) << 16 for x in range(128)]
    _BITS[kind] = 16
    check_form(f"cvt.rn.f16x2.{kind}", rows, expected)
