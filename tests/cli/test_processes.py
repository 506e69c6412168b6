"""Several files in several processes: what is printed is what one process prints."""

from __future__ import annotations

import io
import multiprocessing
import os
import sys
from pathlib import Path

import pytest

from ptxscope.cli import main, processes
from ptxscope.cli.processes import ProcessEndedError, Processes, Send
from tests.reference_data import DATA
from tests.tiers import some

LONG = 300_000


def _work(thing: str, send: Send) -> None:
    if thing == "dies":
        send("begun")
        os._exit(7)
    for number in range(3):
        send(thing * LONG)
        send(number)


@pytest.fixture
def two_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_AHEAD", 3)


@pytest.mark.usefixtures("two_ahead")
def test_results_come_in_order_and_a_process_that_dies_loses_its_own_alone() -> None:
    things = ["a", "b", "dies", "c", "d"]
    with Processes(_work, things, 2) as running:
        for index, thing in enumerate(things):
            found = list[object]()
            try:
                found += running.results(index)
            except ProcessEndedError as error:
                assert thing == "dies"
                assert str(error).endswith("was ended with status 7")
            else:
                assert found == [thing * LONG, 0, thing * LONG, 1, thing * LONG, 2]
    assert not multiprocessing.active_children()


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
