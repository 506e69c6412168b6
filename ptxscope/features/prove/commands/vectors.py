"""``ptxscope vectors``: operands for tests, with the results of every model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....cli.support.arguments import Parser, add_format, make_command_parser, parse_words
from ....cli.support.file_arguments import InputName
from ....cli.support.picture_output import add_output, choose_format, is_printed, output_document
from ....cli.support.ptx_arguments import print_folding_notes
from ....cli.support.streams import CommandError, print_message, report_errors
from ....engine.semantics.models import PTXAS_MODELS
from ....engine.syntax.errors import format_count, format_install_hint, make_printable
from ..operand_sets import MAX_VECTORS, Vectors, make_vectors
from ..proof_report import format_seconds
from ..vector_files import FORMATS
from .programs import PROGRAM_HELP, add_timeout, parse_program

_COUNT = 100
_EPILOG = f"""\
The operands are edge cases of words and bytes, numbers close to each other, and random bits; they
are the same each time. With --cover, the first sets raise every flag of every row, take both sides
of every choice and show every erratum, with as few sets as could be found. Goals that no operands
reach are reported, with a proof. A result has a column for each model that may differ: d:isa,
d:ptxas-13.5.

examples:
  ptxscope vectors 'vadd.u32.s32.s32.sat d.b0, a, b, c' -n 1000 > vectors.csv
  ptxscope vectors 'vadd4.s32.s32.s32.sat d, a, b, c' --cover -f json
  ptxscope vectors 'vmad.s32.s32.s32.sat.shr15 d, a, b, c' --cover -n 50 -f c -o vectors.h

--cover needs the extra `prove`: {format_install_hint("prove")}.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = (
        "Generate operands for tests of compilers, emulators and ports, with every model's results."
    )
    parser = make_command_parser("vectors", about, _EPILOG, usage="PTX")
    parser.add_argument("ptx", type=InputName, metavar="PTX", help=PROGRAM_HELP)
    parser.add_argument(
        "-n",
        type=int,
        metavar="N",
        help=f"number of sets of operands (default: {_COUNT}; with --cover, as many as needed)",
    )
    parser.add_argument(
        "--cover", action="store_true", help="cover every flag, choice and erratum first"
    )
    add_format(parser, tuple(FORMATS), "csv")
    add_output(parser)
    add_timeout(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the sets, or write them to a file."""
    arguments = parse_words(make_parser(), words)
    choose_format(arguments, tuple(FORMATS), "csv")
    count = arguments.n if arguments.n is not None else 0 if arguments.cover else _COUNT
    if not 0 <= count <= MAX_VECTORS:
        raise CommandError(f"error: -n {count}: 0 to {MAX_VECTORS} sets can be made")
    if arguments.format == "npz" and is_printed(arguments.output):
        raise CommandError("error: npz needs a file: -o FILE")
    program = parse_program(arguments.ptx)
    print_folding_notes(program, PTXAS_MODELS[-1])
    with report_errors(ValueError, ImportError):
        vectors = make_vectors(
            program, count, is_covering=arguments.cover, timeout=arguments.timeout
        )
    output_document(FORMATS[arguments.format](vectors), arguments.format, arguments.output)
    if arguments.cover:
        for line in _iter_cover_lines(vectors):
            print_message(make_printable(line))
    return 0


def _iter_cover_lines(vectors: Vectors) -> Iterator[str]:
    sets = format_count(len(vectors.covers), "set")
    fewest = ", the fewest possible" if vectors.is_fewest and vectors.covers else ""
    goals = format_count(len({goal for goals in vectors.covers for goal in goals}), "goal")
    yield f"{sets}{fewest}, for {goals} in {format_seconds(vectors.seconds)} ({vectors.solver})"
    if vectors.impossible:
        yield f"no operands reach: {', '.join(vectors.impossible)}"
    if vectors.undecided:
        yield f"undecided: {', '.join(vectors.undecided)}"
