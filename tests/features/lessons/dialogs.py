"""The keys that open screens of lessons, and their sections of Help."""

from __future__ import annotations

SCREENS = {"lessons": ("L",)}
HELP = {"lessons": (("L",), "question_mark")}
