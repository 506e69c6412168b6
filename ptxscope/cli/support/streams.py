"""The streams of a process: what they are for a command, and what is said when one fails.

Commands print, and need not care where that goes: what is redirected is UTF-8, a terminal has
its own encoding, and what that lacks is replaced. A stream that is closed is one that fails.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EBADF
from typing import NoReturn, TextIO, cast

from ...engine.syntax.errors import make_printable_lines, shorten_words

NAMES = ("stdin", "stdout", "stderr")


class _Closed(io.TextIOBase):
    """A stream that was closed before the program began."""

    def readable(self) -> bool:
        """There is nothing to read, and trying says why."""
        return True

    def writable(self) -> bool:
        """Nothing can be written, and trying says why."""
        return True

    def read(self, _size: int | None = -1, /) -> NoReturn:
        """Fail."""
        raise OSError(EBADF, "it is closed")

    def readline(self, _size: int = -1, /) -> NoReturn:  # type: ignore[override]
        """Fail."""
        raise OSError(EBADF, "it is closed")

    def write(self, _text: str, /) -> NoReturn:
        """Fail."""
        raise OSError(EBADF, "it is closed")


class _Nowhere(io.TextIOBase):
    """What stands for a stream that has failed, so that it is not tried again."""

    def write(self, text: str, /) -> int:
        """Forget it."""
        return len(text)


@contextmanager
def prepare_streams() -> Iterator[None]:
    """Streams that commands can use; afterwards they are what they were.

    Only a stream of the process itself that has failed is gone: at its end the interpreter would
    try it again, and complain.
    """
    before: dict[str, TextIO | None] = {name: getattr(sys, name) for name in NAMES}
    undo = [_prepare(name, stream) for name, stream in before.items()]
    try:
        yield
    finally:
        for name, stream in before.items():
            own = stream is getattr(sys, f"__{name}__")
            failed = isinstance(getattr(sys, name), _Nowhere)
            setattr(sys, name, None if own and failed else stream)
        for step in undo:
            step()


def _prepare(name: str, stream: TextIO | None) -> Callable[[], None]:
    """Make a stream usable; gives what makes it again what it was."""
    if stream is None or stream.closed:
        setattr(sys, name, _Closed())
    elif name != "stdin" and isinstance(stream, io.TextIOWrapper):
        encoding, errors = stream.encoding, stream.errors
        with suppress(OSError):
            shown = encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=shown, errors="replace")
        return lambda: _restore(stream, encoding, errors)
    return lambda: None


def _restore(stream: io.TextIOWrapper, encoding: str, errors: str | None) -> None:
    with suppress(OSError, ValueError):
        if (stream.encoding, stream.errors) != (encoding, errors):
            stream.reconfigure(encoding=encoding, errors=errors)


def drop_stream(name: str) -> None:
    """Use a stream no more: it has failed."""
    setattr(sys, name, cast("TextIO", _Nowhere()))


def print_message(text: str) -> None:
    """Tell something beside the output, where that is possible; nothing in it is obeyed."""
    try:
        sys.stderr.write(make_printable_lines(shorten_words(text.removesuffix("\n"))) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        drop_stream("stderr")
