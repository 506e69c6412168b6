"""The figure of a form without values: letters for bits, ranges for numbers."""

from __future__ import annotations

from ...engine.isa.types import Type
from ...engine.syntax.instruction import Instruction
from ...engine.tracing.trace import Trace
from ...scene.symbolic_scene import build_form_scene, make_placeholder_trace
from ..content.annotated_trace import abbreviate_names
from ..content.document import Document, ResultView, build_document
from ..options import DEFAULT
from ..svg.page_layout import MAX_NAME_CHARS
from ..svg.trace_picture import draw_form


def render(ins: Instruction) -> str:
    """Render an instruction's form as an ``<svg>``, in the style of a trace."""
    trace = make_placeholder_trace(ins)
    short = abbreviate_names(trace, MAX_NAME_CHARS)
    return draw_form(
        build_form_document(trace),
        build_form_document(short),
        build_form_scene(short),
        list_result_views(short),
    )


def build_form_document(trace: Trace) -> Document:
    """Return the document of a form: its steps, without anything that depends on values."""
    doc = build_document(trace, DEFAULT)
    steps = tuple(step._replace(rows=()) for step in doc.steps)
    return doc._replace(
        operands=(), steps=steps, results=(), no_result="", notes=(), answers=None,
        command=f"ptxscope show '{trace.instruction}' -f svg",
    )  # fmt: skip


def list_result_views(trace: Trace) -> tuple[ResultView, ...]:
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
