"""Arguments of the commands on proofs: programs, names of equal operands, models, time."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path

from ....blocks.block_parser import parse_block
from ....cli.support.arguments import parse_seconds
from ....cli.support.ptx_arguments import PLACE, check_no_file_name, is_file, read_place
from ....cli.support.streams import CommandError
from ....engine.syntax.errors import PtxError, make_printable
from ....engine.tracing.basic_block import BasicBlock
from ....sources.source_programs import load
from ..equivalence import MAX_PROVED_STATEMENTS, TIMEOUT, read_program

PROGRAM_HELP = (
    "instruction, asm statement or statements in braces; or FILE:LINE, FILE:FIRST-LAST, FILE:KERNEL"
)


def parse_program(text: str) -> BasicBlock:
    """Return the program of an argument; an illegal one ends the command with status 2."""
    match = PLACE.fullmatch(text)
    try:
        if match is None or not is_file(match["file"]):
            return read_program(text)
        return _read_place(match)
    except PtxError as error:
        if match is None or not is_file(match["file"]):
            check_no_file_name(match["file"] if match else text)
        raise CommandError(str(error)) from None


def _read_place(match: re.Match[str]) -> BasicBlock:
    """Return the statements on some lines of a file, or of a kernel."""
    name = Path(match["file"]).name
    text, lines = read_place(match)
    if match["kernel"]:
        programs = load(text, name)
        chosen = next((x for x in programs if x.name == match["kernel"]), None)
        if chosen is None:
            names = ", ".join(x.name for x in programs) or "no kernel"
            raise CommandError(f"error: {make_printable(name)} has {make_printable(names)}")
        numbers = [x.line for x in chosen.statements]
        lines = range(min(numbers), max(numbers) + 1)
    return parse_block(text, name, lines, with_memory=True, max_statements=MAX_PROVED_STATEMENTS)


def parse_same(texts: Iterable[str]) -> dict[str, str]:
    """Return the registers of ``--same a=%1`` arguments."""
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, other = (part.strip() for part in text.partition("="))
        if not equals or not name or not other:
            raise CommandError(f"error: --same {make_printable(text)}: write --same a=%1")
        if name in pairs:
            first = make_printable(f"{name}={pairs[name]}")
            raise CommandError(f"error: --same {make_printable(text)}: {first} is given already")
        pairs[name] = other
    return pairs


def add_timeout(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--timeout``."""
    parser.add_argument(
        "--timeout",
        type=parse_seconds,
        default=TIMEOUT,
        metavar="SECONDS",
        help=f"solver time limit (default: {TIMEOUT:.0f})",
    )


def add_where(parser: argparse._ActionsContainer) -> None:
    """Add the option ``--where``."""
    parser.add_argument(
        "--where",
        metavar="CONDITION",
        default="",
        help="condition on the operands: 'b <= 255 and a.signed < 0'",
    )
