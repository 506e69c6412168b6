"""Spans as pieces, and cells in lane columns. Numbers and formulas are never cut off.

Cells too wide for their column are written tighter, then in several lines, then one lane below the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ...scene.scene_model import Cell, CellSpan, SpanKind, Tint
from ..base.pane import StyledLine, StyledText, measure_line, pad_line
from .lane_highlights import PlaceMark

_Kind = SpanKind
_INKS = {
    **dict.fromkeys(
        (_Kind.UNUSED, _Kind.BEYOND, _Kind.OUTSIDE, _Kind.TEXT, _Kind.NAME, _Kind.BECOMES), "quiet"
    ),
    **dict.fromkeys((_Kind.EITHER, _Kind.FAILS), "quiet"),
    **dict.fromkeys(
        (_Kind.CLAMPED, _Kind.DIFFERS, _Kind.CHANGED, _Kind.KEPT, _Kind.AWAY), "surprise"
    ),
    **dict.fromkeys((_Kind.TAKEN, _Kind.HOLDS), "right"),
    _Kind.NUMBER: "number",
    _Kind.VALUE: "strong",
    _Kind.LOST: "lost",
}
_ENDS = ("▐", "▌")
_SIGNS = (" = ", " → ")
_LINE_STARTS = ("=", "→", "▸")
"""Possible starts of a continuation line of a long cell; no line ends with one."""
_TIGHTENED = (SpanKind.NUMBER, SpanKind.HOLDS, SpanKind.FAILS)
"""Spans without blanks in narrow columns."""
_HATCH = {SpanKind.SIGN: "▒", SpanKind.ZERO: "░"}


def format_tint(tint: Tint) -> str:
    """Return the suffix of a tint's style names: ``a3``, ``c``, ``t``."""
    if tint.role in ("a", "b"):
        return f"{tint.role}{tint.byte}"
    if tint.role in ("d", "p", "q"):
        return "d"
    return "c" if tint.role.startswith("c") else "t"


def format_link_style(tint: Tint) -> str:
    """Return the style of a link from a tint's bits, by their byte."""
    return f"wire-{format_tint(tint)}"


def draw_span(span: CellSpan, target: object = None, *, is_tight: bool = False) -> StyledLine:
    """Return a span as styled text; a tight one omits the chips' ends."""
    return [StyledText(*styled, target) for styled in _style_span(span, is_tight)]


def _style_span(span: CellSpan, is_tight: bool) -> Sequence[tuple[str, str]]:
    """Return the texts of a span with their styles."""
    text, kind = span.text, span.kind
    if kind is SpanKind.CHIP:
        tint = format_tint(span.tint)
        start, end = ((mark, f"edge-{tint}") for mark in _ENDS)
        chip = text, f"chip-{tint}"
        return [chip] if is_tight else [start, chip, end]
    if kind is SpanKind.UNUSED:
        return [(text if is_tight else f" {text} ", "quiet")]
    if kind is SpanKind.FIELD:
        return [(text, f"chip-{format_tint(span.tint)}")]
    if kind in _HATCH:
        return [(_HATCH[kind] + text, f"data-{format_tint(span.tint)[0]}")]
    if kind is SpanKind.LOST:
        return [(f"{text}╳", "lost")]
    if kind is SpanKind.OUTSIDE:
        return [(f"╱{text}╱", "quiet")]
    if is_tight and (kind in _TIGHTENED or text in _SIGNS):
        text = text.replace(" ", "")
    return [(text, _INKS[kind])]


def draw_cell_pieces(cell: Cell, is_tight: bool = False) -> StyledLine:
    """Return a cell's spans as pieces with its mark."""
    mark = PlaceMark(cell.place, cell.part)
    previous_kind, pieces = None, list[StyledText]()
    for span in cell.spans:
        drawn = draw_span(span, mark, is_tight=is_tight)
        if span.kind is SpanKind.LOST and previous_kind is SpanKind.CHIP:  # the cut is before them
            drawn = [drawn[0]._replace(text=f"╳{span.text}")]
        pieces += drawn
        previous_kind = span.kind
    return pieces


