"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

FIRST_SCREENS = {
    "mcp": ("docs/editor.md",),
}
