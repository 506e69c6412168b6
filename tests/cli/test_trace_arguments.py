"""What ``ptxscope trace`` is given that it would else take for something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run

TRACE = ("trace", "vadd4.s32.s32.s32.sat d, a, b, c", "a=1", "b=2", "c=3")


@pytest.mark.parametrize("format_", ["svg", "png", "pdf"])
@pytest.mark.parametrize("name", ["ff.pdf", "ff.png"])
def test_frames_make_no_folder_that_is_called_as_a_file(
    tmp_path: Path, name: str, format_: str
) -> None:
    where = tmp_path / name
    done = run(*TRACE, "--frames", str(where), "-f", format_)
    if name == "ff.pdf" and format_ == "pdf":
        assert done.returncode == 0
        assert where.read_bytes().startswith(b"%PDF")
        return
    assert done.returncode == 2
    assert "folder" in done.stderr
    assert not where.exists()


def test_a_file_where_frames_would_go(tmp_path: Path) -> None:
    where = tmp_path / "frames"
    where.write_text("mine")
    done = run(*TRACE, "--frames", str(where), "-f", "svg")
    assert done.returncode == 2
    assert "frames is a file; frames need a folder" in done.stderr
    assert where.read_text() == "mine"


@pytest.mark.parametrize("option", ["--steps", "--until"])
@pytest.mark.parametrize("value", ["", " "])
def test_no_steps_are_not_all(option: str, value: str) -> None:
    done = run(*TRACE, f"{option}={value}")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{option} is empty" in done.stderr


@pytest.mark.parametrize("command", ["trace", "eval"])
def test_the_destination_is_no_operand(command: str) -> None:
    done = run(command, *TRACE[1:], "d=5")
    assert (done.returncode, done.stdout) == (2, "")
    assert "`d` is the destination" in done.stderr


def test_a_destination_that_is_read_has_a_value() -> None:
    assert run("eval", "vadd4.s32.s32.s32 d, d, b, c", "d=5", "b=1", "c=0").returncode == 0
    guarded = ("eval", "@p vadd4.s32.s32.s32 d, a, b, c", "p=0", "a=1", "b=1", "c=0", "d=5")
    assert "0x00000005" in run(*guarded).stdout


@pytest.mark.parametrize(
    ("name", "format_", "warned"),
    [("q.png", "svg", True), ("q.svg", "text", True), ("q.svg", "svg", False),
     ("q.txt", "markdown", False), ("q", "svg", False), ("q.txt", "svg", True)],
)  # fmt: skip
def test_a_name_of_another_format_is_told(
    tmp_path: Path, name: str, format_: str, *, warned: bool
) -> None:
    done = run(*TRACE, "-f", format_, "-o", str(tmp_path / name))
    assert done.returncode == 0
    assert ("has the suffix of" in done.stderr) is warned
    assert bool(done.stderr) is warned
