"""Markers in a Markdown file: HTML comments, where Markdown treats them as such.

A comment in a code block or between backquotes is text about markers, not a marker.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from ...engine.syntax.errors import find_closest_spelling
from ...feature import find_command

_NAME = "ptxscope"
_SUBJECTS = {"trace": "Trace", "show": "Form"}
"""The subject of the documents of each command."""
_MAYBE = re.compile(r"<!--\s*+/?ptxscope\b")
_NEARLY = re.compile(r"<!--[\s/\\:!|-]*+(\w{5,12}+)\b(?!:\s*+ignore\b)")
"""A comment that may be a misspelt marker, and is not one of ``check``."""
_CONTAINERS = re.compile(r"(?>(?:[ \t]*+(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*)[ \t]*+")
_LINE_END = re.compile(r"\r\n?|\n")
_INLINE = re.compile(r"\\.|`++|<!--", re.DOTALL)
_COMMENT_START, _COMMENT_END = "<!--", "-->"


class Marker(NamedTuple):
    """A comment with the command of a document, or at its end."""

    start: int
    end: int
    line: int
    opens: bool
    """Whether a document begins here, rather than ends."""
    command: str
    """The command: ``trace``, ``show`` or that of a feature; empty at the end."""
    words: str
    """The arguments of the command."""
    block: int
    """The start of the first line of the paragraph, or of the HTML, that contains it."""
    is_inline: bool
    """Whether it stands in a line of text, for example in a cell of a table."""


class Doubt(NamedTuple):
    """A comment that is a misspelt or unknown marker."""

    line: int
    reason: str
    """The reason why it is not a marker."""


def find_subject(command: str) -> str:
    """Return the subject of a command's documents in a file; empty if a file has none of them."""
    if command in _SUBJECTS:
        return _SUBJECTS[command]
    entry = find_command(command)
    return entry.subject if entry else ""


def find_markers(text: str) -> list[Marker]:
    """Return the markers of a text, in order."""
    if not _MAYBE.search(text):
        return []
    return [
        Marker(comment.start, comment.end, comment.line, *words, comment.block, comment.is_inline)
        for comment in _find_comments(text)
        if (words := _parse_comment(comment.text))
    ]


def find_doubtful(text: str) -> list[Doubt]:
    """Return comments that are nearly markers, and ends without a trace."""
    if not any(_is_near(match[1]) for match in _NEARLY.finditer(text)):
        return []
    doubts, is_open = [], False
    for comment in _find_comments(text):
        match = _NEARLY.match(_COMMENT_START + comment.text)
        if reason := _parse_comment(comment.text):
            if not (reason[0] or is_open):
                doubts.append(
                    Doubt(comment.line, "there is no <!-- ptxscope trace … --> before it")
                )
            is_open = reason[0]
        elif match and _is_near(match[1]):
            why = "not a marker; one is <!-- ptxscope trace … -->, and <!-- /ptxscope --> ends it"
            doubts.append(
                Doubt(comment.line, f"`{_COMMENT_START}{comment.text.rstrip()[:40]}` is {why}")
            )
    return doubts


def _is_near(word: str) -> bool:
    return find_closest_spelling(word, (_NAME,), 0.75) is not None


def find_indent(text: str, marker: Marker) -> str:
    """Return the prefix of the lines in a marker's block, from lists and quotes."""
    indent = _CONTAINERS.match(text, marker.block, marker.start)
    return re.sub(r"[^>\s]", " ", indent[0]) if indent else ""


class _Comment(NamedTuple):
    start: int
    end: int
    line: int
    block: int
    is_inline: bool
    text: str


def _find_comments(text: str) -> Iterator[_Comment]:
    """Yield the comments of a text, where Markdown treats them as such."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text)), len(text)]
    for kind, first, last in _find_regions(text.removeprefix("\ufeff")):
        is_inline = kind == "inline"
        comments = _find_inline_comments if is_inline else _find_html_comments
        for start, end in comments(text, starts[first], starts[min(last, len(starts) - 1)]):
            line = bisect_right(starts, start, hi=len(starts) - 1)
            inner = text[start + len(_COMMENT_START) : end - len(_COMMENT_END)]
            yield _Comment(start, end, line, starts[first], is_inline, inner)


def _find_regions(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the lines in which Markdown allows comments, as half-open ranges."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark")
    markdown.core.ruler.disable(["inline", "text_join"])  # inline content is read below
    for token in markdown.parse(text):
        if token.type in ("inline", "html_block") and token.map:
            yield token.type, token.map[0], token.map[1]


def _find_html_comments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while (position := text.find(_COMMENT_START, start, end)) >= 0:
        comment_end = text.find(_COMMENT_END, position + len(_COMMENT_START), end)
        if comment_end < 0:
            return
        start = comment_end + len(_COMMENT_END)
        yield position, start


def _find_inline_comments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the comments of a paragraph, outside its code spans."""
    runs: dict[int, list[int]] = {}
    for backticks in re.finditer("`++", text[start:end]):
        runs.setdefault(len(backticks[0]), []).append(start + backticks.start())
    for positions in runs.values():
        positions.reverse()
    closes = text.rfind(_COMMENT_END, start, end)
    while (comments := _INLINE.search(text, start, end)) is not None:
        start = comments.end()
        if comments[0] == _COMMENT_START and start <= closes:
            start = text.index(_COMMENT_END, start) + len(_COMMENT_END)
            yield comments.start(), start
        elif comments[0][0] == "`":
            length = len(comments[0])
            positions = runs.get(length, [])
            while positions and positions[-1] < start:
                positions.pop()
            if positions:
                start = positions.pop() + length


def _parse_comment(comment: str) -> tuple[bool, str, str] | None:
    """Return whether a comment opens a document, its command and words; None for others."""
    match comment.split(None, 2):
        case ["/ptxscope"]:
            return False, "", ""
        case ["ptxscope", command, *words] if find_subject(command):
            return True, command, "".join(words).rstrip()
    return None
