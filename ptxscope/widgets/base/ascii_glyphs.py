"""ASCII replacements of all glyphs, for terminals that do not read UTF-8.

A replacement takes as many cells as the glyph, so that columns keep their places. If one cell would
have another meaning (2³¹ is not 231), the replacement takes more cells from blanks nearby. If one
cell would only look worse (``→`` is ``->`` or ``>``), it takes the cells of blanks that follow
closely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import normalize

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from ...engine.records import NamedTuple

_MASKS = {" ■ ": "[x]", " □ ": "[ ]", " ☐ ": "[ ]"}
_MASK = re.compile("(?: [■□☐] )+")
"""Boxes with a cell on either side, in a piece of their own."""

_ONE = {
    glyph: stand_in
    for stand_in, glyphs in {
        "-": "─━┄┅┈┉╌╍╴╶╸╺╼╾▔–—−‐‑⊖",
        "=": "═≡",
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
        "^": "▲△▴↑",
        "v": "▼▽▾↓",
        "~": "↻↺≈",
        "*": "●⬤◉★✎⊙•",
        "o": "○◯◇",
        "x": "■☑☒✕✖⊗",
        ".": "□☐░·…⋯∙",
        "y": "✓✔",
        "n": "✗✘",
        "+": "⊕±",
        "!": "¬≠×",
        "&": "∧",
        "u": "µμ",
        '"': "“”„«»",
        "'": "‘’‚′",
        " ": "\u00a0\u2007\u2009\u202f",
    }.items()
    for glyph in glyphs
}
"""Replacements of one cell by one; where links cross, the vertical one wins."""
_BECOMES = " ▸ "
"""In a piece of its own, because ``>`` would compare two numbers."""
_BETTER = {_BECOMES: " -> ", "→": "->", "←": "<-", "⇒": "=>", "≠": "!=", "…": "..."}
"""Clearer replacements of several cells, used if blanks follow."""
_SIGN = {"≠ ": "! "}
"""A sign before a row, in a piece of its own: one cell, so that the rest keeps its place."""
_NEEDED = {"∞": "inf", "≤": "<=", "≥": ">=", "½": "1/2", "∓": "-/+"}
"""Replacements that need several cells, because one would have another meaning."""
_RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴-⁹]+|[₊₋]?[₀-₉]+")
"""An exponent or an index."""
_NEAR = 12
"""Cells within which a replacement that is only clearer may take blanks."""


class _Longer(NamedTuple):
    """A position that asks for more cells."""

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
    """Return the pieces of a line in ASCII, as wide together as before."""
    if all(text.isascii() for text in texts):
        return texts
    pieces = [list(_iter_parts(text)) for text in texts]
    width = cell_len("".join(texts))
    line = [cell for piece in pieces for cell in piece]
    for longer in [_make_longer(i, text) for i, text in enumerate(line) if not text.isascii()]:
        _insert_longer(line, longer)
    rest, made = width, []
    for piece in pieces:
        text = "".join(line[: len(piece)])[:rest]
        line = line[len(piece) :]
        rest -= len(text)
        made.append(text)
    if made:
        made[-1] += " " * rest
    return tuple(made)


def _iter_parts(text: str) -> Iterator[str]:
    """Yield parts of a text: each is ASCII of the same width, or needs another replacement."""
    text = _SIGN.get(text, text)
    if text == _BECOMES:
        yield text
        return
    if _MASK.fullmatch(text):
        text = "".join(_MASKS[text[i : i + 3]] for i in range(0, len(text), 3))
    index = 0
    for match in _RAISED.finditer(text):
        yield from map(_convert_glyph, text[index : match.start()])
        yield match[0]
        index = match.end()
    yield from map(_convert_glyph, text[index:])


def _convert_glyph(glyph: str) -> str:
    if glyph.isascii() or glyph in _BETTER or glyph in _NEEDED:
        return glyph
    return _find_replacement(glyph)


def _find_replacement(glyph: str) -> str:
    width = cell_len(glyph)
    if glyph == _BECOMES:
        return "-> "
    if glyph in _ONE:
        return _ONE[glyph].ljust(width)
    if "\u2500" <= glyph <= "\u257f":
        return "+"
    plain = normalize("NFKD", glyph)[:1]  # a letter without its accent
    return (plain if plain.isascii() and plain.isprintable() else ".").ljust(width, ".")[:width]


def _make_longer(position: int, text: str) -> _Longer:
    if text in _BETTER:
        return _Longer(position, _find_replacement(text), _BETTER[text])
    if text in _NEEDED:
        return _Longer(position, "", _NEEDED[text])
    sign = "_" if "₀" <= text[-1] <= "₉" or text[0] in "₊₋" else "^"
    return _Longer(position, "", sign + normalize("NFKD", text).replace("−", "-"))


def _insert_longer(line: list[str], longer: _Longer) -> None:
    """Insert the longer text in exchange for blanks."""
    position, width = longer.position, cell_len(line[longer.position])
    count = len(longer.long) - width
    spare = list(_iter_spare_blanks(line))
    if longer.short:  # the text before it keeps its place
        spare = [blank for blank in spare if position < blank <= position + _NEAR]
        if not spare and line[position + 1 : position + 2] == [" "]:
            spare = [position + 1]
    blanks = sorted(spare, key=lambda blank: abs(blank - position))[:count]
    if longer.short and len(blanks) < count:
        line[position] = longer.short
        return
    if len(blanks) < count:  # words without blanks are better than a line cut off
        blanks += [i for i, text in enumerate(line) if text == " " and i not in blanks]
    line[position] = longer.long
    for blank in blanks[:count]:
        line[blank] = ""


def _iter_spare_blanks(line: list[str]) -> Iterator[int]:
    """Yield the positions of blanks that follow another blank."""
    before = ""
    for i, text in enumerate(line):
        if text == " " == before:
            yield i
        before = text or before
