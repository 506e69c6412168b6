"""Calls of functions: which arguments become which parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...engine.program.program import Program
from ...engine.program.statement import Statement
from ...engine.program.statement_operands import ListOperand, Operand, SymbolOperand
from ...engine.program.variables import Variable
from .refusals import Refused


class FunctionCall(NamedTuple):
    """A call of a function whose statements are known."""

    function: Program
    arguments: tuple[tuple[str, str], ...]
    """The names of parameters, each with the caller's variable."""
    results: tuple[tuple[str, str], ...]
    """The names of results, each with the caller's variable."""


def read_call(
    statement: Statement, caller: Program, functions: Mapping[str, Program]
) -> FunctionCall:
    """Return the call of a statement; raise Refused for one that is not compared."""
    operands = list(statement.operands)
    results = operands.pop(0) if operands and isinstance(operands[0], ListOperand) else None
    callee = operands.pop(0) if operands else None
    arguments = operands[0] if operands else ListOperand(())
    if not isinstance(callee, SymbolOperand):
        raise Refused(statement, "calls a function by its address, which is not compared")
    function = functions.get(callee.name)
    if function is None or not function.has_body:
        raise Refused(statement, f"calls {callee.name}, which has no statements here")
    for x in function.statements:
        if x.problems:
            raise Refused(x)
    pairs = []
    for variables, given in ((function.parameters, arguments), (function.results, results)):
        parts = given.parts if isinstance(given, ListOperand) else ()
        if len(parts) != len(variables):
            raise Refused(statement, f"does not fit the parameters of {callee.name}")
        pairs.append(tuple(_iter_pairs(statement, caller, variables, parts)))
    return FunctionCall(function, *pairs)


def _iter_pairs(
    statement: Statement,
    caller: Program,
    variables: Sequence[Variable],
    parts: Sequence[Operand],
) -> Iterator[tuple[str, str]]:
    for variable, part in zip(variables, parts, strict=True):
        name = part.name if isinstance(part, SymbolOperand) and not part.offset else ""
        outer = caller.variables.get(name)
        if not outer or {variable.space, outer.space} != {"param"} or variable.bytes != outer.bytes:
            raise Refused(statement, "passes a value that is no variable in .param memory")
        yield variable.name, name
