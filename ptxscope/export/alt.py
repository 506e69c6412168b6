"""What a picture of a trace says, in words: for an ``alt=``, a ``<desc>``, a reader's ear."""

from __future__ import annotations

from collections.abc import Iterator

from .document import Document, OperandView, StepView


def alt(doc: Document) -> str:
    """Operands, each step's sentence and what stood out in it, and the result, on one line."""
    return " ".join(_sentences(doc))


def _sentences(doc: Document) -> Iterator[str]:
    if doc.title:
        yield _sentence(doc.title)
    yield f"{doc.ptx.removesuffix(';')}, model {doc.model}."
    if doc.operands:
        yield f"Operands: {'; '.join(map(_operand, doc.operands))}."
    for step in doc.steps:
        yield from _step(step)
    if doc.left_out:
        yield doc.left_out
    for name, bits, meant in doc.results:
        yield f"Result: {name} = {bits}, {meant}."
    if doc.no_result:
        yield f"Result: {doc.no_result}."
    yield from map(_sentence, doc.lane_notes)
    if doc.answers:
        told = "; ".join(
            f"{x.label}: {x.result}" + (f" ({', '.join(x.errata)})" if x.errata else "")
            for x in doc.answers.all
        )
        yield f"Two answers, which part at the step {doc.answers.step}: {told}."
    if doc.caption:
        yield _sentence(doc.caption)


def _operand(operand: OperandView) -> str:
    _, label, name, bits, meant = operand
    return " ".join(filter(None, (label, name, "=", f"{bits},", meant)))


def _step(step: StepView) -> Iterator[str]:
    yield f"Step {step.number}, {step.title}: {step.about}"
    for row in step.rows:
        for cell in row.cells:
            if cell.flags:  # else its sentence repeats the step's, with numbers
                lead = f"{row.name}, {cell.name}" if len(row.cells) > 1 else row.name
                yield f"{lead}: {cell.sentence}."
    yield from map(_sentence, step.notes)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", ":")) else f"{text}."
