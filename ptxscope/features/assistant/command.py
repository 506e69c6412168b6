"""``ptxscope mcp``: the commands as tools of a language model."""

from __future__ import annotations

from collections.abc import Sequence

from ...cli.support.arguments import Parser, make_command_parser, parse_words
from ...cli.support.streams import CommandError
from ...engine.syntax.errors import format_install_hint

_EPILOG = """\
A program that runs a language model starts this command, and talks to it on standard input and
output. docs/editor.md shows how to register it.
"""


def make_parser() -> Parser:
    """Return the command's parser."""
    about = "Run the server of the Model Context Protocol (MCP), for language models."
    return make_command_parser("mcp", about, _EPILOG)


def run(words: Sequence[str]) -> int:
    """Serve until the client ends."""
    parse_words(make_parser(), words)
    try:
        from .tool_server import serve
    except ModuleNotFoundError as error:
        raise CommandError(
            f"error: `mcp` needs {error.name}: {format_install_hint('editor')}"
        ) from None
    serve()
    return 0
