"""Problems of PTX outside the statements that are read, and problems of common instructions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Set
from functools import lru_cache

from ...engine.syntax.errors import Problem, find_closest_spelling, quote_word
from ...engine.syntax.opcodes import ALL_OPCODES, TYPES
from ...engine.syntax.parser import find_statement_entry, parse_known_statement
from ...engine.syntax.source import Fragment
from ...engine.syntax.tokens import (
    Token,
    TokenGroupKind,
    TokenKind,
    find_end,
    find_statements,
    group_tokens,
    tokenize,
)

OPEN_COMMENT = re.compile(r"(?>(?:\s++|//[^\n]*+|/\*.*?\*/)*)(/\*)", re.DOTALL)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]++")
MISSING_END = Problem("a `;` is missing at the end of this statement", (0, 0), ";")
EMPTY_STATEMENT = Problem("this `;` ends no statement: ptxas rejects empty statements", (0, 1))


def find_boundary_problems(
    text: str, opcodes: Set[str], gaps: Collection[int] = ()
) -> Iterator[Problem]:
    """Yield the problems outside statements: missing or stray ``;``, comments, non-ASCII text."""
    words, index, gaps = tokenize(text), 0, frozenset(gaps)
    for item in group_tokens(text, words, opcodes, gaps):
        yield from _find_empty_problems(words[index : item.start])
        index = item.end
        if item.kind is TokenGroupKind.STATEMENT:
            first_word = words[item.start]
            if any(word.start in gaps for word in words[item.start : index]):
                index += index < len(words) and words[index].text == ";"
                continue
            if first_word.kind is not TokenKind.NAME and first_word.text != "@":
                yield Problem(
                    f"{quote_word(first_word.text)} can't begin a statement", first_word.span
                )
            if index < len(words) and words[index].text == ";":
                index += 1
            else:
                end = find_end(text, words, index)
                yield MISSING_END._replace(span=(end, end))
    yield from _find_empty_problems(words[index:])
    if comment := OPEN_COMMENT.match(text, words[-1].end if words else 0):
        yield Problem("this comment is not closed", comment.span(1), "*/")
    for match in () if text.isascii() else _NOT_ASCII.finditer(text):
        if not gaps.issuperset(range(*match.span())):
            yield Problem("ptxas accepts only ASCII, even in comments", match.span())
            return


def _find_empty_problems(words: list[Token]) -> Iterator[Problem]:
    for word in words:
        yield EMPTY_STATEMENT._replace(span=word.span)


@lru_cache(maxsize=1 << 10)
def find_common_problems(text: str) -> tuple[Problem, ...]:
    """Return the problems of statements that ``parse_statement`` passes over.

    These are problems of common instructions, and opcodes that PTX does not have.
    """
    fragment, problems = Fragment(text), list[Problem]()
    for statement in find_statements(text, ALL_OPCODES):
        modifiers = statement.modifier_names
        if statement.opcode.text not in ALL_OPCODES:
            if statement.opcode.kind is TokenKind.NAME and not TYPES.isdisjoint(modifiers):
                name = statement.opcode.text
                close = find_closest_spelling(name, sorted(ALL_OPCODES))
                suffix = f"; did you mean `{close}`?" if close else ""
                message = f"{quote_word(name)} is not an instruction of PTX{suffix}"
                problems.append(Problem(message, statement.opcode.span, close or ""))
        elif (entry := find_statement_entry(statement)) and entry.is_common:
            problems += parse_known_statement("", fragment, statement, entry).problems
    return tuple(problems)
