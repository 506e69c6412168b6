"""A terminal on standard error that shows the progress of commands."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO

import pytest

from ptxscope.cli import main
from ptxscope.cli.support import streams

pty = pytest.importorskip("pty")
WIPE = "\x1b[2K"
Seen = Callable[[], str]
Screen = Callable[[], Seen]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    """Makes standard error a terminal, and returns what reads the text written to it since."""
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(streams, "DELAY_SECONDS", 0.0)
    monkeypatch.setattr(streams, "INTERVAL_SECONDS", 0.0)

    def seen() -> str:
        data = b""
        with suppress(BlockingIOError):
            while part := os.read(master, 1 << 16):
                data += part
        return data.decode()

    with open(slave, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a descriptor

        def plugged() -> Seen:  # not before the test is called: pytest captures by then
            monkeypatch.setattr(sys, "stderr", stream)
            return seen

        yield plugged
    os.close(master)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def check_progress(
    words: list[str],
    wanted: set[str],
    terminal: Screen,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Check that a command shows activities, and prints the same without a terminal."""
    seen = terminal()
    assert main(words) == 0
    shown = seen()
    assert shown.endswith(WIPE)
    told = set(re.findall(r"([a-z]+) ━\S+ +(\d+%)", plain(shown)))
    assert {activity for activity, _ in told} == wanted
    assert len(told) >= 2 * len(wanted)
    with_it = capsys.readouterr().out
    monkeypatch.setattr(sys, "stderr", StringIO())
    assert main(words) == 0
    assert capsys.readouterr().out == with_it
