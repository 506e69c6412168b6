"""The pseudocode of an instruction as a part of a report."""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.formats.markup import Block, make_heading, make_points, make_verbatim
from ...engine.isa.entry import Entry
from .operation import make_operation


def iter_blocks(entry: Entry) -> Iterator[Block]:
    """Yield the pseudocode and its notes; nothing if the plans can't be told so."""
    if operation := make_operation(entry):
        yield make_heading("operation:", 1)
        yield make_verbatim([f"  {line}" for line in operation.lines])
        if operation.notes:
            yield make_points([[note] for note in operation.notes])
