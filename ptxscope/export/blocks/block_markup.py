"""Blocks in the markup languages: Markdown, reStructuredText and AsciiDoc."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.blocks.block_trace import BlockTrace
from ..formats import asciidoc, markdown, rst
from ..formats.markup import (
    Block,
    Heading,
    InlineSpan,
    Paragraph,
    iter_answer_blocks,
    iter_head_blocks,
    iter_lane_note_blocks,
    iter_note_blocks,
    iter_result_blocks,
    iter_result_paragraphs,
    iter_step_blocks,
    iter_tail_blocks,
    make_code,
    make_operand_table,
    make_text,
)
from ..options import DEFAULT, Options
from .block_document import BlockDocument, StatementSection, build_block_document


def render(trace: BlockTrace, options: Options = DEFAULT) -> str:
    """Render headings and tables in the markup language of ``options.format``."""
    doc = build_block_document(trace, options)
    return _WRITERS[options.format](_iter_page(doc, with_title=options.standalone), options)


_WRITERS = {
    "markdown": markdown.write_blocks,
    "rst": rst.write_blocks,
    "asciidoc": asciidoc.write_blocks,
}


def _iter_page(doc: BlockDocument, *, with_title: bool = False) -> Iterator[Block]:
    """Yield the parts of the page; ``with_title`` adds a title if the author has none."""
    yield from iter_head_blocks(doc, doc.count_text if with_title else "")
    if doc.operands:
        yield make_operand_table(doc)
    for section in doc.sections:
        yield from _iter_section(section)
    yield from iter_result_blocks(doc)
    yield from iter_note_blocks(doc.notes)
    if doc.agreement:
        yield Paragraph(make_text(doc.agreement))
    yield from iter_tail_blocks(doc)


def _iter_section(section: StatementSection) -> Iterator[Block]:
    doc = section.doc
    number, _, statement = section.heading.partition(". ")
    yield Heading(1, (InlineSpan(f"Statement {number} "), *make_code(statement)))
    if not section.is_folded:
        yield make_operand_table(doc)
        for step in doc.steps:
            yield from iter_step_blocks(step, 2)
    if doc.omission and not section.is_folded:
        yield Paragraph(make_text(doc.omission))
    yield from iter_result_paragraphs(doc)
    yield from iter_lane_note_blocks(doc)
    yield from iter_note_blocks(doc.notes)
    if doc.answers and not section.is_folded:
        yield from iter_answer_blocks(doc.answers)
