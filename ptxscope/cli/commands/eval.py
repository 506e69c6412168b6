"""``ptxscope eval``: results only, of one evaluation, a CSV file of operands, or arrays."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from types import MappingProxyType
from typing import Any, cast

from ...engine.extras import format_install_hint
from ...engine.isa.types import Type
from ...engine.semantics.models import Model
from ...engine.syntax.errors import printable
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.parser import LEFT_OUT
from ...engine.syntax.values import hex_text, parse_value
from ...engine.tracing.evaluation import ENGINES, evaluate
from .. import CommandError
from ..support.arguments import (
    Parser,
    add_instruction,
    add_model,
    bits_by_name,
    chosen_model,
    instruction,
    operand_types,
    parsed,
    parser,
    titled,
    traced,
)
from ..support.csv_rows import Lines, Row, cell, pieces
from ..support.streams import say

_EPILOG = """\
A CSV file has a header and a column per register that is read; other columns are kept. A
column per destination is added (`NAME:out` where the register is read as well). The file is
streamed, so its size does not matter; where a row is wrong, those before it are printed. Arrays
broadcast; name=value gives what a file of --csv or --arrays lacks, to all its rows.

examples:
  ptxscope eval 'vmad.s32.s32.s32 d, a.h0, -b.h1, c' a=3 b=0x20000 c=1
  ptxscope eval 'vadd4.u32.u32.u32.sat d, a, b, c' --csv operands.csv > results.csv
  ptxscope eval 'vmad.s32.s32.s32 d, a.h0, b.h1, c' c=5 --csv operands.csv > results.csv
  ptxscope eval 'vadd4.u32.u32.u32.sat d, a, b, c' b=0x01010101 --arrays a.npy --output d.npy
"""
Writer = Any
"""What ``csv.writer`` makes; it has no name."""
Computed = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""An instruction on arrays: results by name for operands by name."""
_ROWS = 1 << 14
"""Rows that are evaluated together."""


def arguments() -> Parser:
    """What it takes."""
    to = parser("eval", "Print results only.", _EPILOG)
    add_instruction(to)
    add_model(to)
    to.add_argument("--csv", metavar="FILE", help="operands, a row each; - is stdin")
    to.add_argument(
        "--arrays",
        metavar="FILE",
        help="operands as NumPy's arrays: a .npz file has them by name, a .npy file one",
    )
    to.add_argument("-o", "--output", metavar="FILE", help="a .npy or .npz file for --arrays")
    to.add_argument(
        "--engine",
        choices=ENGINES,
        help="what computes --csv and --arrays: numpy (default), or llvm, machine code, which pays "
        f"for tens of millions of results; to install it, {format_install_hint('llvm')}",
    )
    return to


def run(words: Sequence[str]) -> int:
    """Print the results."""
    chosen = parsed(arguments(), words)
    model, ins = chosen_model(chosen.model), instruction(chosen.ptx)
    for note in ins.notes:
        if note.startswith(LEFT_OUT):
            say(f"note: {note}")
    if not ins.results:
        raise CommandError(
            f"error: {printable(str(ins))} has no result to print: its destination is `_`"
        )
    if (chosen.arrays is None) != (chosen.output is None):
        raise CommandError(
            "error: --arrays says what to read, --output where to write: give both; "
            "what --csv gives is printed, and is redirected with >"
        )
    if chosen.arrays is not None:
        if chosen.csv is not None:
            raise CommandError("error: operands come from --csv or from --arrays, not from both")
        from ..support.array_files import answer

        answer(
            ins, _computed(ins, model, chosen.engine), chosen.values, chosen.arrays, chosen.output
        )
        return 0
    if chosen.csv is None:
        if chosen.engine is not None:
            raise CommandError(
                "error: --engine is what computes --csv or --arrays: give one of them"
            )
        for name, bits in _results(traced(ins, chosen.values, model).result, ins):
            print(f"{name}={bits}")
        return 0
    given = bits_by_name(ins, chosen.values)
    from ..support.progress_bar import Bar

    with Bar(prints=True) as bar:
        bar.begin("evaluating")
        table = pieces(chosen.csv, _ROWS, bar)
        _stream(ins, _computed(ins, model, chosen.engine), table, given)
    return 0


def _computed(ins: Instruction, model: Model, engine: str | None) -> Computed:
    """What gives results by name for arrays by name."""
    if engine == "llvm":
        from ...engine.arrays.llvm_backend import llvm

        try:
            llvm()
        except ImportError as error:
            raise CommandError(f"error: {error}") from None
    return partial(evaluate, ins, model=model, engine=engine or ENGINES[0])


def _results(found: Mapping[str, int], ins: Instruction) -> Iterator[tuple[str, str]]:
    for role, name in ins.results.items():
        yield name, hex_text(found[name], ins.type_of(role).bits)


