"""Diagnostics that are left out: by rule, or by comments such as ``// ptxscope: ignore[E3]``."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Set

from ...engine.syntax.errors import find_closest_spelling, quote_word
from ...sources.source_location import LineIndex, SourceLocation
from .check_rules import Severity, map_rules
from .diagnostic import CheckedInstruction, Diagnostic, make_item

_COMMENT = re.compile(
    r"ptxscope:[ \t]{0,9}+ignore\b"
    r"(?:(?P<opened>[ \t]{0,9}+\[)(?P<rules>[^\]\n]*+)(?P<closed>\]?))?",
    re.ASCII,
)
_RULE = re.compile(r"[^\s,]++")
_MARK = "ptxscope:"
_MAX_LINE_CHARS = 1 << 12
"""Characters of an unfinished line that are held back."""
_BEFORE = re.compile(r"[\s\"]*+(?://|/\*|\*|;|--|\#(?![a-z])|<!--)[^\n]*+\Z")
"""Text before a comment that has a line of its own: the comment's beginning."""
_CONTEXT_CHARS = 200
_ALL = frozenset[str]()
"""The rules that a comment without rules ignores: all."""


class IgnoreComments:
    """The comments of a text that ask to ignore diagnostics.

    One in a line of its own is about the next line, too.
    """

    def __init__(self) -> None:
        self.rules_by_line = dict[int, Set[str]]()
        self._line = 1
        self._problems = deque[Diagnostic]()

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
        """Record the comments of the next text."""
        counted_end = 0
        for match in _COMMENT.finditer(text) if _MARK in text else ():
            self._line += text.count("\n", counted_end, match.start())
            counted_end = match.start()
            line_start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _CONTEXT_CHARS)
            words = _RULE.findall(match["rules"] or "")
            self._problems.extend(self._find_problems(text, match))
            rules = frozenset(words) & map_rules().keys()
            if (words and not rules) or (match["opened"] and not match["closed"]):
                continue
            self._add(self._line, rules)
            if _BEFORE.match(text, line_start, match.start()):
                self._add(self._line + 1, rules)
        self._line += text.count("\n", counted_end)

    def _find_problems(self, text: str, comment: re.Match[str]) -> Iterator[Diagnostic]:
        """Yield the diagnostics about a comment whose line has been counted."""
        if comment["opened"] and not comment["closed"]:
            start = comment.end("opened") - 1
            message = "the `[` is not closed: this comment ignores nothing"
            yield Diagnostic("comment", message, self._locate(text, start, start + 1), "]")
            return
        for rule in _RULE.finditer(text, *comment.span("rules")) if comment["opened"] else ():
            if rule[0] not in map_rules():
                close = find_closest_spelling(rule[0], list(map_rules()))
                message = f"{quote_word(rule[0])} is not a rule of `check`"
                message += f"; did you mean `{close}`?" if close else ""
                location = self._locate(text, *rule.span())
                yield Diagnostic(
                    "comment", message, location, "" if close else " ".join(map_rules())
                )

    def _locate(self, text: str, start: int, end: int) -> SourceLocation:
        """Return the location of a range of the text in the current line."""
        return LineIndex(text).locate(start, end)._replace(line=self._line)

    def _add(self, line: int, rules: Set[str]) -> None:
        present = self.rules_by_line.get(line)
        is_all = not rules or (present is not None and not present)
        self.rules_by_line[line] = _ALL if is_all else rules | (present or _ALL)

    def is_ignored(self, diagnostic: Diagnostic) -> bool:
        """Return whether a comment asks to ignore a diagnostic."""
        for line in (diagnostic.location.line, *diagnostic.constraint_lines):
            rules = self.rules_by_line.get(line)
            if rules is not None and (not rules or diagnostic.rule in rules):
                return True
        return False

    def report_items(
        self, items: Iterable[CheckedInstruction], name: str
    ) -> Iterator[CheckedInstruction]:
        """Yield the instructions as ``filter_items`` does, and the diagnostics about comments."""
        for item in drop_repetitions(self.filter_items(items)):
            while self._problems and self._problems[0].location.line < item.location.line:
                yield make_item(name, "", self._problems.popleft())
            yield item
        yield from (make_item(name, "", x) for x in self._problems)

    def filter_items(self, items: Iterable[CheckedInstruction]) -> Iterator[CheckedInstruction]:
        """Yield the instructions without the diagnostics to ignore."""
        return filter_items(items, lambda x: bool(self.rules_by_line) and self.is_ignored(x))


def remove_diagnostics(
    item: CheckedInstruction, is_ignored: Callable[[Diagnostic], bool]
) -> CheckedInstruction:
    """Return an instruction without some of its diagnostics and the fields that only they need."""
    kept = tuple(x for x in item.diagnostics if not is_ignored(x))
    if len(kept) == len(item.diagnostics):
        return item
    item = item._replace(diagnostics=kept)
    rules = {x.rule for x in kept}
    if item.example and rules.isdisjoint(item.errata):
        item = item._replace(example=None, replacement=None)
    return item


def filter_items(
    items: Iterable[CheckedInstruction], is_ignored: Callable[[Diagnostic], bool]
) -> Iterator[CheckedInstruction]:
    """Yield the instructions without some diagnostics; items that have no others are left out."""
    for item in items:
        if item.diagnostics:
            kept = remove_diagnostics(item, is_ignored)
            if not (kept.diagnostics or item.is_instruction):
                continue
            item = kept
        yield item


def hide_remarks(items: Iterable[CheckedInstruction]) -> Iterator[CheckedInstruction]:
    """Yield the instructions without remarks, as ``check`` does unless asked for them."""
    return filter_items(items, lambda x: x.severity is Severity.REMARK)


def drop_repetitions(items: Iterable[CheckedInstruction]) -> Iterator[CheckedInstruction]:
    """Yield the instructions of a file with each minor diagnostic once."""
    minor_keys = set[tuple[str, str]]()

    def is_repeated(diagnostic: Diagnostic) -> bool:
        key = diagnostic.rule, diagnostic.message
        if not diagnostic.is_minor or key not in minor_keys:
            minor_keys.add(key)
            return False
        return True

    return filter_items(items, is_repeated)
