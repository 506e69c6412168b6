"""Verdicts on asm statements against nvcc 13.0 itself, where it is on the PATH (`dev.py soak`)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ptxscope.sources.diagnostic import CHECK_RULES, Severity
from tests.check_cases import CASES, Case

NVCC, PTXAS = shutil.which("nvcc"), shutil.which("ptxas")
pytestmark = pytest.mark.soak


def _is_legal(case: Case) -> bool:
    """Whether nothing is an error; nvcc does not know the name of an operand, clang does."""
    findings = [finding for item in case.items for finding in item.get("findings", ())]
    return not any(
        CHECK_RULES[x["rule"]][0] is Severity.ERROR or x["at"].startswith("%[") for x in findings
    )


def _takes(program: str, text: str, source: Path) -> bool:
    source.write_text(text, encoding="utf-8")
    made = source.with_suffix(".cubin")
    cubin = ["-cubin"] if program == NVCC else []
    command = [program, *cubin, "-arch=sm_90", str(source), "-o", str(made)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")
@pytest.mark.parametrize(
    "key", [x for x, case in CASES.items() if x.startswith("asm_verdicts.") and case.name == "x.cu"]
)
def test_nvcc_agrees(key: str, tmp_path: Path) -> None:
    assert NVCC
    assert _takes(NVCC, CASES[key].text, tmp_path / "k.cu") == _is_legal(CASES[key])


@pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed")
@pytest.mark.parametrize("key", [x for x in CASES if x.startswith("statement_ends.")])
def test_ptxas_agrees(key: str, tmp_path: Path) -> None:
    assert PTXAS
    assert _takes(PTXAS, CASES[key].text, tmp_path / "k.ptx") == _is_legal(CASES[key])
