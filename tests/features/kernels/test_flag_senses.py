"""The carry flag between additions and subtractions in runs of kernels (E18)."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ptxscope import explain_kernel
from ptxscope.features.kernels.launches.kernel_run import run_kernel
from ptxscope.features.kernels.launches.launch_text import Argument
from tests.driving.carry_chains import CHAINS, draw_words, make_lines, run_hardware
from tests.features.kernels.test_launches import make_kernel


@pytest.mark.parametrize("model", ["isa", "ptxas"])
@pytest.mark.parametrize("chain", CHAINS)
def test_a_run_has_the_flag_of_the_manual_or_of_the_machine(chain: str, model: str) -> None:
    lines, words = make_lines(chain), draw_words(Random(chain))
    loads = [f"ld.global.u32 %r{10 + i}, [%d1+{4 * i}];" for i in range(10)]
    stores = [f"st.global.u32 [%d2+{4 * i}], %r{20 + i};" for i in range(len(lines))]
    head = ["ld.param.u64 %d1, [in];", "ld.param.u64 %d2, [out];"]
    kernel = make_kernel("\n".join([*head, *loads, *lines, *stores, "ret;"]))
    out = f"zeros:u32:{len(lines)}"
    buffers: dict[str, Argument] = {"in": np.array(words, np.uint32), "out": out}
    result = run_kernel(kernel, buffers, model=model)
    assert result.is_exact
    expected = run_hardware(chain, words, model == "isa")
    assert result.get_buffer("out").values.tolist() == expected


def test_a_flag_of_two_kinds_after_a_branch_is_that_of_the_machine() -> None:
    # on one path `addc` reads a borrow, on the other a carry; ptxas keeps one flag for both
    kernel = make_kernel("""
        mov.u32 %r1, %tid.x; ld.param.u64 %d2, [out]; setp.eq.u32 %p1, %r1, 0;
        mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3; mov.u32 %r2, 0;
        @%p1 bra SUBTRACT;
        add.cc.u32 %r3, %r2, 0;
        bra JOIN;
        SUBTRACT: sub.cc.u32 %r3, %r2, 0;
        JOIN: addc.u32 %r4, %r2, 0;
        st.global.u32 [%d2], %r4;
        ret;""")
    for model, expected in (("isa", [0, 0]), ("ptxas", [1, 0])):
        buffers: dict[str, Argument] = {"in": "zeros:u32:1", "out": "zeros:u32:2"}
        result = run_kernel(kernel, buffers, block=2, model=model)
        assert result.get_buffer("out").values.tolist() == expected


def test_an_explanation_of_a_run_names_the_assembler() -> None:
    kernel = make_kernel("""
        ld.param.u64 %d2, [out]; mov.u32 %r2, 0;
        sub.cc.u32 %r3, %r2, %r2;
        addc.u32 %r4, %r2, 0;
        st.global.u32 [%d2], %r4;
        ret;""")
    buffers: dict[str, Argument] = {"in": "zeros:u32:1", "out": "zeros:u32:1"}
    found = explain_kernel(kernel, buffers, {"out": np.array([1], np.uint32)})
    assert found.explanations[0].phrase == "under the model ptxas-13.5"
