"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

from tests.driving.command_lines import LINE

COMMAND_LINES = {
    "prove": ("prove", LINE, LINE),
    "find": ("find", LINE, "--where", "d == 5"),
    "vectors": ("vectors", LINE, "-n", "2"),
}
FIRST_SCREENS = {
    "prove": ("A", "B", "--same", "--where", "--model", "--model-b", "--timeout"),
    "find": ("PTX", "name=value", "--where", "-n", "--model"),
    "vectors": ("PTX", "-n", "--cover", "-f", "-o"),
}
QUESTIONS = {"prove": "whether two lines are equal", "find": "for which operands"}
"""Commands that may answer no, and what they ask."""
