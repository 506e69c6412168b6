"""The explorer's action: the pane of machine code."""

from __future__ import annotations

from ...state.requests import Act, Requests


def toggle(_: object) -> Requests:
    """Open the pane of machine code, or close it."""
    yield Act(f"{__package__}.terminal.machine_controller:toggle")
