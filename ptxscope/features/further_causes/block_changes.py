"""Explanations of a block's result by another text: shared registers, exchanged halves.

Without ``&`` in its constraint, an output of an asm statement may share the register of an input
that the statement reads later.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from ...blocks.block_parser import parse_block
from ...diagnosis.causes import Cause, CauseKind
from ...diagnosis.explanations import Explanation
from ...diagnosis.observation import Observation
from ...engine.semantics.models import ISA_MODEL
from ...engine.syntax.asm_bindings import find_asm_ranges
from ...engine.syntax.asm_operands import AsmExpression, number_placeholders, read_operands
from ...engine.syntax.errors import PtxError
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.trace import Trace

_SHARED_COST = -1
"""The cost of a shared register: its exact result is rarely a coincidence."""
_HALVES_COST = 2


class _Change(NamedTuple):
    """Another text of a block that may explain its result."""

    lines: Sequence[str]
    phrase: str
    aspect: str
    cost: int
    sources: Mapping[str, str] = {}
    """The registers that the text reads with the value of another register, and that register."""


def iter_explanations(
    block: BasicBlock, observations: Sequence[Observation], shown_index: int
) -> Iterator[Explanation]:
    """Yield the explanations of observations by outputs in registers of inputs, and by halves."""
    documented = [Trace(block, ISA_MODEL, x.operands) for x in observations]
    for change in (*_iter_shared_registers(block), *_iter_exchanged_halves(block)):
        changed_block = _parse_change(block, change)
        traces = [_trace_change(block, changed_block, change, x) for x in observations]
        valid_traces = [x for x in traces if x]
        if len(valid_traces) < len(traces) or not all(
            map(partial(_matches, block), valid_traces, observations)
        ):
            continue
        pairs = zip(documented[shown_index].parts, valid_traces[shown_index].parts, strict=True)
        changed = [i for i, (x, y) in enumerate(pairs) if _list_sources(x) != _list_sources(y)]
        if not changed:
            continue
        number = changed[0] + 1
        subject = f"Statement {number}" if len(block.statements) > 1 else "The instruction"
        yield Explanation(
            (Cause(CauseKind.OPERAND, frozenset((change.aspect,)), change.phrase, change.cost),),
            block.get_statement(number).instruction,
            ISA_MODEL,
            tuple(x.parts[number - 1].operands for x in valid_traces),
            f"{subject} gives this {change.phrase}.",
            len(observations),
            shown_index=shown_index,
            statement=number,
        )


def _list_sources(part: Trace) -> list[int]:
    """Return the values that a statement reads."""
    return [part.operands[x.role] for x in part.plan.sources]


_HALVES = re.compile(r"(\bmov\.b(?:32|64)\b[^{}]*\{)\s*([^,{}]+?)\s*,\s*([^,{}]+?)\s*(\}[^{}]*)")
"""A ``mov`` between a register and its two halves."""


def _iter_exchanged_halves(block: BasicBlock) -> Iterator[_Change]:
    """Yield the block with the halves of each ``mov`` exchanged."""
    for index, line in enumerate(block.lines):
        if match := _HALVES.search(line):
            start, low, high, end = match.groups()
            text = f"{line[: match.start()]}{start}{high}, {low}{end}{line[match.end() :]}"
            lines = [*block.lines[:index], text, *block.lines[index + 1 :]]
            yield _Change(lines, f"with `{text.rstrip(';')}`", "halves", _HALVES_COST)


def _iter_shared_registers(block: BasicBlock) -> Iterator[_Change]:
    """Yield an asm statement with an output, without ``&``, in the register of an input."""
    position = block.spans["line"][0] if "line" in block.spans else -1
    for statement, limit in find_asm_ranges(block.text) if "asm" in block.text else ():
        if not statement.start <= position < statement.end:
            continue
        operands = read_operands(block.text, statement.end, limit)
        _, operands = number_placeholders(statement.fragment, operands)
        inputs = {x.name for x in block.inputs} - operands.tied.keys()
        for output in operands.expressions:
            if "=" in output.constraint and "&" not in output.constraint:
                for x in operands.expressions:
                    if not x.is_output and x.name in inputs:
                        yield _share_register(block, output, x.name)


def _share_register(block: BasicBlock, output: AsmExpression, source: str) -> _Change:
    constraint = output.constraint
    phrase = (
        f"if {output.name} has the register of {source}, as its constraint `{constraint}` allows; "
        f"write `{constraint.replace('=', '=&')}`"
    )
    lines = [re.sub(rf"{source}(?!\w)", output.name, x) for x in block.lines]
    return _Change(lines, phrase, "shared register", _SHARED_COST, {output.name: source})


def _parse_change(block: BasicBlock, change: _Change) -> BasicBlock | None:
    """Return a changed block; None if it cannot be compared with the original."""
    try:
        changed = parse_block("\n".join(change.lines)).with_results(block.outputs)
    except PtxError:
        return None
    has_all = block.outputs.keys() <= changed.outputs.keys()
    return changed if has_all and len(changed.statements) == len(block.statements) else None


def _trace_change(
    block: BasicBlock, changed: BasicBlock | None, change: _Change, observation: Observation
) -> Trace | None:
    """Return the trace of a changed block on the observed operands; None if it reads other ones."""
    operands = observation.operands
    values = {name: operands[role] for role, name in block.names.items() if role in operands}
    values |= {x: values[y] for x, y in change.sources.items() if y in values}
    if changed is None or any(x.name not in values for x in changed.inputs):
        return None
    own = {role: values[x.name] for x in changed.inputs for role in x.roles}
    return Trace(changed, ISA_MODEL, {**changed.constants, **own})


def _matches(block: BasicBlock, trace: Trace, observation: Observation) -> bool:
    results: Mapping[str, int] = trace.result
    names = {place.key: name for name, place in block.outputs.items()}
    return all(x.matches(results[names[role]]) for role, x in observation.observed.items())
