"""The explorer's terminal driver: it survives any bytes and a lost terminal, which it restores.

It replaces the parts of Textual's driver that end or hang: on bytes that are not UTF-8, on
unreadable sequences, on text that comes faster than typing, and when the terminal is gone. POSIX
only.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

if TYPE_CHECKING:
    from textual.app import App

_TICK = 0.1
"""Seconds until an incomplete escape or a full terminal is checked again."""
_SWITCH_SECONDS = 0.0002
"""Seconds that a busy thread lets the others wait, as a frame waits for the thread that writes it.

Python's default, 5 ms, would show the first frame that much later.
"""
_LARGEST = 1 << 16
"""Maximum characters that wait to be written."""
_PIECE = 1 << 12
"""Bytes per write; if the terminal is not read, no more than these are under way."""
_IFLAG = 0
"""Index of the input flags in a terminal's attributes."""
_COUNT = struct.Struct("i")
"""An int, as the system counts bytes."""
MAX_COLUMNS, MAX_LINES = 2_000, 1_000
"""The largest size that is drawn: larger ones, which some terminals report, take gigabytes."""
BURST_CHARS = 256
"""Characters that turn typed text into a paste if they come within ``BURST_SECONDS``."""
BURST_SECONDS = 0.25
MAX_BURST_CHARS = 1 << 22
"""Maximum characters of a burst; the rest is dropped."""
_ESC, _CTRL_C = "\x1b", "\x03"
_BRACKETS = (BRACKETED_PASTE_START, BRACKETED_PASTE_END)
_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|O?.)?", re.DOTALL)
_RESTORING = (
    "\x1b[?2026l\x1b[?2004l\x1b[?7h\x1b[?2048l"  # restore frames, pastes, long lines, sizes
    "\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # no mouse
    # restore keys, colours, screen, cursor, focus reports
    "\x1b[<u\x1b[0m\x1b[?1049l\x1b[?25h\x1b[?1004l"
)


class TerminalDriver(LinuxDriver):
    """Textual's driver, hardened."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._size = size or self._get_terminal_size()
        self.output = _TerminalWriter(2 if os.isatty(2) else 1)
        self._file = self.output  # type: ignore[assignment]
        self._parser = BurstParser(debug)
        self._is_used = False
        self._is_suspended = False
        """Whether another program has the terminal for now."""
        self._woken, self._wake = os.pipe()  # open as long as the process runs

    def _get_terminal_size(self) -> tuple[int, int]:
        """Return the terminal's size, within bounds. Overrides Textual."""
        return _bound_size(*super()._get_terminal_size())

    def process_message(self, message: Message) -> None:
        """Pass a message on; the terminal may report a new size itself. Overrides Textual."""
        if isinstance(message, events.Resize):
            pixels = message.pixel_size
            message = events.Resize.from_dimensions(_bound_size(*message.size), pixels)
        super().process_message(message)

    def start_application_mode(self) -> None:
        """Take over the terminal."""
        self._is_used = True
        sys.setswitchinterval(_SWITCH_SECONDS)
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def suspend_application_mode(self) -> None:
        """Give the terminal back for a while."""
        self._is_suspended = True
        super().suspend_application_mode()

    def _resume_terminal(self) -> None:
        """Take the terminal again and repaint everything; in the background this is impossible."""
        self._must_signal_resume = True
        self.resume_application_mode()
        self._is_suspended = self._key_thread is None or not self._key_thread.is_alive()

    def _sigtstp_application(self, *_: object) -> None:
        """Stop the whole job, because a shell waits for every process of it. Overrides Textual.

        The system does not stop the process if no other process could continue it.
        """
        if not self._auto_restart or not self._is_used:
            return
        self.suspend_application_mode()
        numbers = (signal.SIGTSTP, signal.SIGCONT)
        before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
        os.kill(0, signal.SIGTSTP)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        self._resume_terminal()

    def _sigcont_application(self, *_: object) -> None:
        """Continue, from the background or after a stop without a signal. Overrides Textual."""
        if not self._auto_restart or not (self._is_used or self._is_suspended):
            return
        if not self._is_suspended:
            self.suspend_application_mode()
        self._resume_terminal()

    def close(self) -> None:
        """Write the remaining text."""
        super().close()
        self._is_used = False

    def disable_input(self) -> None:
        """End the reader, which waits for the terminal or for this call."""
        os.write(self._wake, b"\0")
        super().disable_input()
        os.read(self._woken, 1)

    def restore(self) -> None:
        """Restore the terminal at once if the usual way has not done it."""
        if not self._is_used:
            return
        self._is_used = False
        self.output.is_stopped = True
        with suppress(OSError, termios.error):
            if self.attrs_before is not None:
                termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
            termios.tcflush(self.output.fileno(), termios.TCOFLUSH)  # the output may have no reader
            if select.select([], [self.output.fileno()], [], _TICK)[1]:
                os.write(self.output.fileno(), _RESTORING.encode())

    def run_input_thread(self) -> None:
        """Read keys until the explorer ends or the terminal is gone."""
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        self._parser = BurstParser(self._debug)
        early = self._count_early_bytes()
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
                        data, early = _convert_early_keys(data, early), max(0, early - len(data))
                    messages = self._parse_messages(decode(data))
                else:
                    messages = self._parser.tick()
                for message in messages:
                    self.process_message(message)
            except BlockingIOError:
                continue
            except (OSError, EOFError):
                self._loop.call_soon_threadsafe(self._app.post_message, Gone())
                return

    def _count_early_bytes(self) -> int:
        """Return the number of bytes typed before the start, when returns became newlines."""
        if self.attrs_before is None or not self.attrs_before[_IFLAG] & termios.ICRNL:
            return 0
        try:
            counted = fcntl.ioctl(self.fileno, termios.FIONREAD, bytes(_COUNT.size))
        except OSError:
            return 0
        return int(_COUNT.unpack(counted)[0])

    def _wait(self) -> float | None:
        """Return the seconds until the parser must be called again; None waits for input."""
        return _TICK if self._parser.is_waiting else None

    def _parse_messages(self, text: str) -> Iterator[Message]:
        """Yield the messages of a text from the terminal; an unreadable sequence yields none."""
        if not text:
            return
        try:
            yield from self._parser.feed(text)
        except Exception:  # whatever Textual's parser raises on unknown sequences
            self._parser = BurstParser(self._debug)


