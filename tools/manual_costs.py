"""The part of an instruction's page on versions, targets and machine instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptxscope.engine.isa.entry import Entry, VersionRequirement, format_targets
from ptxscope.features.costs.cost_report import CheaperForms, list_cheaper, list_typical
from ptxscope.features.costs.cost_table import ARCHITECTURES, FormCost, read_table

from .manual_modifiers import format_shape_title
from .manual_text import format_cell_code, format_sentence, make_heading, make_table


def make_cost_lines(shapes: Sequence[Entry]) -> list[str]:
    """Return the requirements of an opcode's forms, and typical machine instructions."""
    lines = make_heading("Since and cost", 2)
    rows = []
    for shape in shapes:
        title = format_shape_title(shape).replace("With", "with", 1)
        lead = f"{title}, "
        name = "every form" if shape is shapes[0] else title
        rows.append((name, str(shape.minimum)))
        rows += [
            _format_requirement(x, lead if shape is not shapes[0] else "")
            for x in shape.requirements
        ]
    if len(rows) == 1:
        lines += [f"{rows[0][1]}.", ""]
    else:
        lines += make_table(("form", "needs"), rows)
    costs = [cost for shape in shapes for cost in list_typical(shape)]
    if not costs:
        return [*lines, "The machine instructions of its forms are not counted.", ""]
    lines += [
        f"The machine instructions that {read_table().ptxas} makes of typical forms, without "
        f"loads, stores, addresses and constants. {_describe_proofs(costs)}",
        "",
    ]
    head = ("form", *ARCHITECTURES)
    lines += make_table(head, ((format_cell_code(x.line), *map(str, x.counts)) for x in costs))
    return lines + _format_cheaper([x for shape in shapes for x in list_cheaper(shape)])


def _format_cheaper(groups: Sequence[CheaperForms]) -> list[str]:
    """Return the forms with a cheaper equal one."""
    if not groups:
        return []
    told = [format_sentence(x.sentence) for x in groups if x.without]
    lines = [f"{text} This is proved for all operands." for text in told] + [""] * bool(told)
    rows = [
        (
            format_cell_code(x.subject),
            format_cell_code(group.cheap.subject),
            *(f"{b} instead of {a}" for a, b in zip(x.counts, group.cheap.counts, strict=True)),
        )
        for group in groups
        if not group.without
        for x in group.costs
    ]
    if rows:
        lines += ["Forms that give the same bits as a cheaper one for all operands (proved):", ""]
        lines += make_table(("form", "cheaper", *ARCHITECTURES), rows)
    return lines


def _describe_proofs(costs: Sequence[FormCost]) -> str:
    """Describe whether the machine code is proved to be equal to *Operation*."""
    texts = []
    if wrong := [x for x in costs if x.verdict not in ("yes", "no")]:
        lines = ", ".join(f"{_format_mnemonic(x)} ({x.verdict})" for x in wrong)
        texts.append(f"an erratum changes {lines}")
    if unproved := [x for x in costs if x.verdict == "no"]:
        texts.append(f"no proof is known of {', '.join(map(_format_mnemonic, unproved))}")
    if not texts:
        return "All of it is proved equal to *Operation*."
    return f"It is proved equal to *Operation*, but {'; '.join(texts)}."


def _format_mnemonic(cost: FormCost) -> str:
    return format_cell_code(cost.subject)


def _format_requirement(requirement: VersionRequirement, lead: str) -> tuple[str, str]:
    parts = [f"PTX {requirement.ptx_isa}"] * bool(requirement.ptx_isa)
    parts += [format_targets(requirement.target)] * bool(requirement.target)
    feature = re.sub(r"(?<!\w)\.[\w.]+", lambda x: f"`{x[0]}`", requirement.feature)
    words = lead.removeprefix("with ").removesuffix(", ")
    lead = "" if words and feature.startswith(words) else lead  # it would be said twice
    return f"{lead}with {feature}", ", ".join(parts)
