"""The call of an intrinsic as nvcc compiles it: seldom the PTX instruction of the same result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...engine.isa.intrinsics import Intrinsic, map_intrinsics
from ...engine.isa.types import Role
from ...engine.syntax.instruction import Instruction
from .kernel_source import STRIDE, KernelSource
from .machine_instruction import MachineKernel, parse_disassembly
from .row_matches import MachineListing
from .toolchain import Tool, compile_cuda, compile_ptx

_PROTOTYPES = (
    (r"__brevll", "unsigned long long", ("unsigned long long",)),
    (r"__popcll", "int", ("unsigned long long",)),
    (r"__(?:clz|ffs)ll", "int", ("long long",)),
    (r"__popc", "int", ("unsigned",)),
    (r"__(?:clz|ffs)", "int", ("int",)),
    (r"__sad", "unsigned", ("int", "int", "unsigned")),
    (r"__fns", "unsigned", ("unsigned", "unsigned", "int")),
    (r"__dp[24]a\w*", "int", ("int",) * 3),
    (r"__umul64hi", "unsigned long long", ("unsigned long long",) * 2),
    (r"__mul64hi", "long long", ("long long",) * 2),
    (r"__mul(?:hi|24)", "int", ("int",) * 2),
    (r"__vi\w+_s32(?:_relu)?", "int", ("int",) * 3),
    (r"__\w+", "unsigned", ("unsigned",) * 3),
)
"""For patterns of names, C's types of the result and the parameters; the first match counts."""
KERNEL_NAME = "intrinsic"
"""The name of a kernel that calls one."""
_KERNEL = """\
extern "C" __global__ void {kernel}(char *results, const char *operands) {{
  char *to = results + {stride}ull * threadIdx.x;
  const char *from = operands + {stride}ull * threadIdx.x;
  *({result} *)(to + {offset}) = {name}({arguments});
}}
"""


class CallCode(NamedTuple):
    """The machine code of the call of an intrinsic."""

    call: str
    """The call as it was written."""
    listings: Sequence[MachineListing]
    """The code for each target, compared with the instruction of the same result."""
    nvcc: str
    """The version of nvcc; empty if there is no code."""
    problem: str
    """The reason why there is no code; empty if there is some."""
    remark: str
    """A remark on the code of nvcc 13.0."""


def find_prototype(intrinsic: Intrinsic) -> tuple[str, tuple[str, ...]]:
    """Return C's types of an intrinsic's result and of its parameters."""
    return next(
        (result, types[: len(intrinsic.parameters)])
        for pattern, result, types in _PROTOTYPES
        if re.fullmatch(pattern, intrinsic.name)
    )


def find_called_intrinsic(ins: Instruction) -> Intrinsic | None:
    """Return the intrinsic whose call an instruction was written as; None if it was PTX."""
    start, end = ins.spans["opcode"]
    return map_intrinsics().get(ins.text[start:end])


def format_call(ins: Instruction) -> str:
    """Return the call that an instruction was written as, without its semicolon."""
    start, end = ins.spans["line"]
    return ins.text[start:end]


def compile_call(
    intrinsic: Intrinsic, source: KernelSource, arch: str, tools: tuple[Tool, Tool, Tool]
) -> MachineKernel:
    """Return the machine code that nvcc, ptxas and nvdisasm make of the call of an intrinsic.

    The kernel has the operands and the result where that of ``source``, which is the instruction
    of the same result, has them. Raise ToolError if a tool fails.
    """
    nvcc, ptxas, nvdisasm = tools
    ptx = compile_cuda(nvcc, write_call_kernel(intrinsic, source), arch)
    return parse_disassembly(compile_ptx(ptxas, nvdisasm, ptx, arch))[KERNEL_NAME]


def write_call_kernel(intrinsic: Intrinsic, source: KernelSource) -> str:
    """Return CUDA C++ of a kernel that calls an intrinsic on a kernel's operands."""
    result, types = find_prototype(intrinsic)
    operands = intrinsic.ptx.partition(" ")[2].split(", ")[1:]
    roles = dict(zip(operands, (Role.A, Role.B, Role.C), strict=False))
    arguments = [
        _format_argument(source, roles[letter], type_)
        for letter, type_ in zip(intrinsic.parameters, types, strict=True)
    ]
    return _KERNEL.format(
        kernel=KERNEL_NAME,
        stride=STRIDE,
        result=result,
        offset=source.results[0].offset,
        name=intrinsic.name,
        arguments=", ".join(arguments),
    )


def _format_argument(source: KernelSource, role: Role, type_: str) -> str:
    """Return C of a constant, or of an operand in memory."""
    ins = source.ins
    if role in ins.constants:
        return f"({type_}){ins.constants[role]:#x}ull"
    slot = next(x for x in source.inputs if x.name == ins.names[role])
    return f"*(const {type_} *)(from + {slot.offset})"
