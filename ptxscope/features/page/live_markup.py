"""The markup of a live figure: a still document, fields for its operands, and its script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape

from ...documents import export
from ...documents.content.command_words import list_command_words
from ...documents.elements import format_attributes, format_html, make_element
from ...documents.formats.html import format_page
from ...documents.options import Options
from ...engine.isa.encodings import format_hex
from ...engine.tracing.trace import Trace

_SCRIPT = "live.js"
"""The module that redraws figures, in the folder of the engine."""
_BOX_CLASS = "px-frame-live"
"""Class of the element within the document that is redrawn; without one, the whole document is."""
_LIVE_STYLE = (
    ".px-live form{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;margin:.5rem 0;"
    "font-family:system-ui,sans-serif}"
    ".px-live form[hidden]{display:none}"
    ".px-live form input{font-family:ui-monospace,monospace;width:13rem;max-width:100%}"
    ".px-live output{flex-basis:100%;white-space:pre-wrap;font-family:ui-monospace,monospace}"
)


def make_live_figure(
    document: str,
    trace: Trace,
    words: Sequence[str],
    folder: str,
    box: Mapping[str, str] | None = None,
) -> str:
    """Return HTML around a document of a trace, with a field for each operand.

    ``words`` are the arguments of ``ptxscope trace`` that make the document, ``folder`` is the
    address of the engine, and ``box`` has the attributes of a box around the document, which
    outlives each redrawing.
    """
    if box is not None:
        attributes = {**box, "class": f"{box.get('class', '')} {_BOX_CLASS}".lstrip()}
        document = f"<div{format_attributes(attributes)}>{document}</div>"
    target = trace.block
    fields = [
        make_element(
            "label",
            f"{operand.name} ",
            make_element(
                "input",
                type="text",
                name=operand.name,
                value=format_hex(trace.operands[operand.roles[0]], operand.type.bits),
                autocomplete="off",
                spellcheck="false",
            ),
        )
        for operand in target.inputs
        if operand.roles[0] not in target.constants
    ]
    form = make_element("form", *fields, make_element("output", class_="px-state"), hidden=True)
    script = f"{folder.rstrip('/')}/{_SCRIPT}"
    return (
        f'<div class="px-live" data-words="{escape(json.dumps(list(words)))}">\n'
        f"<style>{_LIVE_STYLE}</style>\n{format_html(form)}\n"
        f'<div class="px-document">{document}</div>\n'
        f'<script type="module" src="{escape(script)}"></script>\n</div>\n'
    )


def render_live_document(trace: Trace, options: Options, ptx: str, folder: str) -> str:
    """Return an HTML document whose operands a reader can edit; ``ptx`` is its author's text.

    It is a fragment, or a whole page if the options say so.
    """
    fragment_options = options._replace(standalone=False)
    words = list_command_words(trace, fragment_options)[2:]
    if ptx == trace.block.text:
        words = (ptx, *words[1:])  # an intrinsic has a note, its statements have none
    figure = make_live_figure(export(trace, "html", fragment_options), trace, words, folder)
    title = escape(trace.annotations.title or " ".join(str(trace.block).split()))
    return format_page(title, figure, options) if options.standalone else figure
