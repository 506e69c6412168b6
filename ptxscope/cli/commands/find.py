"""``ptxscope find``: operands for which something happens."""

from __future__ import annotations

from collections.abc import Sequence

from ...documents.proofs.proof_report import iter_search_blocks, search_to_json
from ...engine.syntax.errors import format_install_hint
from ...proof.operand_conditions import OLD
from ...proof.operand_search import MAX_ANSWERS, find_operands
from ..support.arguments import (
    VALUES_HELP,
    Parser,
    add_model,
    add_report_format,
    choose_model,
    make_command_parser,
    parse_words,
    print_report,
)
from ..support.programs import PROGRAM_HELP, add_timeout, add_where, parse_program
from ..support.ptx_arguments import parse_assignments
from ..support.streams import CommandError, command_errors

_EPILOG = f"""\
A condition combines registers and their parts (a, d, a.b0, a.h1, a.signed), the rows of a trace by
key (operate.t[0]; `ptxscope trace -f json` names them), their flags (clamped, clamped_low,
clamped_high, wrapped, …), numbers, and Python's operators. Registers are unsigned, rows are the
numbers that the trace shows. {OLD}.d is d before.

examples:
  ptxscope find 'vadd4.s32.s32.s32.sat d, a, b, c' --where 'd == 0x7f7f7f7f' -n 3
  ptxscope find 'vadd4.s32.s32.s32.sat d, a, b, c' --where 'clamped(saturate.t[2])' b=0x00010000
  ptxscope find 'vmad.s32.s32.s32.sat.shr15 d, a, b, c' --where 'd == 0x12345678 and a == b'
  ptxscope find 'vavrg4.u32.u32.u32 d, a, b, c' --where 'd.b0 > a.b0 and d.b0 > b.b0'

Needs the extra `prove`: {format_install_hint("prove")}.

Exit status: 0 if operands are found, 1 if it is proved that there are none, 2 if the request is
invalid, 3 if undecided.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Find operands that meet a condition, or prove that there are none."
    parser = make_command_parser(
        "find", about, _EPILOG, usage="PTX --where CONDITION [name=value ...]"
    )
    parser.add_argument("ptx", metavar="PTX", help=PROGRAM_HELP)
    parser.add_argument("values", metavar="name=value", nargs="*", help=VALUES_HELP)
    add_where(parser, required=True)
    parser.add_argument(
        "-n", type=int, default=1, metavar="N", help="number of answers (default: 1)"
    )
    add_model(parser)
    add_timeout(parser)
    add_report_format(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the operands; the status says whether there are any."""
    arguments = parse_words(make_parser(), words)
    program = parse_program(arguments.ptx)
    if not 1 <= arguments.n <= MAX_ANSWERS:
        raise CommandError(f"error: -n {arguments.n}: 1 to {MAX_ANSWERS} answers can be found")
    with command_errors(ValueError, ImportError):
        search = find_operands(
            program,
            arguments.where,
            given=parse_assignments(program, arguments.values),
            model=choose_model(arguments.model),
            count=arguments.n,
            timeout=arguments.timeout,
        )
    print_report(arguments.format, iter_search_blocks(search), lambda: search_to_json(search))
    return 3 if search.is_undecided and not search.answers else int(not search.answers)
