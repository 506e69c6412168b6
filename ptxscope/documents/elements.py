"""Elements: parts of a page in a browser, as nested lists of strings.

A script creates a node for each; ``format_html`` writes them into a file. Neither interprets text
as markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from ..engine.syntax.errors import (
    Problem,
    PtxError,
    make_printable,
    make_printable_lines,
    mark_problem,
)

Element = list[Any]
"""A tag, its attributes, and its children, which are elements or texts."""
Child = Element | str
_VOID = frozenset({"img", "input", "br", "progress"})


def make_element(tag: str, *children: Child, **attributes: str | bool | None) -> Element:
    """Return an element.

    An underscore in an attribute's name is a dash, and dropped at its end: ``class_``. An attribute
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
    """Return a text; words between backticks are code."""
    parts = text.split("`")
    return tuple(make_element("code", x) if i % 2 else x for i, x in enumerate(parts) if x)


def make_problem(error: PtxError, problem: Problem) -> Element:
    """Return a problem of a text: its message, carets under the error, and the alternatives."""
    lines = mark_problem(error.text, problem._replace(hint=""))
    hint = f"allowed: {make_printable(problem.hint)}" if problem.hint else ""
    return make_element(
        "div",
        make_element("p", f"error: {make_printable(problem.message)}"),
        make_element("pre", "\n".join(lines), tabindex="0"),
        make_element("p", hint) if hint else "",
        class_="problem",
    )


def make_error(error: PtxError) -> Element:
    """Return an error with carets below it."""
    return make_element("div", *(make_problem(error, x) for x in error.errors), role="alert")


def make_report(*children: Child) -> Element:
    """Return a report: prose, and lines that are not wrapped."""
    return make_element("div", *map(_show_controls, children), class_="report", tabindex="0")


def _show_controls(child: Child) -> Child:
    """Make control characters in an element's text visible."""
    if isinstance(child, str):
        return make_printable_lines(child)
    return [*child[:2], *map(_show_controls, child[2:])]


def make_field(
    label: str, text: str, *, key: str, hint: str = "", rows: str = "", has_focus: bool = False
) -> Element:
    """Return a labelled text field with a unique key, possibly with the focus."""
    attributes = {
        "id": f"field-{key}",
        "name": "text",
        "placeholder": hint or None,
        "autocomplete": "off",
        "autocapitalize": "off",
        "spellcheck": "false",
        "data_focus": "" if has_focus else None,
    }
    if rows:
        field = make_element("textarea", text, rows=rows, **attributes)
    else:
        field = make_element("input", type="text", value=text, **attributes)
    return make_element("label", make_element("span", label), field)


def format_html(child: Child) -> str:
    """Return an element as HTML."""
    if isinstance(child, str):
        return escape(child)
    tag, attributes, *children = child
    opening = f"<{tag}{format_attributes(attributes)}>"
    inner = "".join(map(format_html, children))
    return opening if tag in _VOID else f"{opening}{inner}</{tag}>"


def format_attributes(attributes: Mapping[str, str]) -> str:
    """Return attributes as HTML, each after a space."""
    return "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
