"""Python output: the instruction as a function without imports, for the user's own tests."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.ir.tape import Node, Op
from ...engine.syntax.errors import make_printable
from ...engine.tracing.trace import Trace
from ..content.document import list_traces
from ..options import DEFAULT, Options
from .function_parts import (
    assign,
    group_by_step,
    list_comments,
    list_results,
    make_function_name,
    name_parameters,
)
from .plan_code import Expression, IntegerRangeKind, Precedence, Writer

_KIND = IntegerRangeKind.SIGNED  # integers have any width


class _Python:
    has_kinds = False
    quotient_sign = "//"

    def format_number(self, value: int, kind: IntegerRangeKind) -> Expression:
        text = str(value) if abs(value) < 256 else hex(value)
        return Expression(text, kind, Precedence.UNARY if value < 0 else Precedence.ATOM)

    def convert(self, x: Expression, kind: IntegerRangeKind) -> Expression:  # noqa: ARG002
        return x

    def convert_truth(self, x: Expression) -> Expression:
        return Expression(f"int({x.text})", _KIND, Precedence.ATOM) if x.is_truth else x

    def choose(self, condition: str, x: str, y: str) -> str:
        return f"{x} if {condition} else {y}"

    def write_bound(self, w: Writer, x: Node, lane: int) -> Expression:
        value = w.read(x, 0, lane, _KIND, Precedence.CHOICE)
        if x.op is not Op.CLIP:
            name = "min" if x.op is Op.MINIMUM else "max"
            text = f"{name}({value}, {w.read(x, 1, lane, _KIND, Precedence.CHOICE)})"
        else:
            low, high = (w.format_number(bound, _KIND) for bound in x.fixed)
            text = f"min(max({value}, {low}), {high})"
        return Expression(text, _KIND, Precedence.ATOM)

    def write_absolute(self, w: Writer, x: Node, lane: int) -> Expression:
        return Expression(
            f"abs({w.read(x, 0, lane, _KIND, Precedence.CHOICE)})", _KIND, Precedence.ATOM
        )

    def write_left_shift(self, w: Writer, x: Node, lane: int) -> Expression:
        value, amount = (w.read(x, index, lane, _KIND, Precedence.UNARY) for index in (0, 1))
        return Expression(f"{value} << {amount}", _KIND, Precedence.OTHER)

    def widen_literal(self, text: str) -> str:
        return text

    def write_float_bits(self, w: Writer, x: Node, lane: int) -> Expression:
        value = w.read_name(x, 0, lane, _KIND)
        size = f"abs({value}).bit_length()"
        significand = f"round(abs({value}) / 2.0 ** ({size} - 24))"  # ties to even
        magnitude = f"(((125 + {size}) << 23) + {significand} if {value} else 0)"
        text = f"{magnitude} + (0x80000000 if {value} < 0 else 0)"
        return Expression(text, _KIND, Precedence.SUM)

    def find_type_name(self, bits: int) -> str:  # noqa: ARG002
        return ""


DIALECT = _Python()


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a function of the operands' unsigned bits; with `options.both`, one per answer."""
    return "\n\n".join("\n".join(_write_function(x)) for x in list_traces(trace, options)) + "\n"


def _write_function(trace: Trace) -> Iterator[str]:
    names = name_parameters(trace)
    assignments = assign(trace, DIALECT, names)
    words = ", ".join(f"{name}: int" for name in dict.fromkeys(names.values()))
    yield f"def {make_function_name(trace)}({words}):"
    yield from (f"    # {make_printable(x)}" for x in list_comments(trace, names, "unsigned bits"))
    for title, lines in group_by_step(trace, assignments):
        yield f"    # {make_printable(title)}"
        yield from (f"    {x.name} = {x.expression}" for x in lines)
    yield f"    return {', '.join(list_results(trace, assignments).values()) or None}"
