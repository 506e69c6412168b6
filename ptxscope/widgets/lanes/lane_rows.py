"""Rows in the columns of the lanes: steps, registers, predictions, other answers and a pin."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property, lru_cache, partial
from itertools import product, zip_longest
from typing import TYPE_CHECKING

from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.properties import Stage
from ...engine.syntax.errors import make_printable
from ...engine.tracing.deviation import Deviation
from ...engine.tracing.step_text import describe_step, format_lane_sentence
from ...engine.tracing.trace import Step, Trace
from ...scene.row_pairs import (
    OUTCOMES,
    find_outcome_span,
    hide_equal_cells,
    iter_pairs,
    mark_differences,
)
from ...scene.scene_builder import build_row_scene
from ...scene.scene_cells import GLYPHS, build_cells
from ...scene.scene_model import (
    BitRulers,
    Cell,
    CellSpan,
    LaneRef,
    RegisterFigure,
    RowScene,
    Scene,
    SpanKind,
)
from ...state.requests import WRONG
from ...state.step_transitions import select_notable_flags
from ..base.pane import StyledLine, StyledText, measure_line, pad_line, wrap_sentence
from ..result_bar import HIDDEN_DIGIT
from .lane_cells import (
    LABEL,
    NUMBER,
    NamedLine,
    draw_cell_pieces,
    lay_out_cells,
    name_lines,
    needs_tight,
    shorten_name,
    widen_cell,
    wrap_line,
)
from .lane_figures import draw_figure, is_complete
from .lane_highlights import PlaceMark
from .lane_links import MIN_LINKED_COLUMNS

if TYPE_CHECKING:
    from ...learn.prediction import Guess


class Level(IntEnum):
    """The level of detail of a block."""

    FOLDED = 0
    """All its rows on one line, if they fit."""
    ROWS = 1
    OPEN = 2
    """With figures."""
    WIRED = 3
    """With the links from the registers to the selected rows."""


def find_stage_step(trace: Trace, stage: Stage) -> Step | None:
    """Return the step of a stage."""
    return next((step for step in trace.steps if step.stage is stage), None)


def iter_step_sentences(
    trace: Trace, step: Step, width: int, deviation: Deviation | None
) -> Iterator[StyledLine]:
    """Yield a step's sentences, the reason of a deviation, and notes.

    A single lane's flag is in its column, and in a sentence under the cursor. Sentences that repeat
    the picture are omitted.
    """
    yield from wrap_sentence(describe_step(step), width, "strong")
    if deviation and deviation.stage is step.stage:
        for erratum in deviation.errata:
            yield from wrap_sentence(f"≠ {erratum.id}: {erratum.sentence}", width, "surprise")
    for row in step.rows:
        if is_covered_by_step_text(row):
            marks = "".join(f"{GLYPHS[flag]} " for flag in select_notable_flags(row, 0))
            yield from wrap_sentence(f"{marks}{_name_sentence(step, row)}", width, "surprise")
    for note in trace.annotations.get_notes(step.stage):
        lane = "" if note.lane is None else f"lane {note.lane}: "
        yield from wrap_sentence(f"✎ {lane}{make_printable(note.text)}", width)


def is_covered_by_step_text(row: RowTrace) -> bool:
    """Whether the sentences of a step describe a row."""
    return len(row.values) == 1 and bool(select_notable_flags(row, 0))


def _name_sentence(step: Step, row: RowTrace) -> str:
    """Return the sentence on a row, with the row's name if there are several."""
    sentence = format_lane_sentence(row, 0)
    return (
        sentence
        if len(step.rows) == 1 or sentence.startswith(f"{row.name} ")
        else f"{row.name}, {sentence}"
    )


def draw_row_lines(
    row: RowScene, width: int, level: Level, *, is_tight: bool = False
) -> list[StyledLine]:
    """Return a row's cells and, if open, its figure."""
    figure = row.figure if level >= Level.OPEN else None
    lines = draw_figure(figure, width, len(row.cells)) if figure else []
    if lines and is_complete(figure):
        return lines
    return [*draw_in_columns(row.cells, width, is_tight), *lines]


@lru_cache(256)
def draw_in_columns(cells: tuple[Cell, ...], width: int, is_tight: bool) -> tuple[StyledLine, ...]:
    """Return a row's cells; the lines are the same at every level."""
    return tuple(lay_out_cells(cells, width, draw_cell_pieces, is_tight=is_tight))


has_tight_cells = lru_cache(256)(needs_tight)


def draw_folded_rows(rows: Sequence[RowScene], width: int) -> tuple[str, StyledLine] | None:
    """Return the rows of a step on one line, or None if it is too long.

    The line has the sources of bits if there is room.
    """
    wide_line = _draw_outcomes(rows, width, (*OUTCOMES, SpanKind.NAME, SpanKind.AWAY))
    return wide_line or _draw_outcomes(rows, width, OUTCOMES)


