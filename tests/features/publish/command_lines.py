"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

from tests.driving.command_lines import LINE

MARKED = f"<!-- ptxscope trace '{LINE}' a=1 b=2 -->\n<!-- /ptxscope -->\n"
COMMAND_LINES = {
    "export": ("export", "--update", "FILE.md"),
}
FILES = {"FILE.md": MARKED}
FIRST_SCREENS = {
    "export": ("FILE.md", "--update", "--check", "<!-- /ptxscope -->"),
}
