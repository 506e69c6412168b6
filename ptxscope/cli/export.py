"""``ptxscope export --update``: keeps the traces in a Markdown file current."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ..engine.errors import printable
from . import CommandError
from .arguments import parsed, parser, split_words
from .trace import rendered, write

_EPILOG = """\
In the file, a trace stands between two markers, and only what is between them is rewritten:

  <!-- ptxscope trace 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0 -->
  <!-- /ptxscope -->

The first holds the arguments of `ptxscope trace`; without -f the format is markdown.
"""
_OPEN = re.compile(r"<!-- *+ptxscope ++trace ++")
_CLOSE = re.compile(r"<!-- *+/ptxscope *+-->")


def run(words: Sequence[str]) -> int:
    """Rewrite the traces of files; with ``--check`` only say which ones are stale."""
    arguments = parser("export", "Keep the traces in Markdown files current.", _EPILOG)
    arguments.add_argument(
        "--update", metavar="FILE.md", nargs="+", required=True, help="the files to rewrite"
    )
    arguments.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 where a file is stale"
    )
    chosen = parsed(arguments, words)
    status = 0
    for name in chosen.update:
        try:
            before = Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"error: {printable(name)}: {error}") from None
        after = updated(before, name)
        if after == before:
            continue
        sys.stdout.write(f"{printable(name)}: {'stale' if chosen.check else 'updated'}\n")
        if chosen.check:
            status = 1
        else:
            write(name, after)
    return status


def updated(text: str, name: str = "text") -> str:
    """A Markdown text with every trace between markers made anew.

    Raises CommandError that names the line of the marker where something is wrong.
    """
    parts: list[str] = []
    at = counted = 0
    line = 1
    opened = _marker(text, 0)
    while opened:
        start, end, words = opened
        line += text.count("\n", counted, start)
        counted = start
        closed, opened = _CLOSE.search(text, end), _marker(text, end)
        if closed is None or (opened and opened[0] < closed.start()):
            raise CommandError(f"{printable(name)}:{line}: no <!-- /ptxscope --> ends this trace")
        parts += [text[at:end], "\n\n", _made(words, name, line), "\n"]
        at = closed.start()
    return "".join([*parts, text[at:]])


def _marker(text: str, at: int) -> tuple[int, int, str] | None:
    """The next beginning of a trace: where it starts and ends, and the arguments in it."""
    start = _OPEN.search(text, at)
    end = text.find("-->", start.end()) if start else -1
    if start is None or end < 0:
        return None
    return start.start(), end + 3, text[start.end() : end].rstrip(" ")


def _made(words: str, name: str, line: int) -> str:
    try:
        split = split_words(words)
        if not {"-f", "--format"} & set(split):
            split += ["-f", "markdown"]
        return rendered(split)
    except (CommandError, ValueError) as error:
        raise CommandError(f"{printable(name)}:{line}: {error}") from None
