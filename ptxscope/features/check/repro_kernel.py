"""The kernel of a report: one thread, whose operands are in an array, with the values as comments.

Unlike the kernels in which many lines are verified, it has no strides and no thread numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...engine.isa.encodings import cast, format_hex
from ...engine.isa.types import CARRY_REGISTER, ORDER, Role, Type
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS
from ...engine.syntax.instruction import Signature
from ...engine.tracing.basic_block import BasicBlock
from ...engine.tracing.evaluation import make_model_plan

OLDEST_LANGUAGE = ((7, 8), "sm_75")
"""The language of the oldest release that was measured, and the oldest target."""
KERNEL = "repro"
_OLDEST_TARGET = 75
_INDENT = "    "


class ArrayPlace(NamedTuple):
    """The place of an operand or a result in its array."""

    role: str
    name: str
    type: Type
    offset: int


class ReproKernel(NamedTuple):
    """A kernel that shows a fault."""

    ptx: str
    """The complete module."""
    inputs: tuple[ArrayPlace, ...]
    results: tuple[ArrayPlace, ...]

    @property
    def word_bits(self) -> int:
        """The bits of each place in the array of operands."""
        return max((_get_access_bits(x.type) for x in self.inputs), default=0)


def make_repro_kernel(
    block: BasicBlock,
    values: Mapping[str, int],
    results: Mapping[str, tuple[int, int]],
    *,
    has_constants: bool = False,
    target: str = OLDEST_LANGUAGE[1],
) -> ReproKernel:
    """Return the kernel of a block, or raise ValueError if there is none.

    ``results`` has the documented and the compiled bits of the registers to store. With
    ``has_constants``, the operands are literals in the code instead of loads. ``target`` is that of
    the module, if its statements need no later one.
    """
    roles = {name: role for role, name in block.names.items() if name in values}
    inputs = _place(block, roles if has_constants else _map_inputs(block))
    stored_roles = {name: role for role, name in block.results.items() if name in results}
    outputs = _place(block, stored_roles)
    if any(x.name == CARRY_REGISTER for x in (*inputs, *outputs)):
        raise ValueError("an instruction that reads or writes the carry flag has no kernel alone")
    loaded_inputs = () if has_constants else inputs
    loads = _iter_moves(inputs, values) if has_constants else _iter_loads(inputs, values)
    body = (
        *_iter_declarations(block, (*loaded_inputs, *outputs)),
        "",
        *loads,
        *(str(x.instruction) for x in block.statements),
        *_iter_stores(outputs, results),
        "ret;",
    )
    lines = (*_iter_head(block, target), "{", *(f"{_INDENT}{x}".rstrip() for x in body), "}")
    return ReproKernel("\n".join(lines) + "\n", loaded_inputs, outputs)


def _map_inputs(block: BasicBlock) -> dict[str, str]:
    """Return the role of each register that the documentation or an assembler reads."""
    if not block.is_line:
        return {x.name: x.roles[0] for x in block.inputs}
    ins = block.instruction
    models = (ISA_MODEL, *PTXAS_MODELS)
    roles = dict.fromkeys(x.role for model in models for x in make_model_plan(ins, model).sources)
    inputs: dict[str, str] = {}
    for role in sorted(roles, key=lambda x: ORDER[Role(x)]):
        if role not in ins.constants:
            inputs.setdefault(ins.names[role], role)
    return inputs


def _place(signature: Signature, roles: Mapping[str, str]) -> tuple[ArrayPlace, ...]:
    """Return the places of registers, at equal distances.

    Adjacent words could become a single load of 64 bits, whose value is no operand.
    """
    types = {name: signature.type_of(role) for name, role in roles.items()}
    size = max((_get_access_bits(x) // 8 for x in types.values()), default=0)
    return tuple(
        ArrayPlace(role, name, types[name], index * size)
        for index, (name, role) in enumerate(roles.items())
    )


def _get_access_bits(type_: Type) -> int:
    return 32 if type_ is Type.PRED else type_.bits


def _iter_head(block: BasicBlock, target: str) -> Iterator[str]:
    version = OLDEST_LANGUAGE[0]
    for statement in block.statements:
        minimum = statement.instruction.entry.compute_minimum(statement.instruction.form)
        if not minimum.is_met(version, target):
            version = max(version, minimum.version)
            target = minimum.target if minimum.sm_number > _OLDEST_TARGET else target
    yield ".version {}.{}".format(*version)
    yield f".target {target}"
    yield ".address_size 64"
    yield ""
    yield f".visible .entry {KERNEL}(.param .u64 out, .param .u64 in)"


def _iter_declarations(block: BasicBlock, places: Iterable[ArrayPlace]) -> Iterator[str]:
    yield ".reg .b64 to, from;"
    names: dict[str, dict[str, None]] = {}
    for statement in block.statements:
        ins = statement.instruction
        for role, name in ins.names.items():
            if name != CARRY_REGISTER:
                names.setdefault(_format_type(ins.get_written_type(role)), {})[name] = None
    if any(x.type is Type.PRED for x in places):
        names.setdefault("b32", {})["word"] = None
    for type_, registers in names.items():
        yield f".reg .{type_} {', '.join(registers)};"


def _iter_moves(inputs: Iterable[ArrayPlace], values: Mapping[str, int]) -> Iterator[str]:
    yield "ld.param.u64 to, [out];"
    for x in inputs:
        yield f"mov.{_format_type(x.type)} {x.name}, {values.get(x.name, 0):#x};"


def _iter_loads(inputs: Iterable[ArrayPlace], values: Mapping[str, int]) -> Iterator[str]:
    yield "ld.param.u64 to, [out];"
    yield "ld.param.u64 from, [in];"
    for x, load in _align_loads(inputs):
        is_truth = x.type is Type.PRED
        yield f"{load}  // {x.name} = {_format_value(values.get(x.name, 0), x.type)}"
        if is_truth:
            yield f"setp.ne.u32 {x.name}, word, 0;"


def _align_loads(inputs: Iterable[ArrayPlace]) -> Iterator[tuple[ArrayPlace, str]]:
    """Yield each operand with the statement that loads it, all of one width."""
    loads = {}
    for x in inputs:
        register = "b32 word" if x.type is Type.PRED else f"{_format_type(x.type)} {x.name}"
        loads[x] = f"ld.global.{register}, [from{f'+{x.offset}' if x.offset else ''}];"
    width = max(map(len, loads.values()), default=0)
    return ((x, f"{load:<{width}}") for x, load in loads.items())


def _iter_stores(
    outputs: Iterable[ArrayPlace], results: Mapping[str, tuple[int, int]]
) -> Iterator[str]:
    for x in outputs:
        documented, compiled = (format_hex(bits, x.type.bits) for bits in results[x.name])
        register = x.name
        if x.type is Type.PRED:
            register = "word"
            yield f"selp.u32 word, 1, 0, {x.name};"
        place = f"[to{f'+{x.offset}' if x.offset else ''}]"
        store = f"st.global.b{_get_access_bits(x.type)} {place}, {register};"
        yield f"{store}  // documented: {documented}; compiled: {compiled}"


def _format_type(type_: Type) -> str:
    return "pred" if type_ is Type.PRED else f"b{type_.bits}"


def format_negative(bits: int, type_: Type) -> str:
    """Return the number that bits hold if it is negative, or an empty text."""
    number = cast(bits, type_.bits, signed=True) if type_.signed else bits
    return str(number) if number < 0 else ""


def _format_value(bits: int, type_: Type) -> str:
    text, number = format_hex(bits, type_.bits), format_negative(bits, type_)
    return f"{text}, that is {number}" if number else text
