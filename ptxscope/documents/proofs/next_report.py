"""The operands to observe next, as a report."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.isa.value_text import format_hex
from ...engine.proof.next_operands import NextOperands
from ...engine.syntax.instruction import Instruction
from ..formats.diagnosis_report import VALUE_INDENTS, format_causes
from ..formats.markup import Block, make_paragraph, make_points

_MAX_SHOWN = 3
"""Explanations of one result that are shown."""


def iter_next_blocks(ins: Instruction, answer: NextOperands | None) -> Iterator[Block]:
    """Yield the operands and what each result would mean."""
    if answer is None:
        yield make_paragraph("No operands were found that tell the explanations apart.")
        return
    if len(answer.groups) > 1:
        yield from _iter_group_blocks(ins, answer)
    for x, y in answer.equal:
        sentence = f"{format_causes(x)}, and {format_causes(y)}: proved to be the same instruction."
        yield make_paragraph(sentence, "", "  ", is_close=True)


def _iter_group_blocks(ins: Instruction, answer: NextOperands) -> Iterator[Block]:
    types = {name: ins.type_of(role) for role, name in ins.names.items()}
    words = (
        f"{name}={format_hex(bits, types[name].bits)}" for name, bits in answer.operands.items()
    )
    yield make_paragraph(f"To decide, observe {' '.join(words)}:", "", "  ")
    points = []
    for result, explanations in answer.groups:
        values = ", ".join(
            format_hex(bits, ins.type_of(role).bits) for role, bits in result.items()
        )
        texts = [*map(format_causes, explanations[:_MAX_SHOWN])]
        more = len(explanations) - len(texts)
        texts += [f"{more} more"] if more else []
        points.append([f"{values}  {', or '.join(texts)}"])
    yield make_points(points, VALUE_INDENTS, is_close=True)
