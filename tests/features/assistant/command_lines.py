"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

COMMAND_LINES = {"mcp": ("mcp", "--help")}  # it would answer another program
FIRST_SCREENS = {
    "mcp": ("docs/editor.md",),
}
