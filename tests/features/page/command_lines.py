"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

COMMAND_LINES = {
    "page": ("page", "-o", "site"),
}
FIRST_SCREENS = {
    "page": ("-o", "--runtime", "ptxscope page -o site/"),
}
