"""``ptxscope open``: the explorer in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ...engine.syntax.errors import PtxError, make_printable, quote_value
from ..support.arguments import (
    Parser,
    add_instruction,
    add_model,
    choose_model,
    make_command_parser,
    parse_words,
)
from ..support.ptx_arguments import (
    complete_example,
    is_file,
    is_file_name,
    parse_assignments,
    parse_ptx,
)
from ..support.streams import CommandError, report_errors

if TYPE_CHECKING:
    from ...engine.syntax.instruction import Instruction
    from ...engine.tracing.basic_block import BasicBlock
    from ...state.open_listing import ListingCursor
    from ...state.requests import Transition

_EPILOG = """\
examples:
  ptxscope
  ptxscope vadd4                  # the example of an instruction
  ptxscope 'vset4.s32.u32.lt.add %r1, %r2, %r3, %r0' %r2=0x80ff7f01 %r3=0x01010101 %r0=5
  ptxscope kernel.ptx             # a listing beside the trace, run line by line
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    parser = make_command_parser("open", "Step through an instruction in the terminal.", _EPILOG)
    add_instruction(parser, is_optional=True)
    add_model(parser)
    parser.add_argument(
        "--predict", action="store_true", help="predict each lane before it is shown"
    )
    return parser


def run(words: Sequence[str]) -> int:
    """Open the explorer, on any instruction or listing in the arguments."""
    arguments = parse_words(make_parser(), words)
    has_values = bool(arguments.values)
    complete_example(arguments)
    model = choose_model(arguments.model)
    listing = None
    if arguments.ptx is not None and is_file(arguments.ptx):
        listing = _open_listing(arguments.ptx, arguments.values, model.name)
    elif arguments.ptx and (why := _describe_other_file(arguments.ptx)):
        raise CommandError(f"error: {make_printable(arguments.ptx)}: {why}")
    elif arguments.ptx is not None and is_file_name(arguments.ptx):
        raise CommandError(f"error: {make_printable(arguments.ptx)}: there is no such file")
    target = None if arguments.ptx is None or listing else parse_ptx(arguments.ptx)
    ins = target.instruction if target and target.is_line else None
    if target and not ins:
        listing = _open_block(target, arguments.values, model.name)
    values = parse_assignments(ins, arguments.values) if ins else {}
    from_start = not has_values and not arguments.predict
    return open_explorer(
        *(ins, values, model.name, listing), predict=arguments.predict, from_start=from_start
    )


def open_explorer(
    ins: Instruction | None = None,
    values: Mapping[str, int] | None = None,
    model: str = "isa",
    listing: ListingCursor | None = None,
    *,
    predict: bool = False,
    from_start: bool = False,
    opening: Transition | None = None,
) -> int:
    """Run the explorer and return its status; ``opening`` has actions before the first key.

    Raise CommandError without a terminal.
    """
    # The explorer is drawn on standard error.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise CommandError("error: the explorer needs a terminal; `ptxscope trace` prints to any")
    _check_color_system()
    from ...app import lifecycle
    from ...app.app import Explorer
    from ...state.state_store import StateStore

    messages: list[str] = []
    try:
        store = StateStore()
    except RuntimeError:
        store = None
        messages.append(
            "there is no home folder, so nothing is saved; set HOME, or XDG_STATE_HOME and "
            "XDG_CONFIG_HOME"
        )

    def make_explorer() -> Explorer:
        return Explorer(
            *(ins, values, model, store, listing, messages),
            predict=predict,
            from_start=from_start,
            opening=opening,
        )

    return lifecycle.run(make_explorer, store)


def _check_color_system() -> None:
    """Raise CommandError if Textual's variable has a colour system unknown to Rich."""
    from rich.console import COLOR_SYSTEMS

    name = os.environ.get("TEXTUAL_COLOR_SYSTEM")
    color_systems = ("auto", *COLOR_SYSTEMS)
    if name is not None and name not in color_systems:
        raise CommandError(
            f"error: TEXTUAL_COLOR_SYSTEM is {quote_value(make_printable(name))}; "
            f"it is one of {', '.join(color_systems)}"
        )


def _open_listing(path: str, assignments: Sequence[str], model_name: str) -> ListingCursor:
    """Open a file as a listing, and run its first program on ``name=value`` arguments."""
    from ...state.open_listing import open_listing, read_listing
    from .run import parse_inputs

    with report_errors(ValueError):
        cursor = open_listing(read_listing(path), path.rpartition("/")[2], model_name)
    if cursor is None:
        name = make_printable(path)
        advice = f"; nvcc -ptx -lineinfo {name} lists its kernels" if name.endswith(".cu") else ""
        raise CommandError(f"error: {name} has no instruction that ptxscope explains{advice}")
    return cursor.with_inputs(parse_inputs(cursor.listing.programs[0], assignments), model_name)


def _open_block(block: BasicBlock, assignments: Sequence[str], model_name: str) -> ListingCursor:
    """Open a block as a listing of only its lines, with values for its registers."""
    from ...blocks.block_parser import parse_block
    from ...state.open_block import open_block

    values = parse_assignments(block, assignments)
    with suppress(PtxError):
        if parse_block(block.text) == block:
            return open_block(block, model_name, values)
    return open_block(parse_block("\n".join(block.lines)), model_name, values)


def _describe_other_file(name: str) -> str:
    """Return the type of a file that is not a listing; empty if the file does not exist."""
    from pathlib import Path

    from ...files import describe_non_regular

    try:
        return describe_non_regular(Path(name).stat().st_mode)
    except (OSError, ValueError):
        return ""
