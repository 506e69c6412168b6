"""The options that name NVIDIA's tools and a target, and what they stand for."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TypeVar

from ...documents.option_table import DEFAULT_ARCH
from ...engine.semantics.erratum import TARGETS
from ...engine.syntax.errors import make_printable
from ...sass.nvidia.toolchain import NVDISASM, PTXAS, Tool, ToolError, find_tool
from .arguments import add_tool_paths
from .command_error import CommandError

_ARCH = re.compile(r"sm_(\d{2,3})[af]?")
_OLDEST_ARCH = 70
TOOL_HELP = (
    "ptxas and nvdisasm are found by the options, by the variables PTXSCOPE_PTXAS and "
    "PTXSCOPE_NVDISASM, in PATH, and where PyPI's packages put them."
)
ResultT = TypeVar("ResultT")


def add_tools(parser: argparse.ArgumentParser) -> None:
    """Add the options ``--arch``, ``--ptxas`` and ``--nvdisasm``."""
    parser.add_argument(
        "--arch",
        action="append",
        metavar="ARCH",
        help=f"target, {TARGETS}; repeatable (default: {DEFAULT_ARCH})",
    )
    add_tool_paths(parser)


def choose_archs(arguments: argparse.Namespace) -> list[str]:
    """Return the targets; a wrong one ends the command with status 2."""
    archs: list[str] = list(dict.fromkeys(arguments.arch or [DEFAULT_ARCH]))
    for arch in archs:
        check_arch(arch, "--arch")
    return archs


def check_arch(arch: str, option: str) -> None:
    """End the command with status 2 if a target, given by an option, is none."""
    match = _ARCH.fullmatch(arch)
    if match is None or int(match[1]) < _OLDEST_ARCH:
        raise CommandError(
            f"error: {option} {make_printable(arch)}: write sm_90; {TARGETS} are supported"
        )


def choose_tools(arguments: argparse.Namespace) -> tuple[Tool, Tool]:
    """Return ptxas and nvdisasm; a missing one ends the command with status 2."""
    return use_tools(
        lambda: (
            find_tool(PTXAS, arguments.ptxas, has_option=True),
            find_tool(NVDISASM, arguments.nvdisasm, has_option=True),
        )
    )


def use_tools(work: Callable[[], ResultT]) -> ResultT:
    """Return the result of work with the tools; their failure ends the command with status 2."""
    try:
        return work()
    except (ToolError, ImportError) as error:
        raise CommandError(f"error: {make_printable(str(error))}") from None


def format_tools(ptxas: Tool, nvdisasm: Tool) -> str:
    """Return the tools and their versions."""
    return f"ptxas {ptxas.build}, nvdisasm {nvdisasm.build}"
