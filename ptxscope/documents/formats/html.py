"""HTML output: a fragment with its own style, or a page.

It follows the light or dark theme of the surrounding page, and paints its own background. The
picture comes first; tables of values are folded below. CSS highlights the inputs and outputs of a
value that is hovered over or focused. A table cell shows its origin in words, and a check box above
the tables shows all origins. A fragment has no script; a page's script lets the arrow keys move
between values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files

from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.properties import format_short_name
from ...engine.tracing.provenance import describe_origins, find_provenance, format_origins
from ...engine.tracing.step_text import get_row_name
from ...engine.tracing.trace import Trace
from .. import theme
from ..content.document import Answers, Document, OperandView, Section, StepView
from ..content.document_builder import build_document, make_cells
from ..content.id_prefix import make_id_prefix
from ..options import DEFAULT, Options
from ..svg.svg_canvas import Node, make_style_element
from ..svg.trace_picture import draw_trace, render_drawing
from ..svg.zones import Relations, find_relations, highlight_lines, highlight_rules

_SCHEME: dict[str, theme.Pair] = {"scheme": ("light", "dark")}
"""CSS names of the two themes, for scroll bars and check boxes."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render an ``<article>``, or with `options.standalone` a page around it."""
    doc = build_document(trace, options)
    article = "\n".join(_iter_article_lines(doc, options))
    return format_page(escape(doc.name), article, options) if options.standalone else article + "\n"


def format_page(title: str, article: str, options: Options) -> str:
    """Return a page around an article; the title is HTML."""
    colours = theme.format_rules(":root", theme.HTML | _SCHEME, options.theme)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title>\n<style>\n{colours}\n"
        "html{background:var(--px-page);color-scheme:var(--px-scheme,light dark)}\n"
        "body{margin:.5rem}\n"
        f"</style>\n</head>\n<body>\n{article}\n"
        f"<script>\n{_load_file('page.js')}</script>\n</body>\n</html>\n"
    )


def load_style(theme_choice: theme.Theme = theme.Theme.AUTO) -> str:
    """Return the style sheet of an article."""
    colours = theme.format_rules(f".ptxscope.px-{theme_choice}", theme.HTML | _SCHEME, theme_choice)
    return f"{colours}\n{_load_file('trace.css')}"


def _load_file(name: str) -> str:
    return files("ptxscope.documents").joinpath(name).read_text(encoding="utf-8")


def _iter_article_lines(doc: Document, options: Options) -> Iterator[str]:
    level = 1 if options.standalone else 3
    id_ = make_id_prefix(doc, options, "html")
    yield from _iter_start_lines(doc, options, id_, level)
    relations, pictures = _draw_pictures(doc, options._replace(id=id_))
    yield from pictures
    yield "<details><summary>All values in tables</summary>"
    yield f"<pre><code>{escape(doc.ptx)}</code></pre>"
    yield f'<p class="px-dim">Model <code>{escape(doc.model)}</code></p>'
    yield from _iter_operand_lines(doc.operands)
    if doc.steps:
        yield (
            '<label class="px-say"><input type="checkbox"/> '
            "Show in every cell where its bits came from</label>"
        )
    for section in doc.sections:
        yield from _iter_section(section, level + 1, id_, relations)
    if not doc.sections[0].is_only:
        yield from _iter_result_lines(doc, level + 1, f"{id_}-result")
        yield from _iter_note_lines(doc.notes)
    if doc.agreement:
        yield f'<p class="px-agreed">{escape(doc.agreement)}</p>'
    if doc.source:
        yield f"<footer>\n<p>{escape(doc.source)}</p>"
        yield f"<pre><code>{escape(doc.command)}</code></pre>\n</footer>"
    yield "</details>"
    if doc.caption:
        yield f'<p class="px-caption" dir="auto">{escape(doc.caption)}</p>'
    yield "</article>"


