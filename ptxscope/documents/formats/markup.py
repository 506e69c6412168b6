"""Headings, paragraphs and tables of a document, for the markup languages.

This module determines the structure. Markdown, reStructuredText and AsciiDoc each have a module for
their syntax and their escaping.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from ...engine.micro_operations.base import RowTrace
from ...engine.syntax.errors import make_printable
from ...engine.tracing.step_text import get_row_name
from ...engine.tracing.trace import Trace
from ..content.document import Answers, Document, Section, StepView
from ..content.document_builder import build_document, make_cells
from ..options import DEFAULT, Options


class InlineKind(Enum):
    """The kind of a piece of a line."""

    PLAIN = "plain"
    CODE = "code"
    STRONG = "strong"
    EMPHASIS = "emphasis"


class InlineSpan(NamedTuple):
    """A piece of a line."""

    text: str
    mark: InlineKind = InlineKind.PLAIN


InlineText = tuple[InlineSpan, ...]
"""Pieces of a line, joined without separators."""


class Heading(NamedTuple):
    """A heading; the title of the document has level 0."""

    level: int
    line: InlineText


class Paragraph(NamedTuple):
    """A paragraph."""

    line: InlineText
    lead: str = ""
    """In text, the prefix of its first line."""
    indent: str = ""
    """In text, the prefix of its other lines."""
    is_close: bool = False
    """In text, whether no empty line separates it from the previous block."""


class Verbatim(NamedTuple):
    """A block of literal text."""

    text: str
    language: str = "text"
    is_close: bool = False


class Table(NamedTuple):
    """A table; every row has as many cells as the head."""

    head: tuple[InlineText, ...]
    rows: tuple[tuple[InlineText, ...], ...]


class NoteBlock(NamedTuple):
    """A note of the author."""

    line: InlineText


class Points(NamedTuple):
    """A list; an item has one or more lines."""

    items: tuple[tuple[InlineText, ...], ...]
    is_close: bool = False
    indents: tuple[str, str, str] = ("  - ", "    ", "       ")
    """In text, the prefixes of an item, of its lines, and of continuation lines."""
    is_numbered: bool = False


Block = Heading | Paragraph | Verbatim | Table | NoteBlock | Points

_BLANKS = re.compile(r"[ \t\n\r\f\v]++")


def join_lines(text: str) -> str:
    """Join text into one line without surrounding blanks; non-breaking spaces remain."""
    return _BLANKS.sub(" ", text).strip()


def make_text(text: str) -> InlineText:
    """Return text as a line; no text is an empty line."""
    text = join_lines(text)
    return (InlineSpan(text),) if text else ()


def make_code(text: str) -> InlineText:
    """Return code as a line; no code is an empty line."""
    return (InlineSpan(text, InlineKind.CODE),) if text else ()


def make_inline(text: str) -> InlineText:
    """Return text as a line; parts in backquotes are code."""
    parts = make_printable(text).split("`")
    if len(parts) % 2 == 0:  # a lone backquote
        parts[-2:] = ["`".join(parts[-2:])]
    kinds = (InlineKind.PLAIN, InlineKind.CODE)
    return tuple(InlineSpan(part, kinds[i % 2]) for i, part in enumerate(parts) if part)


def make_heading(text: str, level: int = 0) -> Heading:
    """Return a heading; text in backquotes is code."""
    return Heading(level, make_inline(text))


def make_paragraph(
    text: str, lead: str = "", indent: str = "", *, is_close: bool = False
) -> Paragraph:
    """Return a paragraph; text in backquotes is code."""
    return Paragraph(make_inline(text), lead, indent, is_close)


def make_points(
    items: Iterable[Iterable[str]],
    indents: tuple[str, str, str] = ("  - ", "    ", "       "),
    *,
    is_close: bool = False,
    is_numbered: bool = False,
) -> Points:
    """Return a list of the lines of each item; text in backquotes is code."""
    points = tuple(tuple(map(make_inline, lines)) for lines in items)
    return Points(points, is_close, indents, is_numbered)


def make_verbatim(
    lines: Iterable[str], language: str = "text", *, is_close: bool = False
) -> Verbatim:
    """Return lines of printable characters as literal text."""
    return Verbatim("\n".join(map(make_printable, lines)), language, is_close)


def iter_blocks(doc: Document, heading: str = "") -> Iterator[Block]:
    """Yield the blocks of a document; ``heading`` replaces a missing title."""
    yield from iter_head_blocks(doc, heading)
    if doc.operands and not doc.is_only:
        yield make_operand_table(doc)
    for section in doc.sections:
        yield from _iter_section_blocks(section)
    if not doc.is_only:
        yield Heading(1, make_text("Result"))
        yield from iter_result_paragraphs(doc)
        yield from iter_note_blocks(doc.notes)
    if doc.agreement:
        yield Paragraph(make_text(doc.agreement))
    yield from iter_tail_blocks(doc)


def _iter_section_blocks(section: Section) -> Iterator[Block]:
    """Yield the blocks of a statement, below its heading unless it is the only one."""
    is_only = section.is_only
    if not is_only:
        number, _, statement = section.heading.partition(". ")
        yield Heading(1, (InlineSpan(f"Statement {number} "), *make_code(statement)))
    if not section.is_folded:
        yield make_operand_table(section)
        for step in section.steps:
            yield from iter_step_blocks(step, 1 if is_only else 2)
        if section.omission:
            yield Paragraph(make_text(section.omission))
    if is_only:
        yield Heading(1, make_text("Result"))
    yield from iter_result_paragraphs(section)
    yield from (NoteBlock(make_text(note)) for note in section.lane_notes)
    yield from iter_note_blocks(section.notes)
    if section.answers and not section.is_folded:
        yield from iter_answer_blocks(section.answers)


def iter_head_blocks(doc: Document, heading: str) -> Iterator[Block]:
    """Yield the title, the statements and the model; ``heading`` replaces a missing title."""
    if title := make_text(doc.title or heading):
        yield Heading(0, title)
    yield Verbatim(doc.ptx, "ptx")
    yield Paragraph((*make_text("Model:"), InlineSpan(" "), *make_code(doc.model)))


def iter_note_blocks(notes: Iterable[str]) -> Iterator[Block]:
    """Yield a paragraph for each note."""
    for note in notes:
        text = InlineSpan(f" {join_lines(note)}.")
        yield Paragraph((InlineSpan("Note:", InlineKind.STRONG), text))


def iter_tail_blocks(doc: Document) -> Iterator[Block]:
    """Yield the caption, the source and the command."""
    if caption := join_lines(doc.caption):
        yield Paragraph((InlineSpan(caption, InlineKind.EMPHASIS),))
    if doc.source:
        yield Paragraph(make_text(doc.source))
        yield Verbatim(doc.command, "sh")


def make_operand_table(doc: Document | Section) -> Table:
    """Return a row for each input value."""
    rows = (
        (make_code(label), make_code(name or label), make_code(bits), make_text(meant))
        for _, label, name, bits, meant in doc.operands
    )
    return Table(tuple(map(make_text, ("operand", "register", "bits", "value"))), tuple(rows))


def iter_step_blocks(step: StepView, level: int) -> Iterator[Block]:
    """Yield the blocks of a step, with a heading of a level."""
    yield Heading(level, (InlineSpan(str(step.number)), InlineSpan(f". {step.title}")))
    yield Paragraph(make_text(step.about))
    for lanes in sorted({len(row.values) for row in step.rows}, reverse=True):
        rows = [row for row in step.rows if len(row.values) == lanes]
        names = [cell.name for cell in make_cells(rows[0])] if lanes > 1 else ["value"]
        yield Table(tuple(map(make_text, ("", *names))), tuple(map(_make_row, rows)))
    yield from (NoteBlock(make_text(note)) for note in step.notes)


def _make_row(row: RowTrace) -> tuple[InlineText, ...]:
    cells = [make_code(get_row_name(row))]
    for cell in make_cells(row):
        flags = ", ".join(cell.flags)
        flag_spans = (InlineSpan(" "), InlineSpan(flags, InlineKind.STRONG)) if flags else ()
        cells.append((*make_code(cell.text), *flag_spans))
    return tuple(cells)


def iter_result_paragraphs(doc: Document | Section) -> Iterator[Block]:
    """Yield a paragraph for each result."""
    for name, bits, meant in doc.results:
        yield Paragraph(
            (*make_code(name), InlineSpan(" = "), *make_code(bits), InlineSpan(f", {meant}"))
        )
    if doc.no_result:
        yield Paragraph(make_text(doc.no_result))


def iter_answer_blocks(answers: Answers) -> Iterator[Block]:
    """Yield the answers of models that differ."""
    yield Heading(1, make_text("Two answers"))
    rows = ((make_text(x.label), make_code(x.result), make_text(x.reason)) for x in answers.all)
    yield Table(tuple(map(make_text, ("model", "result", "erratum"))), tuple(rows))
    yield Paragraph(
        (
            InlineSpan("They first differ at the step "),
            InlineSpan(answers.step, InlineKind.EMPHASIS),
            InlineSpan("."),
        )
    )
    points = (
        ((InlineSpan(e.id, InlineKind.STRONG), InlineSpan(f": {e.sentence}")),)
        for e in answers.errata
    )
    if answers.errata:
        yield Points(tuple(points))
    if answers.steps:
        yield Heading(
            1,
            (
                InlineSpan("The steps of "),
                *make_code(answers.other_name),
                InlineSpan(" from there"),
            ),
        )
        for step in answers.steps:
            yield from iter_step_blocks(step, 2)


def measure_longest_run(char: str, text: str) -> int:
    """Return the length of the longest run of a character; a fence must be longer."""
    return max((len(match) for match in re.findall(f"{re.escape(char)}+", text)), default=0)


def join_pieces(pieces: Iterable[tuple[str, InlineSpan]]) -> str:
    """Join written pieces without separators."""
    return "".join(piece for piece, _ in pieces)


class MarkupWriter(NamedTuple):
    """The syntax of a markup language for each kind of piece and block."""

    escape: Callable[[str], str]
    """Escapes text, except at the beginning of a line."""
    code: Callable[[str], str]
    strong: str
    """Delimiter of strong text."""
    emphasis: str
    bullet: str
    numbered_bullet: str
    """Bullet of a numbered list, with braces for the number."""
    line_break: str
    """The text between two lines of a point."""
    heading: Callable[[MarkupWriter, Heading, Options], str]
    """Formats a heading; on a standalone page it begins a section."""
    verbatim: Callable[[Verbatim], str]
    table: Callable[[MarkupWriter, Table], str]
    remark: str
    """Prefix of a note."""
    escape_start: Callable[[str], str] = str
    """Escapes the beginning of a line, so that it does not begin a list or another block."""
    join: Callable[[Iterable[tuple[str, InlineSpan]]], str] = join_pieces
    """Joins written pieces with their spans into a line."""

    def format_piece(self, span: InlineSpan) -> str:
        """Format a piece of a line."""
        text, mark = span
        match mark:
            case InlineKind.CODE:
                return self.code(text)
            case InlineKind.STRONG:
                return f"{self.strong}{self.escape(text)}{self.strong}"
            case InlineKind.EMPHASIS:
                return f"{self.emphasis}{self.escape(text)}{self.emphasis}"
        return self.escape(text)

    def format_inline(self, line: InlineText) -> str:
        """Format a line within another one."""
        return self.join((self.format_piece(span), span) for span in line)

    def format_line(self, line: InlineText) -> str:
        """Format the only line of a paragraph."""
        text = self.format_inline(line)
        return self.escape_start(text) if line and line[0].mark is InlineKind.PLAIN else text

    def render(self, trace: Trace, options: Options = DEFAULT) -> str:
        """Render a trace; tables have a column per lane, the most significant on the left."""
        doc = build_document(trace, options)
        heading = doc.subject if options.standalone else ""
        return self.write_document(iter_blocks(doc, heading), options)

    def write_document(self, blocks: Iterable[Block], options: Options = DEFAULT) -> str:
        """Format a document of blocks."""
        return "\n\n".join(self._format_block(block, options) for block in blocks) + "\n"

    def _format_block(self, block: Block, options: Options) -> str:
        match block:
            case Heading():
                return self.heading(self, block, options)
            case Paragraph():
                return self.format_line(block.line)
            case Verbatim():
                return self.verbatim(block)
            case Table():
                return self.table(self, block)
            case NoteBlock(line):
                return self.remark + self.format_line(line)
            case Points(items):
                bullet = self.numbered_bullet if block.is_numbered else self.bullet
                return "\n".join(
                    self._format_point(f"{bullet.format(number)} ", lines)
                    for number, lines in enumerate(items, 1)
                )

    def _format_point(self, bullet: str, lines: Iterable[InlineText]) -> str:
        joint = self.line_break + " " * len(bullet)
        return bullet + joint.join(map(self.format_line, lines))
