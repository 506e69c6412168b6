"""Every way a stream can fail ends in a message and a documented status, whatever the command."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO
from xml.etree import ElementTree as ET

import pytest

from ptxscope.cli import main
from ptxscope.cli.support.arguments import map_commands
from tests.driving import command_lines
from tests.driving.command_line import run_in_terminal
from tests.driving.command_lines import LINE
from tests.driving.feature_tables import extend_table
from tests.tiers import ci_only, sampled, some

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX")

COMMAND_LINES = extend_table(command_lines.COMMAND_LINES, "command_lines", "COMMAND_LINES")
INPUTS = extend_table(command_lines.INPUTS, "command_lines", "INPUTS")
FILES = extend_table(command_lines.FILES, "command_lines", "FILES")


def test_every_command_is_tried() -> None:
    assert {words[0] for words in COMMAND_LINES.values()} >= {*map_commands()} - {"open"}


Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command of the table; ``redirected`` is what a shell would be told."""

    def ran(
        name: str | tuple[str, ...],
        redirected: str = "",
        *,
        stdout: int | IO[bytes] = subprocess.PIPE,
        given: bytes | None = None,
        **env: str,
    ) -> subprocess.CompletedProcess[bytes]:
        for file, text in FILES.items():
            (tmp_path / file).write_text(text)
        words = COMMAND_LINES[name] if isinstance(name, str) else name
        path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "ptxscope", *words],
            input=INPUTS.get(str(name), b"") if given is None else given,
            stdout=stdout,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": path,
                "XDG_STATE_HOME": str(tmp_path),
                "XDG_CONFIG_HOME": str(tmp_path),
                **env,
            },
        )
        assert b"Traceback" not in done.stderr
        assert b"Exception" not in done.stderr
        return done

    return ran


