"""``ptxscope run`` of lines. Its answers are in ``tests/data/requests``."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope import feature
from tests.driving.command_line import run
from tests.reference_data import DATA


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_kernel_is_run_line_by_line() -> None:
    registers = "r1=0 r3=5 r2=9 r8=-1 r12=300 r16=5 r20=7 r24=1".split()
    status, out, err = run("run", str(DATA / "video.ptx"), "--kernel", "pack_clamp", *registers)
    assert (status, err) == (0, "")
    lines = [line for line in out.splitlines() if line[:5].strip().isdigit()]
    listing = (DATA / "video.ptx").read_text(encoding="utf-8").splitlines()
    for line in lines:
        number, opcode = line.split()[:2]
        assert opcode in listing[int(number) - 1]
    assert "%r11 = 0x0705ff00" in out.split("\n\n")[-1]


def test_control_characters_of_the_file_are_not_printed() -> None:
    path = "bad\x1b[2J.ptx"
    Path(path).write_text("foo.\x1b[31mbar x\u202e, y; mov.b32 a, 1;", encoding="utf-8")
    for words in ((path,), (f"{path}x",), (path, "--kernel", "\x1b[1m")):
        _, out, err = run("run", *words)
        assert not set("\x1b\u202e") & set(out + err)


def test_without_a_feature_that_runs_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature, "list_features", tuple)
    kernel = ".entry k(.param .u64 p) { .reg .b32 a, b; mov.b32 a, b; ret; }"
    for words, status, said in (
        (("b=1",), 0, ""),
        (("p=zeros:u32:1",), 2, "error: p is a parameter of k; no feature here runs a kernel"),
        (("param0=1",), 2, "error: param0 is a parameter of k; no feature here runs a kernel"),
        (("b=1", "--grid", "2"), 2, "unrecognized arguments: --grid"),
        ((), 2, "error: b is read at line 1"),
    ):
        done = run("run", kernel, *words)
        assert (done.returncode, said in done.stderr) == (status, True), done
        assert "parameters instead" not in done.stderr
    done = run("run", "--help")
    assert "--break" in done.stdout
    assert "--grid" not in done.stdout


def test_a_run_of_lines_looks_for_no_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature, "list_features", None)
    for words in (("mov.b32 a, b;", "b=1", "--watch", "a"), ("mov.b32 a, b;", "b=1", "-f", "json")):
        assert run("run", *words).returncode == 0
