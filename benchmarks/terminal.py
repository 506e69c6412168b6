"""A program in a pseudo-terminal: how long until it shows a text, or answers a key."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import tempfile
import termios
import time
from collections.abc import Sequence
from types import TracebackType

_HOME = tempfile.TemporaryDirectory(prefix="ptxscope-bench-")
"""A home where nothing is kept: every run of the explorer is the first."""
_HOMES = ("HOME", *(f"XDG_{name}_HOME" for name in ("STATE", "CONFIG", "DATA", "CACHE")))


class Terminal:
    """A child process on a terminal of its own."""

    def __init__(self, command: Sequence[str], columns: int, rows: int) -> None:
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        env |= dict.fromkeys(_HOMES, _HOME.name)
        self.start = time.perf_counter()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], list(command), env)
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
        self.seen = b""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.master)

    def read(self, timeout: float) -> bytes:
        """What arrives within a time, or nothing."""
        ready, _, _ = select.select([self.master], [], [], timeout)
        if not ready:
            return b""
        try:
            return os.read(self.master, 1 << 16)
        except OSError:
            return b""

    def until(self, *texts: bytes, timeout: float = 10.0) -> float:
        """Seconds from the start until all texts were seen."""
        while not all(text in self.seen for text in texts):
            if time.perf_counter() - self.start > timeout:
                raise TimeoutError(f"{texts} not seen in {self.seen[-300:]!r}")
            self.seen += self.read(0.5)
        return time.perf_counter() - self.start

    def drain(self, quiet: float = 0.3) -> None:
        """Wait until nothing has come for a while."""
        while self.read(quiet):
            pass

    def answer(self, key: bytes, quiet: float = 0.06) -> float:
        """Seconds from a key to the last byte that answers it."""
        start = last = time.perf_counter()
        os.write(self.master, key)
        while self.read(quiet if last > start else 1.0):
            last = time.perf_counter()
        return last - start
