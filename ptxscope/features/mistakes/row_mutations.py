"""Mistakes in a row: other operations, or other inputs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch
from typing import NamedTuple

from ...engine.isa.encodings import format_hex
from ...engine.micro_operations.base import Copy, LaneView, MicroOperation, RowTrace
from ...engine.micro_operations.properties import InstructionView, format_short_name
from ...engine.micro_operations.selection import Extend

PREVIOUS_RESULT = ""
"""Input of a later operation in a chain: the previous result."""
Chain = tuple[tuple[MicroOperation, tuple[str, ...]], ...]


class RowMutation(NamedTuple):
    """A mistake in a row."""

    description: str
    """Verb phrase that completes "You …"; ``{a}`` is the name of an operand."""
    operations: Chain
    """Operations instead of the row's own, in order."""
    cost: int = 1
    """Cost: how unlikely the mistake is."""
    instead: str = ""
    """Phrase after ``description`` with the right choice; it may reveal the answer."""


class MutationSite(NamedTuple):
    """The mutated row, and the lane in question."""

    row: RowTrace
    lane: int | None

    @property
    def instruction(self) -> InstructionView:
        """Instruction of the row."""
        return self.row.instruction

    @property
    def inputs(self) -> tuple[str, ...]:
        """Keys of the row's inputs."""
        return tuple(x.key for x in self.row.inputs)

    def format_operand(self, role: str) -> str:
        """Return the short name of an operand."""
        return format_short_name(self.instruction, role)

    def replace_operation(
        self, description: str, *operations: MicroOperation, cost: int = 1, instead: str = ""
    ) -> RowMutation:
        """Return a mutation with other operations, each on the previous result."""
        first, *others = operations
        chain = tuple((operation, (PREVIOUS_RESULT,)) for operation in others)
        return RowMutation(description, ((first, self.inputs), *chain), cost, instead)

    def keep_first_input(self, description: str, cost: int = 1) -> RowMutation:
        """Return a mutation that passes the first input on."""
        return RowMutation(description, ((Copy(), self.inputs[:1]),), cost)

    def swap_inputs(self, description: str, cost: int = 1) -> RowMutation:
        """Return a mutation with the last two inputs exchanged."""
        *rest, x, y = self.inputs
        return RowMutation(description, ((self.row.micro, (*rest, y, x)),), cost)

    def append_operation(
        self, description: str, *operations: MicroOperation, cost: int = 1
    ) -> RowMutation:
        """Return a mutation that applies more operations to the result."""
        return self.replace_operation(description, self.row.micro, *operations, cost=cost)


@singledispatch
def iter_row_mutations(micro: MicroOperation, site: MutationSite) -> Iterator[RowMutation]:
    """Yield the common mistakes in a row; modules of mutations register them by operation."""
    yield from ()


def append_sentence(start: str, sentence: str) -> str:
    """Join two sentences into one with one colon."""
    return f"{start}{'; ' if ': ' in sentence else ': '}{sentence}."


def explain_sign(micro: Extend, view: LaneView, wrong_value: int) -> tuple[str, str]:
    """Return ``You read 0xff as unsigned.``, and a sentence with the right value."""
    bits, role, ins = format_hex(view.x, micro.bits), view.row.role, view.row.instruction
    written_type = ins.type_of(role) if role in "abc" else None
    name = f"You read {bits} as {'unsigned' if micro.signed else 'signed'}."
    start = f"You {'kept' if micro.signed else 'read'} {bits} as {wrong_value}"
    has_slot = ins.entry.find_slot(f"{role}type") is not None
    if written_type is None or not has_slot or written_type.signed != micro.signed:
        return name, append_sentence(start, micro.describe_lane(view).sentence)
    return name, f"{start}: {role}type is {written_type}, so it is {view.value}."
