"""Statements on floats, with operands and what they give by exact fractions."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import numpy as np

from ptxscope.features.kernels.launches.kernel_run import run_kernel
from tests.reference_floats import FIELDS, compute, convert, draw

_COUNT = 32
_ROUNDED = ("", ".rn", ".rz", ".rm", ".rp")
_FLAGS = ("", ".ftz", ".sat", ".ftz.sat")
FORMS = [
    *("copysign.f32", "copysign.f64"),
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
_BITS = {
    "e4m3x2": 16,
    "e5m2x2": 16,
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "f16x2": 32,
    "bf16x2": 32,
}


def get_bits(type_: str) -> int:
    return _BITS.get(type_) or max(int(type_[1:]), 16)


def make_text(name: str, count: int, target: str, source: str) -> str:
    """A kernel whose threads compute one statement each."""
    bits, source_bits = get_bits(target), get_bits(source)
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


class Form(NamedTuple):
    """A statement with rows of operands; None is expected for a NaN that no manual states."""

    name: str
    rows: list[tuple[int, ...]]
    expected: list[int | None]


def draw_arithmetic(name: str) -> Form:
    opcode, *_, type_ = name.split(".")
    lane_type, random = type_.removesuffix("x2"), Random(name)
    count = {"fma": 3, "abs": 1, "neg": 1, "rcp": 1, "sqrt": 1}.get(opcode, 2)
    width = 1 + sum(FIELDS[lane_type])
    form = Form(name, [], [])
    for _ in range(_COUNT):
        lanes = [
            tuple(draw(random, lane_type) for _ in range(count))
            for _ in range(get_bits(type_) // width)
        ]
        results = [compute(name.replace("x2", ""), lane) for lane in lanes]
        form.rows.append(
            tuple(sum(x[i] << width * j for j, x in enumerate(lanes)) for i in range(count))
        )
        is_known = all(x is not None for x in results)
        total = sum((x or 0) << width * j for j, x in enumerate(results))
        form.expected.append(total if is_known else None)
    return form


def draw_conversion(name: str) -> Form:
    *_, target, source = name.split(".")
    random, count = Random(name), 1 + target.endswith("x2")
    form = Form(name, [], [])
    for _ in range(_COUNT):
        if source in FIELDS:
            row = tuple(draw(random, source) for _ in range(count))
        else:
            bits = get_bits(source)
            edges = (0, 1, 1 << bits - 1, (1 << bits - 1) - 1, -1, (1 << 24) + 1, (1 << 25) + 3)
            row = (random.choice((*edges, random.getrandbits(bits))) & (1 << bits) - 1,)
        form.rows.append(row)
        form.expected.append(convert(name, row, get_bits(target)))
    return form


def draw_small_floats(kind: str) -> Form:
    """All floats of 8 bits, decoded by their fields."""
    exponent_bits, fraction_bits = (4, 3) if kind == "e4m3x2" else (5, 2)
    bias = (1 << exponent_bits - 1) - 1

    def decode(byte: int) -> int:
        exponent = byte >> fraction_bits & (1 << exponent_bits) - 1
        fraction = byte & (1 << fraction_bits) - 1
        sign = -1.0 if byte >> 7 else 1.0
        if kind == "e4m3x2" and byte & 0x7F == 0x7F:
            return 0x7FFF
        if kind == "e5m2x2" and exponent == 31:
            return 0x7FFF if fraction else 0xFC00 if byte >> 7 else 0x7C00
        significand = fraction / (1 << fraction_bits) + (exponent > 0)
        value = sign * significand * 2.0 ** (max(exponent, 1) - bias)
        return int(np.float16(value).view(np.uint16))

    words = [x | (255 - x) << 8 for x in range(128)]
    expected: list[int | None] = [decode(x & 0xFF) | decode(x >> 8) << 16 for x in words]
    return Form(f"cvt.rn.f16x2.{kind}", [(x,) for x in words], expected)


def split_types(name: str) -> tuple[str, str]:
    """The type of the result and of the operands."""
    opcode, *_, last = name.split(".")
    return (name.split(".")[-2], last) if opcode == "cvt" else (last, last)


def make_form_text(form: Form) -> str:
    return make_text(form.name, len(form.rows[0]), *split_types(form.name))


def check_runs(form: Form) -> None:
    """A run gives the expected bits, and unknown ones for None."""
    target, source = split_types(form.name)
    bits, source_bits = get_bits(target), get_bits(source)
    words = np.array(form.rows, np.uint64).astype(f"u{source_bits // 8}")
    out = f"zeros:u{bits}:{len(form.rows)}"
    result = run_kernel(make_form_text(form), {"in": words, "out": out}, block=len(form.rows))
    buffer = result.get_buffer("out")
    for row, value, actual in zip(form.rows, form.expected, buffer.values.tolist(), strict=True):
        if value is not None:
            assert f"{actual & (1 << bits) - 1:#x}" == f"{value:#x}", [hex(x) for x in row]
    causes = buffer.causes
    unknown = [False] * len(form.rows) if causes is None else (causes != 0).tolist()
    assert unknown == [x is None for x in form.expected]
