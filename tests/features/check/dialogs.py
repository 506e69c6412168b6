"""Keys that open dialogs and screens."""

from __future__ import annotations

DIALOGS = {"check": ("@check",)}
SCREENS = {"a section": ("@reference",)}
