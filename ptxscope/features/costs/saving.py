"""A form that has a cheaper equal one, and the note on it in the explorer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...engine.syntax.instruction import Instruction, Register
from .cost_table import (
    MANY,
    FormCost,
    compute_saving,
    find_cheaper,
    find_cost,
    format_assembler,
    format_saving,
    read_tools,
)


class Saving(NamedTuple):
    """A form, and a cheaper one that gives the same bits."""

    cost: FormCost
    cheap: FormCost

    def __str__(self) -> str:
        return (
            f"`{self.cheap.subject}` gives the same bits for all operands, in fewer machine "
            f"instructions: {format_saving(*self)} ({format_assembler(read_tools())})"
        )

    @property
    def is_large(self) -> bool:
        """Whether it saves many instructions on every architecture."""
        return compute_saving(*self) >= MANY


def find_saving(ins: Instruction) -> Saving | None:
    """Return the cheaper form of an instruction whose operands are registers, all different."""
    cost = find_cost(ins.form)
    cheap = find_cheaper(cost) if cost else None
    names = [str(x) for x in ins.sources]
    if cost is None or cheap is None or len({*names}) < len(names):
        return None  # the counts are for different operands
    return Saving(cost, cheap) if all(isinstance(x, Register) for x in ins.sources) else None


def list_notes(ins: Instruction) -> Iterator[str]:
    """Yield the cheaper form of an instruction, for the line below it in the explorer."""
    if saving := find_saving(ins):
        few, many = (_format_counts(x) for x in (saving.cheap, saving.cost))
        yield (
            f"{saving.cheap.subject} gives the same bits for all operands, in {few} machine "
            f"instructions instead of {many} ({format_assembler(read_tools())})"
        )


def _format_counts(cost: FormCost) -> str:
    low, high = min(cost.counts), max(cost.counts)
    return str(low) if low == high else f"{low} to {high}"
