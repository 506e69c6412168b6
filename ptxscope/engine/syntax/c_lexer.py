"""Tokens of C: for asm statements and their operands, macros, conditions, and calls.

``iter_c_tokens`` reads all of a text. ``LandmarkScanner`` finds only comments, literals and asm
statements, which is several times as fast; ``iter_directives`` finds the preprocessor lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache, lru_cache, partial
from typing import NamedTuple, TypeVar

from .errors import Span

COMMENT = r"/(?:/(?>(?:[^\n\\]++|\\.)*)|\*.*?(?:\*/|\Z))"
"""A comment in DOTALL mode; an unclosed one extends to the end."""
BLANKS = rf"(?>(?:\s++|\\\r?\n|{COMMENT})*)"
NAME = r"[^\W\d]\w*+"
REST_OF_LINE = r"(?>(?:[^\n\\]++|\\.)*)"
"""The rest of a line, including lines continued with a backslash."""
_PREFIX = r"(?:u8|[uUL])?"
_RAW_STRING = (
    r'(?P<RAW_STRING>R"(?P<delimiter>[^\s()\\]{0,16})\('
    r'(?P<raw_body>.*?)(?:\)(?P=delimiter)(?P<raw_quote>")|\Z))'
)
_STRING = r'(?P<STRING>"(?P<body>(?>(?:[^"\\\n]++|\\(?:\r\n|.))*))(?P<quote>"?))'
_IN_CHAR = r"(?>(?:[^'\\\n]++|\\.)*)"
_ASM_WORD = r"(?:a(?<!\wa)sm|_(?<!\w_)_asm(?:__)?)\b"
"""Each alternative begins with a different character: this makes a search twice as fast."""
_ASM_QUALIFIER = r"(?:volatile|__volatile(?:__)?|goto|inline|__inline__)\b"
COMMENTED_ASM = rf"{_ASM_WORD}(?>(?:\s++|\\\r?\n|{_ASM_QUALIFIER}|{COMMENT})*)"
"""The beginning of an asm statement, without the parenthesis: searching that rescans comments."""
ASM_WORDS = frozenset(("asm", "__asm__", "__asm"))


class CTokenKind(Enum):
    """The kind of a token of C."""

    BLANK = 1
    """Blanks and comments in a row; as in C, their text is one blank."""
    COMMENT = 2
    STRING = 3
    RAW_STRING = 4
    CHAR = 5
    NAME = 6
    NUMBER = 7
    MARK = 8
    ASM = 9
    """The beginning of an asm statement, up to its parenthesis."""


STRING_KINDS = frozenset((CTokenKind.STRING, CTokenKind.RAW_STRING))


class CToken(NamedTuple):
    """A token at ``text[start:end]``."""

    kind: CTokenKind
    text: str
    start: int = 0
    end: int = 0

    @property
    def span(self) -> Span:
        """Its position in the text."""
        return self.start, self.end


_KINDS = {kind.name: kind for kind in CTokenKind}


@cache
def _compile_tokens() -> re.Pattern[str]:
    """Return the pattern of all tokens; compiled late, as most starts read no C."""
    return re.compile(
        rf"""(?P<BLANK>(?>(?:\s++|\\\r?\n|{COMMENT})+))
          | {_PREFIX}(?:{_RAW_STRING}|{_STRING})
          | (?P<CHAR>'{_IN_CHAR}'?)
          | (?P<NAME>{NAME})
          | (?P<NUMBER>\.?[0-9](?>(?:[\w.']|(?<=[eEpP])[-+])*))
          | (?P<MARK>\#\#|&&|\|\||[<>=!]=|<<|>>|\+\+|--|.)""",
        re.VERBOSE | re.DOTALL,
    )


def iter_c_tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[CToken]:
    """Yield all tokens of a range of a text."""
    make = tuple.__new__  # CToken(…) takes twice as long
    for match in _compile_tokens().finditer(text, start, len(text) if end is None else end):
        kind = _KINDS[match.lastgroup or ""]
        token_text = " " if kind is CTokenKind.BLANK else match[0]
        yield make(CToken, (kind, token_text, *match.span()))


class StringContents(NamedTuple):
    """The characters of a string as they are written, without its quotes."""

    body: str
    start: int
    is_closed: bool


def read_string(token: CToken) -> StringContents:
    """Return the contents of a token that is a string."""
    match = _compile_tokens().fullmatch(token.text)
    assert match
    group = "body" if token.kind is CTokenKind.STRING else "raw_body"
    is_closed = bool(match["quote"] or match["raw_quote"])
    return StringContents(match[group], token.start + match.start(group), is_closed)


@cache
def _compile_landmarks() -> re.Pattern[str]:
    """Return the pattern of the tokens that ``LandmarkScanner`` finds."""
    return re.compile(
        rf"""(?P<COMMENT>{COMMENT})
          | {_RAW_STRING}
          | {_STRING}
          | (?P<CHAR>'(?:(?<!\d')|(?<=u8')))
          | (?P<ASM>{COMMENTED_ASM}\()""",
        re.VERBOSE | re.DOTALL,
    )


_CHAR = re.compile(_IN_CHAR, re.DOTALL)
_LETTERS = frozenset("uUL")
"""The one-letter prefixes of a string; the only other one is ``u8``."""


class LandmarkScanner:
    """Finds the comments, the literals and the beginnings of the asm statements of a text.

    A reader may set ``position``, where the search continues.
    """

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.unclosed_end = 0
        """The end of the line of the last unclosed quote of a character."""

    def __iter__(self) -> Iterator[CToken]:
        """Yield the tokens in order; their texts are empty."""
        text, pattern = self.text, _compile_landmarks()
        while match := pattern.search(text, self.position):
            kind = _KINDS[match.lastgroup or ""]
            start, self.position = match.span()
            if kind is CTokenKind.CHAR:
                if start < self.unclosed_end:
                    continue
                inner = _CHAR.match(text, self.position)
                end = inner.end() if inner else self.position
                if not text.startswith("'", end):
                    self.unclosed_end = end  # no other quote before this begins a character
                    continue
                self.position = end + 1
            elif kind in STRING_KINDS:
                prefix = text[max(start - 2, 0) : start]
                start -= 2 if prefix == "u8" else prefix[-1:] in _LETTERS
            yield CToken(kind, "", start, self.position)

    @property
    def read_end(self) -> int:
        """The end of the text that has been read as tokens."""
        return max(self.position, self.unclosed_end)


PART_END = re.compile(r"\n[ \t]*+\}[; \t\r]*+\n")
"""A line after which a part of a source may end."""
PartT = TypeVar("PartT")


def read_parts(
    text: str, read: Callable[[str], tuple[PartT, int]], part_end: re.Pattern[str] | None = None
) -> Iterator[tuple[PartT, int]]:
    """Yield what is read from each part of a C source, and the position of the part.

    A part ends after a line with only a brace that closes a block. ``read`` also returns the end of
    its tokens: if one of them reaches that brace, it may go on, and a part twice as long is read.
    So what is read from a part depends on nothing else, and may be cached.
    """
    matches = (part_end or PART_END).finditer(text)
    ends = [x.end() for x in matches if x.end() < len(text)]
    ends.append(len(text))
    start = index = count = 0
    while start < len(text):
        end = ends[min(index + count, len(ends) - 1)]
        result, read_end = read(text[start:end])
        if end < len(text) and start + read_end > text.rindex("}", start, end):
            count = 2 * count + 1
            continue
        yield result, start
        start, index, count = end, index + count + 1, 0


_BLANKS = re.compile(BLANKS, re.DOTALL)


def skip_blanks(text: str, position: int) -> int:
    """Return the position after blanks and comments."""
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """Replace some ranges of a text, in order, with blanks; line breaks stay."""
    parts, copied_end = list[str](), 0
    for start, end in spans:
        if end > copied_end:
            start = max(start, copied_end)
            blanks = "\n".join(" " * len(line) for line in text[start:end].split("\n"))
            parts += text[copied_end:start], blanks
            copied_end = end
    return "".join((*parts, text[copied_end:]))


def blank_tokens(text: str, *kinds: CTokenKind) -> str:
    """Replace the comments of a text, or some literals, with blanks of the same length."""
    return "".join(x for x, _ in read_parts(text, partial(_blank_part, kinds=kinds)))


@lru_cache(maxsize=1 << 12)
def _blank_part(text: str, kinds: tuple[CTokenKind, ...]) -> tuple[str, int]:
    scanner = LandmarkScanner(text)
    blanked_text = blank_spans(text, [x.span for x in scanner if x.kind in kinds])
    return blanked_text, scanner.read_end


class Directive(NamedTuple):
    """A preprocessor line, including its continuation lines."""

    word: str
    """Its name: ``define``."""
    start: int
    rest_start: int
    """The position after the word."""
    end: int
    rest: str
    """The text after the word, with blanks for comments."""

    @property
    def span(self) -> Span:
        """Its position in the text."""
        return self.start, self.end


_DIRECTIVE = re.compile(
    rf"^[^\S\n]*+\#[^\S\n]*+(?P<word>[a-z]\w*+)(?P<rest>{REST_OF_LINE})", re.MULTILINE | re.DOTALL
)


def iter_directives(text: str, *, with_raw_strings: bool = False) -> Iterator[Directive]:
    """Yield the preprocessor lines of a source, except those in comments and raw strings.

    A raw string may contain a source that is compiled at run time, with its own preprocessor lines.
    """
    if "#" not in text:
        return
    code = blank_tokens(
        text, CTokenKind.COMMENT, *(() if with_raw_strings else (CTokenKind.RAW_STRING,))
    )
    for match in _DIRECTIVE.finditer(code):
        yield Directive(match["word"], match.start(), match.end("word"), match.end(), match["rest"])
