"""Where things stand in a picture: lane columns, slots in them, and where lines go on.

A page is 800 px wide: a margin with the words of each step, and beside it the lane columns, the
most significant lane on the left. What is one for all lanes goes through all columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from ...engine.records import NamedTuple
from ...engine.tracing.trace import Trace
from ...scene.row_folding import Folded, fold
from ...scene.scene_builder import build_scene
from ...scene.scene_model import (
    Cell,
    ChoiceFigure,
    LaneRef,
    Link,
    RegisterFigure,
    RowScene,
    Scene,
    Tint,
)
from ...scene.symbolic_scene import with_symbolic_rows
from ..content.document import CellView, Document, StepView, iter_names
from ..content.hidden_rows import find_hidden_rows
from ..options import Options
from .svg_canvas import Node, SvgCanvas, Zone
from .svg_colours import SvgColour
from .text_fitting import wrap_text

WIDTH = 800
EDGE = 24
"""Free space at the border of the page."""
WORDS_X = 58
WORDS_WIDTH = 142
"""The column of titles and sentences."""
Point = tuple[float, float]


class Area(NamedTuple):
    """A column of the page, or a part of one."""

    x: float
    width: float

    @property
    def center(self) -> float:
        """Its middle."""
        return self.x + self.width / 2

    @property
    def right(self) -> float:
        """Where it ends."""
        return self.x + self.width

    def split_columns(self, count: int, gap: float = 0) -> list[Area]:
        """Columns side by side, from left to right."""
        each = (self.width - gap * (count - 1)) / count
        return [Area(self.x + at * (each + gap), each) for at in range(count)]

    def take_middle(self, width: float) -> Area:
        """A column of at most a width in its middle."""
        width = min(width, self.width)
        return Area(self.center - width / 2, width)

    def shrink(self, margin: float) -> Area:
        """It without so much at both ends."""
        return Area(self.x + margin, self.width - 2 * margin)

    def clamp_center(self, x: float, wide: float) -> float:
        """The nearest x at which something of a width, centred there, stays within."""
        return min(max(x, self.x + wide / 2), self.right - wide / 2)

    def overlaps(self, other: Area) -> bool:
        """Whether they have a place in common."""
        return self.x < other.right and other.x < self.right


FIGURES = Area(208, WIDTH - EDGE - 208)
"""Where the lane columns stand."""


class Layout(NamedTuple):
    """Where words and figures stand."""

    page: Area
    """What is written on from edge to edge."""
    figures: Area
    words: Area
    """The sentences of a step."""
    above: bool = False
    """Words stand above the figures of their step, not beside them."""
    compact: bool = False
    """For one column of a paper: steps that change nothing are left out."""
    crossing: float = 46
    """Height in which lines cross over."""
    drop: float = 22
    """Height of lines straight down between two rows."""
    apart: float = 10
    """Between rows that no line joins."""

    @property
    def width(self) -> float:
        """Of the whole page."""
        return self.page.right + self.page.x


PAGE = Layout(Area(EDGE, WIDTH - 2 * EDGE), FIGURES, Area(WORDS_X, WORDS_WIDTH))
_COLUMN = Area(6, 388)
COMPACT = Layout(
    _COLUMN, _COLUMN, _COLUMN.shrink(2), above=True, compact=True, crossing=30, drop=15, apart=5
)


def make_side_layout(figures: float) -> Layout:
    """A page on which the figures are so wide."""
    return Layout(Area(EDGE, FIGURES.x + figures - EDGE), Area(FIGURES.x, figures), PAGE.words)


def make_stacked_layout(figures: float) -> Layout:
    """A page as wide as the figures: the words of a step stand above them, behind its title."""
    whole = Area(EDGE, figures)
    return Layout(whole, whole, Area(EDGE + _TITLE, figures - _TITLE - 8), above=True)


_TITLE = 138
"""Room for the number and the title of a step."""
LONGEST = 11
"""Names with more characters are told once."""
GAP = 8
"""Between them."""


class ColumnPart(StrEnum):
    """A part of a column, or of the page where there is one for all lanes."""

    FULL = "full"
    LEFT = "left"
    RIGHT = "right"
    MIDDLE = "middle"
    """Between what comes down on the left and on the right."""


def take_column_part(column: Area, slot: ColumnPart) -> Area:
    """A slot of a column."""
    inner = column.shrink(4 if column.width < 200 else 6)
    if slot is ColumnPart.FULL:
        return inner
    left, right = inner.split_columns(2, 5 if column.width < 200 else 12)
    if slot is ColumnPart.MIDDLE:
        return inner.take_middle(left.width - 22)
    return left if slot is ColumnPart.LEFT else right


class Port(NamedTuple):
    """What was drawn of a place: its extent, and where lines begin below it."""

    area: Area
    y: float


def build_visible_scene(trace: Trace, options: Options) -> Scene:
    """The scene of a trace, without the values that go with a result that is kept back."""
    return with_symbolic_rows(build_scene(trace), trace, find_hidden_rows(trace, options))


def folded(doc: Document, options: Options) -> Folded:
    """That scene without the rows that change nothing; the step where answers part stays."""
    trace = doc.trace
    stages = frozenset(step.stage for step in trace.steps if options.shows(step.stage))
    kept = {
        row.key for row in trace.rows.values() if doc.answers and row.stage is doc.answers.stage
    }
    return fold(
        build_visible_scene(trace, options), trace, kept | find_hidden_rows(trace, options), stages
    )


class Sketch:
    """A picture that is being drawn: pen, scene, words, and what stands where."""

    def __init__(
        self, pen: SvgCanvas, scene: Scene, doc: Document, steps: tuple[StepView, ...],
        layout: Layout = PAGE,
    ) -> None:  # fmt: skip
        self.pen = pen
        self.scene = scene
        self.notes = doc.trace.annotations.on_lanes
        """A writer's, numbered."""
        self.branch = ""
        """The answer that it is of, where two part."""
        self.layout = layout
        self.figures = layout.figures
        """Where the lane columns stand."""
        self.ends: tuple[tuple[LaneRef, ...], ...] = tuple((x,) for x in scene.results)
        """What the bits of each destination that is kept come from."""
        self.rows = scene.rows
        self.columns = self.figures.split_columns(scene.lanes, GAP)
        """The highest lane first."""
        self.words: dict[tuple[str, int], CellView] = {
            (row.row.key, cell.lane): cell
            for step in steps
            for row in step.rows
            for cell in row.cells
        }
        """What is said of each lane of a row."""
        self.registers = {register.role: register for register in scene.registers}
        self.ports: dict[LaneRef, Port] = {}
        self.slots: dict[str, ColumnPart] = {}
        """Of rows by key, and of registers by role."""
        self.differing: Mapping[str, frozenset[int]] = {}
        """Lanes of rows that are others in the answer beside it."""
        shown = {step.number for step in steps}
        drawn = (row for step in scene.steps if step.number in shown for row in step.rows)
        self.fed = {link.source.key for row in drawn for link in row.links}
        """Registers, and rows, that something which is shown is made of."""

    def find_tint(self, place: LaneRef) -> Tint:
        """Whose bits a row or an operand holds, by what came into it."""
        if place.key in self.registers:
            return Tint(place.key)
        row = self.rows.get(place.key)
        found = {link.tint for link in row.links} if row else set()
        return found.pop() if len(found) == 1 else Tint()

    def get_areas(self, row: RowScene) -> list[Area]:
        """Where each of its cells stands."""
        return self.make_areas(len(row.cells), self.slots.get(row.key, ColumnPart.FULL))

    def make_areas(self, count: int, slot: ColumnPart) -> list[Area]:
        """Areas for so many cells: in lane columns, or dividing the page."""
        if count == self.scene.lanes:
            return [take_column_part(column, slot) for column in self.columns]
        if count == 1:
            if self.scene.lanes > 1 and slot is ColumnPart.LEFT:
                own = take_column_part(self.columns[0], slot)
                return [self.layout.words if self.has_margin else own]
            return [take_column_part(self.figures, slot)]
        return take_column_part(self.figures, slot).split_columns(count, GAP)

    @property
    def has_margin(self) -> bool:
        """Whether words stand beside the lane columns; below them, what is of no lane."""
        return not self.layout.above and not self.branch

    def find_new_registers(self, row: RowScene) -> list[RegisterFigure]:
        """The registers that a row reads and that are not drawn yet; a choice shows its own."""
        if isinstance(row.figure, ChoiceFigure):
            return []
        keys = dict.fromkeys(link.source.key for link in row.links)
        drawn = {place.key for place in self.ports}
        return [self.registers[x] for x in keys if x in self.registers and x not in drawn]

    def has_no_room(self, shown: RegisterFigure) -> bool:
        """Whether a register is only named: a whole one beside lanes of a compact figure."""
        return self.layout.compact and self.scene.lanes > 1 and not shown.by_lane

    def find_hidden_sources(self, rows: Iterable[RowScene]) -> list[RowScene]:
        """The rows that some are made of and that are not shown; a choice shows its own."""
        keys = dict.fromkeys(
            link.source.key
            for row in rows if not isinstance(row.figure, ChoiceFigure) for link in row.links
        )  # fmt: skip
        own, drawn = {row.key for row in rows}, {place.key for place in self.ports}
        return [self.rows[x] for x in keys if x in self.rows and x not in drawn | own]

    def set_port(self, place: LaneRef, area: Area, y: float) -> None:
        """Lines from a place begin below an area."""
        self.ports[place] = Port(area, y)

    def node(self, place: LaneRef) -> Node:
        """A place as a value of the picture; what a branch takes over is the trunk's."""
        return self.branch if (place.key, 0) in self.words else "", *place

    def add_zone(self, place: LaneRef, area: Area, y: float, end: float) -> None:
        """Note where a value stands."""
        self.pen.zones.append(Zone(self.node(place), (area.x, y, area.width, end - y)))

    def add_zones(self, cells: Iterable[Cell], y: float) -> None:
        """Note where cells stand that were drawn from a height on."""
        for cell in cells:
            if port := self.ports.get(cell.place):
                self.add_zone(cell.place, port.area, y, port.y)

    def find_incoming_links(self, row: RowScene, lane: int) -> list[tuple[Link, Port]]:
        """The links to a lane of a row from what was drawn."""
        target = LaneRef(row.key, lane)
        found = (x for x in row.links if x.target == target)
        return [(link, self.ports[link.source]) for link in found if link.source in self.ports]

    def draw_links(
        self, row: RowScene, lane: int, box: Area, y: float, *, is_centered: bool = False
    ) -> None:
        """Every line to a lane of a row, to the top of its box; straight down where that goes."""
        for link, port in self.find_incoming_links(row, lane):
            ends = port.area.center, box.center
            start, end = ends if is_centered else find_link_ends(port.area, box)
            self.draw(link, (start, port.y), (end, y))

    def draw(self, link: Link, start: Point, end: Point) -> None:
        """A line; across only near its end, so that it passes by what stands between."""
        bend = end[1] - self.layout.crossing
        at = len(self.pen.flows)
        self.pen.draw_flow(
            start,
            end,
            choose_link_colour(link.tint),
            is_strong=link.taken,
            has_head=link.taken,
            bend=bend,
        )
        if link.taken:
            self.add_link(link, self.pen.flows[at])
        else:
            self.pen.draw_cross(end[0], end[1] - 10, SvgColour.MARK, 3.2)

    def add_link(self, link: Link, *lines: str) -> None:
        """Note that a value came from another, and by which lines that is shown."""
        source, target = link.source, link.target
        row = self.rows.get(target.key)
        if row and is_packed(row):
            target = LaneRef(target.key, source.lane)
        ends = self.node(source), self.node(target)
        self.pen.links.setdefault(ends, []).extend(lines)

    def add_result(self, name: str, area: Area, y: float, end: float) -> None:
        """Note where a result stands."""
        self.pen.zones.append(Zone(self._result(name), (area.x, y, area.width, end - y)))

    def add_result_link(self, name: str, place: LaneRef, *lines: str) -> None:
        """Note that a result came from a place, and by which lines that is shown."""
        row = self.rows.get(place.key)
        lanes = range(len(row.cells)) if row and is_packed(row) else (place.lane,)
        for lane in lanes:
            self.pen.links[self.node(LaneRef(place.key, lane)), self._result(name)] = [*lines]

    def _result(self, name: str) -> Node:
        return self.branch, f"{name} =", 0


