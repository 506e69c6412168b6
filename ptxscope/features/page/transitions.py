"""Transitions of the explorer's state on a page."""

from __future__ import annotations

from dataclasses import replace

from ...state.explorer_state import ExplorerState
from ...state.setup import Setup


def apply_setup(state: ExplorerState, setup: Setup, *, coalesce: bool = False) -> None:
    """Apply an edit: another line ends a block.

    With ``coalesce``, one undo reverts it and the last edit together.
    """
    state.end_typing()
    is_closing = setup.line != state.setup.line
    if is_closing:
        setup = replace(setup, place=None, is_detached=False)
    state.edit(setup, coalesce=coalesce, is_closing=is_closing)
