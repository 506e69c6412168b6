"""C output: the instruction as a function (C11, with __int128 if 64 bits are too few)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...engine.isa.types import Type
from ...engine.records import NamedTuple
from ...engine.syntax.errors import make_printable
from ...engine.tracing.trace import Trace
from ..content.document import build_document, list_traces
from ..options import DEFAULT, Options
from .plan_code import (
    Assignment,
    IntegerRangeKind,
    group_by_stage,
    list_assignments,
    list_parameters,
    list_results,
    make_function_name,
)

_TYPES = {
    IntegerRangeKind.SIGNED: "int64_t",
    IntegerRangeKind.UNSIGNED: "uint64_t",
    IntegerRangeKind.WIDE: "__int128",
}


class _C(NamedTuple):
    kind: IntegerRangeKind = IntegerRangeKind.SIGNED

    def with_kind(self, kind: IntegerRangeKind) -> _C:
        return _C(kind)

    def number(self, value: int) -> str:
        if value < 0:
            return f"(-{self.number(-value)})"
        if value < 1 << 31:
            return str(value) if value < 256 else hex(value)
        if self.kind is IntegerRangeKind.UNSIGNED:
            return f"UINT64_C({value:#x})"
        return f"INT64_C({value:#x})" if value < 1 << 63 else f"(__int128)UINT64_C({value:#x})"

    def choose(self, condition: str, x: str, y: str) -> str:
        return f"({condition} ? {x} : {y})"

    def format_power(self, exponent: str) -> str:
        return f"({'U' * (self.kind is IntegerRangeKind.UNSIGNED)}INT64_C(1) << {exponent})"

    def format_and(self, x: str, y: str) -> str:
        return f"{x} && {y}"

    def format_or(self, conditions: Iterable[str]) -> str:
        return " || ".join(conditions)

    def format_truth(self, condition: str) -> str:
        return f"({condition})"

    def read(self, name: str, kind: IntegerRangeKind) -> str:
        # C converts a signed number beside an unsigned one, and loses its sign
        return name if kind is self.kind else f"({_TYPES[self.kind]}){name}"

    def format_low64(self, x: str, is_signed: bool) -> str:
        if not is_signed and self.kind is IntegerRangeKind.UNSIGNED:
            return x
        return f"({'' if is_signed else 'u'}int64_t){x}"

    def convert(self, expression: str, kind: IntegerRangeKind) -> str:
        return f"({_TYPES[kind]})({expression})"

    def format_float_bits(self, x: str) -> str:
        return f"((union {{ float f; uint32_t u; }}){{ (float){x} }}).u"


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render a function of the operands' bits; with `options.both`, one for each answer.

    The code relies on two properties of every compiler with __int128: a right shift of a negative
    number is arithmetic, and a conversion to a signed type keeps the bits.
    """
    functions = ("\n".join(_write_function(x)) for x in list_traces(trace, options))
    return "#include <stdint.h>\n\n" + "\n\n".join(functions) + "\n"


def _write_function(trace: Trace) -> Iterator[str]:
    doc, ins = build_document(trace), trace.instruction
    sources = list_parameters(trace.plan)
    # the parameters are widened first, so that every operation is exact
    names = {x.role: x.role if x.type.bits == 64 else f"{x.role}_" for x in sources}
    assignments = list_assignments(trace.plan, _C(), names)
    results = list_results(trace, assignments)
    names_by_role = (f"{x.role}: {ins.format_operand(x.role)}" for x in sources)
    yield f"/* {_format_comment(doc.ptx)}"
    yield f" * model {doc.model}; {doc.source}"
    yield f" * {_format_comment(', '.join(names_by_role))}; bits, predicates 0 or 1 */"
    parameters = [f"{_format_type(x.type)} {x.role}" for x in sources]
    is_single = len(results) == 1
    # p and q are already parameters if a guard may keep their old values
    pointers = {role: f"new_{role}" if role in names else role for role, _ in results}
    if not is_single:
        parameters += [
            f"{_format_type(ins.type_of(role))} *{pointers[role]}" for role, _ in results
        ]
    return_type = _format_type(ins.type_of(results[0][0])) if is_single else "void"
    yield f"{return_type} {make_function_name(trace)}({', '.join(parameters) or 'void'})"
    yield "{"
    yield from (f"    const int64_t {names[x.role]} = {x.role};" for x in sources
                if names[x.role] != x.role)  # fmt: skip
    for stage, lines in group_by_stage(assignments):
        yield f"    /* {stage} */"
        yield from map(_format_assignment, lines)
    used_names = {name for _, name in results}.union(*(x.reads for x in assignments))
    yield from (f"    (void){x.name};" for x in assignments if x.name not in used_names)
    if is_single:
        yield f"    return ({return_type}){results[0][1]};"
    for role, name in results if not is_single else ():
        yield f"    *{pointers[role]} = ({_format_type(ins.type_of(role))}){name};"
    yield "}"


def _format_assignment(x: Assignment) -> str:
    return f"    const {_TYPES[x.kind]} {x.name} = {x.expression};"


def _format_type(type_: Type) -> str:
    return "int" if type_ is Type.PRED else f"uint{type_.bits}_t"


def _format_comment(text: str) -> str:
    return make_printable(text).replace("\\", "/").replace("*/", "* /").replace("/*", "/ *")
