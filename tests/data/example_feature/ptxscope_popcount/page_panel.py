"""The panel of the page."""

from __future__ import annotations

from ptxscope.documents.elements import Child, make_element
from ptxscope.state.explorer_state import ExplorerState

from .counts import iter_counts


def make_panel(state: ExplorerState, _: str) -> list[Child]:
    """Return the number of ones of each result."""
    return [make_element("p", line) for line in iter_counts(state.shown_trace)]
