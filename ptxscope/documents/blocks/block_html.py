"""HTML of a block: its picture, whose values highlight each other, and tables by statement."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ...engine.blocks.block_trace import describe_origins
from ...engine.tracing.trace import Trace
from ..content.document import Document, Section, build_document
from ..content.id_prefix import make_block_id
from ..formats.html import (
    format_page,
    get_title_level,
    iter_answer_lines,
    iter_article_start,
    iter_footer_lines,
    iter_lane_note_lines,
    iter_note_lines,
    iter_operand_lines,
    iter_result_lines,
    iter_step_lines,
)
from ..options import DEFAULT, Options
from ..svg import block_picture
from ..svg.svg_canvas import Node
from ..svg.trace_picture import SMALL, render_drawing
from ..svg.zones import Relations, find_relations, highlight_lines, highlight_rules


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render an ``<article>``, or with `options.standalone` a page around it."""
    doc = build_document(trace, options)
    article = "\n".join(_article_lines(doc, options))
    return format_page(escape(doc.name), article, options) if options.standalone else article + "\n"


def _article_lines(doc: Document, options: Options) -> Iterator[str]:
    level = get_title_level(options)
    id_ = make_block_id(doc.trace, options, "html")
    yield from iter_article_start(doc, options, id_)
    relations, pictures = _draw_pictures(doc, options._replace(id=id_))
    yield from pictures
    yield "<details><summary>All values in tables</summary>"
    yield f"<pre><code>{escape(doc.ptx)}</code></pre>"
    yield f'<p class="px-dim">Model <code>{escape(doc.model)}</code></p>'
    yield from iter_operand_lines(doc.operands)
    for section in doc.sections:
        yield from _section_lines(section, level + 1, id_, relations)
    yield from iter_result_lines(doc, level + 1, f"{id_}-result")
    yield from iter_note_lines(doc.notes)
    if doc.agreement:
        yield f'<p class="px-agreed">{escape(doc.agreement)}</p>'
    yield from iter_footer_lines(doc)
    yield "</details>"
    if doc.caption:
        yield f'<p class="px-caption" dir="auto">{escape(doc.caption)}</p>'
    yield "</article>"


def _section_lines(section: Section, level: int, id_: str, relations: Relations) -> Iterator[str]:
    name = f"{id_}-{section.key}"
    yield f'<div id="{name}"><h{level}><code>{escape(section.heading)}</code></h{level}>'
    if not section.is_folded:
        yield from iter_operand_lines(section.operands)
        for step in section.steps:
            branch = section.branch
            yield from iter_step_lines(section.trace, step, level + 1, name, relations, branch)
    if section.omission and not section.is_folded:
        yield f'<p class="px-dim">{escape(section.omission)}</p>'
    for view in section.results:
        yield (
            f"<p><code>{escape(view.name)}</code> = <code>{view.bits}</code> "
            f'<span class="px-dim">{escape(view.meant)}</span></p>'
        )
    yield from iter_lane_note_lines(section.lane_notes)
    yield from iter_note_lines(section.notes)
    if section.answers and not section.is_folded:
        yield from iter_answer_lines(section.answers, level + 1, name, relations)
    yield "</div>"


def _draw_pictures(doc: Document, options: Options) -> tuple[Relations, Iterator[str]]:
    """Return the relations between the values of the picture, and its lines; for narrow pages too.

    The title and the caption are in the page.
    """
    trace = doc.trace.with_annotations(doc.trace.annotations._replace(title="", caption=""))
    drawing = block_picture.draw_block(trace, options, "-picture")
    relations = find_relations(drawing.canvas)

    def picture_lines() -> Iterator[str]:
        small = block_picture.draw_block(trace, options, "-narrow", SMALL)
        small_relations = find_relations(small.canvas, len(relations.numbers))
        sentences = dict(iter_block_sentences(doc))
        yield '<div class="px-pictures">'
        for css, picture, numbers in (
            ("px-wide", drawing, relations),
            ("px-narrow", small, small_relations),
        ):
            overlay = tuple(highlight_lines(picture.canvas, numbers, sentences))
            yield f'<figure class="px-picture px-scroll {css}" tabindex="0">'
            yield render_drawing(picture, overlay) + "</figure>"
        yield "</div>"
        count = len(relations.numbers) + len(small_relations.numbers)
        yield f"<style>{highlight_rules(count)}</style>"

    return relations, picture_lines()


def iter_block_sentences(doc: Document, *, has_origins: bool = True) -> Iterator[tuple[Node, str]]:
    """Yield the sentence on each value of the picture, and the given registers behind it."""
    for section in doc.sections:
        prefix, branch = section.statement.prefix, section.branch
        trace = (section.is_other and doc.other) or doc.trace
        for row in (row for step in section.steps for row in step.rows):
            for cell in row.cells:
                sentence = f"{cell.sentence}."
                if has_origins:
                    origin = describe_origins(trace, prefix + row.row.key, cell.lane)
                    sentence += f" From {origin}."
                yield (branch, row.row.key, cell.lane), sentence
