"""A predicted row: right predictions as cells, and the typed text of the others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...engine.micro_operations.stage import Stage
from ...engine.syntax.errors import make_printable
from ...learn.prediction import NOT_YET, Guess
from ...scene.scene_model import Cell, LaneRef, RegisterFigure, RowScene, SpanKind
from ..base.pane import StyledLine, StyledText
from ..result_bar import HIDDEN_DIGIT
from .lane_cells import Highlights, draw_cell_pieces, lay_out_cells

WRONG = "✗"
_BLANK = HIDDEN_DIGIT * 4


def guess_lines(
    row: RowScene, guesses: Mapping[LaneRef, Guess], width: int, highlights: Highlights
) -> list[StyledLine]:
    """Return the cells of a row in lane columns; a cell with several numbers is predicted once."""
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
    guess = guesses.get(cell.place, NOT_YET)
    if guess.is_right:
        return draw_cell_pieces(cell, is_tight, highlights)
    text, style_name = _BLANK, "veil"
    if guess.text:
        is_wrong = guess.is_wrong
        text, style_name = make_printable(guess.text), "bad" if is_wrong else "number"
        text = f"{WRONG} {text}" if is_wrong else f"{text} ?"
    return [StyledText(text, style_name + highlights.get_emphasis(cell.place), cell.place)]
