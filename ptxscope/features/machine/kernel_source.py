"""A kernel in PTX around a block of one or more statements: operands are loaded, results stored.

Each thread has its own part of the arrays, so that no operand is known to the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import count
from typing import NamedTuple

from ...engine.isa.types import CARRY_REGISTER, Type
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS
from ...engine.syntax.instruction import Instruction, Signature
from ...engine.tracing.basic_block import BasicBlock, make_block
from ...engine.tracing.evaluation import make_model_plan
from ...sources.source_programs import load

STRIDE = 64
"""The bytes of each thread in the arrays of operands and of results, unless it needs more."""
THREAD = 3
"""The number of the thread that is run, if each has its own part of the arrays."""
PARAMETER_BYTES = 16
"""The bytes of the parameters: two pointers, to results and operands."""
_SLOT_BYTES = 8
_OWN_NAMES = ("results", "operands", "to", "from", "place", "thread", "word", "in", "out")
"""The parameters and registers of the kernel itself, and of the kernel of a report."""
_LEGAL_NAME = re.compile(r"[A-Za-z][\w$]*+|[_$%][A-Za-z_$][\w$]*+")
_WORD = re.compile(r"(?<![\w$%.])[%$]?[A-Za-z_\d$][\w$]*+")
_GUARD = re.compile(r"@!?([%$]?[A-Za-z_\d$][\w$]*+)")


class ParameterSlot(NamedTuple):
    """The place of an operand or a result in the part of a thread."""

    role: str
    name: str
    """The register's name in the block; in a line, its role."""
    type: Type
    offset: int


class KernelSource(NamedTuple):
    """A kernel for a block, or for code that computes the same."""

    program: BasicBlock
    """The block; a line has the registers of the kernel."""
    inputs: tuple[ParameterSlot, ...]
    results: tuple[ParameterSlot, ...]
    names: Mapping[str, str]
    """The registers as written, by role."""
    thread: int = THREAD
    """The number of the thread that is run."""

    @property
    def ins(self) -> Instruction:
        """The instruction; raise ValueError for a block of several."""
        return self.program.instruction

    @property
    def stride(self) -> int:
        """The bytes of each thread in the arrays, a power of 2."""
        size = _SLOT_BYTES * max(len(self.inputs), len(self.results))
        return max(STRIDE, 1 << (size - 1).bit_length())

    def format_ptx(self, name: str) -> str:
        """Return the kernel as PTX, without the module's header."""
        return "\n".join(_iter_lines(self, name))


def make_kernel_source(program: Instruction | BasicBlock) -> KernelSource:
    """Return the kernel of an instruction or a block; raise ValueError if it can have none."""
    if isinstance(program, Instruction):
        return _make_line_source(program)
    if program.is_line:
        return _make_line_source(program.instruction)
    _check_block(program)
    return make_block_source(program)


def _make_line_source(ins: Instruction) -> KernelSource:
    renamed = ins.with_role_names()
    roles: dict[str, None] = {}
    for model in (ISA_MODEL, *PTXAS_MODELS):
        roles |= dict.fromkeys(x.role for x in make_model_plan(renamed, model).sources)
    names = renamed.names
    inputs = dict[str, str]()
    for role in roles:
        if role not in renamed.constants:
            inputs.setdefault(names[role], role)
    results = {names[role]: role for role in renamed.results}
    written = {str(role): name for role, name in ins.names.items()}
    slots, result_slots = (tuple(_place(renamed, x)) for x in (inputs, results))
    return KernelSource(make_block(renamed), slots, result_slots, written)


def make_block_source(block: BasicBlock) -> KernelSource:
    """Return the kernel of a block, or of code that computes the same and has a text of its own."""
    inputs = {name: role for role, name in block.names.items()}
    results = {name: role for role, name in block.results.items()}
    slots, result_slots = (tuple(_place(block, x)) for x in (inputs, results))
    return KernelSource(block, slots, result_slots, {**block.names, **block.results})


