"""Words that the sentences of several steps share."""

from __future__ import annotations

from collections.abc import Sequence

from .base import RowTrace

NOTHING_WRITTEN = "Nothing is written: the destination is `_`."
"""The sentence of a step whose only destination is a sink."""


def find_row(rows: Sequence[RowTrace], name: str) -> RowTrace | None:
    """Return the row of a step with this name, or None."""
    return next((row for row in rows if row.role == name), None)


def format_destinations(rows: Sequence[RowTrace]) -> str:
    """Return the names of the destinations that a step writes: ``p and q``."""
    return " and ".join(row.destination for row in rows)


def format_write(rows: Sequence[RowTrace], count: int = 2) -> str:
    """Describe what happens to ``count`` bits that a step writes: ``are written to d``."""
    names = format_destinations(rows)
    if rows[0].instruction.guard is not None:  # the guard decides about the write
        return f"{'goes' if count == 1 else 'go'} to {names} if the guard holds"
    return f"{'is' if count == 1 else 'are'} written to {names}"


def add_guard(sentence: str, rows: Sequence[RowTrace]) -> str:
    """Return the sentence of a write with the condition of its guard, if there is one."""
    return f"If the guard holds, {sentence}" if rows[0].instruction.guard else sentence


def append_sentence(start: str, sentence: str) -> str:
    """Return both as one sentence with one colon."""
    return f"{start}{'; ' if ': ' in sentence else ': '}{sentence}."
