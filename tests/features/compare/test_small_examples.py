"""Counterexamples: the smallest launch, then the smallest numbers; their commands run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ptxscope.features.compare.replay import DifferentLaunch
from ptxscope.features.prove.proof import Verdict
from tests.driving.command_line import run
from tests.features.compare.kernel_texts import compare, make_kernel
from tests.tiers import ci_only

pytest.importorskip("bitwuzla")

PLAIN = "mov.b32 b, 1; st.global.u32 [O], b;"
SIZES = "mov.u32 a, %ntid.x; mov.u32 b, %ntid.y; mov.u32 c, %nctaid.x; mov.u32 d, %nctaid.y;"


def make_body(condition: str) -> str:
    """A kernel that stores 2 where p holds, else 1."""
    return f"{SIZES} {condition}\nmov.b32 d, 1;\n@p mov.b32 d, 2;\nst.global.u32 [O], d;"


def find_example(condition: str, where: str = "") -> DifferentLaunch:
    found = compare(make_body(condition), PLAIN, where=where)
    assert found.verdict is Verdict.DIFFERENT, found.reason
    assert found.counterexample
    return found.counterexample


@pytest.mark.parametrize(
    ("condition", "block", "grid"),
    [
        ("mul.lo.u32 a, a, b; setp.ge.u32 p, a, 6;", 6, 1),
        ("sub.u32 a, a, 2; setp.lt.u32 p, a, 100;", 2, 1),
        ("mul.lo.u32 c, c, d; setp.gt.u32 p, c, 10;", 1, 11),
        ("mad.lo.u32 a, c, 1000, a; setp.gt.u32 p, a, 4000;", 1, 4),
        ("setp.gt.u32 q, a, 32; setp.gt.and.u32 p, t, 33, q;", 35, 1),
    ],
)
def test_the_launch_is_the_smallest(condition: str, block: int, grid: int) -> None:
    operands = find_example(condition).operands
    sizes = dict.fromkeys("xyz", 1)
    for name, expected in (("%ntid", block), ("%nctaid", grid)):
        product = 1
        for axis in sizes:
            product *= operands.get(f"{name}.{axis}", 1)
        assert product == expected, operands


@pytest.mark.parametrize(
    ("condition", "number"),
    [
        ("setp.lt.s32 p, n0, -5;", 0xFFFFFFFA),
        ("setp.gt.s32 p, n0, 41;", 42),
        ("xor.b32 n0, n0, 0x55; setp.eq.u32 p, n0, 0;", 0x55),
        ("and.b32 n0, n0, 0xf0; setp.gt.u32 p, n0, 0x20;", 0x30),
    ],
)
def test_a_parameter_is_the_nearest_to_zero(condition: str, number: int) -> None:
    example = find_example(condition)
    assert example.operands["param2"] == number
    assert example.operands["%ntid.x"] == 1


def test_a_word_of_memory_is_the_nearest_to_zero() -> None:
    body = "ld.global.u32 a, [I]; setp.lt.s32 p, a, -300;\nmov.b32 b, 1;\n@p mov.b32 b, 2;\n"
    found = compare(body + "st.global.u32 [O], b;", PLAIN)
    assert found.counterexample
    data = bytes(found.counterexample.memory["param0", i] for i in range(4))
    assert int.from_bytes(data, "little", signed=True) == -301


def test_a_difference_that_other_threads_hide_for_some_words_is_run_for_others() -> None:
    """Each thread copies its own word, or that of its block: words that are 0 show nothing."""
    place = "cvt.u64.u32 x, t; shl.b64 x, x, 2; add.s64 y, O, x; add.s64 x, I, x;"
    body = f"{place} ld.global.u32 a, [x]; st.global.u32 [y], a;"
    found = compare(body, "mov.u32 t, %ctaid.x;" + body)
    assert found.verdict is Verdict.DIFFERENT, found.reason
    assert found.replay
    assert found.replay.differences


def run_printed_lines(text: str, folder: Path) -> list[str]:
    """Run the commands of a report in a shell; return what they print."""
    program = folder / "ptxscope"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m ptxscope "$@"\n')
    program.chmod(0o755)
    lines = text.replace("\\\n", " ").splitlines()
    commands = [x[2:] for x in lines if x.startswith("$ ptxscope run")]
    root = Path(__file__).parents[3]
    return [
        subprocess.run(
            ["/bin/sh", "-c", x],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
            env={"PATH": f"{folder}:/usr/bin:/bin", "PYTHONPATH": str(root)},
        ).stdout
        for x in commands
    ]


COMMANDS = {
    "threads": (
        "mul.wide.u32 x, t, 4; add.s64 I, I, x; ld.global.s16 a, [I+2];",
        ("--where", "tid.x == 2"),
    ),
    "alias": ("ld.global.u32 a, [I]; st.global.u32 [O], 7;", ("--may-alias",)),
}


@ci_only
@pytest.mark.parametrize("name", COMMANDS)
def test_a_printed_command_runs_as_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    body, options = COMMANDS[name]
    stores = (f"add.s32 a, a, {x}; st.global.s32 [O], a;" for x in (5, -6))
    for file, store in zip(("a.ptx", "b.ptx"), stores, strict=True):
        Path(file).write_text(make_kernel(f"{body} {store}"), "utf-8")
    done = run("prove", "a.ptx:k", "b.ptx:k", *options)
    assert done.returncode == 1, done
    assert (":s16:" in done.stdout) == (name == "threads")
    words = re.findall(r"^  [AB]       \w+\[\d+\] = 0x(\w+)", done.stdout, re.M)
    outputs = run_printed_lines(done.stdout, tmp_path)
    assert len(outputs) == 2
    for word, output in zip(words[:2], outputs, strict=True):
        assert {int(word, 16), int(word, 16) - (1 << 32)} & {
            int(x) for x in re.findall(r"-?\b\d+\b", output)
        }


SOURCE = """\
__global__ void f(const int* in, short* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[i] / 2;
}
"""


@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not there")
@ci_only
def test_signed_elements_of_a_source_are_signed_in_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ptxscope.features.machine")  # which runs nvcc
    monkeypatch.chdir(tmp_path)
    Path("a.cu").write_text(SOURCE, "utf-8")
    Path("b.cu").write_text(SOURCE.replace("/ 2", ">> 1"), "utf-8")
    done = run("prove", "a.cu:f", "b.cu:f")
    assert done.returncode == 1
    assert "$ ptxscope run a.cu --kernel f 'in=[-1]:s32' out=zeros:s16:1 n=1" in done.stdout
