"""Where kernels and blocks of a listing begin and end, and what registers they declare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from .tokens import Kind, Token


class Body(NamedTuple):
    """Tokens ``start`` to ``end`` of a fragment: what stands in the braces of a kernel."""

    name: str
    start: int
    end: int


class Scope(NamedTuple):
    """A ``{`` and its ``}``, as tokens, and what is declared in between."""

    open: Token
    close: Token
    names: dict[str, str]
    """Declared type by name; ``%r<`` stands for all numbered ``%r``."""
    hidden: frozenset[str] = frozenset()
    """Those of the names that are declared around it too."""


def bodies(words: list[Token]) -> Iterator[Body]:
    """The bodies of ``.entry`` and ``.func``, by their name."""
    i = 0
    while i < len(words):
        if words[i].text not in (".entry", ".func"):
            i += 1
            continue
        depth, name, i = 0, "", i + 1
        while i < len(words) and words[i].text not in ("{", ";"):
            depth += (words[i].text == "(") - (words[i].text == ")")
            if not depth and not name and words[i].kind is Kind.NAME:
                name = words[i].text
            i += 1
        if i < len(words) and words[i].text == "{":
            end = _closing(words, i)
            last = words[end].start if end < len(words) else words[-1].end + 1
            yield Body(name, words[i].end, last)
            i = end


def _closing(words: list[Token], i: int) -> int:
    """Where the brace at i is closed."""
    depth = 0
    while i < len(words):
        depth += (words[i].text == "{") - (words[i].text == "}")
        if not depth:
            return i
        i += 1
    return i


def scopes(words: list[Token]) -> Iterator[Scope]:
    """Every pair of braces, inner ones first, and at the end all of the text."""
    if not words:
        return
    stack = [Scope(words[0], words[-1], {})]
    declared = Counter[str]()
    """In how many of the stack."""
    for i, word in enumerate(words):
        if word.text == "{":
            stack.append(Scope(word, words[-1], {}))
        elif word.text == "}" and len(stack) > 1:
            yield _closed(stack.pop(), declared)._replace(close=word)
        elif word.text == ".reg":
            for name, type_ in _declaration(words, i + 1):
                declared[name] += name not in stack[-1].names
                stack[-1].names[name] = type_
    while stack:
        yield _closed(stack.pop(), declared)


def _closed(scope: Scope, declared: Counter[str]) -> Scope:
    declared.subtract(scope.names.keys())
    return scope._replace(hidden=frozenset(name for name in scope.names if declared[name] > 0))


_ENDS = frozenset([";", ")", "{", "}", ".reg"])


def _declaration(words: list[Token], i: int) -> Iterator[tuple[str, str]]:
    """Names and types of ``.b32 %r<9>, t;``."""
    type_ = ""
    while i < len(words) and words[i].text not in _ENDS:
        if words[i].kind is Kind.DOTTED:
            type_ = words[i].text[1:]
        elif words[i].kind is Kind.NAME:
            many = i + 1 < len(words) and words[i + 1].text == "<"
            yield words[i].text + ("<" if many else ""), type_
        i += 1
