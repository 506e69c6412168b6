"""A BlockDiagnosis as text and as JSON: the observed result, and the changes that give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...engine.blocks.block_diagnosis import BlockDiagnosis, StatementExplanation
from ...engine.isa.value_text import format_hex
from ...engine.syntax.errors import make_printable
from ...engine.tracing.basic_block import BasicBlock
from ..formats.diagnosis_report import MAX_EXPLANATIONS, explanation_to_json, format_causes
from ..formats.text import wrap_text


def render_block_diagnosis(diagnosis: BlockDiagnosis, *, with_all: bool = False) -> str:
    """Render a diagnosis in at most 80 columns; ``with_all`` renders every explanation."""
    block, explanations = diagnosis.block, diagnosis.explanations
    observed = diagnosis.observations[diagnosis.shown_index].observed
    documented = diagnosis.documented.result_by_role
    widths = {role: block.type_of(role).bits for role in observed}
    got = _join(block, {role: x.format_bits(widths[role]) for role, x in observed.items()})
    right = _join(block, {role: format_hex(documented[role], widths[role]) for role in observed})
    lines = [
        *map(make_printable, block.lines),
        "",
        f"  got         {got}",
        f"  documented  {right}",
        "",
    ]
    if diagnosis.is_documented:
        lines += ["This is the documented result."]
    elif not explanations:
        lines += wrap_text(
            f"No single change in a statement explains it. {diagnosis.try_count} were tried. If "
            "the register of another statement is known, explain the statements up to there.",
            "",
            "",
        )
    else:
        lines += _explanation_lines(explanations[0], "", "")
        if others := explanations[1:] if with_all else explanations[1:MAX_EXPLANATIONS]:
            lines += ["", "Also with one change"]
            lines += [line for x in others for line in _explanation_lines(x, "  - ", "    ")]
        if len(explanations) > len(others) + 1:
            lines.append(f"  … and {len(explanations) - len(others) - 1} more (--all)")
    return "\n".join(lines) + "\n"


def block_diagnosis_to_json(diagnosis: BlockDiagnosis) -> list[dict[str, object]]:
    """Return the explanations as those of an instruction, each with its ``statement``."""
    return [
        {"statement": x.statement.number, **explanation_to_json(x.explanation)}
        for x in diagnosis.explanations
    ]


def _explanation_lines(x: StatementExplanation, indent: str, rest: str) -> Iterator[str]:
    """Yield the statement and its change, and the changed line if there is one."""
    verb = "would give" if x.explanation.kind == "habit" else "gives"
    text = f"Statement {x.statement.number} {verb} this {format_causes(x.explanation)}."
    yield from wrap_text(make_printable(text), indent, rest)
    if x.explanation.instruction != x.statement.instruction:
        yield f"{rest or '  '}{make_printable(x.explanation.ptx)}"


def _join(block: BasicBlock, texts: Mapping[str, str]) -> str:
    """Join one text for each observed result, with their names if the block has several."""
    names = block.results
    if len(names) == 1:
        return next(iter(texts.values()))
    return make_printable(", ".join(f"{names[role]} = {text}" for role, text in texts.items()))
