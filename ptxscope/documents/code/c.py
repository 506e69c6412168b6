"""C output: the instruction as a function (C11, with __int128 if 64 bits are too few)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.ir.tape import Node, Op, get_range
from ...engine.isa.encodings import Range
from ...engine.isa.types import Type
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
    make_unique,
    name_parameters,
    name_results,
)
from .plan_code import (
    Assignment,
    Expression,
    IntegerRangeKind,
    Precedence,
    Writer,
    find_kind,
    find_operation_kind,
    find_shift_kind,
)

_INT_LITERAL = re.compile("-?(0x[0-9a-f]+|[0-9]+)")
_TYPES = {
    IntegerRangeKind.SIGNED: "int64_t",
    IntegerRangeKind.UNSIGNED: "uint64_t",
    IntegerRangeKind.WIDE: "__int128",
    IntegerRangeKind.WIDE_UNSIGNED: "unsigned __int128",
}


class _C:
    has_kinds = True
    quotient_sign = "/"

    def format_number(self, value: int, kind: IntegerRangeKind) -> Expression:
        if value < 0:
            # the least number of a type is not a literal
            is_least = value in (-1 << 63, -1 << 127)
            text = self.format_number(-value - is_least, kind).text
            return Expression(
                f"-{text} - 1" if is_least else f"-{text}",
                kind,
                Precedence.SUM if is_least else Precedence.UNARY,
            )
        if value < 1 << 31:
            text = str(value) if value < 256 else hex(value)
        elif kind is IntegerRangeKind.UNSIGNED:
            text = f"UINT64_C({value:#x})"
        elif value < 1 << 63:
            text = f"INT64_C({value:#x})"
        elif value < 1 << 64:
            text = f"(__int128)UINT64_C({value:#x})"
        else:
            text = f"((__int128){value >> 64:#x} << 64 | UINT64_C({value % (1 << 64):#x}))"
        return Expression(text, kind, Precedence.ATOM)

    def convert(self, x: Expression, kind: IntegerRangeKind) -> Expression:
        if kind is x.kind:
            return x
        # C converts a signed number beside an unsigned one, and loses its sign
        text = x.text if x.level <= Precedence.UNARY else f"({x.text})"
        return Expression(f"({_TYPES[kind]}){text}", kind, Precedence.UNARY)

    def convert_truth(self, x: Expression) -> Expression:
        return x

    def choose(self, condition: str, x: str, y: str) -> str:
        return f"{condition} ? {x} : {y}"

    def write_bound(self, w: Writer, x: Node, lane: int) -> Expression:
        if x.op is not Op.CLIP:
            kind = find_kind(get_range(y) for y in x.args)
            a, b = (w.read_name(x, index, lane, kind) for index in (0, 1))
            sign = "<" if x.op is Op.MINIMUM else ">"
            return Expression(self.choose(f"{a} {sign} {b}", a, b), kind, Precedence.CHOICE)
        values, (low, high) = get_range(x.args[0]), x.fixed
        has_sign = find_kind([values]) is not IntegerRangeKind.UNSIGNED
        low = low if has_sign else max(low, 0)
        kind = find_kind((values, Range(low, high)))
        value = w.read_name(x, 0, lane, kind)
        low_text, high_text = (w.format_number(bound, kind) for bound in (low, high))
        upper = self.choose(f"{value} > {high_text}", high_text, value)
        if not has_sign and low == 0:  # a comparison with 0 would be a warning
            return Expression(upper, kind, Precedence.CHOICE)
        text = self.choose(f"{value} < {low_text}", low_text, f"({upper})")
        return Expression(text, kind, Precedence.CHOICE)

    def write_absolute(self, w: Writer, x: Node, lane: int) -> Expression:
        (y,) = x.nodes
        if y.op is Op.SUBTRACT:
            kind = find_operation_kind(y)
            a, b = (w.read_name(y, index, lane, kind) for index in (0, 1))
            text = self.choose(f"{a} < {b}", f"{b} - {a}", f"{a} - {b}")
        else:
            kind = find_operation_kind(x)
            value = w.read_name(x, 0, lane, kind)
            text = self.choose(f"{value} < 0", f"-{value}", value)
        return Expression(text, kind, Precedence.CHOICE)

    def write_left_shift(self, w: Writer, x: Node, lane: int) -> Expression:
        """Multiply by a power: C leaves the left shift of a negative number undefined."""
        kind = find_shift_kind(x)
        value = w.read(x, 0, lane, kind, Precedence.PRODUCT)
        amount = w.read(x, 1, lane, IntegerRangeKind.SIGNED, Precedence.UNARY)
        one = self.convert(Expression("1", IntegerRangeKind.SIGNED, Precedence.ATOM), kind).text
        one = "INT64_C(1)" if kind is IntegerRangeKind.SIGNED else one
        return Expression(f"{value} * ({one} << {amount})", kind, Precedence.PRODUCT)

    def widen_literal(self, text: str) -> str:
        """Give an ``int`` literal 64 bits: C leaves a shift by its width or more undefined."""
        return f"INT64_C({text})" if _INT_LITERAL.fullmatch(text) else text

    def write_float_bits(self, w: Writer, x: Node, lane: int) -> Expression:
        value = w.read(x, 0, lane, IntegerRangeKind.SIGNED, Precedence.UNARY)
        text = f"((union {{ float f; uint32_t u; }}){{ (float){value} }}).u"
        return Expression(text, IntegerRangeKind.SIGNED, Precedence.ATOM)

    def find_type_name(self, bits: int) -> str:
        return f"int{bits}_t" if bits in (8, 16, 32) else ""


DIALECT = _C()


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a function of the operands' bits; with `options.both`, one for each answer.

    The code relies on two properties of every compiler with __int128: a right shift of a negative
    number is arithmetic, and a conversion to a signed type keeps the bits.
    """
    functions = ("\n".join(_write_function(x)) for x in list_traces(trace, options))
    return "#include <stdint.h>\n\n" + "\n\n".join(functions) + "\n"


