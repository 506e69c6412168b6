"""The rows of a step in the columns of the lanes: open, folded onto one line, or whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

from ...engine.micro_operations.stage import Stage
from ...engine.tracing.trace import Step, Trace
from ...scene.row_pairs import OUTCOMES
from ...scene.scene_model import Cell, RowScene, SpanKind
from ..base.pane import StyledLine, StyledText
from .lane_cells import (
    Highlights,
    draw_cell_pieces,
    lay_out_cells,
    measure_line,
    needs_tight,
    pad_line,
)
from .lane_figures import draw_figure, is_complete
from .lane_labels import LABEL, NUMBER, Whole, labelled, shorten_name
from .lane_levels import Level
from .lane_links import MIN_LINKED_COLUMNS


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


def indent_lines(
    label: str, name: str, style_name: str, lines: Sequence[StyledLine]
) -> Iterator[StyledLine]:
    """Yield lines after a label and a name, which only the first has."""
    for index, line in enumerate(lines):
        yield labelled(label if index == 0 else "", name if index == 0 else "", style_name, line)


def name_lines(name: str, lines: Sequence[StyledLine]) -> Iterator[tuple[str, StyledLine]]:
    """Yield lines with a name, which is empty below the first."""
    for index, line in enumerate(lines):
        yield name if index == 0 else "", line
