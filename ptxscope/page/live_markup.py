"""The markup of a live figure: a still document, fields for its operands, and what redraws it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from ..documents.elements import format_html, make_element
from ..engine.isa.encodings import format_hex
from ..engine.tracing.trace import Trace

LIVE_SCRIPT = "live.js"
"""The module that redraws figures, in the folder of the engine."""
LIVE_FRAME = "px-frame-live"
"""Class of the element within the document whose content is redrawn; without one, all is."""
_LIVE_STYLE = (
    ".px-live form{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;margin:.5rem 0;"
    "font-family:system-ui,sans-serif}"
    ".px-live form[hidden]{display:none}"
    ".px-live form input{font-family:ui-monospace,monospace;width:13rem;max-width:100%}"
    ".px-live output{flex-basis:100%;white-space:pre-wrap;font-family:ui-monospace,monospace}"
)


def make_live_markup(document: str, trace: Trace, words: Sequence[str], script: str) -> str:
    """Return HTML around a document of a trace.

    ``words`` are the arguments of ``ptxscope trace`` that make the document, and ``script`` is the
    address of ``live.js``.
    """
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
    return (
        f'<div class="px-live" data-words="{escape(json.dumps(list(words)))}">\n'
        f"<style>{_LIVE_STYLE}</style>\n{format_html(form)}\n"
        f'<div class="px-document">{document}</div>\n'
        f'<script type="module" src="{escape(script)}"></script>\n</div>\n'
    )
