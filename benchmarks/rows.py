"""Rows a second of `eval --csv`, its start taken off, and the most memory it takes."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

COUNT = 1_000_000
ROUNDS = 5
LINE = "vadd4.s32.s32.u32.sat d, a, b, c"
WRITTEN = {"hexadecimal": "0x%08x", "decimal": "%d"}


def report() -> Iterator[str]:
    """A line for each way to write numbers."""
    rows = np.random.default_rng(2).integers(0, 1 << 32, (COUNT, 3), dtype=np.uint32).tolist()
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / "start.csv"
        start.write_text("a,b,c\n1,2,3\n")
        for name, cell in WRITTEN.items():
            path = Path(folder) / f"{name}.csv"
            line = ",".join([cell] * 3) + "\n"
            path.write_text("a,b,c\n" + "".join(line % tuple(row) for row in rows))
            pairs = [(_used(start)[0], *_used(path)) for _ in range(ROUNDS)]
            seconds = statistics.median(whole - begun for begun, whole, _ in pairs)
            most = max(size for *_, size in pairs)
            yield f"{name:<12} {COUNT / seconds / 1e6:4.1f} M rows/s  {most / 1e3:4.0f} MB"


# a process of its own, since what its parent had in memory counts for a child
_MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def _used(path: Path) -> tuple[float, int]:
    """CPU seconds and kilobytes of memory that a process takes."""
    command = [sys.executable, "-m", "ptxscope", "eval", LINE, "--csv", str(path)]
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *command], capture_output=True, text=True, check=True
    )
    seconds, most = done.stdout.split()
    return float(seconds), int(most)
