"""The instruction, or the block, as a function in C and in Python.

C is C11, with ``__int128`` if 64 bits are too few; Python needs no imports.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from keyword import kwlist

from ...documents.content.document_builder import build_document
from ...documents.options import DEFAULT, Options
from ...engine.ir.tape import Node, Op, get_range
from ...engine.isa.encodings import Range
from ...engine.isa.types import ORDER, Type
from ...engine.micro_operations.properties import Stage
from ...engine.semantics.plan import Plan, Source
from ...engine.syntax.errors import make_printable
from ...engine.tracing.deviation import find_deviation, find_deviations
from ...engine.tracing.step_text import format_stage_title
from ...engine.tracing.trace import Trace
from .plan_code import (
    Assignment,
    Dialect,
    Expression,
    IntegerRangeKind,
    Precedence,
    Writer,
    find_kind,
    find_operation_kind,
    find_shift_kind,
    list_assignments,
)

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
    """Return the assignments of a plan; a value without a name is a literal."""
    literals = {
        role: dialect.format_number(bits, find_kind([Range(bits, bits)])).text
        for role, bits in trace.block.constants.items()
    }
    return list_assignments(trace.plan, dialect, {**literals, **names})


def list_comments(
    trace: Trace, options: Options, names: Mapping[str, str], unit: str
) -> Iterator[str]:
    """Yield the lines of a comment: the computation, its model and its operands."""
    doc, block = build_document(trace, Options(has_version=options.has_version)), trace.block
    yield from doc.ptx.split("\n")
    yield f"model {doc.model}; {doc.ascii_source}"
    registers = {name: block.names[role] for role, name in names.items()}
    operands = ", ".join(f"{name}: {register}" for name, register in registers.items())
    yield f"{operands}; {unit}"
    if len(block.results) > 1 and len(block.statements) > 1:
        yield f"results: {', '.join(block.results.values())}"


def group_by_step(
    trace: Trace, assignments: list[Assignment]
) -> Iterator[tuple[str, list[Assignment]]]:
    """Yield the assignments of each step below its title, which begins with the statement's."""
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


C_DIALECT = _C()


def _list_traces(trace: Trace, options: Options) -> tuple[Trace, ...]:
    """Return the trace, and the other one if both answers are requested and differ."""
    deviation = find_deviation(trace, find_deviations(trace)) if options.both else None
    return (deviation.isa, deviation.other) if deviation else (trace,)


def render_c(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a function of the operands' bits; with `options.both`, one for each answer.

    The code relies on two properties of every compiler with __int128: a right shift of a negative
    number is arithmetic, and a conversion to a signed type keeps the bits.
    """
    functions = ("\n".join(_write_c_function(x, options)) for x in _list_traces(trace, options))
    return "#include <stdint.h>\n\n" + "\n\n".join(functions) + "\n"


def _write_c_function(trace: Trace, options: Options) -> Iterator[str]:
    block, parameters = trace.block, name_parameters(trace)
    # the parameters are widened first, so that every operation is exact
    names = {
        role: name
        if block.type_of(role).bits == 64
        else make_unique(f"{name}_", parameters.values())
        for role, name in parameters.items()
    }
    assignments = assign(trace, C_DIALECT, names)
    results = list_results(trace, assignments)
    comments = list_comments(trace, options, parameters, "bits, predicates 0 or 1")
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
    yield from (f"    const int64_t {names[role]} = {name};" for name, role in roles.items()
                if names[role] != name)  # fmt: skip
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


PYTHON_DIALECT = _Python()


def render_python(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a function of the operands' unsigned bits; with `options.both`, one per answer."""
    return (
        "\n\n".join(
            "\n".join(_write_python_function(x, options)) for x in _list_traces(trace, options)
        )
        + "\n"
    )


def _write_python_function(trace: Trace, options: Options) -> Iterator[str]:
    names = name_parameters(trace)
    assignments = assign(trace, PYTHON_DIALECT, names)
    words = ", ".join(f"{name}: int" for name in dict.fromkeys(names.values()))
    yield f"def {make_function_name(trace)}({words}):"
    comments = list_comments(trace, options, names, "unsigned bits")
    yield from (f"    # {make_printable(x)}" for x in comments)
    for title, lines in group_by_step(trace, assignments):
        yield f"    # {make_printable(title)}"
        yield from (f"    {x.name} = {x.expression}" for x in lines)
    yield f"    return {', '.join(list_results(trace, assignments).values()) or None}"
