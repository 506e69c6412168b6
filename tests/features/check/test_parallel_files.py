"""Several files in several processes: what is printed is what one process prints."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Callable
from multiprocessing import util
from pathlib import Path
from typing import Any

import pytest

from ptxscope.cli import main
from ptxscope.cli.support.streams import CommandError
from ptxscope.cli.support.worker_pool import CONTEXT
from ptxscope.features.check.parallel_files import start_processes
from tests.reference_data import DATA
from tests.tiers import ci_only


def _work(name: str, write: Callable[[str], object], *, on_read: Callable[[int], object]) -> int:
    if name == "dies":
        os._exit(7)
    if name == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    write(name * 100_000)
    on_read(len(name))
    return len(name)


def test_each_result_of_a_process_has_its_printed_text() -> None:
    names = dict(enumerate(["a", "\udcff", "\r\n", "cd"]))
    with start_processes(_work, names, 2) as (result, characters):
        assert result(9, int) is None
        found = {}
        for at, name in names.items():
            if got := result(at, int):
                found[at] = got[0], "".join(got[1])
                assert found[at] == (len(name), name * 100_000)
        assert {0, 1} <= found.keys()  # others may not be begun with
        assert characters() >= 2


def test_the_caller_takes_over_the_work_of_a_dead_process() -> None:
    with start_processes(_work, {0: "dies", 1: "a"}, 1) as (result, _):
        assert result(0, int) is None
        assert result(1, int) is None


@pytest.mark.skipif(os.name != "posix", reason="processes are started in another way")
@pytest.mark.parametrize("available", [0, 2, None])
def test_the_caller_takes_over_the_work_of_processes_that_cannot_be_started(
    available: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, spawn = list[int](), util.spawnv_passfds

    def start(*arguments: Any) -> int:
        if available is not None and len(started) >= available:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        started.append(spawn(*arguments))
        return started[-1]

    def make_semaphore(*_: object) -> None:
        raise ImportError("no semaphores here")

    monkeypatch.setattr(util, "spawnv_passfds", start)
    if available is None:
        monkeypatch.setattr(CONTEXT, "Value", make_semaphore)
    with start_processes(_work, dict(enumerate("abc")), 3) as (result, characters):
        found = [result(index, int) for index in range(3)]
        assert found[-1] is None
        assert all(x is None or x[0] == 1 for x in found)
        assert characters() <= 3


@ci_only
def test_a_full_disk_for_waiting_results_is_reported() -> None:
    with (
        start_processes(_work, {0: "full"}, 1) as (result, _),
        pytest.raises(CommandError, match=r"cannot be saved in /.*: No space .*; --jobs 1 avoids"),
    ):
        result(0, int)


@ci_only
@pytest.mark.parametrize("format_", ["json", "sarif", "text"])
def test_several_processes_print_the_output_of_one(
    format_: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong, none = tmp_path / "wrong.ptx", tmp_path / "none.ptx"
    wrong.write_text("vadd4.bad d, a;\n", encoding="utf-8")
    names = [none, DATA / "video.ptx", "-", wrong, DATA / "video.cu", tmp_path / "other.ptx"]

    def done(jobs: str) -> tuple[int, str, str]:
        stdin = io.TextIOWrapper(io.BytesIO(b"set.lt.u32.u32 d, a, b;"), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        status = main(["check", "--jobs", jobs, "-f", format_, *map(str, names)])
        return status, *capsys.readouterr()

    status, printed, said = one = done("1")
    assert done("2") == done("3") == one
    assert status == 2
    if format_ != "text":
        json.loads(printed)
    assert "wrong.ptx" in printed
    assert [line.startswith("error: ") for line in said.splitlines()] == [True, True]
