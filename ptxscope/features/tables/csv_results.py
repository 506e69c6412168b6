"""Results for the rows of a CSV file, printed with the rows."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any

from ...cli.support.inputs import CsvRow, parse_cell, read_rows
from ...cli.support.ptx_arguments import find_column_operands, map_operand_types
from ...cli.support.streams import CommandError, ProgressBar
from ...engine.isa.encodings import format_hex, get_limits
from ...engine.isa.types import Type
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Signature
from ...engine.syntax.values import parse_value

_PLAIN_CHARACTERS = frozenset("0123456789abcdefABCDEFxX-")
"""Characters of the integers that `int` reads as ``parse_value`` does."""
Writer = Any
"""The type of ``csv.writer(...)``, which has no name."""
Evaluator = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""An instruction on arrays: results by name for operands by name."""
_ROWS = 1 << 14
"""Rows per evaluation."""


def print_rows(ins: Signature, evaluate: Evaluator, file: str, inputs: Mapping[str, int]) -> None:
    """Print the rows of a file, each with its results; ``inputs`` values hold for all rows."""
    with ProgressBar(is_printing=True) as bar:
        bar.begin("evaluating")
        _stream_rows(ins, evaluate, read_rows(file, bar), inputs)


def _stream_rows(
    ins: Signature,
    evaluate: Evaluator,
    table: Iterator[CsvRow],
    inputs: Mapping[str, int],
) -> None:
    first = next(table, None)
    if first is None:
        raise CommandError("error: the CSV file is empty; its first line names the registers")
    _, header = first
    columns = _map_columns(ins, header)
    operand_columns = {x.name: columns[x.name] for x in ins.inputs if x.name in columns}
    for name in inputs:
        if name in columns:
            raise CommandError(
                f"error: {make_printable(name)} has a value and a column in the CSV file"
            )
    for operand in ins.inputs:
        if operand.name not in operand_columns and operand.name not in inputs:
            raise CommandError(
                f"error: the CSV file has no column {make_printable(operand.name)}; "
                f"it has {make_printable(', '.join(header))}"
            )
    added = [f"{name}:out" if name in columns else name for name in ins.results.values()]
    for name in added:
        if name in header:
            raise CommandError(
                f"error: the CSV file has a column {make_printable(name)}, the name of a column "
                "that would be added"
            )
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*header, *added])
    _evaluate_rows(
        ins,
        lambda values: evaluate({**inputs, **values}),
        operand_columns,
        _fill_rows(table, len(header)),
        writer,
    )


def _map_columns(ins: Signature, header: list[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for index, title in enumerate(header):
        for name in find_column_operands(ins, title.strip()):
            if name in columns:
                titles = f"`{header[columns[name]].strip()}` and `{title.strip()}`"
                raise CommandError(
                    f"error: the CSV file has two columns for {make_printable(name)}: "
                    f"{make_printable(titles)}"
                )
            columns[name] = index
    return columns


def _fill_rows(table: Iterator[CsvRow], width: int) -> Iterator[CsvRow]:
    """Yield the rows that are not empty, padded to the header: results are below their titles."""
    for number, row in table:
        if len(row) > width:
            raise CommandError(
                f"error: line {number}: there are {len(row)} values for {width} columns"
            )
        if row:
            yield number, row + [""] * (width - len(row))


def _evaluate_rows(
    ins: Signature,
    evaluate: Evaluator,
    columns: dict[str, int],
    rows: Iterator[CsvRow],
    writer: Writer,
) -> None:
    """Print rows with their results, block by block, including those before a wrong row."""
    types = map_operand_types(ins)

    def operands(rows: Sequence[CsvRow]) -> dict[str, list[int]]:
        return {
            name: _parse_column(rows, index, name, types[name]) for name, index in columns.items()
        }

    while True:
        block, failure = _take_rows(rows)
        try:
            values = operands(block)
        except CommandError:
            block, failure = _take_rows(row for row in block if operands([row]))
            values = operands(block)
        if block:
            _print_block(ins, evaluate, types, values, block, writer)
        if failure is not None:
            raise failure
        if not block:
            return


def _take_rows(rows: Iterator[CsvRow]) -> tuple[list[CsvRow], CommandError | None]:
    """Return the next block of rows, or those up to a wrong one, and the error."""
    block: list[CsvRow] = []
    try:
        for row in islice(rows, _ROWS):
            block.append(row)  # noqa: PERF402 - the rows before a wrong one are kept
    except CommandError as error:
        return block, error
    return block, None


def _print_block(
    ins: Signature,
    evaluate: Evaluator,
    types: Mapping[str, Type],
    values: Mapping[str, Sequence[int]],
    block: list[CsvRow],
    writer: Writer,
) -> None:
    import numpy as np

    from ...engine.arrays.call_sequence import get_storage_dtype

    results = evaluate(
        {name: np.array(x, get_storage_dtype(types[name])) for name, x in values.items()}
    )
    widths = [ins.type_of(role).bits for role in ins.results]
    arrays = [np.broadcast_to(results[name], len(block)) for name in ins.results.values()]
    columns = (
        [format_hex(int(bits), width) for bits in array.tolist()]
        for array, width in zip(arrays, widths, strict=True)
    )
    writer.writerows([*row, *texts] for (_, row), *texts in zip(block, *columns, strict=True))


def _parse_column(rows: Sequence[CsvRow], index: int, name: str, type_: Type) -> list[int]:
    """Return the values of a column; an error names line and column."""
    cells = [row[index] for _, row in rows]
    if not type_.is_float and _PLAIN_CHARACTERS.issuperset("".join(cells)):
        with suppress(ValueError):  # an empty cell, a leading zero, a sign in the middle
            values = [int(cell, 0) for cell in cells]
            low = get_limits(type_.bits, signed=True).low
            high = get_limits(type_.bits, signed=False).high
            if not values or (low <= min(values) and max(values) <= high):
                return [value & high for value in values]
    parse = partial(parse_value, type_=type_)
    for line, row in rows:
        if not row[index].strip():
            raise CommandError(f"error: line {line} has no value for {name}")
    return [parse_cell(row[index], line, name, parse) for line, row in rows]
