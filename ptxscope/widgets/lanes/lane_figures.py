"""The figures of the lanes in characters: axes, numbers to the bit, sums, gates, choices.

Each figure returns lines of at most a width, and is complete at any width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import NamedTuple, TypeGuard

from ...engine.isa.types import Role
from ...scene.scene_model import (
    PLAIN,
    BitRef,
    BitRuler,
    BitRulers,
    BitWord,
    CellSpan,
    ChoiceFigure,
    Gate,
    LaneRef,
    NumberLine,
    PermutationFigure,
    RowFigure,
    RowScene,
    RunningSum,
    Scene,
    SpanKind,
    TableFigure,
    Term,
    TruthValue,
)
from ...state.figure_edits import FORMULA_PLACE
from ..base.pane import StyledLine, StyledText, measure_line, pad_line
from .lane_axes import draw_number_line
from .lane_cells import draw_span, format_link_style, place_pieces, wrap_line
from .lane_highlights import PlaceMark
from .lane_links import draw_permutation

_TABLE_GAP = 3
"""Columns between a truth table and its words."""
_INDENT = 2
"""Columns before the continuation line of a strip."""
_RAIL = "━"


def draw_figure(figure: RowFigure, width: int, lanes: int) -> list[StyledLine]:
    """Return a figure for a width in columns."""
    return _DRAW[type(figure)](figure, width, lanes)


_COMPLETE = (Gate, ChoiceFigure, RunningSum, PermutationFigure, TableFigure)


def is_complete(figure: RowFigure | None) -> bool:
    """Whether a figure replaces the row's cells."""
    return isinstance(figure, _COMPLETE)


# --- numbers to the bit ---------------------------------------------------------------------


def _draw_bit_rulers(rulers: BitRulers, width: int, lanes: int) -> list[StyledLine]:
    lines: list[StyledLine] = []
    for ruler in rulers.rulers:
        if lanes == 1 and ruler.summary.startswith("= "):  # the row's own line ends with it
            ruler = ruler._replace(summary="")
        lines += _draw_ruler(ruler, width)
    return lines


def without_repeated_rulers(figure: Scene) -> Scene:
    """Return a scene without rows that repeat their register or their own line.

    Of rulers with the same captions, only the last one has them.
    """
    figures = [register.figure for register in figure.registers if register.figure]
    shown_runs = {ruler.runs for figure in figures for ruler in figure.rulers}
    shown_summaries = {ruler.summary for figure in figures for ruler in figure.rulers}

    def without_repeats(row: RowScene) -> RowScene:
        if not isinstance(row.figure, BitRulers):
            return row
        rulers = row.figure.rulers
        sources = tuple(x for x in rulers if x.place.key != row.key or not x.summary)
        remaining_rulers = tuple(
            ruler._replace(summary="") if ruler.summary in shown_summaries else ruler
            for ruler in sources or rulers
            if ruler.runs not in shown_runs
        )
        return row._replace(figure=BitRulers(remaining_rulers) if remaining_rulers else None)

    registers = list(figure.registers)
    for index, register in enumerate(registers):
        later_figures = (x.figure for x in registers[index + 1 :] if x.figure)
        if register.figure and any(_has_captions_of(register.figure, x) for x in later_figures):
            registers[index] = register._replace(figure=_without_captions(register.figure))
    steps = (step._replace(rows=tuple(map(without_repeats, step.rows))) for step in figure.steps)
    return figure._replace(registers=tuple(registers), steps=tuple(steps))


def _has_captions_of(figure: BitRulers, other_figure: BitRulers) -> bool:
    """Whether all rulers of two figures have the same captions."""
    captions = {
        tuple(run.label for run in ruler.runs) for ruler in (*figure.rulers, *other_figure.rulers)
    }
    return len(captions) == 1


def _without_captions(figure: BitRulers) -> BitRulers:
    """Replace the captions of rulers with blanks, which align their bits with the next ruler's."""
    return BitRulers(
        tuple(
            ruler._replace(
                runs=tuple(run._replace(label=" " * len(run.label)) for run in ruler.runs)
            )
            for ruler in figure.rulers
        )
    )


class _Segment(NamedTuple):
    """A part of a run on one line."""

    stretch: int
    start: int
    """The first column, after the bar."""
    text: str
    has_bar: bool
    """Whether it begins its run, after another one."""

    @property
    def end(self) -> int:
        """The column after it."""
        return self.start + len(self.text)


