"""How far a command is: on a terminal, meanwhile; nowhere else, and nothing of it stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from ptxscope.cli import main
from ptxscope.cli.support import array_files, progress_bar
from ptxscope.cli.support.progress_bar import ProgressBar

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")
LINE = "vadd4.u32.u32.u32.sat d, a, b, c"
WIPED = "\r\x1b[2K"
Seen = Callable[[], list[str]]
Screen = Callable[[], Seen]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """Makes standard error a terminal; that tells what stood in its line, one after another."""
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(progress_bar, "AFTER", 0.0)
    monkeypatch.setattr(progress_bar, "_EVERY", 0.0)

    def seen() -> list[str]:
        data = b""
        with suppress(BlockingIOError):
            while part := os.read(master, 1 << 16):
                data += part
        text = data.decode()
        assert "\n" not in text or sys.stdout is sys.stderr
        assert "\x1b[?25l" not in text  # the cursor stays
        nothing, *lines = text.split(WIPED)
        assert nothing == ""
        return lines

    with open(slave, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a descriptor

        def plugged() -> Seen:  # not before the test is called: pytest captures by then
            monkeypatch.setattr(sys, "stderr", stream)
            return seen

        yield plugged
    os.close(master)


def plain(line: str) -> str:
    return "".join(part.partition("m")[2] for part in f"m{line}".split("\x1b["))


def test_it_stands_there_and_goes(terminal: Screen) -> None:
    seen = terminal()
    with ProgressBar() as bar:
        bar.begin("counting", 40, "sheep")
        bar.advance_to(10)
        (_, line) = seen()
        assert [*plain(line).split()[:1], *plain(line).split()[2:6]] == [
            *("counting", "25%", "of", "40", "sheep")
        ]
        assert line.endswith("left")
        bar.begin("sleeping", None, "dreams")
        bar.advance_to(1234)
        assert plain(seen()[-1]).startswith("sleeping 1,234 dreams 0:00:0")
        bar.begin("reading", 1000)
        bar.advance_to(500)
        assert "0.5/1.0 kB" in plain(seen()[-1])
    assert seen() == [""]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, BrokenPipeError, ValueError])
def test_it_goes_where_something_fails(failure: type[BaseException], terminal: Screen) -> None:
    seen = terminal()
    bar = ProgressBar()
    bar.begin("counting", 40, "sheep")
    with pytest.raises(failure), bar:
        raise failure
    assert seen()[-1] == ""


def test_it_is_not_shown_before_its_time(terminal: Screen) -> None:
    seen = terminal()
    with ProgressBar(after=1e9) as bar:
        bar.begin("counting", 40, "sheep")
        assert list(bar.track(range(40))) == list(range(40))
    assert seen() == []
    with ProgressBar(after=1e9) as bar:
        bar.begin("counting", 40, "sheep", is_slow=True)
    assert [plain(line)[:8] for line in seen()] == ["counting", ""]


def test_what_is_no_terminal_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressBar(after=0) as bar:
        bar.begin("counting", 40, "sheep", is_slow=True)
        bar.advance_to(10)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("value", ["dumb", "unknown"])
def test_a_terminal_that_can_go_nowhere(
    value: str, terminal: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = terminal()
    monkeypatch.setenv("TERM", value)
    with ProgressBar() as bar:
        bar.begin("counting", 40, "sheep")
        bar.advance_to(10)
    assert seen() == []


def test_no_color(terminal: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = terminal()
    for wanted in (True, False):
        with ProgressBar() as bar:
            bar.begin("counting", 40, "sheep")
        line, _ = seen()
        assert ("\x1b[38" in line or "\x1b[3" in line) is wanted
        monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize("columns", [1, 10, 40, 79, 80, 200])
def test_a_ctrl_c_that_is_echoed_stands_in_the_same_line(
    columns: int, terminal: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = terminal()
    monkeypatch.setenv("COLUMNS", str(columns))
    with ProgressBar() as bar:
        for total, unit in product((None, 10**12), ("bytes", "results")):
            bar.begin("evaluating", total, unit)
            bar.advance_to(123_456_789)
    assert max(len(plain(line)) for line in seen()) <= max(columns - 3, 1)


def test_where_lines_are_printed_on_the_same_terminal(
    terminal: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = terminal()
    monkeypatch.setattr(sys, "stdout", sys.stderr)
    with ProgressBar() as bar:
        bar.begin("counting", 40, "sheep")
        bar.begin_printing()
        bar.advance_to(10)
        bar.begin("sleeping", is_slow=True)
    assert [plain(line)[:8] for line in seen()] == ["counting", ""]


def test_a_pager_has_the_terminal_for_itself(terminal: Screen) -> None:
    seen = terminal()
    how = termios.tcgetattr(sys.stderr)
    with ProgressBar() as bar:
        bar.begin("counting", 40, "sheep")
        assert len(seen()) == 1
        raw = [*how[:3], how[3] & ~termios.ICANON, *how[4:]]
        termios.tcsetattr(sys.stderr, termios.TCSANOW, raw)
        bar.advance_to(10)
        bar.hide()
        assert seen() == []
        termios.tcsetattr(sys.stderr, termios.TCSANOW, how)
        bar.advance_to(20)
        assert "50%" in plain(seen()[-1])


def test_a_terminal_that_is_gone_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    monkeypatch.setattr(progress_bar, "_is_ours", lambda: True)
    with suppress(OSError), os.fdopen(slave, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with ProgressBar(after=0) as bar:
            bar.begin("counting", 40, "sheep")
            os.close(master)
            bar.begin("counting", 40, "sheep")
            bar.advance_to(10)
        done = True
    assert done


CHILD = """
import sys
from ptxscope.cli.support.progress_bar import ProgressBar
assert "rich" not in sys.modules  # a short command needs none of it
with ProgressBar(after=0) as bar:
    for line in sys.stdin:
        bar.begin(line.strip(), 40, "sheep", is_slow=True)
