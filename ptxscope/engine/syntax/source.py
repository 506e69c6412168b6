"""Pieces of PTX in a text, with the origin of each character.

Each character of the PTX is mapped to its origin in the pasted text, so that errors point into the
user's text. Macros, expressions and preprocessor lines between string literals become one character
of the PTX, a gap.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import NamedTuple

from .errors import Problem, Span

GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Placeholder for source text that is not a literal; its PTX is unknown."""
_MAX_GAP_CHARS = 60
"""Maximum characters shown of a gap's source text."""


class Fragment(NamedTuple):
    """A piece of PTX and its origin.

    Part i of the PTX starts at ``starts[i]`` and is a copy of the text from ``origins[i]`` on. If
    ``widths[i]`` is not 0, the part is one character, which the source writes with that many.
    """

    ptx: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)
    widths: tuple[int, ...] = (0,)
    problems: tuple[Problem, ...] = ()
    """Problems of the text around the PTX, as positions in the pasted text."""
    gaps: tuple[int, ...] = ()
    """The positions of the gaps in the PTX."""
    constants: Mapping[str, int] = {}
    """The bits of registers that the text makes constants."""
    notes: tuple[str, ...] = ()
    """Remarks on the text that the PTX was read from."""
    call_span: Span | None = None
    """The span in the pasted text of the call that the PTX replaces."""

    def move(self, distance: int) -> Fragment:
        """Return the same PTX, with all positions ``distance`` characters further on."""
        spans = [(x.span[0] + distance, x.span[1] + distance) for x in self.problems]
        pairs = zip(self.problems, spans, strict=True)
        problems = tuple([problem._replace(span=span) for problem, span in pairs])
        return self._replace(origins=tuple([x + distance for x in self.origins]), problems=problems)

    def find_gap(self, start: int, end: int) -> int | None:
        """Return the position of the first gap in a range of the PTX, or None."""
        index = bisect_left(self.gaps, start)
        return self.gaps[index] if index < len(self.gaps) and self.gaps[index] < end else None

    def describe(self, start: int, end: int, text: str) -> str:
        """Return a range of the PTX with each gap as its source text: ``<MACRO>``."""
        parts, position = list[str](), start
        for gap in self.gaps[bisect_left(self.gaps, start) : bisect_left(self.gaps, end)]:
            parts += (
                self.ptx[position:gap],
                format_gap(text[slice(*self.find_origin(gap, gap + 1))]),
            )
            position = gap + 1
        return "".join([*parts, self.ptx[position:end]])

    def find_origin(self, start: int, end: int) -> Span:
        """Return the span in the pasted text of a range of the PTX."""
        if self.starts == (0,) and not self.widths[0]:
            return self.origins[0] + start, self.origins[0] + max(start, end)
        first_position = self._find_position(start)[0]
        return (
            (first_position, self._find_position(end - 1)[1])
            if end > start
            else (first_position, first_position)
        )

    def _find_position(self, position: int) -> Span:
        piece = max(bisect_right(self.starts, position) - 1, 0)
        start = self.origins[piece]
        if self.widths[piece]:
            return start, start + self.widths[piece]
        start += position - self.starts[piece]
        return start, start + 1


TextFragment = tuple[str, int, int]
"""A piece of text, its position, and its width in the source; 0 if that is its length."""


def join_fragments(parts: Iterable[TextFragment]) -> Fragment:
    """Join pieces into a fragment."""
    starts, gaps, position = list[int](), list[int](), 0
    texts, origins, widths = tuple(zip(*parts, strict=True)) or (("",), (0,), (0,))
    for text, width in zip(texts, widths, strict=True):
        starts.append(position)
        if width and text == GAP:  # the same character in a user's text has no width
            gaps.append(position)
        position += len(text)
    return Fragment("".join(texts), tuple(starts), origins, widths, gaps=tuple(gaps))


def format_gap(source: str) -> str:
    """Return the source text of a gap on one line."""
    excerpt = " ".join(source[:_MAX_GAP_CHARS].split())
    return f"<{excerpt}{'…' * (len(source) > _MAX_GAP_CHARS)}>"


_PTX_COMMENT = re.compile(r"//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)


def remove_comments(ptx: str) -> str:
    """Return PTX with a blank for each comment."""
    return _PTX_COMMENT.sub(" ", ptx)


def replace_matches(
    text: str,
    pattern: re.Pattern[str],
    replace: Callable[[re.Match[str]], str | None],
    start: int = 0,
    end: int | None = None,
) -> Iterator[TextFragment]:
    """Yield the pieces of a range of a text with replaced matches; None keeps a match."""
    copied_end, end = start, len(text) if end is None else end
    for match in pattern.finditer(text, start, end):
        replacement = replace(match)
        if replacement is None:
            continue
        if copied_end < match.start():
            yield text[copied_end : match.start()], copied_end, 0
        if replacement:
            yield replacement, match.start(), len(match[0])
        copied_end = match.end()
    if copied_end < end:
        yield text[copied_end:end], copied_end, 0


def decode_escape(code: str, escapes: Mapping[str, str]) -> str | None:
    """Return the character of an escape, by the text after its backslash; None if it has none.

    A newline continues the line and is left out.
    """
    if code.endswith("\n"):
        return ""
    if code[0] == "x" and len(code) > 1:
        return chr(min(int(code[1:], 16), 0xFF))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return escapes.get(code)


# --- fragments split, joined, composed ----------------------------------------------------


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
    """Yield pieces, with replaced matches in copies of the source."""
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
    """Replace matches in a fragment, or their named groups; None keeps a match.

    Each replacement has the whole match as its source.
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
    """Return the PTX with the gaps of its source text."""
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
    """Return a fragment of another fragment's PTX, with positions in the other's source."""

    def iter_composed_parts() -> Iterator[TextFragment]:
        for text, origin, width in iter_parts(inner):
            if width:
                start, end = outer.find_origin(origin, origin + width)
                yield text, start, end - start
            else:
                yield from iter_parts(outer, origin, origin + len(text))

    problems = tuple(x._replace(span=outer.find_origin(*x.span)) for x in inner.problems)
    return join_fragments(iter_composed_parts())._replace(problems=problems)
