"""Python output: the instruction as a function without imports, for the user's own tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...engine.syntax.errors import make_printable
from ...engine.tracing.trace import Trace
from ..content.document import build_document, list_traces
from ..options import DEFAULT, Options
from .plan_code import (
    IntegerRangeKind,
    group_by_stage,
    list_assignments,
    list_parameters,
    list_results,
    make_function_name,
)


class _Python:
    def with_kind(self, kind: IntegerRangeKind) -> _Python:  # noqa: ARG002 - integers have any width
        return self

    def number(self, value: int) -> str:
        return str(value) if abs(value) < 256 else hex(value)

    def choose(self, condition: str, x: str, y: str) -> str:
        return f"({x} if {condition} else {y})"

    def format_power(self, exponent: str) -> str:
        return f"(1 << {exponent})"

    def format_and(self, x: str, y: str) -> str:
        return f"{x} and {y}"

    def format_or(self, conditions: Iterable[str]) -> str:
        return " or ".join(conditions)

    def format_truth(self, condition: str) -> str:
        return f"int({condition})"

    def read(self, name: str, kind: IntegerRangeKind) -> str:  # noqa: ARG002
        return name

    def format_low64(self, x: str, is_signed: bool) -> str:
        low = f"({x} & {(1 << 64) - 1:#x})"
        return f"(({low} ^ {1 << 63:#x}) - {1 << 63:#x})" if is_signed else low

    def convert(self, expression: str, kind: IntegerRangeKind) -> str:  # noqa: ARG002
        return expression

    def format_float_bits(self, x: str) -> str:
        size = f"abs({x}).bit_length()"
        significand = f"round(abs({x}) / 2.0 ** ({size} - 24))"  # ties to even
        magnitude = f"(((125 + {size}) << 23) + {significand} if {x} else 0)"
        return f"{magnitude} + (0x80000000 if {x} < 0 else 0)"


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a function of the operands' unsigned bits; with `options.both`, one per answer."""
    return "\n\n".join("\n".join(_write_function(x)) for x in list_traces(trace, options)) + "\n"


def _write_function(trace: Trace) -> Iterator[str]:
    doc, ins = build_document(trace), trace.instruction
    names = {source.role: source.role for source in list_parameters(trace.plan)}
    assignments = list_assignments(trace.plan, _Python(), names)
    operand_names = [f"{role}: {make_printable(ins.format_operand(role))}" for role in names]
    yield f"def {make_function_name(trace)}({', '.join(f'{role}: int' for role in names)}):"
    yield f"    # {doc.ptx}"
    yield f"    # model {doc.model}; {doc.source}"
    yield f"    # {', '.join(operand_names)}; unsigned bits"
    for stage, lines in group_by_stage(assignments):
        yield f"    # {stage}"
        yield from (f"    {x.name} = {x.expression}" for x in lines)
    yield f"    return {', '.join(name for _, name in list_results(trace, assignments)) or None}"
