"""``ptxscope eval``: the results of an evaluation, without a trace."""

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
    parse_own_words,
)
from ..support.ptx_arguments import build_trace, parse_ptx, print_folding_notes
from ..support.streams import CommandError, print_message

EVAL_EXAMPLES = """\
  ptxscope eval 'vmad.s32.s32.s32 d, a.h0, -b.h1, c' a=3 b=0x20000 c=1
"""


def make_parser() -> Parser:
    """Return the command's parser, with the options of a feature for tables."""
    from ...feature import Service, find_services

    makers = find_services(Service.MAKE_EVAL_PARSER)
    parser: Parser = makers[0]() if makers else make_values_parser()
    return parser


def make_values_parser(
    about: str = "Print the results of one evaluation.",
    epilog: str = f"examples:\n{EVAL_EXAMPLES}",
    *,
    add_help: bool = True,
) -> Parser:
    """Return the parser for evaluations on the command's values."""
    usage = "PTX [name=value ...]"
    parser = make_command_parser("eval", about, epilog, usage=usage, add_help=add_help)
    add_instruction(parser)
    add_model(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the results."""
    own_parser = make_values_parser(add_help=False)
    arguments, has_other_options = parse_own_words(own_parser, make_parser, words)
    model, ins = choose_model(arguments.model), parse_ptx(arguments.ptx)
    for note in (*ins.notes, *ins.statements[0].instruction.notes):
        if note.startswith(OMISSION_PREFIX):
            print_message(f"note: {note}")
    if not ins.results:
        raise CommandError(
            f"error: {make_printable(str(ins))} has no result to print: its destination is `_`"
        )
    print_folding_notes(ins, model)
    if has_other_options and _evaluate_table(ins, model, arguments):
        return 0
    result = build_trace(ins, arguments.values, model).result
    for role, name in ins.results.items():
        print(f"{name}={format_hex(result[name], ins.type_of(role).bits)}")
    return 0


def _evaluate_table(ins: BasicBlock, model: Model, arguments: Namespace) -> bool:
    """Evaluate any table in the arguments; return whether there is one."""
    from ...feature import Service, find_services

    return any(
        evaluate(ins, model, arguments) for evaluate in find_services(Service.EVALUATE_TABLE)
    )
