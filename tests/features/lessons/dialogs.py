"""The keys that open dialogs of lessons, and their sections of Help."""

from __future__ import annotations

DIALOGS = {"lessons": ("L",)}
HELP = {"lessons": (("L",), "question_mark")}