def _place(ins: Signature, names: Mapping[str, str]) -> Iterator[ParameterSlot]:
    for index, (name, role) in enumerate(names.items()):
        yield ParameterSlot(role, name, ins.type_of(role), index * _SLOT_BYTES)


def _check_block(block: BasicBlock) -> None:
    """Raise ValueError for a block whose text, in a kernel, would not be the same computation."""
    if block.guards:
        raise ValueError("a branch leaves the block")
    if block.outer_accesses:
        raise ValueError("the block accesses memory or special registers")
    types = _map_registers(block)
    if wide := next((x for x, type_ in types.items() if type_.bits > _SLOT_BYTES * 8), ""):
        raise ValueError(f"{wide} has {types[wide].bits} bits")
    inner_names = {
        name for line in block.lines if line[0] == "{" for name in _WORD.findall(line[1:])
    }
    outer_names = [*block.names.values(), *block.results.values()]
    if part := next((x for x in outer_names if "." in x and x != CARRY_REGISTER), ""):
        raise ValueError(f"{part} is a part of a vector register")
    bare_names = [get_bare_name(x) for x in dict.fromkeys(outer_names)]
    if hidden := next((x for x in bare_names if x in inner_names), ""):
        raise ValueError(f"{hidden} belongs to inner braces, so nothing outside can set or read it")
    if len({*bare_names}) < len(bare_names):
        raise ValueError("two registers have one name")


def _map_registers(block: BasicBlock) -> dict[str, Type]:
    """Return the type of each register that the kernel declares, by its name in the text."""
    types: dict[str, Type] = {}
    for x in block.statements:
        for role, name in x.instruction.names.items():
            types.setdefault(name, x.instruction.get_written_type(role))
    if not block.is_line:
        for role, name in (*block.names.items(), *block.results.items()):
            types.setdefault(name, block.type_of(role))
        types |= {name: x for name, x in _iter_text_registers(block) if name not in types}
    types.pop(CARRY_REGISTER, None)
    # the parts of a move, such as u.0, are in no text
    named = {name: x for name, x in types.items() if "." not in name}
    named |= {bare: x for name, x in named.items() if (bare := get_bare_name(name)) not in named}
    return {
        name: Type.B16 if x.bits == 8 else x
        for name, x in named.items()
        if name == get_bare_name(name)
    }


def get_bare_name(name: str) -> str:
    """Return the name of a register in the text: ``x`` of ``x#2``, which hides another one."""
    return name.partition("#")[0]


def _iter_text_registers(block: BasicBlock) -> Iterator[tuple[str, Type]]:
    """Yield the registers of the text: some are only moved, or are guards without an effect."""
    for program in load("\n".join(block.lines), is_excerpt=True):
        for x in program.statements:
            for role, name in x.instruction.names.items() if x.instruction else ():
                assert x.instruction
                yield name, x.instruction.get_written_type(role)
            yield from x.iter_plain_sources()
            yield from x.iter_plain_targets()
    for line in block.lines:
        if match := _GUARD.match(line):
            yield match[1], Type.PRED


def _rename_registers(types: Mapping[str, Type], *, has_text: bool) -> dict[str, str]:
    """Return the name in the kernel of each register: a legal one, and none of the kernel's own."""
    taken = {*_OWN_NAMES, *types}
    free = (x for index in count() if (x := f"v{index}") not in taken)
    return {
        name: name
        if not has_text or (_LEGAL_NAME.fullmatch(name) and name not in _OWN_NAMES)
        else next(free)
        for name in types
    }


