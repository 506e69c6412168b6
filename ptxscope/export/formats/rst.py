"""A trace as reStructuredText: for Sphinx and docutils, with nothing but their own directives.

A fragment may stand within any section: its headings are rubrics. A whole page has sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...engine.syntax.errors import measure_cells
from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Options
from . import markup
from .markup import Heading, InlineKind, InlineSpan, MarkupWriter, Table

_SPECIAL = re.compile(r"[\\`*_|@]|(?<=[\w.+-]):(?=\S)|(?<=:):|(?<!\w)(?:RFC|PEP|pep)(?=[-\s]*+\d)")
"""Markup, and what docutils makes links of: ``scheme:address``, ``name@host``, ``RFC 1``."""
_ENUMERATOR = re.compile(r"\(?\w++[.)](?=\s|$)")
"""What begins a line as an item of a list would; its first character is escaped."""
_HARMLESS = re.compile(r"[\\`*]|\.?\w")
_UNDERLINES = "=-~"


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Headings and tables; a lane a column, the most significant on the left."""
    return markup.render(trace, options, _PEN, _format_section)


def escape_text(text: str) -> str:
    """Text in which reStructuredText finds no markup, but at the beginning of a line."""
    return _SPECIAL.sub(lambda found: "\\" + found[0], text)


def _start(text: str) -> str:
    """Escaped text that begins a line, where it begins neither a list nor anything else."""
    if not text.strip("\\"):
        return "\\ " + text  # a line of one mark alone would be a transition
    if _HARMLESS.match(text) and not _ENUMERATOR.match(text):
        return text
    return "\\" + text


def _format_code(text: str) -> str:
    if "`" in text or text != text.strip():
        inner = text.replace("\\", "\\\\").replace("`", "\\`")
        # blanks at an end are no end of a role's text
        return f":literal:`{inner}`" if text == text.strip() else f":literal:`\\ {inner}\\ `"
    return f"``{text}``"


def _join_pieces(pieces: Iterable[tuple[str, InlineSpan]]) -> str:
    """Pieces beside each other; between markup and what is no blank stands an escaped one."""
    line = ""
    marked = False
    for written, (text, mark) in pieces:
        is_marked = mark is not InlineKind.PLAIN
        tight = line and not line[-1].isspace() and not text[0].isspace()
        line += ("\\ " if tight and (marked or is_marked) else "") + written
        marked = is_marked
    return line


def _format_section(pen: MarkupWriter, heading: Heading) -> str:
    text = pen.format_line(heading.line)
    # a character may be of two columns here and of one there
    return f"{text}\n{_UNDERLINES[heading.level] * max(measure_cells(text), len(text))}"


def _format_rubric(pen: MarkupWriter, heading: Heading) -> str:
    text = pen.format_inline(heading.line)
    # options of the directive begin with a colon; a number begins no list here
    return f".. rubric:: {text if _HARMLESS.match(text) else _start(text)}"


def _indent_text(text: str, indent: str) -> str:
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def _format_table(pen: MarkupWriter, table: Table) -> str:
    rows = []
    for row in (table.head, *table.rows):
        first, *others = (f"- {pen.format_line(line)}".rstrip() for line in row)
        rows += [f"   * {first}", *(f"     {other}" for other in others)]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *rows])


_PEN = MarkupWriter(
    escaped=escape_text,
    code=_format_code,
    strong="**",
    emphasis="*",
    bullet="-",
    heading=_format_rubric,
    verbatim=lambda block: "::\n\n" + _indent_text(block.text, "    "),
    table=_format_table,
    remark=".. note::\n\n   ",
    start=_start,
    joined=_join_pieces,
)
