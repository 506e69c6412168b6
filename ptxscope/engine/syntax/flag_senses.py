"""Carry flags that are read in another sense than they are written in (erratum E18).

The flag after an addition is a carry, after a subtraction a borrow. A definition is one write of
the flag with all that reads it; writes under a guard, and those that leave a block for a reader in
another one, share a definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .instruction import Instruction


class _Definition:
    """One value of the flag."""

    def __init__(self) -> None:
        self.writers: set[int] = set()
        self.readers: set[int] = set()

    def add(self, other: _Definition) -> None:
        """Take over the instructions of another definition."""
        self.writers |= other.writers
        self.readers |= other.readers


def mark_mixed_flags(
    instructions: Sequence[Instruction | None], starts: Iterable[int] = ()
) -> dict[int, Instruction]:
    """Return the subtractions that share a flag with an addition, marked in their forms.

    The keys are their places. ``instructions`` are those of a function, None for statements that
    do not touch the flag; ``starts`` are the places at which a block begins.
    """
    places = [(i, x) for i, x in enumerate(instructions) if x and x.entry.carry_noun]
    if len({_is_subtraction(x) for _, x in places}) < 2:
        return {}
    definitions = _find_definitions(places, sorted(starts))
    marked: dict[int, Instruction] = {}
    for definition in definitions:
        members = definition.writers | definition.readers
        if len({_is_subtraction(instructions[i]) for i in members}) < 2:
            continue
        for i in members:
            ins = marked.get(i, instructions[i])
            if ins and _is_subtraction(ins):
                has_read = ins.form.is_carry_in_inverted or i in definition.readers
                has_written = ins.form.is_carry_out_inverted or i in definition.writers
                form = ins.form._replace(
                    is_carry_in_inverted=has_read, is_carry_out_inverted=has_written
                )
                marked[i] = replace(ins, form=form)
    return marked


def _is_subtraction(ins: Instruction | None) -> bool:
    return ins is not None and ins.entry.carry_noun == "borrow"


def _find_definitions(
    places: Sequence[tuple[int, Instruction]], starts: Sequence[int]
) -> list[_Definition]:
    """Return the definitions of the flag; the first is that of the flag between blocks."""
    outer, current = _Definition(), _Definition()
    definitions, leaving = [outer], list[_Definition]()
    is_inside, next_start = False, 0
    for i, ins in places:
        begin = next_start
        while next_start < len(starts) and starts[next_start] <= i:
            next_start += 1
        if next_start > begin:
            leaving += [current] * is_inside
            is_inside = False
        if not is_inside:
            current = outer
        if ins.entry.reads_carry:
            current.readers.add(i)
        if ins.form.cc:
            if ins.guard is None:
                current = _Definition()
                definitions.append(current)
                is_inside = True
            current.writers.add(i)
    if outer.readers or outer.writers:
        for definition in (*leaving, current):
            outer.add(definition)
    return definitions
