"""Asm statements whose output has an input's register, as nvcc compiles a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxscope

_KERNEL = """.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<16>; .reg .b64 %d<5>;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  ld.param.u32 %r9, [n];
  mov.u32 %r8, %tid.x;
  mul.wide.u32 %d3, %r8, 8;
  add.u64 %d1, %d1, %d3;
  add.u64 %d2, %d2, %d3;
  ld.global.u32 %r1, [%d1];
  ld.global.u32 %r2, [%d1+4];
LOOP:
  // begin inline asm
  { .reg .u32 t;
  add.u32 t, FIRST, %r2;
  add.cc.u32 %r1, FIRST, 0x9e3779b9;
  addc.u32 %r2, t, FIRST; }
  // end inline asm
  add.u32 %r9, %r9, -1;
  setp.ne.u32 %p1, %r9, 0;
  @%p1 bra LOOP;
  st.global.u32 [%d2], %r1;
  st.global.u32 [%d2+4], %r2;
  ret;
}
"""


@pytest.mark.parametrize("count", [1, 3])
def test_the_old_value_of_an_output_is_meant(count: int) -> None:
    words = np.random.default_rng(1).integers(0, 1 << 32, (8, 2), dtype=np.uint32)
    low, high = words.T.copy()
    for _ in range(count):
        total = low.astype(np.uint64) + np.uint64(0x9E3779B9)
        carry = (total >> np.uint64(32)).astype(np.uint32)
        low, high = total.astype(np.uint32), high + low + low + carry
    expected = np.stack([low, high], axis=1)
    given: dict[str, Any] = {"in": words, "out": np.zeros_like(words), "n": count}
    kernel = _KERNEL.replace("FIRST", "%r1")
    found = ptxscope.explain_kernel(kernel, given, {"out": expected}, block=8)
    first = found.explanations[0]
    assert first.statement
    assert first.statement.text == "addc.u32 %r2, t, %r1"
    assert first.phrase.startswith("with the `%r1` from before the asm statement")
    assert "`=&r`" in first.phrase