def _draw_ruler(ruler: BitRuler, width: int) -> list[StyledLine]:
    """Return a number's runs side by side, with captions below and the meaning beside them."""
    lines = _split_into_segments(ruler, width)
    captions = _find_captioned(ruler, lines, width)
    if captions is None and len(lines) == 1:
        wider_lines = [_widen_segments(ruler, lines[0])]
        if wider_lines[0][-1].end <= width:
            lines, captions = wider_lines, _find_captioned(ruler, wider_lines, width)
    digits = [
        _draw_segment(ruler, segments, is_first=index == 0) for index, segments in enumerate(lines)
    ]
    text = [StyledText(f"  {ruler.summary}", "strong")] if ruler.summary else []
    beside = next((x for x in digits if measure_line(x) + measure_line(text) <= width), None)
    if beside is not None:
        beside += text
    drawn_lines: list[StyledLine] = []
    for line, segments in zip(digits, lines, strict=True):
        drawn_lines.append(line)
        if captions is not None and (captions_line := _draw_captions(ruler, segments, captions)):
            drawn_lines.append(captions_line)
    if captions is None:
        labels = [run.label for run in ruler.runs if run.label.strip()]
        drawn_lines += _list_captions(labels, width) if labels else []
    if text and beside is None:
        drawn_lines += wrap_line([StyledText(ruler.summary, "strong")], width, 2)
    return drawn_lines


def _split_into_segments(ruler: BitRuler, width: int) -> list[list[_Segment]]:
    """Return the runs in lines, broken between runs or between groups of digits."""
    lines: list[list[_Segment]] = [[]]
    x = len(ruler.name) + 1 if ruler.name else 0
    for index, (text, kind, *_) in enumerate(ruler.runs):
        full_text = draw_span(CellSpan(text, kind), is_tight=True)[0].text
        bar = int(index > 0)
        if x + bar + len(full_text) > width >= _INDENT + bar + len(full_text) and lines[-1]:
            lines.append([])
            x = _INDENT
        has_room = x + bar + len(full_text) <= width
        words = [full_text] if has_room else _split_words(full_text, width - _INDENT - 1)
        start, part = x + bar, ""
        for word in words:
            grown = f"{part} {word}" if part else word
            if start + len(grown) > width and x > _INDENT:
                if part:
                    lines[-1].append(_Segment(index, start, part, bool(bar)))
                    bar = 0
                lines.append([])
                start, grown = _INDENT + bar, word
            part, x = grown, start + len(grown)
        lines[-1].append(_Segment(index, start, part, bool(bar)))
    return lines


def _split_words(text: str, max_chars: int) -> list[str]:
    """Return the words of a text; words longer than a line are broken."""
    return [
        word[i : i + max_chars] for word in text.split(" ") for i in range(0, len(word), max_chars)
    ]


def _widen_segments(ruler: BitRuler, segments: Sequence[_Segment]) -> list[_Segment]:
    """Widen the segments of a line to their captions; only the last has its bits on the left."""
    wider_segments: list[_Segment] = []
    x = segments[0].start
    for segment in segments:
        align = "<" if segment is segments[-1] else ">"
        text = f"{segment.text:{align}{len(ruler.runs[segment.stretch].label)}}"
        wider_segments.append(segment._replace(start=x, text=text))
        x += len(text) + 1
    return wider_segments


def _find_captioned(
    ruler: BitRuler, lines: Sequence[Sequence[_Segment]], width: int
) -> set[_Segment] | None:
    """Return the segments with captions below, or None if a caption has no room."""
    segments: set[_Segment] = set()
    for index, (_, _, label, _) in enumerate(ruler.runs):
        if not label:
            continue
        candidates = [
            segment
            for line in lines
            for position, segment in enumerate(line)
            if segment.stretch == index
            and len(label) <= _measure_caption_room(ruler, line, position, width)
        ]
        if not candidates:
            return None
        segments.add(candidates[-1])
    return segments


def _measure_caption_room(
    ruler: BitRuler, line: Sequence[_Segment], position: int, width: int
) -> int:
    """Return the columns from a segment to the next one with a caption, or to the line's end."""
    start = line[position].start
    ends = (x.start - 1 for x in line[position + 1 :] if ruler.runs[x.stretch].label)
    return next(ends, width) - start


def _list_captions(labels: Sequence[str], width: int) -> list[StyledLine]:
    """Return captions that do not fit under their runs, in one line or in a line each."""
    caption_text = " │ ".join(labels)
    if len(caption_text) <= width:
        return [[StyledText(caption_text, "quiet")]]
    return [line for label in labels for line in wrap_line([StyledText(label, "quiet")], width, 2)]


def _draw_segment(ruler: BitRuler, segments: Sequence[_Segment], *, is_first: bool) -> StyledLine:
    pieces: dict[int, StyledText] = {}
    if ruler.name and is_first:
        pieces[0] = StyledText(f"{ruler.name} ", "quiet", ruler.place)
    for segment in segments:
        _, kind, _, tint = ruler.runs[segment.stretch]
        if segment.has_bar:
            pieces[segment.start - 1] = StyledText("│", "quiet", ruler.place)
        style_name = draw_span(CellSpan("", kind, tint or PLAIN), is_tight=True)[0].style_name
        digits = segment.text.lstrip()
        piece = StyledText(digits.rstrip(), style_name, PlaceMark(ruler.place))
        pieces[segment.end - len(digits)] = piece
    return place_pieces(pieces)


