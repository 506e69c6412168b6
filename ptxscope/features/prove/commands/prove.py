"""``ptxscope prove``: whether two computations are the same for all operands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from ....cli.support.arguments import (
    Parser,
    add_model,
    add_report_format,
    choose_model,
    make_command_parser,
    parse_words,
    print_report,
)
from ....cli.support.streams import CommandError, report_errors
from ....engine.syntax.errors import format_install_hint
from ....feature import Service, find_services
from ..equivalence import prove_equal
from ..proof import Verdict
from ..proof_report import iter_proof_blocks, proof_to_json
from .programs import PROGRAM_HELP, add_timeout, add_where, parse_program, parse_same

_EPILOG = f"""\
Registers of one name are the same operand; --same pairs others. In a file, loaded values are
operands and stored values are results; the memory of lines is not compared, so lines that load or
store are undecided. Results are compared by name, or by position if their names differ. A
condition combines registers and their parts (a, a.b0, a.h1, a.signed), numbers, and Python's
operators.

examples:
  ptxscope prove 'vavrg4.u32.u32.u32 d, a, b, c' \\
      '{{ .reg .b32 x, y; or.b32 x, a, b; xor.b32 y, a, b; and.b32 y, y, 0xfefefefe;
         shr.u32 y, y, 1; sub.u32 d, x, y; }}'
  ptxscope prove 'vmin4.s32.s32.s32 d, a, b, c' 'vmin4.u32.u32.u32 d, a, b, c' \\
      --where 'a <= 0x7f and b <= 0x7f'
  ptxscope prove 'sad.u32 d, a, b, c' 'vabsdiff.u32.u32.u32.add %0, %1, %2, %3' \\
      --same a=%1 --same b=%2 --same c=%3
  ptxscope prove 'vadd.u32.s32.s32.sat d.b0, a, b, c' --model-b ptxas

Needs the extra `prove`: {format_install_hint("prove")}.

Exit status: 0 if they are equal, 1 if they differ, 2 if the request is invalid, 3 if undecided.
"""
STATUS = {Verdict.EQUAL: 0, Verdict.DIFFERENT: 1, Verdict.UNDECIDED: 3}


Compare = Callable[[argparse.Namespace], "int | None"]
"""Compares the kernels that arguments name, and returns the status; None if they name none."""


def make_parser() -> Parser:
    """Return the command's parser, with the options of a feature that compares kernels."""
    return _make_parser()[0]


def _make_parser() -> tuple[Parser, list[Compare]]:
    about = "Prove that two computations agree for all operands, or show where they differ."
    parser = make_command_parser("prove", about, _EPILOG, usage="A [B]")
    parser.add_argument("a", metavar="A", help=PROGRAM_HELP)
    parser.add_argument("b", metavar="B", nargs="?", help="second program (default: A)")
    parser.add_argument(
        "--same",
        action="append",
        default=[],
        metavar="X=Y",
        help="register X of A and register Y of B are one operand; repeatable",
    )
    parser.add_argument("--carry", action="store_true", help="compare CC.CF at the end, too")
    add_where(parser)
    add_model(parser)
    for letter in "ab":
        parser.add_argument(
            f"--model-{letter}",
            metavar="MODEL",
            help=f"model of {letter.upper()} alone (default: the model of both)",
        )
    add_timeout(parser)
    parser.add_argument("--brief", action="store_true", help="omit the traces")
    add_report_format(parser)
    return parser, [extend(parser) for extend in find_services(Service.COMPARE_KERNELS)]


def run(words: Sequence[str]) -> int:
    """Print the answer; the exit status says which it is."""
    parser, comparisons = _make_parser()
    arguments = parse_words(parser, words)
    for compare in comparisons:
        if (status := compare(arguments)) is not None:
            return status
    a = parse_program(arguments.a)
    b = a if arguments.b is None else parse_program(arguments.b)
    both = [choose_model(x or arguments.model) for x in (arguments.model_a, arguments.model_b)]
    if arguments.b is None and both[0] == both[1]:
        raise CommandError("error: give B, or two models: --model-b ptxas")
    with report_errors(ValueError, ImportError):
        proof = prove_equal(
            a,
            b,
            same=parse_same(arguments.same),
            models=(both[0], both[1]),
            where=arguments.where,
            has_carry=arguments.carry,
            timeout=arguments.timeout,
        )
    blocks = iter_proof_blocks(proof, is_brief=arguments.brief)
    print_report(arguments.format, blocks, lambda: proof_to_json(proof))
    return STATUS[proof.verdict]
