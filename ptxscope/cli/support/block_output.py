"""A block of several statements on the command line: its trace in every format."""

from __future__ import annotations

import argparse

from ...engine.blocks.basic_block import BasicBlock
from ...engine.blocks.block_trace import BlockTrace
from ...engine.syntax.errors import make_printable
from ...engine.tracing.annotations import Annotations
from ...export import BINARY, export
from ...export.blocks.block_document import parse_folded
from ...export.options import DEFAULT, Options
from ...export.theme import Theme
from .arguments import build_block_trace, choose_model
from .command_error import CommandError
from .picture_output import (
    make_picture_options,
    output_document,
    render_picture,
    warn_about_suffix,
)

_SINGLE = ("both", "steps", "until", "no_result", "note", "slide", "stepping", "animate", "frames",
           "alt", "read")  # fmt: skip
"""Options that are only for one instruction."""


def run_block(block: BasicBlock, arguments: argparse.Namespace) -> None:
    """Print the trace of a block, or write it to a file."""
    trace, options = annotate_block(block, arguments)
    format_, output = arguments.format, arguments.output
    if output is not None:
        warn_about_suffix(output, format_)
    output_document(render_block(trace, format_, options), format_, output)


def render_block(trace: BlockTrace, format_: str, options: Options) -> str | bytes:
    """Return a block as a document. Raise CommandError if it cannot be an image."""
    try:
        document: str | bytes = export(trace, "svg" if format_ in BINARY else format_, options)
    except ValueError as error:
        raise CommandError(f"error: {make_printable(str(error))}") from None
    return render_picture(str(document), format_, options) if format_ in BINARY else document


def annotate_block(block: BasicBlock, arguments: argparse.Namespace) -> tuple[BlockTrace, Options]:
    """Return the trace of a block with its annotations, and the options of its document."""
    count = len(block.statements)
    for name in _SINGLE:
        if getattr(arguments, name, None):
            option = f"--{name.replace('_', '-')}"
            raise CommandError(
                f"error: {option} is for one instruction, and this is a block of {count}; "
                "--fold shortens a block"
            )
    try:
        folded = parse_folded(arguments.fold, count) if arguments.fold else DEFAULT.folded
    except ValueError as error:
        raise CommandError(f"error: --fold: {make_printable(str(error))}") from None
    trace = build_block_trace(block, arguments.values, choose_model(arguments.model or "isa"))
    trace = trace.with_annotations(Annotations(arguments.title, arguments.caption))
    options = DEFAULT._replace(
        standalone=arguments.standalone,
        format=arguments.format,
        theme=Theme(arguments.theme),
        heading_level=arguments.heading_level,
        id=arguments.id or "",
        folded=folded,
    )
    return trace, make_picture_options(arguments, options)
