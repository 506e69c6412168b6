"""Spans as pieces, and cells in lane columns. No number and no formula is ever cut short.

Where a column is too narrow for its cells they are written tighter, then in several lines,
then one lane below the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from ...engine.records import NamedTuple
from ...scene.scene_model import Cell, Look, Place, Span, Tint
from ..base.pane import Line, Piece

_INKS = {
    Look.UNUSED: "dim",
    Look.BEYOND: "extension",
    Look.LOST: "lost",
    Look.SIGN_BIT: "sign",
    Look.EXPONENT: "exponent",
    Look.FRACTION: "fraction",
    Look.NUMBER: "number",
    Look.VALUE: "value",
    Look.CLAMPED: "clamped",
    Look.DIFFERS: "differs",
    Look.CHANGED: "changed",
    Look.BECOMES: "dim",
    Look.TEXT: "dim",
    Look.NAME: "dim",
    Look.TAKEN: "good",
    Look.KEPT: "dim",
    Look.HOLDS: "good",
    Look.FAILS: "bad",
    Look.EITHER: "dim",
}
_ENDS = ("▐", "▌")
_SIGNS = (" = ", " → ")
_LINE_STARTS = ("=", "→")
"""Where a cell that is too long goes on in another line."""
_TIGHTENED = (Look.NUMBER, Look.HOLDS, Look.FAILS)
"""What does without blanks where columns are narrow."""
_HATCH = {Look.SIGN: "▒", Look.ZERO: "░"}


class Lights(NamedTuple):
    """What the cursor lights up."""

    cursor: Place | None = None
    origins: frozenset[Place] = frozenset()
    """What the cursor's cell came from."""
    reached: frozenset[Place] = frozenset()
    """What it went to."""
    is_alone: bool = False
    """Where the cursor's cell came from is not to be seen."""

    def on(self, place: Place) -> str:
        """The ink that is added to a cell's own."""
        if self.cursor is None:
            return ""
        if place == self.cursor:
            return " cursor"
        if self.is_alone:
            return ""
        if place in self.origins:
            return " origin"
        return " reached" if place in self.reached else " shade"


DARK = Lights()


def hue(tint: Tint) -> str:
    """The end of the names of a tint's inks: ``a3``, ``c``, ``t``."""
    if tint.role in ("a", "b"):
        return f"{tint.role}{tint.byte}"
    if tint.role in ("d", "p", "q"):
        return "d"
    return "c" if tint.role.startswith("c") else "t"


def wire(tint: Tint) -> str:
    """The ink of what leads from a tint's bits: that of their byte."""
    whose = hue(tint)
    return f"wire-{'t' if whose == 'd' else whose}"


def _whose(tint: Tint) -> str:
    """Where a tint has one ink for all of its bytes: ``a``, ``b``, ``c``, or ``t`` for results."""
    letter = hue(tint)[0]
    return "t" if letter == "d" else letter


def drawn(span: Span, *, tight: bool = False) -> list[Piece]:
    """A span as text with inks; a tight one gives up the chips' ends."""
    text, look = span.text, span.look
    if look is Look.CHIP:
        chip = Piece(text, f"chip-{hue(span.tint)}")
        if tight:
            return [chip]
        edge = f"edge-{hue(span.tint)}"
        return [Piece(_ENDS[0], edge), chip, Piece(_ENDS[1], edge)]
    if look is Look.UNUSED:
        return [Piece(text if tight else f" {text} ", "dim")]
    if look in _HATCH:
        return [Piece(_HATCH[look] + text, f"hatch-{_whose(span.tint)}")]
    if look is Look.LOST:
        return [Piece(f"{text}╳", "lost")]
    if look is Look.AWAY:
        return [Piece(text, wire(span.tint))]
    if tight and (look in _TIGHTENED or text in _SIGNS):
        text = text.replace(" ", "")
    return [Piece(text, _INKS[look])]


def pieces(cell: Cell, tight: bool = False, lights: Lights = DARK) -> list[Piece]:
    """A cell's spans as pieces that mean its place."""
    ink = lights.on(cell.place)
    return [
        Piece(piece.text, piece.ink + ink, cell.place)
        for span in cell.spans
        for piece in drawn(span, tight=tight)
    ]


@lru_cache(512)
def widen_cell(cell: Cell, *, with_hex: bool = False) -> Cell:
    """A cell whose chips show their bits, and behind them what they showed instead."""
    spans: list[Span] = []
    for span in cell.spans:
        spans.append(span._replace(text=span.bits or span.text))
        if with_hex and span.bits:
            spans.append(Span(f" 0x{span.text}", Look.TEXT))
    return cell._replace(spans=tuple(spans))


