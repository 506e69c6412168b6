"""``ptxscope lsp``: diagnostics, descriptions and completions for an editor."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ...cli.support.arguments import Parser, find_command_module, make_command_parser, parse_words
from ...cli.support.streams import CommandError
from ...engine.syntax.errors import format_install_hint

_EPILOG = """\
An editor starts this command, and talks to it on standard input and output. docs/editor.md has
the lines for Neovim, Helix, VS Code and Emacs. The settings of `ptxscope check` apply.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Run the language server (LSP), for editors."
    parser = make_command_parser("lsp", about, _EPILOG)
    parser.set_defaults(page="")
    if find_command_module("page"):
        parser.add_argument(
            "--page",
            metavar="URL",
            help="address of your web explorer, for links to a line",
        )
    return parser


def run(words: Sequence[str]) -> int:
    """Serve until the editor ends."""
    arguments = parse_words(make_parser(), words)
    try:
        import asyncio

        from .language_server import make_server
        from .message_loop import serve
    except ModuleNotFoundError as error:
        raise CommandError(
            f"error: `lsp` needs {error.name}: {format_install_hint('editor')}"
        ) from None
    # a stream of its own, which a thread may still be reading when the interpreter ends
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    return asyncio.run(serve(make_server(arguments.page), source, sys.stdout.buffer))
