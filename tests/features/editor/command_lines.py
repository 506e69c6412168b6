"""Command lines that succeed and print something, and what the help of commands begins with."""

from __future__ import annotations

from tests.driving.feature_tables import NAMES

FIRST_SCREENS = {
    "lsp": (*(("--page",) if "page" in NAMES else ()), "docs/editor.md"),
}
