"""The lines of CUDA C++ of the items found in a listing.

nvcc writes the names of the files at the end of a module, so items wait for
them, from the first one with a diagnostic on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from ...sources.source_lines import SourceLines, SourcePlace
from .diagnostic import CheckedInstruction

_MAX_WAITING_ITEMS = 1 << 16


def name_source_lines(
    chunks: Iterable[str], check: Callable[[Iterable[str]], Iterable[CheckedInstruction]]
) -> Iterator[CheckedInstruction]:
    """Yield the items that a check of a listing's chunks yields, with their lines of source."""
    sources = SourceLines()
    waiting = deque[tuple[CheckedInstruction, SourcePlace | None]]()

    def take_items(*, is_last: bool) -> Iterator[CheckedInstruction]:
        while waiting:
            item, place = waiting[0]
            name = sources.format_place(place)
            may_come = place is not None and not name and place.module == sources.module
            if may_come and item.diagnostics and not is_last:
                return
            waiting.popleft()
            yield item._replace(source=name) if name else item

    for item in check(sources.record_chunks(chunks)):
        waiting.append((item, sources.find_place(item.location.line)))
        yield from take_items(is_last=len(waiting) > _MAX_WAITING_ITEMS)
    yield from take_items(is_last=True)
