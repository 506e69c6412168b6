"""Document layout of a picture: lane columns, slots in them, and the starts of lines.

A page is 800 px wide: a margin with the words of each step, then the lane columns, the most
significant lane on the left. A value for all lanes spans all columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple, TypeVar

from ...engine.tracing.trace import Trace
from ...scene.row_folding import FoldedScene, fold_scene
from ...scene.scene_builder import build_scene
from ...scene.scene_model import (
    Cell,
    ChoiceFigure,
    LaneRef,
    Link,
    PermutationFigure,
    RegisterFigure,
    RowScene,
    Scene,
    SpanKind,
    Tint,
)
from ...scene.symbolic_scene import with_symbolic_rows
from ..content.annotated_trace import find_hidden_rows
from ..content.document import CellView, Section, StepView
from ..content.document_builder import make_cells
from ..options import Options
from .layout_parts import TurnedParts
from .svg_canvas import Area as Area
from .svg_canvas import Box, Node, SvgCanvas, Zone
from .svg_colours import SvgColour

WIDTH = 800
EDGE = 24
"""Margin of the page in px."""
WORDS_X = 58
WORDS_WIDTH = 142
"""Left edge and width in px of the column of titles and sentences."""
Point = tuple[float, float]


FIGURES = Area(208, WIDTH - EDGE - 208)
"""Extent of the lane columns."""


class Layout(NamedTuple):
    """The extents of words and figures."""

    page: Area
    """Extent of the whole content."""
    figures: Area
    words: Area
    """Extent of the sentences of a step."""
    is_compact: bool = False
    """Whether it is for a column of a paper, with words above figures and fewer steps."""
    crossing: float = 46
    """Height in px for lines that cross."""
    drop: float = 22
    """Height in px of straight lines between two rows."""
    row_gap: float = 10
    """Gap in px between rows without a line."""
    permutation_drop: float = 64
    """Height in px of the lines from bytes to the digits that pick them."""
    table_line: float = 19.0
    """Height in px of a line of a truth table."""
    result_drop: float = 34
    """Height in px of the lines to the results."""
    result_gap: float = 20
    """Gap in px between two results."""
    bend_tolerance: float = 1
    """Maximum distance in px across the lanes of a straight line."""
    value_room: float | None = None
    """Extent in px, across the lanes, of a value with its name; None is the whole column."""
    turned_parts: TurnedParts | None = None
    """The parts of a layout with steps from left to right.