def _iter_section(section: Section, level: int, id_: str, relations: Relations) -> Iterator[str]:
    """Yield a statement; if there are several, in a box below its heading."""
    step_id = f"{id_}-step"
    if not section.is_only:
        id_ = step_id = f"{id_}-{section.key}"
        yield f'<div id="{id_}"><h{level}><code>{escape(section.heading)}</code></h{level}>'
        level += 1
        if not section.is_folded:
            yield from _iter_operand_lines(section.operands)
    if not section.is_folded:
        for step in section.steps:
            yield from _iter_step_lines(section, step, level, step_id, relations)
        if section.omission:
            yield f'<p class="px-dim">{escape(section.omission)}</p>'
    if section.is_only:
        yield from _iter_result_lines(section, level, f"{id_}-result")
    else:
        for view in section.results:
            yield (
                f"<p><code>{escape(view.name)}</code> = <code>{view.bits}</code> "
                f'<span class="px-dim">{escape(view.meant)}</span></p>'
            )
    for note in section.lane_notes:
        yield f'<aside class="px-note" dir="auto">{escape(note)}</aside>'
    yield from _iter_note_lines(section.notes)
    if section.answers and not section.is_folded:
        yield from _iter_answer_lines(section, section.answers, level, id_, relations)
    if not section.is_only:
        yield "</div>"


def _iter_start_lines(doc: Document, options: Options, id_: str, level: int) -> Iterator[str]:
    """Yield the start of an article, with a heading if a page or a title needs one."""
    name = escape(doc.title or doc.subject)
    has_heading = bool(doc.title) or options.standalone
    label = f'aria-labelledby="{id_}-title"' if has_heading else f'aria-label="{name}"'
    yield f'<article class="ptxscope px-{options.theme}" id="{id_}" {label} dir="ltr">'
    yield make_style_element(f"\n{load_style(options.theme)}")
    if has_heading:
        heading = f'<h{level} id="{id_}-title" dir="auto">{name}</h{level}>'
        yield f"<header>\n{heading}\n</header>"


def _draw_pictures(doc: Document, options: Options) -> tuple[Relations, Iterator[str]]:
    """Return the relations between the values of the picture, and the lines of the picture.

    A compact picture replaces it on narrow pages. The title and the caption are in the page.
    """
    trace = doc.trace.with_annotations(doc.trace.annotations._replace(title="", caption=""))
    drawing = draw_trace(trace, options, "-picture")
    relations = find_relations(drawing.canvas)

    def iter_picture_lines() -> Iterator[str]:
        small = draw_trace(trace, options._replace(compact=True), "-narrow")
        small_relations = find_relations(small.canvas, len(relations.numbers))
        sentences = dict(iter_value_sentences(doc))
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
        yield make_style_element(highlight_rules(count))

    return relations, iter_picture_lines()


def iter_value_sentences(doc: Document, *, has_origins: bool = True) -> Iterator[tuple[Node, str]]:
    """Yield the sentence on each value of the picture, and its operands.

    In a block, these are the input registers.
    """
    sections = [*doc.sections]
    if doc.answers and doc.answers.other_trace:
        sections.append(_make_other(doc.sections[0], doc.answers, doc.answers.other_trace))
    for section in sections:
        whole = (section.is_other and doc.other) or doc.trace
        for row in (row for step in section.steps for row in step.rows):
            key = row.key
            for cell in make_cells(row):
                sentence = f"{cell.sentence}."
                if has_origins and section.is_only:
                    sentence += f" From {_format_origin(section.trace, row, cell.lane)}."
                elif has_origins:
                    origins = describe_origins(whole, section.statement.prefix + key, cell.lane)
                    sentence += f" From {origins}."
                yield (section.branch, key, cell.lane), sentence


def _make_other(section: Section, answers: Answers, trace: Trace) -> Section:
    """Return the section of an instruction under the other model."""
    return section._replace(trace=trace, steps=answers.steps, is_other=True)


def _iter_table(css: str, label: str, head: Iterable[str], rows: Iterable[str]) -> Iterator[str]:
    """Yield a table in a box that scrolls if the table is too wide."""
    yield f'<div class="px-scroll"><table class="{css}" aria-label="{escape(label)}">'
    cells = "".join(f'<th scope="col">{name}</th>' for name in head)
    yield f"<thead><tr>{cells}</tr></thead>"
    yield "<tbody>"
    yield from (f"<tr>{row}</tr>" for row in rows)
    yield "</tbody>"
    yield "</table></div>"


def _iter_operand_lines(operands: Iterable[OperandView]) -> Iterator[str]:
    """Yield the table of the input values."""
    rows = (
        f'<td>{escape(label)}</td><th scope="row"><code>{escape(name or label)}</code></th>'
        f'<td class="px-bits"><code>{bits}</code></td>'
        f"<td>{escape(meant)}</td>"
        for _, label, name, bits, meant in operands
    )
    head = ("operand", "register", "bits", "value")
    yield from _iter_table("px-operands", "Operands", head, rows)


