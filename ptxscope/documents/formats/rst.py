"""reStructuredText output, for Sphinx and docutils, with standard directives only.

A fragment fits into any section because its headings are rubrics; a standalone page has sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...engine.syntax.errors import measure_cells
from ..options import Options
from .markup import Heading, InlineKind, InlineSpan, MarkupWriter, Table

_SPECIAL = re.compile(r"[\\`*_|@]|(?<=[\w.+-]):(?=\S)|(?<=:):|(?<!\w)(?:RFC|PEP|pep)(?=[-\s]*+\d)")
"""Matches markup, and texts that docutils turns into links: ``name@host``, ``RFC 1``."""
_ENUMERATOR = re.compile(r"\(?\w++[.)](?=\s|$)")
"""Matches text that would begin a list item; its first character is escaped."""
_HARMLESS = re.compile(r"[\\`*]|\.?\w")
_UNDERLINES = "=-~"


def escape_text(text: str) -> str:
    """Escape all markup, except at the beginning of a line."""
    return _SPECIAL.sub(lambda match: "\\" + match[0], text)


def _start(text: str) -> str:
    """Escape the beginning of a line, so that it does not begin a list or another block."""
    if not text.strip("\\"):
        return "\\ " + text  # a line of punctuation alone would be a transition
    if _HARMLESS.match(text) and not _ENUMERATOR.match(text):
        return text
    return "\\" + text


def _format_code(text: str) -> str:
    if "`" in text or text != text.strip():
        inner = text.replace("\\", "\\\\").replace("`", "\\`")
        # a blank cannot end the text of a role
        return f":literal:`{inner}`" if text == text.strip() else f":literal:`\\ {inner}\\ `"
    return f"``{text}``"


def _join_pieces(pieces: Iterable[tuple[str, InlineSpan]]) -> str:
    """Join pieces, with an escaped blank between markup and an adjacent character."""
    line = ""
    was_marked = False
    for piece, (text, mark) in pieces:
        is_marked = mark is not InlineKind.PLAIN
        is_adjacent = line and not line[-1].isspace() and not text[0].isspace()
        line += ("\\ " if is_adjacent and (was_marked or is_marked) else "") + piece
        was_marked = is_marked
    return line


def _format_heading(writer: MarkupWriter, heading: Heading, options: Options) -> str:
    if options.standalone:
        text = writer.format_line(heading.line)
        # docutils and terminals may disagree on the width of a character
        return f"{text}\n{_UNDERLINES[heading.level] * max(measure_cells(text), len(text))}"
    text = writer.format_inline(heading.line)
    # a colon would begin an option of the directive, but a number begins no list here
    return f".. rubric:: {text if _HARMLESS.match(text) else _start(text)}"


def _format_table(writer: MarkupWriter, table: Table) -> str:
    rows = []
    for row in (table.head, *table.rows):
        first, *cells = (f"- {writer.format_line(line)}".rstrip() for line in row)
        rows += [f"   * {first}", *(f"     {cell}" for cell in cells)]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *rows])


WRITER = MarkupWriter(
    escape=escape_text,
    code=_format_code,
    strong="**",
    emphasis="*",
    bullet="-",
    numbered_bullet="#.",
    line_break="\n\n",
    heading=_format_heading,
    verbatim=lambda block: (
        "::\n\n" + "\n".join("    " + line if line else "" for line in block.text.split("\n"))
    ),
    table=_format_table,
    remark=".. note::\n\n   ",
    escape_start=_start,
    join=_join_pieces,
)
render = WRITER.render
