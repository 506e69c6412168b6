"""Worker processes: their results, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children
from pathlib import Path

import pytest

from ptxscope.cli.support.worker_pool import open_pool
from tests.tiers import ci_only

_prepared = 0


def _prepare(number: int) -> None:
    global _prepared
    _prepared = number


def _add(number: int) -> int:
    if not number:
        os._exit(7)
    return _prepared + number


def _write_and_wait(path: Path) -> None:
    try:
        path.write_text(str(os.getpid()))
        time.sleep(60)
    finally:
        path.unlink()


def _wait_for(path: Path) -> int:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if path.exists() and (text := path.read_text()):
            return int(text)
        time.sleep(0.02)
    raise TimeoutError


def test_processes_are_prepared_and_end_with_the_block() -> None:
    with open_pool(2, _prepare, 10) as pool:
        futures = [pool.submit(_add, x) for x in range(1, 5)]
        assert [x.result() for x in futures] == [11, 12, 13, 14]
    assert not active_children()


def test_a_dead_process_breaks_the_pool() -> None:
    with open_pool(1, _prepare, 10) as pool, pytest.raises(BrokenProcessPool):
        pool.submit(_add, 0).result()


def test_what_runs_at_the_end_of_the_block_removes_its_files(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with open_pool(1, _prepare, 10) as pool:
        pool.submit(_write_and_wait, path)
        _wait_for(path)
    assert not path.exists()


_MAIN = """
from pathlib import Path
from tests.cli.test_worker_pool import _prepare, _wait_for, _write_and_wait
from ptxscope.cli.support.worker_pool import open_pool
if __name__ == "__main__":
    with open_pool(1, _prepare, 1) as pool:
        pool.submit(_write_and_wait, Path("a")).result()
"""


@ci_only
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_the_processes_end_if_this_process_does(name: str, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(_MAIN)
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "main.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.DEVNULL,
    )
    worker = _wait_for(tmp_path / "a")
    process.send_signal(getattr(signal, name))
    status = process.wait(30)
    assert status == {"SIGTERM": 143, "SIGINT": -signal.SIGINT, "SIGKILL": -signal.SIGKILL}[name]
    end = time.monotonic() + 10
    while (is_there := Path(f"/proc/{worker}").exists()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_there
    assert (tmp_path / "a").exists() == (name == "SIGKILL")
