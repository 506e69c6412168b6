"""Text that commands read: a file's or standard input's, UTF-8 or UTF-16 as it begins."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from errno import EAGAIN
from os import strerror
from pathlib import Path
from stat import S_ISREG
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from ...engine.syntax.errors import make_printable
from ...files import encoding_of, is_binary
from .. import CommandError

if TYPE_CHECKING:
    from .progress_bar import ProgressBar

_HEAD = 1 << 12
"""Bytes by which a text is told from what is none."""
_BLOCK = 1 << 16
"""Bytes that are read at once."""
MARK = "ptxscope.mark"
"""A way to deal with undecodable bytes: each becomes U+DC00 and its value, which no text holds."""


def _mark_undecodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(0xDC00 + x) for x in error.object[error.start : error.end]), error.end


codecs.register_error(MARK, _mark_undecodable)


class _Again(io.RawIOBase):
    """A stream from its beginning, of which some was read already."""

    def __init__(self, start: bytes, rest: BinaryIO, bar: ProgressBar | None = None) -> None:
        self._start, self._rest, self._bar = start, rest, bar
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, to: Any, /) -> int:
        found = self._start[: len(to)] or _read_bytes(self._rest, len(to))
        self._start = self._start[len(found) :]
        to[: len(found)] = found
        self._read += len(found)
        if self._bar:
            self._bar.advance_to(self._read)
        return len(found)


def _read_bytes(stream: BinaryIO, size: int) -> bytes:
    found: bytes | None = stream.read(size)
    if found is None:  # it does not wait; to take that for its end would lose the rest
        raise BlockingIOError(EAGAIN, strerror(EAGAIN))
    return found


def format_input_name(name: str) -> str:
    """What a message calls it."""
    return "standard input" if name == "-" else make_printable(name)


@contextmanager
def open_text(
    name: str,
    *,
    newline: str | None = None,
    errors: str = "replace",
    bar: ProgressBar | None = None,
) -> Iterator[IO[str]]:
    """The text of a file, or of standard input where the name is ``-``.

    ``bar`` is told how many bytes are read, of how many where that is known.

    Raises CommandError where it can't be read, now or later, or is not text. Nothing but reading
    is to be done within: every OSError is taken for the input's.
    """
    try:
        with _open_source(name) as source:
            if isinstance(source, io.TextIOBase):
                yield cast("IO[str]", source)
                return
            head = _read_bytes(source, _HEAD)
            if name != "-" and is_binary(head):
                raise CommandError(f"error: {format_input_name(name)} is not a text file")
            if source.isatty():
                bar = None  # somebody types there
            elif bar:
                bar.set_total(_count_left_bytes(source, len(head)))
            # a terminal that has ended its input once would have to end it again
            rest = io.BytesIO() if len(head) < _HEAD and source.isatty() else source
            yield io.TextIOWrapper(
                io.BufferedReader(_Again(head, rest, bar), _BLOCK),
                encoding=encoding_of(head),
                errors=errors,
                newline=newline,
            )
    except IsADirectoryError:
        raise CommandError(
            f"error: {format_input_name(name)} is a directory; name its files"
        ) from None
    except OSError as error:
        raise CommandError(f"error: {format_input_name(name)}: {error.strerror or error}") from None


def _open_source(name: str) -> Any:
    """The bytes; the text of a standard input that has none, as where a program put its own."""
    if not name:
        raise CommandError("error: '' is not a file name")
    if name != "-":
        try:
            return Path(name).open("rb")
        except ValueError:
            raise CommandError(f"error: {format_input_name(name)}: not a file name") from None
    return nullcontext(getattr(sys.stdin, "buffer", sys.stdin))


def _count_left_bytes(source: BinaryIO, read: int) -> int | None:
    """How many bytes a stream had before so many were read; None where nobody knows."""
    try:
        found = os.fstat(source.fileno())
        left = found.st_size - source.tell() + read if S_ISREG(found.st_mode) else 0
    except OSError:  # it is no file
        return None
    return left if left > read else None


def require_single_stdin(names: Sequence[str]) -> None:
    """Raise CommandError where standard input is to be read twice."""
    if names.count("-") > 1:
        raise CommandError("error: `-` is given twice; standard input can be read once")