def length(line: Sequence[Piece]) -> int:
    """How many columns pieces take."""
    return sum(len(piece.text) for piece in line)


def filled(line: Sequence[Piece], width: int) -> Line:
    """A line with blanks up to a width."""
    return [*line, Piece(" " * max(width - length(line), 0))]


# --- lines ------------------------------------------------------------------------------


def _words(line: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces as words, parted by blanks."""
    words: list[list[Piece]] = []
    blank = True
    for text, ink, target in line:
        for at, part in enumerate(text.split(" ")):
            blank = blank or at > 0
            if part:
                if blank:
                    words.append([])
                words[-1].append(Piece(part, ink, target))
                blank = False
    return words


def longest_word(line: Sequence[Piece]) -> int:
    """The columns of the longest part that is not broken."""
    return max(map(length, _words(line)), default=0)


def wrapped(line: Sequence[Piece], width: int, indent: int = 0) -> list[Line]:
    """Pieces in lines of at most a width, broken at blanks; what is longer is broken anywhere."""
    if length(line) <= width:
        return [list(line)]
    lines: list[Line] = [[]]
    used = 0
    for word in _words(line):
        room = width - (indent if len(lines) > 1 else 0)
        gap = 1 if lines[-1] and used else 0
        if used and used + gap + length(word) > room:
            lines.append([Piece(" " * indent)] if indent else [])
            used, gap, room = 0, 0, width - indent
        if gap:
            lines[-1].append(Piece(" ", "", word[0].target))
        for text, ink, target in word:
            rest = text
            while used + gap + len(rest) > room > 0:
                fits = max(room - used - gap, 0)
                lines[-1].append(Piece(rest[:fits], ink, target))
                rest = rest[fits:]
                lines.append([Piece(" " * indent)] if indent else [])
                used, gap, room = 0, 0, width - indent
            lines[-1].append(Piece(rest, ink, target))
            used += gap + len(rest)
            gap = 0
    return lines


def columns(cells: Sequence[Line], each: int) -> Line:
    """Cells side by side, the first leftmost."""
    return [piece for cell in cells for piece in filled(cell, each)]


_DEEPEST = 3
"""Lines in which the cells of a row may stand in their columns."""

Draw = Callable[[Cell, bool], Line]


def laid(cells: Sequence[Cell], width: int, draw: Draw, *, is_tight: bool = False) -> list[Line]:
    """Cells in lane columns, in as few lines as they need; ``draw`` gets whether it is tight."""
    if len(cells) == 1:
        return wrapped(draw(cells[0], False), width, 2)
    each = width // len(cells)
    blocks = _blocks(cells, each, draw, (True,) if is_tight else (False, True))
    if blocks is not None:
        return [
            columns([block[at] if at < len(block) else [] for block in blocks[1]], each)
            for at in range(max(map(len, blocks[1])))
        ]
    lines: list[Line] = []
    for at, cell in enumerate(cells):
        if not cell.spans:
            continue
        head = Piece(f"{len(cells) - 1 - at}: ", "dim", cell.place)
        lines += wrapped([head, *draw(cell, is_tight)], width, 3)
    return lines


def needs_tight(cells: Sequence[Cell], width: int) -> bool:
    """Whether cells stand in their columns only where they are written tightly."""
    if len(cells) == 1:
        return False
    blocks = _blocks(cells, width // len(cells), pieces, (False, True))
    return blocks is not None and blocks[0]


def _break_cell(line: Line) -> list[Line]:
    """A cell in two lines, the second of which begins with its ``=``."""
    for at, piece in enumerate(line):
        if at and (sign := piece.text.lstrip()).strip() in _LINE_STARTS:
            return [line[:at], [piece._replace(text=sign), *line[at + 1 :]]]
    return [line]


def _blocks(
    cells: Sequence[Cell], each: int, draw: Draw, styles: Sequence[bool]
) -> tuple[bool, list[list[Line]]] | None:
    """Whether cells are tight in their columns, and their lines; None where they don't fit."""
    rows = [(tight, [draw(cell, tight) for cell in cells]) for tight in styles]
    for tight, row in rows:
        if max(map(length, row)) < each:
            return tight, [[cell] for cell in row]
    for tight, row in rows:  # two lines for all
        halves = [_break_cell(cell) for cell in row]
        if max(length(half) for cell in halves for half in cell) < each:
            return tight, halves
    for tight, row in rows:
        if max(map(longest_word, row)) < each:
            blocks = [wrapped(cell, each - 1) for cell in row]
            if max(map(len, blocks)) <= _DEEPEST:
                return tight, blocks
    return None