def _draw_captions(
    ruler: BitRuler, segments: Sequence[_Segment], captions: set[_Segment]
) -> StyledLine:
    """Return the captions under a line; may be empty."""
    pieces: dict[int, StyledText] = {}
    end = 0
    was_captioned = False
    for segment in segments:
        is_captioned = segment in captions
        if segment.has_bar and end < segment.start and (is_captioned or was_captioned):
            pieces[segment.start - 1] = StyledText("│", "quiet")
        if is_captioned:
            text = f"{ruler.runs[segment.stretch].label:^{len(segment.text)}}"
            pieces[segment.start] = StyledText(text, "quiet")
            end = segment.start + len(text)
        was_captioned = is_captioned
    return place_pieces(pieces) if any(x.text.strip(" │") for x in pieces.values()) else []


# --- sums -----------------------------------------------------------------------------------


def _draw_running_sum(sum_: RunningSum, width: int, lanes: int) -> list[StyledLine]:
    """Return a sum from left to right, with every lane's number above.

    It begins with c if there is room.
    """
    lane_columns = width // lanes
    previous_lines: list[StyledLine] = []
    rail: list[StyledLine] = []
    start = StyledText(f"{sum_.start.text} ", "number", PlaceMark(sum_.start.place))
    for index, term in enumerate(sum_.terms):
        top, bottom = _draw_term(term, sum_.place)
        if index == 0 and len(start.text) + measure_line(bottom) <= lane_columns:
            top, bottom = [StyledText(" " * len(start.text)), *top], [start, *bottom]
        if measure_line(bottom) > lane_columns or measure_line(top) > lane_columns:
            return []
        fill = "━" if index + 1 < len(sum_.terms) else " "
        previous_lines.append(pad_line(top, lane_columns))
        rail.append([*bottom, StyledText(fill * (lane_columns - measure_line(bottom)), "quiet")])
    return [[piece for cell in line for piece in cell] for line in (previous_lines, rail)]


def is_rail(figure: RowFigure | None, lines: Sequence[StyledLine]) -> TypeGuard[RunningSum]:
    """Whether lines of a row are a running sum; the last one begins with c."""
    return isinstance(figure, RunningSum) and any(piece.text == _RAIL for piece in lines[-1])


def _draw_term(term: Term, whole: LaneRef) -> tuple[StyledLine, StyledLine]:
    """Return a term, and the rail with the sum so far below it."""
    stem, text, style_name, node = (
        ("│", term.text, "number", "⊕") if term.is_added else ("┊", "left out", "quiet", "╌")
    )
    top = [
        StyledText(" "),
        StyledText(f"{stem} ", "quiet"),
        StyledText(text, style_name, PlaceMark(term.place)),
    ]
    bottom = [
        StyledText(_RAIL, "quiet"),
        StyledText(node, "strong"),
        StyledText(f" {term.total} ", "strong", PlaceMark(whole)),
    ]
    return top, bottom


# --- truths and choices ---------------------------------------------------------------------


def _draw_truth(truth: TruthValue) -> StyledLine:
    mark = PlaceMark(truth.place)
    return [
        StyledText(f"{truth.name} ", "quiet", mark),
        StyledText(str(truth.value), "right" if truth.value else "quiet", mark),
    ]


def _draw_gate(gate: Gate, width: int, lanes: int) -> list[StyledLine]:
    inputs = [_draw_truth(truth) for truth in gate.inputs]
    output = [StyledText(f" {gate.word} ── ", "strong"), *_draw_truth(gate.output)]
    room = max(map(measure_line, inputs)) + 1
    if len(inputs) == 1:
        return wrap_line([*pad_line(inputs[0], room), StyledText("──", "quiet"), *output], width, 2)
    first, second = (pad_line(x, room) for x in inputs)
    if room + 4 + measure_line(output) > width:
        return wrap_line([*first, StyledText("  "), *second, StyledText("  "), *output], width, 2)
    return [
        [*first, StyledText("──┐", "quiet")],
        [StyledText(" " * (room + 2)), StyledText("├─", "quiet"), *output],
        [*second, StyledText("──┘", "quiet")],
    ]


