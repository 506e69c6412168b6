"""The options that name NVIDIA's tools and a target, and the machine code that they give."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from functools import partial

from ...cli.support.streams import CommandError, report_errors
from ...engine.semantics.rules import TARGETS
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Instruction
from ...engine.syntax.intrinsic_calls import TextCall
from ...engine.tracing.basic_block import BasicBlock
from .fault_code import list_values
from .intrinsic_call import CallCode, compile_call, make_call_source
from .kernel_source import KernelSource, make_kernel_source
from .row_matches import MachineListing, list_machine_code
from .toolchain import (
    DEFAULT_ARCH,
    NVCC,
    NVDISASM,
    PTXAS,
    Tool,
    ToolError,
    compile_kernels,
    find_tool,
)

_ARCH = re.compile(r"sm_(\d{2,3})[af]?")
_OLDEST_ARCH = 70
TOOL_HELP = (
    "ptxas and nvdisasm are the files that the options name, or the variables PTXSCOPE_PTXAS and "
    "PTXSCOPE_NVDISASM. Otherwise they are found in PATH, or where PyPI's packages put them."
)
report_tool_errors = partial(report_errors, ToolError, ImportError)
"""Turn the failure of a tool into an error that ends the command."""


def add_tools(parser: argparse.ArgumentParser) -> None:
    """Add the options ``--arch``, ``--ptxas`` and ``--nvdisasm``."""
    parser.add_argument(
        "--arch",
        action="append",
        metavar="ARCH",
        help=f"target, {TARGETS}; repeatable (default: {DEFAULT_ARCH})",
    )
    for name in (PTXAS, NVDISASM):
        parser.add_argument(f"--{name}", metavar="PATH", help=f"path of {name}")


def choose_archs(arguments: argparse.Namespace) -> list[str]:
    """Return the targets; a wrong one ends the command with status 2."""
    return check_archs(arguments.arch)


def check_archs(names: Sequence[str] | None) -> list[str]:
    """Return the targets, or the default one; a wrong one ends the command with status 2."""
    archs: list[str] = list(dict.fromkeys(names or [DEFAULT_ARCH]))
    for arch in archs:
        match = _ARCH.fullmatch(arch)
        if match is None or int(match[1]) < _OLDEST_ARCH:
            raise CommandError(
                f"error: --arch {make_printable(arch)}: write sm_90; {TARGETS} are supported"
            )
    return archs


def choose_tools(arguments: argparse.Namespace) -> tuple[Tool, Tool]:
    """Return ptxas and nvdisasm; a missing one ends the command with status 2."""
    with report_tool_errors():
        return (
            find_tool(PTXAS, arguments.ptxas, has_option=True),
            find_tool(NVDISASM, arguments.nvdisasm, has_option=True),
        )


def format_line(program: Instruction | BasicBlock | str) -> str:
    """Return a line without its semicolon, or a block in braces."""
    return str(program).removesuffix(";")


def make_line_source(ins: Instruction) -> KernelSource:
    """Return the kernel of an instruction; one that has none ends the command with status 2."""
    with report_errors(ValueError):
        return make_kernel_source(ins)


def list_line_code(
    source: KernelSource,
    archs: Sequence[str],
    tools: tuple[Tool, Tool],
    timeout: float,
    operands: Mapping[str, int] | None = None,
) -> list[MachineListing]:
    """Return the machine code of a kernel's line for each target, by ptxas and nvdisasm.

    With ``operands``, bits by role, a listing has the values that each instruction writes.

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
        listing = list_machine_code(line, source, kernel, arch, timeout=timeout)
        if operands is None:
            return listing
        bits = {name: operands.get(role, 0) for role, name in source.program.names.items()}
        return listing._replace(values=list_values(source, kernel, bits))

    with report_tool_errors():
        return [make_listing(arch) for arch in archs]


def list_call_code(
    text: str,
    call: TextCall,
    block: BasicBlock,
    archs: Sequence[str],
    tools: tuple[str | None, Tool, Tool],
    timeout: float,
) -> CallCode:
    """Return the machine code of the call in a text for each target, or the reason for none.

    ``block`` has the same result; ``tools`` are the path of nvcc, which may be None, ptxas and
    nvdisasm.
    """
    path, ptxas, nvdisasm = tools
    assert call.intrinsic
    written_call, source = text[slice(*call.span)], make_call_source(block)
    remark = f"`{call.intrinsic.name}` {call.intrinsic.compilation}"
    try:
        nvcc = find_tool(NVCC, path, has_option=True)
        kernels = [compile_call(call, source, x, (nvcc, ptxas, nvdisasm)) for x in archs]
    except ToolError as error:
        return CallCode(written_call, (), "", make_printable(str(error)), remark)
    listings = [
        list_machine_code(written_call, source, kernel, arch, timeout=timeout)
        for kernel, arch in zip(kernels, archs, strict=True)
    ]
    return CallCode(written_call, listings, nvcc.build, "", remark)
