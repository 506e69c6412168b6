"""Blocks with floats: idioms proved equal to what they stand for, or different for operands.

Differences are computed again by exact fractions, where both sides are a few operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ptxscope.cli import main
from ptxscope.cli.support.streams import CommandError
from ptxscope.engine.semantics.models import ISA_MODEL
from ptxscope.features.compare.block_report import block_comparison_to_json
from ptxscope.features.compare.comparison import KernelComparison, compare_kernels
from ptxscope.features.compare.float_blocks import BlockPair, read_block
from ptxscope.features.prove.proof import Verdict
from tests.reference_floats import compute
from tests.tiers import ci_only, sampled

pytest.importorskip("bitwuzla")


def prove(a: str, b: str, **options: Any) -> tuple[BlockPair, KernelComparison]:
    first, second = read_block(a), read_block(b)
    assert first
    assert second
    pair = BlockPair((first, second), {})
    kernels = pair.make_kernels([ISA_MODEL, ISA_MODEL])
    operands = [(x, pair.find_type(x)) for x in pair.operands]
    return pair, compare_kernels(*kernels, operands=operands, **options)


_DIGITS = "{ .reg .b16 h; .reg .b32 t; shr.u32 t, a, %s; and.b32 t, t, 15; cvt.u16.u32 h, t; "
EQUAL = {
    "sums commute": ("add.f32 d, a, b", "add.f32 d, b, a"),
    "a sum with itself is twice as much": (
        "add.rn.f32 d, a, a", "mul.rn.f32 d, a, 0f40000000"),
    "a difference is a sum with a changed sign": (
        "sub.rn.f32 d, a, b", "{ .reg .b32 t; xor.b32 t, b, 0x80000000; add.rn.f32 d, a, t; }"),
    "half is a quotient": ("mul.rn.f32 d, a, 0f3F000000", "div.rn.f32 d, a, 0f40000000"),
    "a reciprocal is a quotient": ("rcp.rn.f32 d, a", "div.rn.f32 d, 0f3F800000, a"),
    "sat is max and min": (
        "add.sat.f32 d, a, b", "{ add.f32 d, a, b; max.f32 d, d, 0f00000000; "
        "min.f32 d, d, 0f3F800000; }"),
    "a ReLU is a choice": (
        "max.f32 d, a, 0f00000000",
        "{ .reg .pred p; setp.gt.f32 p, a, 0f00000000; selp.b32 d, a, 0, p; }"),
    "a pair of halves is two": (
        "add.f16x2 d, a, b",
        "{ .reg .b16 h<4>; mov.b32 {h0, h1}, a; mov.b32 {h2, h3}, b; add.f16 h0, h0, h2; "
        "add.f16 h1, h1, h3; mov.b32 d, {h0, h1}; }"),
    "a product of halves is one of f32": (
        "mul.rn.f16 d, a, b",
        "{ .reg .b32 t<2>; cvt.f32.f16 t0, a; cvt.f32.f16 t1, b; mul.rn.f32 t0, t0, t1; "
        "cvt.rn.f16.f32 d, t0; }"),
    "a chain of products, each the other way": (
        "{ add.rn.f32 t, a, a; mul.rn.f32 t, t, b; fma.rn.f32 d, t, c, e; }",
        "{ mul.rn.f32 t, a, 0f40000000; mul.rn.f32 t, b, t; fma.rn.f32 d, c, t, e; }"),
    "abs without a branch": (
        "{ abs.f32 t, a; add.f32 d, t, b; }",
        "{ and.b32 t, a, 0x7fffffff; add.f32 d, t, b; }"),
    "fma of 0 is a product": ("fma.rn.f32 d, a, b, 0f80000000", "mul.rn.f32 d, a, b"),
    "S8 to f32 by prmt": (
        "{ .reg .b32 t; mov.b32 t, a; cvt.rn.f32.s8 d, t; }",
        "{ .reg .b32 t; xor.b32 t, a, 0x80; prmt.b32 t, t, 0x4b000000, 0x7440; "
        "sub.rn.f32 d, t, 0f4B000080; }"),
    "S8 to BF16 by prmt": (
        "{ .reg .b32 t<2>; shr.u32 t0, a, 8; cvt.rn.f32.s8 t1, a; cvt.rn.f32.s8 t0, t0; "
        "cvt.rn.bf16x2.f32 d, t0, t1; }",
        "{ .reg .b32 t<3>; xor.b32 t0, a, 0x8080; prmt.b32 t1, t0, 0x4b000000, 0x7440; "
        "prmt.b32 t2, t0, 0x4b000000, 0x7441; sub.rn.f32 t1, t1, 0f4B000080; "
        "sub.rn.f32 t2, t2, 0f4B000080; prmt.b32 d, t1, t2, 0x7632; }"),
    "U4 to FP16 by lop3 and sub": (
        _DIGITS % 0 + "cvt.rn.f16.u16 d, h; }",
        "{ .reg .b32 t, m; lop3.b32 t, a, 0x000f000f, 0x64006400, 0xea; mov.b32 m, 0x64006400; "
        "sub.rn.f16x2 t, t, m; cvt.u16.u32 d, t; }"),
    "U4 in the high digits by lop3 and fma": (
        _DIGITS % 4 + "cvt.rn.f16.u16 d, h; }",
        "{ .reg .b32 t, x, y; lop3.b32 t, a, 0x00f000f0, 0x64006400, 0xea; "
        "mov.b32 x, 0x2c002c00; mov.b32 y, 0xd400d400; fma.rn.f16x2 t, t, x, y; "
        "cvt.u16.u32 d, t; }"),
    "u32 to f32 by halves": (
        "cvt.rn.f32.u32 d, a",
        "{ .reg .b32 t<2>; shr.u32 t0, a, 16; and.b32 t1, a, 0xffff; cvt.rn.f32.u32 t0, t0; "
        "cvt.rn.f32.u32 t1, t1; fma.rn.f32 d, t0, 0f47800000, t1; }"),
    "FP4 to FP16 by shifts, twice": (
        "{ .reg .b32 t, m; and.b32 t, a, 0x00070007; shl.b32 t, t, 9; mov.b32 m, 0x74007400; "
        "mul.rn.f16x2 d, t, m; }",
        # 1.5 is 3/2: the number of halves, as an integer
        "{ .reg .b32 t, m, u; .reg .b16 h<2>; and.b32 u, a, 7; "
        "prmt.b32 t, 0x03020100, 0x0c080604, u; "
        "and.b32 t, t, 255; cvt.u16.u32 h0, t; cvt.rn.f16.u16 h0, h0; shr.u32 u, a, 16; "
        "and.b32 u, u, 7; "
        "prmt.b32 t, 0x03020100, 0x0c080604, u; and.b32 t, t, 255; cvt.u16.u32 h1, t; "
        "cvt.rn.f16.u16 h1, h1; mov.b32 t, {h0, h1}; mov.b32 m, 0x38003800; "
        "mul.rn.f16x2 d, t, m; }"),
}  # fmt: skip
UNEQUAL: dict[str, tuple[str, str, Callable[..., tuple[int | None, ...]] | None]] = {
    "fused": (
        "fma.rn.f32 d, a, b, c", "{ mul.rn.f32 d, a, b; add.rn.f32 d, d, c; }",
        lambda a, b, c: (
            compute("fma.rn.f32", (a, b, c)),
            compute("add.f32", (compute("mul.f32", (a, b)) or 0, c)))),
    "fused halves": (
        "fma.rn.f16 d, a, b, c", "{ mul.rn.f16 d, a, b; add.rn.f16 d, d, c; }",
        lambda a, b, c: (
            compute("fma.rn.f16", (a, b, c)),
            compute("add.f16", (compute("mul.f16", (a, b)) or 0, c)))),
    "grouped": (
        "{ .reg .b32 t; add.rn.f32 t, a, b; add.rn.f32 d, t, c; }",
        "{ .reg .b32 t; add.rn.f32 t, b, c; add.rn.f32 d, a, t; }",
        lambda a, b, c: (
            compute("add.f32", (compute("add.f32", (a, b)) or 0, c)),
            compute("add.f32", (a, compute("add.f32", (b, c)) or 0)))),
    "a sum of squares in another order": (
        "{ mul.rn.f32 t, b, b; fma.rn.f32 t, a, a, t; fma.rn.f32 d, c, c, t; }",
        "{ fma.rn.f32 t, a, a, 0f00000000; fma.rn.f32 t, b, b, t; fma.rn.f32 d, c, c, t; }",
        lambda a, b, c: tuple(
            compute("fma.rn.f32", (
                c, c, compute("fma.rn.f32", (x, x, compute("mul.f32", (y, y)) or 0)) or 0))
            for x, y in ((a, b), (b, a)))),
    "rounded to zero": (
        "add.rn.f32 d, a, b", "add.rz.f32 d, a, b",
        lambda a, b: (compute("add.f32", (a, b)), compute("add.rz.f32", (a, b)))),
    "max is no choice": (
        "max.f32 d, a, b", "{ .reg .pred p; setp.gt.f32 p, a, b; selp.b32 d, a, b, p; }", None),
    "a product with 1 changes a NaN": (
        "mul.rn.f32 d, a, 0f3F800000", "mov.b32 d, a",
        lambda a: (compute("mul.f32", (a, 0x3F800000)), a)),
    "-0 + 0 is 0": (
        "add.rn.f32 d, a, 0f00000000", "add.rn.f32 d, a, 0f80000000",
        lambda a: (compute("add.f32", (a, 0)), compute("add.f32", (a, 0x80000000)))),
    "E5M2 by a shift keeps NaN payloads": (
        "cvt.rn.f16x2.e5m2x2 d, a",
        "{ .reg .b32 t; cvt.u32.u16 t, a; prmt.b32 d, t, 0, 0x1404; }",
        lambda a: (None, (a & 0xFF) << 8 | (a & 0xFF00) << 16)),
    "E4M3 by a shift has no NaN": (
        "cvt.rn.f16x2.e4m3x2 d, a",
        "{ .reg .b32 t<3>; cvt.u32.u16 t0, a; prmt.b32 t0, t0, 0, 0x1404; "
        "and.b32 t1, t0, 0x7f007f00; shr.u32 t1, t1, 1; and.b32 t2, t0, 0x80008000; "
        "or.b32 t1, t1, t2; mov.b32 t2, 0x5c005c00; mul.rn.f16x2 d, t1, t2; }", None),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUAL)
@sampled
def test_idioms_are_equal(name: str) -> None:
    _, found = prove(*EQUAL[name], timeout=30)
    assert found.verdict is Verdict.EQUAL
    assert not found.float_names


@pytest.mark.parametrize("name", UNEQUAL)
@sampled
def test_differences_name_operands(name: str) -> None:
    a, b, evaluate = UNEQUAL[name]
    pair, found = prove(a, b, timeout=30)
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.is_confirmed
    document: Any = block_comparison_to_json(pair, found)
    operands = document["counterexample"]["operands"]
    ((values,),) = [[x["values"] for x in document["counterexample"]["results"]]]
    assert values[0] != values[1]
    if evaluate:
        expected = evaluate(**operands)
        assert all(x is None or x == y for x, y in zip(expected, values, strict=True))


@pytest.mark.parametrize("kind", ["e4m3x2", "e5m2x2"])
@sampled
def test_floats_of_8_bits_without_nan_are_shifted(kind: str) -> None:
    """The idioms for FP8 are right except for NaN."""
    name = {"e4m3x2": "E4M3 by a shift has no NaN", "e5m2x2": "E5M2 by a shift keeps NaN payloads"}
    a, b, _ = UNEQUAL[name[kind]]
    limit = "0x7f" if kind == "e4m3x2" else "0x7d"
    where = f"(a.b0 & 0x7f) < {limit} and (a.b1 & 0x7f) < {limit}"
    _, found = prove(a, b, where=where, timeout=30)
    assert found.verdict is Verdict.EQUAL


@ci_only
def test_a_nan_that_no_manual_states_is_no_difference() -> None:
    _, found = prove("neg.f32 d, a", "xor.b32 d, a, 0x80000000")
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.startswith("they are equal unless neg.f32 yields a NaN")
    where = "(a & 0x7fffffff) <= 0x7f800000"
    _, found = prove("neg.f32 d, a", "xor.b32 d, a, 0x80000000", where=where)
    assert found.verdict is Verdict.EQUAL
    _, found = prove("neg.f32 d, a", "xor.b32 d, a, 0x80000001")
    assert found.verdict is Verdict.DIFFERENT
    _, found = prove("{ neg.f32 t, a; setp.nan.f32 p, t, t; }", "setp.nan.f32 p, a, a")
    assert found.verdict is Verdict.EQUAL


@ci_only
def test_an_unknown_operation_is_no_difference() -> None:
    _, found = prove("ex2.approx.f32 d, a", "lg2.approx.f32 d, a")
    assert found.verdict is Verdict.UNDECIDED
    assert found.reason.startswith("of ex2.approx.f32 it is known only")
    _, found = prove(
        "{ add.rn.f32 t, a, a; ex2.approx.f32 d, t; }",
        "{ mul.rn.f32 t, a, 0f40000000; ex2.approx.f32 d, t; }",
    )
    assert found.verdict is Verdict.EQUAL
    assert found.float_names == ("ex2.approx.f32",)


@ci_only
def test_a_sum_that_may_be_fused_is_no_difference() -> None:
    _, found = prove("fma.rn.f32 d, a, b, c", "{ mul.f32 d, a, b; add.f32 d, d, c; }")
    assert found.verdict is Verdict.UNDECIDED
    assert "ptxas may fuse it" in found.reason


@ci_only
def test_no_time_is_no_answer() -> None:
    _, found = prove("fma.rn.f32 d, a, 0f3F800000, c", "add.rn.f32 d, a, c", timeout=1)
    assert found.verdict is Verdict.UNDECIDED
    assert not found.reason


def test_asm_statements_and_guards() -> None:
    a = 'asm("add.f32 %0, %1, %2;" : "=f"(x) : "f"(y), "f"(1.5f));'
    pair, found = prove(a, "add.f32 x, y, 0f3FC00000")
    assert found.verdict is Verdict.EQUAL
    assert [*pair.operands] == ["y"]
    _, found = prove("{ @p add.f32 d, a, b; }", "{ add.f32 t, a, b; selp.b32 d, t, d, p; }")
    assert found.verdict is Verdict.EQUAL
    pair, found = prove("{ @p add.f32 d, a, b; }", "{ @!p add.f32 d, a, b; }")
    assert found.verdict is Verdict.DIFFERENT
    assert {*pair.operands} == {"a", "b", "d", "p"}


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("add.f32 d, a, b", "add.f16 d, a, b", "d has 32 bits in one use and 16 in another"),
        ("add.f32 d, a, b", "{ add.f32 x, a, b; add.f32 y, a, b; }", "A has the results d, and B"),
        ("add.f32 d, a, b", "{ ld.global.f32 t, [x]; add.f32 d, t, b; }", "`ld.global.f32` in"),
    ],
)
def test_what_is_not_compared_is_named(a: str, b: str, message: str) -> None:
    with pytest.raises(CommandError, match=message):
        prove(a, b)


@ci_only
def test_the_command_compares_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "add.f32 d, a, b", "add.f32 d, b, a"]) == 0
    assert "Equal for all 2^64 values of a, b." in capsys.readouterr().out
    assert main(["prove", "add.f32 d, a, b", "sub.f32 d, a, b"]) == 1
    assert "\n  A  d = 0x" in capsys.readouterr().out
    assert main(["prove", "neg.f32 d, a", "xor.b32 d, a, 0x80000000", "-f", "json"]) == 3
    assert '"verdict": "undecided"' in capsys.readouterr().out
