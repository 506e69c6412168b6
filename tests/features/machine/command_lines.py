"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

from tests.driving.command_lines import LINE

COMMAND_LINES = {
    "lower": ("lower", "--help"),  # needs tools that are not everywhere
    "verify": ("verify", LINE, "--gpu", "--write-inputs", "batch"),
}
FIRST_SCREENS = {
    "lower": ("PTX", "--arch", "--ptxas", "--nvdisasm", "-f"),
    "verify": ("PTX", "--all", "--family", "--arch", "--ptxas", "--model"),
}
