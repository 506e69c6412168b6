"""A document as headings, paragraphs and tables, for the languages that are written with marks.

What stands where is said here; how Markdown, reStructuredText and AsciiDoc write it, and what
they must escape, in a module each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum

from ...engine.records import NamedTuple
from ...engine.tracing.trace import Trace
from ..content.document import Answers, Document, RowView, StepView, document
from ..options import Options


class Mark(Enum):
    """What a piece of a line is."""

    PLAIN = "plain"
    CODE = "code"
    STRONG = "strong"
    EMPHASIS = "emphasis"


class Span(NamedTuple):
    """A piece of a line."""

    text: str
    mark: Mark = Mark.PLAIN


Line = tuple[Span, ...]
"""Pieces that stand beside each other as they are; blanks are theirs."""


class Heading(NamedTuple):
    """A heading; the document's own is of level 0."""

    level: int
    line: Line


class Paragraph(NamedTuple):
    """A paragraph."""

    line: Line


class Verbatim(NamedTuple):
    """A block that is shown as it is."""

    text: str
    language: str


class Table(NamedTuple):
    """A table; every row has as many cells as its head."""

    head: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]


class Remark(NamedTuple):
    """What a writer said."""

    line: Line


class Points(NamedTuple):
    """A list."""

    items: tuple[Line, ...]


Block = Heading | Paragraph | Verbatim | Table | Remark | Points

_BLANKS = re.compile(r"[ \t\n\r\f\v]++")


def one_line(text: str) -> str:
    """Text on one line, without blanks around it; blanks that don't break stay within."""
    return _BLANKS.sub(" ", text).strip()


def plain(text: str) -> Line:
    """Text as a line; none as an empty one."""
    text = one_line(text)
    return (Span(text),) if text else ()


def code(text: str) -> Line:
    """Code as a line; none as an empty one."""
    return (Span(text, Mark.CODE),) if text else ()


def render(
    trace: Trace, options: Options, pen: Pen, section: Callable[[Pen, Heading], str] | None
) -> str:
    """A trace as a pen writes it; as a whole page, its headings are sections."""
    if section and options.standalone:
        found = outline(document(trace, options), trace.instruction.opcode)
        return pen._replace(heading=section).written(found)
    return pen.written(outline(document(trace, options)))


def outline(doc: Document, heading: str = "") -> Iterator[Block]:
    """Everything a document says; a heading stands where the writer gave no title."""
    if title := plain(doc.title or heading):
        yield Heading(0, title)
    yield Verbatim(doc.ptx, "ptx")
    yield Paragraph((*plain("Model:"), Span(" "), *code(doc.model)))
    yield _operands(doc)
    for step in doc.steps:
        yield from _step(step, 1)
    if doc.left_out:
        yield Paragraph(plain(doc.left_out))
    yield from _results(doc)
    yield from (Remark(plain(note)) for note in doc.lane_notes)
    for note in doc.notes:
        yield Paragraph((Span("Note:", Mark.STRONG), Span(f" {one_line(note)}.")))
    if doc.answers:
        yield from _answers(doc.answers)
    if doc.agreed:
        yield Paragraph(plain(doc.agreed))
    if caption := one_line(doc.caption):
        yield Paragraph((Span(caption, Mark.EMPHASIS),))
    yield Paragraph(plain(doc.source))
    yield Verbatim(doc.command, "sh")


def _operands(doc: Document) -> Table:
    rows = (
        (code(label), code(name or label), code(bits), plain(meant))
        for _, label, name, bits, meant in doc.operands
    )
    return Table(tuple(map(plain, ("operand", "register", "bits", "value"))), tuple(rows))


def _step(step: StepView, level: int) -> Iterator[Block]:
    yield Heading(level, (Span(str(step.number)), Span(f". {step.title}")))
    yield Paragraph(plain(step.about))
    for lanes in sorted({len(row.cells) for row in step.rows}, reverse=True):
        rows = [row for row in step.rows if len(row.cells) == lanes]
        names = [cell.name for cell in rows[0].cells] if lanes > 1 else ["value"]
        yield Table(tuple(map(plain, ("", *names))), tuple(map(_row, rows)))
    yield from (Remark(plain(note)) for note in step.notes)


