"""The explorer's action: a dialog with the pseudocode of the line."""

from __future__ import annotations

from ...state.explorer_state import ExplorerState
from ...state.requests import Open, Requests


def show_operation(state: ExplorerState) -> Requests:
    """Show the pseudocode of the line, and of all forms of its instruction."""
    target = f"{__package__}.terminal.operation_dialog:OperationDialog"
    yield Open(target, (state.setup.instruction,))