def _draw_outcomes(
    rows: Sequence[RowScene], width: int, kinds: Sequence[SpanKind]
) -> tuple[str, StyledLine] | None:
    """Return the names and the values of a step's rows on one line, or None if it is too long."""
    count = len(rows[0].cells)
    if any(len(row.cells) != count for row in rows):
        return None
    lane_columns = width // count
    names = " ".join(row.name for row in rows)
    is_labelled = count == 1 or len(names) >= LABEL - NUMBER
    cells: list[StyledLine] = []
    for column in range(count):
        line: StyledLine = []
        for row in rows:
            cell = row.cells[column]
            outcome_indices = [index for index, x in enumerate(cell.spans) if x.kind in OUTCOMES]
            if not outcome_indices:
                return None
            spans = [x for x in cell.spans[outcome_indices[-1] :] if x.kind in kinds]
            line += [StyledText("  ")] if line else []
            if is_labelled:
                line.append(StyledText(f"{shorten_name(row.name)} ", "quiet", cell.place))
            line += draw_cell_pieces(
                cell._replace(spans=tuple(spans)), lane_columns < MIN_LINKED_COLUMNS
            )
        cells.append(line)
    if max(map(measure_line, cells)) > lane_columns - (count > 1):
        return None
    line = [piece for cell in cells for piece in pad_line(cell, lane_columns)]
    return "" if is_labelled else names, line


def overlay_marks(line: StyledLine, marks: Mapping[int, StyledText]) -> StyledLine:
    """Return a line with pieces of one character over its blanks."""
    pieces: StyledLine = []
    x = 0
    for piece in line:
        text, drawn_count = piece.text, 0
        for column in range(len(text)):
            if text[column] == " " and (mark := marks.get(x + column)):
                pieces += [piece._replace(text=text[drawn_count:column]), mark]
                drawn_count = column + 1
        pieces.append(piece._replace(text=text[drawn_count:]) if drawn_count else piece)
        x += len(text)
    return [piece for piece in pieces if piece.text]


def wrap_pieces(pieces_: Sequence[StyledText], width: int) -> list[StyledLine]:
    """Return pieces side by side, in as many lines as they need."""
    lines: list[StyledLine] = [[]]
    for piece in pieces_:
        if lines[-1] and measure_line(lines[-1]) + 1 + len(piece.text) > width:
            lines.append([])
        lines[-1] += [StyledText(" "), piece] if lines[-1] else [piece]
    return lines


# --- registers ---------------------------------------------------------------------------


def widen_scene(
    scene: Scene, hex_stages: Container[Stage], narrow_stages: Container[Stage] = ()
) -> Scene:
    """Return a scene with bits in chips, and in registers and some stages also hexadecimal digits.

    In narrow stages, chips have only hexadecimal digits.
    """

    def widen_row(row: RowScene, stage: Stage) -> RowScene:
        if stage in narrow_stages:
            return row
        with_hex = stage in hex_stages
        return row._replace(cells=tuple(widen_cell(x, with_hex=with_hex) for x in row.cells))

    registers = (
        x._replace(cells=tuple(widen_cell(y, with_hex=True) for y in x.cells))
        for x in scene.registers
    )
    steps = (
        step._replace(rows=tuple(widen_row(row, step.stage) for row in step.rows))
        for step in scene.steps
    )
    return scene._replace(registers=tuple(registers), steps=tuple(steps))


def draw_register_lines(register: RegisterFigure, width: int) -> list[StyledLine]:
    """Return a register's parts, in the columns of the lanes or before its meaning."""
    if register.is_by_lane:
        return lay_out_cells(register.cells, width, draw_cell_pieces)
    parts = [piece for cell in register.cells for piece in draw_cell_pieces(cell)]
    return wrap_line([*parts, StyledText(f"   {register.meaning}", "quiet")], width, 2)


def separate_value(cell: Cell) -> Cell:
    """Return a cell with one more blank after its bits."""
    bits, *other_spans = cell.spans
    return (
        cell._replace(spans=(bits, CellSpan(" ", SpanKind.TEXT), *other_spans))
        if other_spans
        else cell
    )


def without_value(figure: BitRulers, value: str) -> BitRulers:
    """Return a register's figure without the value that ends the line above."""
    rulers = (x._replace(summary=x.summary.removeprefix(f"{value}: ")) for x in figure.rulers)
    return BitRulers(tuple(rulers))


# --- predictions -------------------------------------------------------------------------

_BLANK = HIDDEN_DIGIT * 4


