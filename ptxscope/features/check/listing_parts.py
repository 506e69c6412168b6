"""The functions of a listing, each with the text before it, so that only changed ones are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ...engine.syntax.c_lexer import read_parts

_FUNCTION_END = re.compile(r"\n\}[ \t\r]*+\n")
_MARK = re.compile(r"[][(){}]")
_OPENING = {"}": "{", ")": "(", "]": "["}
_LINE = re.compile(
    r"^[ \t]*+\.(?:version|target|address_size|file|loc)\b[^\n{};]*+", re.MULTILINE | re.ASCII
)
_IGNORED = re.compile(r'"[^"\n]*+"|//[^\n]*+|/\*(?:.*?\*/|(?P<open>.*+))', re.DOTALL)


def split_functions(text: str) -> Iterator[tuple[str, int]]:
    """Yield the parts of a listing that end with a function, and the position of each.

    Only the last part may have open braces or comments, or statements outside of functions.
    """
    return read_parts(text, _read_part, _FUNCTION_END)


def _read_part(text: str) -> tuple[str, int]:
    return text, len(text) if read_outline(text) is None else 0


@lru_cache(maxsize=1 << 13)
def read_outline(text: str) -> str | None:
    """Return a part's text outside of braces; None if only the last part may be like this."""
    code, opened, copied_end = _IGNORED.sub(_blank, text), list[str](), 0
    outline = list[str]()
    for match in _MARK.finditer(code):
        mark = match[0]
        if mark == "{" and "{" not in opened:
            outline.append(code[copied_end : match.start()])
        if mark not in _OPENING:
            opened.append(mark)
        elif not opened or opened.pop() != _OPENING[mark]:
            return None
        elif mark == "}" and "{" not in opened:
            copied_end = match.end()
    directives = [x for y in outline for x in _LINE.sub(" ", y).split(";")]
    is_loose = any(x.strip()[:1] not in ("", ".") for x in directives)
    is_closed = not (opened or is_loose or code[copied_end:].strip())
    return "{}".join([*outline, ""]) if is_closed else None


def _blank(ignored: re.Match[str]) -> str:
    return " " if ignored["open"] is None else "/*"
