"""``ptxscope find``: operands for which a condition holds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ....cli.commands.explain import add_observed_results, explain_observations, has_alternatives
from ....cli.support.arguments import (
    Parser,
    add_model,
    add_report_format,
    add_values,
    choose_model,
    make_command_parser,
    parse_words,
    print_report,
)
from ....cli.support.ptx_arguments import parse_assignments, print_folding_notes
from ....cli.support.streams import CommandError, report_errors
from ....engine.syntax.errors import format_install_hint
from ..next_operands import find_next_operands
from ..next_report import iter_next_blocks, next_to_json
from ..operand_conditions import OLD
from ..operand_search import MAX_ANSWERS, find_operands
from ..proof_report import iter_search_blocks, search_to_json
from .programs import PROGRAM_HELP, add_timeout, add_where, parse_program

_EPILOG = f"""\
A condition combines registers and their parts (a, d, a.b0, a.h1, a.signed), the rows of a trace by
key (operate.t[0]; `ptxscope trace -f json` names them), their flags (clamped, clamped_low,
clamped_high, wrapped, …), numbers, and Python's operators. Registers are unsigned; rows are the
numbers that the trace shows. {OLD}.d is the former value of d.

With --next, give the arguments of `ptxscope explain`. The answer has operands for which its
explanations of an observed result differ the most.

examples:
  ptxscope find 'vadd4.s32.s32.s32.sat d, a, b, c' --where 'd == 0x7f7f7f7f' -n 3
  ptxscope find 'vadd4.s32.s32.s32.sat d, a, b, c' --where 'clamped(saturate.t[2])' b=0x00010000
  ptxscope find 'vmad.s32.s32.s32.sat.shr15 d, a, b, c' --where 'd == 0x12345678 and a == b'
  ptxscope find 'vavrg4.u32.u32.u32 d, a, b, c' --where 'd.b0 > a.b0 and d.b0 > b.b0'
  ptxscope find --next 'vmin4.s32.s32.s32 d, a, b, c' a=0x80 b=1 --got 1

Needs the extra `prove`: {format_install_hint("prove")}.

Exit status: 0 if operands are found, 1 if it is proved that there are none, 2 if the request is
invalid, 3 if undecided.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Find operands that meet a condition, or prove that there are none."
    parser = make_command_parser(
        "find", about, _EPILOG, usage="PTX (--where CONDITION | --next) [name=value ...]"
    )
    parser.add_argument("ptx", metavar="PTX", help=PROGRAM_HELP)
    add_values(parser)
    question = parser.add_mutually_exclusive_group(required=True)
    add_where(question)
    question.add_argument(
        "--next",
        action="store_true",
        help="operands to observe next, which tell the explanations of a result apart",
    )
    add_observed_results(parser)
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
    if arguments.next:
        return _find_next(arguments)
    if arguments.got or arguments.observations:
        raise CommandError("error: --got and --observations need --next")
    program = parse_program(arguments.ptx)
    if not 1 <= arguments.n <= MAX_ANSWERS:
        raise CommandError(f"error: -n {arguments.n}: 1 to {MAX_ANSWERS} answers can be found")
    model = choose_model(arguments.model)
    print_folding_notes(program, model)
    with report_errors(ValueError, ImportError):
        search = find_operands(
            program,
            arguments.where,
            fixed_values=parse_assignments(program, arguments.values),
            model=model,
            count=arguments.n,
            timeout=arguments.timeout,
        )
    print_report(arguments.format, iter_search_blocks(search), lambda: search_to_json(search))
    return 3 if search.is_undecided and not search.answers else int(not search.answers)


def _find_next(arguments: argparse.Namespace) -> int:
    """Print the operands to observe next; the status says whether they tell explanations apart."""
    diagnosis = explain_observations(arguments)
    if (count := len(diagnosis.block.statements)) > 1:
        advice = "to explain the block up to a statement, name its register with --got"
        message = f"--next is for one instruction, and this is a block of {count}; {advice}"
        raise CommandError(f"error: {message}")
    if not diagnosis.explanations:
        raise CommandError("error: nothing explains the result")
    if not has_alternatives(diagnosis):
        raise CommandError(
            "error: one explanation is the likeliest: there is nothing to tell apart"
        )
    with report_errors(ImportError):
        answer = find_next_operands(diagnosis, timeout=arguments.timeout)
    ins = diagnosis.block.instruction
    blocks = iter_next_blocks(ins, answer)
    print_report(arguments.format, blocks, lambda: next_to_json(ins, answer))
    if answer is None:
        return 3
    if len(answer.groups) > 1:
        return 0
    is_one = all(len(explanations) == 1 for _, explanations in answer.groups)
    return 1 if is_one else 3  # the explanation that stands for all equal ones