There, an ``Area`` extends from top to bottom, y means x, and idle rows are left out.
    """
    hint: tuple[float, float, float] | None = None
    """X, baseline and letter size in px of the hint to click; None is the end of the foot."""

    @property
    def is_turned(self) -> bool:
        """Whether steps run from left to right."""
        return self.turned_parts is not None

    @property
    def width(self) -> float:
        """Width of the page in px."""
        return self.page.right + self.page.x

    def turn(self, across: float, along: float) -> Point:
        """Return x and y of a position across the lanes and along the steps."""
        return (along, across) if self.is_turned else (across, along)

    def turn_box(self, area: Area, y: float, end: float) -> Box:
        """Return x, y, width and height of an extent across the lanes and along the steps."""
        return (*self.turn(area.x, y), *self.turn(area.width, end - y))


PAGE = Layout(Area(EDGE, WIDTH - 2 * EDGE), FIGURES, Area(WORDS_X, WORDS_WIDTH))
_COLUMN = Area(6, 388)
COMPACT = Layout(
    _COLUMN, _COLUMN, _COLUMN.shrink(2), is_compact=True, crossing=30, drop=15, row_gap=5,
    permutation_drop=44.8, table_line=16.0, result_drop=16, result_gap=8,
)  # fmt: skip


MAX_NAME_CHARS = 11
"""Maximum characters of a name drawn in full."""
GAP = 8
"""Gap in px between lane columns."""


class ColumnPart(StrEnum):
    """A part of a column, or of the whole width for values of all lanes."""

    FULL = "full"
    MARGIN = "margin"
    """Beside the lane columns, for values without a lane, if there is room."""
    LEFT = "left"
    RIGHT = "right"
    MIDDLE = "middle"
    """Between the lines on the left and on the right."""
    MIDDLE_LEFT = "middle left"
    """The left half of the middle."""
    MIDDLE_RIGHT = "middle right"


_MIDDLES = (ColumnPart.MIDDLE, ColumnPart.MIDDLE_LEFT, ColumnPart.MIDDLE_RIGHT)


def take_column_part(column: Area, slot: ColumnPart) -> Area:
    """Return the extent of a part of a column."""
    inner = column.shrink(4 if column.width < 200 else 6)
    if slot is ColumnPart.FULL:
        return inner
    left, right = inner.split_columns(2, 5 if column.width < 200 else 12)
    if slot in _MIDDLES:
        middle = inner.take_middle(left.width - 22)
        first, second = middle.split_columns(2, 8)
        return {ColumnPart.MIDDLE_LEFT: first, ColumnPart.MIDDLE_RIGHT: second}.get(slot, middle)
    return left if slot is ColumnPart.LEFT else right


class Port(NamedTuple):
    """The drawn extent of a place, and y of the starts of its lines."""

    area: Area
    y: float


def build_visible_scene(trace: Trace, options: Options) -> Scene:
    """Return the scene of a trace without values that reveal a hidden result."""
    scene = build_scene(trace)
    registers = (x if options.numbers else x.hide_numbers() for x in scene.registers)
    scene = scene._replace(
        registers=tuple(_add_hex_prefixes(x)._replace(bits=f"0x{x.bits}") for x in registers),
        steps=tuple(x._replace(rows=tuple(map(_add_hex_prefixes, x.rows))) for x in scene.steps),
    )
    return with_symbolic_rows(scene, trace, find_hidden_rows(trace, options))


_BITS = re.compile("[0-9a-f]{2,}")
_WithCells = TypeVar("_WithCells", RegisterFigure, RowScene)


def _add_hex_prefixes(drawn: _WithCells) -> _WithCells:
    """Prefix bits with ``0x``, as in text; a number in two boxes has only digits."""
    return drawn._replace(cells=tuple(map(_add_cell_prefix, drawn.cells)))


def add_hex_prefix(digits: str) -> str:
    """Prefix the digits of a byte or more with ``0x``; other texts are unchanged."""
    return f"0x{digits}" if _BITS.fullmatch(digits) else digits


def _add_cell_prefix(cell: Cell) -> Cell:
    if any(x.kind in (SpanKind.SIGN, SpanKind.ZERO) for x in cell.spans):
        return cell
    spans = (
        span._replace(text=add_hex_prefix(span.text))
        if span.kind in (SpanKind.CHIP, SpanKind.UNUSED)
        else span
        for span in cell.spans
    )
    return cell._replace(spans=tuple(spans))


def build_folded_scene(
    section: Section, options: Options, drawn_keys: frozenset[str] = frozenset()
) -> FoldedScene:
    """Return the visible scene without rows that change nothing, unless the answers differ there.

    Rows in ``drawn_keys`` remain.
    """
    trace = section.trace
    stages = frozenset(step.stage for step in trace.steps if options.shows(step.place))
    kept_keys = {
        row.key
        for row in trace.rows.values()
        if section.answers and row.stage is section.answers.stage
    }
    return fold_scene(
        build_visible_scene(trace, options),
        trace,
        kept_keys | drawn_keys | find_hidden_rows(trace, options),
        stages,
    )


def fold_section(
    section: Section, layout: Layout, drawn_keys: frozenset[str] = frozenset()
) -> FoldedScene:
    """Return the scene of a statement with its numbers; small layouts have fewer rows."""
    options, count = section.options, section.step_count
    if layout.is_compact or layout.is_turned:
        folded = build_folded_scene(section, options, drawn_keys)
    else:
        folded = FoldedScene(build_visible_scene(section.trace, options))
    steps = tuple(x._replace(number=x.number + count) for x in folded.scene.steps)
    return folded._replace(scene=folded.scene._replace(steps=steps))


class Sketch:
    """A picture in progress: canvas, scene, words, and the positions of drawn parts."""

    def __init__(
        self, canvas: SvgCanvas, scene: Scene, section: Section, steps: tuple[StepView, ...],
        layout: Layout,
    ) -> None:  # fmt: skip
        self.canvas = canvas
        self.scene = scene
        self.notes = section.trace.annotations.on_lanes
        """The author's notes on lanes, in order."""
        self.branch = section.branch
        """The name of the statement in its nodes."""
        self.layout = layout
        self.figures = layout.figures
        """Extent of the lane columns."""
        self.ends: tuple[tuple[LaneRef, ...], ...] = tuple((x,) for x in scene.results)
        """Source places of the bits of each kept destination."""
        self.rows = scene.rows
        self.columns = self.figures.split_columns(scene.lanes, GAP)
        """Extents of the lane columns, the highest lane first."""
        self.words: dict[tuple[str, int], CellView] = {
            (row.key, cell.lane): cell
            for step in steps
            for row in step.rows
            for cell in make_cells(row)
        }
        """Sentences on each lane of a row."""
        self.registers = {register.role: register for register in scene.registers}
        self.ports: dict[LaneRef, Port] = {}
        self.detail_zones: list[Zone] = []
        """Positions of parts of the current row, above the row itself."""
        self.extents: dict[LaneRef, tuple[float, float]] = {}
        """Top and end of a value that is only a part of its row's figure."""
        self.rows_top = 0.0
        """Top of the current step's rows, below any words above them."""
        self.row_starts: list[float] = []
        """Starts of the current step's rows."""
        self.skyline: list[tuple[Area, float]] = []
        """In a turned layout, the ends of earlier rows: steps may begin side by side."""
        self.least_start = 0.0
        """In a turned layout, the minimum start of its rows, beside the previous step's words."""
        self.slots: dict[str, ColumnPart] = {}
        """Parts of rows by key, and of registers by role."""
        self.differing_lanes: Mapping[str, frozenset[int]] = {}
        """Lanes of rows that differ in the other answer."""
        shown_numbers = {step.number for step in steps or scene.steps}
        drawn_rows = (
            row for step in scene.steps if step.number in shown_numbers for row in step.rows
        )
        self.read_keys = {link.source.key for row in drawn_rows for link in row.links}
        self.read_keys |= _find_read_registers(section.trace, steps, scene)
        """Keys of the registers and rows that a drawn row reads, also through folded rows."""
        self.own_keys = {
            source.place.key
            for row in self.rows.values()
            if isinstance(row.figure, PermutationFigure)
            for source in row.figure.sources
        }
        """Keys of the registers that figures draw."""
        self.instruction = section.statement.instruction
        self._section = section

    def find_tint(self, place: LaneRef) -> Tint:
        """Return the tint of a row or an operand, from its links."""
        if place.key in self.registers:
            return Tint(place.key)
        row = self.rows.get(place.key)
        tints = {link.tint for link in row.links} if row else set()
        return tints.pop() if len(tints) == 1 else Tint()

    def get_areas(self, row: RowScene) -> list[Area]:
        """Return the areas of the cells of a row."""
        return self.make_areas(len(row.cells), self.slots.get(row.key, ColumnPart.FULL))

    def make_areas(self, count: int, slot: ColumnPart) -> list[Area]:
        """Return areas for ``count`` cells: in lane columns, or over the whole width."""
        if count == self.scene.lanes:
            return [take_column_part(column, slot) for column in self.columns]
        if count == 1:
            if slot is ColumnPart.MARGIN:
                own_column = take_column_part(self.columns[0], ColumnPart.LEFT)
                return [self.layout.words if self.has_margin else own_column]
            return [take_column_part(self.figures, slot)]
        return take_column_part(self.figures, slot).split_columns(count, GAP)

    @property
    def has_margin(self) -> bool:
        """Whether words, and below them values without a lane, are beside the lane columns."""
        return not self.layout.is_compact

    def find_new_registers(self, row: RowScene) -> list[RegisterFigure]:
        """Return the registers of a row that are not drawn; a choice draws its own."""
        if isinstance(row.figure, ChoiceFigure):
            return []
        keys = dict.fromkeys(link.source.key for link in row.links)
        drawn_keys = self.drawn_keys | self.own_keys
        return [self.registers[x] for x in keys if x in self.registers and x not in drawn_keys]

    def has_no_room(self, register: RegisterFigure) -> bool:
        """Whether only a register's name fits: a whole one beside lanes in a compact figure."""
        return self.layout.is_compact and self.scene.lanes > 1 and not register.is_by_lane

    def find_hidden_sources(self, rows: Iterable[RowScene]) -> list[RowScene]:
        """Return the hidden inputs of some rows; a choice draws its own."""
        keys = dict.fromkeys(
            link.source.key
            for row in rows if not isinstance(row.figure, ChoiceFigure) for link in row.links
        )  # fmt: skip
        drawn_keys = self.drawn_keys | {row.key for row in rows}
        return [self.rows[x] for x in keys if x in self.rows and x not in drawn_keys]

    @property
    def drawn_keys(self) -> set[str]:
        """Keys of the registers and rows that are drawn, here or before two answers."""
        return {place.key for place in self.ports}

    def set_port(self, place: LaneRef, area: Area, y: float) -> None:
        """Set the start of lines from a place: below an area."""
        self.ports[place] = Port(area, y)

    def make_node(self, place: LaneRef) -> Node:
        """Return a place as a node of the picture; two answers share earlier nodes."""
        is_shared = self._section.is_only and (place.key, 0) not in self.words
        return self._section.statement.prefix if is_shared else self.branch, *place

    def add_zone(self, place: LaneRef, area: Area, y: float, end: float) -> None:
        """Record the position of a value."""
        box = self.layout.turn_box(area, y, end)
        self.canvas.zones.append(Zone(self.make_node(place), box))

    def add_zones(self, cells: Iterable[Cell], y: float) -> None:
        """Record the positions of cells drawn from y downwards."""
        for cell in cells:
            if port := self.ports.get(cell.place):
                self.add_zone(cell.place, port.area, y, port.y)

    def find_incoming_links(self, row: RowScene, lane: int) -> list[tuple[Link, Port]]:
        """Return the links to a lane of a row from drawn places."""
        target = LaneRef(row.key, lane)
        links = (x for x in row.links if x.target == target)
        return [(link, self.ports[link.source]) for link in links if link.source in self.ports]

    def draw_links(
        self, row: RowScene, lane: int, box: Area, y: float, *, is_centered: bool = False
    ) -> None:
        """Draw every line to a lane of a row, straight down if possible."""
        incoming = self.find_incoming_links(row, lane)
        latest = max((port.y for _, port in incoming), default=0) if self.layout.is_turned else 0
        for link, port in incoming:
            end_points = port.area.center, box.center
            start, end = end_points if is_centered else self.find_ends(link, box)
            self.draw_link(link, (start, port.y), (end, y), latest)

    def find_ends(self, link: Link, box: Area) -> tuple[float, float]:
        """Return x of the start and the end of a line to an area, the same if possible."""
        source, slot = self.ports[link.source].area, self.slots.get(link.source.key)
        if self.layout.is_turned:
            return source.center, box.clamp_center(source.center, min(box.width, 30))
        # in the middle of a column, only the center is certainly free of boxes at its sides
        return find_link_ends(source.take_middle(0) if slot in _MIDDLES else source, box)

    def draw_link(self, link: Link, start: Point, end: Point, least_bend: float = 0) -> None:
        """Draw a line that bends only near its end, past anything in between."""
        bend = max(end[1] - self.layout.crossing, least_bend)
        flow_index = len(self.canvas.flows)
        self.canvas.draw_flow(
            start,
            end,
            choose_link_colour(link.tint),
            is_strong=link.is_taken,
            has_head=link.is_taken,
            bend=bend,
        )
        if link.is_taken:
            self.add_link(link, self.canvas.flows[flow_index])
        else:
            size = 5.0 if self.layout.is_turned else 3.2
            self.canvas.draw_cross(*self.layout.turn(end[0], end[1] - 10), SvgColour.DIM, size)

    def add_link(self, link: Link, *lines: str) -> None:
        """Record the source of a value and its lines."""
        source, target = link.source, link.target
        row = self.rows.get(target.key)
        if row and is_packed(row):
            target = LaneRef(target.key, source.lane)
        end_nodes = self.make_node(source), self.make_node(target)
        self.canvas.links.setdefault(end_nodes, []).extend(lines)

    def add_result(self, name: str, area: Area, y: float, end: float) -> None:
        """Record the position of a result."""
        box = self.layout.turn_box(area, y, end)
        self.canvas.zones.append(Zone(self._make_result_node(name), box))

    def add_result_link(self, name: str, place: LaneRef, *lines: str) -> None:
        """Record the source of a result and its lines."""
        row = self.rows.get(place.key)
        lanes = range(len(row.cells)) if row and is_packed(row) else (place.lane,)
        for lane in lanes:
            self.canvas.links[
                self.make_node(LaneRef(place.key, lane)), self._make_result_node(name)
            ] = [*lines]

    def _make_result_node(self, name: str) -> Node:
        return self.branch, f"{name} =", 0