def _write_function(trace: Trace) -> Iterator[str]:
    block, parameters = trace.block, name_parameters(trace)
    # the parameters are widened first, so that every operation is exact
    names = {
        role: name
        if block.type_of(role).bits == 64
        else make_unique(f"{name}_", parameters.values())
        for role, name in parameters.items()
    }
    assignments = assign(trace, DIALECT, names)
    results = list_results(trace, assignments)
    comments = list_comments(trace, parameters, "bits, predicates 0 or 1")
    text = "\n * ".join(map(format_comment, comments))
    yield f"/* {text} */"
    types = {role: format_type(block.type_of(role)) for role in (*names, *results)}
    roles = {name: role for role, name in parameters.items()}
    words = [f"{types[role]} {name}" for name, role in roles.items()]
    is_single = len(results) == 1
    # p and q are already parameters if a guard may keep their old values
    pointers = name_results(trace, {*parameters.values(), *names.values()})
    if not is_single:
        words += [f"{types[role]} *{name}" for role, name in pointers.items()]
    return_type = types[next(iter(results))] if is_single else "void"
    yield f"{return_type} {make_function_name(trace)}({', '.join(words) or 'void'})"
    yield "{"
    yield from (f"    const int64_t {names[x]} = {name};" for name, x in roles.items()
                if names[x] != name)  # fmt: skip
    for title, lines in group_by_step(trace, assignments):
        yield f"    /* {format_comment(title)} */"
        yield from map(format_assignment, lines)
    used_names = {*results.values()}.union(*(x.reads for x in assignments))
    variables = (*(names[x] for x in roles.values()), *(x.name for x in assignments))
    yield from (f"    (void){name};" for name in variables if name not in used_names)
    for role, name in results.items():
        value = f"({types[role]}){name};"
        yield f"    return {value}" if is_single else f"    *{pointers[role]} = {value}"
    yield "}"


def format_assignment(x: Assignment) -> str:
    """Return the declaration of a variable with its value."""
    return f"    const {_TYPES[x.kind]} {x.name} = {x.expression};"


def format_type(type_: Type) -> str:
    """Return the C type of an operand."""
    return "int" if type_ is Type.PRED else f"uint{type_.bits}_t"


def format_comment(text: str) -> str:
    """Return a text without the marks of comments."""
    return make_printable(text).replace("\\", "/").replace("*/", "* /").replace("/*", "/ *")
