"""A trace as plain text of at most 80 columns: for bug reports, e-mail and terminals."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator

from ..engine.tracing.trace import Trace
from .document import NOTHING_KEPT, Answers, Document, RowView, StepView, document
from .options import DEFAULT, Options

WIDTH = 80
_INDENT = 14


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Instruction, operands, every step with its numbers, result, and where answers part."""
    doc = document(trace, options)
    lines = [*_header(doc), "", *_operands(doc), ""]
    for step in doc.steps:
        lines += step_lines(step)
    lines += ["", *(f"{name} = {bits}  {meant}" for name, bits, meant in doc.results)]
    if not doc.results:
        lines.append(NOTHING_KEPT)
    for note in doc.lane_notes:
        lines += ["", *wrapped(f"* {note}", "", "  ")]
    for note in doc.notes:
        lines += ["", *wrapped(f"Note: {note}.", "", "  ")]
    if doc.answers:
        lines += ["", *_answers(doc.answers)]
    if doc.caption:
        lines += ["", *wrapped(doc.caption, "", "")]
    lines += ["", *_footer(doc)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _header(doc: Document) -> Iterator[str]:
    if doc.title:
        yield from (*wrapped(doc.title, "", ""), "")
    model = f"model: {doc.model}"
    if len(doc.ptx) + len(model) + 2 <= WIDTH:
        yield doc.ptx + model.rjust(WIDTH - len(doc.ptx))
    else:
        yield from (doc.ptx, model.rjust(WIDTH))


def _operands(doc: Document) -> Iterator[str]:
    width = max((len(operand.name) for operand in doc.operands), default=0)
    width += 2 if width else 0
    for _, label, name, bits, meant in doc.operands:
        yield f"  {label:<4}{name:<{width}}{bits}  {meant}"


def step_lines(step: StepView, width: int = WIDTH) -> Iterator[str]:
    """A step's title, what it does, and its rows."""
    lead = f"{step.number} {step.title}".ljust(_INDENT)
    yield from wrapped(step.about, lead, " " * _INDENT, width)
    for row in step.rows:
        if len(row.cells) == 1:
            yield from _single(row, width)
        elif _fits(row, (width - _INDENT) // len(row.cells)):
            yield from _lanes(row, (width - _INDENT) // len(row.cells))
        else:
            yield from _lane_by_lane(row, width)
    for note in step.notes:
        yield from wrapped(note, "  *".ljust(_INDENT), " " * _INDENT, width)


def _single(row: RowView, width: int) -> Iterator[str]:
    flags = ", ".join(row.cells[0].flags)
    text = str(row.cells[0].formula) + (f"   [{flags}]" if flags else "")
    yield from wrapped(text, f"  {row.name}".ljust(_INDENT), " " * _INDENT, width)


def _fits(row: RowView, width: int) -> bool:
    """Whether the lanes fit side by side in so many columns each; those of the report do."""
    if width >= (WIDTH - _INDENT) // len(row.cells):
        return True
    return max(len(x) for cell in row.cells for x in (cell.text, ", ".join(cell.flags))) < width


def _lane_by_lane(row: RowView, width: int) -> Iterator[str]:
    """A line a lane, where they don't stand side by side."""
    for at, cell in enumerate(row.cells):
        lead = f"  {row.name}" if at == 0 else ""
        flags = f"   [{', '.join(cell.flags)}]" if cell.flags else ""
        text = f"{cell.name}: {cell.text}{flags}"
        yield from wrapped(text, lead.ljust(_INDENT), " " * _INDENT, width)


def _lanes(row: RowView, width: int) -> Iterator[str]:
    lines = [textwrap.wrap(cell.text, width - 1) for cell in row.cells]
    for at in range(max(map(len, lines))):
        lead = f"  {row.name}" if at == 0 else ""
        parts = (cell[at] if at < len(cell) else "" for cell in lines)
        yield lead.ljust(_INDENT) + "".join(f"{part:<{width}}" for part in parts)
    told = [", ".join(cell.flags) for cell in row.cells]
    if any(told):
        yield " " * _INDENT + "".join(f"{text:<{width}}" for text in told)


def _answers(answers: Answers) -> Iterator[str]:
    yield "Two answers"
    for label, result, errata in answers.all:
        yield f"  {label:<30}{result}  {', '.join(errata)}"
    yield f"  They part at the step `{answers.step}`."
    for erratum in answers.errata:
        yield from wrapped(erratum.sentence, f"  {erratum.id:<5}", " " * 7)
    if answers.steps:
        yield from ("", f"The steps of {answers.other} from there")
        for step in answers.steps:
            yield from step_lines(step)


def _footer(doc: Document) -> Iterator[str]:
    yield doc.source
    yield from command_lines(doc.command)


def command_lines(command: str, width: int = WIDTH) -> Iterator[str]:
    """A shell command, folded between its words."""
    line = "$"
    for word in map(shlex.quote, shlex.split(command)):
        if len(line) + len(word) + 3 > width and line.strip() != "$":
            yield line + " \\"
            line = "   "
        line += " " + word
    yield line


def wrapped(text: str, first: str, rest: str, width: int = WIDTH) -> list[str]:
    """Lines of at most so many columns: the first indented by one text, the rest by another."""
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
