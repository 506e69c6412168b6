"""Launches in the Python API with values of wrong types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxscope
from tests.driving.wrong_values import read_message

KERNEL = """.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [p]; ld.param.u32 %r, [n];
  add.u32 %r, %r, 1; st.global.u32 [%rd], %r; ret; }"""
ARGUMENTS = {"p": np.zeros(4, "u4"), "n": 3}
LAUNCH = {"kernel": 3, "dynamic_shared_bytes": 1.5, "max_steps": float("nan"), "on_progress": 3}


@pytest.mark.parametrize("wrong", [3, 3.5, [1], b"x", object(), ("a",), {1: 2}, True, int])
def test_a_wrong_type_of_a_launch_is_named(wrong: Any) -> None:
    expected = {"p": np.zeros(4, "u4")}
    assert "PTX as text" in read_message(ptxscope.run_kernel, wrong, ARGUMENTS)
    assert "PTX as text" in read_message(ptxscope.explain_kernel, wrong, ARGUMENTS, expected)
    read_message(ptxscope.run_kernel, KERNEL, wrong)
    read_message(ptxscope.explain_kernel, KERNEL, ARGUMENTS, wrong)
    read_message(
        ptxscope.explain_kernel, KERNEL, ARGUMENTS, {"p": wrong if wrong != {1: 2} else "x"}
    )


@pytest.mark.parametrize(("name", "wrong"), LAUNCH.items())
def test_a_wrong_type_of_an_option_of_a_launch_is_named(name: str, wrong: Any) -> None:
    for values in (wrong, "5" if name != "kernel" else ["k"]):
        options = {name: values}
        assert name in read_message(ptxscope.run_kernel, KERNEL, ARGUMENTS, **options)
        assert name in read_message(ptxscope.explain_kernel, KERNEL, ARGUMENTS, {}, **options)


def test_a_masked_array_is_refused_as_a_buffer() -> None:
    masked: Any = np.ma.array([1, 2], mask=[False, True], dtype="u4")
    arguments = {"p": masked, "n": 3}
    assert "masked" in read_message(ptxscope.run_kernel, KERNEL, arguments)
    assert "masked" in read_message(ptxscope.explain_kernel, KERNEL, ARGUMENTS, {"p": masked})
