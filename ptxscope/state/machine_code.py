"""The machine code of the current line, by the tools that are at hand."""

from __future__ import annotations

from ..engine.machine_code.kernel_source import make_kernel_source
from ..engine.machine_code.machine_listing import MachineListing, list_machine_code
from ..engine.proof.solver import IsStopped, Stopped, never
from ..engine.records import NamedTuple
from ..engine.syntax.instruction import Instruction
from ..nvidia.compilation import compile_kernels
from ..nvidia.toolchain import NVDISASM, PTXAS, ToolError, find_tool

ARCH = "sm_90"
"""The target that the explorer assembles for."""
SECONDS = 10.0
"""The time for each proof."""


class MachineCode(NamedTuple):
    """The machine code of a line."""

    line: str
    listing: MachineListing
    tools: str
    """The assembler and the disassembler with their versions."""


def find_machine_code(ins: Instruction, is_stopped: IsStopped = never) -> MachineCode:
    """Return the machine code of an instruction.

    Raise ValueError if a tool is missing or refuses the line, ImportError without the solver, and
    Stopped once ``is_stopped`` says so.
    """
    source = make_kernel_source(ins)
    try:
        ptxas, nvdisasm = find_tool(PTXAS), find_tool(NVDISASM)
        (kernel,) = compile_kernels(ptxas, nvdisasm, ARCH, [source])
    except ToolError as error:
        raise ValueError(str(error)) from None
    if isinstance(kernel, str):
        raise ValueError(f"ptxas {ptxas.build} refuses the line for {ARCH}: {kernel}")
    if is_stopped():
        raise Stopped
    line = str(source.ins).removesuffix(";")
    listing = list_machine_code(line, source, kernel, ARCH, timeout=SECONDS)
    return MachineCode(line, listing, f"ptxas {ptxas.build}, nvdisasm {nvdisasm.build}")
