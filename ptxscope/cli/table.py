"""CSV files of operands and observations."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TextIO, TypeVar

from ..engine.errors import PtxError, printable
from . import CommandError

Read = TypeVar("Read")


def rows(file: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file, with the numbers of their lines; ``-`` is the input.

    Raises CommandError where it can't be read.
    """
    try:
        with nullcontext(sys.stdin) if file == "-" else _opened(file) as source:
            reader = csv.reader(source)
            for row in reader:
                yield reader.line_num, row
    except OSError as error:
        raise CommandError(f"error: {printable(file)}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise CommandError(f"error: {printable(file)} is not a CSV file: {error}") from None


def _opened(file: str) -> TextIO:
    return Path(file).open(encoding="utf-8-sig", newline="")


def cell(text: str, line: int, column: str, read: Callable[[str], Read]) -> Read:
    """What a cell says; an error names its line and column."""
    try:
        return read(text)
    except PtxError as error:
        where = f"line {line}, column {printable(column)}"
        raise CommandError(f"error: {where}: {printable(error.message)}") from None
