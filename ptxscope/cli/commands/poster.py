"""``ptxscope poster``: all 27 instructions on one sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from ...engine.extras import format_install_hint
from ...export.options import Options
from ...export.theme import THEMES, Theme
from .. import CommandError
from ..support.arguments import Parser, make_command_parser
from ..support.picture_output import (
    PICTURES,
    add_output,
    is_printed,
    output_document,
    render_picture,
)

_EPILOG = f"""\
examples:
  ptxscope poster -o card.pdf
  ptxscope poster --theme dark -f png -o card.png

The sheet has the size of A3, lying; on A4 it can still be read. PNG and PDF need the extra
`images`: {format_install_hint("images")}.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    to = make_command_parser(
        "poster", "Draw all 27 instructions on one sheet, a card to print.", _EPILOG
    )
    to.add_argument(
        "-f", "--format", choices=PICTURES, help="default: what FILE ends in, or else svg"
    )
    add_output(to)
    to.add_argument("--theme", choices=THEMES, default="auto", help="default: auto")
    return to


def run(words: Sequence[str]) -> int:
    """Print the sheet, or write it to a file."""
    from ...export.media.poster_sheet import render

    chosen = make_parser().parse_args(words)
    format_ = chosen.format or _find_format(chosen.output)
    options = Options(theme=Theme(chosen.theme))
    made = render_picture(render(options), format_, options)
    output_document(made, format_, chosen.output)
    return 0


def _find_format(output: str | None) -> str:
    """Return the format of a file's name."""
    if output is None or is_printed(output):
        return "svg"
    ending = PurePath(output).suffix[1:].lower()
    if ending not in PICTURES:
        listed = ", ".join(f".{name}" for name in PICTURES)
        raise CommandError(f"error: -o: FILE ends in none of {listed}; -f says what it is")
    return ending
