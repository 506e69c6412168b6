"""The statements of a listing to check, read chunk by chunk.

The tokenizer skips statements that seem legal and need no diagnostic.
``Scopes`` interprets declarations, the parser statements. The longest statement bounds the memory.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from typing import NamedTuple

from ...engine.syntax.opcodes import (
    ALL_OPCODES,
    BRANCHES,
    OPCODES,
    OTHER_OPCODES,
    RARE_MODIFIERS,
    SHARED_OPCODES,
    looks_like_opcode,
    make_alternation,
)
from ...engine.syntax.scopes import RegisterDeclaration, parse_registers
from ...engine.syntax.tokens import (
    DIRECTIVES,
    TOKEN,
    Token,
    TokenGroupKind,
    TokenKind,
    find_group,
    make_token_pattern,
    skip_guard,
    tokenize,
)
from ...sources.source_location import MAX_EXCERPT_CHARS, WINDOW, SourceLocation
from .checked_scopes import CheckedScopes
from .sound_statements import make_sound_pattern
from .text_problems import OPEN_COMMENT

_MAX_STATEMENT_CHARS = 1 << 20
"""Characters after which a statement or directive is assumed to end."""
_SLICE_CHARS = 1 << 16
"""Characters that are tokenized at once."""
KEPT_CHARS = 1 << 13
"""Characters that are kept before a statement."""
_LINE_END = re.compile("\n")
_VECTOR = re.compile(r"\{[\w$%,\s]*+\}", re.ASCII)
_GUARD = r"(?>@!?+[%\w$]++[ \t]++|)"
_START = re.compile(rf"{_GUARD}(?P<opcode>\w*+)", re.ASCII)
_CHECKED_OPCODES = OPCODES - SHARED_OPCODES
_ENDED = frozenset([TokenGroupKind.LABEL, TokenGroupKind.BLOCK_START, TokenGroupKind.BLOCK_END])
"""The groups of tokens that end a statement: nothing continues them."""


class _Patterns(NamedTuple):
    sound: re.Pattern[str]
    """A statement, from its opcode on, that seems legal apart from its registers."""
    token: re.Pattern[str]
    """The next token; such statements are part of blanks, or tokens themselves."""
    blanks: re.Pattern[str]
    """Blanks, and such statements if they are skipped."""


@cache
def make_patterns(*, is_skipping: bool = True, reads_all: bool = False) -> _Patterns:
    """Return the patterns that skip statements, or none; ``reads_all``: they skip only lines."""
    sound = make_sound_pattern()
    other = rf"{_GUARD}(?!(?:{'|'.join(sorted(BRANCHES))}|call)\b){sound}"
    skipped = rf"{'' if reads_all else f'{other}|'}\.loc[ \t][^;{{}}\"/\n]*+(?=\n)"
    skipped = skipped if is_skipping else "(?!)"
    opcodes = make_alternation(_CHECKED_OPCODES)
    whole = rf"(?:{_GUARD}(?:{opcodes})(?=\.)|\.reg(?=[ \t]))[^;{{}}\"/\n@]{{0,{WINDOW}}}+;"
    whole = f"{whole}|{other}" if reads_all else whole
    blanks = rf"(?>(?:\s++|//[^\n]*+\n|/\*.*?\*/|{skipped})*)"
    flags = re.DOTALL | re.ASCII
    return _Patterns(
        re.compile(sound, flags), make_token_pattern(skipped, whole), re.compile(blanks, flags)
    )


class Candidate(NamedTuple):
    """An unparsed statement whose opcode is, or probably should be, an opcode of the catalog.

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
    scopes: CheckedScopes
    """The declarations up to here; valid until the next statement is read."""
    is_plain: bool = False
    """Whether its opcode is common or unknown, and not meant to be one of the catalog."""
    is_sound: bool = False
    """Whether it is such a statement and seems legal apart from its registers."""

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