def _draw_choice(choice: ChoiceFigure, width: int, lanes: int) -> list[StyledLine]:
    is_true = bool(choice.condition.value)
    why = f"{choice.condition.name} is {'true' if is_true else 'false'}"
    room = max(len(option.name) for option in choice.options)
    lines: list[StyledLine] = []
    for option in choice.options:
        name, mark = f"{option.name:<{room}} ", PlaceMark(option.place)
        if option.is_taken:
            lines += wrap_line(
                [
                    StyledText("▶ ", "strong"),
                    StyledText(name, "strong", mark),
                    *draw_span(CellSpan(option.bits, SpanKind.CHIP, option.tint), mark),
                    StyledText(" ━━▶ ", format_link_style(option.tint)),
                    StyledText(why, "right" if is_true else "quiet", PlaceMark(choice.place)),
                ],
                *(width, 4),
            )
        else:
            bits = draw_span(CellSpan(option.bits, SpanKind.UNUSED), mark)
            cross = StyledText(" ╌╌╳", "quiet")
            lines += wrap_line(
                [StyledText("  ", "strong"), StyledText(name, "quiet", mark), *bits, cross],
                width,
                4,
            )
    return lines


# --- truth tables ---------------------------------------------------------------------------


def _draw_table(figure: TableFigure, width: int, lanes: int) -> list[StyledLine]:
    """Return a truth table, with the words beside or below it, bits under their entries."""
    words = (*figure.words, figure.result)
    room = max(len(word.name) for word in words) + 1
    table = _draw_entries(figure, room)
    formula = wrap_line(_draw_formula(figure), width, 2)
    if figure.result.digits:
        bits = reversed(range(len(figure.result.digits)))
        numbers = [StyledText(str(figure.find_entry(bit).number), "quiet") for bit in bits]
        rows = [_group(numbers), *map(_draw_bits, words)]
        indent = measure_line(table[0]) + _TABLE_GAP
        if measure_line(rows[1]) <= width - indent:
            pairs = zip(table, rows, strict=True)
            return [*([*pad_line(left, indent), *right] for left, right in pairs), *formula]
        if measure_line(rows[1]) + room <= width:
            names = [StyledText(" " * room), *(_draw_name(word, room) for word in words)]
            formula += ([name, *row] for name, row in zip(names, rows, strict=True))
    return [*table, *formula]


def _draw_entries(figure: TableFigure, room: int) -> list[StyledLine]:
    """Return the numbers of the entries, the bits of the inputs and the results."""
    marks = [PlaceMark(BitRef(Role.TABLE, 0, entry.number)) for entry in figure.entries]

    def make_row(name: StyledText, values: Iterable[int], style_names: Iterable[str]) -> StyledLine:
        cells = zip(values, style_names, marks, strict=False)
        gap = StyledText(" ")
        return [
            name,
            *(x for v, style, mark in cells for x in (StyledText(str(v), style, mark), gap)),
        ]

    numbers = (x.number for x in figure.entries)
    lines = [make_row(StyledText(" " * room), numbers, repeat("quiet"))]
    for index, word in enumerate(figure.words):
        style_name = "quiet" if word.is_ignored else "number"
        bits = [entry.bits[index] for entry in figure.entries]
        lines.append(make_row(_draw_name(word, room), bits, repeat(style_name)))
    values = [entry.value for entry in figure.entries]
    verdicts = ["right" if value else "quiet" for value in values]
    lines.append(make_row(_draw_name(figure.result, room), values, verdicts))
    return [line[:-1] for line in lines]


def _draw_name(word: BitWord, room: int) -> StyledText:
    return StyledText(f"{word.name:<{room}}", "quiet")


def _draw_bits(word: BitWord) -> StyledLine:
    """Return the digits of a word, each with its place."""
    style_name = "quiet" if word.is_ignored else "number"
    bits = reversed(range(len(word.digits)))
    return _group(
        [
            StyledText(digit, style_name, PlaceMark(BitRef(word.place.key, 0, bit)))
            for bit, digit in zip(bits, word.digits, strict=True)
        ]
    )


def _group(digits: Sequence[StyledText]) -> StyledLine:
    """Return digits in groups of four."""
    return place_pieces({index + index // 4: digit for index, digit in enumerate(digits)})


def _draw_formula(figure: TableFigure) -> StyledLine:
    """Return the table in hexadecimal, its formula, and the inputs that it ignores."""
    value = f"   {figure.result.name} = {figure.result.text}" if figure.result.digits else ""
    ignored = f"   ignores {' and '.join(figure.ignored_names)}" if figure.ignored_names else ""
    return [
        StyledText(f"{figure.text} ", "strong", PlaceMark(FORMULA_PLACE)),
        StyledText(f"= {figure.formula}", "strong", PlaceMark(FORMULA_PLACE)),
        StyledText(value, "strong", PlaceMark(figure.place)),
        StyledText(ignored, "quiet"),
    ]


_DRAW: dict[type, Callable[..., list[StyledLine]]] = {
    NumberLine: draw_number_line,
    BitRulers: _draw_bit_rulers,
    RunningSum: _draw_running_sum,
    Gate: _draw_gate,
    ChoiceFigure: _draw_choice,
    PermutationFigure: draw_permutation,
    TableFigure: _draw_table,
}
