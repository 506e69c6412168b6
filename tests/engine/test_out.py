"""``evaluate(…, out=)``, and arrays that are not as a plan wants them: right, in bounded memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from ptxscope import evaluate
from ptxscope.engine.arrays.array_program import MAX_BLOCK

LINE = "vadd4.u32.u32.u32 d, a, b, c"
SETP = "setp.lt.and.u32 p|q, a, b, c"
A = np.array([[0x01FF0102, 5, 0], [7, 0x80808080, 9]], np.uint32)
SUMS = [[0x02000203, 0x01010106, 0x01010101], [0x01010108, 0x81818181, 0x0101010A]]


@pytest.mark.parametrize(
    "out",
    [
        np.empty((2, 3), np.uint32),
        np.empty((2, 3), np.int32),
        np.empty((3, 2), np.uint32).T,
        np.empty((2, 6), np.uint32)[:, ::2],
        np.empty((2, 3), np.uint32)[::-1],
        np.frombuffer(bytearray(25), np.uint32, 6, 1).reshape(2, 3),
    ],
    ids=["plain", "signed", "Fortran", "every second", "backwards", "unaligned"],
)
def test_the_out_array_may_have_any_layout(out: Any) -> None:
    found: Any = evaluate(LINE, {"a": A, "b": 0x01010101}, out={"d": out})
    assert found["d"] is out
    assert out.astype(np.uint32).tolist() == SUMS


def test_an_out_array_without_dimensions_takes_a_single_result() -> None:
    out = np.empty((), np.uint32)
    assert evaluate(LINE, {"a": 1, "b": 2}, out={"d": out})["d"] is out
    assert out == 3


def test_a_float_result_may_be_an_array_of_floats() -> None:
    out = np.empty(2, np.float32)
    condition = np.array([True, False])
    evaluate("selp.f32 d, 0f3F800000, 0fC0000000, c", {"c": condition}, out={"d": out})
    assert out.tolist() == [1.0, -2.0]


def test_out_may_hold_one_of_two_destinations() -> None:
    q = np.empty(3, bool)
    values: dict[str, Any] = {"a": np.array([1, 2, 3]), "b": 2}
    values["c"] = np.array([True, True, False])
    found: Any = evaluate(SETP, values, out={"q": q})
    assert found["q"] is q
    assert (found["p"].tolist(), q.tolist()) == ([True, False, False], [False, True, False])


@pytest.mark.parametrize("name", ["a", "b", "c"])
@pytest.mark.parametrize("shift", [0, 1, -1])
def test_the_out_array_may_share_memory_with_operands(name: str, shift: int) -> None:
    rng = np.random.default_rng(5)
    count = MAX_BLOCK + 77
    memory = {x: rng.integers(0, 1 << 32, count + 2, dtype=np.uint32) for x in "abc"}
    values = {x: y[1:-1] for x, y in memory.items()}
    line = "vavrg2.s32.u32.s32.sat d.h0, a.h12, b.h30, c"
    expected: Any = evaluate(line, values)["d"]
    out = memory[name][1 + shift : 1 + shift + count]
    evaluate(line, values, out={"d": out})
    assert np.array_equal(out, expected)


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ({"x": np.empty((2, 3), np.uint32)}, "out has x, which .* does not write; it writes d"),
        ({"a": np.empty((2, 3), np.uint32)}, "out has a, which .* does not write; it writes d"),
        ({"d": [[0, 0, 0]] * 2}, "out for d is .*, not a plain array"),
        ({"d": np.ma.zeros((2, 3), np.uint32)}, "not a plain array"),
        ({"d": np.empty((2, 3), np.uint64)}, "out for d is uint64; the result takes uint32"),
        ({"d": np.empty((2, 3), np.float32)}, "out for d is float32; the result takes uint32"),
        ({"d": np.empty((2, 3), ">u4")}, "out for d is >u4; the result takes uint32"),
        ({"d": np.empty((2, 3), bool)}, "out for d is bool; the result takes uint32"),
        ({"d": np.empty(6, np.uint32)}, r"has shape \(6,\), the operands make \(2, 3\)"),
        ({"d": np.empty((1, 2, 3), np.uint32)}, r"has shape \(1, 2, 3\), the operands make"),
        ({"d": np.broadcast_to(np.uint32(0), (2, 3))}, "out for d is read-only"),
        (np.empty(3, np.uint32), r"^out has no names; .*: out=\{'d': …\}$"),
    ],
)
def test_an_unsuitable_out_array_is_refused(out: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        evaluate(LINE, {"a": A, "b": 0x01010101}, out=out)


def test_two_destinations_in_one_memory_are_refused() -> None:
    both = np.empty(3, bool)
    values: dict[str, Any] = {"a": np.array([1, 2, 3]), "b": 2, "c": 1}
    with pytest.raises(ValueError, match="out for q shares memory with that for another"):
        evaluate(SETP, values, out={"p": both, "q": both})
    with pytest.raises(ValueError, match="out for p is uint8; the result takes bool"):
        evaluate(SETP, values, out={"p": both.view(np.uint8)})


def test_a_refused_call_writes_nothing() -> None:
    out = np.full(2, 77, np.uint32)
    with pytest.raises(ValueError, match="does not fit"):
        evaluate(LINE, {"a": np.array([1, 1 << 40]), "b": 1}, out={"d": out})
    assert out.tolist() == [77, 77]


def test_an_error_on_shapes_includes_the_literal() -> None:
    values: dict[str, Any] = {"a": np.zeros(2, int), "c": np.zeros(3, int)}
    with pytest.raises(ValueError, match=r"do not broadcast: a \(2,\), 5 \(\), c \(3,\)"):
        evaluate("vadd.u32.u32.u32.add d, a, 5, c", values)


LARGE = 1 << 21


@pytest.mark.parametrize(
    "a",
    [
        np.arange(LARGE, dtype=np.uint32),
        np.arange(LARGE, dtype=np.int64),
        np.arange(LARGE, dtype=">u4"),
        np.arange(2 * LARGE, dtype=np.uint32)[::2],
        np.arange(LARGE, dtype=np.uint32).reshape(1024, 2048).T,
        np.broadcast_to(np.arange(2048, dtype=np.uint32), (1024, 2048)),
    ],
    ids=["plain", "wider", "big-endian", "strided", "transposed", "broadcast"],
)
def test_memory_does_not_grow_with_the_arrays(a: Any) -> None:
    out = np.empty(a.shape, np.uint32)
    values = {"a": a, "b": 0x01020304, "c": a}
    line = "vavrg4.s32.u32.s32 d.b210, a, b.b3210, c"
    evaluate(line, values, out={"d": out})
    tracemalloc.start()
    evaluate(line, values, out={"d": out})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 * MAX_BLOCK < a.size * 4
    few: Any = evaluate(line, {"a": a[:3, ...] + 0, "b": 0x01020304, "c": a[:3] + 0})["d"]
    assert np.array_equal(out[:3], few)
