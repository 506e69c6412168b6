"""Optional dependencies, and the command that installs them."""

from __future__ import annotations

from typing import Final

INSTALL_COMMAND: Final = "pipx install --force '.[{extra}]'"
"""The command for a clone: ptxscope is on no package index. A release changes this line."""


def format_install_hint(extra: str) -> str:
    """Return how to install ptxscope with an extra: ``images``, ``prove``, …."""
    return f"in a clone of ptxscope, run {INSTALL_COMMAND.format(extra=extra)}"
