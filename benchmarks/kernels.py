"""Runs of kernels, against the same work in plain Python and in NumPy in the same run."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.kernels.launches.kernel_run import KernelRun, run_kernel
from ptxscope.features.kernels.launches.run_explanations import explain_kernel
from ptxscope.features.kernels.launches.thread_log import ThreadLog

from .measure import interleaved

SAMPLE = Path(__file__).parents[1] / "tests" / "data" / "kernels.ptx"
THREADS = 200_000
BLOCK = 128
TURNS = 20_000
WIDE = {  # kernels of nvcc: a line, and the same with a fault
    "saxpy_words": ("mad.lo.s32 \t%r9, %r7, %r2, %r8", "mad.lo.s32 \t%r9, %r7, %r3, %r8"),
    "collatz": ("add.s32 \t%r12, %r12, 1", "add.s32 \t%r12, %r12, 2"),
    "block_sums": ("add.s32 \t%r26, %r24, %r25", "sub.s32 \t%r26, %r24, %r25"),
}


def report() -> Iterator[str]:
    """One thread, with and without its steps; then many threads, run and explained."""
    text = SAMPLE.read_text()
    code, draw = load_device_code(text), np.random.default_rng(3)
    data = draw.integers(0, 256, (1, 512), dtype=np.uint8)
    arguments = _name(data, np.zeros(1, np.uint32), data.size, 1)
    one = partial(run_kernel, code, arguments, kernel="crc32")
    count = one().step_count
    runs: dict[str, Callable[[], Any]] = {
        "python": _add_numbers,
        "run": one,
        "with its steps": lambda: one(log=ThreadLog(0)),
    }
    times = interleaved(runs, 5, min, clock=process_time)
    base = times.pop("python") / TURNS
    yield f"one thread, crc32 of {data.size} bytes, {count:,} instructions"
    yield f"  a turn of a loop of Python: {base * 1e9:.0f} ns"
    for name, seconds in times.items():
        each = seconds / count
        yield f"  {name:<16} {each / base:6.1f} x  {each * 1e6:6.2f} µs an instruction"
    for name, (right, wrong) in WIDE.items():
        yield from _report_wide(text, name, right, wrong)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"peak memory: {peak:.0f} MB"


def _report_wide(text: str, name: str, right: str, wrong: str) -> Iterator[str]:
    draw = np.random.default_rng(5)
    grid = -(-THREADS // BLOCK)
    words = draw.integers(0, 2**32, THREADS, dtype=np.uint32)
    room = np.zeros(THREADS, np.uint32)
    arguments = {
        "saxpy_words": _name(words, words[::-1].copy(), room, 77, THREADS),
        "block_sums": _name(words.view(np.int32), np.zeros(grid, np.int32), THREADS),
        "collatz": _name(words.astype(np.uint64) % 64 + 1, room, THREADS),
    }[name]
    expected = _run(text, name, arguments, grid)
    output = next(x for x in expected.buffers.values() if x.is_changed)
    wanted = {output.label: output.data.copy()}
    code = load_device_code(text.replace(right, wrong))
    options: dict[str, Any] = {"kernel": name, "grid": grid, "block": BLOCK}
    runs: dict[str, Callable[[], Any]] = {
        "numpy": lambda: words * np.uint32(77) + words,
        "run": lambda: _run(text, name, arguments, grid),
        "--explain": lambda: explain_kernel(code, arguments, wanted, **options),
    }
    times = interleaved(runs, 2, min, clock=process_time)
    base = times.pop("numpy")
    yield f"{name}, {THREADS:,} threads, {expected.step_count:,} instructions"
    yield f"  a product and a sum of as many words in NumPy: {base * 1e6:.0f} µs"
    for run, seconds in times.items():
        each = seconds / expected.step_count
        yield f"  {run:<16} {seconds / base:6.0f} x  {seconds:6.2f} s, {each * 1e9:.1f} ns each"


def _run(text: str, name: str, arguments: dict[str, Any], grid: int) -> KernelRun:
    return run_kernel(text, arguments, kernel=name, grid=grid, block=BLOCK)


def _name(*values: Any) -> dict[str, Any]:
    return {f"param{i}": x for i, x in enumerate(values)}


def _add_numbers() -> None:
    x = 12345
    for _ in range(TURNS):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
