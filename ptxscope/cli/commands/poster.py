"""``ptxscope poster``: the instructions of the catalog on two sheets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from ...engine.extras import format_install_hint
from ...export.options import Options
from ...export.theme import Theme
from ..support.arguments import Parser, add_format, make_command_parser
from ..support.command_error import CommandError
from ..support.picture_output import (
    PICTURES,
    add_output,
    add_theme,
    is_printed,
    output_document,
    render_picture,
)

_EPILOG = f"""\
examples:
  ptxscope poster -o card.pdf
  ptxscope poster --sheet 2 --theme dark -f png -o card.png

Sheet 1 has the 27 comparison, selection and video instructions, sheet 2 those that permute bytes,
read and write bit fields, and compute on packed integers. A sheet is A3 in landscape; it is still
legible on A4. PNG and PDF need the extra
`images`: {format_install_hint("images")}.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Draw the instructions on a sheet, for printing."
    parser = make_command_parser("poster", about, _EPILOG)
    parser.add_argument(
        "--sheet", type=int, choices=(1, 2), default=1, help="the sheet; by default the first"
    )
    add_format(parser, PICTURES, "svg")
    add_output(parser)
    add_theme(parser)
    return parser


def run(words: Sequence[str]) -> int:
    """Print the sheet, or write it to a file."""
    from ...export.media.poster_sheet import render

    arguments = make_parser().parse_args(words)
    format_ = arguments.format or _find_format(arguments.output)
    options = Options(theme=Theme(arguments.theme))
    document = render_picture(render(options, arguments.sheet), format_, options)
    output_document(document, format_, arguments.output)
    return 0


def _find_format(output: str | None) -> str:
    """Return the format of a file's name."""
    if output is None or is_printed(output):
        return "svg"
    ending = PurePath(output).suffix[1:].lower()
    if ending not in PICTURES:
        format_names = ", ".join(f".{name}" for name in PICTURES)
        raise CommandError(f"error: -o: FILE ends in none of {format_names}; -f says what it is")
    return ending
