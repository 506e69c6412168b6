"""A Plan as a small function in another language, written row by row from micro-operations.

This module has the common part: one expression for each lane and kind of micro-operation. A Dialect
has the differences between the languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from itertools import groupby
from typing import Any, Protocol

from ...engine.isa.integers import Range, get_limits
from ...engine.isa.roles import ORDER, Role
from ...engine.isa.types import BoolOp, Cmp
from ...engine.records import NamedTuple
from ...engine.semantics import micro_operations as m
from ...engine.semantics.micro_operation import MicroOperation
from ...engine.semantics.plan import Plan, Row, Source, Stage
from ...engine.tracing.trace import Trace


class IntegerRangeKind(Enum):
    """An integer type that holds every value of a variable, or of the parts of an expression."""

    SIGNED = "64 bits with a sign"
    UNSIGNED = "64 bits without"
    WIDE = "more than 64 bits"


def find_kind(ranges: Iterable[Range]) -> IntegerRangeKind:
    """Return the narrowest kind that holds all ranges, the signed one first."""
    range_list = list(ranges)
    if all(range_.fits_in(64, signed=True) for range_ in range_list):
        return IntegerRangeKind.SIGNED
    return (
        IntegerRangeKind.UNSIGNED
        if all(x.fits_in(64, signed=False) for x in range_list)
        else IntegerRangeKind.WIDE
    )


class Dialect(Protocol):
    """The syntax of a language."""

    def with_kind(self, kind: IntegerRangeKind) -> Dialect:
        """Return the dialect for an expression of a kind."""

    def number(self, value: int) -> str:
        """Format an integer literal."""

    def choose(self, condition: str, x: str, y: str) -> str:
        """Format x if the condition holds, otherwise y."""

    def format_power(self, exponent: str) -> str:
        """Format 2 to the power of an expression of at most 32."""

    def format_and(self, x: str, y: str) -> str:
        """Format the conjunction of two conditions."""

    def format_or(self, conditions: Iterable[str]) -> str:
        """Format the disjunction of conditions."""

    def format_truth(self, condition: str) -> str:
        """Format a condition as 1 or 0."""

    def read(self, name: str, kind: IntegerRangeKind) -> str:
        """Format a variable of a kind as a part of the expression."""

    def format_low64(self, x: str, is_signed: bool) -> str:
        """Format the low 64 bits of an operand of the expression, signed or unsigned."""

    def convert(self, expression: str, kind: IntegerRangeKind) -> str:
        """Format a conversion of the expression to another kind that holds its value."""

    def format_float_bits(self, x: str) -> str:
        """Format the binary32 pattern of a variable that holds an integer of at most 32 bits."""


class Assignment(NamedTuple):
    """An assignment ``name = expression``."""

    name: str
    expression: str
    kind: IntegerRangeKind
    """Type that holds every value of the variable."""
    stage: Stage
    row: str
    """Key of the row."""
    reads: tuple[str, ...]
    """Variables in the expression."""


_RELATIONS = {Cmp.EQ: "==", Cmp.NE: "!=", Cmp.LT: "<", Cmp.LE: "<=", Cmp.GT: ">", Cmp.GE: ">="}


def list_parameters(plan: Plan) -> list[Source]:
    """Return the parameters of a function: a, b, c in order, a guard, old values."""
    return sorted(plan.sources, key=lambda source: ORDER[Role(source.role)])


def list_assignments(plan: Plan, dialect: Dialect, names: dict[str, str]) -> list[Assignment]:
    """Return a statement for each lane of the plan's rows; `names` has the parameters by role."""
    variables = {role: [name] for role, name in names.items()}
    ranges = {names[x.role]: get_limits(x.type.bits, signed=False) for x in plan.sources}
    assignments = []
    for row in plan.rows:
        base = row.key.replace(".", "_")
        lanes = [base] if row.lanes == 1 else [f"{base}{lane}" for lane in range(row.lanes)]
        for lane, name in enumerate(lanes):
            reads = _list_read_variables(row, [variables[key] for key in row.inputs], lane)
            input_ranges = [ranges[variable] for variable in reads]
            micro = _drop_idle_bound(row.micro, input_ranges)
            # a truncation to 64 bits reads its operand unchanged
            all_ranges = input_ranges if _is_cut_to_64(micro) else [*input_ranges, row.range]
            d = dialect.with_kind(find_kind(all_ranges))
            x = [d.read(variable, find_kind([ranges[variable]])) for variable in reads]
            expression = _strip_brackets(_LANES[type(micro)](d, micro, x, lane))
            kind = find_kind([row.range])
            if kind is not find_kind(all_ranges) and not _has_own_kind(micro):
                expression = d.convert(expression, kind)
            assignments.append(Assignment(name, expression, kind, row.stage, row.key, tuple(reads)))
        variables[row.key] = lanes
        ranges |= dict.fromkeys(lanes, row.range)
    return assignments


