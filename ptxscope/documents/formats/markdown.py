"""Markdown output with tables, for issue trackers, wikis and manuals; it contains no HTML."""

from __future__ import annotations

import re

from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Options
from . import markup
from .markup import Heading, MarkupWriter, Table

_SPECIAL = re.compile(r"[\\`*{}\[\]<>#|~&$]|(?<!\w)_++|(?<=[^\W_])_++(?![^\W_])|!(?=\[)")
"""Matches markup.

Underscores match as runs, except a run between letters or digits, which is not markup.
"""
_LIST_OR_RULE = re.compile(r"(?:[-+=](?=[-+=\s]|$)|\d++[.)](?=\s|$))")
"""Matches the beginning of a line that would begin a list, or underline the previous line."""
_TITLE_LEVEL = 2
"""Default level of the title."""
_LOWEST = 6
"""Deepest level of a heading in Markdown."""
_ENTITIES = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "~": "&#126;", "$": "&#36;", "=": "&#61;"
}  # fmt: skip
"""References for characters that some processors, such as MkDocs, do not unescape."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a trace; without a title, its headings are bold text unless their level is chosen."""
    if options.heading_level is None and not trace.annotations.title.strip():
        options = options._replace(heading_level=0)
    return WRITER.render(trace, options)


def escape_text(text: str) -> str:
    """Escape all markup of a line."""
    return _escape_start(escape_span(markup.join_lines(text)))


def escape_span(text: str) -> str:
    """Escape the markup of a piece of a line; blanks remain."""
    return _SPECIAL.sub(lambda match: "".join(map(_escape_char, match[0])), text)


def _escape_start(text: str) -> str:
    """Escape the beginning of a line, so that it does not begin a list or another block."""
    if match := _LIST_OR_RULE.match(text):
        end = match.end()
        return text[: end - 1] + _escape_char(text[end - 1]) + text[end:]
    return text


def _escape_char(char: str) -> str:
    return _ENTITIES.get(char) or f"\\{char}"


def format_code(text: str) -> str:
    """Format a code span, with a delimiter longer than any run of backticks in the text."""
    ticks = "`" * (markup.measure_longest_run("`", text) + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fence_text(text: str, language: str) -> str:
    """Format a fenced block, with a fence longer than any in the text."""
    fence = "`" * max(markup.measure_longest_run("`", text) + 1, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _format_heading(writer: MarkupWriter, heading: Heading, options: Options) -> str:
    """Return a heading of a level, or bold text at level 0."""
    level = _TITLE_LEVEL if options.heading_level is None else options.heading_level
    if not level:
        return f"**{writer.format_inline(heading.line)}**"
    return f"{'#' * min(heading.level + level, _LOWEST)} {writer.format_inline(heading.line)}"


def _format_table(writer: MarkupWriter, table: Table) -> str:
    # a bar ends a cell even in code
    cells = writer._replace(code=lambda text: format_code(text).replace("|", "\\|"))
    rows = [[cells.format_line(line) for line in row] for row in (table.head, *table.rows)]
    rows.insert(1, ["---"] * len(table.head))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


WRITER = MarkupWriter(
    escape=escape_span,
    code=format_code,
    strong="**",
    emphasis="*",
    bullet="-",
    numbered_bullet="{}.",
    line_break="\\\n",
    heading=_format_heading,
    verbatim=lambda block: fence_text(block.text, block.language),
    table=_format_table,
    remark="> ",
    escape_start=_escape_start,
)