def draw_guesses(row: RowScene, guesses: Mapping[LaneRef, Guess], width: int) -> list[StyledLine]:
    """Return the cells of a row in lane columns; cells with several numbers are predicted once."""
    from ...learn.prediction import NOT_YET

    places = dict.fromkeys(cell.place for cell in row.cells)
    draw = partial(_draw_guess, guesses=guesses)
    if len(places) == len(row.cells):
        return lay_out_cells(row.cells, width, draw)
    is_complete = all(guesses.get(place, NOT_YET).is_right for place in places)
    return lay_out_cells(row.cells if is_complete else row.cells[:1], width, draw)


def without_answers(register: RegisterFigure, stage: Stage) -> RegisterFigure:
    """Return a register without its numbers and selection, which would reveal the answer."""
    if register.figure is not None or stage not in (Stage.SELECT, Stage.EXTEND):
        return register
    register = register.hide_numbers()
    if stage is not Stage.SELECT:
        return register
    cells = (x._replace(spans=(x.spans[0]._replace(kind=SpanKind.CHIP),)) for x in register.cells)
    return register._replace(cells=tuple(cells))


def _draw_guess(cell: Cell, is_tight: bool, guesses: Mapping[LaneRef, Guess]) -> list[StyledText]:
    from ...learn.prediction import NOT_YET

    guess = guesses.get(cell.place, NOT_YET)
    if guess.is_right:
        return draw_cell_pieces(cell, is_tight)
    text, style_name = _BLANK, "quiet"
    if guess.text:
        is_wrong = guess.is_wrong
        text, style_name = make_printable(guess.text), "surprise" if is_wrong else "number"
        text = f"{WRONG} {text}" if is_wrong else f"{text} ?"
    return [StyledText(text, style_name, PlaceMark(cell.place))]


# --- two answers, and a pinned evaluation -----------------------------------------------

MIN_WIDTH = 17
"""Minimum columns of lanes: a screen of 40 without a scrollbar."""
_BESIDE = {1: 26, 2: 36, 4: 60}
"""Minimum columns of the lanes for two answers side by side, by the number of lanes."""
_ORDER = {stage: order for order, stage in enumerate(Stage)}


class AnswersPainter:
    """The rows of both answers; ``trace`` is the one with shown steps."""

    def __init__(
        self, deviation: Deviation, trace: Trace, width: int, stages: Sequence[Stage]
    ) -> None:
        self.deviation, self.trace, self.width, self.stages = deviation, trace, width, stages
        self.lanes = trace.instruction.entry.lanes

    def has_stage(self, stage: Stage) -> bool:
        """Whether the answers may differ at a stage: from the first difference on."""
        return _ORDER[stage] >= _ORDER[self.deviation.stage]

    def draw_rows(self, stage: Stage, level: Level) -> Iterator[NamedLine]:
        """Yield both answers' rows of a stage, side by side or one below the other."""
        deviation = self.deviation
        beside = self.width // 2 - 2 >= _BESIDE[self.lanes]
        left = self._left_width if beside else 0
        widths = (left - 1, self.width - left - 3) if beside else (self.width, self.width)
        sides = (deviation.isa, deviation.other)
        if stage is deviation.stage:
            names = self._draw_names(left)
            yield from (("", line) for line in wrap_line(names, self.width))
        for pair in iter_pairs(deviation.isa, deviation.other, stage):
            rows, differs = pair.rows, pair.is_different
            branches = [
                self._draw_row(trace, row, other if pair.lanes else None, level, width)
                for trace, row, other, width in zip(sides, rows, sides[::-1], widths, strict=True)
            ]
            name = next(row.name for row in rows if row)
            if beside:
                for index, (first, second) in enumerate(
                    zip_longest(*branches, fillvalue=StyledLine())
                ):
                    sign = StyledText("≠ " if differs and index == 0 else "  ", "surprise")
                    yield name if index == 0 else "", [*pad_line(first, left), sign, *second]
            elif not differs:
                yield from name_lines(name, branches[0])
            else:
                for mark, own_row, lines in zip(("isa", "≠ptx"), rows, branches, strict=True):
                    if own_row is not None:
                        yield from name_lines(mark, lines)

    @cached_property
    def _left_width(self) -> int:
        """The columns of the left answer: half, or the number that breaks the fewest lines."""
        half, traces = self.width // 2 - 2, (self.deviation.isa, self.deviation.other)
        if self.lanes > 1:
            return half
        pairs = [
            [_draw_whole_line(row) for row in pair.rows]
            for stage in self.stages
            if self.has_stage(stage)
            for pair in iter_pairs(*traces, stage)
        ]

        def count_lines(left: int) -> int:
            widths = left - 1, self.width - left - 3
            return sum(
                max(len(wrap_line(line, w, 2)) for line, w in zip(pair, widths, strict=True))
                for pair in pairs
            )

        candidate_widths = {measure_line(first) + 1 for first, _ in pairs}
        candidate_widths |= {self.width - 3 - measure_line(second) for _, second in pairs}
        fit = (x for x in candidate_widths if MIN_WIDTH < x < self.width - 3 - MIN_WIDTH)
        return min((half, *sorted(fit, key=lambda x: abs(x - half))), key=count_lines)

    def _draw_names(self, half: int) -> StyledLine:
        """Return the names of the two answers, with a mark on the stepped one."""
        names: list[StyledLine] = []
        for trace in (self.deviation.isa, self.deviation.other):
            is_own_model = trace.model == self.trace.model
            ids = ", ".join(x.id for x in self.deviation.errata)
            tail = "" if trace is self.deviation.isa else f" ({ids})"
            text = f"{'▸ ' if is_own_model else '  '}{trace.model.name}{tail}"
            names.append([StyledText(text, "focus" if is_own_model else "strong")])
        gap = max(half, measure_line(names[0]) + 2)
        return [*pad_line(names[0], gap + (2 if half else 0)), *names[1]]

    def _draw_row(
        self, trace: Trace, row: RowTrace | None, other: Trace | None, level: Level, width: int
    ) -> list[StyledLine]:
        if row is None:
            return []
        row_scene = build_row_scene(trace, row)
        if other is not None:
            cells = zip(row_scene.cells, build_cells(other.rows[row.key]), strict=True)
            row_scene = row_scene._replace(cells=tuple(mark_differences(x, y) for x, y in cells))
        lines = draw_row_lines(row_scene, width, min(level, Level.OPEN))
        if trace.model == self.trace.model:  # only the stepped answer has places
            return lines
        return [[StyledText(text, style_name) for text, style_name, _ in line] for line in lines]


