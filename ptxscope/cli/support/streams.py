"""The standard streams of a process: messages, the error that ends a command, and its progress."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from ...engine.syntax.errors import PtxError, make_printable, make_printable_lines, shorten_words

if TYPE_CHECKING:
    from rich.progress import Progress


def prepare_streams() -> None:
    """Prepare the streams for commands: redirected text is UTF-8, a terminal keeps its encoding.

    Characters that it lacks are replaced. Closed streams become empty ones.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


def discard_output() -> None:
    """Discard buffered standard output, which the interpreter would try to write at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_message(text: str) -> None:
    """Print a message on standard error, if possible, without effective control characters."""
    with suppress(OSError, ValueError):
        sys.stderr.write(make_printable_lines(shorten_words(text.removesuffix("\n"))) + "\n")
        sys.stderr.flush()


class CommandError(Exception):
    """A request cannot be carried out; the text is the reason, ``status`` the exit status."""

    def __init__(self, text: str, status: int = 2) -> None:
        super().__init__(text)
        self.status = status


@contextmanager
def report_errors(
    *kinds: type[Exception], prefix: str = "error: ", status: int = 2
) -> Iterator[None]:
    """Turn exceptions of some kinds, and PtxErrors, into CommandErrors."""
    try:
        yield
    except PtxError as error:
        raise CommandError(str(error), status) from None
    except kinds as error:
        raise CommandError(f"{prefix}{make_printable(str(error))}", status) from None


@contextmanager
def report_file_errors(name: str) -> Iterator[None]:
    """Turn an OSError about a file into a CommandError with its name."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise CommandError(f"error: {make_printable(name)}: {why}") from None


ItemT = TypeVar("ItemT")
DELAY_SECONDS = 1.0
"""Seconds until the line is shown."""
INTERVAL_SECONDS = 0.25
"""Seconds between drawings, which take one or two milliseconds."""
BYTES = "bytes"
_NO_TIME = float("inf")


class ProgressBar:
    """The progress of a command: a line on a terminal, shown after a second and cleared at the end.

    There is no thread: the working code reports its progress, and the line is drawn at most four
    times a second. It is on standard error, so that the output does not change. It is for a
    ``with`` block; without a terminal it does nothing.
    """

    def __init__(self, *, is_printing: bool = False) -> None:
        """With ``is_printing``, the command already writes to standard output."""
        self._next_draw_time = monotonic() + DELAY_SECONDS if sys.stderr.isatty() else _NO_TIME
        self._activity, self._unit = "", BYTES
        self.total: int | None = None
        """The final count, if known."""
        self._progress: Progress | None = None
        if is_printing:
            self.begin_printing()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._next_draw_time = _NO_TIME
        self.hide()

    def begin_printing(self) -> None:
        """Note that the command writes to standard output: only one can be the terminal."""
        if sys.stdout.isatty():
            self.hide()
            self._next_draw_time = _NO_TIME

    def begin(
        self, activity: str, total: int | None = None, unit: str = BYTES, *, is_slow: bool = False
    ) -> None:
        """Begin an activity, with any known total. Without a unit, no count is shown.

        ``is_slow`` is for more than a second, perhaps without a report.
        """
        self.hide()
        self._activity, self._unit, self.total, self._progress = activity, unit, total, None
        if is_slow and self._next_draw_time < _NO_TIME:
            self._next_draw_time = 0
        self.advance_to(0)

    def advance_to(self, count: int) -> None:
        """Report a count; takes a tenth of a microsecond."""
        if monotonic() >= self._next_draw_time:
            self._draw(count)

    def track(self, items: Sequence[ItemT]) -> Iterator[ItemT]:
        """Yield the items; those already yielded are done."""
        for count, item in enumerate(items):
            self.advance_to(count)
            yield item

    def hide(self) -> None:
        """Clear the line for other text until the next drawing."""
        if self._progress is not None and owns_terminal():
            with suppress(OSError, ValueError):  # the terminal is gone
                self._progress.stop()

    def _draw(self, count: int) -> None:
        self._next_draw_time = monotonic() + INTERVAL_SECONDS
        if not owns_terminal():
            return
        progress = self._progress = self._progress or _make_progress(self._activity, self._unit)
        try:
            progress.update(progress.task_ids[0], completed=count, total=self.total)
            progress.start()
            progress.console.show_cursor()  # it would stay hidden after ^Z
            progress.refresh()
        except (OSError, ValueError):  # a lost terminal must not affect the work
            self._next_draw_time = _NO_TIME


def _make_progress(activity: str, unit: str) -> Progress:
    from rich import progress as r
    from rich.console import Console

    console = Console(file=sys.stderr)
    count = [r.DownloadColumn()] if unit == BYTES else [r.MofNCompleteColumn(), r.TextColumn(unit)]
    progress = r.Progress(
        r.TextColumn("{task.description}"),
        r.BarColumn(bar_width=30),
        r.TaskProgressColumn(),
        *(count if unit else ()),
        r.TimeRemainingColumn(),
        console=console,
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_interactive,
    )
    progress.add_task(activity, total=None)
    return progress


def owns_terminal() -> bool:
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