class CandidateReader:
    """Reads the statements of a listing that may be an instruction of the catalog.

    The chunks may end anywhere. ``is_strict``: read other statements, too, if they may be illegal.
    ``reads_all``: read the statements that seem legal as well.
    """

    def __init__(
        self,
        chunks: Iterable[str],
        scopes: CheckedScopes | None = None,
        *,
        is_strict: bool = False,
        reads_all: bool = False,
    ) -> None:
        self._chunks, self._scopes = chunks, scopes or CheckedScopes()
        self._is_strict, self._reads_all = is_strict or reads_all, reads_all
        self._text = ""
        """The part of the listing that is kept."""
        self._base = 0
        """Characters of the listing before it."""
        self._position = 0
        """End of the part of the text that has been read."""
        self._end = 0
        """End of the part that is read now."""
        self._is_final = False
        """Whether the listing ends with the text."""
        self._is_in_comment = False
        """Whether a comment is open at the position."""
        self._ended_line = -1
        """The line of the last candidate's ``;``, if nothing but a ``;`` has been read since."""
        self._line = 1
        self._line_start = 0
        """Position of the current line in the listing."""
        self._counted_end = 0
        """End of the part of the text with counted line ends."""

    def __iter__(self) -> Iterator[Candidate]:
        """Yield the candidates in order."""
        chunks, size = list[str](), 0
        for chunk in self._chunks:
            for start in range(0, len(chunk), _SLICE_CHARS):
                chunks.append(chunk[start : start + _SLICE_CHARS])
                size += len(chunks[-1])
                # read the unread text again only when it has doubled
                if size > len(self._text) - self._position:
                    yield from self._read("".join(chunks))
                    chunks, size = [], 0
        self._is_final = True
        yield from self._read("".join(chunks))

    def copy_text(self, start: int, end: int) -> str:
        """Return a range of the listing, of which at most ``KEPT_CHARS`` have been read."""
        return self._text[max(start - self._base, 0) : end - self._base]

    def _append(self, chunk: str) -> bool:
        """Append more of the listing; return whether its last statement counts as complete."""
        dropped_count = max(self._position - KEPT_CHARS, 0)
        self._count(dropped_count)
        text = self._text = self._text[dropped_count:] + chunk
        self._base += dropped_count
        self._position -= dropped_count
        self._counted_end -= dropped_count
        position, unread_count = self._position, len(text) - self._position
        self._end = len(text) if self._is_final else text.rfind("\n", position) + 1
        if not self._end and unread_count > _SLICE_CHARS and text.find('"', position) < 0:
            self._end = text.rfind(";", position, len(text) - WINDOW) + 1
        if not self._end and unread_count > _MAX_STATEMENT_CHARS:
            self._end = text.rfind(";", position) + 1 or len(text)
        return self._is_final or self._end - position > _MAX_STATEMENT_CHARS

    def _read(self, chunk: str) -> Iterator[Candidate]:
        is_ended = self._append(chunk)
        text, scopes = self._text, self._scopes
        patterns = make_patterns(reads_all=self._reads_all)
        if self._is_in_comment:
            close = text.find("*/", self._position)
            if close < 0:  # the last character may begin the `*/`
                self._position = max(self._position, len(text) - (not self._is_final))
                return
            self._is_in_comment, self._position = False, close + 2
        if self._is_strict and (skipped := patterns.blanks.match(text, self._position, self._end)):
            self._position = skipped.end()
        token = patterns.token if self._is_strict else TOKEN
        words, i = tokenize(text, self._position, self._end, token), 0
        while i < len(words):
            if words[i].text == ";":
                self._count(words[i].start)
                if self._ended_line != self._line:
                    yield self._make_candidate(words[i].start, words[i].start, words[i].end)
                i += 1
                continue
            word = words[i]
            if word.kind is TokenKind.STATEMENT:
                i += 1
                if word.text[0] == ".":
                    yield from self._declare(_parse_registers(word.text), word.start, word.end)
                    continue
                start = _START.match(text, word.start)
                assert start
                is_sound = self._reads_all and start["opcode"] not in _CHECKED_OPCODES
                yield self._make_candidate(
                    word.start, start.start("opcode"), word.end, is_sound=is_sound
                )
                self._ended_line = -1 if is_sound else self._line
                continue
            self._ended_line = -1
            kind, _, end = find_group(text, words, i, ALL_OPCODES)
            if end == len(words) and not (is_ended or kind in _ENDED or words[end - 1].text == ";"):
                break
            if kind is TokenGroupKind.STATEMENT:
                brace = skip_guard(words, i)
                is_guard = i < brace < len(words) and words[brace].text == "{"
                if is_guard and not _VECTOR.match(text, words[brace].start):
                    yield self._make_candidate(words[i].start, words[brace].start, words[brace].end)
                    scopes.open_scope()
                    i = brace + 1
                    continue
                if candidate := self._read_statement(words, i, end):
                    yield candidate
                end += end < len(words) and words[end].text == ";"
            elif kind is TokenGroupKind.LABEL:
                scopes.add_label(word.text, self._base + word.start)
            elif kind is TokenGroupKind.BLOCK_START:
                scopes.open_scope()
            elif kind is TokenGroupKind.BLOCK_END:
                scopes.close_scope()
            elif kind is TokenGroupKind.DIRECTIVE:
                if word.text == ".reg":
                    registers = parse_register_directive(words[i:end])
                    yield from self._declare(registers, word.start, words[end - 1].end)
                else:
                    scopes.read_directives(words[i:end])
                if word.text not in DIRECTIVES and (
                    candidate := self._read_statement(words, i, end - (words[end - 1].text == ";"))
                ):
                    yield candidate
            i = end
        if i:
            self._position = words[i - 1].end
        comment = OPEN_COMMENT.match(text, self._position, self._end) if i == len(words) else None
        if comment and not self._is_final:
            self._is_in_comment, self._position = True, comment.end()

    def _read_statement(self, words: Sequence[Token], start: int, end: int) -> Candidate | None:
        """Return a statement if it may be an instruction of the catalog, or may be illegal."""
        opcode = skip_guard(words, start)
        first = words[opcode] if opcode < end else words[start]
        if first.text in BRANCHES:
            self._scopes.add_branch()
        is_plain = False
        may_be_sound = first.text not in _CHECKED_OPCODES
        sound = make_patterns().sound if self._is_strict and may_be_sound else None
        is_sound = sound is not None and sound.match(self._text, first.start) is not None
        if is_sound and not self._reads_all:
            return None
        if not (is_sound or _is_opcode(words, opcode, end, is_first=True)):
            is_plain = (
                self._is_strict
                and self._is_plain(words, opcode, end)
                and (opcode == start or words[opcode - 1].kind is TokenKind.NAME)
            )
            if not is_plain:
                opcode = next((i for i in range(start, end) if _is_opcode(words, i, end)), -1)
                if opcode < 0:
                    return None
        if not self._is_strict and any(x.kind is TokenKind.STRING for x in words[opcode:end]):
            return None  # source code in a string
        if opcode > start:
            start = _find_guard(words, start, opcode)
        if end < len(words) and words[end].text in (";", "}"):
            is_ended = words[end].text == ";"
            end_position = words[end].end if is_ended else words[end].start
        else:
            is_ended, end_position = False, self._end if end == len(words) else words[end - 1].end
        opcode_position = words[opcode].start
        candidate = self._make_candidate(
            words[start].start, opcode_position, end_position, is_plain=is_plain, is_sound=is_sound
        )
        if is_ended and not is_sound:
            self._ended_line = self._line + candidate.text.count("\n")
        return candidate

    def _declare(
        self, registers: Sequence[RegisterDeclaration] | None, start: int, end: int
    ) -> Iterator[Candidate]:
        """Read a ``.reg`` directive; yield it if one of its registers is declared already."""
        if registers is None:
            self._scopes.read_directives(tokenize(self._text, start, end))
            return
        duplicate = self._scopes.find_duplicate(registers)
        self._scopes.add_directive(registers)
        if duplicate:
            words = tokenize(self._text, start, end)
            position = max(x.start for x in words if x.text == duplicate)
            yield self._make_candidate(start, position, end)

    def _is_plain(self, words: Sequence[Token], i: int, end: int) -> bool:
        """Return whether the token at ``i`` is an opcode of PTX, or a word instead of one."""
        if i >= end:
            return False
        word = words[i]
        if word.kind is not TokenKind.NAME or (i + 1 < end and words[i + 1].text[0] in ":=,/"):
            return False
        is_likely = word.text.islower() and self._text.startswith(".", word.end)
        return word.text in ALL_OPCODES or is_likely

    def _make_candidate(
        self,
        start: int,
        opcode: int,
        end: int,
        *,
        is_plain: bool = False,
        is_sound: bool = False,
    ) -> Candidate:
        text = self._text
        self._count(start)
        line_start = max(self._line_start - self._base, start - WINDOW, 0)
        line_end = text.find("\n", end, end + WINDOW)
        listing_start = self._base + start
        return Candidate(
            text[start:end],
            opcode - start,
            listing_start,
            self._line,
            listing_start - self._line_start + 1,
            text[line_start:start],
            text[end : line_end if line_end >= 0 else end + WINDOW],
            end == self._end and text[end - 1] != ";",
            self._scopes,
            is_plain,
            is_sound,
        )

    def _count(self, position: int) -> None:
        if position <= self._counted_end:
            return
        line_count = self._text.count("\n", self._counted_end, position)
        if line_count:
            self._line += line_count
            self._line_start = self._base + self._text.rfind("\n", self._counted_end, position) + 1
        self._counted_end = position


