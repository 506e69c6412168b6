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
_LINE_REST = re.compile(r"[^\S\n]*+(?:[\n;#]|\Z)")


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


def is_statement_end(text: str, position: int) -> bool:
    """Return whether a Python statement ends at a position."""
    return _LINE_REST.match(text, position) is not None


_COMMENT = re.compile(r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")
_STATEMENT = re.compile(
    r"""\s*+(?:[A-Za-z_$%][\w$]*+\s*+:\s*+)?+(?:@\s*+!?\s*+[\w$%]++\s++)?+
        (?:(?P<directive>\.[a-z]\w*+)|(?P<opcode>[a-z]\w*+)(?P<modifier>\.\w)?)""",
    re.VERBOSE | re.ASCII,
)
_WHOLE_STATEMENT = re.compile(
    r"\s*+(?:[\w$%]++\s*+:\s*+)?+(?:ret|exit|trap|brkpt|bra\s++[\w$%]++)\s*+"
)
_LABEL = re.compile(r"\s*+(?:[\w$%]++:\s*+)*+")


def is_all_ptx(text: str) -> bool:
    """Return whether every statement of a text looks like PTX."""
    code = _COMMENT.sub(" ", text)
    *statements, remainder = re.split(r"[;{}]", code)
    return bool(statements) and not remainder.strip() and all(map(_is_ptx, statements))


def _is_ptx(statement: str) -> bool:
    if _WHOLE_STATEMENT.fullmatch(statement) or _LABEL.fullmatch(statement):
        return True
    match = _STATEMENT.match(statement)
    if not match or PROSE.search(statement, match.end()):
        return False
    opcode = match["opcode"]
    if opcode is None:
        return True
    return match["modifier"] is not None and (opcode in CATALOG or is_other_opcode(opcode))
