"""The terminal as the explorer uses it: it takes any bytes, may go away, and is put back.

Parts of Textual's driver, where that ends or hangs: on bytes that are no UTF-8, on sequences
that it can't read, and when the terminal is gone. POSIX only.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import struct
import sys
import termios
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

if TYPE_CHECKING:
    from textual.app import App

_TICK = 0.1
"""Seconds after which an escape that nothing follows is looked at again, and a full terminal."""
_LARGEST = 1 << 16
"""Characters that wait to be written before they are."""
_PIECE = 1 << 12
"""Bytes that are written at once; where nobody reads, no more than these are under way."""
_IFLAG = 0
"""Where a terminal's attributes have those of what is typed."""
_COUNT = struct.Struct("i")
"""An int, as the system counts bytes."""
_RESTORING = (
    "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l"  # frames, pastes, long lines, sizes as they were
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # no mouse
    "\x1b[<u\x1b[0m\x1b[?1049l\x1b[?25h\x1b[?1004l"  # keys, colours, screen, cursor, no focus
)


class Terminal(LinuxDriver):
    """Textual's driver, made to last."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.output = _Output(2 if os.isatty(2) else 1)
        self._file = self.output  # type: ignore[assignment]
        self._parser = XTermParser(debug)
        self._is_used = False
        self._is_suspended = False
        """It was given back for a while."""
        self._woken, self._wake = os.pipe()  # open as long as the process is

    def start_application_mode(self) -> None:
        """Take the terminal."""
        self._is_used = True
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def suspend_application_mode(self) -> None:
        """Give the terminal back for a while."""
        self._is_suspended = True
        super().suspend_application_mode()

    def _come_back(self) -> None:
        """Take the terminal again, and have all painted; in the background it can't be taken."""
        self._must_signal_resume = True
        self.resume_application_mode()
        self._is_suspended = self._key_thread is None or not self._key_thread.is_alive()

    def _sigtstp_application(self, *_: object) -> None:
        """Stop, with all of the job: a shell waits for every process of it. Part of Textual.

        Where nobody could let it go on, the system does not stop it.
        """
        if not self._auto_restart or not self._is_used:
            return
        self.suspend_application_mode()
        numbers = (signal.SIGTSTP, signal.SIGCONT)
        before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
        os.kill(0, signal.SIGTSTP)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        self._come_back()

    def _sigcont_application(self, *_: object) -> None:
        """Go on: from the background, or from a stop that nobody hears of. Part of Textual."""
        if not self._auto_restart or not (self._is_used or self._is_suspended):
            return
        if not self._is_suspended:
            self.suspend_application_mode()
        self._come_back()

    def close(self) -> None:
        """Write what is left."""
        super().close()
        self._is_used = False

    def disable_input(self) -> None:
        """End the reader, which waits for the terminal or for this."""
        os.write(self._wake, b"\0")
        super().disable_input()
        os.read(self._woken, 1)

    def restore(self) -> None:
        """Put the terminal back at once, where this was not done in the usual way."""
        if not self._is_used:
            return
        self._is_used = False
        self.output.is_stopped = True
        with suppress(OSError, termios.error):
            if self.attrs_before is not None:
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
            termios.tcflush(self.output.fileno(), termios.TCOFLUSH)  # nobody may be reading
            if select.select([], [self.output.fileno()], [], _TICK)[1]:
                os.write(self.output.fileno(), _RESTORING.encode())

    def run_input_thread(self) -> None:
        """Read keys until the explorer ends, or the terminal is gone."""
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._parser = XTermParser(self._debug)
        early = self._early()
        while not self.exit_event.is_set():
            try:
                ready = select.select([self.fileno, self._woken], [], [], self._wait())[0]
                if self._woken in ready:
                    return
                if ready:
                    data = os.read(self.fileno, 1 << 12)
                    if not data:
                        raise EOFError
                    if early:
                        data, early = _as_keys(data, early), max(0, early - len(data))
                    for message in self._messages(decode(data)):
                        self.process_message(message)
            except BlockingIOError:
                continue
            except (OSError, EOFError):
                self._loop.call_soon_threadsafe(self._app.post_message, Gone())
                return
            for message in self._parser.tick():
                self.process_message(message)

    def _early(self) -> int:
        """Bytes that were typed before the terminal was taken, when it made newlines of returns."""
        if self.attrs_before is None or not self.attrs_before[_IFLAG] & termios.ICRNL:
            return 0
        try:
            counted = fcntl.ioctl(self.fileno, termios.FIONREAD, bytes(_COUNT.size))
        except OSError:
            return 0
        return int(_COUNT.unpack(counted)[0])

    def _wait(self) -> float | None:
        """Seconds until the parser must be asked again; None: not before there is something."""
        return None if self._parser._timeout_time is None else _TICK

    def _messages(self, text: str) -> Iterator[Message]:
        """What a text from the terminal means; a sequence that can't be read means nothing."""
        if not text:
            return
        try:
            yield from self._parser.feed(text)
        except Exception:  # whatever Textual's parser raises on what it does not know
            self._parser = XTermParser(self._debug)


def _as_keys(data: bytes, early: int) -> bytes:
    """What was typed; the first bytes of it were read by the terminal as lines."""
    return data[:early].replace(b"\n", b"\r") + data[early:]


class Gone(Message):
    """There is no terminal any more."""


class _Output:
    """Writes to the terminal as long as there is one."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
        self._waiting: list[str] = []
        self._size = 0
        self.is_stopped = False
        """Nothing more is written: the terminal is gone, or put back."""

    def fileno(self) -> int:
        """The terminal's number."""
        return self._descriptor

    def write(self, text: str) -> int:
        """Write, now or a little later."""
        self._waiting.append(text)
        self._size += len(text)
        if self._size > _LARGEST:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Write what waits."""
        rest = memoryview("".join(self._waiting).encode(self._encoding, "replace"))
        self._waiting.clear()
        self._size = 0
        while rest and not self.is_stopped:
            try:
                rest = rest[os.write(self._descriptor, rest[:_PIECE]) :]
            except BlockingIOError:
                select.select([], [self._descriptor], [], _TICK)
            except OSError:
                self.is_stopped = True
