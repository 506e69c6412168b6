"""The figures of whole words in the lanes: permuted bytes, and truth tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, repeat

from ...engine.isa.roles import Role
from ...scene.scene_model import (
    BitRef,
    BitWord,
    CellSpan,
    LaneRef,
    PermutationFigure,
    SpanKind,
    TableFigure,
    TakenByte,
    Tint,
)
from ...state.figure_edits import FORMULA_PLACE
from ..base.pane import StyledLine, StyledText
from .lane_cells import (
    Highlights,
    draw_span,
    format_link_style,
    join_columns,
    measure_line,
    pad_line,
    wrap_line,
)
from .lane_links import draw_nets, make_net

_MIN_BYTE_COLUMNS = 5
"""Minimum columns of a source byte: its chip and a blank."""
_GAP = 3
"""Columns between a truth table and the words that use it."""
_SIGN_WORDS = ("sign of ", "sign ", "±")
"""Words before a byte whose sign is repeated, the longest first."""


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


# --- truth tables ---------------------------------------------------------------------------


def draw_table(
    figure: TableFigure, width: int, lanes: int, highlights: Highlights, progress: float
) -> list[StyledLine]:
    """Return a truth table, and beside or below it the words: each bit under its entry's number."""
    words = (*figure.words, figure.result)
    room = max(len(word.name) for word in words) + 1
    table = _draw_entries(figure, room, highlights)
    lines = [*table, *wrap_line(_draw_formula(figure, highlights), width, 2)]
    if figure.result.digits:
        numbers = "".join(
            str(figure.find_entry(bit).number) for bit in reversed(range(len(figure.result.digits)))
        )
        free = width - measure_line(table[0]) - _GAP
        rows = [_draw_bits(word, highlights) for word in words]
        bits = [_group([StyledText(x, "dim") for x in numbers]), *rows]
        if measure_line(bits[1]) <= free:
            indent = measure_line(table[0]) + _GAP
            joined_lines = (
                [*pad_line(left, indent), *right] for left, right in zip(table, bits, strict=True)
            )
            return [*joined_lines, *lines[len(table) :]]
        if measure_line(bits[1]) + room <= width:
            names = [StyledText(" " * room)], *([_draw_name(word, room)] for word in words)
            lines += ([*name, *row] for name, row in zip(names, bits, strict=True))
    return lines


def _draw_entries(figure: TableFigure, room: int, highlights: Highlights) -> list[StyledLine]:
    """Return the numbers of the entries, the bits of the inputs and the results."""
    refs = [BitRef(Role.TABLE, 0, entry.number) for entry in figure.entries]
    styles = [highlights.get_emphasis(ref) for ref in refs]

    def make_row(name: StyledText, values: Iterable[int], style_names: Iterable[str]) -> StyledLine:
        cells = zip(values, style_names, styles, refs, strict=False)
        pieces = [
            (StyledText(str(value), style_name + emphasis, ref), StyledText(" "))
            for value, style_name, emphasis, ref in cells
        ]
        return [name, *(piece for pair in pieces for piece in pair)][:-1]

    number_styles = ["label" if entry.positions else "dim" for entry in figure.entries]
    lines = [make_row(StyledText(" " * room), (x.number for x in figure.entries), number_styles)]
    for index, word in enumerate(figure.words):
        style_name = "dim" if word.is_ignored else "number"
        bits = [entry.bits[index] for entry in figure.entries]
        lines.append(make_row(_draw_name(word, room), bits, repeat(style_name)))
    values = [entry.value for entry in figure.entries]
    verdicts = ["good" if value else "bad" for value in values]
    return [*lines, make_row(_draw_name(figure.result, room), values, verdicts)]


def _draw_name(word: BitWord, room: int) -> StyledText:
    return StyledText(f"{word.name:<{room}}", "dim" if word.is_ignored else "label")


def _draw_bits(word: BitWord, highlights: Highlights) -> StyledLine:
    """Return the digits of a word, each with its place."""
    pieces: list[StyledText] = []
    style_name = "dim" if word.is_ignored else "number"
    for bit, digit in zip(reversed(range(len(word.digits))), word.digits, strict=True):
        ref = BitRef(word.place.key, 0, bit)
        pieces.append(StyledText(digit, style_name + highlights.get_emphasis(ref), ref))
    return _group(pieces)


def _group(digits: Sequence[StyledText]) -> StyledLine:
    """Return digits in groups of four."""
    line: StyledLine = []
    for index, digit in enumerate(digits):
        line += [StyledText(" "), digit] if index and index % 4 == 0 else [digit]
    return line


def _draw_formula(figure: TableFigure, highlights: Highlights) -> StyledLine:
    """Return the table in hexadecimal, its formula, and the inputs that it ignores."""
    emphasis = highlights.get_emphasis(FORMULA_PLACE)
    value = f"   {figure.result.name} = {figure.result.text}" if figure.result.digits else ""
    ignored = f"   ignores {' and '.join(figure.ignored_names)}" if figure.ignored_names else ""
    return [
        StyledText(f"{figure.text} ", "value" + emphasis, FORMULA_PLACE),
        StyledText(f"= {figure.formula}", "strong" + emphasis, FORMULA_PLACE),
        StyledText(value, "value" + highlights.get_emphasis(figure.place), figure.place),
        StyledText(ignored, "changed"),
    ]
