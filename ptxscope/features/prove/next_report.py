"""The operands to observe next as a report, with the meaning of each result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...diagnosis.explanations import Diagnosis
from ...documents.formats.diagnosis_report import VALUE_INDENTS, explanation_to_json, format_causes
from ...documents.formats.markup import Block, make_paragraph, make_points
from ...engine.cancellation import IsStopped
from ...engine.isa.encodings import format_hex
from ...engine.syntax.instruction import Instruction
from .next_operands import NextOperands, find_next_operands

_FOLLOW_UP_SECONDS = 2.0
"""The time for the operands at the end of a report."""
_ADVICE = "`ptxscope find --next` tells them apart; it needs the extra prove."


def iter_follow_up_blocks(diagnosis: Diagnosis) -> Iterator[Block]:
    """Yield the operands to observe next, if there are any, and the meaning of each result.

    Without the solver, yield advice.
    """
    try:
        answer = find_next_operands(diagnosis, timeout=_FOLLOW_UP_SECONDS)
    except ImportError:
        yield make_paragraph(_ADVICE)
        return
    if answer:
        yield from iter_next_blocks(diagnosis.block.instruction, answer)


def find_next_blocks(
    diagnosis: Diagnosis, is_stopped: IsStopped
) -> tuple[Mapping[str, int], Iterable[Block]]:
    """Return the operands to observe next (none if they tell nothing apart), and their report."""
    answer = find_next_operands(diagnosis, is_stopped=is_stopped)
    operands = answer.operands if answer and len(answer.groups) > 1 else {}
    return operands, [*iter_next_blocks(diagnosis.block.instruction, answer)]


_MAX_MEANINGS = 3
"""Maximum explanations of one result that are shown."""


def iter_next_blocks(ins: Instruction, answer: NextOperands | None) -> Iterator[Block]:
    """Yield the operands and the meaning of each result."""
    if answer is None:
        yield make_paragraph("No operands were found that tell the explanations apart.")
        return
    if len(answer.groups) > 1:
        yield from _iter_meaning_blocks(ins, answer)
    for x, y in answer.equal:
        sentence = f"{format_causes(x)}, and {format_causes(y)}: proved to be the same instruction."
        yield make_paragraph(sentence, "", "  ", is_close=True)


def _iter_meaning_blocks(ins: Instruction, answer: NextOperands) -> Iterator[Block]:
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
        texts = [*map(format_causes, explanations[:_MAX_MEANINGS])]
        more = len(explanations) - len(texts)
        texts += [f"{more} more"] if more else []
        points.append([f"{values}  {', or '.join(texts)}"])
    yield make_points(points, VALUE_INDENTS, is_close=True)


def next_to_json(ins: Instruction, answer: NextOperands | None) -> dict[str, object]:
    """Return the operands and the meaning of each result, in the shape of ``find --next -f json``.

    Explanations that are proved equal are pairs; the second of each is left out elsewhere.
    """
    found = answer or NextOperands({}, (), ())
    return {
        "ptx": str(ins),
        "operands": found.operands,
        "results": [
            {
                "result": {ins.results[role]: bits for role, bits in result.items()},
                "explanations": [explanation_to_json(x) for x in explanations],
            }
            for result, explanations in found.groups
        ],
        "equal": [[explanation_to_json(x) for x in pair] for pair in found.equal],
    }
