"""A trace as AsciiDoc: for Asciidoctor and Antora.

A fragment may stand within any section: its headings are discrete. A whole page has sections.
Where AsciiDoc would read a character as markup, its number stands in its place, which every
processor shows as the character.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..engine.tracing.trace import Trace
from .document import document
from .options import DEFAULT, Options
from .outline import Heading, Line, Mark, Pen, Table, Verbatim, outline

_SPECIAL = re.compile(
    r"[][&<>*_`#^~+{}|\\'@]|:(?=:)|:(?=//)|(?<![\w)]);|;(?=;)|\$(?=\$)|-(?=-)|\.(?=\.\.)"
    r"|\((?=\(|(?:[CR]|TM)\))"
)
"""Markup, and what would be replaced by other characters: ``(C)``, ``--``, ``...``.

A semicolon behind a number is one of two, which would end a term.
"""
_LIST_OR_NOTE = re.compile(r"(?:\w++[.)](?=\s|$)|[A-Z]++:(?=\s))")
"""What begins a paragraph as an item of a list or a note would; its last character is escaped."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Headings and tables; a lane a column, the most significant on the left."""
    page = options.standalone
    heading = trace.instruction.opcode if page else ""
    pen = _PEN._replace(heading=_section) if page else _PEN
    return pen.written(outline(document(trace, options), heading))


def escaped(text: str) -> str:
    """Text in which AsciiDoc finds no markup, but at the beginning of a line."""
    return _SPECIAL.sub(lambda found: _number(found[0]), text)


def _number(char: str) -> str:
    return f"&#{ord(char)};"


def _start(text: str) -> str:
    """Escaped text that begins a line, where it begins neither a list nor anything else."""
    if found := _LIST_OR_NOTE.match(text):
        end = found.end()
        return text[: end - 1] + _number(text[end - 1]) + text[end:]
    if text[:1].isalnum() or text.startswith("&#"):
        return text
    return _number(text[0]) + text[1:] if text else ""


def _code(text: str) -> str:
    if "`" in text or text != text.strip():
        return f"``{''.join(map(_number, text))}``"
    return f"`+{text}+`"


_SPANS: dict[Mark, Callable[[str], str]] = {
    Mark.PLAIN: escaped,
    Mark.CODE: _code,
    Mark.STRONG: lambda text: f"*{escaped(text)}*",
    Mark.EMPHASIS: lambda text: f"_{escaped(text)}_",
}


def _line(line: Line) -> str:
    """The only line of a paragraph."""
    return _start(_inline(line)) if line and line[0].mark is Mark.PLAIN else _inline(line)


def _inline(line: Line) -> str:
    return "".join(_SPANS[mark](text) for text, mark in line)


def _section(heading: Heading) -> str:
    return f"{'=' * (heading.level + 1)} {_inline(heading.line)}"


def _discrete(heading: Heading) -> str:
    return f"[discrete]\n{'=' * (heading.level + 2)} {_inline(heading.line)}"


def _verbatim(block: Verbatim) -> str:
    longest = max((len(run) for run in re.findall("-+", block.text)), default=0)
    fence = "-" * max(longest + 1, 4)
    return f"[source,{block.language}]\n{fence}\n{block.text}\n{fence}"


def _cell(line: Line) -> str:
    """A line in a table, where a bar ends the cell even in code."""
    return "|" + _inline(line).replace("|", "\\|")


def _table(table: Table) -> str:
    rows = ("\n".join(map(_cell, row)) for row in (table.head, *table.rows))
    options = f'[cols="{len(table.head)}*",options="header"]'
    return "\n".join([options, "|===", "\n\n".join(rows), "|==="])


_PEN = Pen(
    heading=_discrete,
    paragraph=_line,
    verbatim=_verbatim,
    table=_table,
    remark=lambda line: f"NOTE: {_line(line)}",
    points=lambda items: "\n".join(f"* {_line(item)}" for item in items),
)
