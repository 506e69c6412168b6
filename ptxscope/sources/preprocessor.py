"""The directives of the C preprocessor: definitions of macros, and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..engine.syntax.c_lexer import NAME, Directive, iter_directives

Definitions = Mapping[str, str | None]
"""Texts of object macros by name; None for an undefined name."""

_DEFINITION = re.compile(
    rf"\s++(?P<name>{NAME})(?>\((?P<parameters>[^()]*+)\)|)(?P<body>.*)", re.DOTALL
)


class Definition(NamedTuple):
    """The contents of a ``#define`` or an ``#undef``."""

    name: str
    parameters: tuple[str, ...] | None
    """None for an object macro."""
    body: str


def read_definition(rest: str) -> Definition | None:
    """Return the definition in the text after ``#define``; None without a name."""
    match = _DEFINITION.match(rest)
    if match is None:
        return None
    parameters = match["parameters"]
    names = None if parameters is None else tuple(map(str.strip, parameters.split(",")))
    return Definition(match["name"], () if names == ("",) else names, match["body"])


def iter_definitions(text: str) -> Iterator[tuple[Directive, bool]]:
    """Yield the lines of a C source that define or undefine macros.

    Each comes with whether it is in a condition other than the guard of the whole file.
    """
    directives = [x for x in iter_directives(text) if is_definition(x) or is_condition(x)]
    words = [x.word for x in directives]
    guard_depth = int(words[:2] == ["ifndef", "define"] and words[-1:] == ["endif"])
    if guard_depth and directives[0].rest.split()[:1] != directives[1].rest.split()[:1]:
        guard_depth = 0
    depth = 0
    for directive in directives:
        depth += directive.word.startswith("if")
        if is_definition(directive):
            yield directive, depth > guard_depth
        depth -= directive.word == "endif"


def is_definition(directive: Directive) -> bool:
    """Whether a directive defines or undefines a macro."""
    return directive.word in ("define", "undef")


def is_condition(directive: Directive) -> bool:
    """Whether a directive begins, continues or ends a condition."""
    return directive.word in _CONDITIONS


_CONDITIONS = frozenset("if ifdef ifndef elif elifdef elifndef else endif".split())
