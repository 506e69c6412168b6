"""Keys that open dialogs, and help on them."""

from __future__ import annotations

DIALOGS = {"check": ("@check",)}
HELP = {"check": (("@check",), "question_mark")}
