"""Constraints of asm statements that are macros under a condition: each branch is checked.

``#ifdef WIDE``, ``#define PTR "l"``, ``#else``, ``#define PTR "r"``: a diagnostic that needs one of
the definitions names its branch.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product
from math import prod
from typing import NamedTuple

from ...engine.syntax.c_lexer import iter_directives
from ...engine.syntax.errors import quote_word
from ...sources.preprocessor import (
    Definitions,
    is_condition,
    is_definition,
    read_definition,
)
from ...sources.source_language import has_asm
from .compiled_code import Condition, read_condition, select_branches
from .diagnostic import CheckedInstruction, Diagnostic

_CONSTRAINT = re.compile(r'\s*+"[=+&]*+(?P<letter>[hrlqfdn])"\s*+')
_WITHOUT_ELSE = "with no "
_MAX_VERSIONS = 8
"""The most versions of a source that are checked."""
_MAX_LADDERS = 3
_MAX_BRANCHES = 8
"""The most branches of a ladder that is read."""
_MAX_DEPTH = 20
"""The most ladders in each other that are read."""
_CALL = re.compile(r"[\s:,](\w++)\s*+\(", re.ASCII)
_MAX_NAME_CHARS = 60


class _Branch(NamedTuple):
    """One branch of a ladder of conditions, as a version of the source has it."""

    name: str
    """As a message has it: ``#ifdef WIDE``."""
    assumed: Mapping[str, bool]
    """The conditions, and whether each holds."""
    has_narrow_addresses: bool
    """Whether a constraint is "r" here and "l" in another branch: addresses then have 32 bits."""


class _Ladder:
    """The branches from an ``#if`` to its ``#endif``, up to the text that has been read."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.conditions: list[tuple[str, Condition | None]] = []
        """The directives, with the conditions; None for an ``#else``."""
        self.constraints = list[dict[str, str]]()
        """The letters of the constraints that each branch defines."""

    @property
    def assumed(self) -> dict[str, bool]:
        """Whether each condition holds in the last branch."""
        *former, (_, last) = self.conditions
        conditions = [(x, False) for _, x in former] + [(last, True)]
        return {x.key: holds is not x.is_negated for x, holds in conditions if x}

    def list_branches(self, around: Mapping[str, bool]) -> Iterator[_Branch]:
        """Yield all branches; the last may be that in which no condition holds."""
        has_else = self.conditions[-1][1] is None
        rest = [] if has_else else [(f"no `#else` of line {self.line}", None)]
        conditions, self.conditions = [*self.conditions, *rest], []
        wide = {x for letters in self.constraints for x, letter in letters.items() if letter == "l"}
        constraints = [*self.constraints, *({} for _ in rest)]
        for condition, letters in zip(conditions, constraints, strict=True):
            self.conditions.append(condition)
            is_narrow = any(letters[x] == "r" for x in wide & letters.keys())
            yield _Branch(condition[0], {**around, **self.assumed}, is_narrow)


def check_branches(
    text: str, definitions: Definitions, check: Callable[[str, bool], Iterable[CheckedInstruction]]
) -> Iterable[CheckedInstruction]:
    """Return the items of a C source, of all versions that define its constraints differently.

    ``check`` takes a version, and whether its addresses have 32 bits.
    """
    is_likely = "define" in text and has_asm(text)
    ladders = list(islice(_find_ladders(text), _MAX_LADDERS)) if is_likely else []
    while prod(map(len, ladders)) > _MAX_VERSIONS:
        ladders.pop()
    versions = [x for x in product(*ladders) if _is_consistent(x)]
    if len(versions) < 2:
        return check(text, False)
    texts = [
        select_branches(text, definitions, {x: y for b in branches for x, y in b.assumed.items()})
        for branches in versions
    ]
    narrow = [any(x.has_narrow_addresses for x in branches) for branches in versions]
    items = [[*check(x, is_narrow)] for x, is_narrow in zip(texts, narrow, strict=True)]
    return _merge_versions(items, [x.split("\n") for x in texts], text.split("\n"), versions)


def _is_consistent(branches: Iterable[_Branch]) -> bool:
    """Return whether all of some branches may be compiled at once."""
    assumptions = {(x, holds) for branch in branches for x, holds in branch.assumed.items()}
    return len({x for x, _ in assumptions}) == len(assumptions)


