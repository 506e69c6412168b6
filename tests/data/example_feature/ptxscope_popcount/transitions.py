"""What the key does."""

from __future__ import annotations

from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.requests import Open, Requests


def show_counts(state: ExplorerState) -> Requests:
    """Show the number of ones in a dialog."""
    yield Open(f"{__package__}.terminal.counts_dialog:CountsDialog", (state.trace,))
