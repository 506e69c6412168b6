"""The proof of kernels in Python."""

from __future__ import annotations

import pytest

import ptxscope
from tests.features.compare.kernel_texts import make_kernel

pytest.importorskip("bitwuzla")

ONE = make_kernel("add.s32 a, n0, n0; st.global.u32 [O], a;")
OTHER = make_kernel("shl.b32 a, n0, 1; st.global.u32 [O], a;").replace(" k(", " f(")


def test_two_texts_are_compared() -> None:
    found = ptxscope.prove_kernels(ONE, OTHER)
    assert found.verdict == "equal"
    assert "k and f" in repr(found)
    wrong = ptxscope.prove_kernels(ONE, OTHER.replace("n0, 1", "n0, 2"), where="param2 > 6")
    assert wrong.verdict == "different"
    assert wrong.counterexample
    assert wrong.counterexample.operands["param2"] == 7
    assert wrong.replay
    assert [x.values for x in wrong.replay.differences] == [(14, 28)]


def test_kernels_of_one_text_are_chosen_by_name() -> None:
    both = ONE + OTHER.partition(".address_size 64\n")[2]
    assert ptxscope.prove_kernels(both, kernel="k", kernel_b="f").verdict == "equal"
    with pytest.raises(ValueError, match="choose one of: k, f"):
        ptxscope.prove_kernels(both)
    with pytest.raises(ValueError, match="g is not a kernel here"):
        ptxscope.prove_kernels(ONE, OTHER, kernel="g")
    with pytest.raises(TypeError, match="PTX as text"):
        ptxscope.prove_kernels(3)  # type: ignore[arg-type]
    with pytest.raises(ptxscope.PtxError):
        ptxscope.prove_kernels(ONE, ONE.replace("add.s32 a, n0, n0", "vavrg4.u32.u32.u32 a, n0"))