def _find_ladders(text: str) -> Iterator[list[_Branch]]:
    """Yield the branches of the conditions under which constraints are defined."""
    ladders = list[_Ladder]()
    called_names = frozenset(_CALL.findall(text))
    line, counted_end = 1, 0
    for directive in iter_directives(text):
        line += text.count("\n", counted_end, directive.start)
        counted_end = directive.start
        word = directive.word
        if is_definition(directive):
            definition = read_definition(directive.rest)
            match = _CONSTRAINT.fullmatch(definition.body) if definition else None
            if ladders and definition and match and definition.name in called_names:
                ladders[-1].constraints[-1][definition.name] = match["letter"]
        elif is_condition(directive):
            if word.startswith("if"):
                ladders.append(_Ladder(line))
            if not ladders:
                continue
            if word == "endif":
                ladder = ladders.pop()
                is_short = len(ladders) < _MAX_DEPTH and all(
                    len(x.conditions) <= _MAX_BRANCHES for x in (*ladders, ladder)
                )
                if is_short and any(ladder.constraints):
                    around = {x: y for outer in ladders for x, y in outer.assumed.items()}
                    yield list(ladder.list_branches(around))
                continue
            name = " ".join(f"#{word} {directive.rest}".split())
            name = quote_word(name[:_MAX_NAME_CHARS])
            if word == "else":
                name = f"the `#else` of line {line}"
            ladders[-1].conditions.append((name, read_condition(word, directive.rest)))
            ladders[-1].constraints.append({})


def _merge_versions(
    items: Sequence[Sequence[CheckedInstruction]],
    lines: Sequence[Sequence[str]],
    original_lines: Sequence[str],
    versions: Sequence[tuple[_Branch, ...]],
) -> Iterator[CheckedInstruction]:
    """Yield the items of all versions, by line; items of only some name their branches."""
    by_line = defaultdict[int, list[list[CheckedInstruction]]](lambda: [[] for _ in versions])
    for index, version_items in enumerate(items):
        for item in version_items:
            by_line[item.location.line][index].append(item)
    for line in sorted(by_line):
        compiled = [
            i for i, x in enumerate(lines) if x[line - 1].strip() or not original_lines[line - 1]
        ]
        rows = defaultdict[tuple[str, int], dict[int, CheckedInstruction]](dict)
        for i in compiled:
            counts = Counter[str]()
            for item in by_line[line][i]:
                ptx = item.ptx.rstrip(";")
                counts[ptx] += 1
                rows[ptx, counts[ptx]][i] = item
        merged = [
            _merge_items([row.get(i) for i in compiled], [versions[i] for i in compiled])
            for row in rows.values()
        ]
        yield from sorted(merged, key=lambda x: x.location.column)


def _merge_items(
    items: Sequence[CheckedInstruction | None], versions: Sequence[tuple[_Branch, ...]]
) -> CheckedInstruction:
    """Merge the items of some versions at a place into one."""
    present_items = [x for x in items if x]
    item = next((x for x in present_items if not x.is_legal), present_items[0])
    diagnostics = list[Diagnostic]()
    for diagnostic in dict.fromkeys(chain.from_iterable(x.diagnostics for x in present_items)):
        has_diagnostic = [bool(x and diagnostic in x.diagnostics) for x in items]
        if not all(has_diagnostic):
            names = _name_branches(versions, has_diagnostic)
            if names.startswith(_WITHOUT_ELSE) and diagnostic.rule == "note":
                continue  # the macro is not defined at all
            diagnostic = diagnostic._replace(message=f"{diagnostic.message} ({names})")
        diagnostics.append(diagnostic)
    return item._replace(diagnostics=tuple(diagnostics))


def _name_branches(versions: Sequence[tuple[_Branch, ...]], has_diagnostic: Sequence[bool]) -> str:
    """Return the branches with a diagnostic: ``with `#ifdef WIDE```."""
    names = list[str]()
    for branches in zip(*versions, strict=True):
        every = dict.fromkeys(x.name for x in branches)
        some = dict.fromkeys(
            x.name for x, holds in zip(branches, has_diagnostic, strict=True) if holds
        )
        if len(some) < len(every):
            names.append(" or ".join(some))
    written_names = [x for x in names if not x.startswith("no ")] or names
    return f"with {' and '.join(written_names)}"
