"""What one kernel accesses and the other does not: it must be in the buffer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..prove.solver import Solver, Term, Undecided
from .kernel_memory import Access, KernelMemory

LETTERS = "AB"
_ACCESS_SECONDS = 3.0
"""The time for a question about one access."""


def iter_access_notes(
    memories: Sequence[KernelMemory], solver: Solver, aligned: Sequence[Term]
) -> Iterator[str]:
    """Yield a sentence on each buffer of which one kernel reads or writes more than the other."""
    for letter, memory, other in zip(LETTERS, memories, memories[::-1], strict=True):
        other_letter = LETTERS[1 - LETTERS.index(letter)]
        seen = set()
        for x in memory.accesses:
            key = f"{'writes' if x.is_store else 'reads'} bytes of {x.root.name}"
            if x.root.space != "global" or key in seen:
                continue
            name = memory.initial.get_name(x.root)
            others = [y for y in other.accesses if memory.initial.get_name(y.root) == name]
            is_alone = _is_alone(x, others, solver, aligned)
            if is_alone is not False:
                seen.add(key)
                sentence = (
                    f"{letter} {key} that {other_letter} does not access, at line "
                    f"{x.statement.line}"
                )
                yield (
                    f"{sentence}: these must be in the buffer."
                    if is_alone
                    else f"The time was too short to find out whether {sentence}."
                )


def _is_alone(
    x: Access, others: Sequence[Access], solver: Solver, aligned: Sequence[Term]
) -> bool | None:
    """Whether some byte of an access is in none of the others; None if nobody knows."""
    make = solver.terms.make
    if any(y.distance == x.distance and y.bytes >= x.bytes and _is_implied(x, y) for y in others):
        return False
    place = solver.terms.make_variable(64, "place")
    own = [_covers(x, place, solver)]
    own += [make("NOT", _covers(y, place, solver)) for y in others]
    try:
        return solver.is_possible(*aligned, *own, seconds=_ACCESS_SECONDS)
    except Undecided:
        return None


def _covers(x: Access, place: Term, solver: Solver) -> Term:
    make = solver.terms.make
    distance = make("BV_SUB", place, x.distance)
    covers = make("BV_ULT", distance, solver.terms.make_value(x.bytes, 64))
    return covers if x.condition is None else make("AND", x.condition, covers)


def _is_implied(x: Access, y: Access) -> bool:
    """Whether an access plainly happens where another one does."""
    if y.condition is None or x.condition is None:
        return y.condition is None
    return bool(x.condition == y.condition)