@lru_cache(512)
def widen_cell(cell: Cell, *, with_hex: bool = False) -> Cell:
    """Return a cell whose chips also show their bits."""
    spans: list[CellSpan] = []
    for span in cell.spans:
        spans.append(span._replace(text=span.bits or span.text))
        if with_hex and span.bits and span.kind is not SpanKind.LOST:
            spans.append(CellSpan(f" 0x{span.text}", SpanKind.TEXT))
    return cell._replace(spans=tuple(spans))


# --- lines ------------------------------------------------------------------------------


def _make_blank(target: object) -> StyledText:
    """Return a blank between words, without emphasis."""
    return StyledText(" ", "", target.place if isinstance(target, PlaceMark) else target)


def _split_words(line: Sequence[StyledText]) -> list[list[StyledText]]:
    """Return pieces as words, separated by blanks."""
    words: list[list[StyledText]] = []
    blank = True
    for text, style_name, target in line:
        for index, part in enumerate(text.split(" ")):
            blank = blank or index > 0
            if part:
                if not blank:
                    pass
                elif words and words[-1][-1].text in _LINE_STARTS:  # it stays with the next word
                    words[-1].append(_make_blank(target))
                else:
                    words.append([])
                words[-1].append(StyledText(part, style_name, target))
                blank = False
    return words


def measure_longest_word(line: Sequence[StyledText]) -> int:
    """Return the columns of the longest unbreakable part."""
    return max(map(measure_line, _split_words(line)), default=0)


def wrap_line(line: Sequence[StyledText], width: int, indent: int = 0) -> list[StyledLine]:
    """Break a line at blanks into lines of at most a width; longer words are broken anywhere."""
    if measure_line(line) <= width:
        return [list(line)]
    lines: list[StyledLine] = [[]]
    column = 0
    for word in _split_words(line):
        room = width - (indent if len(lines) > 1 else 0)
        gap = 1 if lines[-1] and column else 0
        if column and column + gap + measure_line(word) > room:
            lines.append([StyledText(" " * indent)] if indent else [])
            column, gap, room = 0, 0, width - indent
        if gap:
            lines[-1].append(_make_blank(word[0].target))
        for text, style_name, target in word:
            remaining_text = text
            while column + gap + len(remaining_text) > room > 0:
                fitting_count = max(room - column - gap, 0)
                lines[-1].append(StyledText(remaining_text[:fitting_count], style_name, target))
                remaining_text = remaining_text[fitting_count:]
                lines.append([StyledText(" " * indent)] if indent else [])
                column, gap, room = 0, 0, width - indent
            lines[-1].append(StyledText(remaining_text, style_name, target))
            column += gap + len(remaining_text)
            gap = 0
    return lines


def place_pieces(pieces: Mapping[int, StyledText]) -> StyledLine:
    """Return pieces at their columns; adjacent pieces of one style and target are joined."""
    line: StyledLine = []
    column = 0
    for x, piece in sorted(pieces.items()):
        if x > column:
            line.append(StyledText(" " * (x - column)))
        if line and x == column and line[-1][1:] == piece[1:]:
            line[-1] = piece._replace(text=line[-1].text + piece.text)
        else:
            line.append(piece)
        column = x + len(piece.text)
    return line


def join_columns(cells: Sequence[StyledLine], lane_columns: int) -> StyledLine:
    """Return cells side by side, the first leftmost."""
    return [piece for cell in cells for piece in pad_line(cell, lane_columns)]


_DEEPEST = 3
"""Maximum lines of a row's cells in their columns."""

CellWriter = Callable[[Cell, bool], StyledLine]


