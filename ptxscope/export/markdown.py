"""A trace as Markdown with tables: for issue trackers, wikis and manuals. No HTML in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..engine.tracing.trace import Trace
from .document import NOTHING_KEPT, Answers, Document, RowView, StepView, document
from .options import DEFAULT, Options

_SPECIAL = re.compile(
    r"[\\`*{}\[\]<>#|~&]|(?<!\w)_|_(?!\w)|!(?=\[)|^[-+=](?=[-+=\s]|$)|(?<=^\d)[.)](?=\s)"
)


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Headings and tables; a lane a column, the most significant on the left."""
    doc = document(trace, options)
    parts = [*_head(doc), _operands(doc)]
    for step in doc.steps:
        parts += _step(step, "###")
    parts += _results(doc)
    parts += [f"> {escaped(note)}" for note in doc.lane_notes]
    parts += [f"**Note:** {escaped(note)}." for note in doc.notes]
    if doc.answers:
        parts += _answers(doc.answers)
    if doc.caption:
        parts.append(f"*{escaped(doc.caption)}*")
    parts += [escaped(doc.source), f"{fenced(doc.command, 'sh')}"]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text in which Markdown finds no markup."""
    return _SPECIAL.sub(lambda match: "\\" + match[0], " ".join(text.split()))


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


def _cell(text: str) -> str:
    """A code span in a table, where a pipe ends the cell even in code."""
    return code(text).replace("|", "\\|") if text else ""


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *map(list, rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _head(doc: Document) -> Iterator[str]:
    if doc.title:
        yield f"## {escaped(doc.title)}"
    yield fenced(doc.ptx, "ptx")
    yield f"Model: {code(doc.model)}"


def _operands(doc: Document) -> str:
    rows = (
        (_cell(label), _cell(name or label), _cell(bits), escaped(meant))
        for _, label, name, bits, meant in doc.operands
    )
    return _table(("operand", "register", "bits", "value"), rows)


def _step(step: StepView, level: str) -> Iterator[str]:
    yield f"{level} {step.number}. {escaped(step.title)}"
    yield escaped(step.about)
    for lanes in sorted({len(row.cells) for row in step.rows}, reverse=True):
        rows = [row for row in step.rows if len(row.cells) == lanes]
        names = [cell.name for cell in rows[0].cells] if lanes > 1 else ["value"]
        yield _table(["", *names], map(_row, rows))
    for note in step.notes:
        yield f"> {escaped(note)}"


def _row(row: RowView) -> list[str]:
    cells = []
    for cell in row.cells:
        flags = ", ".join(cell.flags)
        cells.append(_cell(cell.text) + (f" **{flags}**" if flags else ""))
    return [_cell(row.name), *cells]


def _results(doc: Document) -> Iterator[str]:
    yield "### Result"
    for name, bits, meant in doc.results:
        yield f"{code(name)} = {code(bits)}, {escaped(meant)}"
    if not doc.results:
        yield escaped(NOTHING_KEPT)


def _answers(answers: Answers) -> Iterator[str]:
    yield "### Two answers"
    rows = ((escaped(x.label), _cell(x.result), ", ".join(x.errata)) for x in answers.all)
    yield _table(("model", "result", "erratum"), rows)
    yield f"They part at the step *{escaped(answers.step)}*."
    yield "\n".join(f"- **{e.id}**: {escaped(e.sentence)}" for e in answers.errata)
    if answers.steps:
        yield f"### The steps of {code(answers.other)} from there"
        for step in answers.steps:
            yield from _step(step, "####")
