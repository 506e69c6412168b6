"""CSV files of operands and observations."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from ..engine.text.errors import PtxError, printable
from . import CommandError
from .inputs import MARK, called, opened

Read = TypeVar("Read")
_UNDECODED = re.compile("[\udc00-\udfff]")


def rows(file: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file, with the numbers of their lines; ``-`` is the input.

    Raises CommandError where it can't be read.
    """
    try:
        with opened(file, newline="", errors=MARK) as source:
            reader = csv.reader(source)
            header: list[str] = []
            for row in reader:
                header = header or row
                _require_text(row, header, reader.line_num)
                yield reader.line_num, row
    except csv.Error as error:
        raise CommandError(f"error: {called(file)} is not a CSV file: {error}") from None


def _require_text(row: list[str], header: list[str], line: int) -> None:
    """Raise CommandError where a cell has bytes that are no text, naming the first."""
    if not _UNDECODED.search("".join(row)):
        return
    at, found = next((at, x) for at, text in enumerate(row) if (x := _UNDECODED.search(text)))
    titled = row is not header and at < len(header) and header[at].strip()
    column = f"column {titled or at + 1}"
    byte = f"{ord(found[0]) - 0xDC00:#04x}"
    raise CommandError(f"error: line {line}, {column}: the byte {byte} is no text (UTF-8, UTF-16)")


def cell(text: str, line: int, column: str, read: Callable[[str], Read]) -> Read:
    """What a cell says; an error names its line and column."""
    try:
        return read(text)
    except PtxError as error:
        where = f"line {line}, column {printable(column)}"
        raise CommandError(f"error: {where}: {printable(error.message)}") from None
