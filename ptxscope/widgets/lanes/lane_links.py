"""Links from registers' parts to the lanes that take them: of selectors, and of permuted bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count
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
from ..base.pane import StyledLine, StyledText
from .lane_cells import (
    NO_HIGHLIGHTS,
    Highlights,
    draw_span,
    format_link_style,
    join_columns,
    measure_line,
    wrap_line,
)

MIN_LINKED_COLUMNS = 12
"""Minimum columns of a lane for links."""
LINK_END_COLUMNS = {"a": 3, "b": 0}
"""The column of a link's end at the selected row of a, and of b, beside that of a."""
INDENTS = {"a": 2, "b": 0}
"""Blanks before the chips at the ends of links."""
TURNS = {"a": "╭", "b": "╮"}
"""The corner of a link beside a chip: a's on the left, b's on the right, so that both pass c."""

_MIN_BYTE_COLUMNS = 5
"""Minimum columns of a source byte: its chip and a blank."""
_SIGN_WORDS = ("sign of ", "sign ", "±")
"""Words before a byte whose sign is repeated, the longest first."""

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_GLYPHS = {
    _UP | _DOWN: "│",
    _UP: "│",
    _DOWN: "│",
    _LEFT | _RIGHT: "─",
    _LEFT: "─",
    _RIGHT: "─",
    _UP | _LEFT: "╯",
    _UP | _RIGHT: "╰",
    _DOWN | _LEFT: "╮",
    _DOWN | _RIGHT: "╭",
    _UP | _LEFT | _RIGHT: "┴",
    _DOWN | _LEFT | _RIGHT: "┬",
    _UP | _DOWN | _LEFT: "┤",
    _UP | _DOWN | _RIGHT: "├",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",
}


def start_of(role: str, lanes: int, is_wide: bool = False) -> int:
    """Return the column of a link's start: before a's chip, or after b's."""
    digits = 40 // lanes - 1 if is_wide else 8 // lanes
    return -1 if role == "a" else digits + 2


class Net(NamedTuple):
    """A source and every lane that selects it."""

    start: int
    """The column where it leaves the source."""
    columns: tuple[int, ...]
    style_name: str
    lit_columns: tuple[int, ...] = ()
    """Those of its columns to which the link is lit."""
    lit_style_name: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """Its leftmost and its rightmost column."""
        places = (self.start, *self.columns)
        return min(places), max(places)


def has_crossing(links: Sequence[Link]) -> bool:
    """Whether any lane takes a part from another lane's column, or of another register."""
    roles = {link.source.key for link in links}
    has_moved_lane = any(link.source.lane != link.target.lane for link in links)
    return has_moved_lane or len(roles) > 1


@lru_cache(64)
def draw_links(
    links: tuple[Link, ...],
    lanes: int,
    lane_columns: int,
    is_wide: bool = False,
    highlights: Highlights = NO_HIGHLIGHTS,
) -> list[StyledLine]:
    """Return lines from the registers down to the lanes; where two cross, the vertical one wins.

    The links may be those of both selected rows. A line begins one column before the lanes, with a
    piece of its own. With ``is_wide``, chips show their bits.
    """
    nets = _make_nets(links, lanes, lane_columns, is_wide, highlights)
    return draw_nets(nets, lane_columns * lanes)


