"""Verdicts on asm statements against nvcc 13.0 itself, where it is on the PATH (`dev.py soak`)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.engine.test_asm_verdicts import KERNEL, LISTED, MODULE, REFUSED, TAKEN

NVCC, PTXAS = shutil.which("nvcc"), shutil.which("ptxas")
pytestmark = pytest.mark.soak


def _takes(program: str, text: str, source: Path) -> bool:
    source.write_text(text, encoding="utf-8")
    made = source.with_suffix(".cubin")
    cubin = ["-cubin"] if program == NVCC else []
    command = [program, *cubin, "-arch=sm_90", str(source), "-o", str(made)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize("statement", [*TAKEN, *REFUSED])
def test_nvcc_agrees(statement: str, tmp_path: Path) -> None:
    assert NVCC
    assert _takes(NVCC, KERNEL.format(statement), tmp_path / "k.cu") == (statement in TAKEN)


@pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed")
@pytest.mark.parametrize("line", LISTED)
def test_ptxas_agrees(line: str, tmp_path: Path) -> None:
    assert PTXAS
    assert _takes(PTXAS, MODULE.format(line), tmp_path / "k.ptx") == LISTED[line]
