"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

FIRST_SCREENS = {
    "lsp": ("--page", "docs/editor.md"),
}
