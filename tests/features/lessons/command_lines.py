"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

COMMAND_LINES = {
    "lesson": ("lesson",),
    "lesson -f": ("lesson", "lanes", "-f", "text"),
}
FIRST_SCREENS = {
    "lesson": ("LESSON", "-f", "--restart", "--plain", "ptxscope lesson lanes"),
}
