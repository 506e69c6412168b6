"""The standard streams of a process, prepared for commands, and errors on them.

Commands print without regard to the destination: redirected text is UTF-8, a terminal has its own
encoding, and missing characters are replaced. A closed stream is one that fails.
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
        """Return True, because reading reports the reason."""
        return True

    def writable(self) -> bool:
        """Return True, because writing reports the reason."""
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
    """Replaces a stream that has failed, so that it is not tried again."""

    def write(self, text: str, /) -> int:
        """Discard the text."""
        return len(text)


@contextmanager
def prepare_streams() -> Iterator[None]:
    """Prepare the streams for commands, and restore them at the end.

    A stream of the process itself that has failed is not restored, because the interpreter would
    try it again at its end, and complain.
    """
    old_streams: dict[str, TextIO | None] = {name: getattr(sys, name) for name in NAMES}
    undo = [_prepare(name, stream) for name, stream in old_streams.items()]
    try:
        yield
    finally:
        for name, stream in old_streams.items():
            is_own = stream is getattr(sys, f"__{name}__")
            failed = isinstance(getattr(sys, name), _Nowhere)
            setattr(sys, name, None if is_own and failed else stream)
        for step in undo:
            step()


def _prepare(name: str, stream: TextIO | None) -> Callable[[], None]:
    """Make a stream usable; return the function that restores it."""
    if stream is None or stream.closed:
        setattr(sys, name, _Closed())
    elif name != "stdin" and isinstance(stream, io.TextIOWrapper):
        encoding, errors = stream.encoding, stream.errors
        with suppress(OSError):
            visible_encoding = encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=visible_encoding, errors="replace")
        return lambda: _restore(stream, encoding, errors)
    return lambda: None


def _restore(stream: io.TextIOWrapper, encoding: str, errors: str | None) -> None:
    with suppress(OSError, ValueError):
        if (stream.encoding, stream.errors) != (encoding, errors):
            stream.reconfigure(encoding=encoding, errors=errors)


def drop_stream(name: str) -> None:
    """Replace a stream that has failed."""
    setattr(sys, name, cast("TextIO", _Nowhere()))


def print_message(text: str) -> None:
    """Print a message on standard error, if possible; its control characters have no effect."""
    try:
        sys.stderr.write(make_printable_lines(shorten_words(text.removesuffix("\n"))) + "\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        drop_stream("stderr")