def draw_nets(nets: Sequence[Net], width: int) -> list[StyledLine]:
    """Return lines from sources down to columns; where two cross, the vertical one wins.

    A line begins one column before column 0, with a piece of its own.
    """
    rails = _assign_rails(nets)
    height = max(rails, default=-1) + 1
    grid: dict[tuple[int, int], tuple[int, str]] = {}

    def draw(y: int, x: int, ways: int, net: Net) -> None:
        lines, style_name = grid.get((y, x), (0, net.style_name))
        is_same_net = style_name == net.style_name
        if is_same_net:
            grid[y, x] = lines | ways, style_name
        elif ways & (_UP | _DOWN):
            grid[y, x] = ways, net.style_name

    for net, rail in zip(nets, rails, strict=True):
        left, right = net.span
        for x in range(left, right + 1):
            ways = (_LEFT if x > left else 0) | (_RIGHT if x < right else 0)
            if ways:
                draw(rail, x, ways, net)
    for net, rail in zip(nets, rails, strict=True):
        for y in range(rail):
            draw(y, net.start, _UP | _DOWN, net)
        draw(rail, net.start, _UP, net)
        for end in net.columns:
            draw(rail, end, _DOWN, net)
            for y in range(rail + 1, height):
                draw(y, end, _UP | _DOWN, net)
    for net, rail in zip(nets, rails, strict=True):
        for end in net.lit_columns if net.lit_style_name != net.style_name else ():
            path = {(y, net.start) for y in range(rail + 1)}
            path |= {(rail, x) for x in range(min(net.start, end), max(net.start, end) + 1)}
            path |= {(y, end) for y in range(rail, height)}
            for place in path & grid.keys():
                if grid[place][1] == net.style_name:  # no other net passes there
                    grid[place] = grid[place][0], net.lit_style_name
    return [_draw_grid_line(grid, y, width) for y in range(height)]


def make_net(start: int, columns: tuple[int, ...], tint: Tint, emphases: Sequence[str]) -> Net:
    """Return a net with the emphasis of its link to each column: lit, or in the shade."""
    style = format_link_style(tint)
    lit_columns = tuple(x for x, y in zip(columns, emphases, strict=True) if y != " shade")
    lit_emphasis = next((x for x in emphases if x != " shade"), "")
    shade = " shade" if " shade" in emphases else ""
    return Net(start, columns, style + shade, lit_columns, style + lit_emphasis)


def _make_nets(
    links: Sequence[Link], lanes: int, lane_columns: int, is_wide: bool, highlights: Highlights
) -> list[Net]:
    grouped: dict[LaneRef, list[Link]] = {}
    for link in links:
        grouped.setdefault(link.source, []).append(link)
    nets = []
    for source, net_links in grouped.items():
        start = (lanes - 1 - source.lane) * lane_columns + start_of(source.key, lanes, is_wide)
        end_columns = tuple(
            (lanes - 1 - link.target.lane) * lane_columns
            + LINK_END_COLUMNS[link.target.key.partition(".")[2]]
            for link in net_links
        )
        emphases = [highlights.get_link_emphasis(x.source, x.target) for x in net_links]
        nets.append(make_net(start, end_columns, net_links[0].tint, emphases))
    return sorted(nets, key=lambda net: net.start)


def _assign_rails(nets: Sequence[Net]) -> list[int]:
    """Return a row for every net; overlapping nets have different rows."""
    rails: list[int] = []
    taken_spans: list[list[tuple[int, int]]] = []
    for net in nets:
        left, right = net.span
        row = next(
            (
                y
                for y, spans in enumerate(taken_spans)
                if all(right < low or left > high for low, high in spans)
            ),
            len(taken_spans),
        )
        if row == len(taken_spans):
            taken_spans.append([])
        taken_spans[row].append((left, right))
        rails.append(row)
    return rails


def _draw_grid_line(grid: dict[tuple[int, int], tuple[int, str]], y: int, width: int) -> StyledLine:
    line: StyledLine = []
    for x in range(-1, width):
        ways, style_name = grid.get((y, x), (0, ""))
        text = _GLYPHS.get(ways, " ")
        if x > 0 and line[-1].style_name == style_name:
            line[-1] = StyledText(line[-1].text + text, style_name)
        else:
            line.append(StyledText(text, style_name))
    return line


# --- permuted bytes -------------------------------------------------------------------------


