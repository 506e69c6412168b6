"""Reports: lists of blocks, as text, in a markup language or as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module

from ..elements import Child, Element, format_html, make_element
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
    blocks: Iterable[Block], format_: str = "text", width: int = WIDTH, options: Options = DEFAULT
) -> str:
    """Write a report in one of ``REPORT_FORMATS``; text has at most `width` columns."""
    match format_:
        case "text":
            return write_text(blocks, width)
        case "html":
            return "".join(f"{format_html(make_block_element(block))}\n" for block in blocks)
    writer: MarkupWriter = import_module(f".{format_}", __package__).WRITER
    return writer.write_document(blocks, options)


# --- text --------------------------------------------------------------------------------


def write_text(blocks: Iterable[Block], width: int = WIDTH) -> str:
    """Write blocks as text, with empty lines between them unless they are close."""
    lines: list[str] = []
    for block in blocks:
        is_close = isinstance(block, Paragraph | Verbatim | Points) and block.is_close
        lines += [""] * (bool(lines) and not is_close)
        lines += _iter_text_lines(block, width)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _iter_text_lines(block: Block, width: int) -> Iterator[str]:
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
            table_rows = (head, *rows) if any(head) else rows
            table = [[_format_text(cell) for cell in row] for row in table_rows]
            widths = [max(map(len, column)) for column in zip(*table, strict=True)]
            for *cells, last in table:
                start = "".join(f"  {cell:<{n}}" for cell, n in zip(cells, widths, strict=False))
                lead = f"{start}  "
                yield from wrap_text(last, lead, " " * len(lead), width) or [start]


def _format_text(line: InlineText) -> str:
    """Return a line as text; code within a sentence has backquotes."""
    if len(line) == 1:
        return line[0].text
    return "".join(f"`{text}`" if mark is InlineKind.CODE else text for text, mark in line)


# --- HTML --------------------------------------------------------------------------------

_ELEMENTS = {InlineKind.CODE: "code", InlineKind.STRONG: "strong", InlineKind.EMPHASIS: "em"}


def make_block_element(block: Block, top_level: int = 3) -> Element:
    """Return a block of a report as an element; its top headings have ``top_level``."""
    match block:
        case Heading(level, line):
            return make_element(f"h{level + top_level}", *_list_spans(line))
        case Paragraph(line):
            return make_element("p", *_list_spans(line))
        case NoteBlock(line):
            return make_element("aside", *_list_spans(line))
        case Verbatim(text):
            return make_element("pre", make_element("code", text))
        case Points(items):
            return make_element(
                "ol" if block.is_numbered else "ul",
                *(make_element("li", *_list_lines(lines)) for lines in items),
            )
        case Table(head, rows):
            titles = [make_element("th", *_list_spans(cell)) for cell in head]
            lines = [[make_element("td", *_list_spans(cell)) for cell in row] for row in rows]
            return make_element("table", *(make_element("tr", *x) for x in (titles, *lines)))


def _list_lines(lines: Iterable[InlineText]) -> Iterator[Child]:
    """Yield the lines of a point, with a break between them."""
    for index, line in enumerate(lines):
        if index:
            yield make_element("br")
        yield from _list_spans(line)


def _list_spans(line: InlineText) -> Iterator[Child]:
    for text, mark in line:
        yield make_element(_ELEMENTS[mark], text) if mark in _ELEMENTS else text
