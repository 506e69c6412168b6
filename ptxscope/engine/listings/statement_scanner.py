"""Scanner for statements that may be an instruction of the catalog: one pass, chunk by chunk.

Nothing is parsed here. One regular expression finds opcodes, scopes and declarations; another skips
the lines between them, which makes those cheap. The scanner is only a filter: ``Scopes`` interprets
declarations, the parser statements. The longest statement bounds the memory.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ..syntax.errors import Span
from ..syntax.opcodes import (
    ALL_OPCODES,
    OPCODES,
    is_meant,
    make_alternation,
    make_other_opcode_pattern,
    make_sound_pattern,
)
from ..syntax.scopes import (
    DIRECTIVES,
    RegisterDeclaration,
    Scopes,
    parse_kernel_header,
    parse_register_directive,
)
from ..syntax.tokens import Token, tokenize

WINDOW = 200
"""Characters of a line that are kept on either side of a statement."""
MAX_EXCERPT_CHARS = 3 * WINDOW
"""Characters of a line that are kept from the position of a problem."""
_MAX_STATEMENT_CHARS = 1 << 20
"""Characters after which a statement or directive is assumed to end."""

_MAX_MEMO_CHARS = 40
"""Length limit for memoised directives, in characters."""

_WORD = r"(?<![\w.$%])[A-Za-z][\w$]*+"
_DIRECTIVE = rf"(?:reg(?=\.)|(?:{'|'.join(sorted(x[1:] for x in DIRECTIVES))})(?![\w.$]))"
_OTHER_OPCODE = make_other_opcode_pattern()
_OTHER_HEAD = rf"{_OTHER_OPCODE}(?>(?:\.[\w$]++)*)"
_OTHER_PATTERN = re.compile(_OTHER_OPCODE, re.ASCII)
_SKIP = r'"[^"\n]*+"|//[^\n]*+|\{[\w$%,\s]*+\}'
_EVENT = re.compile(
    rf"""(?P<skip>{_SKIP}|/\*.*?\*/)
      | (?P<comment>/\*)
      | (?P<brace>[{{}}])
      | (?P<guard>@)
      | (?P<directive>(?<![\w$])\.{_DIRECTIVE})
      | (?P<opcode>(?<![\w.$%])(?!{_OTHER_OPCODE})[A-Za-z][\w$]*+
         (?=[ \t]*+\.|\s++\.[a-z]|[ \t]++[\w$%]++[ \t]*+[,|]|(?P<noted>\s*+/[/*])
            |(?P<bare>\s*+(?:[^\s:=.,/]|\Z))))
        (?>(?P<rest>[^;{{}}/\n]{{0,{WINDOW}}}+;)|)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
"""The next event. ``rest`` is the rest of a statement if it is short and on one line.

Text after a comment is examined only if the word before the comment may be an opcode.
"""
_EVENTLESS_TEXT = re.compile(
    rf"""[^\w"/{{}}.$%@]*+
        (?>(?:(?:%[\w$]++(?>\.[\w$]++|)
            | [$_0-9][\w$]*+(?>\.[\w$]++|)
            | {_OTHER_HEAD}
            | (?!(?:{make_alternation(OPCODES)})(?![\w$]))[A-Za-z][\w$]*+(?![\s.;/])
            | {_SKIP}
            | \.(?!{_DIRECTIVE})[\w$]++)
          [^\w"/{{}}.$%@]*+)*)""",
    re.VERBOSE | re.ASCII,
)
"""Text without events, word by word: five times as fast as a search for events.

No event begins after a dot or within a word, nor at a word that is not an opcode of the catalog
and is not followed by a blank, a dot, a comment or ``;``.
"""


@cache
def _make_strict_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return both patterns for texts of which every statement counts, not only the catalog's.

    What seems legal is no event.
    """
    sound = make_sound_pattern()
    text = _EVENTLESS_TEXT.pattern.replace(_OTHER_HEAD, sound)
    event = _EVENT.pattern.replace(_OTHER_OPCODE, sound)
    return re.compile(event, _EVENT.flags), re.compile(text, _EVENTLESS_TEXT.flags)


_STATEMENT_START = re.compile(
    r"(?:\A|[;{}:]|\*/|(?:^[ \t]*+\.|//)[^\n]*+\n)\s*+(?>@\s*+(?>!\s*+|)[\w$%]++\s++|)\Z",
    re.MULTILINE | re.ASCII,
)
"""Text before an opcode that only its position distinguishes from an operand."""
_LAST_WORD = re.compile(rf"{_WORD}\s++\Z", re.ASCII)
"""A word at the end that may be an opcode."""
_WORD_BEFORE_COMMENT = re.compile(rf"{_WORD}\s*+\Z", re.ASCII)
"""Such a word before a comment."""
_GUARD_TEXT = re.compile(
    r"(?>(?:[^\w$%;{}\"/]++|\"[^\"\n]*+\"|//[^\n]*+|/\*.*?\*/|/(?![/*])|\{[\w$%, \t]*+\}"
    rf"|(?:(?<=[@!])|(?!(?:{make_alternation(ALL_OPCODES)})(?![\w$])))[\w$%]++)*)",
    re.DOTALL | re.ASCII,
)
"""Text between the ``@`` of a guard and an opcode, whether it is a guard or not.

It excludes braces on several lines, because a chunk may end between them.
"""
_OPCODE_BEFORE_DOT = re.compile(rf"{_WORD}(?>(?:\.[\w:]++)*)[ \t]++\Z", re.ASCII)
"""Text before a dot that starts a modifier, not a directive: ``ld .global``."""
_BEFORE_DIRECTIVES = frozenset(["\n\t", "\n", ";\n", "\n\n", ";\t", "; ", "{ ", "\n "])
"""Text that precedes most directives, and never follows an opcode."""
_COMMENT = r"//[^\n]*+|/\*.*?(?:\*/|\Z)"
_SPACE = rf"(?>(?:\s++|{_COMMENT})*)"
_NOTES = re.compile(_SPACE, re.DOTALL | re.ASCII)
_TEXT_AFTER_OPCODE = re.compile(r"\.[a-z]|[\w$%]++[ \t]*+[,|]|(?P<bare>;)", re.ASCII)
"""Text after a comment that makes the word before it an opcode."""
_STATEMENT_END = re.compile(
    rf"{_COMMENT}|(?P<stop>[;{{}}])"
    rf"|\n\s*+(?P<line>(?=(?>@\s*+(?>!\s*+|)[\w$%]++\s++|)(?:{make_alternation(ALL_OPCODES)}){_SPACE}\."
    r"|(?P<last>(?:exit|ret|trap)\s*+;)))?",
    re.DOTALL | re.ASCII,
)
_GUARD = re.compile(r"@\s*+(?>!\s*+|)[\w$%]++\s*+", re.ASCII)
_STATEMENT, _BLOCK = "statement", "block"
_MAX_BLOCKS = 200
"""Levels of nested braces that are tracked."""
_UNUSUAL = re.compile(r"[{}\n/]")
_LINE_END = re.compile("\n")
_MARK = re.compile('"|//')
_DECLARATION_END = re.compile(rf"{_COMMENT}|(?P<stop>[;){{}}=])", re.DOTALL)
_DIRECTIVE_ENDS = {
    **dict.fromkeys((".entry", ".func"), re.compile(rf"{_COMMENT}|(?P<stop>[;{{])", re.DOTALL)),
    **dict.fromkeys((".version", ".target"), re.compile(rf"{_COMMENT}|(?P<stop>\n)", re.DOTALL)),
}
"""The ends of directives that are not declarations."""


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


class Candidate(NamedTuple):
    """A statement whose opcode is, or probably should be, an opcode of the catalog; not parsed.

    Or a problem between statements: a guard before a ``{``, a ``;`` alone, or a ``.reg`` of a
    register that is already declared. Then ``opcode`` is the position of the brace, the ``;`` or
    the register.
    """

    text: str
    """The statement from its guard to its ``;``, or to where that is missing."""
    opcode: int
    """Position of the opcode in the text."""
    start: int
    """Position of the text in the whole listing."""
    line: int
    column: int
    """Line and column of the text, from 1."""
    preceding_text: str
    """Text before it in its line."""
    following_text: str
    """Text after it in its last line."""
    cut_off: bool
    """Whether the listing ends before the statement does."""
    scopes: Scopes
    """The declarations up to here; valid until the next statement is read."""
    is_plain: bool = False
    """Whether its opcode is not meant to be one of the catalog: it is common, or unknown."""

    def locate(self, start: int, end: int) -> SourceLocation:
        """Return the location of a range of the text."""
        text, _, _, line, column, preceding_text, following_text, *_ = self
        if start <= end <= len(text) <= 2 * WINDOW and "\n" not in text:  # fast path
            shift = len(preceding_text)
            span = (start + shift, end + shift)
            return SourceLocation(
                line, column + start, preceding_text + text + following_text, span, end - start
            )
        lines = _find_line_starts(self.text)
        index = bisect_right(lines, start) - 1
        line_start = lines[index]
        line_end = lines[index + 1] - 1 if index + 1 < len(lines) else len(self.text)
        excerpt_start = max(line_start, start - 2 * WINDOW)
        preceding_text = "" if excerpt_start else self.preceding_text
        excerpt = (
            preceding_text + self.text[excerpt_start : min(line_end, start + MAX_EXCERPT_CHARS)]
        )
        if line_end == len(self.text) and line_end - start <= MAX_EXCERPT_CHARS:
            excerpt += self.following_text
        column = (start - line_start + 1) if line_start else self.column + start
        shift = len(preceding_text) - excerpt_start
        span = (start + shift, max(min(end + shift, len(excerpt)), start + shift))
        return SourceLocation(
            self.line + index, column, excerpt, span, max(min(end, line_end) - start, 0)
        )


@lru_cache(maxsize=2)
def _find_line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _LINE_END.finditer(text))] if "\n" in text else [0]


def scan_statements(
    chunks: Iterable[str], scopes: Scopes | None = None, *, is_strict: bool = False
) -> Iterator[Candidate]:
    """Yield every statement of a listing that may be an instruction of the catalog, in order.

    The chunks may end anywhere. ``is_strict``: yield other statements, too, if they may be illegal.
    """
    window, scopes = _Window(), scopes or Scopes()
    pending_chunks = list[str]()
    size = 0
    for chunk in chunks:
        pending_chunks.append(chunk)
        size += len(chunk)
        # rescan the unread text only when it has doubled
        if size > window.unread_count:
            window.append_chunk("".join(pending_chunks))
            yield from _scan_window(window, scopes, is_strict)
            pending_chunks, size = [], 0
    window.append_chunk("".join(pending_chunks), is_final=True)
    yield from _scan_window(window, scopes, is_strict)


def _scan_window(window: _Window, scopes: Scopes, is_strict: bool) -> Iterator[Candidate]:
    """Yield the candidates in the window, up to its limit or to the end of the last one."""
    if not window.skip_comment():
        return
    text, limit = window.text, window.limit
    event_pattern, skipped_pattern = (
        _make_strict_patterns() if is_strict else (_EVENT, _EVENTLESS_TEXT)
    )
    while True:
        if window.ended_part and (empty := window.find_empty_statement()) is not None:
            yield window.make_candidate(empty, empty + 1, scopes)
            window.position = empty + 1
        dull = skipped_pattern.match(text, window.position, limit)
        event = event_pattern.search(text, dull.end() if dull else window.position, limit)
        if not scopes.is_flow_known:
            scopes.read_flow(text[window.position : event.start() if event else limit])
        if event is None:
            break
        start, end = event.span()
        statement_end: int | None = end
        kind = event.lastgroup
        if kind == "rest" or kind == "opcode":
            is_opcode = window.has_opcode(event)
            if is_strict and _OTHER_PATTERN.match(text, start):
                is_opcode = False
            is_plain = is_strict and is_opcode is False and window.has_plain_opcode(event)
            if is_opcode or is_plain:
                if kind == "opcode":
                    statement_end = window.find_statement_end(end)
                if statement_end is not None:
                    candidate = window.make_candidate(start, statement_end, scopes)
                    yield candidate._replace(is_plain=True) if is_plain else candidate
                    window.ended_part = _STATEMENT if text[statement_end - 1] == ";" else ""
            else:
                statement_end = None if is_opcode is None else event.end("opcode")
        elif kind == "guard":
            window.begin_guard(start)
        elif kind == "brace":
            if event[0] == "}":
                window.close_block()
                scopes.close_scope()
            else:
                if window.has_guard_before(start):
                    yield window.make_candidate(start, end, scopes)
                window.open_block(start)
                scopes.open_scope()
        elif kind == "directive":
            if not window.is_modifier(start):
                statement_end = window.find_directive_end(event[0], end)
                if statement_end is not None:
                    duplicate_start = _apply_directive(scopes, text[start:statement_end])
                    if duplicate_start >= 0:
                        yield window.make_candidate(
                            start, statement_end, scopes, start + duplicate_start
                        )
                    window.directive_end = window.base + statement_end
        elif kind == "comment":
            window.drop_guard(start)
            window.position, window.is_in_comment = end, True
            if not window.skip_comment():
                return
            continue
        if statement_end is None:  # scan again from here when there is more of the listing
            window.position = start
            return
        window.position = statement_end
    window.position = max(window.position, window.limit)


def _apply_directive(scopes: Scopes, directive: str) -> int:
    """Apply a directive to the scopes.

    Short ones, such as ``.reg .b32 %r<9>;``, recur and are memoised. Return the position in the
    directive of a register that is already declared, or -1.
    """
    if len(directive) > _MAX_MEMO_CHARS:
        header = parse_kernel_header(directive)
        if header is not None:
            scopes.add_kernel(header)
            return -1
        words: Sequence[Token] = tokenize(directive)
        registers = parse_register_directive(words)
    else:
        words, registers = _parse_short_directive(directive)
    if registers is None:
        scopes.read_directives(words)
        return -1
    duplicate = scopes.find_duplicate(registers)
    scopes.add_directive(registers)
    return max(x.start for x in words if x.text == duplicate) if duplicate else -1


@lru_cache(maxsize=1 << 10)
def _parse_short_directive(
    directive: str,
) -> tuple[Sequence[Token], tuple[RegisterDeclaration, ...] | None]:
    words = tuple(tokenize(directive))
    return words, parse_register_directive(words)


class _Window:
    """The current part of a listing; it moves forward and is read from ``position`` on."""

    def __init__(self) -> None:
        self.text = ""
        self.base = 0
        """Characters of the listing before the window."""
        self.position = 0
        """End of the part of the window that has been read."""
        self.limit = 0
        """End of the part that can be read without more of the listing."""
        self.is_final = False
        """Whether the listing ends with the window."""
        self.is_in_comment = False
        """Whether a comment is open at ``position``."""
        self._guard = -1
        """Position of the first guard of the current statement; -1 for none."""
        self._guard_end = 0
        """End of the text after the guard that neither ends nor begins a statement."""
        self._line = 1
        self._line_start = 0
        """Position of the current line in the listing."""
        self._counted_end = 0
        """End of the part of the window with counted line ends."""
        self._semicolon = -1
        """Position of the next semicolon in the window, or its length if there is none."""
        self.ended_part = ""
        """Kind of text that just ended, apart from blanks and comments: ``_STATEMENT``, ``_BLOCK``.
        """
        self.directive_end = -1
        """End of the last directive in the listing."""
        self._blocks: list[bool] = []
        """For each open brace, whether it begins a block of statements."""

    @property
    def unread_count(self) -> int:
        """Number of unread characters in the window."""
        return len(self.text) - self.position

    def append_chunk(self, chunk: str, *, is_final: bool = False) -> None:
        """Append more of the listing, and keep a little of the read part for its line and guard."""
        if not self.is_in_comment:
            self.drop_guard(self.position)
        if self.position - self._guard > _MAX_STATEMENT_CHARS:  # a guard is never that long
            self._guard = -1
        dropped_count = max((self.position if self._guard < 0 else self._guard) - WINDOW, 0)
        self._count(dropped_count)
        self.text = self.text[dropped_count:] + chunk
        self.base += dropped_count
        self.position -= dropped_count
        self._counted_end -= dropped_count
        self._guard_end -= dropped_count
        self._guard = max(self._guard - dropped_count, -1)
        self._semicolon = -1
        self.is_final = is_final
        self.limit = len(self.text) if is_final else self._find_safe_end()

    def _find_safe_end(self) -> int:
        """Return the end of the last line, but before an opcode that may continue.

        Its modifiers may be in the next line. The end never splits a comment or a string.
        """
        end = self.text.rfind("\n", self.position) + 1
        if not end and self.unread_count > _MAX_STATEMENT_CHARS:
            end = self.text.rfind(";", self.position) + 1 or len(self.text)
        if match := _LAST_WORD.search(
            self.text, max(self.position, end - WINDOW), max(end, self.position)
        ):
            end = match.start()
            line = max(self.text.rfind("\n", self.position, end) + 1, self.position)
            if mark := _MARK.search(self.text, line, end):
                end = mark.start()
                if comment_match := _WORD_BEFORE_COMMENT.search(
                    self.text, max(self.position, end - WINDOW), end
                ):
                    end = comment_match.start()
        return end or self.position

    def skip_comment(self) -> bool:
        """Skip the open comment, if any; return False if its end is not in the window."""
        if self.is_in_comment:
            close = self.text.find("*/", self.position)
            if close < 0:  # the last character may begin the `*/`
                self.position = max(self.position, len(self.text) - (not self.is_final))
                return False
            self.is_in_comment, self.position = False, close + 2
            self._guard_end = self.position
        return True

    def begin_guard(self, position: int) -> None:
        """Start tracking a guard at an ``@``, unless it belongs to an earlier guard."""
        self.drop_guard(position)
        if self._guard < 0:
            self._guard = position
        self._guard_end = position + 1

    def drop_guard(self, position: int) -> None:
        """Stop tracking the guard if its statement ends before a position, or has begun."""
        if self._guard >= 0 and self._guard_end < position:
            match = _GUARD_TEXT.match(self.text, self._guard_end, position)
            self._guard_end = match.end() if match else self._guard_end
            if self._guard_end < position:
                self._guard = -1

    def open_block(self, position: int) -> None:
        """Handle a ``{``: of a function, at the beginning of a statement, or around values."""
        self.ended_part = ""
        is_body = self.directive_end == self.base + position
        is_block = (
            is_body
            or _STATEMENT_START.search(self.text, max(position - WINDOW, 0), position) is not None
        )
        if len(self._blocks) == _MAX_BLOCKS:
            self._blocks.clear()
        self._blocks.append(is_block)

    def close_block(self) -> None:
        """Handle a ``}``."""
        is_block = self._blocks.pop() if self._blocks else False
        self.ended_part = _BLOCK if is_block else ""

    def has_guard_before(self, position: int) -> bool:
        """Return whether only a guard precedes a position in its statement."""
        is_near = self._guard >= 0 and position - self._guard < WINDOW
        return is_near and _GUARD.fullmatch(self.text, self._guard, position) is not None

    def find_empty_statement(self) -> int | None:
        """Return the position of a ``;`` after a block, or in a line after a statement."""
        notes = _NOTES.match(self.text, self.position, self.limit)
        position = notes.end() if notes else self.position
        if self.ended_part == _STATEMENT and "\n" in self.text[self.position : position]:
            self.ended_part = _BLOCK
        if position >= self.limit and not self.is_final:
            return None
        is_empty = self.ended_part == _BLOCK and self.text.startswith(";", position, self.limit)
        self.ended_part = ""
        return position if is_empty else None

    def has_opcode(self, event: re.Match[str]) -> bool | None:
        """Return whether the event is, or probably should be, an opcode of the catalog.

        A bare word must begin a statement. Return None if more of the listing is needed.
        """
        word, bare_text, comment = event.group("opcode", "bare", "noted")
        if comment is not None:
            return is_meant(word) and self._is_opcode_before_comment(
                word, event.start(), event.end("opcode")
            )
        if bare_text is None:
            return is_meant(word)
        is_bare = self._is_opcode(word, event.start())
        if bare_text.strip():
            return is_bare
        return None if is_bare and not self.is_final else False

    def has_plain_opcode(self, event: re.Match[str]) -> bool:
        """Return whether the event is an opcode of PTX, or a word in the place of one."""
        word, start = event["opcode"], event.start()
        if word not in ALL_OPCODES:
            is_likely = word.islower() and self.text.startswith(".", event.end("opcode"))
            if not is_likely:
                return False
        return _STATEMENT_START.search(self.text, max(start - WINDOW, 0), start) is not None

    def _is_opcode(self, word: str, start: int) -> bool:
        """Return whether a word is an opcode although it looks like an operand."""
        search_start = max(start - WINDOW, 0)
        return (
            word in OPCODES and _STATEMENT_START.search(self.text, search_start, start) is not None
        )

    def _is_opcode_before_comment(self, word: str, start: int, end: int) -> bool | None:
        """Return whether a word followed by a comment is an opcode, or None if unknown."""
        notes = _NOTES.match(self.text, end, self.limit)
        text_end = notes.end() if notes else end
        if text_end - start > _MAX_STATEMENT_CHARS:
            return False
        if text_end == self.limit and not self.is_final:
            return None
        match = _TEXT_AFTER_OPCODE.match(self.text, text_end, self.limit)
        return match is not None and (match["bare"] is None or self._is_opcode(word, start))

    def is_modifier(self, position: int) -> bool:
        """Return whether a dotted word belongs to an opcode before it."""
        if self.text[max(position - 2, 0) : position] in _BEFORE_DIRECTIVES:
            return False
        return _OPCODE_BEFORE_DOT.search(self.text, max(position - 80, 0), position) is not None

    def find_directive_end(self, directive: str, start: int) -> int | None:
        """Return the end of a directive, after its ``;``, or None if unknown yet."""
        end = _DIRECTIVE_ENDS.get(directive, _DECLARATION_END)
        for match in end.finditer(self.text, start, self.limit):
            if mark := match["stop"]:
                return match.start() + (mark == ";")
        return self._find_forced_end(start)

    def find_statement_end(self, start: int) -> int | None:
        """Return the end of a statement, after its ``;``, or None if unknown yet."""
        if self._semicolon < start:
            position = self.text.find(";", start)
            self._semicolon = position if position >= 0 else len(self.text)
        semicolon = self._semicolon
        if semicolon < self.limit and not _UNUSUAL.search(self.text, start, semicolon):
            return semicolon + 1
        depth, note = 0, None
        for match in _STATEMENT_END.finditer(self.text, start, self.limit):
            note = match if match[0][:1] == "/" else note
            if match["line"] is not None:
                near = self.text[max(match.start() - WINDOW, start) : match.start()]
                if match["last"] is None or not near.rstrip().endswith(","):
                    is_noted = note and not self.text[note.end() : match.start()].strip()
                    return note.start() if note and is_noted else match.start()
                continue
            mark = match["stop"]
            if mark == ";":
                return match.end()
            if mark == "}" and not depth:
                return match.start()
            depth += (mark == "{") - (mark == "}")
        return self._find_forced_end(start)

    def _find_forced_end(self, start: int) -> int | None:
        """Return the limit if text that begins at ``start`` cannot continue after it, or None."""
        return self.limit if self.is_final or self.limit - start > _MAX_STATEMENT_CHARS else None

    def make_candidate(
        self, opcode: int, end: int, scopes: Scopes, problem_start: int | None = None
    ) -> Candidate:
        """Return the statement with its opcode at a position, including its guard."""
        text, start = self.text, opcode
        if self._guard >= 0:
            self.drop_guard(opcode)
            if self._guard >= 0 and opcode - self._guard <= _MAX_STATEMENT_CHARS:
                start = self._guard
            self._guard = -1
        self._count(start)
        line_start = max(self._line_start - self.base, start - WINDOW, 0)
        line_end = text.find("\n", end, end + WINDOW)
        listing_start = self.base + start
        return Candidate(
            text[start:end],
            (opcode if problem_start is None else problem_start) - start,
            listing_start,
            self._line,
            listing_start - self._line_start + 1,
            text[line_start:start],
            text[end : line_end if line_end >= 0 else end + WINDOW],
            end == self.limit and text[end - 1] != ";",
            scopes,
        )

    def _count(self, position: int) -> None:
        """Count the lines up to a position of the window."""
        if position <= self._counted_end:
            return
        line_count = self.text.count("\n", self._counted_end, position)
        if line_count:
            self._line += line_count
            self._line_start = self.base + self.text.rfind("\n", self._counted_end, position) + 1
        self._counted_end = position