def lay_out_cells(
    cells: Sequence[Cell], width: int, draw: CellWriter, *, is_tight: bool = False
) -> list[StyledLine]:
    """Return cells in lane columns, in as few lines as they need.

    ``draw`` gets whether to write tightly.
    """
    if len(cells) == 1:
        return wrap_line(draw(cells[0], False), width, 2)
    lane_columns = width // len(cells)
    blocks = _blocks(cells, lane_columns, draw, (True,) if is_tight else (False, True))
    if blocks is not None:
        return [
            join_columns(
                [block[index] if index < len(block) else [] for block in blocks[1]], lane_columns
            )
            for index in range(max(map(len, blocks[1])))
        ]
    lines: list[StyledLine] = []
    for index, cell in enumerate(cells):
        if not cell.spans:
            continue
        head = StyledText(f"{len(cells) - 1 - index}: ", "quiet", cell.place)
        lines += wrap_line([head, *draw(cell, is_tight)], width, 3)
    return lines


def needs_tight(cells: Sequence[Cell], width: int) -> bool:
    """Whether cells fit in their columns only if written tightly."""
    if len(cells) == 1:
        return False
    blocks = _blocks(cells, width // len(cells), draw_cell_pieces, (False, True))
    return blocks is not None and blocks[0]


def _break_cell(line: StyledLine) -> list[StyledLine]:
    """Break a cell into two lines before its ``=``."""
    for index, piece in enumerate(line):
        if index and (sign := piece.text.lstrip()).strip() in _LINE_STARTS:
            return [line[:index], [piece._replace(text=sign), *line[index + 1 :]]]
    return [line]


def _blocks(
    cells: Sequence[Cell], lane_columns: int, draw: CellWriter, styles: Sequence[bool]
) -> tuple[bool, list[list[StyledLine]]] | None:
    """Return whether cells are tight, and their lines in columns; None if they do not fit."""
    rows: list[tuple[bool, list[StyledLine]]] = []
    for tight in styles:
        row = [draw(cell, tight) for cell in cells]
        if max(map(measure_line, row)) < lane_columns:
            return tight, [[cell] for cell in row]
        rows.append((tight, row))
    for tight, row in rows:  # two lines for all
        halves = [_break_cell(cell) for cell in row]
        if max(measure_line(half) for cell in halves for half in cell) < lane_columns:
            return tight, halves
    for tight, row in rows:
        if max(map(measure_longest_word, row)) < lane_columns:
            blocks = [wrap_line(cell, lane_columns - 1) for cell in row]
            if max(map(len, blocks)) <= _DEEPEST:
                return tight, blocks
    return None


# --- labels ------------------------------------------------------------------------------

LABEL = 20
"""Columns before the lanes: step number and title (15), row name (5)."""
NUMBER = 15

_NAMES = {
    "negated": "neg",
    "amount": "by",
    "not": "!t",
    "guard": "@",
    "number": "int",
    "position": "pos",
    "length": "len",
    "start": "from",
    "zeros": "zero",
    "magnitude": "|d|",
    "pattern": "bits",
    "carry": "out",
}
"""Short forms of row names that are too long for their column."""


NamedLine = tuple[str | StyledText, StyledLine]
"""A line of the lanes after its row's name, which only the first line has, or after a mark."""


def draw_labelled(
    label: str, name: str | StyledText, style_name: str, body: StyledLine, number: int | None = None
) -> StyledLine:
    """Return a line after its label, a target for the step.

    The label is the step's number and title, and the row's name; a mark ends beside the lanes.
    """
    if isinstance(name, str):
        name = StyledText(f"{shorten_name(name):<{LABEL - NUMBER - 1}} ", "quiet")
    target = number if label else None
    return [StyledText(f"{label:<{LABEL - len(name.text)}}", style_name, target), name, *body]


def label_lines(
    label: str, lines: Iterable[NamedLine], style_name: str, number: int | None = None
) -> Iterator[StyledLine]:
    """Yield lines; the first has the label of its step or register."""
    for name, body in lines:
        yield draw_labelled(label, name, style_name, body, number)
        label = ""


def name_lines(name: str | StyledText, lines: Sequence[StyledLine]) -> Iterator[NamedLine]:
    """Yield lines; the first has a name."""
    for index, line in enumerate(lines):
        yield name if index == 0 else "", line


def shorten_name(name: str) -> str:
    """Return the name of a row, shortened to its column."""
    return _NAMES.get(name, name)