def _bound_size(width: int, height: int) -> tuple[int, int]:
    return min(width, MAX_COLUMNS), min(height, MAX_LINES)


class BurstParser:
    """Textual's parser for typed text; a burst of text becomes one paste.

    A terminal without bracketed paste types what is pasted. As keys, a megabyte would take minutes,
    and each character would be a command.
    """

    def __init__(self, debug: bool = False) -> None:
        self._parser = XTermParser(debug)
        self._sequence = ""
        """The incomplete escape sequence."""
        self._is_bracketed = False
        """Whether the text belongs to a bracketed paste."""
        self._burst: list[str] = []
        self._burst_chars = 0
        self._recent_start, self._recent_chars = -BURST_SECONDS, 0
        """Start time of the count of recent characters, and the count."""
        self._last_time = 0.0
        """Time of the last input."""

    @property
    def is_waiting(self) -> bool:
        """Whether a pause matters: it ends a burst, or makes an escape a key."""
        return bool(self._burst or self._sequence)

    def tick(self) -> Iterator[Message]:
        """Yield the messages that a pause completes."""
        if time.monotonic() - self._last_time >= BURST_SECONDS:
            yield from self._end_burst()
        yield from self._parser.tick()
        self._end_sequence()

    def feed(self, text: str) -> Iterator[Message]:
        """Yield the messages of a text from the terminal."""
        typed = text.partition(BRACKETED_PASTE_START)[0]
        is_burst = not self._is_bracketed and self._is_burst(typed)
        while text:
            if self._sequence or text[0] == _ESC:
                char, text = text[0], text[1:]
                yield from self._feed_sequence(char, is_burst=is_burst)
                is_burst = is_burst and not self._is_bracketed
                continue
            run, esc, rest = text.partition(_ESC)
            text = esc + rest
            if not is_burst:
                yield from self._parser.feed(run)
            elif _CTRL_C in run:
                self._drop_burst()
                text = run.rpartition(_CTRL_C)[2] + text
                yield from self._parser.feed(_CTRL_C)
                is_burst = self._is_burst(text)
            else:
                self._keep(run)

    def _is_burst(self, text: str) -> bool:
        """Whether more text has come than can be typed."""
        self._last_time = now = time.monotonic()
        if now - self._recent_start > BURST_SECONDS:
            self._recent_start, self._recent_chars = now, 0
        self._recent_chars += len(_SEQUENCE.sub("", text))
        return bool(self._burst) or self._recent_chars >= BURST_CHARS

    def _feed_sequence(self, char: str, *, is_burst: bool) -> Iterator[Message]:
        """Continue an escape sequence; a sequence within a burst presses no key."""
        self._sequence += char
        for message in self._parser.feed(char):
            if not (is_burst and isinstance(message, events.Key)):
                yield message
        if self._sequence.endswith(BRACKETED_PASTE_START):
            yield from self._end_burst()
        self._end_sequence()

    def _end_sequence(self) -> None:
        """Forget the sequence if the parser does not wait for more of it."""
        if self._parser._timeout_time is None:
            if self._sequence.endswith(_BRACKETS):  # an escape may precede the bracket
                self._is_bracketed = self._sequence.endswith(BRACKETED_PASTE_START)
            self._sequence = ""

    def _keep(self, text: str) -> None:
        room = MAX_BURST_CHARS - self._burst_chars
        self._burst.append(text[:room])
        self._burst_chars += len(self._burst[-1])

    def _drop_burst(self) -> None:
        self._burst, self._burst_chars, self._recent_chars = [], 0, 0

    def _end_burst(self) -> Iterator[Message]:
        text = "".join(self._burst)
        self._drop_burst()
        if text:
            yield events.Paste(text.replace("\0", ""))


def _convert_early_keys(data: bytes, early: int) -> bytes:
    """Return the typed bytes; the terminal has read the first ``early`` of them as lines."""
    return data[:early].replace(b"\n", b"\r") + data[early:]


class Gone(Message):
    """Posted when the terminal is gone."""


class _TerminalWriter:
    """Writes to the terminal as long as there is one."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
        self._waiting: list[str] = []
        self._size = 0
        self.is_stopped = False
        """Whether writing has stopped, because the terminal is gone or restored."""

    def fileno(self) -> int:
        """Return the terminal's file descriptor."""
        return self._descriptor

    def write(self, text: str) -> int:
        """Write text, now or a little later."""
        self._waiting.append(text)
        self._size += len(text)
        if self._size > _LARGEST:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Write the waiting text."""
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