def draw_permutation(
    figure: PermutationFigure, width: int, lanes: int, highlights: Highlights, progress: float
) -> list[StyledLine]:
    """Return the source bytes as a bar, with links to the lanes below."""
    columns = width // len(figure.sources)
    lane_columns = width // len(figure.lane_bytes)
    heads = [
        [_draw_digit(byte, highlights, words) for byte in figure.lane_bytes]
        for words in _SIGN_WORDS
    ]
    fitting_heads = (x for x in heads if max(map(measure_line, x)) < lane_columns)
    if columns < _MIN_BYTE_COLUMNS or (head := next(fitting_heads, None)) is None:
        lines = _list_lanes(figure, width, highlights)
    else:
        lines = [
            *_draw_bar(figure, columns, highlights),
            *_draw_byte_links(figure, columns, lane_columns, highlights, progress),
            join_columns(head, lane_columns),
            join_columns(
                [_draw_byte(byte, highlights) for byte in figure.lane_bytes], lane_columns
            ),
        ]
    return [*lines, *(wrap_line(_draw_selector(figure), width, 2) if figure.selector else ())]


def _draw_bar(
    figure: PermutationFigure, columns: int, highlights: Highlights
) -> Iterable[StyledLine]:
    """Yield the numbers of the source bytes, and the bytes."""
    names, bar = list[StyledLine](), list[StyledLine]()
    for source in figure.sources:
        number = f" {source.number}"
        named = f"{number} {source.name}"
        text = named if len(named) < columns else number
        names.append([StyledText(text, "label" if source.is_taken else "dim", source.place)])
        kind = SpanKind.CHIP if source.is_taken else SpanKind.UNUSED
        bar.append(_place(CellSpan(source.text, kind, source.tint), source.place, highlights))
    yield join_columns(names, columns)
    yield join_columns(bar, columns)


def _draw_byte_links(
    figure: PermutationFigure,
    columns: int,
    lane_columns: int,
    highlights: Highlights,
    progress: float,
) -> list[StyledLine]:
    lane_ends = list(zip(count(1, lane_columns), figure.lane_bytes))
    nets = []
    for index, source in enumerate(figure.sources):
        ends = tuple(x for x, byte in lane_ends if byte.source == source)
        emphases = [
            highlights.get_link_emphasis(source.place, byte.place)
            for byte in figure.lane_bytes
            if byte.source == source
        ]
        if ends:
            nets.append(make_net(index * columns + 1, ends, source.tint, emphases))
    lines = [line[1:] for line in draw_nets(nets, lane_columns * len(figure.lane_bytes))]
    return lines[: max(round(progress * len(lines)), 1)]


def _draw_digit(
    byte: TakenByte,
    highlights: Highlights,
    sign_words: str = "sign of ",
) -> StyledLine:
    """Return the digit of a lane, and the byte that it chooses."""
    digit = CellSpan(byte.digit_text, SpanKind.CHIP, Tint("c"))
    name = byte.source.name if byte.source else ""
    text = f" {sign_words}{name}" if byte.is_sign else f" {name}"
    emphasis = highlights.get_emphasis(byte.place)
    return [
        *_place(digit, byte.digit, highlights),
        StyledText(text, format_link_style(byte.tint) + emphasis, byte.place),
    ]


def _draw_byte(byte: TakenByte, highlights: Highlights) -> StyledLine:
    """Return the byte of a lane; copies of a sign are hatched."""
    kind = SpanKind.SIGN if byte.is_sign else SpanKind.CHIP
    return _place(CellSpan(byte.text, kind, byte.tint), byte.place, highlights)


def _list_lanes(figure: PermutationFigure, width: int, highlights: Highlights) -> list[StyledLine]:
    """Return a line for each lane, without links."""
    lines: list[StyledLine] = []
    for byte in figure.lane_bytes:
        lane = StyledText(f"{byte.place.lane}: ", "dim", byte.place)
        drawing = _draw_byte(byte, highlights)
        line = [lane, *_draw_digit(byte, highlights), StyledText(" "), *drawing]
        lines += wrap_line(line, width, 3)
    return lines


def _draw_selector(figure: PermutationFigure) -> StyledLine:
    """Return the selector that makes the arrangement."""
    name = figure.selector_name
    note = f"{name} for this arrangement" if name else "the same without a mode"
    return [StyledText(figure.selector, "value"), StyledText(f" {note}", "dim")]


def _place(span: CellSpan, place: LaneRef, highlights: Highlights) -> StyledLine:
    emphasis = highlights.get_emphasis(place)
    return [StyledText(x.text, x.style_name + emphasis, place) for x in draw_span(span)]
