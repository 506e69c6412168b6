"""Locations in a file, with the line around them."""

from __future__ import annotations

from typing import NamedTuple

from ..engine.syntax.errors import Span

WINDOW = 200
"""Characters of a line that are kept on either side of a statement."""
MAX_EXCERPT_CHARS = 3 * WINDOW
"""Characters of a line that are kept from the position of a problem."""


class SourceLocation(NamedTuple):
    """A location in a file, with its line."""

    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    excerpt: str
    """The line, or the part around the location if the line is very long."""
    span: Span
    """The range in the excerpt."""
    width: int = 0
    """Characters of the line in the range, including those beyond the excerpt."""
