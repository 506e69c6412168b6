"""A request for many evaluations: the arguments of ``eval`` that name a file."""

from __future__ import annotations

from argparse import Namespace
from functools import partial

from ...cli.commands.eval import EVAL_EXAMPLES, make_values_parser
from ...cli.support.arguments import Parser
from ...cli.support.file_arguments import InputName, OutputName
from ...cli.support.ptx_arguments import parse_assignments
from ...cli.support.streams import CommandError
from ...engine.semantics.models import Model
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.evaluation import evaluate_plan

_ABOUT = "Print the results of one evaluation, of a CSV file or of NumPy arrays."
_EPILOG = f"""\
A CSV file has a header and a column for each register that is read; other columns are unchanged. A
column for each destination is added (`NAME:out` if the file has a column of that name). The file is
streamed, so its size does not matter; the rows before an invalid one are printed. Arrays broadcast.
name=value supplies an operand that the file lacks, for all its rows.

examples:
{EVAL_EXAMPLES}\
  ptxscope eval 'vadd4.u32.u32.u32.sat d, a, b, c' --csv operands.csv > results.csv
  ptxscope eval 'vmad.s32.s32.s32 d, a.h0, b.h1, c' c=5 --csv operands.csv > results.csv
  ptxscope eval 'vadd4.u32.u32.u32.sat d, a, b, c' b=0x01010101 --arrays a.npy --output d.npy
"""


def make_parser() -> Parser:
    """Return the parser of ``ptxscope eval``, with the options of tables."""
    parser = make_values_parser(_ABOUT, _EPILOG)
    group = parser.add_argument_group("many evaluations")
    group.add_argument(
        "--csv",
        type=InputName,
        metavar="FILE",
        help="CSV file with a row for each set of operands; - is standard input",
    )
    group.add_argument(
        "--arrays",
        type=InputName,
        metavar="FILE",
        help="NumPy file of operands: .npz with arrays by name, or .npy with one array",
    )
    group.add_argument(
        "-o",
        "--output",
        type=OutputName,
        metavar="FILE",
        help="output file of --arrays: .npy or .npz",
    )
    return parser


def evaluate_table(ins: BasicBlock, model: Model, arguments: Namespace) -> bool:
    """Print the rows of a CSV file with their results, or write the results of arrays to a file.

    Return whether the arguments name either.
    """
    if (arguments.csv, arguments.arrays, arguments.output) == (None, None, None):
        return False
    if (arguments.arrays is None) != (arguments.output is None):
        raise CommandError(
            "error: --arrays and --output must be given together; "
            "the results of --csv are printed, so redirect them with >"
        )
    evaluate = partial(evaluate_plan, ins, ins.make_plan, model=model)
    if arguments.arrays is None:
        from .csv_results import print_rows

        inputs = parse_assignments(ins, arguments.values)
        print_rows(ins, evaluate, arguments.csv, inputs)
        return True
    if arguments.csv is not None:
        raise CommandError("error: operands come from --csv or from --arrays, not from both")
    from .array_results import evaluate_file

    evaluate_file(ins, evaluate, arguments.values, arguments.arrays, arguments.output)
    return True
