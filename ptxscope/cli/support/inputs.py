"""Text input of commands: a file or standard input, UTF-8 or UTF-16 by its first bytes; CSV."""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from stat import S_ISREG
from typing import IO, TYPE_CHECKING, Any, BinaryIO, TypeVar, cast

from ...engine.syntax.errors import PtxError, make_printable
from ...files import find_encoding, is_binary
from .streams import CommandError, report_file_errors

if TYPE_CHECKING:
    from .streams import ProgressBar

_HEAD = 1 << 12
"""Number of bytes for deciding whether an input is text."""
_BLOCK = 1 << 16
"""Bytes per read."""
MARK_ERRORS = "ptxscope.mark"
"""An error handler for undecodable bytes: each becomes U+DC00 plus its value, which no text has."""


def _mark_undecodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(0xDC00 + x) for x in error.object[error.start : error.end]), error.end


codecs.register_error(MARK_ERRORS, _mark_undecodable)


class _RewoundStream(io.RawIOBase):
    """A partly read stream from its beginning."""

    def __init__(self, start: bytes, stream: BinaryIO, bar: ProgressBar | None = None) -> None:
        self._start, self._stream, self._bar = start, stream, bar
        self._read_count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._start[: len(buffer)] or self._stream.read(len(buffer))
        self._start = self._start[len(data) :]
        buffer[: len(data)] = data
        self._read_count += len(data)
        if self._bar:
            self._bar.advance_to(self._read_count)
        return len(data)


def format_input_name(name: str) -> str:
    """Return the name of an input in messages."""
    return "standard input" if name == "-" else make_printable(name)


@contextmanager
def open_text(
    name: str,
    *,
    newline: str | None = None,
    errors: str = "replace",
    bar: ProgressBar | None = None,
) -> Iterator[IO[str]]:
    """Yield the text of a file, or of standard input if the name is ``-``.

    ``bar`` shows the bytes read, and any known total. Raise CommandError, also in the block, if the
    input cannot be read or is not text. The block must only read: every OSError in it counts as the
    input's.
    """
    shown_name = format_input_name(name)
    with report_file_errors(shown_name), _open_source(name) as source:
        if isinstance(source, io.TextIOBase):
            yield cast("IO[str]", source)
            return
        head = source.read(_HEAD)
        if name != "-" and is_binary(head):
            raise CommandError(f"error: {shown_name} is not a text file")
        if source.isatty():
            bar = None  # the user types
        elif bar:
            bar.total = _count_left_bytes(source, len(head))
        yield io.TextIOWrapper(
            io.BufferedReader(_RewoundStream(head, source, bar), _BLOCK),
            encoding=find_encoding(head),
            errors=errors,
            newline=newline,
        )


def _open_source(name: str) -> Any:
    """Return the bytes, or the text of a replaced standard input without bytes."""
    if not name:
        raise CommandError("error: '' is not a file name")
    if name != "-":
        try:
            return Path(name).open("rb")
        except IsADirectoryError:
            raise CommandError(
                f"error: {make_printable(name)} is a directory; name its files"
            ) from None
        except ValueError:
            raise CommandError(f"error: {make_printable(name)}: not a file name") from None
    return nullcontext(getattr(sys.stdin, "buffer", sys.stdin))


def _count_left_bytes(source: BinaryIO, read_count: int) -> int | None:
    """Return the bytes of a stream before ``read_count`` were read; None if unknown."""
    try:
        status = os.fstat(source.fileno())
        left_count = status.st_size - source.tell() + read_count if S_ISREG(status.st_mode) else 0
    except OSError:  # not a file
        return None
    return left_count if left_count > read_count else None


ValueT = TypeVar("ValueT")
_UNDECODED = re.compile("[\udc00-\udfff]")


CsvRow = tuple[int, list[str]]
"""The number of a row's last line, and its cells."""


def read_rows(file: str, bar: ProgressBar | None = None) -> Iterator[CsvRow]:
    """Yield the rows of a file; ``-`` is standard input. Raise CommandError on failure."""
    with open_text(file, newline="", errors=MARK_ERRORS, bar=bar) as source:
        reader, header = csv.reader(source), list[str]()
        try:
            for row in reader:
                header = header or row
                _require_text(row, header, reader.line_num)
                yield reader.line_num, row
        except csv.Error as error:
            name = format_input_name(file)
            raise CommandError(f"error: {name} is not a CSV file: {error}") from None


def _require_text(row: list[str], header: Sequence[str], line: int) -> None:
    """Raise CommandError, with the first byte, if a cell has bytes that are not text."""
    if not _UNDECODED.search("".join(row)):
        return
    index, bad_byte = next(
        (index, x) for index, text in enumerate(row) if (x := _UNDECODED.search(text))
    )
    titled = row is not header and index < len(header) and header[index].strip()
    column = f"column {titled or index + 1}"
    byte = f"{ord(bad_byte[0]) - 0xDC00:#04x}"
    raise CommandError(f"error: line {line}, {column}: the byte {byte} is not UTF-8 or UTF-16 text")


def parse_cell(text: str, line: int, column: str, parse: Callable[[str], ValueT]) -> ValueT:
    """Return a cell's value; an error names its line and column."""
    try:
        return parse(text)
    except PtxError as error:
        location = f"line {line}, column {make_printable(column)}"
        raise CommandError(f"error: {location}: {make_printable(error.message)}") from None
