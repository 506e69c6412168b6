"""The effect of Enter on a line of several statements: a block or a listing."""

from __future__ import annotations

from ..engine.syntax.errors import NotOneError, PtxError
from ..engine.syntax.parser import OMISSION_PREFIX, scan
from .setup import Setup


def describe_opening(setup: Setup) -> str:
    """Return what Enter opens the line as: ``block`` or ``listing``; empty for one instruction."""
    has_several = isinstance(setup.error, NotOneError)
    has_omission = setup.error is None and any(
        note.startswith(OMISSION_PREFIX) for note in setup.instruction.notes
    )
    # a statement may be none of the catalog's, and yet several of its instructions
    has_list = setup.error is not None and "{" in setup.line
    if not has_several and not has_omission and not has_list:
        return ""
    from ..engine.blocks.block_parser import find_block  # only for such a line

    try:
        block = find_block(setup.line)
    except PtxError:  # another statement writes registers
        return "listing" if has_several or has_omission else ""
    if block:
        return "block"
    return "listing" if has_several and len([*scan(setup.line)]) > 1 else ""