def _drop_idle_bound(micro: MicroOperation, inputs: list[Range]) -> MicroOperation:
    """Drop a lower bound that no value can reach."""
    if isinstance(micro, m.Clamp) and micro.low is not None and micro.low <= inputs[0].low:
        return m.Clamp(None, micro.high)
    return micro


def _is_cut_to_64(micro: MicroOperation) -> bool:
    return isinstance(micro, m.Wrap) and micro.bits == 64


def _has_own_kind(micro: MicroOperation) -> bool:
    """Whether the kind of an expression does not depend on its operands: a truth, or 64 bits."""
    return isinstance(micro, m.Compare) or _is_cut_to_64(micro)


def group_by_stage(assignments: list[Assignment]) -> list[tuple[Stage, list[Assignment]]]:
    """Group the assignments by stage."""
    return [(stage, list(group)) for stage, group in groupby(assignments, key=lambda x: x.stage)]


def list_results(trace: Trace, assignments: list[Assignment]) -> list[tuple[str, str]]:
    """Return role and variable of every destination that is kept."""
    names = {x.row: x.name for x in assignments}
    kept_roles = trace.instruction.results
    return [(x.role, names[x.key]) for x in trace.plan.results if x.role in kept_roles]


def make_function_name(trace: Trace) -> str:
    """Return ``vadd4_s32_s32_u32_sat``, with all selectors, and the model unless it is ``isa``."""
    form = trace.instruction.form
    parts = [trace.instruction.mnemonic]
    parts += [f"{slot}_{form.get(slot)}" for slot in ("dsel", "mask", "asel", "bsel")
              if form.get(slot) is not None]  # fmt: skip
    parts += [slot for slot in ("nega", "negb", "negc") if form.get(slot)]
    if trace.model.errata:
        parts.append(trace.model.name)
    return re.sub(r"\W+", "_", "_".join(parts))


def _list_read_variables(row: Row, inputs: Sequence[list[str]], lane: int) -> list[str]:
    """Return the variables of the inputs that a lane reads."""
    match row.micro:
        case m.Select() as select:
            word, _ = select.picks[lane]
            return inputs[word]
        case m.Pack():
            return inputs[0]
        case m.Accumulate() as accumulate:
            lanes, (c,) = inputs
            return [c, *(lanes[index] for index in accumulate.lanes)]
        case m.Merge() as merge:
            inputs = inputs[:1] if lane in merge.lanes else inputs[1:]
    return [names[lane if len(names) > 1 else 0] for names in inputs]


def _strip_brackets(expression: str) -> str:
    """Strip brackets that enclose the whole expression."""
    depth = 0
    for index, char in enumerate(expression):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            is_enclosed = index == len(expression) - 1 and expression[0] == "("
            return expression[1:-1] if is_enclosed else expression
    return expression


def _format_low_bits(d: Dialect, x: str, bits: int) -> str:
    if bits == 64:
        return d.format_low64(x, is_signed=False)
    return f"({x} & {d.number((1 << bits) - 1)})"


def _format_part(d: Dialect, x: str, unit: int, index: int) -> str:
    return _format_low_bits(d, f"({x} >> {unit * index})" if index else x, unit)


def _format_read(d: Dialect, x: str, bits: int, is_signed: bool) -> str:
    if not is_signed:
        return _format_low_bits(d, x, bits)
    if bits == 64:
        return d.format_low64(x, is_signed=True)
    top = d.number(1 << (bits - 1))
    return f"(({_format_low_bits(d, x, bits)} ^ {top}) - {top})"


def _select(d: Dialect, micro: m.Select, x: list[str], lane: int) -> str:
    _, index = micro.picks[lane]
    return _format_part(d, x[0], micro.unit, index)


def _merge(d: Dialect, micro: m.Merge, x: list[str], lane: int) -> str:
    if lane not in micro.lanes:
        return _format_part(d, x[0], micro.unit, lane)
    return _format_low_bits(d, _format_part(d, x[0], 16, 1) if micro.high else x[0], micro.unit)


def _format_pack(_: Dialect, micro: m.Pack, x: list[str], _lane: int) -> str:
    parts = [f"({y} << {micro.unit * index})" if index else y for index, y in enumerate(x)]
    return " | ".join(reversed(parts))


def _format_absolute(d: Dialect, _: MicroOperation, x: list[str], _lane: int) -> str:
    return d.choose(f"{x[0]} < {x[1]}", f"{x[1]} - {x[0]}", f"{x[0]} - {x[1]}")


def _format_magnitude(d: Dialect, micro: m.Magnitude, x: list[str], _lane: int) -> str:
    minimum = d.number(get_limits(micro.bits, signed=True).low)
    return d.choose(d.format_and(f"{x[0]} < 0", f"{x[0]} != {minimum}"), f"-{x[0]}", x[0])


def _format_average(d: Dialect, _: MicroOperation, x: list[str], _lane: int) -> str:
    total = f"{x[0]} + {x[1]}"
    return f"({total} + {d.format_truth(f'{total} >= 0')}) >> 1"


