"""``ptxscope eval``: results without a trace, of an evaluation, a CSV file or arrays."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from ...engine.isa.encodings import format_hex
from ...engine.semantics.models import Model
from ...engine.syntax.errors import make_printable
from ...engine.syntax.parser import OMISSION_PREFIX
from ...engine.tracing.basic_block import BasicBlock
from ..support.arguments import (
    Parser,
    add_instruction,
    add_model,
    choose_model,
    make_command_parser,
    parse_words,
)
from ..support.ptx_arguments import build_trace, parse_ptx
from ..support.streams import CommandError, print_message

_EPILOG = """\
A CSV file has a header and a column for each register that is read; other columns are unchanged. A
column for each destination is added (`NAME:out` if the file has a column of that name). The file is
streamed, so its size does not matter; the rows before an invalid one are printed. Arrays broadcast.
name=value supplies an operand that the file lacks, for all its rows.

examples:
  ptxscope eval 'vmad.s32.s32.s32 d, a.h0, -b.h1, c' a=3 b=0x20000 c=1
  ptxscope eval 'vadd4.u32.u32.u32.sat d, a, b, c' --csv operands.csv > results.csv
  ptxscope eval 'vmad.s32.s32.s32 d, a.h0, b.h1, c' c=5 --csv operands.csv > results.csv
  ptxscope eval 'vadd4.u32.u32.u32.sat d, a, b, c' b=0x01010101 --arrays a.npy --output d.npy
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Print the results of one evaluation, of a CSV file or of NumPy arrays."
    parser = make_command_parser("eval", about, _EPILOG, usage="PTX [name=value ...]")
    add_instruction(parser)
    add_model(parser)
    group = parser.add_argument_group("many evaluations")
    group.add_argument(
        "--csv",
        metavar="FILE",
        help="CSV file with a row for each set of operands; - is standard input",
    )
    group.add_argument(
        "--arrays",
        metavar="FILE",
        help="NumPy file of operands: .npz with arrays by name, or .npy with one array",
    )
    group.add_argument(
        "-o", "--output", metavar="FILE", help="output file of --arrays: .npy or .npz"
    )
    return parser


def run(words: Sequence[str]) -> int:
    """Print the results."""
    arguments = parse_words(make_parser(), words)
    model, ins = choose_model(arguments.model), parse_ptx(arguments.ptx)
    for note in (*ins.notes, *ins.statements[0].instruction.notes):
        if note.startswith(OMISSION_PREFIX):
            print_message(f"note: {note}")
    if not ins.results:
        raise CommandError(
            f"error: {make_printable(str(ins))} has no result to print: its destination is `_`"
        )
    if (arguments.csv, arguments.arrays, arguments.output) != (None, None, None):
        _evaluate_table(ins, model, arguments)
        return 0
    result = build_trace(ins, arguments.values, model).result
    for role, name in ins.results.items():
        print(f"{name}={format_hex(result[name], ins.type_of(role).bits)}")
    return 0


def _evaluate_table(ins: BasicBlock, model: Model, arguments: Namespace) -> None:
    from ...feature import Service, find_services

    if not (services := find_services(Service.EVALUATE_TABLE)):
        raise CommandError("error: --csv, --arrays and -o: no feature here evaluates tables")
    services[0](ins, model, arguments)
