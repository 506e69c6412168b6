"""Links from registers' parts to lanes: of selectors, and of permuted bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ...scene.scene_model import (
    CellSpan,
    LaneRef,
    Link,
    PermutationFigure,
    SpanKind,
    TakenByte,
    Tint,
)
from ..base.pane import StyledLine, StyledText, measure_line, pad_line
from .lane_cells import draw_span, format_link_style, join_columns, wrap_line
from .lane_highlights import LinkMark, PlaceMark

MIN_LINKED_COLUMNS = 12
"""Minimum columns of a lane for links."""
LINK_END_COLUMNS = {"a": 3, "b": 0}
"""The column of a link's end at the selected row of a, and of b beside it."""
INDENTS = {"a": 2, "b": 0}
"""Blanks before the chips at the ends of links."""
TURNS = {"a": "╭", "b": "╮"}
"""The corner of a link beside a chip: a's on the left, b's on the right, so that both pass c."""
_MIN_BYTE_COLUMNS = 5
"""Minimum columns of a source byte: its chip and a blank."""
_SIGN_WORDS = ("sign of ", "sign ", "±")
"""Words before a byte with a repeated sign, the longest first."""

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_GLYPHS = " │││─╯╮┤─╰╭├─┴┬┼"
"""The glyph of each set of directions."""


def find_link_start(role: str, lanes: int, is_wide: bool = False) -> int:
    """Return the column of a link's start: before a's chip, or after b's."""
    digits = 40 // lanes - 1 if is_wide else 8 // lanes
    return -1 if role == "a" else digits + 2


class _Net(NamedTuple):
    """A source and all its lanes."""

    start: int
    """The column at the source."""
    tint: Tint
    source: LaneRef
    ends: tuple[tuple[int, LaneRef], ...]
    """The column and the place of each lane."""

    @property
    def span(self) -> tuple[int, int]:
        """Its leftmost and its rightmost column."""
        columns = (self.start, *(x for x, _ in self.ends))
        return min(columns), max(columns)


def has_crossing(links: Sequence[Link]) -> bool:
    """Whether any lane takes a part of another lane's column, or of another register."""
    roles = {link.source.key for link in links}
    has_moved_lane = any(link.source.lane != link.target.lane for link in links)
    return has_moved_lane or len(roles) > 1


@lru_cache(64)
def draw_links(
    links: tuple[Link, ...], lanes: int, lane_columns: int, is_wide: bool = False
) -> list[StyledLine]:
    """Return lines from the registers down to the lanes.

    Links to both selected rows are allowed. With ``is_wide``, chips show their bits.
    """
    nets = []
    for source in dict.fromkeys(link.source for link in links):
        own_links = [link for link in links if link.source == source]
        start = (lanes - 1 - source.lane) * lane_columns + find_link_start(
            source.key, lanes, is_wide
        )
        ends = tuple(
            (
                (lanes - 1 - link.target.lane) * lane_columns
                + LINK_END_COLUMNS[link.target.key.partition(".")[2]],
                link.target,
            )
            for link in own_links
        )
        nets.append(_Net(start, own_links[0].tint, source, ends))
    return _draw_nets(sorted(nets, key=lambda net: net.start), lane_columns * lanes)


def _draw_nets(nets: Sequence[_Net], width: int) -> list[StyledLine]:
    """Return lines from sources down to columns; at crossings, the vertical one wins.

    A line begins one column before column 0, with a separate piece.
    """
    rails = _assign_rails(nets)
    height = max(rails, default=-1) + 1
    grid: dict[tuple[int, int], tuple[int, _Net, tuple[LaneRef, ...]]] = {}

    def draw(y: int, x: int, ways: int, net: _Net, target: LaneRef) -> None:
        old_ways, old_net, targets = grid.get((y, x), (0, net, ()))
        if old_net is net:
            grid[y, x] = old_ways | ways, net, (*targets, target)
        elif ways & (_UP | _DOWN):
            grid[y, x] = ways, net, (target,)

    routes = [(net, rail, *end) for net, rail in zip(nets, rails, strict=True) for end in net.ends]
    for net, rail, end, target in routes:
        left, right = sorted((net.start, end))
        for x in range(left, right + (left < right)):
            draw(rail, x, _LEFT * (x > left) | _RIGHT * (x < right), net, target)
    for net, rail, end, target in routes:
        for y in range(rail):
            draw(y, net.start, _UP | _DOWN, net, target)
        draw(rail, net.start, _UP, net, target)
        draw(rail, end, _DOWN, net, target)
        for y in range(rail + 1, height):
            draw(y, end, _UP | _DOWN, net, target)

    def make_piece(y: int, x: int) -> StyledText:
        if (y, x) not in grid:
            return StyledText(" ")
        ways, net, targets = grid[y, x]
        mark = LinkMark(net.source, targets)
        return StyledText(_GLYPHS[ways], format_link_style(net.tint), mark)

    return [[make_piece(y, x) for x in range(-1, width)] for y in range(height)]


