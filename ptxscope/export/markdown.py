"""A trace as Markdown with tables: for issue trackers, wikis and manuals. No HTML in it."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..engine.tracing.trace import Trace
from .document import document
from .options import DEFAULT, Options
from .outline import Heading, Line, Mark, Pen, Table, Verbatim, one_line, outline

_SPECIAL = re.compile(
    r"[\\`*{}\[\]<>#|~&]|(?<!\w)_|_(?!\w)|!(?=\[)|^[-+=](?=[-+=\s]|$)|(?<=^\d)[.)](?=\s)"
)


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Headings and tables; a lane a column, the most significant on the left."""
    return _PEN.written(outline(document(trace, options)))


def escaped(text: str) -> str:
    """Text in which Markdown finds no markup."""
    return _marked(one_line(text))


def _marked(text: str) -> str:
    return _SPECIAL.sub(lambda match: "\\" + match[0], text)


def code(text: str) -> str:
    """Text as a code span, whatever backticks are in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(text: str, language: str) -> str:
    """Text as a fenced block, whatever fences are in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _line(line: Line) -> str:
    return "".join(_SPANS[mark](text) for text, mark in line)


_SPANS: dict[Mark, Callable[[str], str]] = {
    Mark.PLAIN: _marked,
    Mark.CODE: code,
    Mark.STRONG: lambda text: f"**{_marked(text)}**",
    Mark.EMPHASIS: lambda text: f"*{_marked(text)}*",
}


def _heading(heading: Heading) -> str:
    return f"{'#' * (heading.level + 2)} {_line(heading.line)}"


def _verbatim(block: Verbatim) -> str:
    return fenced(block.text, block.language)


def _cell(line: Line) -> str:
    """A line in a table, where a bar ends the cell even in code."""
    return "".join(
        code(text).replace("|", "\\|") if mark is Mark.CODE else _SPANS[mark](text)
        for text, mark in line
    )


def _table(table: Table) -> str:
    rows = [[_cell(line) for line in row] for row in (table.head, *table.rows)]
    rows.insert(1, ["---"] * len(table.head))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


_PEN = Pen(
    heading=_heading,
    paragraph=_line,
    verbatim=_verbatim,
    table=_table,
    remark=lambda line: f"> {_line(line)}",
    points=lambda items: "\n".join(f"- {_line(item)}" for item in items),
)
