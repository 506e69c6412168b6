"""``ptxscope explain``: possible causes of an observed value."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from ...blocks.block_explanations import explain_block
from ...diagnosis.explanations import Diagnosis
from ...diagnosis.observation import Observation, Observed, parse_got, parse_observed
from ...documents.formats.diagnosis_report import (
    diagnosis_to_json,
    iter_diagnosis_blocks,
    iter_unexplained_blocks,
)
from ...documents.formats.report import write_report
from ...engine.syntax.asm_bindings import find_reading_type, read_bindings_of
from ...engine.syntax.errors import (
    Problem,
    PtxError,
    format_count,
    format_existence,
    make_printable,
)
from ...engine.syntax.instruction import Signature
from ...engine.syntax.values import parse_value
from ..support.arguments import (
    Parser,
    add_instruction,
    add_report_format,
    make_command_parser,
    parse_words,
    print_report,
)
from ..support.inputs import parse_cell, read_rows
from ..support.ptx_arguments import (
    bind_operands,
    complete_example,
    find_column_operands,
    map_operand_types,
    parse_assignments,
    parse_ptx,
)
from ..support.streams import CommandError, print_message, report_errors

_EPILOG = """\
Write ? for an unknown digit of an observed value: 0x??01??00. A CSV file of observations has a
column for each register that is read, and `got` (or a column for each destination).

examples:
  ptxscope explain 'vadd.u32.s32.s32.sat %0.b0, %1, %2, %3' \\
      %1=-1 %2=0 %3=0x11223344 --got 0x112233ff
  ptxscope explain 'vset4.s32.s32.lt d, a, b, c' a=1 b=2 c=0 --got '0x??????01'
  ptxscope explain 'setp.lt.s32 p|q, a, b' a=1 b=2 --got p=0 --got q=1
  ptxscope explain 'vmin4.s32.s32.s32 d, a, b, c' a=0x80 b=1 --got 1 --brief
  ptxscope explain 'vmad.s32.u32.u32 %0, -%1.h0, %2.h0, %3' --observations seen.csv

Exit status: 0 if the result is explained, 1 if nothing explains it, 2 if the request is invalid.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Find the reason for an unexpected result."
    parser = make_command_parser("explain", about, _EPILOG, usage="PTX [name=value ...]")
    add_instruction(parser)
    add_observed_results(parser)
    parser.add_argument("--all", action="store_true", help="show all explanations")
    parser.add_argument(
        "--brief",
        action="store_true",
        help="at most 15 lines of text: the most likely explanations, without traces",
    )
    add_report_format(parser)
    return parser


def add_observed_results(parser: Parser) -> None:
    """Add the options ``--got`` and ``--observations``."""
    parser.add_argument(
        "--got",
        action="append",
        default=[],
        metavar="VALUE",
        help="observed result; NAME=VALUE if there are two destinations; repeatable",
    )
    parser.add_argument(
        "--observations", metavar="FILE", help="CSV file of observations; - is standard input"
    )


def run(words: Sequence[str]) -> int:
    """Print the explanations of the observations."""
    arguments = parse_words(make_parser(), words)
    diagnosis = explain_observations(arguments)
    blocks = iter_diagnosis_blocks(diagnosis, with_all=arguments.all, is_brief=arguments.brief)
    print_report(arguments.format, blocks, lambda: diagnosis_to_json(diagnosis))
    if arguments.format == "json":
        if not diagnosis.explanations:
            print_message(write_report(iter_unexplained_blocks(diagnosis)).rstrip("\n"))
    elif not arguments.brief and has_alternatives(diagnosis):
        from ...feature import Service, find_services  # most results have one explanation

        for follow in find_services(Service.FOLLOW_EXPLANATION):
            if text := write_report(follow(diagnosis), arguments.format).strip("\n"):
                sys.stdout.write(f"\n{text}\n")
    return int(not diagnosis.explanations)


def has_alternatives(diagnosis: Diagnosis) -> bool:
    """Whether several explanations of one instruction are equally likely."""
    return len(diagnosis.block.statements) == 1 and len(diagnosis.likeliest) > 1


def explain_observations(arguments: argparse.Namespace) -> Diagnosis:
    """Return the explanations of the observed results of an instruction."""
    if arguments.observations is None:
        complete_example(arguments)
    block = parse_ptx(arguments.ptx)
    if not block.results:
        raise CommandError("error: the instruction discards its result, so nothing can be observed")
    if bool(arguments.got) == (arguments.observations is not None):
        advice = "only one of them" if arguments.got else "the observed result"
        raise CommandError(f"error: give {advice}: --got VALUE, or --observations FILE.csv")
    return explain_block(block, tuple(_iter_observations(block, arguments)))


def _iter_observations(ins: Signature, arguments: argparse.Namespace) -> Iterator[Observation]:
    inputs = parse_assignments(ins, arguments.values)
    if arguments.observations is None:
        yield Observation(bind_operands(ins, inputs), _parse_observed(ins, arguments.got))
    else:
        yield from iter_file_observations(ins, inputs, arguments.observations)