"""


def test_ctrl_z_takes_it_away_and_it_comes_again() -> None:
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdin=subprocess.PIPE,
        stderr=slave,
        bufsize=0,
        process_group=0,
        env={**os.environ, "TERM": "xterm", "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    os.close(slave)
    assert child.stdin
    child.stdin.write(b"counting\n")
    assert b"counting" in os.read(master, 1 << 16)
    os.kill(child.pid, signal.SIGTSTP)
    assert os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1])
    assert os.read(master, 1 << 16) == WIPED.encode()
    os.kill(child.pid, signal.SIGCONT)
    child.stdin.write(b"sleeping\n")
    assert b"sleeping" in os.read(master, 1 << 16)
    child.stdin.close()
    assert child.wait(60) == 0
    assert os.read(master, 1 << 16) == WIPED.encode()
    os.close(master)


def csv(folder: Path) -> list[str]:
    rows = "".join(f"{x:#x},{x * 3:#x},7\n" for x in range(20_000))
    (folder / "x.csv").write_text(f"a,b,c\n{rows}")
    return ["eval", LINE, "--csv", str(folder / "x.csv")]


def arrays(folder: Path) -> list[str]:
    given = np.arange(5_000, dtype=np.uint32)
    np.savez(folder / "x.npz", a=given, b=given)
    return ["eval", LINE, "c=0", "--arrays", str(folder / "x.npz"), "-o", str(folder / "d.npy")]


def listing(folder: Path) -> list[str]:
    (folder / "x.ptx").write_text("vadd.u32.u32.u32 %r1, %r1, %r2;\n" * 9)
    return ["run", str(folder / "x.ptx"), "%r1=1", "%r2=2"]


def kernels(folder: Path) -> list[str]:
    names = ["1.ptx", "2.ptx", "3.cu"]
    for name in names:
        (folder / name).write_text("vadd.u32.u32.u32.sat %r1, %r1, %r2;\nadd.u32;\n" * 3)
    return ["check", *(str(folder / name) for name in names)]


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        (csv, {"evaluating"}),
        (arrays, {"reading", "evaluating", "writing"}),
        (kernels, {"checking"}),
        (listing, {"loading", "running", "telling"}),
    ],
)
def test_commands_tell_how_far_they_are(
    request_: Callable[[Path], list[str]],
    wanted: set[str],
    terminal: Screen,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = terminal()
    words = request_(tmp_path)
    monkeypatch.setattr(array_files, "_PIECE", 1000)
    assert main(words) == 0
    *lines, last = seen()
    assert last == ""
    told = {plain(line).partition("%")[0] for line in lines if "%" in line}
    assert {words.split()[0] for words in told} == wanted
    assert len(told) >= 2 * len(wanted)
    with_it = capsys.readouterr().out
    monkeypatch.setattr(sys, "stderr", StringIO())
    assert main(words) == 0
    assert capsys.readouterr().out == with_it


def test_what_check_prints_meanwhile_on_the_same_terminal_is_what_it_prints_else(
    terminal: Screen,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = kernels(tmp_path)
    assert main(words) == 0
    printed = capsys.readouterr().out
    seen = terminal()
    monkeypatch.setattr(sys, "stdout", sys.stderr)
    assert main(words) == 0
    parts = seen()
    assert sum(part.startswith("checking") for part in parts) > 3
    rest = "".join(part for part in parts if not part.startswith("checking"))
    assert rest.replace("\r\n", "\n") == printed
