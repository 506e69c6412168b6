"""Diagnostics that are left out: by rule, or by comments such as ``// ptxscope: ignore[E3]``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Set

from .diagnostic import CheckedInstruction, Diagnostic

_COMMENT = re.compile(
    r"ptxscope:[ \t]{0,9}+ignore\b(?:\[(?P<rules>[\w,\- \t]{0,200}+)\])?", re.ASCII
)
_MARK = "ptxscope:"
_MAX_LINE_CHARS = 1 << 12
"""Characters of an unfinished line that are held back."""
_BEFORE = re.compile(r"[\s\"]*+(?://|/\*|\*|;|--|\#(?![a-z])|<!--)[^\n]*+\Z")
"""Text before a comment that has a line of its own: the comment's beginning."""
_CONTEXT_CHARS = 200
_ALL = frozenset[str]()
"""What a comment without rules ignores."""


class IgnoreComments:
    """The comments of a text that ask to ignore diagnostics.

    One in a line of its own is about the next line, too.
    """

    def __init__(self) -> None:
        self.rules_by_line = dict[int, Set[str]]()
        self._line = 1

    def record_chunks(self, chunks: Iterable[str]) -> Iterator[str]:
        """Yield the text of chunks, by whole lines, after recording their comments."""
        held_text = ""
        for chunk in chunks:
            text = held_text + chunk
            end = text.rfind("\n") + 1
            if len(text) - end > _MAX_LINE_CHARS:
                end = len(text)
            held_text = text[end:]
            if end:
                text = text[:end]
                self.record(text)
                yield text
        if held_text:
            self.record(held_text)
            yield held_text

    def record(self, text: str) -> None:
        """Record the comments of a text that follows what was recorded before."""
        counted_end = 0
        for match in _COMMENT.finditer(text) if _MARK in text else ():
            self._line += text.count("\n", counted_end, match.start())
            counted_end = match.start()
            line_start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _CONTEXT_CHARS)
            words = frozenset((match["rules"] or "").replace(",", " ").split())
            self._add(self._line, words)
            if _BEFORE.match(text, line_start, match.start()):
                self._add(self._line + 1, words)
        self._line += text.count("\n", counted_end)

    def _add(self, line: int, rules: Set[str]) -> None:
        present = self.rules_by_line.get(line)
        is_all = not rules or (present is not None and not present)
        self.rules_by_line[line] = _ALL if is_all else rules | (present or _ALL)

    def is_ignored(self, diagnostic: Diagnostic) -> bool:
        """Return whether a comment asks to ignore a diagnostic."""
        rules = self.rules_by_line.get(diagnostic.location.line)
        return rules is not None and (not rules or diagnostic.rule in rules)

    def filter_items(self, items: Iterable[CheckedInstruction]) -> Iterator[CheckedInstruction]:
        """Yield the instructions without the diagnostics to ignore."""
        for item in items:
            if item.diagnostics and self.rules_by_line:
                item = remove_diagnostics(item, self.is_ignored)
            yield item


def remove_diagnostics(
    item: CheckedInstruction, is_ignored: Callable[[Diagnostic], bool]
) -> CheckedInstruction:
    """Return an instruction without some of its diagnostics, and what belongs only to them."""
    kept = tuple(x for x in item.diagnostics if not is_ignored(x))
    if len(kept) == len(item.diagnostics):
        return item
    item = item._replace(diagnostics=kept)
    rules = {x.rule for x in kept}
    if item.example and rules.isdisjoint(item.errata):
        item = item._replace(example=None, replacement=None)
    return item