def _iter_step_lines(
    section: Section, step: StepView, level: int, id_: str, relations: Relations
) -> Iterator[str]:
    """Yield the heading and the tables of a step."""
    yield f'<div class="px-step px-{step.stage}" id="{id_}-{step.stage}">'
    yield f"<h{level}>{step.number}. {escape(step.title)}</h{level}>"
    yield f"<p>{escape(step.about)}</p>"
    for lanes in sorted({len(row.values) for row in step.rows}, reverse=True):
        rows = [row for row in step.rows if len(row.values) == lanes]
        names = [cell.name for cell in make_cells(rows[0])] if lanes > 1 else ["value"]
        row_cells = (_format_row(section, row, relations) for row in rows)
        yield from _iter_table("px-lanes", f"{step.number}. {step.title}", ("", *names), row_cells)
    for note in step.notes:
        yield f'<aside class="px-note" dir="auto">{escape(note)}</aside>'
    yield "</div>"


def _format_row(section: Section, row: RowTrace, relations: Relations) -> str:
    cells = [f'<th scope="row">{escape(get_row_name(row))}</th>']
    for cell in make_cells(row):
        flags = "".join(f' <em class="px-flag">{escape(flag)}</em>' for flag in cell.flags)
        origin = _format_origin(section.trace, row, cell.lane)
        sentence = escape(f"{cell.sentence}. From {origin}.")
        node = section.branch, row.key, cell.lane
        attributes = relations.format_attributes(node) if node in relations.numbers else ""
        cells.append(
            f"<td{attributes}><code>{_escape_unbroken(cell.text)}</code>{flags}"
            f'<div class="px-from">{sentence}</div></td>'
        )
    return "".join(cells)


def _escape_unbroken(text: str) -> str:
    """Escape a text, and prevent line breaks within arrows."""
    return escape(text).replace("-&gt;", '<span class="px-arrow">-&gt;</span>')


def _format_origin(trace: Trace, row: RowTrace, lane: int) -> str:
    """Format the operand bits behind a lane: ``%r2 bits 15:8 and %r3 bits 7:0``."""
    origins = find_provenance(trace, row.key, lane)
    names = {x.role: format_short_name(trace.instruction, x.role) for x in origins}
    return format_origins(origins, names) or "no operand"


def _iter_result_lines(doc: Document | Section, level: int, id_: str) -> Iterator[str]:
    """Yield the results below their heading."""
    yield f'<div class="px-result" id="{id_}">'
    yield f"<h{level}>Result</h{level}>"
    for name, bits, meant in doc.results:
        yield (
            f"<p><code>{escape(name)}</code> = <output>{bits}</output> "
            f'<span class="px-dim">{escape(meant)}</span></p>'
        )
    if doc.no_result:
        yield f'<p class="px-dim">{escape(doc.no_result)}</p>'
    yield "</div>"


def _iter_note_lines(notes: Iterable[str]) -> Iterator[str]:
    """Yield a paragraph for each note."""
    for note in notes:
        yield f'<p class="px-dim"><strong>Note:</strong> {escape(note)}.</p>'


def _iter_answer_lines(
    section: Section, answers: Answers, level: int, id_: str, relations: Relations
) -> Iterator[str]:
    """Yield the answers of models that differ."""
    yield f'<div class="px-answers" id="{id_}-answers">'
    yield f"<h{level}>Two answers</h{level}>"
    rows = (
        f'<th scope="row">{escape(answer.label)}</th>'
        f'<td class="px-bits"><code>{escape(answer.result)}</code></td>'
        f"<td>{answer.reason}</td>"
        for answer in answers.all
    )
    yield from _iter_table("px-models", "Two answers", ("model", "result", "erratum"), rows)
    yield f"<p>They first differ at the step <em>{escape(answers.step)}</em>.</p>"
    if answers.errata:
        yield "<dl>"
        for erratum in answers.errata:
            yield f"<dt>{erratum.id}</dt><dd>{escape(erratum.sentence)}</dd>"
        yield "</dl>"
    if answers.other_trace:
        other_name = f"<code>{escape(answers.other_name)}</code>"
        yield f"<h{level}>The steps of {other_name} from there</h{level}>"
        other = _make_other(section, answers, answers.other_trace)
        for step in answers.steps:
            yield from _iter_step_lines(other, step, level + 1, f"{id_}-other", relations)
    yield "</div>"
