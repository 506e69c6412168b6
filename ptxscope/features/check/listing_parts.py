"""The functions of a listing, each with the text before it: an editor reads those that change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ...engine.syntax.c_lexer import read_parts

_FUNCTION_END = re.compile(r"\n\}[ \t\r]*+\n")
_MARK = re.compile(r"[{}]|\Z")
_LINES = r"^[ \t]*+\.(?:version|target|address_size|file|loc)\b[^\n{};\"/]*+"
_IGNORED = re.compile(
    rf'"[^"\n]*+"|//[^\n]*+|/\*.*?(?:\*/|\Z)|{_LINES}', re.DOTALL | re.MULTILINE | re.ASCII
)


def split_functions(text: str) -> Iterator[tuple[str, int]]:
    """Yield the parts of a listing that end with a function, and the position of each.

    Only the last part may have open braces or comments, or statements outside of functions.
    """
    return read_parts(text, _read_part, _FUNCTION_END)


def _read_part(text: str) -> tuple[str, int]:
    return text, 0 if _is_closed(text) else len(text)


@lru_cache(maxsize=1 << 13)
def _is_closed(text: str) -> bool:
    code, depth, copied_end = _IGNORED.sub(" ", text), 0, 0
    for match in _MARK.finditer(code):
        if not depth:
            directives = code[copied_end : match.start()].split(";")
            if any(x.strip()[:1] not in ("", ".") for x in directives):
                return False
        depth += (match[0] == "{") - (match[0] == "}")
        if depth < 0:
            return False
        copied_end = match.end()
    return not depth and code.rstrip().endswith("}")