@pytest.mark.parametrize("name", ["--help", "show"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_reported(name: str, run: Run) -> None:
    done = run(name, ">/dev/full")
    assert done.returncode == 2
    assert done.stderr == b"error: the output can't be written: No space left on device\n"


def test_a_reader_that_closes_the_pipe_ends_the_command(run: Run) -> None:
    block = f"{{ {'add.u32 d, d, a;' * 64} }}"
    done = run(("trace", block, "a=1", "d=2", "-f", "html"), "| head -n 1")
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr) == (0, 1, b"")  # head's status
    reader, writer = os.pipe()
    os.close(reader)
    done = run("show", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_lost_terminal_is_reported(run: Run) -> None:
    master, slave = pty.openpty()
    os.close(master)
    try:
        done = run("show", stdout=slave)
    finally:
        os.close(slave)
    assert done.returncode == 2
    assert done.stderr == b"error: the output can't be written: Input/output error\n"


@sampled
@pytest.mark.parametrize("redirected", ["2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_not_an_error(redirected: str, run: Run) -> None:
    done = run("show", redirected)
    assert (done.returncode, done.stderr) == (0, b"")
    assert bool(done.stdout) == (">&- 2" not in redirected)


FOLDER = "/empty"


@pytest.mark.parametrize("path", [FOLDER, "/no/such/file", "/proc/self/mem", "a\udcff", "x" * 300])
@pytest.mark.parametrize("name", INPUTS)
def test_an_unreadable_file_has_a_one_line_error(
    name: str, path: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if path.startswith("/proc") and not Path(path).exists():
        pytest.skip("no /proc here")
    path = str(tmp_path) if path == FOLDER else path
    assert main([path if word == "-" else word for word in COMMAND_LINES[name]]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {path[:1]}")
    assert said.count("\n") == 1


def test_a_fifo_is_read_only_once(tmp_path: Path, run: Run) -> None:
    # as of `explain --observations <(…)`: opening it again would find it empty
    os.mkfifo(tmp_path / "fifo")
    command = ["sh", "-c", "printf 'a,b,got\\n1,2,3\\n' > fifo"]
    writer = subprocess.Popen(command, cwd=tmp_path)
    done = run(("explain", LINE, "--observations", "fifo"))
    writer.wait(30)
    assert done.returncode == 0
    assert done.stdout


@sampled
@pytest.mark.parametrize("redirected", ["", "<&-", ">&-", "2>&-", "</dev/null >/dev/null"])
def test_the_explorer_needs_a_terminal(redirected: str, run: Run) -> None:
    done = run((), redirected)
    assert done.returncode == 2
    assert b"needs a terminal" in done.stderr or redirected == "2>&-"


def test_the_explorer_is_not_drawn_into_a_file(tmp_path: Path) -> None:
    # Textual draws on standard error: there it would be in the file, and the terminal silent
    master, slave = pty.openpty()
    with (tmp_path / "log").open("wb") as log:
        command = [sys.executable, "-m", "ptxscope"]
        done = subprocess.run(
            command, stdin=slave, stdout=slave, stderr=log, check=False, timeout=60
        )
    os.close(master)
    os.close(slave)
    assert done.returncode == 2
    assert "needs a terminal" in (tmp_path / "log").read_text()


# --- encodings ---------------------------------------------------------------------------

NARROW = [
    {"PYTHONIOENCODING": "cp1252"},
    {"PYTHONIOENCODING": "ascii:strict"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
]


@sampled
@pytest.mark.parametrize(
    ("format_", "env"),
    [("svg", NARROW[0]), ("svg", NARROW[2]), ("text", NARROW[0]), ("html", NARROW[1])],
)
def test_redirected_output_is_utf_8(
    format_: str, env: dict[str, str], tmp_path: Path, run: Run
) -> None:
    words = (*COMMAND_LINES["trace"], "-f", format_, "--title", "≤ 漢字", "--note", "1=ä")
    printed = run(words, **env).stdout
    assert run((*words, "-o", "FILE"), **env).stdout == b""
    assert printed == (tmp_path / "FILE").read_bytes()
    text = printed.decode()
    assert "漢字" in text or "LC_ALL" in env  # there, arguments are no text
    if format_ == "svg":
        ET.fromstring(printed)


@ci_only
def test_a_terminal_gets_its_own_encoding() -> None:
    wrong = (*COMMAND_LINES["eval"], "--model", "nöpe漢")
    traced = (*COMMAND_LINES["trace"], "--title", "é漢")
    for words, status, wanted in ((traced, 0, b"\xe9?"), (wrong, 2, b"n\xf6pe?")):
        found_status, shown = run_in_terminal(*words, PYTHONIOENCODING="latin-1")
        assert found_status == status
        assert wanted in shown


@ci_only
def test_only_a_terminal_changes_the_text_of_an_author(tmp_path: Path, run: Run) -> None:
    title = "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 no\u00a0break a\u00adb \u200dz"
    for format_ in ("text", "markdown", "json"):
        file = tmp_path / format_
        words = (*COMMAND_LINES["trace"], "--title", title, "-f", format_)
        piped = run(words).stdout.decode()
        run((*words, "-o", str(file)))
        assert file.read_bytes().decode() == piped
        assert title in piped.replace("\\", "")
        status, shown = run_in_terminal(*words)
        assert status == 0
        told = shown.decode().replace("\r\n", "\n")
        assert all(char.isprintable() for char in told.replace("\n", ""))
        assert not set(title) - set("nobreakabz ") & set(told)


# --- invalid text ------------------------------------------------------------------------


@pytest.mark.parametrize("format_", some(["text", "markdown", "html", "svg", "json", "rst"], 0, 3))
def test_arguments_with_invalid_characters_are_survived(
    format_: str, tmp_path: Path, run: Run
) -> None:
    hostile = "a\udcff\ud800b\x1b[31m"
    extra = ("--title", hostile, "--caption", hostile, "--note", f"1={hostile}")
    words = tuple(os.fsdecode(os.fsencode(x.replace("\ud800", ""))) for x in extra)
    done = run((*COMMAND_LINES["trace"], *words, "-f", format_))
    assert (done.returncode, done.stderr) == (0, b"")
    done.stdout.decode()
    assert b"\x1b" not in done.stdout
    done = run((*COMMAND_LINES["trace"], *words, "-f", format_, "-o", "x\udcff"))
    assert done.returncode == 0
    (tmp_path / "x\udcff").read_bytes().decode()


# --- within a program --------------------------------------------------------------------


@sampled
@pytest.mark.parametrize("name", COMMAND_LINES)
def test_a_second_call_of_a_command_has_the_same_output(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    said = []
    for _ in range(2):
        for file, text in FILES.items():
            Path(file).write_text(text)
        given = io.TextIOWrapper(io.BytesIO(INPUTS.get(name, b"")))
        monkeypatch.setattr(sys, "stdin", given)
        assert main(COMMAND_LINES[name]) == 0
        assert not given.closed
        out, err = capsys.readouterr()
        said.append((re.sub(r"in \d+ ms", "in some time", out), err))
    assert said[0] == said[1]
    assert said[0][0]