def _stream(
    ins: Instruction,
    computed: Computed,
    table: Iterator[Row | Lines],
    given: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Print the rows of a table, each with its results; what is given holds for all of them."""
    first = next(table, None)
    if first is None:
        raise CommandError("error: the CSV file is empty; its first line names the registers")
    assert not isinstance(first, Lines)
    _, header = first
    columns = _columns(ins, header)
    where = {x.name: columns[x.name] for x in ins.inputs if x.name in columns}
    for name in given:
        if name in columns:
            raise CommandError(
                f"error: {printable(name)} has a value and is a column of the CSV file"
            )
    for needed in ins.inputs:
        if needed.name not in where and needed.name not in given:
            raise CommandError(
                f"error: the CSV file has no column {printable(needed.name)}; "
                f"it has {printable(', '.join(header))}"
            )
    added = [f"{name}:out" if name in columns else name for name in ins.results.values()]
    for name in added:
        if name in header:
            raise CommandError(
                f"error: the CSV file has a column {printable(name)}, which is to be added"
            )
    if given:
        computed = _with(computed, given)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*header, *added])
    for plain, group in groupby(table, lambda piece: isinstance(piece, Lines)):
        if plain:
            for lines in group:
                assert isinstance(lines, Lines)
                if not _evaluate_lines(ins, computed, where, len(header), lines):
                    _evaluate_rows(ins, computed, where, _filled(lines.rows(), len(header)), out)
        else:
            rows = cast("Iterator[Row]", group)
            _evaluate_rows(ins, computed, where, _filled(rows, len(header)), out)


def _with(computed: Computed, given: Mapping[str, int]) -> Computed:
    """What computes where some operands have one value for all rows."""
    return lambda values: computed({**given, **values})


def _columns(ins: Instruction, header: list[str]) -> dict[str, int]:
    """Where each register's column is."""
    columns: dict[str, int] = {}
    for at, title in enumerate(header):
        for name in titled(ins, title.strip()):
            if name in columns:
                both = f"`{header[columns[name]].strip()}` and `{title.strip()}`"
                raise CommandError(
                    f"error: the CSV file has two columns for {printable(name)}: {printable(both)}"
                )
            columns[name] = at
    return columns


def _filled(table: Iterator[Row], width: int) -> Iterator[Row]:
    """The rows that are not empty, as wide as the header: what is added stands below its title."""
    for number, row in table:
        if len(row) > width:
            raise CommandError(
                f"error: line {number}: there are {len(row)} values for {width} columns"
            )
        if row:
            yield number, row + [""] * (width - len(row))


def _evaluate_lines(
    ins: Instruction, computed: Computed, columns: dict[str, int], width: int, lines: Lines
) -> bool:
    """Print lines with their results; False where they hold more than plain integers."""
    from ..support.csv_columns import answered

    types = operand_types(ins)
    found = answered(
        lines.text.encode("ascii"),
        width,
        {name: (at, types[name]) for name, at in columns.items()},
        [(name, ins.type_of(role).bits) for role, name in ins.results.items()],
        computed,
    )
    if found is not None:
        sys.stdout.write(found.decode("ascii"))
    return found is not None


def _evaluate_rows(
    ins: Instruction,
    computed: Computed,
    columns: dict[str, int],
    filled: Iterator[Row],
    out: Writer,
) -> None:
    """Print rows with their results, so many at a time; those before one that is wrong, too."""
    types = operand_types(ins)
    read = {name: partial(parse_value, type_=types[name]) for name in columns}

    def operands(rows: Sequence[Row]) -> dict[str, list[int]]:
        return {
            name: [_cell(row, at, name, read[name], line) for line, row in rows]
            for name, at in columns.items()
        }

    while True:
        block, failure = _some(filled)
        try:
            values = operands(block)
        except CommandError:
            block, failure = _some(row for row in block if operands([row]))
            values = operands(block)
        if block:
            _print_block(ins, computed, types, values, block, out)
        if failure is not None:
            raise failure
        if not block:
            return


def _some(rows: Iterator[Row]) -> tuple[list[Row], CommandError | None]:
    """The next rows, so many or up to one that is wrong; and what is wrong with it."""
    block: list[Row] = []
    try:
        for row in islice(rows, _ROWS):
            block.append(row)  # noqa: PERF402 - what was read is kept where the next is wrong
    except CommandError as error:
        return block, error
    return block, None


def _print_block(
    ins: Instruction,
    computed: Computed,
    types: Mapping[str, Type],
    values: Mapping[str, Sequence[int]],
    block: list[Row],
    out: Writer,
) -> None:
    import numpy as np

    from ...engine.arrays.block_runner import storage

    found = computed({name: np.array(x, storage(types[name])) for name, x in values.items()})
    widths = [ins.type_of(role).bits for role in ins.results]
    shape = (len(block),)
    results = [np.broadcast_to(found[name], shape).tolist() for name in ins.results.values()]
    for at, (_, row) in enumerate(block):
        out.writerow(
            [*row, *(hex_text(int(x[at]), w) for x, w in zip(results, widths, strict=True))]
        )


def _cell(row: list[str], at: int, name: str, read: Callable[[str], int], line: int) -> int:
    if not row[at].strip():
        raise CommandError(f"error: line {line} has no value for {name}")
    return cell(row[at], line, name, read)
