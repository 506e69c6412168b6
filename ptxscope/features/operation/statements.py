"""Statements of pseudocode, and their lines: one ``if`` for neighbours, loops for lanes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ...engine.isa.entry import Slot
from .decision_tree import format_condition, list_values

_WIDTH = 76
"""Maximum characters of an ``if`` with its statement in one line."""
_REMARK_COLUMN = 58


class If(NamedTuple):
    """Statements for some values of a slot, and for the others."""

    slot: Slot
    values: frozenset[object]
    then: list[Statement]
    otherwise: list[Statement]


class Line(NamedTuple):
    """An assignment, or several; ``lanes`` is 1 outside of a loop."""

    text: str
    lanes: int
    remark: str
    stage: str = ""


class Loop(NamedTuple):
    """Statements for each lane, the highest first."""

    lanes: int
    statements: list[Statement]


Statement = If | Line | Loop


class PseudocodeLine(NamedTuple):
    """A line of pseudocode."""

    text: str
    """With its indent."""
    remark: str = ""
    """The title of its step, and the range of an exact result."""
    stage: str = ""
    """The stage of its step; empty for conditions and loops."""


def render_statements(statements: Iterable[Statement]) -> list[PseudocodeLine]:
    """Return the lines of statements, with loops around neighbours that work on lanes."""
    return [*_render(_wrap_in_loops(_shorten(_join(statements))), 0)]


def _join(statements: Iterable[Statement]) -> list[Statement]:
    """Merge neighbours under one condition, or its opposite."""
    merged: list[Statement] = []
    for statement in statements:
        last = merged[-1] if merged else None
        if isinstance(last, If) and isinstance(statement, If) and last.slot == statement.slot:
            _, values, then, otherwise = statement
            if values == list_values(last.slot) - last.values:
                values, then, otherwise = last.values, otherwise, then
            if values == last.values:
                merged[-1] = last._replace(
                    then=last.then + then, otherwise=last.otherwise + otherwise
                )
                continue
            if not last.otherwise and _reach(statement) == last.values:
                merged[-1] = last._replace(then=[*last.then, statement])
                continue
        merged.append(statement)
    return [
        _turn(x._replace(then=_join(x.then), otherwise=_join(x.otherwise)))
        if isinstance(x, If)
        else x
        for x in merged
    ]


def _reach(statement: If) -> frozenset[object]:
    """Return the values of a slot for which an ``if`` or its ``else if`` does something."""
    match statement.otherwise:
        case [If(slot, _, _, _) as other] if slot == statement.slot:
            return statement.values | _reach(other)
        case []:
            return statement.values
    return list_values(statement.slot)


def _shorten(statements: list[Statement]) -> list[Statement]:
    """Return statements without a copy at the end."""
    match statements:
        case [*others, Line(text, 1, remark, stage), Line(copy, 1)]:
            name, _, value = text.partition(" = ")
            target, _, copied = copy.partition(" = ")
            if copied == name:
                return [*others, Line(f"{target} = {value}", 1, remark, stage)]
    return statements


def _turn(statement: If) -> If:
    """Return an ``if`` whose first branch is not for the omission of its slot."""
    slot, values, then, otherwise = statement
    if slot.is_optional and slot.absent in values and otherwise:
        return If(slot, list_values(slot) - values, otherwise, then)
    return statement


def _find_lanes(statement: Statement) -> set[int]:
    if isinstance(statement, If):
        return set().union(*map(_find_lanes, statement.then + statement.otherwise))
    return {statement.lanes}


def _wrap_in_loops(statements: list[Statement]) -> list[Statement]:
    """Return statements with a loop around neighbours that work on lanes."""
    wrapped: list[Statement] = []
    for lanes, group in groupby(statements, key=_find_lanes):
        if lanes == {1}:
            wrapped += group
        elif len(lanes) == 1:
            wrapped.append(Loop(max(lanes), list(group)))
        else:
            wrapped += [
                x._replace(then=_wrap_in_loops(x.then), otherwise=_wrap_in_loops(x.otherwise))
                for x in group
                if isinstance(x, If)
            ]
    return wrapped


def _render(statements: Iterable[Statement], depth: int) -> Iterator[PseudocodeLine]:
    """Yield lines with their remarks."""
    indent = " " * 4 * depth
    for x in statements:
        if isinstance(x, Loop):
            numbers = ", ".join(map(str, reversed(range(x.lanes))))
            yield PseudocodeLine(f"{indent}for i in {numbers}:")
            yield from _render(x.statements, depth + 1)
        elif isinstance(x, Line):
            yield PseudocodeLine(indent + x.text, x.remark, x.stage)
        else:
            yield from _render_if(x, depth, "if")


def _render_if(x: If, depth: int, word: str) -> Iterator[PseudocodeLine]:
    indent = " " * 4 * depth
    head = f"{indent}{word} {format_condition(x.slot, x.values)}:"
    match x.then, x.otherwise:
        case [If(slot, values, then, [])], [If(_, others, same, [])] if then == same:
            if values == {False} and others == {True}:  # one flag or the other
                one, other = format_condition(x.slot, x.values), format_condition(slot, others)
                both = f"{one} or {other}, but not both"
                yield from _render_branch(f"{indent}{word} {both}:", then, depth)
                return
    yield from _render_branch(head, x.then, depth)
    if len(x.otherwise) == 1 and isinstance(x.otherwise[0], If):
        yield from _render_if(x.otherwise[0], depth, "else if")
    elif x.otherwise:
        yield from _render_branch(f"{indent}else:", x.otherwise, depth)


def _render_branch(head: str, body: list[Statement], depth: int) -> Iterator[PseudocodeLine]:
    lines = list(_render(body, depth + 1))
    if len(lines) == 1 and len(head) + len(lines[0].text.strip()) <= _WIDTH:
        yield lines[0]._replace(text=f"{head} {lines[0].text.strip()}")
    else:
        yield PseudocodeLine(head)
        yield from lines


def align_remarks(lines: Sequence[PseudocodeLine]) -> Iterator[str]:
    """Yield lines as texts, with the remark of each step after its first line."""
    width = max((len(x.text) for x in lines if len(x.text) <= _REMARK_COLUMN), default=0)
    last = ""
    for text, remark, _ in lines:
        is_new = bool(remark) and remark != last
        yield f"{text:<{width}}  # {remark}" if is_new and len(text) <= width else text
        last = remark or last
