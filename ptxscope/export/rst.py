"""A trace as reStructuredText: for Sphinx and docutils, with nothing but their own directives.

A fragment may stand within any section: its headings are rubrics. A whole page has sections.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from ..engine.text.errors import cells
from ..engine.tracing.trace import Trace
from .document import document
from .options import DEFAULT, Options
from .outline import Heading, Line, Mark, Pen, Table, Verbatim, outline

_SPECIAL = re.compile(r"[\\`*_|]|(?<=:):")
_ENUMERATOR = re.compile(r"\(?\w++[.)](?=\s|$)")
"""What begins a line as an item of a list would; its first character is escaped."""
_HARMLESS = re.compile(r"[\\`*]|\.?\w")
_UNDERLINES = "=-~"


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Headings and tables; a lane a column, the most significant on the left."""
    page = options.standalone
    heading = trace.instruction.opcode if page else ""
    pen = _PEN._replace(heading=_section) if page else _PEN
    return pen.written(outline(document(trace, options), heading))


def escaped(text: str) -> str:
    """Text in which reStructuredText finds no markup, but at the beginning of a line."""
    return _SPECIAL.sub(lambda found: "\\" + found[0], text)


def _start(text: str) -> str:
    """Escaped text that begins a line, where it begins neither a list nor anything else."""
    if _HARMLESS.match(text) and not _ENUMERATOR.match(text):
        return text
    return "\\" + text


def _code(text: str) -> str:
    if "`" in text or text != text.strip():
        inner = text.replace("\\", "\\\\").replace("`", "\\`")
        # blanks at an end are no end of a role's text
        return f":literal:`{inner}`" if text == text.strip() else f":literal:`\\ {inner}\\ `"
    return f"``{text}``"


_SPANS: dict[Mark, Callable[[str], str]] = {
    Mark.PLAIN: escaped,
    Mark.CODE: _code,
    Mark.STRONG: lambda text: f"**{escaped(text)}**",
    Mark.EMPHASIS: lambda text: f"*{escaped(text)}*",
}


def _line(line: Line) -> str:
    """The only line of a paragraph."""
    return _start(_inline(line)) if line and line[0].mark is Mark.PLAIN else _inline(line)


def _inline(line: Line) -> str:
    """Pieces beside each other; between markup and what is no blank stands an escaped one."""
    written = ""
    marked = False
    for text, mark in line:
        is_marked = mark is not Mark.PLAIN
        tight = written and not written[-1].isspace() and not text[0].isspace()
        written += ("\\ " if tight and (marked or is_marked) else "") + _SPANS[mark](text)
        marked = is_marked
    return written


def _section(heading: Heading) -> str:
    text = _line(heading.line)
    # a character may be of two columns here and of one there
    return f"{text}\n{_UNDERLINES[heading.level] * max(cells(text), len(text))}"


def _rubric(heading: Heading) -> str:
    text = _inline(heading.line)
    # options of the directive begin with a colon; a number begins no list here
    return f".. rubric:: {text if _HARMLESS.match(text) else _start(text)}"


def _verbatim(block: Verbatim) -> str:
    return "::\n\n" + _indented(block.text, "    ")


def _indented(text: str, indent: str) -> str:
    return "\n".join(indent + line if line else "" for line in text.split("\n"))


def _table(table: Table) -> str:
    rows = []
    for row in (table.head, *table.rows):
        first, *others = (f"- {_line(line)}".rstrip() for line in row)
        rows += [f"   * {first}", *(f"     {other}" for other in others)]
    return "\n".join([".. list-table::", "   :header-rows: 1", "", *rows])


def _directive(name: str, line: Line) -> str:
    return f".. {name}::\n\n   {_line(line)}"


_PEN = Pen(
    heading=_rubric,
    paragraph=_line,
    verbatim=_verbatim,
    table=_table,
    remark=partial(_directive, "note"),
    points=lambda items: "\n".join(f"- {_line(item)}" for item in items),
)
