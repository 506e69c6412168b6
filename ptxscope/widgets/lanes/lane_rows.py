"""Rows in the columns of the lanes: of steps, open or folded; of registers; of predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from ...engine.micro_operations.stage import Stage
from ...engine.syntax.errors import make_printable
from ...engine.tracing.trace import Step, Trace
from ...scene.row_pairs import OUTCOMES
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
from ..base.pane import StyledLine, StyledText
from ..result_bar import HIDDEN_DIGIT
from .lane_cells import (
    LABEL,
    NUMBER,
    Highlights,
    Whole,
    draw_cell_pieces,
    lay_out_cells,
    measure_line,
    needs_tight,
    pad_line,
    shorten_name,
    widen_cell,
    wrap_line,
)
from .lane_figures import draw_figure, is_complete
from .lane_levels import Level
from .lane_links import MIN_LINKED_COLUMNS

if TYPE_CHECKING:
    from ...learn.prediction import Guess


def step_of(trace: Trace, stage: Stage) -> Step | None:
    """Return the step of a stage."""
    return next((step for step in trace.steps if step.stage is stage), None)


def draw_row_lines(
    row: RowScene,
    width: int,
    highlights: Highlights,
    level: Level,
    progress: float,
    *,
    is_tight: bool = False,
) -> list[StyledLine]:
    """Return a row's cells and, if the row is open, its figure."""
    figure = row.figure if level >= Level.OPEN else None
    lines = draw_figure(figure, width, len(row.cells), highlights, progress) if figure else []
    if lines and is_complete(figure):
        return lines
    return [*draw_in_columns(row.cells, width, highlights, is_tight), *lines]


@lru_cache(256)
def draw_in_columns(
    cells: tuple[Cell, ...], width: int, highlights: Highlights, is_tight: bool
) -> tuple[StyledLine, ...]:
    """Return a row's cells; the lines are the same at every level."""
    return tuple(
        lay_out_cells(
            cells, width, partial(draw_cell_pieces, highlights=highlights), is_tight=is_tight
        )
    )


has_tight_cells = lru_cache(256)(needs_tight)


def draw_whole_row(
    row: RowScene, level: Level, lines: Sequence[StyledLine], highlights: Highlights
) -> Iterator[tuple[Whole, StyledLine]]:
    """Yield a row without lanes, and its description beyond the bits."""
    if is_complete(row.figure) and level >= Level.OPEN:
        yield Whole(()), []
        yield from ((Whole((line,)), []) for line in lines)
        return
    (cell,) = row.cells
    bits, *other_spans = cell.spans
    units = [
        [
            StyledText(f"{shorten_name(row.name)} ", "label"),
            *draw_cell_pieces(cell._replace(spans=(bits,)), highlights=highlights),
        ]
    ]
    if any(span.kind is not SpanKind.TEXT for span in other_spans):
        other_pieces = draw_cell_pieces(
            cell._replace(spans=tuple(other_spans)), highlights=highlights
        )
        units.append(
            [other_pieces[0]._replace(text=other_pieces[0].text.lstrip()), *other_pieces[1:]]
        )
    yield Whole(tuple(units)), []


def draw_folded_rows(
    rows: Sequence[RowScene], width: int, highlights: Highlights
) -> tuple[str, StyledLine] | None:
    """Return the rows of a step on one line, or None if it is too long.

    The line says where the bits come from if there is room.
    """
    wide_line = _draw_outcomes(rows, width, highlights, (*OUTCOMES, SpanKind.NAME, SpanKind.AWAY))
    return wide_line or _draw_outcomes(rows, width, highlights, OUTCOMES)


