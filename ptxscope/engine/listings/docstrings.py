"""Docstrings of a Python source, and whether they hold PTX."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..isa.catalog import CATALOG
from ..syntax.errors import Span
from ..syntax.opcodes import is_other_opcode
from .partial_ptx import PROSE

_EVENT = re.compile(
    r"""[^\S\n]++ | \#[^\n]*+ | \\\r?\n
      | (?P<newline>\n)
      | (?P<header>(?:async[^\S\n]++)?+(?:def|class)\b)
      | (?P<mark>[()\[\]{}:;])
      | (?P<other>\w++|.)""",
    re.VERBOSE,
)
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_BEHIND = re.compile(r"[^\S\n]*+(?:[\n;#]|\Z)")


def find_docstrings(text: str, strings: Iterable[tuple[Span, bool]]) -> set[int]:
    """Return the start positions of the docstrings among strings in order of position.

    Each string comes with its span and whether its prefix allows a docstring.
    """
    found = set[int]()
    depth, head, header, at = 0, True, False, 0
    first = True
    """Whether a statement begins here that may be a docstring."""
    for (start, end), may_be in strings:
        for event in _EVENT.finditer(text, at, start):
            kind, mark = event.lastgroup, event["mark"]
            if kind == "newline":
                if not depth:
                    head, header = True, False
            elif kind == "header":
                header, first = (head and not depth), False
                head = False
            elif mark == ":" and header and not depth:
                header, first, head = False, True, True
            elif mark == ";" and not depth:
                head, first = True, False
            elif kind:
                depth = max(depth + _DEPTH.get(mark, 0), 0)
                head = first = False
        if first and may_be and not depth:
            found.add(start)
        head = first = False
        at = end
    return found


def is_statement_end(text: str, at: int) -> bool:
    """Return whether a Python statement ends at a position."""
    return _BEHIND.match(text, at) is not None


_COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")
_STATEMENT = re.compile(
    r"""\s*+(?:[A-Za-z_$%][\w$]*+\s*+:\s*+)?+(?:@\s*+!?\s*+[\w$%]++\s++)?+
        (?:(?P<directive>\.[a-z]\w*+)|(?P<opcode>[a-z]\w*+)(?P<modifier>\.\w)?)""",
    re.VERBOSE | re.ASCII,
)
_ALONE = re.compile(r"\s*+(?:[\w$%]++\s*+:\s*+)?+(?:ret|exit|trap|brkpt|bra\s++[\w$%]++)\s*+")
_LABEL = re.compile(r"\s*+(?:[\w$%]++:\s*+)*+")


def is_all_ptx(text: str) -> bool:
    """Return whether every statement of a text looks like PTX."""
    code = _COMMENT.sub(" ", text)
    *every, last = re.split(r"[;{}]", code)
    return bool(every) and not last.strip() and all(map(_is_ptx, every))


def _is_ptx(statement: str) -> bool:
    if _ALONE.fullmatch(statement) or _LABEL.fullmatch(statement):
        return True
    found = _STATEMENT.match(statement)
    if not found or PROSE.search(statement, found.end()):
        return False
    opcode = found["opcode"]
    if opcode is None:
        return True
    return found["modifier"] is not None and (opcode in CATALOG or is_other_opcode(opcode))
