"""``ptxscope ones``: the number of ones of each result."""

from __future__ import annotations

from collections.abc import Sequence

from ptxscope.cli.support.arguments import (
    Parser,
    add_instruction,
    add_model,
    choose_model,
    make_command_parser,
    parse_words,
)
from ptxscope.cli.support.ptx_arguments import build_trace, parse_ptx

from .counts import iter_counts


def make_parser() -> Parser:
    """Return the command's parser."""
    parser = make_command_parser("ones", "Count the ones of each result.")
    add_instruction(parser)
    add_model(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the counts."""
    arguments = parse_words(make_parser(), words)
    model, block = choose_model(arguments.model), parse_ptx(arguments.ptx)
    for line in iter_counts(build_trace(block, arguments.values, model)):
        print(line)
    return 0
