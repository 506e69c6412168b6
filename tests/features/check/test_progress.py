"""The progress of ``check``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from ptxscope.cli import main
from tests.driving.progress import Screen, check_progress, terminal

__all__ = ["terminal"]


def kernels(folder: Path) -> list[str]:
    names = ["1.ptx", "2.ptx", "3.cu"]
    for name in names:
        (folder / name).write_text("vadd.u32.u32.u32.sat %r1, %r1, %r2;\nret;\n" * 3)
    return ["check", *(str(folder / name) for name in names)]


def test_progress_does_not_change_the_output_of_check(
    terminal: Screen,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = kernels(tmp_path)
    assert main(words) == 0
    printed = capsys.readouterr().out
    seen = terminal()
    monkeypatch.setattr(sys, "stdout", sys.stderr)
    assert main(words) == 0
    shown = re.sub(r"\x1b\[\?25[hl]", "", seen())
    assert shown.count("checking") > 3
    rest = re.sub(r"[^\r\n]*(\r\n\r\x1b\[1A|\r)\x1b\[2K", "", shown)
    assert rest.replace("\r\n", "\n") == printed


def test_check_shows_its_progress(
    terminal: Screen,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_progress(kernels(tmp_path), {"checking"}, terminal, capsys, monkeypatch)
