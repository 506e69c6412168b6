"""Keys that open dialogs."""

from __future__ import annotations

DIALOGS = {"the operation": ("O",)}