def draw_dragged(
    lines: Sequence[StyledLine], start: tuple[int, int], end: tuple[int, int]
) -> list[StyledLine]:
    """Return lines with a link from one column and line to another, behind their contents."""
    (left, top), (right, bottom) = start, end
    signs: dict[int, dict[int, str]] = {}
    down, across = (1 if bottom > top else -1), (1 if right > left else -1)
    for y in range(top + down, bottom, down) if top != bottom else ():
        signs.setdefault(y, {})[left] = "│"
    for x in range(left, right, across) if left != right else ():
        signs.setdefault(bottom, {})[x] = "─"
    if top != bottom and left != right:
        ways = (_UP if down > 0 else _DOWN) | (_RIGHT if across > 0 else _LEFT)
        signs[bottom][left] = _GLYPHS[ways]
    return [_draw_behind(line, signs.get(y)) for y, line in enumerate(lines)]


def _draw_behind(line: StyledLine, signs: Mapping[int, str] | None) -> StyledLine:
    """Replace blanks of a line with signs, by column."""
    if not signs:
        return line
    pieces: StyledLine = []
    line = pad_line(line, max(signs) + 1)
    x = 0
    for piece in line:
        for char in piece.text:
            sign = signs.get(x, "") if char == " " else ""
            style_name = "focus" if sign else piece.style_name
            pieces.append(piece._replace(text=sign or char, style_name=style_name))
            x += 1
    return pieces


def _assign_rails(nets: Sequence[_Net]) -> list[int]:
    """Assign a row to every net; overlapping nets have different rows."""
    rails: list[int] = []
    for net in nets:
        left, right = net.span
        overlapping_rails = {
            rail
            for other, rail in zip(nets, rails, strict=False)
            if other.span[0] <= right and left <= other.span[1]
        }
        rails.append(min({*range(len(nets))} - overlapping_rails))
    return rails


# --- permuted bytes -------------------------------------------------------------------------


def draw_permutation(figure: PermutationFigure, width: int, lanes: int) -> list[StyledLine]:
    """Return the source bytes as a bar, with links to the lanes below."""
    columns = width // len(figure.sources)
    lane_columns = width // len(figure.lane_bytes)
    heads = [[_draw_digit(byte, words) for byte in figure.lane_bytes] for words in _SIGN_WORDS]
    fitting_heads = (x for x in heads if max(map(measure_line, x)) < lane_columns)
    if columns < _MIN_BYTE_COLUMNS or (head := next(fitting_heads, None)) is None:
        lines = _list_lanes(figure, width)
    else:
        lines = [
            *_draw_bar(figure, columns),
            *_draw_byte_links(figure, columns, lane_columns),
            join_columns(head, lane_columns),
            join_columns([_draw_byte(byte) for byte in figure.lane_bytes], lane_columns),
        ]
    if figure.selector:
        name = figure.selector_name
        note = f"{name} for this arrangement" if name else "the same without a mode"
        selector = [StyledText(figure.selector, "strong"), StyledText(f" {note}", "quiet")]
        lines += wrap_line(selector, width, 2)
    return lines


def _draw_bar(figure: PermutationFigure, columns: int) -> list[StyledLine]:
    """Return the numbers of the source bytes, and the bytes."""
    names, bar = list[StyledLine](), list[StyledLine]()
    for source in figure.sources:
        number = f" {source.number}"
        named = f"{number} {source.name}"
        text = named if len(named) < columns else number
        names.append([StyledText(text, "quiet", source.place)])
        kind = SpanKind.CHIP if source.is_taken else SpanKind.UNUSED
        bar.append(draw_span(CellSpan(source.text, kind, source.tint), PlaceMark(source.place)))
    return [join_columns(names, columns), join_columns(bar, columns)]


def _draw_byte_links(
    figure: PermutationFigure, columns: int, lane_columns: int
) -> list[StyledLine]:
    """Return the links from the source bytes; their ends have different columns."""
    nets = []
    lanes = [(lane_columns * lane + 1, x) for lane, x in enumerate(figure.lane_bytes)]
    for index, source in enumerate(figure.sources):
        ends = tuple((column, byte.place) for column, byte in lanes if byte.source == source)
        other_ends = {column for column, byte in lanes if byte.source != source}
        start = index * columns + 1
        if ends:
            nets.append(_Net(start + 2 * (start in other_ends), source.tint, source.place, ends))
    return [line[1:] for line in _draw_nets(nets, lane_columns * len(figure.lane_bytes))]


def _draw_digit(byte: TakenByte, sign_words: str = "sign of ") -> StyledLine:
    """Return the digit of a lane, and the byte that it selects."""
    digit = CellSpan(byte.digit_text, SpanKind.CHIP, Tint("c"))
    name = byte.source.name if byte.source else ""
    text = f" {sign_words}{name}" if byte.is_sign else f" {name}"
    return [
        *draw_span(digit, PlaceMark(byte.digit)),
        StyledText(text, format_link_style(byte.tint), PlaceMark(byte.place)),
    ]


def _draw_byte(byte: TakenByte) -> StyledLine:
    """Return the byte of a lane; copies of a sign are hatched."""
    kind = SpanKind.SIGN if byte.is_sign else SpanKind.CHIP
    return draw_span(CellSpan(byte.text, kind, byte.tint), PlaceMark(byte.place))


def _list_lanes(figure: PermutationFigure, width: int) -> list[StyledLine]:
    """Return a line for each lane, without links."""
    lines: list[StyledLine] = []
    for byte in figure.lane_bytes:
        lane = StyledText(f"{byte.place.lane}: ", "quiet", byte.place)
        line = [lane, *_draw_digit(byte), StyledText(" "), *_draw_byte(byte)]
        lines += wrap_line(line, width, 3)
    return lines
