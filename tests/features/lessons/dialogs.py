"""The keys that open screens of lessons."""

from __future__ import annotations

SCREENS = {"lessons": ("L",)}
