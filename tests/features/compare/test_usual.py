"""Pairs of kernels as people write them: ports, faster versions, and their mistakes.

nvcc 13.0 -ptx -arch=sm_75 made usual.ptx of usual.cu. They are equal, or differ, by what they are:
intrinsics and what they replace, tables and what computes them, one constant or type off.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.features.compare.comparison import compare_kernels
from ptxscope.features.compare.file_kernel import FileKernel
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.prove.proof import Verdict
from tests.tiers import ci_only, sampled

pytest.importorskip("bitwuzla")

CODE = load_device_code((Path(__file__).parent / "data" / "usual.ptx").read_text("utf-8"))
KERNELS = {x.name: FileKernel(x.name, "usual.ptx", CODE, x) for x in CODE.kernels}
EQUAL = """
gray_a gray_b; sat_a sat_b; pop_a pop_b; pop_a pop_x; rev_a rev_b; tr_a tr_b; dp_a dp_b; crc_a crc_b
sw_a sw_b; so_a so_b; bs_a bs_b; fx_a fx_c; rm_a rm_b; mo_a mo_b
"""
DIFFERENT = """
gray_a gray_x; sat_a sat_x; dp_a dp_x; sw_a sw_x; st_a st_b; fx_a fx_b; ft_a ft_b
"""


def read_pairs(text: str) -> list[str]:
    return [x.strip() for line in text.splitlines() for x in line.split(";") if x.strip()]


@sampled
@pytest.mark.parametrize("pair", read_pairs(EQUAL))
def test_a_port_is_proved(pair: str) -> None:
    a, b = (KERNELS[x] for x in pair.split())
    assert compare_kernels(a, b).verdict is Verdict.EQUAL


@sampled
@pytest.mark.parametrize("pair", read_pairs(DIFFERENT))
def test_a_mistake_is_shown_by_a_run(pair: str) -> None:
    a, b = (KERNELS[x] for x in pair.split())
    found = compare_kernels(a, b)
    assert found.verdict is Verdict.DIFFERENT, found.reason
    assert found.replay
    assert found.replay.differences


@ci_only
def test_a_loop_over_the_grid_is_compared_for_few_elements() -> None:
    pair = KERNELS["cp_a"], KERNELS["cp_b"]
    found = compare_kernels(*pair, timeout=20)  # A copies no more elements than threads
    assert found.verdict is Verdict.DIFFERENT
    assert found.has_runs
    where = "param2 < 9 and nctaid.x == 3 and ntid.x == 4"
    assert compare_kernels(*pair, where=where).verdict is Verdict.EQUAL
    where = "param2 < 20 and nctaid.x == 3 and ntid.x == 4"  # more elements than threads
    found = compare_kernels(*pair, where=where)
    assert found.verdict is Verdict.DIFFERENT
    assert found.replay
    assert found.replay.is_confirmed