def _row(row: RowView) -> tuple[Line, ...]:
    cells = [code(row.name)]
    for cell in row.cells:
        flags = ", ".join(cell.flags)
        told = (Span(" "), Span(flags, Mark.STRONG)) if flags else ()
        cells.append((*code(cell.text), *told))
    return tuple(cells)


def _results(doc: Document) -> Iterator[Block]:
    yield Heading(1, plain("Result"))
    for name, bits, meant in doc.results:
        yield Paragraph((*code(name), Span(" = "), *code(bits), Span(f", {meant}")))
    if doc.no_result:
        yield Paragraph(plain(doc.no_result))


def _answers(answers: Answers) -> Iterator[Block]:
    yield Heading(1, plain("Two answers"))
    rows = ((plain(x.label), code(x.result), plain(x.why)) for x in answers.all)
    yield Table(tuple(map(plain, ("model", "result", "erratum"))), tuple(rows))
    yield Paragraph((Span("They part at the step "), Span(answers.step, Mark.EMPHASIS), Span(".")))
    points = ((Span(e.id, Mark.STRONG), Span(f": {e.sentence}")) for e in answers.errata)
    if answers.errata:
        yield Points(tuple(points))
    if answers.steps:
        yield Heading(1, (Span("The steps of "), *code(answers.other), Span(" from there")))
        for step in answers.steps:
            yield from _step(step, 2)


def longest_run(char: str, text: str) -> int:
    """How many of a character stand beside each other at most, as a fence must be longer."""
    return max((len(run) for run in re.findall(f"{re.escape(char)}+", text)), default=0)


def beside(pieces: Iterable[tuple[str, Span]]) -> str:
    """Pieces as they are written, beside each other."""
    return "".join(written for written, _ in pieces)


class Pen(NamedTuple):
    """How a language writes each kind of piece, and of block."""

    escaped: Callable[[str], str]
    """Text in which there is no markup, but at the beginning of a line."""
    code: Callable[[str], str]
    strong: str
    """With what strong text begins and ends."""
    emphasis: str
    bullet: str
    heading: Callable[[Pen, Heading], str]
    verbatim: Callable[[Verbatim], str]
    table: Callable[[Pen, Table], str]
    remark: str
    """What a remark begins with."""
    start: Callable[[str], str] = str
    """Escaped text that begins a line, where it begins neither a list nor anything else."""
    joined: Callable[[Iterable[tuple[str, Span]]], str] = beside
    """Pieces as they are written, and what they are, in a line."""

    def piece(self, span: Span) -> str:
        """A piece of a line."""
        text, mark = span
        match mark:
            case Mark.CODE:
                return self.code(text)
            case Mark.STRONG:
                return f"{self.strong}{self.escaped(text)}{self.strong}"
            case Mark.EMPHASIS:
                return f"{self.emphasis}{self.escaped(text)}{self.emphasis}"
        return self.escaped(text)

    def inline(self, line: Line) -> str:
        """A line, within another."""
        return self.joined((self.piece(span), span) for span in line)

    def line(self, line: Line) -> str:
        """The only line of a paragraph."""
        written = self.inline(line)
        return self.start(written) if line and line[0].mark is Mark.PLAIN else written

    def written(self, blocks: Iterable[Block]) -> str:
        """A document of some blocks."""
        return "\n\n".join(map(self._block, blocks)) + "\n"

    def _block(self, block: Block) -> str:
        match block:
            case Heading():
                return self.heading(self, block)
            case Paragraph(line):
                return self.line(line)
            case Verbatim():
                return self.verbatim(block)
            case Table():
                return self.table(self, block)
            case Remark(line):
                return self.remark + self.line(line)
            case Points(items):
                return "\n".join(f"{self.bullet} {self.line(item)}" for item in items)
