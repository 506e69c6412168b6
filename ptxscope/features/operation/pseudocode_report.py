"""The pseudocode of an instruction as a part of a report."""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.formats.markup import Block, make_heading, make_points, make_verbatim
from ...engine.isa.entry import Entry
from .pseudocode import make_pseudocode


def iter_blocks(entry: Entry) -> Iterator[Block]:
    """Yield the pseudocode and its notes; nothing if there is none."""
    if pseudocode := make_pseudocode(entry):
        yield make_heading("operation:", 1)
        yield make_verbatim([f"  {line}" for line in pseudocode.lines])
        if pseudocode.notes:
            yield make_points([[note] for note in pseudocode.notes])
