"""A row that is predicted: cells that were told right, and what was typed for the others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ...engine.semantics.plan import Stage
from ...engine.syntax.errors import printable
from ...learn.prediction import NOT_YET, Guess
from ...scene.scene_model import Cell, Look, Place, Register, RowScene
from ..base.pane import Line, Piece
from ..result_bar import VEIL
from .lane_cells import Lights, laid, pieces

WRONG = "✗"
_BLANK = VEIL * 4


def guess_lines(
    row: RowScene, guesses: Mapping[Place, Guess], width: int, lights: Lights
) -> list[Line]:
    """The cells of a row in lane columns; a value that has several is asked for once."""
    places = dict.fromkeys(cell.place for cell in row.cells)
    draw = partial(_drawn, guesses=guesses, lights=lights)
    if len(places) == len(row.cells):
        return laid(row.cells, width, draw)
    told = all(guesses.get(place, NOT_YET).is_right for place in places)
    return laid(row.cells if told else row.cells[:1], width, draw)


def untold(register: Register, stage: Stage) -> Register:
    """A register without what a step would tell that is asked: its numbers, what is selected."""
    if register.figure is not None or stage not in (Stage.SELECT, Stage.EXTEND):
        return register
    cells = []
    for cell in register.cells:
        bits = cell.spans[0]
        look = Look.CHIP if stage is Stage.SELECT else bits.look
        cells.append(cell._replace(spans=(bits._replace(look=look),)))
    return register._replace(cells=tuple(cells), meant="")


def _drawn(cell: Cell, tight: bool, guesses: Mapping[Place, Guess], lights: Lights) -> list[Piece]:
    guess = guesses.get(cell.place, NOT_YET)
    if guess.is_right:
        return pieces(cell, tight, lights)
    text, ink = _BLANK, "veil"
    if guess.text:
        wrong = guess.is_wrong
        text, ink = printable(guess.text), "bad" if wrong else "number"
        text = f"{WRONG} {text}" if wrong else f"{text} ?"
    return [Piece(text, ink + lights.on(cell.place), cell.place)]
