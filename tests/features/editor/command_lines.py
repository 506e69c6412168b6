"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

from tests.driving.feature_tables import NAMES

COMMAND_LINES = {"lsp": ("lsp", "--help")}  # it would answer another program
FIRST_SCREENS = {
    "lsp": (*(("--page",) if "page" in NAMES else ()), "docs/editor.md"),
}
