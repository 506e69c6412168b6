"""ASCII replacements of all glyphs, for terminals without UTF-8.

A replacement has the width of the glyph, so that columns keep their places. If one cell would have
another meaning (2³¹ is not 231), the replacement takes more cells from blanks nearby. If one cell
would only look worse (``→`` is ``->`` or ``>``), it takes blanks that follow closely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_MASKS = {" ■ ": "[x]", " □ ": "[ ]", " ☐ ": "[ ]"}
_MASK = re.compile("(?: [■□☐] )+")
"""Boxes with a cell on either side, in a separate piece."""

_SINGLE_CHARS = {
    glyph: stand_in
    for stand_in, glyphs in {
        "-": "─┄┅┈┉╌╍╴╶╸╺╼╾▔–—−‐‑⊖",
        "=": "━═≡",
        "|": "│┃┆┇┊┋╎╏║╵╷╹╻╽╿├┝┞┟┠┡┢┣┤┥┦┧┨┩┪┫╞╟╠╡╢╣┼╂╋╪╫╬▏▕∨",
        "X": "╳",
        "/": "╱÷\U0001f50e",
        "\\": "╲",
        "[": "▐",
        "]": "▌",
        "%": "▒▓",
        "#": "█▀▄▅▆▇▉▊▋▙▛▜▟◆",
        "_": "▁▂▃",
        "<": "◂◀◄◁◃←⇐≪‹",
        ">": "▸▶►▷▹→⇒≫›",
        "^": "▲△▴",
        "v": "▼▽▾",
        "~": "↻↺≈",
        "*": "●⬤◉★✎⊙•",
        "o": "○◯◇",
        "c": "◐",
        "x": "■☑☒✕✖⊗",
        "@": "▣",
        ".": "□☐░·…⋯∙",
        "y": "✓✔",
        "+": "⊕±",
        "!": "¬≠×✗✘",
        "&": "∧",
        "u": "µμ",
        '"': "“”„«»",
        "'": "‘’‚′",
        " ": "\u00a0\u2007\u2009\u202f",
    }.items()
    for glyph in glyphs
}
"""Replacements of one cell; at crossings, the vertical link wins."""
_BECOMES = " ⟶ "
"""A change, as one cell: ``>`` would compare two numbers."""
_CHANGE_IN_PIECE = re.compile(r"(?<=\S) ▸ (?=[^\sa-z]|inf|nan)|^ ▸ $")
_CHANGE = re.compile(r"▸(?= [-+]?(?:\d|inf|nan))")
"""A change across pieces, or at the start of a continuation line."""
_TIMES = re.compile(r"(?<=\S )×(?= \d)")
"""A multiplication; elsewhere ``×`` marks a refusal."""
_CLOSER_SPELLINGS = {_BECOMES: " -> ", "→": "->", "←": "<-", "⇒": "=>", "≠": "!=", "…": "..."}
"""Clearer replacements of several cells, used if blanks follow."""
_PIECES = {"≠ ": "! ", " ✗ 0": " n 0"}
"""Separate pieces: a sign before a row that keeps its place, and a false comparison."""
_CUT = re.compile("(?<=[0-9a-f])╳|╳(?=[0-9a-f])")
"""The edge of cut-off digits: with an X, 0X80 would be a literal."""
_KEYS = {
    "↑↓←→": "arrows",
    "←→↑↓": "arrows",
    "↑↓": "up/down",
    "←→": "left/right",
    "↑": "up",
    "↓": "down",
}
"""Keys, alone or as a group: ``^v`` would be Ctrl-V, and ``v`` another key."""
_ARROWS = ("↑", "↓", "←", "→")
_KEY_GROUP = re.compile("|".join(_KEYS))
_LONG_SPELLINGS = _KEYS | {"∞": "inf", "≤": "<=", "≥": ">=", "½": "1/2", "∓": "-/+"}
"""Replacements of several cells, because one would have another meaning."""
_RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴-⁹]+|[₊₋]?[₀-₉]+")
"""An exponent or an index."""
_BORDER = re.compile(r"(?:^|(?<=\+))[-=]{8,}+|(?<![-=])[-=]{8,}+(?=\+|$)")
"""The dashes of a border beside its text; an axis has other ends."""
_NEAR = 12
"""Maximum distance in cells of blanks for a replacement that is only clearer."""


class _LongSpelling(NamedTuple):
    """A position that needs more cells."""

    position: int
    short: str
    """The replacement without extra cells; "" if the long one is required."""
    long: str


class Ascii(LineFilter):
    """Draws every line of the app in ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the line with replacements. Overrides Textual."""
        texts = convert_to_ascii(tuple(segment.text for segment in segments))
        return [
            Segment(text, style, control)
            for text, (_, style, control) in zip(texts, segments, strict=True)
        ]


@lru_cache(1024)
def convert_to_ascii(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the pieces of a line in ASCII, with the same total width."""
    if all(text.isascii() for text in texts):
        return texts
    pieces = [list(_iter_parts(text)) for text in _mark_changes(texts)]
    width = cell_len("".join(texts))
    line = [cell for piece in pieces for cell in piece]
    _group_keys(line)
    for spelling in [
        _make_long_spelling(i, text) for i, text in enumerate(line) if not text.isascii()
    ]:
        _insert_spelling(line, spelling)
    room, converted_pieces = width, []
    for piece in pieces:
        text = "".join(line[: len(piece)])[:room]
        line = line[len(piece) :]
        room -= len(text)
        converted_pieces.append(text)
    if converted_pieces:
        converted_pieces[-1] += " " * room
    return tuple(converted_pieces)


