"""The operands that a PTX statement writes, and how the carry flag is read.

The instruction need not be in the catalog. A reader may interpret the carry flag differently from
its writer (erratum E18).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from .instruction import Instruction
from .opcodes import BARRIERS, CALLS, FREEING, REDUCING, WITHOUT_DESTINATION
from .tokens import RawInstruction, Token


def count_written(opcode: str, modifiers: Collection[str], openings: Sequence[str]) -> int:
    """Return the number of operands that a statement writes; they come first.

    ``openings`` has the first word of each operand: ``(`` of a list, ``[`` of an address.
    """
    if opcode in CALLS:
        return int(openings[:1] == ["("])
    if opcode in BARRIERS:
        return int(REDUCING in modifiers)
    if opcode in WITHOUT_DESTINATION or FREEING in modifiers:
        return 0
    return openings.index("[") if "[" in openings else 1


def find_destinations(statement: RawInstruction) -> tuple[tuple[Token, ...], ...]:
    """Return the operands that a statement writes; an unknown opcode writes the first."""
    openings = [
        next((x.text for x in words if x.text[0] != "."), "") for words in statement.operands
    ]
    return statement.operands[
        : count_written(statement.opcode.text, statement.modifier_names, openings)
    ]


# --- the carry flag ----------------------------------------------------------------------


class _Definition:
    """One value of the carry flag: its write, and the instructions that read it.

    Writes under a guard share a value, and so do writes whose readers are in another block.
    """

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
    """Return the subtractions that share a flag with an addition, with a mark in their forms.

    The keys are their indices. ``instructions`` are a function's, with None for statements that do
    not touch the flag; ``starts`` are the indices at which blocks begin.
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
    """Return the definitions of the flag; the first is the value between blocks."""
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
