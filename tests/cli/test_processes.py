"""Several files in several processes: what is printed is what one process prints."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from ptxscope.cli import main
from ptxscope.cli.processes import processes
from tests.reference_data import DATA
from tests.tiers import some


def _work(name: str, write: Callable[[str], object]) -> int:
    if name == "dies":
        os._exit(7)
    write(name * 100_000)
    return len(name)


def test_what_is_said_comes_in_order() -> None:
    names = ["a", "\udcff", "\r\n", "cd"]
    with processes(_work, names, 2) as results:
        found = [(number, "".join(texts)) for number, texts in results]
    assert found == [(len(name), name * 100_000) for name in names]


def test_a_process_that_dies_is_known_of() -> None:
    with processes(_work, ["dies", "a"], 1) as results, pytest.raises(BrokenProcessPool):
        next(results)


@pytest.mark.parametrize("format_", some(["json", "sarif", "text"]))
def test_it_prints_what_one_process_prints(
    format_: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wrong, none = tmp_path / "wrong.ptx", tmp_path / "none.ptx"
    wrong.write_text("vadd4.bad d, a;\n", encoding="utf-8")
    names = [none, DATA / "video.ptx", "-", wrong, DATA / "video.cu", tmp_path]

    def done(jobs: str) -> tuple[int, str, str]:
        stdin = io.TextIOWrapper(io.BytesIO(b"set.lt.u32.u32 d, a, b;"), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        status = main(["check", "--jobs", jobs, "-f", format_, *map(str, names)])
        return status, *capsys.readouterr()

    status, printed, said = one = done("1")
    assert done("2") == one
    assert status == 2
    assert "wrong.ptx" in printed
    assert [line.startswith("error: ") for line in said.splitlines()] == [True, True]


def test_jobs_are_counted_from_one(capsys: pytest.CaptureFixture[str]) -> None:
    for number in ("0", "-1", "x", "1.5", ""):
        assert main(["check", f"--jobs={number}", "a.ptx"]) == 2
        assert f"'{number}' is not a number from 1 on" in capsys.readouterr().err
