"""The explorer's action: a plot of the results over all values."""

from __future__ import annotations

from ...state.explorer_state import ExplorerState
from ...state.requests import Open, Requests, ShowHint
from .register_parts import can_sweep


def check_sweep(state: ExplorerState) -> ShowHint | None:
    """Refuse with a reason if nothing can be swept."""
    if not can_sweep(state.trace.block):
        return ShowHint("There is no operand to sweep, or no result to show")
    return None


def sweep(state: ExplorerState) -> Requests:
    """Plot the results over all values of an operand; moves in the plot are one edit."""
    if (yield Open(f"{__package__}.terminal.sweep_screen:SweepScreen", (state,))):
        state.session.drop_empty_edit()
