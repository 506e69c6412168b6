"""A process that is killed while it writes a file, at a place of the write."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PLACES = ("half", "written", "replaced")
"""Half of the data is written, or all of it, or the new file has taken the place of the old one."""
_KILL = """
import os, signal, sys
from ptxscope import files
place, count = sys.argv[1], int(sys.argv[2])
write, settle, writes = files._write, files._flush_name, []

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def write_and_die(fresh, data, *rest):
    writes.append(fresh)
    if len(writes) == count and place == "half":
        fresh.write_bytes(data[: len(data) // 2])
        die()
    write(fresh, data, *rest)
    if len(writes) == count and place == "written":
        die()

def settle_and_die(folder):
    if len(writes) == count:
        die()
    settle(folder)

files._write, files._flush_name = write_and_die, settle_and_die
"""


def run_and_kill(code: str, place: str, *, count: int = 1, folder: Path) -> None:
    """Run code in a folder, in a process that is killed in its write of this number."""
    if os.name != "posix":
        pytest.skip("no signals")
    words = [sys.executable, "-c", _KILL + code, place, str(count)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(words, cwd=folder, env=environment, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
