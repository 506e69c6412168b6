"""The transition that opens the manual."""

from __future__ import annotations

from ...state.explorer_state import ExplorerState
from ...state.requests import Act, Requests, refuse
from .pages import find_folder


def open_manual(_: ExplorerState) -> Requests:
    """Open the page about the focus."""
    if find_folder() is None:
        yield refuse("this installation has no manual")
    else:
        yield Act(f"{__package__}.terminal.manual_screen:open_page")
