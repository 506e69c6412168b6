"""Descriptions of a picture in words: for ``alt=``, ``<desc>`` and screen readers."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.micro_operations.base import RowTrace
from ...engine.tracing.step_text import format_result, get_row_name
from .document import Answers, Document, OperandView, StepView
from .document_builder import make_cells


def format_alt_text(doc: Document) -> str:
    """Describe operands, the sentences and events of each step, and the result, on one line.

    In a picture's own ``<desc>`` the caller removes ``0x``, so that the result occurs once.
    """
    return " ".join(_iter_sentences(doc))


def format_short_alt(doc: Document) -> str:
    """Describe the instruction, its operands and its result in one sentence."""
    if doc.sections[0].heading and doc.sections[0].is_only:
        return format_alt_text(doc)  # two traces
    sentence = " ".join(doc.ptx.split("\n")).removesuffix(";")
    if doc.title:
        sentence = f"{doc.title.rstrip('.:')}: {sentence}"
    if doc.operands:
        operands = (f"{x.name or x.label} = {x.bits}" for x in doc.operands)
        sentence += f" on {', '.join(operands)}"
    if doc.trace.model.errata:
        sentence += f", model {doc.model},"
    if doc.results:
        sentence += f" gives {' and '.join(f'{x.name} = {x.bits}, {x.meant}' for x in doc.results)}"
        if doc.answers:
            result = format_result(doc.trace)
            others = (x for x in doc.answers.all if x.result != result)
            sentence += "".join(f"; {x.label}: {x.result}" for x in others)
    elif doc.no_result:
        sentence += f"; {doc.no_result}"
    return f"{sentence.rstrip(',')}."


def _iter_sentences(doc: Document) -> Iterator[str]:
    if doc.sections[0].heading:
        yield from _iter_section_sentences(doc)
        return
    if doc.title:
        yield _format_sentence(doc.title)
    ptx = " ".join(doc.ptx.split("\n")).removesuffix(";")
    yield f"{ptx}, model {doc.model}."
    if doc.operands:
        yield f"Operands: {'; '.join(map(_format_operand, doc.operands))}."
    for step in doc.steps:
        yield from _iter_step_sentences(step)
    if doc.omission:
        yield doc.omission
    for name, bits, meant in doc.results:
        yield f"Result: {name} = {bits}, {meant}."
    if doc.no_result:
        yield f"Result: {doc.no_result}."
    yield from map(_format_sentence, doc.lane_notes)
    if doc.agreement:
        yield doc.agreement
    if doc.answers:
        yield from _iter_answer_sentences(doc.answers)
    if doc.caption:
        yield _format_sentence(doc.caption)


def _iter_section_sentences(doc: Document) -> Iterator[str]:
    """Yield the statements and their results, without the steps."""
    if doc.title:
        yield f"{doc.title.rstrip('.')}."
    if doc.operands:
        yield f"Registers: {', '.join(f'{x.name} = {x.bits}' for x in doc.operands)}."
    last = doc.steps[-1].number if doc.steps and not doc.results else None
    for section in doc.sections:
        if last is not None and section.step_count + len(section.trace.steps) > last:
            break
        operands = ", ".join(f"{x.label} = {x.bits}" for x in section.operands)
        operand_text = f" on {operands}" if section.is_only and operands else ""
        results = " and ".join(f"{x.name} = {x.bits}" for x in section.results)
        yield f"{section.heading}{operand_text} gives {results or 'nothing'}."
    yield from (f"Result: {x.name} = {x.bits}, {x.meant}." for x in doc.results)
    if doc.no_result:
        yield f"Result: {doc.no_result}."
    if doc.agreement:
        yield doc.agreement


def _iter_answer_sentences(answers: Answers) -> Iterator[str]:
    """Yield every answer, and the steps of the other one from the point of deviation."""
    answer_texts = "; ".join(
        f"{answer.label}: {answer.result}" + (f" ({answer.reason})" if answer.errata else "")
        for answer in answers.all
    )
    yield f"Two answers, which first differ at the step {answers.step}: {answer_texts}."
    if answers.steps:
        yield f"The steps of {answers.other_name} from there:"
        for step in answers.steps:
            yield from _iter_step_sentences(step)


def _format_operand(operand: OperandView) -> str:
    _, label, name, bits, meant = operand
    return " ".join(filter(None, (label, name, "=", f"{bits},", meant)))


def _iter_step_sentences(step: StepView) -> Iterator[str]:
    yield f"Step {step.number}, {step.title}: {step.about}"
    for row in step.rows:
        yield from _iter_row_sentences(row)
    yield from map(_format_sentence, step.notes)


def _iter_row_sentences(row: RowTrace) -> Iterator[str]:
    """Yield the values of a row, in sentences if a flag is raised."""
    name, cells = get_row_name(row), make_cells(row)
    if len(cells) == 1:
        (cell,) = cells
        text = cell.sentence if cell.flags else str(cell.formula)
        yield f"{text}." if text.startswith(f"{name} =") else f"{name}: {text}."
        return
    values = [f"{cell.name}: {cell.text}" for cell in cells if not cell.flags]
    if values:
        yield f"{name}, {'; '.join(values)}."
    for cell in cells:
        if cell.flags:
            yield f"{name}, {cell.name}: {cell.sentence}."


def _format_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", ":")) else f"{text}."
