"""Random kernels: what is proved equal leaves the same bytes in runs, what differs does in one."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from ptxscope.features.compare.comparison import compare_kernels
from ptxscope.features.kernels.launches.kernel_run import run_kernel
from ptxscope.features.prove.proof import Verdict
from tests.features.compare.kernel_texts import make_kernel, read_source
from tests.features.compare.random_kernels import change, draw_body, format_body
from tests.tiers import sampled

pytest.importorskip("bitwuzla")

RUNS = 12


def run(text: str, seed: int) -> list[Any]:
    """Run a kernel by one thread on random memory, whose words are often small or equal."""
    random = np.random.default_rng(seed)
    words = random.choice(np.array([0, 1, 2, 3, 255, 0x80000000, 0xFFFFFFFF], np.uint32), 12)
    mixed = np.where(random.random(12) < 0.5, words, random.integers(0, 1 << 32, 12, np.uint32))
    arguments: dict[str, Any] = {
        "i": mixed.astype(np.uint32),
        "o": mixed[::-1].copy(),
        "n": int(words[0]),
    }
    done = run_kernel(text, arguments)
    return [x.data for x in done.buffers.values()]


@sampled
@pytest.mark.parametrize("seed", range(200))
def test_a_verdict_holds_in_runs(seed: int) -> None:
    rng = Random(seed)
    body = draw_body(rng)
    texts = [make_kernel(format_body(x)) for x in (body, change(body, rng))]
    found = compare_kernels(*map(read_source, texts), timeout=20)
    if found.verdict is Verdict.EQUAL:
        for number in range(RUNS):
            first, second = (run(x, 1000 * seed + number) for x in texts)
            assert all(map(np.array_equal, first, second)), texts
    elif found.verdict is Verdict.UNDECIDED:  # a load came after what reads its register
        assert found.reason.startswith("the result depends on"), (found.reason, texts)
    else:
        assert found.replay
        assert found.replay.is_confirmed, (found.replay, texts)
        shape = found.replay.shape
        ends = [
            [x.data for x in run_kernel(text, found.replay.arguments, grid=shape.grid,
                                        block=shape.block).buffers.values()]
            for text in texts
        ]  # fmt: skip
        assert not all(map(np.array_equal, *ends))