def _draw_whole_line(row: RowTrace | None) -> StyledLine:
    """Return the cells of a row in one line."""
    cells = build_cells(row) if row else ()
    return [piece for cell in cells for piece in draw_cell_pieces(cell)]


def find_different_cells(cells: Sequence[Cell], own_cells: Sequence[Cell]) -> Sequence[Cell]:
    """Return the cells of a pin, empty if equal; none if all are equal."""
    cells = hide_equal_cells(cells, own_cells)
    return cells if any(cell.spans for cell in cells) else ()


def draw_pinned_lines(
    cells: Sequence[Cell], own_lines: Sequence[StyledLine], own_cells: Sequence[Cell], width: int
) -> list[StyledLine]:
    """Return the outcomes of a pin below its row's; equal ones are blank.

    They are in one line, unless lanes are one below the other.
    """
    lane_columns = width // len(cells)
    line: StyledLine = []
    for index, (cell, own_cell) in enumerate(zip(cells, own_cells, strict=False)):
        pieces = _draw_pinned_cell(cell)
        x = index * lane_columns
        if pieces:
            texts = [_draw_outcome(own_cell, is_tight)[0].text for is_tight in (False, True)]
            last = x + lane_columns - 1 - measure_line(pieces)
            if last < x:
                return lay_out_cells(cells, width, _draw_pinned_cell)
            x = min(_find_column(own_lines, texts, x, x + lane_columns), last)
        line = [*pad_line(line, x), *pieces]
    return [line]


def _find_column(lines: Sequence[StyledLine], texts: Sequence[str], start: int, end: int) -> int:
    """Return the last column of the first text that the first such line has between two columns."""
    for text, line in product(texts, lines):
        x, column = 0, -1
        for piece in line:
            if start <= x < end and piece.text.strip() == text:
                column = x + len(piece.text) - len(piece.text.lstrip())
            x += len(piece.text)
        if column >= 0:
            return column
    return start


def draw_pinned_parts(cells: Sequence[Cell], own_cells: Sequence[Cell]) -> list[StyledLine]:
    """Return the differing parts of a pinned register, below the register's parts."""
    line: StyledLine = []
    for cell, own_cell in zip(cells, own_cells, strict=False):
        outcome = cell._replace(spans=cell.spans[: (find_outcome_span(cell) or 0) + 1])
        line += pad_line(_draw_pinned_cell(outcome), measure_line(draw_cell_pieces(own_cell)))
    return [line]


def _draw_pinned_cell(cell: Cell, is_tight: bool = False) -> StyledLine:
    """Return the outcome of a cell without a target."""
    return [StyledText(piece.text, "pin") for piece in _draw_outcome(cell, is_tight)]


def _draw_outcome(cell: Cell, is_tight: bool) -> StyledLine:
    index = find_outcome_span(cell) or 0
    return draw_cell_pieces(cell._replace(spans=cell.spans[index:]), is_tight)
