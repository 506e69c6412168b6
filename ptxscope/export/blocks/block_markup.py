"""Blocks in the markup languages: Markdown, reStructuredText and AsciiDoc."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from ...engine.blocks.block_trace import BlockTrace
from ..formats import asciidoc, markdown, rst
from ..formats.markup import (
    Block,
    Heading,
    InlineKind,
    InlineSpan,
    Paragraph,
    Verbatim,
    iter_answer_blocks,
    iter_result_blocks,
    iter_result_paragraphs,
    iter_step_blocks,
    join_lines,
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
    default = f"{len(doc.sections)} statements" if with_title else ""
    if title := make_text(doc.title or default):
        yield Heading(0, title)
    yield Verbatim(doc.ptx, "ptx")
    yield Paragraph((*make_text("Model:"), InlineSpan(" "), *make_code(doc.model)))
    if doc.operands:
        yield make_operand_table(doc)
    for section in doc.sections:
        yield from _iter_section(section)
    yield from iter_result_blocks(doc)
    yield from _iter_notes(doc.notes)
    if caption := join_lines(doc.caption):
        yield Paragraph((InlineSpan(caption, InlineKind.EMPHASIS),))
    yield Paragraph(make_text(doc.source))
    yield Verbatim(shlex.join(doc.command), "sh")


def _iter_section(section: StatementSection) -> Iterator[Block]:
    doc = section.doc
    number, _, statement = section.heading.partition(". ")
    yield Heading(1, (InlineSpan(f"Statement {number} "), *make_code(statement)))
    if not section.is_folded:
        yield make_operand_table(doc)
        for step in doc.steps:
            yield from iter_step_blocks(step, 2)
    yield from iter_result_paragraphs(doc)
    yield from _iter_notes(section.notes)
    if doc.answers and not section.is_folded:
        yield from iter_answer_blocks(doc.answers)


def _iter_notes(notes: tuple[str, ...]) -> Iterator[Block]:
    for note in notes:
        yield Paragraph(
            (InlineSpan("Note:", InlineKind.STRONG), InlineSpan(f" {join_lines(note)}."))
        )
