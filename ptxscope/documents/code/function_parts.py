"""The name, the parameters, the comments and the results of a function in another language."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from keyword import kwlist

from ...engine.isa.encodings import Range
from ...engine.isa.types import ORDER
from ...engine.micro_operations.properties import Stage
from ...engine.semantics.plan import Plan, Source
from ...engine.tracing.step_text import format_stage_title
from ...engine.tracing.trace import Trace
from ..content.document import build_document
from .plan_code import Assignment, Dialect, find_kind, list_assignments

_WORD = re.compile(r"\W+", re.ASCII)
_KEYWORDS = {
    *kwlist,
    *(
        "auto case char const default do double enum extern float goto inline int long register "
        "restrict short signed sizeof static struct switch typedef union unsigned void volatile "
        "abs max min round"
    ).split(),
}
"""The words that name no variable in Python or in C, and the functions that are called."""


def list_parameters(plan: Plan) -> list[Source]:
    """Return the values that a plan reads: a, b, c in order, a guard, old values."""
    return sorted(plan.sources, key=lambda source: ORDER.get(source.role, 0))  # type: ignore[call-overload]


def name_parameters(trace: Trace) -> dict[str, str]:
    """Return the parameters by role: one for each given register; a literal has none."""
    block, names, parameters = trace.block, dict[str, str](), dict[str, str]()
    for role, _ in list_parameters(trace.plan):
        if role in block.names and role not in block.constants:
            register = block.names[role]
            name = make_unique(_make_name(register), parameters.values())
            names[role] = parameters.setdefault(register, name)
    return names


def _make_name(register: str) -> str:
    """Return a register's name as an identifier: ``r1`` for ``%r1``, ``_1`` for ``%1``."""
    name = _WORD.sub("_", register.lstrip("%$"))
    is_taken = name in _KEYWORDS or name.partition("_")[0] in set(Stage)
    return f"_{name}" if not name or name[0].isdigit() or is_taken else name


def make_unique(name: str, used_names: Collection[str]) -> str:
    """Return the name, with as many underscores as tell it apart from others."""
    while name in used_names:
        name += "_"
    return name


def assign(trace: Trace, dialect: Dialect, names: Mapping[str, str]) -> list[Assignment]:
    """Return the assignments of a plan; what has no name is a literal."""
    literals = {
        role: dialect.format_number(bits, find_kind([Range(bits, bits)])).text
        for role, bits in trace.block.constants.items()
    }
    return list_assignments(trace.plan, dialect, {**literals, **names})


def list_comments(trace: Trace, names: Mapping[str, str], unit: str) -> Iterator[str]:
    """Yield what a function computes, and of what."""
    doc, block = build_document(trace), trace.block
    yield from doc.ptx.split("\n")
    yield f"model {doc.model}; {doc.source}"
    registers = {name: block.names[role] for role, name in names.items()}
    operands = ", ".join(f"{name}: {register}" for name, register in registers.items())
    yield f"{operands}; {unit}"
    if len(block.results) > 1 and len(block.statements) > 1:
        yield f"results: {', '.join(block.results.values())}"


def group_by_step(
    trace: Trace, assignments: list[Assignment]
) -> Iterator[tuple[str, list[Assignment]]]:
    """Yield the assignments of each step below its title; that of a statement begins with it."""
    for statement in trace.block.statements:
        prefix = statement.prefix
        lead = f"{statement.number}. {statement.text}: " if prefix else ""
        own = (x for x in assignments if x.row.startswith(prefix))
        for stage, group in groupby(own, key=lambda x: x.stage):
            rows = (row for row in trace.plan.rows if row.key.startswith(prefix))
            title = format_stage_title(stage, tuple(row for row in rows if row.stage is stage))
            yield lead + title, list(group)
            lead = ""


def list_results(trace: Trace, assignments: list[Assignment]) -> dict[str, str]:
    """Return the variable of every destination that is kept, by role."""
    names = {x.row: x.name for x in assignments}
    return {x.role: names[x.key] for x in trace.plan.results if x.role in trace.block.results}


def name_results(trace: Trace, used_names: Collection[str]) -> dict[str, str]:
    """Return a name for each result by role."""
    names: dict[str, str] = {}
    for role, register in trace.block.results.items():
        name = _make_name(register)
        name = f"new_{name}" if name in used_names else name
        names[role] = make_unique(name, {*used_names, *names.values()})
    return names


def make_function_name(trace: Trace) -> str:
    """Return ``vadd4_s32_s32_u32_sat``, with all selectors, and the model unless it is ``isa``.

    Several statements are a ``block``.
    """
    parts = ["block"]
    if len(trace.parts) == 1:
        form = trace.instruction.form
        parts = [trace.instruction.mnemonic]
        parts += [f"{slot}_{form.get(slot)}" for slot in ("dsel", "mask", "asel", "bsel")
                  if form.get(slot) is not None]  # fmt: skip
        parts += [slot for slot in ("nega", "negb", "negc") if form.get(slot)]
    if trace.model.errata:
        parts.append(trace.model.name)
    return _WORD.sub("_", "_".join(parts))
