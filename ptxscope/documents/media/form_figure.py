"""The figure of a form without values: letters for bits, ranges for numbers."""

from __future__ import annotations

from ...engine.isa.types import Type
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.trace import Trace
from ...scene.row_folding import FoldedScene
from ...scene.symbolic_scene import build_form_scene, make_placeholder_trace
from ..content.alt_text import format_alt_text
from ..content.annotated_trace import abbreviate_names
from ..content.document import Document, ResultView
from ..content.document_builder import build_document
from ..content.id_prefix import make_id_prefix
from ..options import DEFAULT, Options
from ..svg.page_frame import draw_document_head, draw_foot, find_long_names, format_model
from ..svg.page_layout import MAX_NAME_CHARS, PAGE
from ..svg.picture_panels import Panel
from ..svg.step_layout import draw_body, start_sketch
from ..svg.svg_canvas import SvgCanvas
from ..svg.trace_picture import SvgDrawing, render_drawing


def render(ins: Instruction) -> str:
    """Render an instruction's form as an ``<svg>``, in the style of a trace.

    The statement has letters instead of long names.
    """
    trace = make_placeholder_trace(ins)
    doc, short = _build_form_document(trace), abbreviate_names(trace, MAX_NAME_CHARS)
    canvas = SvgCanvas(make_id_prefix(doc, DEFAULT, "form"))
    y = draw_document_head(doc, canvas, find_long_names(trace))
    section = _build_form_document(short).sections[0]._replace(results=_list_result_views(short))
    folded = FoldedScene(build_form_scene(short))
    panel, steps = Panel(section, PAGE), section.steps
    y = draw_body(start_sketch(canvas, panel, steps, folded), panel, steps, y)
    height = draw_foot(doc, canvas, y, PAGE.page)
    return render_drawing(SvgDrawing(doc, canvas, height, format_alt_text(doc), format_model(doc)))


def _build_form_document(trace: Trace) -> Document:
    """Return the document of a form: its steps without values."""
    doc = build_document(trace, Options(has_version=False))
    steps = tuple(step._replace(rows=()) for step in doc.steps)
    return doc._replace(
        operands=(), steps=steps, results=(), no_result="", notes=(), answers=None,
        command=f"ptxscope show '{trace.instruction}' -f svg",
    )  # fmt: skip


def _list_result_views(trace: Trace) -> tuple[ResultView, ...]:
    """Return the type of each destination, as a result."""
    ins = trace.instruction
    views = []
    for role, name in ins.results.items():
        type_, lanes = ins.type_of(role), ins.entry.lanes if ins.has_lanes(role) else 1
        if type_ is Type.PRED:
            views.append(ResultView(name, "0 or 1", "predicate"))
        elif lanes > 1:
            kind = f"{str(type_)[0]}{32 // lanes}"
            views.append(ResultView(name, f"{lanes} x {kind}", f"lanes {lanes - 1} to 0"))
        else:
            views.append(ResultView(name, str(type_), f"{type_.bits} bits"))
    return tuple(views)
