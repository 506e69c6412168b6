"""HTML output: a fragment with its own style, or a page.

It follows the light or dark theme of the surrounding page, and paints its own background. The
picture comes first; tables with its values are folded below. Hovering over a value, or focusing it,
highlights its inputs and outputs by CSS alone. A cell of a table shows its origin in words, and a
check box above the tables shows the origins of all cells. A fragment has no script; the script of a
page lets the arrow keys move between values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files

from ...engine.micro_operations.instruction_view import format_short_name
from ...engine.tracing.provenance import find_provenance, format_origins
from ...engine.tracing.trace import Trace
from .. import theme
from ..content.document import (
    Answers,
    Document,
    DocumentRow,
    OperandView,
    StepView,
    build_document,
    list_traces,
)
from ..content.id_prefix import make_id_prefix
from ..options import DEFAULT, MachineSection, Options
from ..svg import trace_picture
from ..svg.svg_canvas import Node
from ..svg.zones import Relations, find_relations, highlight_lines, highlight_rules

_SCHEME: dict[str, theme.Pair] = {"scheme": ("light", "dark")}
"""CSS names of the two themes, which scroll bars and check boxes follow."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render an ``<article>``, or with `options.standalone` a page around it."""
    doc = build_document(trace, options)
    article = "\n".join(_article_lines(doc, options))
    if not options.standalone:
        return article + "\n"
    return format_page(escape(doc.title or doc.ptx), article, options)


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


def _article_lines(doc: Document, options: Options) -> Iterator[str]:
    level = get_title_level(options)
    id_ = make_id_prefix(doc, options, "html")
    yield from iter_article_start(doc, options, id_)
    relations, pictures = _draw_pictures(doc, options._replace(id=id_))
    yield from pictures
    yield "<details><summary>All values in tables</summary>"
    yield f"<pre><code>{escape(doc.ptx)}</code></pre>"
    yield f'<p class="px-dim">Model <code>{escape(doc.model)}</code></p>'
    yield from iter_operand_lines(doc.operands)
    if doc.steps:
        yield (
            '<label class="px-say"><input type="checkbox"/> '
            "Show in every cell where its bits came from</label>"
        )
    for step in doc.steps:
        yield from iter_step_lines(doc.trace, step, level + 1, f"{id_}-step", relations)
    if doc.omission:
        yield f'<p class="px-dim">{escape(doc.omission)}</p>'
    yield from iter_result_lines(doc, level + 1, f"{id_}-result")
    yield from iter_lane_note_lines(doc.lane_notes)
    yield from iter_note_lines(doc.notes)
    if doc.answers:
        yield from iter_answer_lines(doc.answers, level + 1, id_, relations)
    if doc.agreement:
        yield f'<p class="px-agreed">{escape(doc.agreement)}</p>'
    yield from iter_footer_lines(doc)
    yield "</details>"
    if doc.machine_code:
        yield from _machine_lines(doc.machine_code)
    if doc.caption:
        yield f'<p class="px-caption" dir="auto">{escape(doc.caption)}</p>'
    yield "</article>"


def get_title_level(options: Options) -> int:
    """Return the level of the title's heading."""
    return 1 if options.standalone else 3


def iter_article_start(doc: Document, options: Options, id_: str) -> Iterator[str]:
    """Yield the start of an article, with a heading if a page or a title needs one."""
    level = get_title_level(options)
    name = escape(doc.title or (doc.trace.instruction.opcode if doc.is_line else doc.count_text))
    has_heading = bool(doc.title) or options.standalone
    label = f'aria-labelledby="{id_}-title"' if has_heading else f'aria-label="{name}"'
    yield f'<article class="ptxscope px-{options.theme}" id="{id_}" {label}>'
    yield f"<style>\n{load_style(options.theme)}</style>"
    if has_heading:
        heading = f'<h{level} id="{id_}-title" dir="auto">{name}</h{level}>'
        yield f"<header>\n{heading}\n</header>"


def iter_footer_lines(doc: Document) -> Iterator[str]:
    """Yield the source and the command, unless the document has no footer."""
    if doc.source:
        yield f"<footer>\n<p>{escape(doc.source)}</p>"
        yield f"<pre><code>{escape(doc.command)}</code></pre>\n</footer>"


