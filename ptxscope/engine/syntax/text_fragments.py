"""Fragments of PTX as pieces of a source's text: split, joined, composed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Set

from .source import GAP, Fragment, TextFragment, join_fragments, replace_matches


def iter_parts(
    fragment: Fragment, start: int = 0, end: int | None = None
) -> Iterator[TextFragment]:
    """Yield the pieces of a range of a fragment."""
    ptx, starts = fragment.ptx, fragment.starts
    end = len(ptx) if end is None else end
    index = max(bisect_right(starts, start) - 1, 0)
    while start < end:
        part_end = min(starts[index + 1] if index + 1 < len(starts) else len(ptx), end)
        width = fragment.widths[index]
        origin = fragment.origins[index]
        if part_end > start:
            yield ptx[start:part_end], origin if width else origin + start - starts[index], width
        start, index = max(start, part_end), index + 1


def replace_copies(
    parts: Iterable[TextFragment],
    pattern: re.Pattern[str],
    replace: Callable[[re.Match[str]], str | None],
) -> Iterator[TextFragment]:
    """Yield pieces with the matches in those that are copies of the source replaced."""
    for part in parts:
        text, origin, width = part
        if width:
            yield part
            continue
        for piece, position, piece_width in replace_matches(text, pattern, replace):
            yield piece, origin + position, piece_width


def replace_in_fragment(
    fragment: Fragment, pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str | None]
) -> Fragment:
    """Return a fragment with matches, or their named groups, replaced; None keeps a match.

    Each replacement stands for the source of the whole match.
    """
    parts, copied_end = list[TextFragment](), 0
    for match in pattern.finditer(fragment.ptx):
        replacement = replace(match)
        if replacement is None:
            continue
        match_start, match_end = match.span(match.lastgroup or 0)
        start, end = fragment.find_origin(match_start, match_end)
        parts += iter_parts(fragment, copied_end, match_start)
        parts.append((replacement, start, end - start))
        copied_end = match_end
    if not copied_end:
        return fragment
    parts += iter_parts(fragment, copied_end)
    return join_fragments(parts)._replace(problems=fragment.problems)


def with_gaps(fragment: Fragment, gaps: Set[int]) -> Fragment:
    """Return the PTX with the gaps of the text that it was read from."""
    if not gaps or GAP not in fragment.ptx:
        return fragment
    parts = list[TextFragment]()
    for text, origin, width in iter_parts(fragment):
        if width or GAP not in text:
            parts.append((text, origin, width))
            continue
        position = origin
        for index, piece in enumerate(text.split(GAP)):
            if index:
                parts.append((GAP, position, int(position in gaps)))
                position += 1
            if piece:
                parts.append((piece, position, 0))
                position += len(piece)
    return join_fragments(parts)._replace(problems=fragment.problems)


def compose_fragments(inner: Fragment, outer: Fragment) -> Fragment:
    """Return a fragment of another fragment's PTX with the other's positions."""

    def iter_composed_parts() -> Iterator[TextFragment]:
        for text, origin, width in iter_parts(inner):
            if width:
                start, end = outer.find_origin(origin, origin + width)
                yield text, start, end - start
            else:
                yield from iter_parts(outer, origin, origin + len(text))

    problems = tuple(x._replace(span=outer.find_origin(*x.span)) for x in inner.problems)
    return join_fragments(iter_composed_parts())._replace(problems=problems)
