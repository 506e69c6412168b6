"""The lanes: a trace drawn stage by stage, with a cursor that shows where bits come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message

from ..engine.semantics.operation import WHOLE
from ..engine.tracing.divergence import Divergence
from ..engine.tracing.provenance import Cell, ancestors, descendants
from ..engine.tracing.trace import Trace
from .lane_lines import View, draw
from .lane_rows import DARK, LanePlace, Lights, part_width
from .pane import Line, Pane


class Lanes(Pane):
    """Draws a Trace up to a step."""

    BINDING_GROUP_TITLE = "Lanes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(0, -1)", "Up", show=False),
        Binding("down,j", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
    ]

    @dataclass
    class CursorMoved(Message):
        """The cursor stands on another cell, or on none."""

        lanes: Lanes
        cell: Cell | None

        @property
        def control(self) -> Lanes:
            """The widget that sent it."""
            return self.lanes

    def __init__(self, id: str = "lanes") -> None:  # noqa: A002
        super().__init__(id, "Lanes")
        self._trace: Trace | None = None
        self._step = 0
        self._divergence: Divergence | None = None
        self._pin: Trace | None = None
        self._starts: dict[int, int] = {}
        self.cell: Cell | None = None
        """The cell under the cursor."""

    def show(
        self,
        trace: Trace,
        step: int,
        divergence: Divergence | None = None,
        pin: Trace | None = None,
    ) -> None:
        """Draw a trace, its steps revealed up to a number, beside another answer or a pin."""
        if trace is not self._trace and self.cell and not self._has(trace, self.cell):
            self._set_cell(None)
        self._trace, self._step = trace, step
        self._divergence, self._pin = divergence, pin
        self.redraw()

    @staticmethod
    def _has(trace: Trace, cell: Cell) -> bool:
        row = trace.rows.get(cell.key)
        return cell.key in trace.operands or (row is not None and cell.lane < len(row.lanes))

    def draw(self, width: int) -> list[Line]:
        """The lines of the trace."""
        if self._trace is None:
            return []
        lights = self._lights(self._trace)
        view = View(self._trace, self._step, lights, self._divergence, self._pin)
        drawing = draw(view, width)
        self._starts = drawing.steps
        return drawing.lines

    def redraw(self) -> None:
        """Draw anew, with the current step in sight."""
        super().redraw()
        start = self._starts.get(self._step) if self._trace and self._drawn else None
        if start is not None:
            end = self._starts.get(self._step + 1, len(self.drawn))
            self.show_line(end - 1)
            self.show_line(start)

    def _lights(self, trace: Trace) -> Lights:
        if self.cell is None:
            return DARK
        place = self.cell[:2]
        origins = frozenset(p for c in ancestors(trace, self.cell) for p in _places_of(trace, c))
        reached = frozenset(descendants(trace, self.cell))
        return Lights(place, origins - {place}, reached - {place})

    # --- the cursor ----------------------------------------------------------------

    def _places(self) -> list[list[tuple[int, LanePlace]]]:
        """For every line, where its cells begin and which they are."""
        found: list[list[tuple[int, LanePlace]]] = []
        for line in self.drawn:
            x, cells = 0, list[tuple[int, LanePlace]]()
            for piece in line:
                if isinstance(piece.target, tuple) and all(piece.target != c for _, c in cells):
                    cells.append((x, piece.target))
                x += cell_len(piece.text)
            found.append(cells)
        return found

    def action_move(self, across: int, down: int) -> None:
        """Move the cursor by cells and lines."""
        places = self._places()
        at = self._at(places)
        if at is None:
            first = next((y for y, cells in enumerate(places) if cells), None)
            if first is not None:
                self._go(first, places[first][0][1])
            return
        y, i = at
        x = places[y][i][0]
        if across:
            i = min(max(i + across, 0), len(places[y]) - 1)
            self._go(y, places[y][i][1])
            return
        here = places[y][i][1]
        y += down
        while 0 <= y < len(places):
            if places[y] and all(place != here for _, place in places[y]):
                nearest = min(places[y], key=lambda cell: abs(cell[0] - x))
                self._go(y, nearest[1])
                return
            y += down

    def _at(self, places: list[list[tuple[int, LanePlace]]]) -> tuple[int, int] | None:
        if self.cell is None:
            return None
        for y, cells in enumerate(places):
            for i, (_, place) in enumerate(cells):
                if place == self.cell[:2]:
                    return y, i
        return None

    def _go(self, y: int, place: LanePlace) -> None:
        self._set_cell(Cell(*place, *self._bits(place)))
        super().redraw()
        self.show_line(y)

    def _bits(self, place: LanePlace) -> tuple[int, int]:
        """The bits of a cell: of an operand's part, or the whole lane."""
        key, lane = place
        if self._trace is None or key not in self._trace.operands:
            return 0, WHOLE
        width = part_width(self._trace, key)
        return width * lane, width * (lane + 1)

    def _set_cell(self, cell: Cell | None) -> None:
        self.cell = cell
        self.post_message(self.CursorMoved(self, cell))

    def clicked(self, target: object) -> None:
        """Put the cursor on the clicked cell."""
        if isinstance(target, tuple):
            y = next(y for y, cells in enumerate(self._places()) for _, c in cells if c == target)
            self._go(y, target)

    def on_blur(self) -> None:
        """The cursor is shown only while the lanes have the focus."""
        if self.cell is not None:
            self._set_cell(None)
            super().redraw()


def _places_of(trace: Trace, cell: Cell) -> list[LanePlace]:
    """Where a cell is drawn: an operand's bits lie in one or more of its parts."""
    if cell.key not in trace.operands:
        return [(cell.key, cell.lane)]
    width = part_width(trace, cell.key)
    high = min(cell.high, trace.instruction.type_of(cell.key).bits)
    return [(cell.key, part) for part in range(cell.low // width, -(-high // width))]