def _draw_pictures(doc: Document, options: Options) -> tuple[Relations, Iterator[str]]:
    """Return the relations between the values of the picture, and the lines of the picture.

    For narrow pages, a compact picture replaces it, or one for each answer.
    """
    annotations = doc.trace.annotations._replace(title="", caption="")
    options = options._replace(machine_code=None)  # it has a table of its own
    drawing = trace_picture.draw_trace(doc.trace.with_annotations(annotations), options, "-picture")
    relations = find_relations(drawing.canvas)

    def picture_lines() -> Iterator[str]:
        yield '<div class="px-pictures">'
        yield from _figure_lines("px-wide", drawing, relations, doc)
        count = len(relations.numbers)
        small_options = options._replace(both=False, compact=True)
        traces = list_traces(doc.trace, options)
        for index, trace in enumerate(traces):
            document = build_document(trace.with_annotations(annotations), small_options)
            style = trace_picture.SMALL._replace(has_answers=trace is traces[-1])
            small_drawing = trace_picture.draw_trace(
                document.trace, small_options, f"-narrow{index or ''}", style
            )
            own_relations = find_relations(small_drawing.canvas, count)
            count += len(own_relations.numbers)
            yield from _figure_lines("px-narrow", small_drawing, own_relations, document)
        yield "</div>"
        yield f"<style>{highlight_rules(count)}</style>"

    return relations, picture_lines()


def _figure_lines(
    css: str,
    drawing: trace_picture.SvgDrawing,
    relations: Relations,
    doc: Document,
) -> Iterator[str]:
    """Yield a picture whose related values highlight each other."""
    overlay = [*highlight_lines(drawing.canvas, relations, dict(iter_value_sentences(doc)))]
    yield f'<figure class="px-picture px-scroll {css}" tabindex="0">'
    yield trace_picture.render_drawing(drawing, overlay) + "</figure>"


def iter_value_sentences(doc: Document) -> Iterator[tuple[Node, str]]:
    """Yield the sentence on each value of the picture, for every branch that shows it."""
    answers = [(doc.trace, doc.steps)]
    if doc.answers and doc.answers.other_trace:
        answers.append((doc.answers.other_trace, doc.answers.steps))
    for trace, steps in answers:
        for row in (row for step in steps for row in step.rows):
            for cell in row.cells:
                sentence = f"{cell.sentence}. From {format_origin(trace, row, cell.lane)}."
                for branch in ("", trace.model.name):
                    yield (branch, row.row.key, cell.lane), sentence


def _table_lines(css: str, label: str, head: Iterable[str], rows: Iterable[str]) -> Iterator[str]:
    """Yield a table in a box of its own, which scrolls if the table is too wide."""
    yield f'<div class="px-scroll"><table class="{css}" aria-label="{escape(label)}">'
    cells = "".join(f'<th scope="col">{name}</th>' for name in head)
    yield f"<thead><tr>{cells}</tr></thead>"
    yield "<tbody>"
    yield from (f"<tr>{row}</tr>" for row in rows)
    yield "</tbody>"
    yield "</table></div>"


def iter_operand_lines(operands: Iterable[OperandView]) -> Iterator[str]:
    """Yield the table of the values that are read."""
    rows = (
        f'<td>{escape(label)}</td><th scope="row"><code>{escape(name or label)}</code></th>'
        f'<td class="px-bits"><code>{bits}</code></td>'
        f"<td>{escape(meant)}</td>"
        for _, label, name, bits, meant in operands
    )
    head = ("operand", "register", "bits", "value")
    yield from _table_lines("px-operands", "Operands", head, rows)


def iter_step_lines(
    trace: Trace, step: StepView, level: int, id_: str, relations: Relations, branch: str = ""
) -> Iterator[str]:
    """Yield the heading and the tables of a step; ``branch`` is that of its nodes in a block."""
    yield f'<div class="px-step px-{step.stage}" id="{id_}-{step.stage}">'
    yield f"<h{level}>{step.number}. {escape(step.title)}</h{level}>"
    yield f"<p>{escape(step.about)}</p>"
    for lanes in sorted({len(row.cells) for row in step.rows}, reverse=True):
        rows = [row for row in step.rows if len(row.cells) == lanes]
        names = [cell.name for cell in rows[0].cells] if lanes > 1 else ["value"]
        row_cells = (_format_row(trace, row, relations, branch) for row in rows)
        yield from _table_lines("px-lanes", f"{step.number}. {step.title}", ("", *names), row_cells)
    for note in step.notes:
        yield f'<aside class="px-note" dir="auto">{escape(note)}</aside>'
    yield "</div>"