def _iter_lines(kernel: KernelSource, name: str) -> Iterator[str]:
    block = kernel.program
    types = _map_registers(block)
    names = _rename_registers(types, has_text=not block.is_line)
    yield f".visible .entry {name}(.param .u64 results, .param .u64 operands)"
    yield "{"
    yield "  .reg .b64 to, from, place; .reg .b32 thread, word;"
    for register, type_ in types.items():
        yield f"  .reg .{_format_register_type(type_)} {names[register]};"
    yield "  ld.param.u64 to, [results]; ld.param.u64 from, [operands];"
    yield f"  mov.u32 thread, %tid.x; mul.wide.u32 place, thread, {kernel.stride};"
    yield "  add.u64 to, to, place; add.u64 from, from, place;"
    given = {get_bare_name(x.name) for x in kernel.inputs}
    yield from (f"  {x}" for x in _iter_constants(block, names, given))
    instructions = [x.instruction for x in block.statements]
    carrying = [x for x in instructions if CARRY_REGISTER in x.names.values()]
    for _, register, type_, offset in kernel.inputs:
        own_name = names.get(get_bare_name(register), "")
        if register == CARRY_REGISTER:
            # an addition or a subtraction of words carries exactly for 1
            is_borrow = carrying[0].entry.carry_noun == "borrow"
            set_carry = "sub.cc.u32 word, 0, word" if is_borrow else "add.cc.u32 word, word, -1"
            yield f"  ld.global.u32 word, [from+{offset}]; {set_carry};"
        elif type_ is Type.PRED:
            yield f"  ld.global.u32 word, [from+{offset}]; setp.ne.u32 {own_name}, word, 0;"
        else:
            yield f"  ld.global.{_format_register_type(type_)} {own_name}, [from+{offset}];"
    yield from (f"  {x}" for x in _iter_renamed_lines(block, names))
    for _, register, type_, offset in kernel.results:
        own_name = names.get(get_bare_name(register), "")
        if register == CARRY_REGISTER:
            minus_borrow = "subc.u32 word, 0, 0; neg.s32 word, word"
            is_borrow = carrying[-1].entry.carry_noun == "borrow"
            get_carry = minus_borrow if is_borrow else "addc.u32 word, 0, 0"
            yield f"  {get_carry}; st.global.u32 [to+{offset}], word;"
        elif type_ is Type.PRED:
            yield f"  selp.u32 word, 1, 0, {own_name}; st.global.u32 [to+{offset}], word;"
        else:
            yield f"  st.global.{_format_register_type(type_)} [to+{offset}], {own_name};"
    yield "  ret;"
    yield "}"


def _iter_constants(
    block: BasicBlock, names: Mapping[str, str], inputs: Container[str]
) -> Iterator[str]:
    """Yield the moves that set the constants with names, as operands of an asm statement have."""
    for ins in (x.instruction for x in block.statements):
        for role, bits in ins.constants.items():
            register = get_bare_name(ins.names.get(role, ""))
            if register not in inputs and register in names:
                type_ = _format_register_type(ins.type_of(role))
                yield f"mov.{type_} {names[register]}, {bits:#x};"


def _iter_renamed_lines(block: BasicBlock, names: Mapping[str, str]) -> Iterator[str]:
    for line in block.lines or (str(block),):
        yield _WORD.sub(lambda x: names.get(x[0], x[0]), line)


def list_statements(block: BasicBlock) -> list[str]:
    """Return the text of the statements of a block, with legal names for its registers."""
    names = _rename_registers(_map_registers(block), has_text=True)
    inputs = {get_bare_name(x) for x in block.names.values()}
    moves = dict.fromkeys(_iter_constants(block, names, inputs))
    return [*moves, *_iter_renamed_lines(block, names)]


def _format_register_type(type_: Type) -> str:
    return "pred" if type_ is Type.PRED else f"b{type_.bits}"


def format_module(
    kernels: Iterable[tuple[str, KernelSource]], arch: str, ptxas_version: tuple[int, int]
) -> str:
    """Return a PTX module with kernels by name, in the newest language that a ptxas reads."""
    version = "{}.{}".format(*find_ptx_version(ptxas_version))
    header = f".version {version}\n.target {arch}\n.address_size 64\n"
    return header + "\n".join(source.format_ptx(name) for name, source in kernels) + "\n"


def find_ptx_version(ptxas_version: tuple[int, int]) -> tuple[int, int]:
    """Return the newest PTX version of a release of ptxas (PTX ISA, release notes)."""
    major, minor = ptxas_version
    if major >= 13:
        return (major - 4, minor)
    if major == 12:
        return (8, {6: 5, 7: 6, 8: 7, 9: 8}.get(minor, minor))
    return (7, minor)
