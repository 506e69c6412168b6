"""Blocks as one function in C or Python, with a comment for each statement."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from keyword import kwlist

from ...engine.isa.integers import Range
from ...engine.semantics.plan import Plan
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.trace import Trace
from ..code import c, python
from ..code.function_parts import group_by_step
from ..code.plan_code import Assignment, Dialect, find_kind, list_assignments
from ..content.document import Document, build_document
from ..options import DEFAULT, Options

_WORD = re.compile(r"\W+", re.ASCII)
_KEYWORDS = {
    *kwlist,
    *(
        "auto case char const default do double enum extern float goto inline int long register "
        "restrict short signed sizeof static struct switch typedef union unsigned void volatile"
    ).split(),
}
"""The words that name no variable in Python or in C."""


def render_python(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a function of the given registers' unsigned bits."""
    doc, plan = build_document(trace, options), trace.plan
    names = _name_registers(trace.block, plan)
    assignments = _assign(trace, python.DIALECT, names)
    lines = [f"def {_name_function(trace)}({', '.join(f'{x}: int' for x in names.values())}):"]
    lines += (f"    # {line}" for line in _list_comments(doc, names))
    for comment, group in _group(trace.block, plan, assignments):
        lines.append(f"    # {comment}")
        lines += (f"    {x.name} = {x.expression}" for x in group)
    results = _name_results(plan, assignments).values()
    lines.append(f"    return {', '.join(results)}")
    return "\n".join(lines) + "\n"


def render_c(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a function of the given registers' bits; C11, as ``code.c`` writes it."""
    block, plan, doc = trace.block, trace.plan, build_document(trace, options)
    names = _name_registers(block, plan)
    wide = {
        role: name if block.type_of(role).bits == 64 else _make_unique(f"{name}_", names.values())
        for role, name in names.items()
    }
    assignments = _assign(trace, c.DIALECT, wide)
    results = _name_results(plan, assignments)
    is_single = len(results) == 1
    type_names = {role: c.format_type(block.type_of(role)) for role in (*names, *results)}
    parameters = [f"{type_names[role]} {name}" for role, name in names.items()]
    targets = {role: f"out_{_name(block.results[role])}" for role in results}
    if not is_single:
        parameters += [f"{type_names[role]} *{name}" for role, name in targets.items()]
    return_type = type_names[next(iter(results))] if is_single else "void"
    lines = ["#include <stdint.h>", ""]
    comments = [c.format_comment(line) for line in _list_comments(doc, names)]
    lines += [f"/* {comments[0]}", *(f" * {line}" for line in comments[1:]), " */"]
    lines += [f"{return_type} {_name_function(trace)}({', '.join(parameters) or 'void'})", "{"]
    lines += (f"    const int64_t {wide[x]} = {y};" for x, y in names.items() if wide[x] != y)
    for comment, group in _group(block, plan, assignments):
        lines.append(f"    /* {c.format_comment(comment)} */")
        lines += map(c.format_assignment, group)
    used_names = {*results.values()}.union(*(x.reads for x in assignments))
    lines += (f"    (void){x};" for x in wide.values() if x not in used_names)
    lines += (f"    (void){x.name};" for x in assignments if x.name not in used_names)
    for role, name in results.items():
        value = f"({type_names[role]}){name};"
        lines.append(f"    return {value}" if is_single else f"    *{targets[role]} = {value}")
    return "\n".join([*lines, "}"]) + "\n"


def _assign(trace: Trace, dialect: Dialect, names: Mapping[str, str]) -> list[Assignment]:
    """Return the assignments of the joined plan, with literals as numbers."""
    literals = {
        role: dialect.format_number(bits, find_kind([Range(bits, bits)])).text
        for role, bits in trace.block.constants.items()
    }
    return list_assignments(trace.plan, dialect, {**literals, **names})


def _name(register: str) -> str:
    """Return a register's name as an identifier: ``r1`` for ``%r1``, ``_1`` for ``%1``."""
    name = _WORD.sub("_", register.lstrip("%$"))
    return f"_{name}" if not name or name[0].isdigit() or name in _KEYWORDS else name


def _make_unique(name: str, used_names: Collection[str]) -> str:
    """Return the name, with as many underscores as tell it apart from others."""
    while name in used_names:
        name += "_"
    return name


def _name_registers(block: BasicBlock, plan: Plan) -> dict[str, str]:
    """Return the parameter of each given register by role."""
    names: dict[str, str] = {}
    for source in plan.sources:
        if source.role in block.names:
            names[source.role] = _make_unique(_name(block.names[source.role]), names.values())
    return names


def _name_results(plan: Plan, assignments: list[Assignment]) -> dict[str, str]:
    """Return the variable of each result by role."""
    names = {x.row: x.name for x in assignments}
    return {role: names[key] for role, _, key in plan.results}


def _name_function(trace: Trace) -> str:
    return _WORD.sub("_", "_".join(["block", *([trace.model.name] if trace.model.errata else [])]))


def _list_comments(doc: Document, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what the function computes, and of what."""
    yield from doc.ptx.split("\n")
    yield f"model {doc.model}; {doc.source}"
    block = doc.trace.block
    others = [f"{y} is {block.names[x]}" for x, y in names.items() if y != block.names[x]]
    yield "; ".join((*others, "unsigned bits, predicates 0 or 1"))
    if len(block.results) > 1:
        yield f"results: {', '.join(block.results.values())}"


def _group(
    block: BasicBlock, plan: Plan, assignments: list[Assignment]
) -> Iterator[tuple[str, list[Assignment]]]:
    """Yield the assignments of each step below its title; the first has its statement too."""
    for prefix, statement_group in groupby(assignments, key=lambda x: x.row.partition(".")[0]):
        statement = block.get_statement(int(prefix[1:]))
        rows = [row for row in plan.rows if row.key.startswith(f"{prefix}.")]
        lead = f"{statement.number}. {statement.text}: "
        for title, group in group_by_step(rows, statement_group):
            yield f"{lead}{title}", group
            lead = ""
