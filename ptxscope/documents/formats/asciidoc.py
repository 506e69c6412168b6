"""AsciiDoc output, for Asciidoctor and Antora.

A fragment fits into any section because its headings are discrete; a standalone page has sections.
Possible markup characters become numeric references.
"""

from __future__ import annotations

import re

from ..options import Options
from .markup import Heading, MarkupWriter, Table, Verbatim, measure_longest_run

_SPECIAL = re.compile(
    r"[][&<>*_`#^~+{}|\\'@]|:(?=:)|:(?=//)|(?<![\w)]);|;(?=;)|\$(?=\$)|-(?=-)|\.(?=\.\.)"
    r"|\((?=\(|(?:[CR]|TM)\))"
)
"""Matches markup, and text that AsciiDoc would replace: ``(C)``, ``--``, ``...``.

Two semicolons, or one after a numeric reference, would end a term.
"""
_LIST_OR_NOTE = re.compile(r"(?:\w++[.)](?=\s|$)|[A-Z]++:(?=\s))")
"""Matches text that would begin a list item or an admonition; its last character is escaped."""


def escape_text(text: str) -> str:
    """Escape all markup, except at the beginning of a line."""
    return _SPECIAL.sub(lambda match: _format_reference(match[0]), text)


def _format_reference(char: str) -> str:
    return f"&#{ord(char)};"


def _start(text: str) -> str:
    """Escape the beginning of a line, so that it does not begin a list or another block."""
    if match := _LIST_OR_NOTE.match(text):
        end = match.end()
        return text[: end - 1] + _format_reference(text[end - 1]) + text[end:]
    if text[:1].isalnum() or text.startswith("&#"):
        return text
    return _format_reference(text[0]) + text[1:] if text else ""


def _format_code(text: str) -> str:
    if "`" in text or text != text.strip():
        return f"``{''.join(map(_format_reference, text))}``"
    return f"`+{text}+`"


def _format_heading(writer: MarkupWriter, heading: Heading, options: Options) -> str:
    line = f"{'=' * (heading.level + 1)} {writer.format_inline(heading.line)}"
    return line if options.standalone else f"[discrete]\n={line}"


def _format_verbatim(block: Verbatim) -> str:
    fence = "-" * max(measure_longest_run("-", block.text) + 1, 4)
    return f"[source,{block.language}]\n{fence}\n{block.text}\n{fence}"


def _format_table(writer: MarkupWriter, table: Table) -> str:
    # a bar ends a cell even in code
    rows = (
        "\n".join("|" + writer.format_inline(line).replace("|", "\\|") for line in row)
        for row in (table.head, *table.rows)
    )
    options = f'[%header%autowidth,cols="{len(table.head)}*"]'
    return "\n".join([options, "|===", "\n\n".join(rows), "|==="])


WRITER = MarkupWriter(
    escape=escape_text,
    code=_format_code,
    strong="*",
    emphasis="_",
    bullet="*",
    numbered_bullet=".",
    line_break=" +\n",
    heading=_format_heading,
    verbatim=_format_verbatim,
    table=_format_table,
    remark="NOTE: ",
    escape_start=_start,
)
render = WRITER.render
