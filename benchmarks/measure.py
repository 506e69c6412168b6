"""Timing that other work on the machine disturbs little: interleaved runs, medians."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence


def interleaved(
    runs: Mapping[str, Callable[[], None]],
    times: int,
    of: Callable[[Sequence[float]], float] = statistics.median,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Median seconds of each run, or what else is made of them, all of them run in turn."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(times):
        for name, run in runs.items():
            start = clock()
            run()
            seconds[name].append(clock() - start)
    return {name: of(values) for name, values in seconds.items()}


def process(*arguments: str) -> Callable[[], None]:
    """A whole Python process, byte code cached as an installed program's is."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command: Sequence[str] = (sys.executable, *arguments)

    def run() -> None:
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)

    run()
    return run