def is_packed(row: RowScene) -> bool:
    """Whether a row's cells are parts of one register, each below its source."""
    return row.figure is None and len({cell.place for cell in row.cells}) < len(row.cells)


def find_link_ends(source: Area, target: Area) -> tuple[float, float]:
    """Return x of the start and the end of a line between two areas, the same if possible."""
    if source.x <= target.center <= source.right:
        return target.center, target.center
    room = target.shrink(min(8, target.width / 2))
    if room.x <= source.center <= room.right:
        return source.center, source.center
    if source.overlaps(room):
        x = (max(source.x, room.x) + min(source.right, room.right)) / 2
        return x, x
    return source.center, target.clamp_center(source.center, min(target.width, 30))


def choose_link_colour(tint: Tint) -> SvgColour:
    """Return the colour of a line from an operand's bits."""
    return _WIRES.get(_choose_shade(tint), SvgColour.DIM)


def choose_chip_colours(tint: Tint) -> tuple[SvgColour, SvgColour]:
    """Return the colours of the fill and the frame of an operand's bits."""
    return _CHIPS.get(_choose_shade(tint), SvgColour.PAGE), _WIRES.get(
        _choose_shade(tint), SvgColour.INK
    )


def _choose_shade(tint: Tint) -> tuple[str, int]:
    return tint.role, 3 if tint.role == "c" else tint.byte


_WIRES: dict[tuple[str, int], SvgColour] = {
    **{(role, byte): SvgColour(f"{role}{byte}") for role in "ab" for byte in range(4)},
    ("c", 3): SvgColour.C,
}
_CHIPS: dict[tuple[str, int], SvgColour] = {
    **{(role, byte): SvgColour(f"{role}{byte}-chip") for role in "ab" for byte in range(4)},
    ("c", 3): SvgColour.C_CHIP,
}
ROLE_INKS = {"a": SvgColour.A, "b": SvgColour.B, "c": SvgColour.C}
"""Colour of an operand's name."""


def _find_read_registers(trace: Trace, steps: Iterable[StepView], scene: Scene) -> set[str]:
    """Return the registers that the rows of steps read, also through folded rows."""
    registers = {register.role for register in scene.registers}
    keys = [row.key for step in steps for row in step.rows]
    read_keys: set[str] = set()
    while keys:
        key = keys.pop()
        if key in registers:
            read_keys.add(key)
        elif key not in scene.rows:
            keys += trace.rows[key].input_keys
    return read_keys
