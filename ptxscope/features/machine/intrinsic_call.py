"""The call of an intrinsic as nvcc compiles it: seldom the PTX instruction of the same result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...engine.isa.intrinsics import Intrinsic
from ...engine.syntax.intrinsic_calls import TextCall, read_calls
from ...engine.tracing.basic_block import BasicBlock
from .kernel_source import STRIDE, KernelSource, make_block_source, make_kernel_source
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


def find_single_call(text: str) -> TextCall | None:
    """Return the one valid call of an intrinsic that is the whole text, or None."""
    match read_calls(text):
        case [call] if call.intrinsic:
            return call
    return None


class CallCode(NamedTuple):
    """The machine code of the call of an intrinsic."""

    call: str
    """The call as it was written."""
    listings: Sequence[MachineListing]
    """The code for each target, compared with the instruction, or the block, of its result."""
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


def make_call_source(block: BasicBlock) -> KernelSource:
    """Return the kernel of a call with the same result as an instruction or a block."""
    return make_kernel_source(block.instruction) if block.is_line else make_block_source(block)


def compile_call(
    call: TextCall, source: KernelSource, arch: str, tools: tuple[Tool, Tool, Tool]
) -> MachineKernel:
    """Return the machine code that nvcc, ptxas and nvdisasm make of the call of an intrinsic.

    ``source`` has the places of the operands and the result. Raise ToolError if a tool fails.
    """
    nvcc, ptxas, nvdisasm = tools
    ptx = compile_cuda(nvcc, write_call_kernel(call, source), arch)
    return parse_disassembly(compile_ptx(ptxas, nvdisasm, ptx, arch))[KERNEL_NAME]


def write_call_kernel(call: TextCall, source: KernelSource) -> str:
    """Return CUDA C++ of a kernel that calls an intrinsic on operands in memory."""
    assert call.intrinsic
    result, types = find_prototype(call.intrinsic)
    offsets = {source.names[x.role]: x.offset for x in source.inputs}
    arguments = (
        f"*(const {type_} *)(from + {offsets[argument]})"
        if argument in offsets
        else f"({type_}){_format_number(argument)}"
        for argument, type_ in zip(call.arguments, types, strict=True)
    )
    return _KERNEL.format(
        kernel=KERNEL_NAME,
        stride=STRIDE,
        result=result,
        offset=source.results[0].offset,
        name=call.intrinsic.name,
        arguments=", ".join(arguments),
    )


def _format_number(text: str) -> str:
    """Return an integer of C with the suffix of 64 bits."""
    return f"{text.rstrip('uUlLzZ')}ull"
