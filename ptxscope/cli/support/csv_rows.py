"""CSV files of operands and observations."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from ...engine.records import NamedTuple
from ...engine.syntax.errors import PtxError, make_printable
from .command_error import CommandError
from .inputs import MARK_ERRORS, format_input_name, open_text

if TYPE_CHECKING:
    from .progress_bar import ProgressBar

ValueT = TypeVar("ValueT")
_UNDECODED = re.compile("[\udc00-\udfff]")


CsvRow = tuple[int, list[str]]
"""The number of a row's last line, and its cells."""


def read_rows(file: str) -> Iterator[CsvRow]:
    """Yield the rows of a file; ``-`` is the input. Raise CommandError if it cannot be read."""
    with open_text(file, newline="", errors=MARK_ERRORS) as source:
        yield from _iter_rows(source, file)


def _iter_rows(
    source: Iterable[str], file: str, line_offset: int = 0, header: Sequence[str] = ()
) -> Iterator[CsvRow]:
    """Yield the rows; ``line_offset`` lines come before the first."""
    reader = csv.reader(source)
    try:
        for row in reader:
            header = header or row
            _require_text(row, header, line_offset + reader.line_num)
            yield line_offset + reader.line_num, row
    except csv.Error as error:
        raise CommandError(f"error: {format_input_name(file)} is not a CSV file: {error}") from None


class CsvBlock(NamedTuple):
    """Whole lines of ASCII without quotes or carriage returns, unchanged."""

    file: str
    line_offset: int
    """The number of lines before them."""
    size: int
    """The number of lines."""
    text: str

    def iter_rows(self) -> Iterator[CsvRow]:
        """Yield their cells."""
        return _iter_rows(self.text.split("\n")[:-1], self.file, self.line_offset)


_CHUNK = 1 << 21
_MAX_HELD_CHARS = 1 << 23
"""Maximum characters held at once, however long the lines are."""


def read_pieces(
    file: str, count: int, bar: ProgressBar | None = None
) -> Iterator[CsvRow | CsvBlock]:
    """Yield the header, then blocks of plain lines, then the remaining rows.

    The blocks end before the first line that is not plain. A block has a multiple of ``count``
    lines. Raise CommandError if the file cannot be read.
    """
    with open_text(file, newline="", errors=MARK_ERRORS, bar=bar) as source:
        for line_offset, header in _iter_rows(source, file):
            yield line_offset, header
            break
        else:
            return
        pending_text, has_more = "", True
        while has_more and len(pending_text) < _MAX_HELD_CHARS:
            chunk = source.read(_CHUNK)
            pending_text, has_more = pending_text + chunk, bool(chunk)
            if pending_text and not has_more and not pending_text.endswith("\n"):
                pending_text += "\n"
            parts = _split_plain_lines(pending_text, count if has_more else 1)
            if parts is None:
                break
            lines, pending_text = CsvBlock(file, line_offset, *parts[:2]), parts[2]
            if lines.size:
                yield lines
            line_offset += lines.size
        if pending_text:
            yield from _iter_rows(
                chain(io.StringIO(pending_text, newline=""), source), file, line_offset, header
            )


def _split_plain_lines(text: str, count: int) -> tuple[int, str, str] | None:
    """Return as many plain lines as are a multiple of ``count``, their number, and the rest.

    Return None if one of them is not plain.
    """
    cut = text.rfind("\n") + 1
    lines = text[:cut]
    if "\r" in lines:
        lines = lines.replace("\r\n", "\n")
    if not lines.isascii() or '"' in lines or "\r" in lines:
        return None
    line_count = lines.count("\n")
    kept_count = line_count - line_count % count
    end = len(lines) if kept_count == line_count else _find_line_start(lines, kept_count)
    return kept_count, lines[:end], lines[end:] + text[cut:]


def _find_line_start(text: str, count: int) -> int:
    """Return the position after ``count`` lines; the text has at least as many."""
    low, high = 0, len(text) if count else 0
    while high - low > 1:
        middle = (low + high) // 2
        position = text.count("\n", low, middle)
        if position < count:
            low, count = middle, count - position
        else:
            high = middle
    return high


def _require_text(row: list[str], header: Sequence[str], line: int) -> None:
    """Raise CommandError if a cell has bytes that are not text, naming the first."""
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
