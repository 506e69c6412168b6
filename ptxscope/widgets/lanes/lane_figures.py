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
from ..base.pane import StyledLine, StyledText
from .lane_axes import draw_number_line
from .lane_cells import Highlights, draw_span, format_link_style, measure_line, pad_line, wrap_line
from .lane_links import draw_permutation

_TABLE_GAP = 3
"""Columns between a truth table and the words that use it."""
_INDENT = 2
"""Columns before the continuation line of a strip."""
_RAIL = "━"


def draw_figure(
    figure: RowFigure, width: int, lanes: int, highlights: Highlights, progress: float = 1
) -> list[StyledLine]:
    """Return a figure for a width in columns; a ``progress`` below 1 draws a part of its motion."""
    return _DRAW[type(figure)](figure, width, lanes, highlights, progress)


_COMPLETE = (Gate, ChoiceFigure, RunningSum, PermutationFigure, TableFigure)


def is_complete(figure: RowFigure | None) -> bool:
    """Whether a figure contains the row's cells, so that they are left out."""
    return isinstance(figure, _COMPLETE)


# --- numbers to the bit ---------------------------------------------------------------------


def _draw_bit_rulers(
    rulers: BitRulers, width: int, lanes: int, highlights: Highlights, progress: float
) -> list[StyledLine]:
    lines: list[StyledLine] = []
    for ruler in rulers.rulers:
        is_repeated = lanes == 1 and ruler.summary.startswith(
            "= "
        )  # the row's own line ends with it
        shown_strip = ruler._replace(summary="") if is_repeated else ruler
        lines += ruler_lines(shown_strip, width, highlights)
    return lines


def without_repeated_rulers(figure: Scene) -> Scene:
    """Return a scene in which no row repeats what its register, or its own line, shows.

    Of rulers that share their captions, the last one has them.
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
            x._replace(summary="") if x.summary in shown_summaries else x
            for x in sources or rulers
            if x.runs not in shown_runs
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
    return BitRulers(
        tuple(
            ruler._replace(runs=tuple(run._replace(label="") for run in ruler.runs))
            for ruler in figure.rulers
        )
    )


class _Segment(NamedTuple):
    """A part of a stretch on one line."""

    stretch: int
    start: int
    """The first column, after the bar."""
    text: str
    has_bar: bool
    """Whether it begins its stretch, after another one."""


def ruler_lines(ruler: BitRuler, width: int, highlights: Highlights) -> list[StyledLine]:
    """Return a number's stretches side by side, with captions below and the meaning beside them."""
    lines = _split_into_segments(ruler, width)
    captions = _caption_segments(ruler, lines, width)
    digits = [
        _segment_line(ruler, segments, highlights, is_first=index == 0)
        for index, segments in enumerate(lines)
    ]
    text = [StyledText(f"  {ruler.summary}", "value")] if ruler.summary else []
    beside = next((x for x in digits if measure_line(x) + measure_line(text) <= width), None)
    if beside is not None:
        beside += text
    drawn_lines: list[StyledLine] = []
    for line, segments in zip(digits, lines, strict=True):
        drawn_lines.append(line)
        if captions is not None and (captions_line := _caption_line(ruler, segments, captions)):
            drawn_lines.append(captions_line)
    if captions is None:
        drawn_lines += _list_captions([run.label for run in ruler.runs if run.label], width)
    if text and beside is None:
        drawn_lines += wrap_line([StyledText(ruler.summary, "value")], width, 2)
    return drawn_lines


def _split_into_segments(ruler: BitRuler, width: int) -> list[list[_Segment]]:
    """Return the stretches in lines, broken between them and then between groups of digits."""
    lines: list[list[_Segment]] = [[]]
    x = len(ruler.name) + 1 if ruler.name else 0
    for index, (text, kind, *_) in enumerate(ruler.runs):
        full_text = draw_span(CellSpan(text, kind), is_tight=True)[0].text
        bar = int(index > 0)
        if x + bar + len(full_text) > width >= _INDENT + bar + len(full_text) and lines[-1]:
            lines.append([])
            x = _INDENT
        has_room = x + bar + len(full_text) <= width
        words = [full_text] if has_room else _short_words(full_text, width - _INDENT - 1)
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