def _parse_observed(ins: Signature, texts: Sequence[str]) -> dict[str, Observed]:
    results: dict[str, Observed] = {}
    for text_ in texts:
        with report_errors():
            role, observed = parse_got(ins, _replace_variable_name(ins, text_), find_reading_type)
            if role in results:
                problem = Problem(f"`{ins.results[role]}` is observed twice", (0, len(text_)))
                raise PtxError(text_, (problem,))
        results[role] = observed
    return results


def _replace_variable_name(ins: Signature, text_: str) -> str:
    """Return ``NAME=VALUE`` with the destination's name instead of its C variable's."""
    name, equals, value = text_.partition("=")
    outputs = read_bindings_of(ins).outputs.get(name.strip(), ())
    names = [x for x in outputs if x in ins.results.values()]
    return f"{names[0]}={value}" if equals and names else text_


# --- a file of observations --------------------------------------------------------------


class _Columns(NamedTuple):
    """The columns of a file by their index in a row; other columns are ignored."""

    titles: list[str]
    register_names: dict[int, tuple[str, ...]]
    """The names of the registers to read: several if they share a C variable."""
    roles: dict[int, str]
    """The roles of the observed destinations."""


def iter_file_observations(
    ins: Signature, inputs: Mapping[str, int], file: str
) -> Iterator[Observation]:
    """Yield a file's observations, one per row, with the common operands ``inputs``."""
    table = [(number, row) for number, row in read_rows(file) if any(map(str.strip, row))]
    if len(table) < 2:
        raise CommandError(
            f"error: {make_printable(file)} has no observations; the first line names the columns"
        )
    (_, titles), *observations = table
    columns = _map_columns(ins, titles)
    _require_distinct(ins, inputs, columns, file)
    for number, row in observations:
        yield _parse_row(ins, inputs, columns, number, row)


def _map_columns(ins: Signature, titles: Sequence[str]) -> _Columns:
    columns = _Columns([title.strip().removeprefix("\ufeff") for title in titles], {}, {})
    for index, title in enumerate(columns.titles):
        if role := _find_observed_role(ins, title):
            columns.roles[index] = role
        elif names := find_column_operands(ins, title):
            columns.register_names[index] = names
    return columns


def _require_distinct(
    ins: Signature, inputs: Mapping[str, int], columns: _Columns, file: str
) -> None:
    """Raise CommandError without an observed column, or if a name occurs twice."""
    if not columns.roles:
        expected_titles = " or ".join(dict.fromkeys(["got", *ins.results.values()]))
        raise CommandError(
            f"error: {make_printable(file)} has no column {make_printable(expected_titles)}; "
            f"it has {make_printable(', '.join(columns.titles))}"
        )
    titles = [f"{ins.results[role]} as observed" for role in columns.roles.values()]
    names = [*chain.from_iterable(columns.register_names.values()), *titles]
    for name in names:
        if names.count(name) > 1:
            raise CommandError(
                f"error: {make_printable(file)} has two columns for {make_printable(name)}"
            )
        if name in inputs:
            raise CommandError(
                f"error: {make_printable(name)} is given, and a column of the file too"
            )


def _parse_row(
    ins: Signature, inputs: Mapping[str, int], columns: _Columns, number: int, row: Sequence[str]
) -> Observation:
    """Return the observation of a row; an empty cell has no value."""
    line_prefix = f"line {number}: "
    if len(row) > len(columns.titles):
        names = (
            f"{format_existence(len(row), 'value')} for "
            f"{format_count(len(columns.titles), 'column')}"
        )
        raise CommandError(f"error: {line_prefix}{names}")
    types = map_operand_types(ins)
    bits, results = dict(inputs), dict[str, Observed]()
    for index, text_ in enumerate(row):
        if not text_.strip():
            continue
        for name in columns.register_names.get(index, ()):
            value = partial(parse_value, type_=types[name])
            bits[name] = parse_cell(text_, number, columns.titles[index], value)
        if role := columns.roles.get(index):
            parse_cell_text = partial(parse_observed, type_=find_reading_type(ins, role))
            results[role] = parse_cell(text_, number, columns.titles[index], parse_cell_text)
    if not any(value.known_mask for value in results.values()):
        raise CommandError(f"error: {line_prefix}nothing was observed")
    return Observation(bind_operands(ins, bits, line_prefix), results)


def _find_observed_role(ins: Signature, title: str) -> str | None:
    """Return the role of the destination that a column observes.

    Its title is ``got`` for a single destination, ``got:NAME``, ``NAME:out`` as written by
    ``eval``, or NAME if that is not a source.
    """
    if title == "got" and len(ins.results) == 1:
        return next(iter(ins.results))
    name = title.removeprefix("got:").removesuffix(":out")
    if name == title and name in {x.name for x in ins.inputs}:
        return None
    return next((role for role, x in ins.results.items() if name in (x, x.removeprefix("%"))), None)
