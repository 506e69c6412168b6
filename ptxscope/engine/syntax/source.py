"""Stretches of PTX in a text, with the origin of each character.

Every character of the PTX is mapped to its origin in the pasted text, so that errors point into
what the user sees. Macros, expressions and preprocessor lines between string literals become one
character of the PTX, a gap.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from .errors import Problem, Span

GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
"""The stand-in for source text that is not a literal; its PTX is unknown."""
_MAX_GAP_CHARS = 60
"""Maximum characters shown of a gap's source text."""


class Fragment(NamedTuple):
    """A stretch of PTX and its origin.

    Piece i of the PTX starts at ``starts[i]`` and is a copy of the text from ``origins[i]`` on. If
    ``widths[i]`` is not 0, the piece is one character, written with that many.
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
    """The span of a call in the pasted text that stands for the PTX."""

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
        if width and text == GAP:  # the same character in a user's own text has no width
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
    """Yield the pieces of a range of a text with its matches replaced; None keeps a match."""
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

    A newline continues the line: it is left out.
    """
    if code.endswith("\n"):
        return ""
    if code[0] == "x" and len(code) > 1:
        return chr(min(int(code[1:], 16), 0xFF))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return escapes.get(code)
