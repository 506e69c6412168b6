"""Textual's driver for POSIX terminals, plus the parts that it lacks.

Each part documents the problem that it solves, seen on a pseudo-terminal with Textual 8.2.8.
"""

from __future__ import annotations

import os
import select
import termios
from codecs import getincrementaldecoder
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

if TYPE_CHECKING:
    from ..widgets.base.explorer_app import ExplorerApp

_TICK = 0.1
"""Seconds until an incomplete escape sequence is checked again."""
_RESTORING = (
    b"\x1b[?2026l\x1b[?2004l\x1b[?7h"  # frames, pastes, long lines
    b"\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"  # the mouse
    b"\x1b[<u\x1b[0m\x1b[?1049l\x1b[?25h\x1b[?1004l"  # keys, colours, screen, cursor, focus
)
"""The sequences that end every mode of a terminal that Textual 8.2.8 sets."""


class TerminalGone(Message):
    """Posted when the terminal is gone."""


class TerminalDriver(LinuxDriver):
    """Textual's driver, with a reader of any bytes."""

    def __init__(self, app: ExplorerApp, **options: Any) -> None:
        super().__init__(app, **options)
        app.restore_terminal = self.restore
        self._explorer = app
        self._is_started = False

    def run_input_thread(self) -> None:
        """Read keys until the explorer ends or the terminal is gone. Overrides Textual.

        Textual's reader ends the program on bytes that are not UTF-8, and on unknown sequences. It
        also hangs without a terminal if the hang-up is ignored, as under ``nohup``. Textual has no
        public name for its parser, and no way to replace only the decoder.
        """
        decode = getincrementaldecoder("utf-8")("replace").decode
        parser = XTermParser()
        while not self.exit_event.is_set():
            text = ""
            if select.select([self.fileno], [], [], _TICK)[0]:
                data = b""
                with suppress(OSError):
                    data = os.read(self.fileno, 1 << 12)
                if not data:
                    self.process_message(TerminalGone())
                    return
                text = decode(data)
            try:
                for message in chain(parser.feed(text) if text else (), parser.tick()):
                    self.process_message(message)
            except Exception:  # numbers that no terminal sends: ValueError, ZeroDivisionError, …
                parser = XTermParser()

    def start_application_mode(self) -> None:
        """Take over the terminal. Overrides Textual."""
        self._is_started = True
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        """Give the terminal back. Overrides Textual."""
        self._is_started = False
        super().stop_application_mode()

    def resume_application_mode(self) -> None:
        """Restart on SIGCONT. Overrides Textual.

        This signal also comes without a suspension, as after the SIGTERM of systemd and
        ``timeout``, or after a SIGSTOP. Textual then starts a second reader, does not end, and
        paints nothing.
        """
        if self._explorer.return_code is not None:  # it is ending
            return
        if self._is_started:
            self.suspend_application_mode()
        super().resume_application_mode()
        self.process_message(self.SignalResume())

    def restore(self) -> None:
        """Restore the terminal if the program hangs and Textual can't stop its driver.

        Otherwise the shell would neither echo nor break lines.
        """
        if self.attrs_before is None:
            return
        with suppress(OSError, termios.error):
            termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)
            termios.tcflush(2, termios.TCOFLUSH)  # the output may have no reader
            if select.select([], [2], [], _TICK)[1]:
                os.set_blocking(2, False)  # another thread may fill the terminal meanwhile
                try:
                    os.write(2, _RESTORING)
                finally:
                    os.set_blocking(2, True)
