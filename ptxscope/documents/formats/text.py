"""Plain text of at most 80 columns, for bug reports, e-mail and terminals.

The author's text is preserved; output to a terminal makes it printable.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ...engine.micro_operations.base import RowTrace
from ...engine.syntax.errors import make_printable
from ...engine.tracing.step_text import get_row_name
from ...engine.tracing.trace import Trace
from ..content.document import Answers, CellView, Document, Section, StepView
from ..content.document_builder import build_document, make_cells
from ..options import DEFAULT, Options

WIDTH = 80
_INDENT = 14
_GAP = 3
"""Minimum blanks between lanes side by side, which keep them from reading as one formula."""


def render(trace: Trace, options: Options = DEFAULT, width: int = WIDTH) -> str:
    """Render the statements with every step and its numbers, the results, and deviations."""
    doc = build_document(trace, options)
    lines = [*_iter_header_lines(doc, width)]
    parts = [_iter_section(section, width) for section in doc.sections]
    if not doc.is_only:
        end = (*iter_result_lines(doc, width), *_iter_note_lines(doc.notes, width))
        parts = [iter_operand_lines(doc, width), *parts, iter(end)]
    for part in parts:
        lines += ["", *part]
    if doc.agreement:
        lines += ["", *wrap_text(doc.agreement, "", "", width)]
    lines += _iter_tail_lines(doc, width)
    return "\n".join(line.rstrip(" ") for line in lines) + "\n"


def format_head_lines(doc: Document, width: int = WIDTH) -> list[str]:
    """Return the lines above the steps of an instruction: its text, model and operands."""
    return [*_iter_header_lines(doc, width), "", *iter_operand_lines(doc, width), ""]


def _iter_section(section: Section, width: int) -> Iterator[str]:
    """Yield the values, steps and results of a statement, below its line unless it is the only one.

    Text after the steps is indented below the line, or separated by empty lines.
    """
    is_only = section.is_only
    if not is_only:
        yield from wrap_text(section.heading, "", "   ", width)
    if not section.is_folded:
        yield from iter_operand_lines(section, width)
        yield from [""] * is_only
        for step in section.steps:
            yield from iter_step_lines(step, width)
    indent, gap = ("", [""]) if is_only else ("  ", [])
    width -= len(indent)
    omission = [] if section.is_folded else wrap_text(section.omission, "", "  ", width)
    lines = [*omission, *gap, *iter_result_lines(section, width)]
    for note in section.lane_notes:
        lines += [*gap, *wrap_text(f"* {note}", "", "  ", width)]
    lines += _iter_note_lines(section.notes, width, gap)
    if section.answers and not section.is_folded:
        lines += [*gap, *iter_answer_lines(section.answers, width)]
    yield from (indent + line for line in lines)


def _iter_note_lines(notes: Iterable[str], width: int, gap: Sequence[str] = ("",)) -> Iterator[str]:
    """Yield the notes, each after a gap."""
    for note in notes:
        yield from (*gap, *wrap_text(f"Note: {note}.", "", "  ", width))


def _iter_tail_lines(doc: Document, width: int) -> Iterator[str]:
    """Yield the caption, the source and the command, after empty lines."""
    if doc.caption:
        yield from ("", *wrap_text(doc.caption, "", "", width))
    if doc.source:
        yield from (
            "",
            *wrap_text(doc.ascii_source, "", "  ", width),
            *wrap_command(doc.words, width),
        )


def _iter_header_lines(doc: Document, width: int) -> Iterator[str]:
    if doc.title:
        yield from (*wrap_text(doc.title, "", "", width), "")
    lines = doc.ptx.split("\n") if "\n" in doc.ptx else []
    model, head = f"model: {doc.model}", doc.subject if lines else doc.ptx
    if len(head) + len(model) + 2 <= width:
        yield head + model.rjust(width - len(head))
    else:
        yield from (*wrap_text(head, "", "    ", width), model.rjust(width))
    for line in lines:
        yield from wrap_text(line, "  ", "      ", width)


def iter_operand_lines(doc: Document | Section, width: int = WIDTH) -> Iterator[str]:
    """Yield a line for each input value."""
    names = max((len(operand.name) for operand in doc.operands), default=0)
    names += 2 if names else 0
    for _, label, name, bits, meant in doc.operands:
        yield from wrap_text(f"{name:<{names}}{bits}  {meant}", f"  {label:<4}", " " * 8, width)


def iter_step_lines(step: StepView, width: int = WIDTH) -> Iterator[str]:
    """Yield the title, the description and the rows of a step."""
    lead = f"{step.number} {step.title}".ljust(_INDENT)
    yield from wrap_text(step.about, lead, " " * _INDENT, width)
    for row in step.rows:
        name, cells = get_row_name(row), make_cells(row)
        column = (width - _INDENT) // len(cells)
        if len(cells) == 1:
            yield from _iter_single_lane_lines(name, cells[0], width)
        elif _fits_in_columns(cells, column):
            yield from _iter_lane_column_lines(name, cells, column)
        else:
            yield from _iter_lane_by_lane_lines(name, cells, width)
        for line in _iter_figure_lines(row):
            yield from wrap_text(line, " " * _INDENT, " " * (_INDENT + 2), width)
    for note in step.notes:
        yield from wrap_text(note, "  *".ljust(_INDENT), " " * _INDENT, width)


def _iter_figure_lines(row: RowTrace) -> Iterator[str]:
    if row.micro.has_text_figure:
        from ..content.figure_text import (
            iter_figure_lines,
        )  # loaded late: few rows have such a figure

        yield from map(make_printable, iter_figure_lines(row))


def _iter_single_lane_lines(name: str, cell: CellView, width: int) -> Iterator[str]:
    flags = ", ".join(cell.flags)
    text = str(cell.formula) + (f"   [{flags}]" if flags else "")
    yield from wrap_text(text, f"  {name}".ljust(_INDENT), " " * _INDENT, width)


def _fits_in_columns(cells: Sequence[CellView], width: int) -> bool:
    """Whether the lanes fit in columns of ``width`` characters, without broken numbers.

    A lane may take several lines in columns of the default width, but not in narrower ones.
    """
    is_narrow = width < (WIDTH - _INDENT) // len(cells)
    texts = [cell.text for cell in cells]
    parts = texts if is_narrow else " ".join(texts).replace("= ", "=_").split()
    return max(map(len, (*parts, *(", ".join(cell.flags) for cell in cells)))) <= width - _GAP


def _iter_lane_by_lane_lines(name: str, cells: Sequence[CellView], width: int) -> Iterator[str]:
    """Yield a line for each lane, if they do not fit side by side."""
    for index, cell in enumerate(cells):
        lead = f"  {name}" if index == 0 else ""
        flags = f"   [{', '.join(cell.flags)}]" if cell.flags else ""
        text = f"{cell.name}: {cell.text}{flags}"
        yield from wrap_text(text, lead.ljust(_INDENT), " " * _INDENT, width)


def _iter_lane_column_lines(name: str, cells: Sequence[CellView], width: int) -> Iterator[str]:
    lines = [wrap_text(cell.text, "", "", width - _GAP) for cell in cells]
    for index in range(max(map(len, lines))):
        lead = f"  {name}" if index == 0 else ""
        parts = (cell[index] if index < len(cell) else "" for cell in lines)
        yield lead.ljust(_INDENT) + "".join(f"{part:<{width}}" for part in parts)
    flag_texts = [", ".join(cell.flags) for cell in cells]
    if any(flag_texts):
        yield " " * _INDENT + "".join(f"{text:<{width}}" for text in flag_texts)


def iter_result_lines(doc: Document | Section, width: int = WIDTH) -> Iterator[str]:
    """Yield the results, or the text that replaces them."""
    for name, bits, meant in doc.results:
        yield from wrap_text(f"{name} = {bits}  {meant}", "", "  ", width)
    if doc.no_result:
        yield doc.no_result


def iter_answer_lines(answers: Answers, width: int = WIDTH) -> Iterator[str]:
    """Yield the answers of the models, and the errata behind their differences."""
    yield "Two answers"
    for answer in answers.all:
        answer_text = f"{answer.label:<30}{answer.result}  {answer.reason}"
        yield from wrap_text(answer_text.rstrip(), "  ", "      ", width)
    yield from wrap_text(f"They first differ at the step `{answers.step}`.", "  ", "  ", width)
    for erratum in answers.errata:
        yield from wrap_text(erratum.sentence, f"  {erratum.id:<5}", " " * 7, width)
    if answers.steps:
        yield from ("", f"The steps of {answers.other_name} from there")
        for step in answers.steps:
            yield from iter_step_lines(step, width)


def wrap_command(words: Iterable[str], width: int = WIDTH) -> Iterator[str]:
    """Yield a shell command, folded between words."""
    line = "$"
    for word in map(_quote_for_shell, words):
        if len(line) + len(word) + 3 > width and line.strip() != "$":
            yield line + " \\"
            line = "   "
        line += " " + word
    yield line


def _quote_for_shell(word: str) -> str:
    """Quote a word for a shell, in printable characters."""
    if make_printable(word) == word:
        return shlex.quote(word)
    # bash, ksh and zsh accept this, and POSIX since 2024
    return "$'" + "".join(map(_escape, word)) + "'"


def _escape(char: str) -> str:
    if char in "\\'":
        return f"\\{char}"
    if make_printable(char) == char:
        return char
    return f"\\u{ord(char):04x}" if char < "\U00010000" else f"\\U{ord(char):08x}"


def wrap_text(text: str, first_indent: str, indent: str, width: int = WIDTH) -> list[str]:
    """Wrap text at ``width`` columns, with different indents for the first line and the others.

    A line ends with ``=`` only if the next word is too long to share a line with it.
    """
    room = width - len(indent) - len("= ")
    text = re.sub(rf"= (?=\S{{1,{max(room, 1)}}}+(?!\S))", "=\xa0", text)  # textwrap keeps U+00A0
    lines = textwrap.wrap(
        text, width, initial_indent=first_indent, subsequent_indent=indent, break_on_hyphens=False
    )
    return [line.replace("=\xa0", "= ") for line in lines]
