"""Locations in a file, with their lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from ..engine.syntax.errors import Span

WINDOW = 200
"""Characters of a line kept on either side of a statement."""
MAX_EXCERPT_CHARS = 3 * WINDOW
"""Maximum characters of a line kept from the position of a problem."""


class SourceLocation(NamedTuple):
    """A location in a file, with its line."""

    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    excerpt: str
    """The line, or its part around the location if it is very long."""
    span: Span
    """The range in the excerpt."""
    width: int = 0
    """Characters of the range in the line, including any beyond the excerpt."""


class LineIndex:
    """The text of a file and the positions of its lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def locate(self, start: int, end: int) -> SourceLocation:
        """Return the location of a range of the text."""
        index = bisect_right(self.starts, start) - 1
        line_start = self.starts[index]
        near = max(line_start, start - WINDOW)
        line_end = self.starts[index + 1] - 1 if index + 1 < len(self.starts) else len(self.text)
        excerpt = self.text[near : min(line_end, end + WINDOW, start + MAX_EXCERPT_CHARS)]
        span = (start - near, max(min(end - near, len(excerpt)), start - near))
        return SourceLocation(
            index + 1, start - line_start + 1, excerpt, span, max(min(end, line_end) - start, 0)
        )


def find_span(spans: Sequence[tuple[Any, ...]], position: int) -> int:
    """Return the index of the span that contains a position, among sorted spans; or -1.

    A span begins with its start and its end.
    """
    index = bisect_right(spans, position, key=itemgetter(0)) - 1
    return index if index >= 0 and position < spans[index][1] else -1