def _short_words(text: str, max_chars: int) -> list[str]:
    """Return the words of a text, broken if longer than a line."""
    return [
        word[i : i + max_chars] for word in text.split(" ") for i in range(0, len(word), max_chars)
    ]


def _caption_segments(
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
    """Captions that have no room under their stretches: in one line, or in a line each."""
    caption_text = " │ ".join(labels)
    if len(caption_text) <= width:
        return [[StyledText(caption_text, "dim")]]
    return [line for label in labels for line in wrap_line([StyledText(label, "dim")], width, 2)]


def _segment_line(
    ruler: BitRuler, segments: Sequence[_Segment], highlights: Highlights, *, is_first: bool
) -> StyledLine:
    style_name = highlights.get_emphasis(ruler.place)
    line: StyledLine = (
        [StyledText(f"{ruler.name} ", "label", ruler.place)] if ruler.name and is_first else []
    )
    for segment in segments:
        _, kind, _, tint = ruler.runs[segment.stretch]
        line.append(StyledText(" " * (segment.start - segment.has_bar - measure_line(line))))
        line += [StyledText("│", "axis", ruler.place)] if segment.has_bar else []
        look_ink = draw_span(CellSpan("", kind, tint or PLAIN), is_tight=True)[0].style_name
        line.append(StyledText(segment.text, look_ink + style_name, ruler.place))
    return [piece for piece in line if piece.text]


def _caption_line(
    ruler: BitRuler, segments: Sequence[_Segment], captions: set[_Segment]
) -> StyledLine:
    """Return the captions under a line; empty if it has none."""
    line: StyledLine = []
    was_captioned = False
    for segment in segments:
        is_captioned = segment in captions
        has_room = measure_line(line) < segment.start
        if segment.has_bar and has_room and (is_captioned or was_captioned):
            line.append(StyledText(" " * (segment.start - 1 - measure_line(line))))
            line.append(StyledText("│", "axis"))
        if is_captioned:
            label = ruler.runs[segment.stretch].label
            line.append(StyledText(" " * (segment.start - measure_line(line))))
            line.append(StyledText(f"{label:^{len(segment.text)}}", "dim"))
        was_captioned = is_captioned
    return [piece for piece in line if piece.text]


# --- sums -----------------------------------------------------------------------------------


def _draw_running_sum(
    sum_: RunningSum, width: int, lanes: int, highlights: Highlights, progress: float
) -> list[StyledLine]:
    """Return a sum that flows from the left and adds every lane's number from above."""
    lane_columns = width // lanes
    term_count = max(round(progress * len(sum_.terms)), 1)
    previous_lines: list[StyledLine] = []
    rail: list[StyledLine] = []
    for index, term in enumerate(sum_.terms):
        top, bottom = _draw_term(term, sum_.place, highlights)
        if measure_line(bottom) > lane_columns or measure_line(top) > lane_columns:
            return []
        if index >= term_count:
            top, bottom = [], []
        fill = "━" if index + 1 < term_count and index + 1 < len(sum_.terms) else " "
        previous_lines.append(pad_line(top, lane_columns))
        rail.append([*bottom, StyledText(fill * (lane_columns - measure_line(bottom)), "axis")])
    return [[piece for cell in line for piece in cell] for line in (previous_lines, rail)]


def is_rail(figure: RowFigure | None, lines: Sequence[StyledLine]) -> TypeGuard[RunningSum]:
    """Whether lines of a row are a running sum, which needs its start before it."""
    return isinstance(figure, RunningSum) and bool(lines) and lines[-1][0].text == _RAIL


def draw_rail_start(sum_: RunningSum, highlights: Highlights) -> StyledLine:
    """Return the start of a running sum: c and its number."""
    start, style_name = sum_.start, highlights.get_emphasis(sum_.start.place)
    return [
        StyledText(f"{start.name} ", "label", start.place),
        StyledText(f"{start.text} ", "number" + style_name, start.place),
        StyledText(_RAIL, "axis"),
    ]


def _draw_term(term: Term, whole: LaneRef, highlights: Highlights) -> tuple[StyledLine, StyledLine]:
    """Return a term, and the rail below it with the sum so far."""
    style_name = highlights.get_emphasis(term.place)
    stem = "│" if term.is_added else "┊"
    text = term.text if term.is_added else "left out"
    kind = "number" if term.is_added else "dim"
    top = [
        StyledText(" "),
        StyledText(f"{stem} ", "axis"),
        StyledText(text, kind + style_name, term.place),
    ]
    node = "⊕" if term.is_added else "╌"
    bottom = [
        StyledText(_RAIL, "axis"),
        StyledText(node, "strong"),
        StyledText(f" {term.total} ", "value" + highlights.get_emphasis(whole), whole),
    ]
    return top, bottom


# --- truths and choices ---------------------------------------------------------------------


def _draw_truth(truth: TruthValue, highlights: Highlights) -> StyledLine:
    style_name = highlights.get_emphasis(truth.place)
    kind = "good" if truth.value else "bad"
    return [
        StyledText(f"{truth.name} ", "label" + style_name, truth.place),
        StyledText(str(truth.value), kind + style_name, truth.place),
    ]


def _draw_gate(
    gate: Gate, width: int, lanes: int, highlights: Highlights, progress: float
) -> list[StyledLine]:
    inputs = [_draw_truth(truth, highlights) for truth in gate.inputs]
    output = [StyledText(f" {gate.word} ── ", "strong"), *_draw_truth(gate.output, highlights)]
    room = max(map(measure_line, inputs)) + 1
    if len(inputs) == 1:
        return wrap_line([*pad_line(inputs[0], room), StyledText("──", "axis"), *output], width, 2)
    first, second = (pad_line(x, room) for x in inputs)
    if room + 4 + measure_line(output) > width:
        return wrap_line([*first, StyledText("  "), *second, StyledText("  "), *output], width, 2)
    return [
        [*first, StyledText("──┐", "axis")],
        [StyledText(" " * (room + 2)), StyledText("├─", "axis"), *output],
        [*second, StyledText("──┘", "axis")],
    ]


def _draw_choice(
    choice: ChoiceFigure, width: int, lanes: int, highlights: Highlights, progress: float
) -> list[StyledLine]:
    truth = "true" if choice.condition.value else "false"
    why = f"{choice.condition.name} is {truth}"
    room = max(len(option.name) for option in choice.options)
    lines: list[StyledLine] = []
    for option in choice.options:
        style_name = highlights.get_emphasis(option.place)
        name = StyledText(
            f"{option.name:<{room}} ", ("strong" if option.is_taken else "dim") + style_name
        )
        kind = SpanKind.CHIP if option.is_taken else SpanKind.UNUSED
        bits = draw_span(CellSpan(option.bits, kind, option.tint))
        pieces = [StyledText(x.text, x.style_name + style_name, option.place) for x in bits]
        if option.is_taken:
            arrow = [StyledText(" ━━▶ ", format_link_style(option.tint))]
            verdict = "good" if choice.condition.value else "bad"
            arrow.append(
                StyledText(why, verdict + highlights.get_emphasis(choice.place), choice.place)
            )
        else:
            arrow = [StyledText(" ╌╌╳", "dim")]
        mark = StyledText("▶ " if option.is_taken else "  ", "strong")
        lines += wrap_line([mark, name, *pieces, *arrow], width, 4)
    return lines


# --- truth tables ---------------------------------------------------------------------------


def _draw_table(
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
        free = width - measure_line(table[0]) - _TABLE_GAP
        rows = [_draw_bits(word, highlights) for word in words]
        bits = [_group([StyledText(x, "dim") for x in numbers]), *rows]
        if measure_line(bits[1]) <= free:
            indent = measure_line(table[0]) + _TABLE_GAP
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


_DRAW: dict[type, Callable[..., list[StyledLine]]] = {
    NumberLine: draw_number_line,
    BitRulers: _draw_bit_rulers,
    RunningSum: _draw_running_sum,
    Gate: _draw_gate,
    ChoiceFigure: _draw_choice,
    PermutationFigure: draw_permutation,
    TableFigure: _draw_table,
}