def _is_opcode(words: Sequence[Token], i: int, end: int, *, is_first: bool = False) -> bool:
    """Return whether the token at ``i`` is, or probably should be, an opcode of the catalog.

    A bare word must begin a statement.
    """
    if i >= end:
        return False
    word = words[i]
    if word.kind is not TokenKind.NAME or word.text[0] in "%$_" or not looks_like_opcode(word.text):
        return False
    if i + 1 == len(words):
        return False
    following = words[i + 1].text
    if following[0] != ".":
        is_operand = following[0].isalnum() or following[0] in "%$_"
        has_operands = is_operand and i + 2 < end and words[i + 2].text in (",", "|")
        is_bare = is_first and word.text in OPCODES and following[0] not in ":=,/"
        if not (has_operands or is_bare):
            return False
    dotted = takewhile(lambda text: text[0] == ".", (x.text for x in words[i + 1 : end]))
    return not _is_other_instruction(word.text, (text[1:] for text in dotted))


def _find_guard(words: Sequence[Token], start: int, opcode: int) -> int:
    """Return the index of the first ``@`` that may guard an opcode, or of the opcode."""
    guard = opcode
    for i in range(opcode - 1, start - 1, -1):
        if words[i].text == "@":
            guard = i
        elif words[i].text == '"' or (
            words[i].text in ALL_OPCODES and words[max(i - 1, start)].text not in ("@", "!")
        ):
            break
    return guard


def parse_register_directive(words: Sequence[Token]) -> tuple[RegisterDeclaration, ...] | None:
    """Parse the words of one ``.reg`` directive with its ``;``; None for any other words."""
    if not words or words[0].text != ".reg":
        return None
    registers, end = parse_registers(words, 1)
    return tuple(registers) if [word.text for word in words[end:]] == [";"] else None


@lru_cache(maxsize=1 << 10)
def _parse_registers(directive: str) -> tuple[RegisterDeclaration, ...] | None:
    return parse_register_directive(tokenize(directive))


def _is_other_instruction(opcode: str, modifiers: Iterable[str]) -> bool:
    """Whether an opcode with modifiers is certainly not one of the catalog's rarer instructions."""
    is_shared = opcode in SHARED_OPCODES and RARE_MODIFIERS.isdisjoint(modifiers)
    return is_shared or opcode in OTHER_OPCODES
