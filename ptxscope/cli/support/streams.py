"""The standard streams of a process, messages on them, and the error that ends a command."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ...engine.syntax.errors import PtxError, make_printable, make_printable_lines, shorten_words


def prepare_streams() -> None:
    """Prepare the streams for commands: redirected text is UTF-8, a terminal has its own encoding.

    Characters that it lacks are replaced. A stream that was closed before is an empty one.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif mode == "w" and isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


def discard_output() -> None:
    """Let what is left for standard output go nowhere.

    Otherwise the interpreter would try to write it at its end, and complain.
    """
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_message(text: str) -> None:
    """Print a message on standard error, if possible; its control characters have no effect."""
    with suppress(OSError, ValueError):
        sys.stderr.write(make_printable_lines(shorten_words(text.removesuffix("\n"))) + "\n")
        sys.stderr.flush()


class CommandError(Exception):
    """A request that cannot be carried out; the text is the reason.

    ``status`` is the exit status.
    """

    def __init__(self, text: str, status: int = 2) -> None:
        super().__init__(text)
        self.status = status


@contextmanager
def command_errors(
    *kinds: type[Exception], prefix: str = "error: ", status: int = 2
) -> Iterator[None]:
    """Turn exceptions of some kinds, and PtxErrors, into errors that end the command."""
    try:
        yield
    except PtxError as error:
        raise CommandError(str(error), status) from None
    except kinds as error:
        raise CommandError(f"{prefix}{make_printable(str(error))}", status) from None


@contextmanager
def file_errors(name: str) -> Iterator[None]:
    """Turn an OSError about a file into an error that ends the command and names the file."""
    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise CommandError(f"error: {make_printable(name)}: {why}") from None