def _format_amount(d: Dialect, micro: m.LimitAmount, x: list[str], _lane: int) -> str:
    return f"{x[0]} & 31" if micro.wrap else d.choose(f"{x[0]} < 32", x[0], "32")


def _clamp(d: Dialect, micro: m.Clamp, x: list[str], _lane: int) -> str:
    expression = x[0]
    if micro.high is not None:
        high = d.number(micro.high)
        expression = d.choose(f"{x[0]} > {high}", high, expression)
    if micro.low is not None:
        low = d.number(micro.low)
        expression = d.choose(f"{x[0]} < {low}", low, expression)
    return expression


def _flush(d: Dialect, _: MicroOperation, x: list[str], _lane: int) -> str:
    small = f"{_format_low_bits(d, x[0], 31)} < {d.number(1 << 23)}"
    return d.choose(small, f"{x[0]} & {d.number(1 << 31)}", x[0])


def _compare(d: Dialect, micro: m.Compare, x: list[str], _lane: int) -> str:
    cmp, type_ = micro.cmp, micro.type
    sign = _RELATIONS.get(m.RELATIONS.get(cmp, cmp), "")
    if type_ is None or not type_.is_float:
        operands = x if type_ is None else [_format_read(d, v, type_.bits, type_.signed) for v in x]
        return d.format_truth(f"{operands[0]} {sign} {(*operands, '0')[1]}")
    bits = type_.bits
    infinity = d.number(m.get_infinity(bits))
    nan = d.format_truth(d.format_or(f"{_format_low_bits(d, v, bits - 1)} > {infinity}" for v in x))
    if cmp in (Cmp.NAN, Cmp.NUM):
        return nan if cmp is Cmp.NAN else f"1 - {nan}"
    magnitudes = [_format_low_bits(d, v, bits - 1) for v in x]
    if bits == 64:
        magnitudes = [d.format_low64(v, is_signed=True) for v in magnitudes]
    ordered = [
        d.choose(f"{v} >> {bits - 1}", f"-{magnitude}", magnitude)
        for v, magnitude in zip(x, magnitudes, strict=True)
    ]
    comparison = d.format_truth(f"{ordered[0]} {sign} {(*ordered, '0')[1]}")
    return f"{comparison} | {nan}" if cmp in m.UNORDERED else f"{comparison} & (1 - {nan})"


def _format_combination(_: Dialect, micro: m.Combine, x: list[str], _lane: int) -> str:
    sign = {BoolOp.AND: "&", BoolOp.OR: "|", BoolOp.XOR: "^"}[micro.boolop]
    return f"{x[0]} {sign} {x[1]}"


_LANES: dict[type, Callable[[Dialect, Any, list[str], int], str]] = {
    m.Select: _select,
    m.Merge: _merge,
    m.Pack: _format_pack,
    m.Accumulate: lambda _d, _m, x, _: " + ".join(x),
    m.Extend: lambda d, micro, x, _: _format_read(d, x[0], micro.bits, micro.signed),
    m.Wrap: lambda d, micro, x, _: _format_read(d, x[0], micro.bits, micro.signed),
    m.Truncate: lambda d, micro, x, _: _format_low_bits(d, x[0], micro.bits),
    m.Add: lambda _d, _m, x, _: f"{x[0]} + {x[1]}",
    m.Subtract: lambda _d, _m, x, _: f"{x[0]} - {x[1]}",
    m.Multiply: lambda _d, _m, x, _: f"{x[0]} * {x[1]}",
    m.AbsoluteDifference: _format_absolute,
    m.Minimum: lambda d, _m, x, _: d.choose(f"{x[0]} < {x[1]}", x[0], x[1]),
    m.Maximum: lambda d, _m, x, _: d.choose(f"{x[0]} > {x[1]}", x[0], x[1]),
    m.Average: _format_average,
    m.LimitAmount: _format_amount,
    # C leaves the left shift of a negative number undefined
    m.ShiftLeft: lambda d, _m, x, _: f"{x[0]} * {d.format_power(x[1])}",
    m.ShiftRight: lambda _d, _m, x, _: f"{x[0]} >> {x[1]}",
    m.ScaleDown: lambda _d, micro, x, _: f"{x[0]} >> {micro.amount}",
    m.Negate: lambda _d, _m, x, _: f"-{x[0]}",
    m.Magnitude: _format_magnitude,
    m.ToBits: lambda d, micro, x, _: _format_low_bits(d, x[0], micro.bits),
    m.ToFloat: lambda d, _m, x, _: d.format_float_bits(x[0]),
    m.PlusOne: lambda _d, _m, x, _: f"{x[0]} + 1",
    m.Clamp: _clamp,
    m.Flush: _flush,
    m.Compare: _compare,
    m.Not: lambda _d, _m, x, _: f"1 - {x[0]}",
    m.Combine: _format_combination,
    m.Choose: lambda d, _m, x, _: d.choose(x[0], x[1], x[2]),
    m.Encode: lambda d, micro, x, _: f"{x[0]} * {d.number(micro.true)}",
}
