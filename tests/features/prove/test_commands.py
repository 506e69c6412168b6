"""``vectors``, the operands to observe next, and what runs without the solver of ``prove``."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ptxscope.features.prove import solver
from tests.driving.command_line import list_loaded_modules, run

pytest.importorskip("bitwuzla")

AVERAGE = "vavrg4.u32.u32.u32 d, a, b, c"
PLAIN = "{{ .reg .b32 x, y; {0}.b32 x, a, b; xor.b32 y, a, b; and.b32 y, y, 0xfefefefe; " \
    "shr.u32 y, y, 1; {1}.u32 d, x, y; }}"  # fmt: skip
SHOWING_E3 = "vadd.u32.s32.s32.sat d.b0, a, b, c"


@pytest.fixture
def without_solver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    solver.load_bitwuzla.cache_clear()
    monkeypatch.setitem(sys.modules, "bitwuzla", None)
    yield
    solver.load_bitwuzla.cache_clear()


AMBIGUOUS = ("vmin4.s32.s32.s32 d, a, b, c", "a=0x80", "b=1", "--got", "1")


@pytest.mark.usefixtures("without_solver")
@pytest.mark.parametrize(
    "words",
    [
        ("prove", AVERAGE, PLAIN.format("or", "sub")),
        ("find", AVERAGE, "--where", "d == 1"),
        ("vectors", AVERAGE, "--cover"),
        ("find", "--next", *AMBIGUOUS),
    ],
)
def test_the_error_without_the_solver_says_how_to_install_it(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert done.stderr == (
        "error: proofs need bitwuzla, which is not installed: in a clone of ptxscope, run "
        "pipx install --force '.[prove]'\n"
    )


@pytest.mark.usefixtures("without_solver")
def test_vectors_and_explain_run_without_the_solver() -> None:
    assert run("vectors", AVERAGE, "-n", "2").returncode == 0
    done = run("explain", *AMBIGUOUS, "--all")
    brief = run("explain", *AMBIGUOUS, "--all", "--brief")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(brief.stdout)
    advice = "`ptxscope find --next` tells them apart; it needs the extra prove."
    assert done.stdout.endswith(f"\n\n{advice}\n")
    assert advice not in brief.stdout


def test_a_single_explanation_does_not_load_the_solver() -> None:
    words = ["explain", SHOWING_E3, "a=-1", "b=0", "c=0x11223344", "--got", "0x11223300"]
    assert not [x for x in list_loaded_modules(*words) if "features" in x or x == "bitwuzla"]
    assert "This is the documented result." in run(*words).stdout


def test_expressions_of_intrinsics_are_proved() -> None:
    proof = run("prove", "__vadd4(c, __vavgu4(b, a))", "d = __vadd4(__vavgu4(a, b), c);")
    assert "Equal for all" in proof.stdout


# --- vectors -----------------------------------------------------------------------------


def test_vectors_as_csv() -> None:
    done = run("vectors", SHOWING_E3, "-n", "50")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len(rows) == len({(x["a"], x["b"], x["c"]) for x in rows}) == 50
    for row in rows:
        a, b = (int(row[x], 16) - (int(row[x], 16) >> 31 << 32) for x in "ab")
        kept = int(row["c"], 16) & 0xFFFFFF00
        assert int(row["d:isa"], 16) == kept | min(max(a + b, 0), 255)
        assert int(row["d:ptxas-13.5"], 16) == kept | (255 if a + b < 0 else min(a + b, 255))
    assert done.stdout == run("vectors", SHOWING_E3, "-n", "50").stdout


def test_vectors_that_cover() -> None:
    done = run("vectors", SHOWING_E3, "--cover", "-f", "json")
    document = json.loads(done.stdout)
    assert [x["covers"] for x in document["vectors"]] == [
        ["clamped_low(saturate.t)", "E3"],
        ["clamped_high(saturate.t)"],
    ]
    assert document["fewest"] is True
    assert "2 sets, the fewest possible, for 3 goals" in done.stderr
    for goal in ("clamped_low(saturate.t)", "clamped_high(saturate.t)"):
        assert run("find", SHOWING_E3, "--where", goal).returncode == 0
    for goal in document["impossible"]:
        assert run("find", SHOWING_E3, "--where", goal).returncode == 1


def test_vectors_as_arrays(tmp_path: Path) -> None:
    file = tmp_path / "v.npz"
    assert run("vectors", "setp.lt.s32 p|q, a, b", "-n", "20", "-o", str(file)).returncode == 0
    with np.load(file) as arrays:
        assert sorted(arrays) == ["a", "b", "p:isa", "q:isa"]
        below = arrays["a"].view(np.int32) < arrays["b"].view(np.int32)
        assert (arrays["p:isa"] == below).all()
        assert (arrays["q:isa"] == ~below).all()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc here")
def test_vectors_in_c(tmp_path: Path) -> None:
    file, program = tmp_path / "vectors.h", tmp_path / "program"
    run("vectors", "shf.l.wrap.b32 %r0, %1, int, %c", "-n", "20", "-o", str(file), "-f", "c")
    source = '#include "vectors.h"\nint main(void) { int bad = 0;\n' \
        "for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++) {\n" \
        "uint64_t both = (uint64_t)vectors[i].int_ << 32 | vectors[i].r1;\n" \
        "bad += (uint32_t)(both << (vectors[i].c & 31) >> 32) != vectors[i].r0_isa; }\n" \
        "return bad; }\n"  # fmt: skip
    (tmp_path / "main.c").write_text(source)
    command = ["gcc", "-Wall", "-Wextra", "-Werror", "-o", str(program), str(tmp_path / "main.c")]
    subprocess.run(command, check=True)
    assert subprocess.run([program], check=False).returncode == 0


# --- the question that decides -------------------------------------------------------------


def test_operands_to_observe_next() -> None:
    done = run("find", "--next", *AMBIGUOUS)
    assert run("explain", *AMBIGUOUS).stdout.endswith(f"\n\n{done.stdout}")
    assert "To decide" not in run("explain", *AMBIGUOUS, "--brief").stdout
    start, _, question = done.stdout.partition("To decide, observe ")
    assert (done.returncode, start) == (0, "")
    operands = dict(re.findall(r"([ab])=(0x[0-9a-f]{8})", question.partition(":")[0]))
    a, b = (int(operands[name], 16).to_bytes(4, "little") for name in "ab")

    def signed(x: int) -> int:
        return x - 2 * (x & 128)

    unsigned = bytes(map(min, zip(a, b, strict=True)))
    largest = bytes(max(pair, key=signed) for pair in zip(a, b, strict=True))
    for value, cause in ((unsigned, "every type `.u32`"), (largest, "`vmax4` rather than")):
        shown = f"  {int.from_bytes(value, 'little'):#010x}  with "
        assert cause in question.partition(shown)[2].partition("\n")[0]
    same = "with every type `.u32`, and with both inputs `.u32`: proved to be the same instruction."
    assert same in " ".join(question.split())
    results = re.findall(r"^  (0x[0-9a-f]{8})  ", question, re.MULTILINE)
    assert len(results) == len(set(results)) > 3


def test_operands_to_observe_next_of_many_explanations() -> None:
    words = ("vadd4.s32.s32.s32 d, a, b, c", "a=0x7f", "b=1", "c=0", "--got", "0x7f")
    question = run("find", "--next", *words).stdout
    assert "with `.sat`" in question or "with `.sat`" in run("explain", *words, "--brief").stdout
    assert "with `vmax4` rather than `vadd4`" in question
