"""The instruction as a C function (C11 with __int128 where 64 bits don't do)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...engine.isa.types import Type
from ...engine.text.errors import printable
from ...engine.tracing.trace import Trace
from ..document import both_of, document
from ..options import DEFAULT, Options
from .functions import Assignment, assignments, by_stage, function_name, results


class _C:
    def number(self, value: int) -> str:
        if value < 0:
            return f"(-{self.number(-value)})"
        if value < 1 << 31:
            return str(value) if value < 256 else hex(value)
        return f"INT64_C({value:#x})" if value < 1 << 63 else f"(__int128)UINT64_C({value:#x})"

    def choose(self, condition: str, x: str, y: str) -> str:
        return f"({condition} ? {x} : {y})"

    def power(self, exponent: str) -> str:
        return f"(INT64_C(1) << {exponent})"

    def both(self, x: str, y: str) -> str:
        return f"{x} && {y}"

    def either(self, conditions: Iterable[str]) -> str:
        return " || ".join(conditions)

    def truth(self, condition: str) -> str:
        return f"({condition})"

    def read(self, name: str, *, wide: bool) -> str:
        # one wide operand makes an operation on 128-bit numbers
        return f"(__int128){name}" if wide else name

    def float_bits(self, x: str) -> str:
        return f"((union {{ float f; uint32_t u; }}){{ (float){x} }}).u"


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """A function of the operands' bits; with ``options.both`` one for each answer.

    A right shift of a negative number is an arithmetic one in every compiler with __int128.
    """
    functions = ("\n".join(_function(x)) for x in both_of(trace, options))
    return "#include <stdint.h>\n\n" + "\n\n".join(functions) + "\n"


def _function(trace: Trace) -> Iterator[str]:
    doc, ins = document(trace, DEFAULT), trace.instruction
    sources = trace.plan.sources
    # the parameters are widened first, so that every operation is exact
    widened = {x.role: f"{x.role}_" for x in sources}
    found = assignments(trace.plan, _C(), widened)
    written = results(trace, found)
    names = (f"{x.role}: {ins.called(x.role)}" for x in sources)
    yield f"/* {_comment(doc.ptx)}"
    yield f" * model {doc.model}; {doc.source}"
    yield f" * {_comment(', '.join(names))}; bits, predicates 0 or 1 */"
    parameters = [f"{_type(x.type)} {x.role}" for x in sources]
    single = len(written) == 1
    # where a guard may keep old values, p and q are parameters already
    pointers = {role: f"new_{role}" if role in widened else role for role, _ in written}
    if not single:
        parameters += [f"{_type(ins.type_of(role))} *{pointers[role]}" for role, _ in written]
    returned = _type(ins.type_of(written[0][0])) if single else "void"
    yield f"{returned} {function_name(trace)}({', '.join(parameters) or 'void'})"
    yield "{"
    for x in sources:
        yield f"    const {'__int128' if x.type.bits == 64 else 'int64_t'} {x.role}_ = {x.role};"
    for stage, lines in by_stage(found):
        yield f"    /* {stage} */"
        yield from map(_assignment, lines)
    if single:
        yield f"    return ({returned}){written[0][1]};"
    for role, name in written if not single else ():
        yield f"    *{pointers[role]} = ({_type(ins.type_of(role))}){name};"
    used = {name for _, name in written}.union(*(x.reads for x in found))
    yield from (f"    (void){x.name};" for x in found if x.name not in used)
    yield "}"


def _assignment(x: Assignment) -> str:
    return f"    const {'__int128' if x.wide else 'int64_t'} {x.name} = {x.expression};"


def _type(type_: Type) -> str:
    return "int" if type_ is Type.PRED else f"uint{type_.bits}_t"


def _comment(text: str) -> str:
    return printable(text).replace("\\", "/").replace("*/", "* /").replace("/*", "/ *")
