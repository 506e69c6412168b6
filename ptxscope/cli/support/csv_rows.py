"""CSV files of operands and observations."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from ...engine.syntax.errors import PtxError, make_printable
from .command_error import CommandError
from .inputs import MARK_ERRORS, format_input_name, open_text

if TYPE_CHECKING:
    from .progress_bar import ProgressBar

ValueT = TypeVar("ValueT")
_UNDECODED = re.compile("[\udc00-\udfff]")


CsvRow = tuple[int, list[str]]
"""The number of a row's last line, and its cells."""


def read_rows(file: str, bar: ProgressBar | None = None) -> Iterator[CsvRow]:
    """Yield the rows of a file; ``-`` is the input. Raise CommandError if it cannot be read."""
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
