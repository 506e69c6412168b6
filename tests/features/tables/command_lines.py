"""Command lines that succeed and print something."""

from __future__ import annotations

from tests.driving.command_lines import LINE

COMMAND_LINES = {"eval --csv": ("eval", LINE, "--csv", "-")}
INPUTS = {"eval --csv": b"a,b\n1,2\n"}
