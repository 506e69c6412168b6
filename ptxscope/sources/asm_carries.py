"""Carries that one asm statement reads and another has to write.

Nothing guarantees that such a carry is kept, but nvcc keeps the order of ``asm volatile`` and ptxas
the carry (13.0), and libraries for big integers rely on it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ..engine.syntax.errors import Span
from .c_source import blank_literals
from .diagnostic import CheckedInstruction
from .embedded_ptx import EmbeddedPtx
from .source_language import Language
from .source_location import find_span

RULE = "asm-carry"
_MARK = re.compile(r"[{}]")
_FUNCTION_HEAD = re.compile(r"\)[\w\s:&*<>,>\[\]'-]*\Z")
"""The end of the text between two marks if a function's body begins after it."""
_HEAD_CHARS = 300
_WRITE = re.compile(r"\.cc\b")
_VOLATILE = re.compile(r"\b(?:volatile|__volatile(?:__)?)\b[^;{}]*\Z")
_ASM_CHARS = 200
"""Characters before the text of an asm statement in which ``volatile`` may stand."""


def find_functions(code: str) -> list[Span]:
    """Return the bodies of the functions of a source whose strings and comments are blanked."""
    spans, depth, start, last_mark = list[Span](), 0, 0, 0
    for match in _MARK.finditer(code):
        position = match.start()
        if match[0] == "}":
            depth -= depth > 0
            if depth == 0 and start:
                spans.append((start, position))
                start = 0
        elif start:
            depth += 1
        else:
            head = code[max(last_mark, position - _HEAD_CHARS) : position]
            if _FUNCTION_HEAD.search(head.rpartition(";")[2]):
                depth, start = 1, position
        last_mark = match.end()
    return [*spans, (start, len(code))] if start else spans


class CarryNotes:
    """Chooses which notes on such carries a source gets: one for each function, where it helps."""

    def __init__(self, text: str, language: Language, pieces: Sequence[EmbeddedPtx]) -> None:
        self._text, self._pieces, self._language = text, pieces, language
        self._noted_functions = set[int]()
        self._writer: EmbeddedPtx | None = None
        """The last piece so far that writes a carry."""

    def choose_notes(
        self, piece: EmbeddedPtx, items: Iterable[CheckedInstruction]
    ) -> Iterator[CheckedInstruction]:
        """Yield the instructions of the next piece, without the notes that it does not need."""
        for item in items:
            if any(x.rule == RULE for x in item.diagnostics):
                function = self._find_function(piece)
                if function in self._noted_functions or self._is_expected(piece, function):
                    kept = tuple(x for x in item.diagnostics if x.rule != RULE)
                    item = item._replace(diagnostics=kept)
                else:
                    self._noted_functions.add(function)
            yield item
        if _WRITE.search(piece.ptx):
            self._writer = piece

    def _is_expected(self, piece: EmbeddedPtx, function: int) -> bool:
        """Return whether a function wraps one instruction, or an ``asm volatile`` writes the carry.

        An asm statement outside functions is that of a macro.
        """
        is_alone = function < 0 or self._counts[function] == 1
        if is_alone and piece.ptx.count(";") < 2:
            return True
        writer = self._writer
        return (
            writer is not None
            and self._find_function(writer) == function
            and self._is_volatile(writer)
        )

    def _is_volatile(self, piece: EmbeddedPtx) -> bool:
        if self._language is not Language.C:
            return True
        text = piece.fragments[1].ptx if piece.is_expanded else self._text
        start = piece.fragments[0].origins[0]
        return _VOLATILE.search(text[max(start - _ASM_CHARS, 0) : start]) is not None

    def _find_function(self, piece: EmbeddedPtx) -> int:
        """Return the number of the function that holds a piece; -1 for none."""
        return find_span(self._functions, piece.fragments[-1].origins[0])

    @cached_property
    def _functions(self) -> list[Span]:
        is_c = self._language is Language.C
        return find_functions(blank_literals(self._text) if is_c else self._text)

    @cached_property
    def _counts(self) -> Counter[int]:
        """The number of pieces in each function."""
        return Counter(map(self._find_function, self._pieces))
