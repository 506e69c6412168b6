"""Kernels of CUDA sources, which nvcc compiles where it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.driving.command_line import run
from tests.tiers import ci_only

pytest.importorskip("bitwuzla")

SOURCE = """\
__global__ void add(const int* in, int* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = in[i] + 1;
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("one.cu").write_text(SOURCE, "utf-8")
    Path("two.cu").write_text(SOURCE.replace("in[i] + 1", "1 - (-in[i])"), "utf-8")
    Path("wrong.cu").write_text(SOURCE.replace("<", "<="), "utf-8")
    return tmp_path


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not there")
@ci_only
def test_kernels_of_sources_are_compared(folder: Path) -> None:
    pytest.importorskip("ptxscope.features.machine")  # which runs nvcc
    done = run("prove", "one.cu:add", "two.cu:add")
    assert done.returncode == 0, done
    assert "Equal for all parameters" in done.stdout
    assert run("prove", "one.cu:add", "wrong.cu:add", "--where", "count > 3").returncode == 1
    done = run("prove", "one.cu:add", "wrong.cu:add", "--where", "i < 3")
    assert done.returncode == 2
    done = run("prove", "one.cu:add", "wrong.cu:add")
    assert done.returncode == 1
    assert "(wrong.cu:4)" in done.stdout
    assert "$ ptxscope run wrong.cu --kernel add" in done.stdout
    done = run("prove", "one.cu:add", "two.cu:sub")
    assert done.returncode == 2
    assert done.stderr == "error: sub is not a kernel here; there are: add\n"


def test_without_nvcc_a_sentence_says_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXSCOPE_NVCC", "/nowhere/nvcc")
    done = run("prove", "one.cu:add", "two.cu:add")
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
