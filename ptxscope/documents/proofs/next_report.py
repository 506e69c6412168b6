"""The operands to observe next, as text."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.isa.value_text import format_hex
from ...engine.proof.next_operands import NextOperands
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Instruction
from ..formats.diagnosis_report import format_causes
from ..formats.text import WIDTH, wrap_text

_MAX_SHOWN = 3
"""Explanations of one result that are shown."""


def render_next_operands(ins: Instruction, answer: NextOperands | None, width: int = WIDTH) -> str:
    """Render the operands and what each result would mean."""
    lines = list(_iter_lines(ins, answer, width))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _iter_lines(ins: Instruction, answer: NextOperands | None, width: int) -> Iterator[str]:
    if answer is None:
        yield "No operands were found that tell the explanations apart."
        return
    if len(answer.groups) > 1:
        yield from _iter_table(ins, answer, width)
    for x, y in answer.equal:
        sentence = f"{format_causes(x)}, and {format_causes(y)}: proved to be the same instruction."
        yield from wrap_text(make_printable(sentence), "", "  ", width)


def _iter_table(ins: Instruction, answer: NextOperands, width: int) -> Iterator[str]:
    types = {name: ins.type_of(role) for role, name in ins.names.items()}
    words = (
        f"{name}={format_hex(bits, types[name].bits)}" for name, bits in answer.operands.items()
    )
    operands = make_printable(" ".join(words))
    yield from wrap_text(f"To decide, observe {operands}:", "", "  ", width)
    for result, explanations in answer.groups:
        values = ", ".join(
            format_hex(bits, ins.type_of(role).bits) for role, bits in result.items()
        )
        texts = [make_printable(format_causes(x)) for x in explanations[:_MAX_SHOWN]]
        more = len(explanations) - len(texts)
        texts += [f"{more} more"] if more else []
        yield from wrap_text(f"{values}  {', or '.join(texts)}", "  ", "      ", width)
