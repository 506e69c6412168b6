"""Docstrings of a Python source."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..syntax.errors import Span

_EVENT = re.compile(
    r"""[^\S\n]++ | \#[^\n]*+ | \\\r?\n
      | (?P<newline>\n)
      | (?P<header>(?>async[^\S\n]++|)(?:def|class)\b)
      | (?P<mark>[()\[\]{}:;])
      | (?P<other>\w++|.)""",
    re.VERBOSE,
)
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def find_docstrings(text: str, strings: Iterable[tuple[Span, bool]]) -> set[int]:
    """Return the start positions of the docstrings among strings in order of position.

    Each string comes with its span and whether its prefix allows a docstring.
    """
    starts = set[int]()
    depth, is_statement_start, is_in_header, position = 0, True, False, 0
    can_start = True
    """Whether a statement begins here that may be a docstring."""
    for (start, end), is_candidate in strings:
        for event in _EVENT.finditer(text, position, start):
            kind, mark = event.lastgroup, event["mark"]
            if kind == "newline":
                if not depth:
                    is_statement_start, is_in_header = True, False
            elif kind == "header":
                is_in_header, can_start = (is_statement_start and not depth), False
                is_statement_start = False
            elif mark == ":" and is_in_header and not depth:
                is_in_header, can_start, is_statement_start = False, True, True
            elif mark == ";" and not depth:
                is_statement_start, can_start = True, False
            elif kind:
                depth = max(depth + _DEPTH.get(mark, 0), 0)
                is_statement_start = can_start = False
        if can_start and is_candidate and not depth:
            starts.add(start)
        is_statement_start = can_start = False
        position = end
    return starts
