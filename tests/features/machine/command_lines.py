"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

from ptxscope.features.machine.toolchain import NVDISASM, PTXAS, ToolError, find_tool
from tests.driving.command_lines import LINE


def has_tools() -> bool:
    """Whether NVIDIA's assembler and disassembler are here."""
    try:
        find_tool(PTXAS)
        find_tool(NVDISASM)
    except ToolError:
        return False
    return True


COMMAND_LINES = {
    "lower": ("lower", "--help"),  # needs tools that are not everywhere
    "verify": ("verify", LINE, "--gpu", "--write-inputs", "batch"),
}
FIRST_SCREENS = {
    "lower": ("PTX", "--arch", "--ptxas", "--nvdisasm", "-f"),
    "verify": ("PTX", "--all", "--family", "--arch", "--ptxas", "--model"),
}
CONDITIONS = {"lower": has_tools, "verify": has_tools}
"""Whether what a command needs is here."""
