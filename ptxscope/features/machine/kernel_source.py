"""A kernel in PTX around one instruction: operands are loaded, results stored.

Each thread has its own part of the arrays, so that no operand is known to the compiler.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...engine.isa.types import CARRY_REGISTER, Type
from ...engine.semantics.models import ISA_MODEL, PTXAS_MODELS
from ...engine.syntax.instruction import Instruction, Signature
from ...engine.tracing.basic_block import BasicBlock, make_block
from ...engine.tracing.evaluation import make_model_plan

STRIDE = 64
"""The bytes of each thread in the arrays of operands and of results."""
THREAD = 3
"""The number of the thread that is run, if each has its own part of the arrays."""
PARAMETER_BYTES = 16
"""The bytes of the parameters: two pointers, to results and operands."""
_SLOT_BYTES = 8


class ParameterSlot(NamedTuple):
    """The place of an operand or a result in the part of a thread."""

    role: str
    name: str
    """The register's name in the kernel."""
    type: Type
    offset: int


class KernelSource(NamedTuple):
    """A kernel for one instruction, or for code that computes the same as a block."""

    program: BasicBlock
    """The instruction with the registers of the kernel, or the block."""
    inputs: tuple[ParameterSlot, ...]
    results: tuple[ParameterSlot, ...]
    names: Mapping[str, str]
    """The registers as written, by role."""
    thread: int = THREAD
    """The number of the thread that is run."""

    @property
    def ins(self) -> Instruction:
        """The instruction; raise ValueError for a block."""
        return self.program.instruction

    def format_ptx(self, name: str) -> str:
        """Return the kernel as PTX, without the module's header."""
        return "\n".join(_iter_lines(self, name))


def make_kernel_source(ins: Instruction) -> KernelSource:
    """Return the kernel of an instruction."""
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
    """Return the kernel of code that computes the same as a block, which has no text of its own."""
    inputs = {x.name: x.roles[0] for x in block.inputs}
    results = {name: role for role, name in block.results.items()}
    slots, result_slots = (tuple(_place(block, x)) for x in (inputs, results))
    return KernelSource(block, slots, result_slots, {**block.names, **block.results})


def _place(ins: Signature, names: Mapping[str, str]) -> Iterator[ParameterSlot]:
    for index, (name, role) in enumerate(names.items()):
        yield ParameterSlot(role, name, ins.type_of(role), index * _SLOT_BYTES)


def _iter_lines(kernel: KernelSource, name: str) -> Iterator[str]:
    ins = kernel.ins
    yield f".visible .entry {name}(.param .u64 results, .param .u64 operands)"
    yield "{"
    yield "  .reg .b64 to, from, place; .reg .b32 thread, word;"
    declared: dict[str, Type] = {}
    for role, register in ins.names.items():
        declared.setdefault(register, ins.get_written_type(role))
    declared.pop(CARRY_REGISTER, None)
    for register, type_ in declared.items():
        yield f"  .reg .{_format_register_type(type_)} {register};"
    yield "  ld.param.u64 to, [results]; ld.param.u64 from, [operands];"
    yield f"  mov.u32 thread, %tid.x; mul.wide.u32 place, thread, {STRIDE};"
    yield "  add.u64 to, to, place; add.u64 from, from, place;"
    for role, bits in ins.constants.items():
        if role in ins.names:
            width = _format_register_type(ins.type_of(role))
            yield f"  mov.{width} {ins.names[role]}, {bits:#x};"
    is_borrow = ins.entry.carry_noun == "borrow"
    for _, register, type_, offset in kernel.inputs:
        if (
            register == CARRY_REGISTER
        ):  # an addition or a subtraction of words carries exactly for 1
            set_carry = "sub.cc.u32 word, 0, word" if is_borrow else "add.cc.u32 word, word, -1"
            yield f"  ld.global.u32 word, [from+{offset}]; {set_carry};"
        elif type_ is Type.PRED:
            yield f"  ld.global.u32 word, [from+{offset}]; setp.ne.u32 {register}, word, 0;"
        else:
            yield f"  ld.global.{_format_register_type(type_)} {register}, [from+{offset}];"
    yield f"  {ins}"
    for _, register, type_, offset in kernel.results:
        if register == CARRY_REGISTER:
            minus_borrow = "subc.u32 word, 0, 0; neg.s32 word, word"
            get_carry = minus_borrow if is_borrow else "addc.u32 word, 0, 0"
            yield f"  {get_carry}; st.global.u32 [to+{offset}], word;"
        elif type_ is Type.PRED:
            yield f"  selp.u32 word, 1, 0, {register}; st.global.u32 [to+{offset}], word;"
        else:
            yield f"  st.global.{_format_register_type(type_)} [to+{offset}], {register};"
    yield "  ret;"
    yield "}"


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
