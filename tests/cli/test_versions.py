"""Assemblers that nobody measured: one that may come is said to be guessed, others are refused."""

import pytest

from tests.cli.running import run

LINE = ("vadd.s32.s32.s32.sat d, a, b, c", "a=1", "b=2", "c=3")


@pytest.mark.parametrize("command", ["trace", "eval"])
@pytest.mark.parametrize("version", ["99.1", "13.6", "14.0"])
def test_a_version_newer_than_any_known_is_said_to_be_guessed(command: str, version: str) -> None:
    done = run(command, *LINE, "--model", f"ptxas-{version}")
    assert done.returncode == 0
    (said,) = done.stderr.splitlines()
    assert f"ptxas-{version}" in said
    assert "13.5" in said


@pytest.mark.parametrize(
    ("version", "nearest"),
    [("11.9", ("ptxas-11.8", "ptxas-12.0")), ("12.77", ("ptxas-12.9", "ptxas-13.0"))],
)
def test_a_version_that_there_never_was_is_refused(version: str, nearest: tuple[str, str]) -> None:
    done = run("trace", *LINE, "--model", f"ptxas-{version}")
    assert (done.returncode, done.stdout) == (2, "")
    assert all(name in done.stderr for name in nearest)


@pytest.mark.parametrize("version", ["11.8", "12.0", "12.9", "13.0", "13.5"])
def test_of_what_is_known_nothing_is_said(version: str) -> None:
    assert run("trace", *LINE, "--model", f"ptxas-{version}").stderr == ""