def _draw_outcomes(
    rows: Sequence[RowScene], width: int, highlights: Highlights, kinds: Sequence[SpanKind]
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
                line.append(StyledText(f"{shorten_name(row.name)} ", "label", cell.place))
            line += draw_cell_pieces(
                cell._replace(spans=tuple(spans)), lane_columns < MIN_LINKED_COLUMNS, highlights
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


def widen_scene(scene: Scene) -> Scene:
    """Return a scene whose chips show bits, and hexadecimal in the first and last rows of bytes."""

    def wide(row: RowScene, stage: Stage) -> RowScene:
        with_hex = stage in (Stage.MERGE, Stage.WRITE)
        return row._replace(cells=tuple(widen_cell(x, with_hex=with_hex) for x in row.cells))

    registers = tuple(map(widen_register, scene.registers))
    steps = (
        step._replace(rows=tuple(wide(row, step.stage) for row in step.rows))
        for step in scene.steps
    )
    return scene._replace(registers=registers, steps=tuple(steps))


def widen_register(register: RegisterFigure) -> RegisterFigure:
    """Return a register whose chips show bits and hexadecimal."""
    return register._replace(cells=tuple(widen_cell(x, with_hex=True) for x in register.cells))


def draw_register_lines(
    register: RegisterFigure, width: int, highlights: Highlights
) -> list[StyledLine]:
    """Return a register's parts, in the columns of the lanes or before its meaning."""
    draw_cell = partial(draw_cell_pieces, highlights=highlights)
    if register.is_by_lane:
        return lay_out_cells(register.cells, width, draw_cell)
    parts = [piece for cell in register.cells for piece in draw_cell(cell, False)]
    return wrap_line([*parts, StyledText(f"   {register.meaning}", "dim")], width, 2)


def make_whole_register(register: RegisterFigure, highlights: Highlights) -> Whole:
    """Return a register without lanes: its name, its bits and their meaning."""
    bits = [
        piece for cell in register.cells for piece in draw_cell_pieces(cell, highlights=highlights)
    ]
    meant = [[StyledText(register.meaning, "dim")]] if register.meaning else []
    return Whole(([StyledText(f"{register.label} ", "label"), *bits], *meant))


def separate_value(cell: Cell) -> Cell:
    """Return a cell with one more blank after its bits."""
    bits, *other_spans = cell.spans
    return (
        cell._replace(spans=(bits, CellSpan(" ", SpanKind.TEXT), *other_spans))
        if other_spans
        else cell
    )


def without_value(figure: BitRulers, value: str) -> BitRulers:
    """Return a register's figure without the value at the end of the line above."""
    rulers = (x._replace(summary=x.summary.removeprefix(f"{value}: ")) for x in figure.rulers)
    return BitRulers(tuple(rulers))


# --- predictions -------------------------------------------------------------------------

WRONG = "✗"
_BLANK = HIDDEN_DIGIT * 4


def guess_lines(
    row: RowScene, guesses: Mapping[LaneRef, Guess], width: int, highlights: Highlights
) -> list[StyledLine]:
    """Return the cells of a row in lane columns; a cell with several numbers is predicted once."""
    from ...learn.prediction import NOT_YET

    places = dict.fromkeys(cell.place for cell in row.cells)
    draw = partial(_draw_guess, guesses=guesses, highlights=highlights)
    if len(places) == len(row.cells):
        return lay_out_cells(row.cells, width, draw)
    is_complete = all(guesses.get(place, NOT_YET).is_right for place in places)
    return lay_out_cells(row.cells if is_complete else row.cells[:1], width, draw)


def without_answers(register: RegisterFigure, stage: Stage) -> RegisterFigure:
    """Return a register without what would reveal the answer: its numbers and the selection."""
    if register.figure is not None or stage not in (Stage.SELECT, Stage.EXTEND):
        return register
    register = register.hide_numbers()
    if stage is not Stage.SELECT:
        return register
    cells = (x._replace(spans=(x.spans[0]._replace(kind=SpanKind.CHIP),)) for x in register.cells)
    return register._replace(cells=tuple(cells))


def _draw_guess(
    cell: Cell, is_tight: bool, guesses: Mapping[LaneRef, Guess], highlights: Highlights
) -> list[StyledText]:
    from ...learn.prediction import NOT_YET

    guess = guesses.get(cell.place, NOT_YET)
    if guess.is_right:
        return draw_cell_pieces(cell, is_tight, highlights)
    text, style_name = _BLANK, "veil"
    if guess.text:
        is_wrong = guess.is_wrong
        text, style_name = make_printable(guess.text), "bad" if is_wrong else "number"
        text = f"{WRONG} {text}" if is_wrong else f"{text} ?"
    return [StyledText(text, style_name + highlights.get_emphasis(cell.place), cell.place)]
