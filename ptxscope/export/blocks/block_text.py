"""Plain text of a block."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.blocks.block_trace import BlockTrace
from ..formats.text import (
    WIDTH,
    answer_lines,
    note_lines,
    operand_lines,
    result_lines,
    step_lines,
    tail_lines,
    wrap_text,
)
from ..options import DEFAULT, Options
from .block_document import BlockDocument, StatementSection, build_block_document


def render(trace: BlockTrace, options: Options = DEFAULT, width: int = WIDTH) -> str:
    """Render the statements, each with its steps and its result, and the results of the block."""
    doc = build_block_document(trace, options)
    lines = [*_head_lines(doc, width)]
    for section in doc.sections:
        lines += ["", *_section_lines(section, width)]
    lines += ["", *result_lines(doc, width)]
    lines += note_lines(doc, width)
    if doc.agreement:
        lines += ["", *wrap_text(doc.agreement, "", "", width)]
    lines += tail_lines(doc, width)
    return "\n".join(line.rstrip(" ") for line in lines) + "\n"


def _head_lines(doc: BlockDocument, width: int) -> Iterator[str]:
    if doc.title:
        yield from (*wrap_text(doc.title, "", "", width), "")
    count = doc.count_text
    yield count + f"model: {doc.model}".rjust(width - len(count))
    for line in doc.ptx.split("\n"):
        yield from wrap_text(line, "  ", "      ", width)
    yield from ("", *operand_lines(doc, width))


def _section_lines(section: StatementSection, width: int) -> Iterator[str]:
    doc = section.doc
    yield from wrap_text(section.heading, "", "   ", width)
    if not section.is_folded:
        yield from operand_lines(doc, width)
        for step in doc.steps:
            yield from step_lines(step, width)
    yield from (f"  {line}" for line in result_lines(doc, width - 2))
    if doc.omission and not section.is_folded:
        yield from wrap_text(doc.omission, "  ", "    ", width)
    for note in doc.lane_notes:
        yield from wrap_text(f"* {note}", "  ", "    ", width)
    for note in doc.notes:
        yield from wrap_text(f"Note: {note}.", "  ", "    ", width)
    if doc.answers and not section.is_folded:
        yield from (f"  {line}" for line in answer_lines(doc.answers, width - 2))