def _mark_changes(texts: tuple[str, ...]) -> Iterator[str]:
    """Yield the pieces with other arrows for changes, whatever their styles."""
    marked_texts = [_CHANGE_IN_PIECE.sub(_BECOMES, text) for text in texts]
    line = _TIMES.sub("*", _CHANGE.sub("→", "".join(marked_texts)))
    end = 0
    for text in marked_texts:
        start, end = end, end + len(text)
        yield line[start:end]


def _group_keys(line: list[str]) -> None:
    """Join neighbouring arrow keys in the cell of the first."""
    signs = "".join(text if text in _ARROWS else " " for text in line)
    for match in _KEY_GROUP.finditer(signs):
        line[slice(*match.span())] = [match[0], *[""] * (len(match[0]) - 1)]


def _iter_parts(text: str) -> Iterator[str]:
    """Yield parts of a text: ASCII of the same width, or glyphs that need other replacements."""
    first, *others = text.split(_BECOMES)
    yield from _iter_unchanging(first)
    for other in others:
        yield _BECOMES
        yield from _iter_unchanging(other)


def _iter_unchanging(text: str) -> Iterator[str]:
    text = _CUT.sub("/", _PIECES.get(text, text))
    if _MASK.fullmatch(text):
        text = "".join(_MASKS[text[i : i + 3]] for i in range(0, len(text), 3))
    index = 0
    for match in _RAISED.finditer(text):
        yield from map(_convert_glyph, text[index : match.start()])
        yield match[0]
        index = match.end()
    yield from map(_convert_glyph, text[index:])


def _convert_glyph(glyph: str) -> str:
    if glyph.isascii() or glyph in _CLOSER_SPELLINGS or glyph in _LONG_SPELLINGS:
        return glyph
    return _find_replacement(glyph)


def _find_replacement(glyph: str) -> str:
    width = cell_len(glyph)
    if glyph == _BECOMES:
        return "-> "
    if glyph in _SINGLE_CHARS:
        return _SINGLE_CHARS[glyph].ljust(width)
    if "\u2500" <= glyph <= "\u257f":
        return "+"
    letter = normalize("NFKD", glyph)[:1]  # a letter without its accent
    return (letter if letter.isascii() and letter.isprintable() else ".").ljust(width, ".")[:width]


def _make_long_spelling(position: int, text: str) -> _LongSpelling:
    if text in _CLOSER_SPELLINGS:
        return _LongSpelling(position, _find_replacement(text), _CLOSER_SPELLINGS[text])
    if text in _LONG_SPELLINGS:
        return _LongSpelling(position, "", _LONG_SPELLINGS[text])
    sign = "_" if "₀" <= text[-1] <= "₉" or text[0] in "₊₋" else "^"
    return _LongSpelling(position, "", sign + normalize("NFKD", text).replace("−", "-"))


def _insert_spelling(line: list[str], spelling: _LongSpelling) -> None:
    """Insert the longer text in exchange for blanks."""
    position, width = spelling.position, cell_len(line[spelling.position])
    count = len(spelling.long) - width
    spare = list(_iter_spare_blanks(line))
    if spelling.short:  # the text before it keeps its place
        spare = [blank for blank in spare if position < blank <= position + _NEAR]
        is_arrow = spelling.short in "<>"
        if is_arrow and not spare and line[position + 1 : position + 2] == [" "]:
            spare = [position + 1]
    blanks = sorted(spare, key=lambda blank: abs(blank - position))[:count]
    if spelling.short and len(blanks) < count:
        line[position] = spelling.short
        return
    if len(blanks) < count:
        blanks += _iter_border_dashes(line)
    if len(blanks) < count:  # words without blanks are better than a cut line
        blanks += [i for i, text in enumerate(line) if text == " " and i not in blanks]
    line[position] = spelling.long
    for blank in blanks[:count]:
        line[blank] = ""


def _iter_border_dashes(line: list[str]) -> Iterator[int]:
    """Yield the positions of a border's dashes that can be dropped."""
    cells = "".join(text if len(text) == 1 else "." for text in line)
    for match in _BORDER.finditer(cells):
        yield from (i for i in range(match.end() - 2, match.start() + 1, -1) if line[i])


def _iter_spare_blanks(line: list[str]) -> Iterator[int]:
    """Yield the positions of blanks that follow another blank."""
    previous_text = ""
    for i, text in enumerate(line):
        if text == " " == previous_text:
            yield i
        previous_text = text or previous_text
