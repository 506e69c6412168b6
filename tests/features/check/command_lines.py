"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

from tests.driving.command_lines import ASM

COMMAND_LINES = {
    "check": ("check", "-"),
    "check -f json": ("check", "-f", "json", "-"),
    "check -f sarif": ("check", "-f", "sarif", "-"),
    "errata": ("errata",),
    "errata -f json": ("errata", "-f", "json"),
}
INPUTS = {
    "check": ASM.encode(),
    "check -f json": ASM.encode(),
    "check -f sarif": ASM.encode(),
}
FIRST_SCREENS = {
    "check": ("FILE", "-f", "-q", "--fix", "--fail-on", "-j N"),
    "errata": ("ID", "-f"),
}
REPORTS = {"errata": ("errata",), "an erratum": ("errata", "E3")}
"""Command lines whose reports have several formats."""
