"""A trace as Markdown with tables: for issue trackers, wikis and manuals. No HTML in it."""

from __future__ import annotations

import re
from functools import partial

from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Options
from . import markup
from .markup import Heading, Pen, Table

_SPECIAL = re.compile(
    r"[\\`*{}\[\]<>#|~&$]|(?<!\w)_++|(?<=[^\W_])_++(?![^\W_])|!(?=\[)"
    r"|^[-+=](?=[-+=\s]|$)|^(\d++)[.)](?=\s|$)"
)
"""What would be markup, with a number before it where that begins a list.

Underscores go by runs: one within a word, with letters on both sides, marks nothing.
"""
_LOWEST = 6
"""The level below which Markdown has no headings."""
_ENTITIES = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "~": "&#126;", "$": "&#36;", "=": "&#61;"
}  # fmt: skip
"""What some readers of Markdown, MkDocs' among them, know no backslash before."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Headings and tables; a lane a column, the most significant on the left."""
    return markup.render(trace, options, _pen(options.heading_level), None)


def escaped(text: str) -> str:
    """Text in which Markdown finds no markup."""
    return _marked(markup.one_line(text))


def _marked(text: str) -> str:
    return _SPECIAL.sub(_as_text, text)


def _as_text(found: re.Match[str]) -> str:
    number = found[1] or ""
    marks = found[0].removeprefix(number)
    return number + "".join(_ENTITIES.get(char) or "\\" + char for char in marks)


def code(text: str) -> str:
    """Text as a code span, whatever backticks are in it."""
    ticks = "`" * (markup.longest_run("`", text) + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(text: str, language: str) -> str:
    """Text as a fenced block, whatever fences are in it."""
    fence = "`" * max(markup.longest_run("`", text) + 1, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _heading(pen: Pen, heading: Heading, level: int) -> str:
    return f"{'#' * min(heading.level + level, _LOWEST)} {pen.line(heading.line)}"


def _bold(pen: Pen, heading: Heading) -> str:
    return f"**{pen.inline(heading.line)}**"


def _table(pen: Pen, table: Table) -> str:
    # a bar ends a cell even in code
    cells = pen._replace(code=lambda text: code(text).replace("|", "\\|"))
    rows = [[cells.line(line) for line in row] for row in (table.head, *table.rows)]
    rows.insert(1, ["---"] * len(table.head))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _pen(level: int) -> Pen:
    """A pen whose title is a heading of a level; with level 0 headings are bold text."""
    return Pen(
        escaped=_marked,
        code=code,
        strong="**",
        emphasis="*",
        bullet="-",
        heading=partial(_heading, level=level) if level else _bold,
        verbatim=lambda block: fenced(block.text, block.language),
        table=_table,
        remark="> ",
    )
