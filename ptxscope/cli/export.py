"""``ptxscope export --update``: keeps the traces in a Markdown file current."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from ..engine.text.errors import printable
from ..files import replace
from . import CommandError
from .arguments import Parser, parsed, parser, split_words
from .markers import Marker, markers
from .trace import rendered

_EPILOG = """\
In the file, a trace stands between two markers, and only what is between them is rewritten:

  <!-- ptxscope trace 'vadd4.s32.s32.s32.sat d, a, b, c' a=0x7f b=1 c=0 -->
  <!-- /ptxscope -->

The first holds the arguments of `ptxscope trace`; without -f the format is markdown. Markers in
code (between fences or backticks, or indented) are left alone. A file is written whole or not at
all, and not where it changed meanwhile.

Exit status: 0 done, 1 a file is stale (with --check), 2 a file could not be read or written, or
a marker in it is wrong; the other files are done all the same.
"""


def arguments() -> Parser:
    """What it takes."""
    to = parser("export", "Keep the traces in Markdown files current.", _EPILOG)
    to.add_argument(
        "--update", metavar="FILE.md", nargs="+", required=True, help="the files to rewrite"
    )
    to.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 where a file is stale"
    )
    return to


def run(words: Sequence[str]) -> int:
    """Rewrite the traces of files; with ``--check`` only say which ones are stale."""
    chosen = parsed(arguments(), words)
    status = 0
    failed: list[str] = []
    for name in chosen.update:
        try:
            stale = _update(name, check=chosen.check)
        except CommandError as error:
            failed.append(str(error))
            continue
        if stale:
            print(f"{printable(name)}: {'stale' if chosen.check else 'updated'}")
            status = int(chosen.check)
    if failed:
        sys.stdout.flush()
        raise CommandError("\n".join(failed))
    return status


def _update(name: str, *, check: bool) -> bool:
    """Make a file current, or only say whether it is not."""
    path = Path(name)
    before = _read(path)
    try:
        text = before.decode()
    except UnicodeDecodeError as error:
        line = before.count(b"\n", 0, error.start) + 1
        raise CommandError(f"{printable(name)}:{line}: this is not UTF-8") from None
    after = updated(text, name).encode("utf-8", "replace")
    if after == before:
        return False
    if not check:
        try:
            replace(path, after, unless_changed_from=before)
        except OSError as error:
            raise CommandError(f"error: {printable(name)}: {error.strerror}") from None
    return True


def _read(path: Path) -> bytes:
    name = printable(str(path))
    try:
        if path.exists() and not path.is_file():
            raise CommandError(f"error: {name} is not a regular file")
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"error: {name}: {error.strerror}") from None
    except ValueError:  # a NUL
        raise CommandError(f"error: {name}: not a file name") from None


def updated(text: str, name: str = "text") -> str:
    """A Markdown text with every trace between markers made anew, all else as it is.

    Raises CommandError that names the line of every marker where something is wrong.
    """
    parts: list[str] = []
    failed: list[str] = []
    at = 0
    found = markers(text)
    for opened, closed in _pairs(found):
        try:
            if closed is None:
                raise CommandError("no <!-- /ptxscope --> ends this trace")
            trace = f"\n\n{_made(opened.words)}\n".replace("\n", _line_end(text, opened.end))
            parts += [text[at : opened.end], trace]
            at = closed.start
        except (CommandError, ValueError) as error:
            failed.append(f"{printable(name)}:{opened.line}: {error}")
    if failed:
        raise CommandError("\n".join(failed))
    made = "".join([*parts, text[at:]])
    if made != text and len(markers(made)) != len(found):
        raise CommandError(f"{printable(name)}: with these traces its markers could not be found")
    return made


def _pairs(found: list[Marker]) -> Iterator[tuple[Marker, Marker | None]]:
    """Where each trace begins, and where it ends if it does."""
    for marker, following in zip_longest(found, found[1:]):
        if marker.opens:
            yield marker, None if following is None or following.opens else following


def _line_end(text: str, at: int) -> str:
    """How the line ends at a place of a text."""
    end = text.find("\n", at)
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _made(words: str) -> str:
    return rendered(["-f", "markdown", *split_words(words)])
