"""Stand-ins of ASCII for all that is drawn, where a terminal does not read UTF-8.

A stand-in takes as many cells as what it stands for, so that columns stay where they are. Where
one cell would say something else (2³¹ is not 231) it takes more, out of blanks nearby; where it
would only be worse (``→`` is ``->``, or ``>``) it takes them where they stand near behind it.
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
"""One cell for one; where wires cross the vertical one wins."""
_BECOMES = " ▸ "
"""In a piece of its own: as ``>`` it would compare two numbers."""
_BETTER = {_BECOMES: " -> ", "→": "->", "←": "<-", "⇒": "=>", "≠": "!=", "…": "..."}
"""What says it better in more cells, where there are blanks behind it."""
_SIGN = {"≠ ": "! "}
"""What stands before a row, in a piece of its own: one cell, and what follows stays."""
_NEEDED = {"∞": "inf", "≤": "<=", "≥": ">=", "½": "1/2", "∓": "-/+"}
"""What takes more cells: in one it would say something else."""
_RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴-⁹]+|[₊₋]?[₀-₉]+")
"""An exponent, or an index."""
_NEAR = 12
"""Cells within which blanks are given up for what only says it better."""


class _Longer(NamedTuple):
    """A place where more cells are wanted."""

    at: int
    short: str
    """What stands there where there are none; "" where it must be the long one."""
    long: str


class Ascii(LineFilter):
    """Draws every line of the app in ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same line with stand-ins. Part of Textual."""
        texts = convert_to_ascii(tuple(segment.text for segment in segments))
        return [
            Segment(text, style, control)
            for text, (_, style, control) in zip(texts, segments, strict=True)
        ]


@lru_cache(1024)
def convert_to_ascii(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The pieces of a line in ASCII, together as wide as they were."""
    if all(text.isascii() for text in texts):
        return texts
    pieces = [list(_iter_parts(text)) for text in texts]
    width = cell_len("".join(texts))
    line = [cell for piece in pieces for cell in piece]
    for longer in [_make_longer(i, text) for i, text in enumerate(line) if not text.isascii()]:
        _insert_longer(line, longer)
    left, made = width, []
    for piece in pieces:
        text = "".join(line[: len(piece)])[:left]
        line = line[len(piece) :]
        left -= len(text)
        made.append(text)
    if made:
        made[-1] += " " * left
    return tuple(made)


def _iter_parts(text: str) -> Iterator[str]:
    """A text in parts: each is ASCII that stands for as much, or is looked at again."""
    text = _SIGN.get(text, text)
    if text == _BECOMES:
        yield text
        return
    if _MASK.fullmatch(text):
        text = "".join(_MASKS[text[i : i + 3]] for i in range(0, len(text), 3))
    at = 0
    for found in _RAISED.finditer(text):
        yield from map(_convert_glyph, text[at : found.start()])
        yield found[0]
        at = found.end()
    yield from map(_convert_glyph, text[at:])


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


def _make_longer(at: int, text: str) -> _Longer:
    if text in _BETTER:
        return _Longer(at, _find_replacement(text), _BETTER[text])
    if text in _NEEDED:
        return _Longer(at, "", _NEEDED[text])
    sign = "_" if "₀" <= text[-1] <= "₉" or text[0] in "₊₋" else "^"
    return _Longer(at, "", sign + normalize("NFKD", text).replace("−", "-"))


def _insert_longer(line: list[str], longer: _Longer) -> None:
    """Put the longer text in its place, for blanks that are taken away."""
    at, width = longer.at, cell_len(line[longer.at])
    more = len(longer.long) - width
    spare = list(_iter_spare_blanks(line))
    if longer.short:  # what stands before it stays where it is
        spare = [blank for blank in spare if at < blank <= at + _NEAR]
        if not spare and line[at + 1 : at + 2] == [" "]:
            spare = [at + 1]
    blanks = sorted(spare, key=lambda blank: abs(blank - at))[:more]
    if longer.short and len(blanks) < more:
        line[at] = longer.short
        return
    if len(blanks) < more:  # words run together rather than that the line is cut
        blanks += [i for i, text in enumerate(line) if text == " " and i not in blanks]
    line[at] = longer.long
    for blank in blanks[:more]:
        line[blank] = ""


def _iter_spare_blanks(line: list[str]) -> Iterator[int]:
    """The blanks that stand behind another one."""
    before = ""
    for i, text in enumerate(line):
        if text == " " == before:
            yield i
        before = text or before
