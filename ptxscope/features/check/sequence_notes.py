"""Notes of ``check`` on several statements: an intrinsic's, or two that ptxas combines wrongly."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from ...blocks.intrinsic_sequence import (
    IntrinsicSequence,
    find_sequences,
    has_several_statements,
    may_have_sequences,
)
from ...sources.source_location import LineIndex, SourceLocation
from .diagnostic import CheckedInstruction, Diagnostic, SequenceSummary
from .fusion_hints import may_have_fusions
from .suppressions import IgnoreComments

Prove = Callable[[str, str], bool]
"""Returns whether the results of two texts were proved equal."""

_MAX_FUNCTION_CHARS = 1 << 22
"""Maximum characters of a function that is searched."""
_FUNCTION_END = re.compile(
    r"\n\}[ \t]{0,9}+\r?\n(?=\s{0,99}+(?://[ \t]*+\.globl|\.(?:visible|weak|extern|entry|func)\b))"
)
"""The end of a function before another one: other braces may belong to an asm statement."""
_MAX_END_CHARS = 256
"""Characters of the end and of the text after it."""


class SequenceSearch:
    """Finds the sequences of a file, whose text comes in chunks, and their notes."""

    def __init__(
        self, name: str, prove: Prove | None = None, *, with_intrinsics: bool = True
    ) -> None:
        self._name, self._prove, self._with_intrinsics = name, prove, with_intrinsics
        self._notes = deque[CheckedInstruction]()
        self._comments = IgnoreComments()
        self._lines_before = 0

    def record_chunks(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the text of a listing, each function after it has been searched."""
        pending_text, is_begun = "", False  # whether the beginning of a function has been discarded
        for chunk in chunks:
            searched = max(len(pending_text) - _MAX_END_CHARS, 0)
            pending_text += chunk
            start = 0
            for match in _FUNCTION_END.finditer(pending_text, searched):
                self.search(pending_text[start : match.end()], is_whole=not is_begun)
                yield pending_text[start : match.end()]
                start, is_begun = match.end(), False
            pending_text = pending_text[start:]
            if len(pending_text) > _MAX_FUNCTION_CHARS:
                self.search(pending_text, is_whole=False)
                yield pending_text
                pending_text, is_begun = "", True
        if pending_text:
            self.search(pending_text, is_whole=not is_begun)
            yield pending_text

    def search(self, text: str, *, is_whole: bool = True) -> None:
        """Find the sequences of the next text, if it is complete."""
        self._comments.record(text)
        notes = list[CheckedInstruction]()
        has_sequences = is_whole and self._with_intrinsics and may_have_sequences(text)
        has_pairs = is_whole and may_have_fusions(text)
        if has_sequences or has_pairs:  # most files have neither
            from ...sources.source_programs import load
            from .fused_pairs import find_fusion_warnings

            lines = LineIndex(text)
            for program in load(text, self._name, is_wanted=has_several_statements):
                if has_sequences:
                    notes += (self._make_note(x, lines) for x in find_sequences(program))
                if has_pairs:
                    before = self._lines_before
                    notes += find_fusion_warnings(program, self._name, lines, before)
        self._notes.extend(sorted(notes, key=_get_place))
        self._lines_before += text.count("\n")

    def merge(self, items: Iterable[CheckedInstruction]) -> Iterator[CheckedInstruction]:
        """Yield the items of the same text, and the notes in their places."""
        for item in items:
            for note in self._take_notes(_get_place(item)):
                if note.sequence or _get_place(note) != _get_place(item):
                    yield note
                else:  # an erratum of the same statement
                    item = _merge(item, note)
            yield item
        yield from self._take_notes(None)

    def _take_notes(self, place: tuple[int, int] | None) -> Iterator[CheckedInstruction]:
        while self._notes and (place is None or _get_place(self._notes[0]) <= place):
            note = self._notes.popleft()
            yield from self._comments.filter_items([note])

    def _make_note(self, sequence: IntrinsicSequence, lines: LineIndex) -> CheckedInstruction:
        before = self._lines_before
        location: SourceLocation = lines.locate(*sequence.statements[-1].span)
        location = location._replace(line=location.line + before)
        is_proved = self._prove(*sequence.write_claim()) if self._prove else None
        message = sequence.describe(before)
        message += {None: "", True: " (proved)", False: " (not proved in time)"}[is_proved]
        summary = SequenceSummary(
            sequence.intrinsic,
            sequence.arguments,
            sequence.result,
            tuple((x[0] + before, x[-1] + before) for x in sequence.line_ranges),
            is_proved,
        )
        diagnostic = Diagnostic("sequence", message, location)
        return CheckedInstruction(
            self._name, location, sequence.call, (diagnostic,), sequence=summary
        )


def _merge(item: CheckedInstruction, other: CheckedInstruction) -> CheckedInstruction:
    """Return an instruction with the diagnostics, the example and the replacement of another."""
    return item._replace(
        diagnostics=(*item.diagnostics, *other.diagnostics),
        example=item.example or other.example,
        replacement=item.replacement or other.replacement,
    )


def _get_place(item: CheckedInstruction) -> tuple[int, int]:
    return item.location.line, item.location.column
