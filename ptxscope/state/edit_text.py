"""Short descriptions of edits, for undo and redo."""

from __future__ import annotations

from ..engine.isa.value_text import format_hex
from ..engine.syntax.errors import quote_word
from .session import Moment
from .setup import Setup, trace_of


def describe_edit(old_moment: Moment, new_moment: Moment) -> str:
    """Return a description of the largest change between two moments."""
    old, new = old_moment.cursor, new_moment.cursor
    if new is not None and (old is None or old.listing.programs is not new.listing.programs):
        return f"the listing {quote_word(new.listing.name)}"
    setup, cursor = new_moment.setup, new or old
    if cursor is not None and setup.place is not None and old_moment.setup.place != setup.place:
        return f"line {cursor.statement.line} of {quote_word(cursor.listing.name)}"
    if old_moment.setup.line != setup.line:
        return f"the line {quote_word(setup.line)}"
    parts = _value_texts(old_moment.setup, setup)
    if old_moment.setup.model != setup.model:
        parts.append(f"the model {setup.model}")
    if old_moment.setup.annotations != setup.annotations:
        parts.append("the notes for exports")
    return ", ".join(parts) or "the values of the listing"


def _value_texts(old_moment: Setup, new_moment: Setup) -> list[str]:
    """Return the registers whose values differ, with their later values."""
    old, new, ins = (
        trace_of(old_moment).operands,
        trace_of(new_moment).operands,
        new_moment.instruction,
    )
    values = {
        name: format_hex(new[role], ins.type_of(role).bits)
        for role, name in ins.names.items()
        if role in old and old[role] != new[role]
    }
    return [f"{name} = {value}" for name, value in values.items()]