def _format_row(trace: Trace, row: DocumentRow, relations: Relations, own_branch: str) -> str:
    cells = [f'<th scope="row">{escape(row.name)}</th>']
    for cell in row.cells:
        flags = "".join(f' <em class="px-flag">{escape(flag)}</em>' for flag in cell.flags)
        origin = escape(f"{cell.sentence}. From {format_origin(trace, row, cell.lane)}.")
        nodes = ((branch, row.row.key, cell.lane) for branch in (trace.model.name, own_branch))
        attributes = next(
            (relations.format_attributes(x) for x in nodes if x in relations.numbers), ""
        )
        cells.append(
            f"<td{attributes}><code>{_escape_unbroken(cell.text)}</code>{flags}"
            f'<div class="px-from">{origin}</div></td>'
        )
    return "".join(cells)


def _escape_unbroken(text: str) -> str:
    """Escape a text, and prevent line breaks within arrows."""
    return escape(text).replace("-&gt;", '<span class="px-arrow">-&gt;</span>')


def format_origin(trace: Trace, row: DocumentRow, lane: int) -> str:
    """Format the operand bits that a lane came from: ``%r2 bits 15:8 and %r3 bits 7:0``."""
    origins = find_provenance(trace, row.row.key, lane)
    names = {x.role: format_short_name(trace.instruction, x.role) for x in origins}
    return format_origins(origins, names) or "no operand"


def iter_result_lines(doc: Document, level: int, id_: str) -> Iterator[str]:
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


def iter_lane_note_lines(notes: Iterable[str]) -> Iterator[str]:
    """Yield the notes of the author on lanes."""
    for note in notes:
        yield f'<aside class="px-note" dir="auto">{escape(note)}</aside>'


def iter_note_lines(notes: Iterable[str]) -> Iterator[str]:
    """Yield a paragraph for each note."""
    for note in notes:
        yield f'<p class="px-dim"><strong>Note:</strong> {escape(note)}.</p>'


def iter_answer_lines(
    answers: Answers, level: int, id_: str, relations: Relations
) -> Iterator[str]:
    """Yield the answers of models that differ."""
    yield f'<div class="px-answers" id="{id_}-answers">'
    yield f"<h{level}>Two answers</h{level}>"
    rows = (
        f'<th scope="row">{escape(x.label)}</th>'
        f'<td class="px-bits"><code>{escape(x.result)}</code></td>'
        f"<td>{x.reason}</td>"
        for x in answers.all
    )
    yield from _table_lines("px-models", "Two answers", ("model", "result", "erratum"), rows)
    yield f"<p>They first differ at the step <em>{escape(answers.step)}</em>.</p>"
    if answers.errata:
        yield "<dl>"
        for erratum in answers.errata:
            yield f"<dt>{erratum.id}</dt><dd>{escape(erratum.sentence)}</dd>"
        yield "</dl>"
    if answers.other_trace:
        other_name = f"<code>{escape(answers.other_name)}</code>"
        yield f"<h{level}>The steps of {other_name} from there</h{level}>"
        for step in answers.steps:
            yield from iter_step_lines(
                answers.other_trace, step, level + 1, f"{id_}-other", relations
            )
    yield "</div>"


def _machine_lines(section: MachineSection) -> Iterator[str]:
    """Yield the machine code, folded."""
    yield f"<details><summary>{escape(section.title)}</summary>"
    yield f'<p class="px-dim">{escape(section.tools)}.</p>'
    yield from (f"<p>{escape(x)}</p>" for x in section.sentences)
    rows = (
        f'<th scope="row"><code>{escape(x.offset)}</code></th>'
        f"<td><code>{escape(x.code)}</code></td><td>{escape(x.purpose.strip())}</td>"
        for x in section.rows
    )
    head = ("offset", "instruction", "value")
    yield from _table_lines("px-models", "Machine code", head, rows)
    yield "</details>"
