"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

from tests.driving.command_lines import LINE

COMMAND_LINES = {
    "sweep": ("sweep", LINE, "--x", "a.b0", "b=2"),
}
FIRST_SCREENS = {
    "sweep": ("PTX", "name=value", "--x", "--y", "--of", "--range", "-f"),
}