def is_packed(row: RowScene) -> bool:
    """Whether its cells are parts of one register, each below the lane that it was."""
    return row.figure is None and len({cell.place for cell in row.cells}) < len(row.cells)


def abbreviate_long_names(doc: Document, longest: int = LONGEST) -> list[tuple[str, str]]:
    """Names that are very long, and what they are called in a picture."""
    return list(dict.fromkeys(pair for pair in iter_names(doc.trace) if len(pair[0]) > longest))


def draw_instruction(
    pen: SvgCanvas, ptx: str, x: float, y: float, width: float, size: float, named: Names
) -> float:
    """The instruction, with the letters that stand for very long names below these.

    Returns the last baseline, or that of the letters below it.
    """
    ptx = " ".join(ptx.split())
    lines, small = wrap_text(ptx, width, size, is_monospaced=True), pen.scale_size(10.5)
    roles: dict[str, str] = {}
    for name, role in sorted(named):
        roles[name] = f"{roles[name]}, {role}" if name in roles else role
    letters = SvgCanvas(pen.prefix)
    letters.least = pen.least
    named_spans = [(at, at + len(name), name) for name in roles for at in find_name(name, ptx)]
    begin = 0
    for at, line in enumerate(lines):
        pen.draw_text(x, y, line, size, is_monospaced=True, is_bold=True)
        begin = ptx.index(line, begin)
        end = begin + len(line)
        found = [(max(low, begin) - begin, min(high, end) - begin, name)
                 for low, high, name in named_spans if low < end and high > begin]  # fmt: skip
        begin = end
        for start, stop, name in found:
            under = Area(x + start * size * _ADVANCE, (stop - start) * size * _ADVANCE)
            letters.draw_line(under.x, y + 4, under.right, y + 4, SvgColour.DIM)
            letters.draw_text(
                under.center,
                y + 5 + small,
                roles[name],
                10.5,
                SvgColour.DIM,
                anchor="middle",
                is_monospaced=True,
                is_bold=True,
            )
        below = small + 4 if found else 0
        y += (below + size * 1.43) if at + 1 < len(lines) else below
    pen.parts += letters.parts  # a line is read from one end to the other
    return y


def find_name(name: str, line: str) -> list[int]:
    """Where a name stands in a line as a word."""
    return [m.start() for m in re.finditer(rf"(?<![\w$%]){re.escape(name)}(?![\w$])", line)]


_ADVANCE = 0.602
"""How wide a letter of the line is, of its size."""
Names = Sequence[tuple[str, str]]


def find_link_ends(source: Area, target: Area) -> tuple[float, float]:
    """Where a line leaves one area above and comes to another: the same x where it can be."""
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
    """The ink of a line from an operand's bits."""
    return _WIRES.get(_choose_shade(tint), SvgColour.DIM)


def choose_chip_colours(tint: Tint) -> tuple[SvgColour, SvgColour]:
    """What an operand's bits are filled with, and framed."""
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
"""In which an operand's name is written."""
