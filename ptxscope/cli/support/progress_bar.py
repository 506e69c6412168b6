"""The progress of a command: a line on a terminal, shown after a second and cleared at the end.

There is no thread: the reading or computing code reports its progress, and the line is drawn at
most four times a second. It is on standard error, so the output is the same with it and without.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    from rich.progress import Progress, ProgressColumn

ItemT = TypeVar("ItemT")
AFTER = 1.0
"""Seconds until the line is shown."""
_EVERY = 0.25
"""Seconds between two drawings, of one or two milliseconds each."""
_BAR = 30
"""Columns of the bar."""
_NARROW = 78
"""Columns of a terminal below which there is no bar."""
_ECHO = 3
"""Columns after the line, for the ``^C`` or ``^Z`` that a terminal echoes there."""
_WIPED = "\r\x1b[2K"
"""Clears the cursor's line; the cursor stays visible and never leaves that line."""
BYTES = "bytes"
_NEVER = float("inf")


class ProgressBar:
    """The progress line of a command, within ``with``; without a terminal it does nothing."""

    def __init__(self, *, prints: bool = False, after: float | None = None) -> None:
        """Show it after some seconds; by default ``AFTER``. ``prints``: see ``begin_printing``."""
        self._since = monotonic()
        wait = AFTER if after is None else after
        self._due = self._since + wait if sys.stderr.isatty() else _NEVER
        self._what, self._unit = "", BYTES
        self._total: int | None = None
        self._made: Progress | None = None
        self._stands = False
        self._stops = False
        """Whether this object handles Ctrl-Z."""
        if prints:
            self.begin_printing()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._due = _NEVER
        self.hide()
        if self._stops:
            from signal import SIG_DFL, SIGTSTP, signal

            signal(SIGTSTP, SIG_DFL)

    def begin_printing(self) -> None:
        """Note that the command now writes to standard output: both can't be the terminal."""
        if sys.stdout.isatty():
            self.hide()
            self._due = _NEVER

    def begin(
        self, activity: str, total: int | None = None, unit: str = BYTES, *, is_slow: bool = False
    ) -> None:
        """Begin an activity with a total, if it is known.

        Without a unit, the number is not shown; then, without a total either, only the activity is.
        ``is_slow``: it takes more than a second, perhaps without a report.
        """
        self._what, self._unit, self._since = activity, unit, monotonic()
        self.set_total(total)
        if self._due < _NEVER and (self._stands or is_slow or self._since >= self._due):
            self._draw(0)

    def set_total(self, total: int | None) -> None:
        """Set the total."""
        self._total, self._made = total, None

    def advance_to(self, count: int) -> None:
        """Report a count; takes a tenth of a microsecond."""
        if monotonic() >= self._due:
            self._draw(count)

    def track(self, items: Sequence[ItemT]) -> Iterator[ItemT]:
        """Yield the items; those already yielded are done."""
        for count, item in enumerate(items):
            self.advance_to(count)
            yield item

    def hide(self) -> None:
        """Clear the line until the next drawing, so that other text can be written."""
        if self._stands:
            self._stands = False
            if _is_ours():
                self._write(_WIPED)

    def _draw(self, count: int) -> None:
        if _is_ours():
            line = self._draw_line(count)
            if self._due < _NEVER:
                self._handle_suspend()
                self._stands = True
                self._write(_WIPED + line)
        self._due = max(self._due, monotonic() + _EVERY)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # the terminal is gone, which must not affect the work
            self._due, self._stands = _NEVER, False

    def _draw_line(self, count: int) -> str:
        """Return the line, at most as wide as the terminal; empty if it can't be overwritten."""
        from rich.console import Console
        from rich.progress import Progress

        if self._made is None:
            console = Console(file=sys.stderr)
            if not console.is_interactive or console.legacy_windows:
                self._due = _NEVER
                return ""
            columns = _make_columns(
                self._unit, has_total=self._total is not None, is_wide=console.width > _NARROW
            )
            self._made = Progress(*columns, console=console, auto_refresh=False)
            self._made.add_task(self._what, total=self._total)
            self._made.tasks[0].start_time = self._since
        made = self._made
        made.update(made.tasks[0].id, completed=count)
        with made.console.capture() as lines:
            table = made.make_tasks_table(made.tasks)
            made.console.print(table, width=max(made.console.width - _ECHO, 1))
        return lines.get().partition("\n")[0].rstrip()

    def _handle_suspend(self) -> None:
        """Clear the line before Ctrl-Z stops the process."""
        import signal

        if self._stops or not hasattr(signal, "SIGTSTP"):
            return
        if signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
            with suppress(ValueError):  # not the main thread
                signal.signal(signal.SIGTSTP, self._on_suspend)
                self._stops = True

    def _on_suspend(self, number: int, _: FrameType | None) -> None:
        if self._stands:
            self._stands = False
            with suppress(OSError, ValueError):  # during a write there can be no other
                os.write(sys.stderr.fileno(), _WIPED.encode())
        import signal

        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)  # after the continuation, execution goes on here
        signal.signal(number, self._on_suspend)


def _make_columns(unit: str, *, has_total: bool, is_wide: bool) -> list[ProgressColumn]:
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        FileSizeColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    activity, in_bytes = TextColumn("{task.description}"), unit == BYTES
    if not has_total:
        many = TextColumn("{task.completed:,.0f} " + unit)
        count = FileSizeColumn() if in_bytes else many
        return [activity, count, TimeElapsedColumn()] if unit else [activity]
    columns: list[ProgressColumn] = [
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
    ]
    if not is_wide:
        return [activity, *columns]
    if unit:
        of = TextColumn("of {task.total:,.0f} " + unit)
        columns.insert(1, DownloadColumn() if in_bytes else of)
    return [activity, BarColumn(bar_width=_BAR), *columns]


def _is_ours() -> bool:
    """Return whether the process may draw: it is in the foreground, and no pager runs."""
    try:
        from termios import ICANON, error, tcgetattr
    except ImportError:  # Windows has neither
        return True
    try:
        descriptor = sys.stderr.fileno()
        with suppress(OSError):  # not the controlling terminal
            if os.tcgetpgrp(descriptor) != os.getpgrp():
                return False
        return bool(tcgetattr(descriptor)[3] & ICANON)  # a pager reads keys, not lines
    except (OSError, ValueError, error):
        return False
