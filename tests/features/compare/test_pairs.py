"""Pairs of kernels by nvcc: eNN are written to be equal, dNN to differ; pairs.cu has both.

nvcc 13.0 -ptx -arch=sm_75 made pairs.ptx of pairs.cu.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.features.compare.comparison import compare_kernels
from ptxscope.features.compare.file_kernel import FileKernel
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.prove.proof import Verdict

pytest.importorskip("bitwuzla")

CODE = load_device_code((Path(__file__).parent / "data" / "pairs.ptx").read_text("utf-8"))
KERNELS = {x.name: FileKernel(x.name, "pairs.ptx", CODE, x) for x in CODE.kernels}
NAMES = sorted({x[:3] for x in KERNELS})
WRAPS = "e12"
"""An index of 32 bits and one of 64 differ in a grid of 2^32 threads, which no run takes."""


@pytest.mark.parametrize("name", [x for x in NAMES if x[0] != "d" and x != WRAPS])
def test_equal_kernels_are_proved(name: str) -> None:
    found = compare_kernels(KERNELS[f"{name}_a"], KERNELS[f"{name}_b"])
    assert found.verdict is Verdict.EQUAL, found.reason


@pytest.mark.parametrize("name", [x for x in NAMES if x[0] == "d"])
def test_a_difference_is_run_again(name: str) -> None:
    for pair in ((f"{name}_a", f"{name}_b"), (f"{name}_b", f"{name}_a")):
        found = compare_kernels(*(KERNELS[x] for x in pair))
        assert found.verdict is Verdict.DIFFERENT, found.reason
        assert found.replay
        assert found.replay.is_confirmed
        assert found.replay.shape.block_count * found.replay.shape.block_size == 1
        assert all(x.values[0] != x.values[1] for x in found.replay.differences)


def test_a_launch_that_is_too_large_is_said_to_be() -> None:
    found = compare_kernels(KERNELS["e12_a"], KERNELS["e12_b"])
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.obstacle.endswith("threads")
    assert found.replay.shape.block_count * found.replay.shape.block_size > 1 << 31


def test_without_large_launches_the_indices_are_equal() -> None:
    found = compare_kernels(KERNELS["e12_a"], KERNELS["e12_b"], where="nctaid.x < 1000")
    assert found.verdict is Verdict.EQUAL


def test_buffers_that_overlap_are_found_only_if_they_may() -> None:
    pair = KERNELS["x11_a"], KERNELS["x11_b"]
    found = compare_kernels(*pair, may_alias=True)
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.is_confirmed


@pytest.mark.parametrize("name", ["e07", "e10"])
def test_what_one_kernel_accesses_alone_is_noted(name: str) -> None:
    """b reads after the end of a's loop; b reads and writes where a's condition is false."""
    found = compare_kernels(KERNELS[f"{name}_a"], KERNELS[f"{name}_b"])
    assert found.notes
    assert all(x.startswith("B ") for x in found.notes)
    assert any("reads bytes of" in x for x in found.notes)
    assert any("writes bytes of" in x for x in found.notes) == (name == "e10")


def test_time_ends_a_comparison() -> None:
    found = compare_kernels(KERNELS["e04_a"], KERNELS["e04_b"], timeout=1e-3)
    assert found.verdict is Verdict.UNDECIDED
    assert not found.reason
