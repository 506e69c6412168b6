"""The machine code of a line, by the user's tools."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Instruction
from ...sass.kernel_source import KernelSource, make_kernel_source
from ...sass.machine_listing import MachineListing, list_machine_code
from ...sass.nvidia.compilation import compile_kernels
from ...sass.nvidia.toolchain import Tool
from .command_error import CommandError
from .tools import use_tools


def format_line(ins: Instruction) -> str:
    """Return a line without its semicolon."""
    return str(ins).removesuffix(";")


def make_line_source(ins: Instruction) -> KernelSource:
    """Return the kernel of an instruction; one that has none ends the command with status 2."""
    try:
        return make_kernel_source(ins)
    except ValueError as error:
        raise CommandError(f"error: {error}") from None


def list_line_code(
    source: KernelSource, archs: Sequence[str], tools: tuple[Tool, Tool], timeout: float
) -> list[MachineListing]:
    """Return the machine code of a kernel's line for each target, by ptxas and nvdisasm.

    A line that ptxas refuses ends the command with status 1, a tool that fails with status 2.
    """
    ptxas, nvdisasm = tools
    line = format_line(source.ins)

    def make_listing(arch: str) -> MachineListing:
        (kernel,) = compile_kernels(ptxas, nvdisasm, arch, [source])
        if isinstance(kernel, str):
            raise CommandError(
                f"error: ptxas {ptxas.build} refuses the line for {arch}: "
                f"{make_printable(kernel)}\n  {make_printable(line)}",
                1,
            )
        return list_machine_code(line, source, kernel, arch, timeout=timeout)

    return use_tools(lambda: [make_listing(arch) for arch in archs])
