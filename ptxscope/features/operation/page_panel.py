"""The web explorer's panel with the pseudocode of the line."""

from __future__ import annotations

from ...documents.elements import Child, make_element
from ...state.explorer_state import ExplorerState
from .pseudocode import list_line_code
from .statements import align_remarks


def make_panel(state: ExplorerState, _: str) -> list[Child]:
    """Return the pseudocode of the line."""
    ins = state.setup.instruction
    lines = [*align_remarks(list_line_code(ins))]
    if not lines:
        return [make_element("p", "There is no pseudocode of this line.")]
    return [
        make_element("p", make_element("code", str(ins))),
        make_element("pre", "\n".join(lines)),
    ]
