"""Accesses of one kernel that the other does not make: they must be in the buffer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from ..prove.solver import Solver, Term, Undecided
from .file_kernel import LETTERS
from .kernel_memory import KernelMemory, Root, RootAccess

_ACCESS_SECONDS = 3.0
"""The time for a question about one buffer."""


def iter_access_notes(
    memories: Sequence[KernelMemory],
    line_formats: Sequence[Callable[[int], str]],
    solver: Solver,
    legal: Sequence[Term],
) -> Iterator[str]:
    """Yield a sentence on each buffer of which one kernel reads or writes more than the other.

    ``line_formats`` format a line of each kernel.
    """
    sides = zip(LETTERS, memories, memories[::-1], line_formats, strict=True)
    for letter, memory, other, format_line in sides:
        other_letter = LETTERS[1 - LETTERS.index(letter)]
        for (root, is_store), accesses in _group(memory).items():
            name = memory.initial.get_name(root)
            others = [y for y in other.accesses if memory.initial.get_name(y.root) == name]
            found = _find_lone(accesses, others, solver, legal)
            if found is False:
                continue
            sentence = (
                f"{letter} {'writes' if is_store else 'reads'} bytes of {root.name} that "
                f"{other_letter} does not access"
            )
            if isinstance(found, RootAccess):
                line = format_line(found.statement.line)
                yield f"{sentence}, at {line}: these must be in the buffer."
            else:
                yield f"The time was too short to find out whether {sentence}."


def _group(memory: KernelMemory) -> dict[tuple[Root, bool], list[RootAccess]]:
    """Return the loads and the stores of each buffer."""
    groups: dict[tuple[Root, bool], list[RootAccess]] = {}
    for x in memory.accesses:
        if x.root.is_open and x.root.space == "global":
            groups.setdefault((x.root, x.is_store), []).append(x)
    return groups


def _find_lone(
    accesses: Sequence[RootAccess],
    others: Sequence[RootAccess],
    solver: Solver,
    legal: Sequence[Term],
) -> RootAccess | Literal[False] | None:
    """Return an access with a byte that is in none of the others; None if it is unknown."""
    make = solver.terms.make
    by_distance: dict[Term, list[RootAccess]] = {}
    for y in others:
        by_distance.setdefault(y.distance, []).append(y)
    accesses = [
        x
        for x in accesses
        if not any(
            y.bytes >= x.bytes and _is_implied(x, y) for y in by_distance.get(x.distance, ())
        )
    ]
    if not accesses:
        return False
    place = solver.terms.make_variable(64, "place")
    own = [_covers(x, place, solver) for x in accesses]
    outside = [make("NOT", _covers(y, place, solver)) for y in others]
    try:
        is_alone = solver.is_possible(
            *legal, *outside, solver.terms.join("OR", own), seconds=_ACCESS_SECONDS
        )
    except Undecided:
        return None
    pairs = zip(accesses, own, strict=True)
    return is_alone and next(x for x, covers in pairs if solver.is_true(covers))


def _covers(x: RootAccess, place: Term, solver: Solver) -> Term:
    make = solver.terms.make
    distance = make("BV_SUB", place, x.distance)
    covers = make("BV_ULT", distance, solver.terms.make_value(x.bytes, 64))
    return covers if x.condition is None else make("AND", x.condition, covers)


def _is_implied(x: RootAccess, y: RootAccess) -> bool:
    """Whether an access obviously happens where another one does."""
    if y.condition is None or x.condition is None:
        return y.condition is None
    return bool(x.condition == y.condition)
