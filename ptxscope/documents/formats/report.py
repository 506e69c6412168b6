"""Reports: lists of blocks, as text, in a markup language or as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib import import_module

from ..options import DEFAULT, Options
from .markup import (
    Block,
    Heading,
    InlineKind,
    InlineText,
    MarkupWriter,
    NoteBlock,
    Paragraph,
    Points,
    Table,
    Verbatim,
)
from .text import WIDTH, wrap_text

REPORT_FORMATS = ("text", "markdown", "rst", "asciidoc", "html")


def write_report(
    blocks: Iterable[Block],
    format_: str = "text",
    width: int = WIDTH,
    options: Options = DEFAULT,
) -> str:
    """Write a report in one of ``REPORT_FORMATS``; text has at most `width` columns."""
    match format_:
        case "text":
            return write_text(blocks, width)
        case "html":
            return "".join(f"{_format_html(block)}\n" for block in blocks)
    writer: MarkupWriter = import_module(f".{format_}", __package__).WRITER
    return writer.write_document(blocks, options)


# --- text --------------------------------------------------------------------------------


def write_text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """Write blocks as text, with empty lines between them unless they are close."""
    lines: list[str] = []
    for block in blocks:
        is_close = isinstance(block, Paragraph | Verbatim | Points) and block.is_close
        lines += [""] * (bool(lines) and not is_close)
        lines += _text_lines(block, width)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _text_lines(block: Block, width: int) -> Iterator[str]:
    match block:
        case Heading(_, line) | NoteBlock(line):
            yield from wrap_text(_format_text(line), "", "", width)
        case Paragraph(line, lead, indent):
            yield from wrap_text(_format_text(line), lead, indent, width)
        case Verbatim(text):
            yield from text.split("\n")
        case Points(items):
            lead, indent, rest = block.indents
            for number, (first, *others) in enumerate(items, 1):
                lead = f"{number:>3}. " if block.is_numbered else lead
                yield from wrap_text(_format_text(first), lead, indent, width)
                for line in others:
                    yield from wrap_text(_format_text(line), indent, rest, width)
        case Table(head, rows):
            table = [[_format_text(cell) for cell in row] for row in (head, *rows)]
            widths = [max(map(len, column)) for column in zip(*table, strict=True)]
            for row in table:
                cells = (f"{cell:<{n}}" for cell, n in zip(row, widths, strict=True))
                yield f"  {'  '.join(cells)}"


def _format_text(line: InlineText) -> str:
    """Return a line as text: code within a sentence is in backquotes."""
    if len(line) == 1:
        return line[0].text
    return "".join(f"`{text}`" if mark is InlineKind.CODE else text for text, mark in line)


# --- HTML --------------------------------------------------------------------------------

_ELEMENTS = {InlineKind.CODE: "code", InlineKind.STRONG: "strong", InlineKind.EMPHASIS: "em"}


def _format_html(block: Block) -> str:
    match block:
        case Heading(level, line):
            return _wrap(f"h{level + 3}", _format_line(line))
        case Paragraph(line):
            return _wrap("p", _format_line(line))
        case NoteBlock(line):
            return _wrap("aside", _format_line(line))
        case Verbatim(text):
            return _wrap("pre", _wrap("code", escape(text)))
        case Points(items):
            points = (_wrap("li", "<br>".join(map(_format_line, lines))) for lines in items)
            return _wrap("ol" if block.is_numbered else "ul", "".join(points))
        case Table(head, rows):
            titles = "".join(_wrap("th", _format_line(cell)) for cell in head)
            lines = ("".join(_wrap("td", _format_line(cell)) for cell in row) for row in rows)
            return _wrap("table", "".join(_wrap("tr", line) for line in (titles, *lines)))


def _wrap(element: str, content: str) -> str:
    return f"<{element}>{content}</{element}>"


def _format_line(line: InlineText) -> str:
    return "".join(
        _wrap(_ELEMENTS[mark], escape(text)) if mark in _ELEMENTS else escape(text)
        for text, mark in line
    )
