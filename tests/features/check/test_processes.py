"""Several files in several processes: what is printed is what one process prints."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from ptxscope.cli import main
from tests.reference_data import DATA
from tests.tiers import ci_only


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
