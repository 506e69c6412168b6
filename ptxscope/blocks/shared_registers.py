"""Explanations of an asm statement's result by an output in the register of an input.

Without ``&`` in its constraint, an output may share the register of an input, which the statement
then reads too late.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..diagnosis.causes import Cause, CauseKind
from ..diagnosis.explanations import Diagnosis, Explanation, Explanations, investigate
from ..diagnosis.observation import Observation
from ..engine.semantics.models import ISA_MODEL
from ..engine.syntax.asm_bindings import find_asm_ranges
from ..engine.syntax.asm_operands import number_placeholders, read_operands
from ..engine.syntax.errors import PtxError
from ..engine.tracing.basic_block import BasicBlock
from ..engine.tracing.trace import Trace
from .block_parser import parse_block


def explain_block(block: BasicBlock, observations: Sequence[Observation]) -> Diagnosis:
    """Return what explains observations; first of all, outputs that share an input's register."""
    diagnosis = investigate(block, observations)
    is_documented = any(not x.causes for x in diagnosis.explanations[:1])
    if len(block.lines) < 2 or is_documented:
        return diagnosis
    shared = tuple(_iter_explanations(block, observations, diagnosis.shown_index))
    return diagnosis._replace(explanations=Explanations((*shared, *diagnosis.explanations)))


def _iter_explanations(
    block: BasicBlock, observations: Sequence[Observation], shown_index: int
) -> Iterator[Explanation]:
    documented = [Trace(block, ISA_MODEL, x.operands) for x in observations]
    for output, constraint, source in _iter_pairs(block):
        shared = _share_register(block, output, source)
        traces = [_trace_shared(block, shared, x, output, source) for x in observations]
        if shared is None or not all(map(_matches, [block] * len(traces), traces, observations)):
            continue
        found = [x for x in traces if x]
        pairs = zip(documented[shown_index].parts, found[shown_index].parts, strict=True)
        changed = [i for i, (x, y) in enumerate(pairs) if _list_sources(x) != _list_sources(y)]
        if not changed:
            continue
        number = changed[0] + 1
        phrase = (
            f"if {output} has the register of {source}, as its constraint `{constraint}` allows; "
            f"write `{constraint.replace('=', '=&')}`"
        )
        subject = f"Statement {number}" if len(block.statements) > 1 else "The instruction"
        yield Explanation(
            (Cause(CauseKind.OPERAND, frozenset(("shared register",)), phrase, 0),),
            block.get_statement(number).instruction,
            ISA_MODEL,
            tuple(x.parts[number - 1].operands for x in found),
            f"{subject} gives this {phrase}.",
            len(observations),
            shown_index=shown_index,
            statement=number,
        )


def _list_sources(part: Trace) -> list[int]:
    """Return the values that a statement reads."""
    return [part.operands[x.role] for x in part.plan.sources]


def _iter_pairs(block: BasicBlock) -> Iterator[tuple[str, str, str]]:
    """Yield the outputs of an asm statement without ``&``, their constraints, and an input."""
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
                        yield output.name, output.constraint, x.name


def _share_register(block: BasicBlock, output: str, source: str) -> BasicBlock | None:
    """Return a block in which an input is the register of an output, None if there is none."""
    ptx = re.sub(rf"{source}(?!\w)", output, "\n".join(block.lines))
    try:
        shared = parse_block(ptx).with_results(block.outputs)
    except PtxError:
        return None
    has_all = block.outputs.keys() <= shared.outputs.keys()
    return shared if has_all and len(shared.statements) == len(block.statements) else None


def _trace_shared(
    block: BasicBlock, shared: BasicBlock | None, given: Observation, output: str, source: str
) -> Trace | None:
    """Return the trace of a block with a shared register on the observed operands."""
    values = {name: given.operands[role] for role, name in block.names.items()
              if role in given.operands}  # fmt: skip
    values = {**values, output: values[source]} if source in values else {}
    if shared is None or any(x.name not in values for x in shared.inputs):
        return None
    own = {role: values[x.name] for x in shared.inputs for role in x.roles}
    return Trace(shared, ISA_MODEL, {**shared.constants, **own})


def _matches(block: BasicBlock, trace: Trace | None, observation: Observation) -> bool:
    if trace is None:
        return False
    results: Mapping[str, int] = trace.result
    names = {place.key: name for name, place in block.outputs.items()}
    return all(x.matches(results[names[role]]) for role, x in observation.observed.items())
