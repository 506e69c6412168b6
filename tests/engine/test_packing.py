"""`cvt.pack`: results by the manual."""

from __future__ import annotations

import numpy as np
import pytest

from ptxscope import evaluate, parse, replay, trace


@pytest.mark.parametrize(
    ("type_", "a", "b", "c", "d"),
    [
        # 300 is above 255, -5 below 0; the low half of c comes above
        (".u8.s32.b32", 300, -5, 0x11223344, 0x3344FF00),
        (".s8.s32.b32", 300, -300, 0xAAAABBBB, 0xBBBB7F80),
        (".s8.s32.b32", -1, 1, 0, 0x0000FF01),
        (".u4.s32.b32", 7, 99, 0x12345678, 0x3456787F),
        (".s4.s32.b32", -9, 9, 0xFFFFFFFF, 0xFFFFFF87),
        (".u2.s32.b32", 2, -2147483648, 0x89ABCDEF, 0x9ABCDEF8),
        (".s2.s32.b32", -1, 2147483647, 0, 0b1101),
        (".u16.s32", 65536, 65535, None, 0xFFFFFFFF),
        (".u16.s32", -1, 4660, None, 0x00001234),
        (".s16.s32", 40000, -40000, None, 0x7FFF8000),
    ],
)
def test_results(type_: str, a: int, b: int, c: int | None, d: int) -> None:
    ins = parse(f"cvt.pack.sat{type_} d, a, b{'' if c is None else ', c'}")
    values = {"a": a, "b": b} | ({} if c is None else {"c": c})
    found = trace(ins, values)
    assert f"{found.result['d']:#010x}" == f"{d:#010x}"
    assert replay(found) == found.result
    arrays = {name: np.array([x % 2**32], np.uint32) for name, x in values.items()}
    assert np.array_equal(evaluate(ins, arrays)["d"], [d])
