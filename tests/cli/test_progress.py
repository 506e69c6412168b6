"""How far a command is: on a terminal, meanwhile; nowhere else, and nothing of it stays."""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest

from ptxscope.cli.support import streams
from ptxscope.cli.support.streams import ProgressBar
from tests.driving.progress import WIPE, Screen, check_progress, plain, terminal

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")
__all__ = ["terminal"]


def test_the_progress_bar_is_shown_and_erased(terminal: Screen) -> None:
    seen, threads = terminal(), threading.active_count()
    with ProgressBar() as bar:
        bar.begin("counting", 40, "sheep")
        bar.advance_to(10)
        assert re.search(r"counting ━\S+ +25% 10/40 sheep -:--:--$", plain(seen()))
        bar.begin("reading", 1000)
        bar.advance_to(500)
        assert "0.5/1.0 kB" in plain(seen())
        assert threading.active_count() <= threads  # another test's may end
    end = seen()
    assert end.endswith(WIPE)
    assert end.rfind("\x1b[?25h") > end.rfind("\x1b[?25l")  # the cursor is visible


@pytest.mark.parametrize("failure", [KeyboardInterrupt, BrokenPipeError, ValueError])
def test_the_progress_bar_is_erased_after_a_failure(
    failure: type[BaseException], terminal: Screen
) -> None:
    seen = terminal()
    bar = ProgressBar()
    bar.begin("counting", 40, "sheep")
    with pytest.raises(failure), bar:
        raise failure
    assert seen().endswith(WIPE)


def test_the_progress_bar_waits_for_its_delay(
    terminal: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = terminal()
    monkeypatch.setattr(streams, "DELAY_SECONDS", 1e9)
    with ProgressBar() as bar:
        bar.begin("counting", 40, "sheep")
        assert list(bar.track(range(40))) == list(range(40))
        assert seen() == ""
        bar.begin("counting", 40, "sheep", is_slow=True)
        assert "counting" in seen()


def test_the_progress_bar_writes_only_to_a_terminal(
    terminal: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = terminal()
    monkeypatch.setenv("TERM", "dumb")
    stream = StringIO()
    for use in (sys.stderr, stream):
        monkeypatch.setattr(sys, "stderr", use)
        with ProgressBar() as bar:
            bar.begin("counting", 40, "sheep", is_slow=True)
            bar.advance_to(10)
    assert plain(seen()) == stream.getvalue() == ""


def test_the_progress_bar_is_hidden_if_output_uses_the_same_terminal(
    terminal: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = terminal()
    monkeypatch.setattr(sys, "stdout", sys.stderr)
    with ProgressBar() as bar:
        bar.begin("counting", 40, "sheep")
        bar.begin_printing()
        assert seen().endswith(WIPE)
        bar.advance_to(10)
        bar.begin("sleeping", is_slow=True)
    assert seen() == ""


def test_a_pager_has_the_terminal_for_itself(terminal: Screen) -> None:
    seen = terminal()
    how = termios.tcgetattr(sys.stderr)
    with ProgressBar() as bar:
        bar.begin("counting", 40, "sheep")
        assert "counting" in seen()
        raw = [*how[:3], how[3] & ~termios.ICANON, *how[4:]]
        termios.tcsetattr(sys.stderr, termios.TCSANOW, raw)
        bar.advance_to(10)
        bar.hide()
        assert seen() == ""
        termios.tcsetattr(sys.stderr, termios.TCSANOW, how)
        bar.advance_to(20)
        assert "50%" in plain(seen())


def test_a_lost_terminal_does_not_stop_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    monkeypatch.setattr(streams, "owns_terminal", lambda: True)
    monkeypatch.setattr(streams, "DELAY_SECONDS", 0.0)
    with suppress(OSError), os.fdopen(slave, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with ProgressBar() as bar:
            bar.begin("counting", 40, "sheep")
            os.close(master)
            bar.begin("counting", 40, "sheep")
            bar.advance_to(10)
        done = True
    assert done


def listing(folder: Path) -> list[str]:
    (folder / "x.ptx").write_text("vadd.u32.u32.u32 %r1, %r1, %r2;\n" * 9)
    return ["run", str(folder / "x.ptx"), "%r1=1", "%r2=2"]


def test_a_slow_run_shows_its_progress(
    terminal: Screen,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = {"loading", "running", "printing"}
    check_progress(listing(tmp_path), wanted, terminal, capsys, monkeypatch)
