"""A real process on a pseudo-terminal of its own, its controlling terminal."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

PATIENCE = 40.0
"""Seconds after which what does not come is a failure."""
_TAKE = "import fcntl, termios\nfcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
_HEED = (
    "import signal\n"
    "for name in ('SIGHUP', 'SIGINT', 'SIGQUIT'):\n"
    "    number = getattr(signal, name)\n"
    "    if signal.getsignal(number) is signal.SIG_IGN:\n"
    "        signal.signal(number, signal.default_int_handler if name == 'SIGINT' else 0)\n"
)
"""Signals are not ignored, even where ``nohup`` or a shell's ``&`` runs the tests."""
_SIZES = ("TMUX", "COLUMNS", "LINES")
"""Variables of the developer's terminal, whose size they say; pytest-xdist sets the last two."""
_OPEN = "import sys\nfrom ptxscope.cli import main\nsys.exit(main({words!r}))\n"


def list_outer_variables() -> dict[str, str]:
    """The environment without the size of the developer's terminal."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_SIZES)}


class Explorer:
    """``ptxscope open``, run by a process that first runs some code."""

    def __init__(
        self,
        home: Path,
        before: str = "",
        size: tuple[int, int] = (80, 24),
        words: tuple[str, ...] | None = None,
        **env: str | None,
    ) -> None:
        self.state = home / "ptxscope" / "explorer.json"
        self.master, self._slave = pty.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self._cooked = termios.tcgetattr(self._slave)
        self.seen = b""
        names = {f"XDG_{kind}_HOME": str(home) for kind in ("STATE", "CONFIG", "DATA")}
        given = {
            **list_outer_variables(),
            **names,
            "HOME": str(home),
            "TERM": "xterm-256color",
            **env,
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE + _HEED + before + _OPEN.format(words=words or ("open",))],
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
            env={name: value for name, value in given.items() if value is not None},
            cwd=Path(__file__).parents[2],
            start_new_session=True,
        )

    def __enter__(self) -> Explorer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Let the terminal go away."""
        for descriptor in (self._slave, self.master):
            if descriptor >= 0:
                os.close(descriptor)
        self._slave = self.master = -1

    def read_saved(self, key: str) -> Any:
        """A part of the saved state."""
        return json.loads(self.state.read_text(encoding="utf-8"))[key]

    def is_cooked(self) -> bool:
        """Whether the terminal is in the mode it was in."""
        return termios.tcgetattr(self._slave) == self._cooked

    def type(self, data: bytes) -> None:
        os.write(self.master, data)

    def paste(self, data: bytes) -> None:
        """Write more than the terminal holds, and read what comes meanwhile."""
        os.set_blocking(self.master, False)
        while data:
            self.read(0.001)
            with suppress(BlockingIOError):
                data = data[os.write(self.master, data[:4096]) :]
        os.set_blocking(self.master, True)

    def read(self, seconds: float) -> bytes:
        """What is written within so many seconds."""
        if not select.select([self.master], [], [], seconds)[0]:
            return b""
        data = os.read(self.master, 1 << 16)
        self.seen += data
        return data

    def wait_for(self, text: bytes) -> None:
        """Read until a text was written since the last such call."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            assert time.monotonic() < deadline, f"{text!r} does not come: {self.seen[-2000:]!r}"
            assert self.process.poll() is None or self.read(0.1), self.seen[-2000:]
            self.read(0.2)
        self.seen = self.seen.partition(text)[2]

    def settle(self) -> None:
        """Read until nothing has come for a while; no test may fail where more comes."""
        while self.read(0.5):
            pass

    def wait_until_read(self) -> None:
        """Read until the process has taken what was typed."""
        deadline = time.monotonic() + PATIENCE
        while any(fcntl.ioctl(self._slave, termios.FIONREAD, b"\0" * 4)):
            assert time.monotonic() < deadline, "what is typed is not read"
            self.read(0.05)

    def type_until(self, key: bytes, text: bytes) -> None:
        """Type a key until a text is there: too soon, it is part of a broken sequence."""
        for _ in range(20):
            self.type(key)
            while text not in self.seen and self.read(1.0):
                pass
            if text in self.seen:
                return
        raise AssertionError(f"{text!r} does not come: {self.seen[-2000:]!r}")

    def ended(self) -> int | None:
        """The exit status, when all it wrote is read."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.1)
        while self.read(0.1):
            pass
        return self.process.poll()
