"""``ptxscope challenge`` as a process: answers on standard input, a tally that is kept."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from ptxscope.cli.commands.challenge import ExerciseRun
from ptxscope.learn.exercises import Exercise, format_solution, iter_exercises
from ptxscope.learn.tally import Count, ExerciseKind, ExerciseOutcome, Tally
from ptxscope.state.state_store import StateStore
from tests.cli.running import Done
from tests.tiers import ci_only

SEED = "class"


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "XDG_STATE_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}


def ran(env: dict[str, str], *words: str, given: bytes = b"") -> Done:
    done = subprocess.run(
        [sys.executable, "-m", "ptxscope", "challenge", *words],
        env=env,
        input=given,
        capture_output=True,
        timeout=30,
    )
    assert b"Traceback" not in done.stderr
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def right(found: Exercise) -> str:
    """What to type."""
    said = format_solution(found)
    if found.kind is ExerciseKind.RESULT:
        return said.split()[2]
    if found.kind is ExerciseKind.MODIFIER:
        return said.partition(")")[0]
    return said.removeprefix("for example ")


def test_right_answers_end_with_0_and_wrong_ones_with_1(env: dict[str, str]) -> None:
    found = list(islice(iter_exercises(SEED, 2), 6))
    answers = [right(x) for x in found]
    done = ran(env, "--seed", SEED, "--level", "2", "-n6", given="\n".join(answers).encode())
    assert (done.returncode, done.stderr) == (0, "")
    assert "6 of 6 right." in done.stdout
    at = next(at for at, x in enumerate(found) if x.kind is ExerciseKind.MODIFIER)
    answers[at] = str(found[at].right_number % len(found[at].choices) + 1)
    again = ran(env, "--seed", SEED, "--level", "2", "-n6", given="\n".join(answers).encode())
    assert again.returncode == 1
    assert "5 of 6 right." in again.stdout
    assert "So far 11 of 12" in again.stdout
    assert f"  {format_solution(found[at])}\n" in again.stdout


def test_hints_skips_and_what_is_no_value(env: dict[str, str]) -> None:
    found = next(iter_exercises(SEED))
    given = f"?\n?\n{'x' * 100_000}\n\n".encode()
    done = ran(env, "--seed", SEED, "-n", "1", given=given)
    assert done.returncode == 0
    assert "Skipped." in done.stdout
    assert (
        " ".join(format_solution(found).split()) in " ".join(done.stdout.split()) or found.choices
    )
    assert "0 of 1 right, 1 skipped, 2 hints." in done.stdout
    assert "^" in done.stdout
    assert "allowed: " in done.stdout


@pytest.mark.parametrize("given", [b"", b"\xff\xfe\0\x1b]0;x\x07\n", b"?"])
def test_answers_that_end_early_end_it(env: dict[str, str], given: bytes) -> None:
    done = ran(env, "--seed", SEED, given=given)
    assert done.returncode == 0
    assert "Nothing was answered." in done.stdout
    assert "\x1b" not in done.stdout


@ci_only
def test_the_tally_is_told_and_written(env: dict[str, str], tmp_path: Path) -> None:
    opcode = next(iter_exercises(SEED)).opcode
    ran(env, "--seed", SEED, "-n", "1", given=b"\n")
    assert ran(env, "--tally").stdout.splitlines()[1].split()[0] == opcode
    assert ran(env, "--tally", "-").stdout.splitlines()[1].endswith(",0,0,1,0")
    for name in ("t.csv", "t.json"):
        assert ran(env, "--tally", str(tmp_path / name)).returncode == 0
    assert (tmp_path / "t.csv").read_text().endswith(",0,0,1,0\n")
    assert json.loads((tmp_path / "t.json").read_text())["rows"][0]["skipped"] == 1
    done = ran(env, "--tally", str(tmp_path / "no" / "t.csv"))
    assert done.returncode == 2
    assert "No such file" in done.stderr


def test_a_damaged_tally_is_told_and_in_nobodys_way(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "ptxscope").mkdir()
    (tmp_path / "ptxscope" / "tally.json").write_text("{")
    done = ran(env, "--seed", SEED, "-n1", given=b"\n")
    assert done.returncode == 0
    assert "tally.damaged" in done.stderr
    assert ran(env, "--tally").stderr == ""


def test_two_runs_at_once_both_count(tmp_path: Path) -> None:
    exercise = next(iter_exercises(SEED))
    store = StateStore(tmp_path, tmp_path)
    first, second = (ExerciseRun(store, Tally(), Count(), 1) for _ in range(2))
    first.with_(exercise, ExerciseOutcome.RIGHT, 0)
    second.with_(exercise, ExerciseOutcome.WRONG, 1)
    assert store.load_tally().total == Count(right=1, wrong=1, hints=1)


def test_a_tally_that_cannot_be_kept_is_told_once(env: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "ptxscope").write_text("in the way")
    done = ran(env, "--seed", SEED, "-n3", given=b"\n\n\n")
    assert done.returncode == 0
    assert done.stderr.count("can't be saved") == 1
    assert "0 of 3 right" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--family", "vfoo"], "vfoo"),
        (["--level", "4"], "4"),
        (["-n", "0"], "from 1 to"),
        (["-n", "-3"], "from 1 to"),
        (["-n", "²"], "from 1 to"),
        (["extra"], "extra"),
    ],
)
def test_a_wrong_request_is_2(env: dict[str, str], words: list[str], said: str) -> None:
    from tests.cli.running import run

    done = run("challenge", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_terminal_that_interrupts_gets_the_tally(env: dict[str, str]) -> None:
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(
            sys.executable,
            [sys.executable, "-m", "ptxscope", "challenge", "--seed", SEED],
            env,
        )
    told, answered, end = b"", False, time.monotonic() + 30
    try:
        while time.monotonic() < end:
            if not select.select([fd], [], [], 0.1)[0]:
                continue
            try:
                some = os.read(fd, 4096)
            except OSError:
                break
            if not some:
                break
            told += some
            if not answered and told.endswith((b" = ", b": ")):
                os.write(fd, b"\n")
                answered = True
            elif answered and b"2/10" in told and told.endswith((b" = ", b": ")):
                os.kill(pid, signal.SIGINT)
    finally:
        os.close(fd)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    assert b"0 of 1 right, 1 skipped." in told
    assert b"Traceback" not in told


def test_the_readme_shows_what_is_printed(env: dict[str, str]) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("$ ptxscope challenge ")[2].partition("```")[0]
    words, _, told = shown.partition("\n")
    given = "".join(f"{line[4:]}\n" for line in told.splitlines() if line.startswith("d = "))
    assert ran(env, *words.split(), given=given.encode()).stdout.startswith(told)
