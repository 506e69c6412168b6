"""The keys that open the manual."""

from __future__ import annotations

SCREENS = {"manual": ("f1",)}
