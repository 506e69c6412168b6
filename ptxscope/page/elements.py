"""Elements: parts of the page as nested lists of strings.

The page's JavaScript creates a node for each, ``format_html`` writes them into a file. Text is only
ever text: neither of them reads markup.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree as ET

from ..engine.isa.encodings import format_hex
from ..engine.syntax.errors import Problem, PtxError, caret_lines, make_printable
from ..engine.tracing.trace import Trace

Element = list[Any]
"""A tag, its attributes, and its children, which are elements or texts."""
Child = Element | str
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
_VOID = frozenset({"img", "input", "br", "progress"})


def make_element(tag: str, *children: Child, **attributes: str | bool | None) -> Element:
    """Return an element.

    An underscore in an attribute's name is a dash, one at its end is none: ``class_``. An attribute
    that is False or None is absent, one that is True is empty.
    """
    present = {
        name.rstrip("_").replace("_", "-"): "" if value is True else value
        for name, value in attributes.items()
        if value is not None and value is not False
    }
    return [tag, present, *(child for child in children if child)]


def make_button(label: str, action: str, **attributes: str | bool | None) -> Element:
    """Return a button that performs an action of the page."""
    return make_element("button", *make_words(label), type="button", data_do=action, **attributes)


def make_words(text: str) -> tuple[Child, ...]:
    """Return a text whose words between backticks are code."""
    parts = text.split("`")
    return tuple(make_element("code", x) if i % 2 else x for i, x in enumerate(parts) if x)


def make_problem(error: PtxError, problem: Problem) -> Element:
    """Return a problem of a text: its message, carets under what is wrong, what is allowed."""
    lines = caret_lines(error.text, problem._replace(hint=""))
    hint = f"allowed: {make_printable(problem.hint)}" if problem.hint else ""
    return make_element(
        "div",
        make_element("p", f"error: {make_printable(problem.message)}"),
        make_element("pre", "\n".join(lines), tabindex="0"),
        make_element("p", hint) if hint else "",
        class_="problem",
    )


def make_error(error: PtxError) -> Element:
    """Return an error, with carets under what is wrong."""
    return make_element("div", *(make_problem(error, x) for x in error.errors), role="alert")


def make_field(
    label: str, name: str, text: str, *, key: str = "", hint: str = "", rows: str = ""
) -> Element:
    """Return a labelled text field; its text is kept while its key is unchanged."""
    attributes = {
        "id": f"field-{name}{key}",
        "name": name,
        "placeholder": hint or None,
        "autocomplete": "off",
        "spellcheck": "false",
        "autocapitalize": "off",
    }
    if rows:
        field = make_element("textarea", text, rows=rows, **attributes)
    else:
        field = make_element("input", type="text", value=text, **attributes)
    return make_element("label", make_element("span", label), field)


def parse_svg(text: str) -> Element:
    """Return the elements of an SVG of ptxscope's own."""

    def convert(node: ET.Element) -> Element:
        return [node.tag, dict(node.attrib), *filter(None, [node.text]), *map(convert, node)]

    return convert(ET.fromstring(text))  # noqa: S314


def format_flag(is_true: bool) -> str:
    """Return the value of an attribute such as ``aria-expanded``."""
    return "true" if is_true else "false"


def format_html(child: Child) -> str:
    """Return an element as HTML."""
    if isinstance(child, str):
        return escape(child)
    tag, attributes, *children = child
    opening = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    inner = "".join(map(format_html, children))
    return f"<{tag}{opening}>" if tag in _VOID else f"<{tag}{opening}>{inner}</{tag}>"


# --- live figures: a still document, fields for its operands, and what redraws it --------------


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
