"""Where the rows of a step stand, and which figure is drawn for what."""

from __future__ import annotations

from collections.abc import Callable

from ...scene.scene_model import (
    Axis,
    Choice,
    Gate,
    Look,
    Place,
    Register,
    RowScene,
    Running,
    StepScene,
    Strips,
)
from . import gates, svg_figures
from .cell_shapes import bits_packed, cells, finish, incoming, register
from .page_layout import WIDTH, Area, Sketch, Slot, is_packed, meet
from .symbols import differs

_SIDES = {"a": Slot.LEFT, "b": Slot.RIGHT}
_PAIR = {"p": Slot.LEFT, "q": Slot.RIGHT}


def place_rows(sketch: Sketch) -> None:
    """Give every register and every row its slot: what comes from one side stays there."""
    slots, scene = sketch.slots, sketch.scene
    passed = any(link.source.key == "a" for row in sketch.rows.values() for link in row.links
                 if isinstance(row.figure, Choice))  # fmt: skip
    for step in scene.steps:
        pair = {row.name for row in step.rows} >= _PAIR.keys()
        middle = passed or any(_turns(sketch, row) for row in step.rows)
        for at, row in enumerate(step.rows):
            for link in row.links:
                key = link.source.key
                if key in sketch.registers and key not in slots:
                    shown = sketch.registers[key]
                    slots[key] = _register(sketch, shown, middle=middle)
            slots[row.key] = _row(sketch, row, pair)
            if (
                slots[row.key] is Slot.FULL
                and len(row.links) == 1
                and not isinstance(row.figure, Gate)
            ):
                later = {link.source.key for x in step.rows[at + 1 :] for link in x.links}
                if "c" in later or any(slots.get(key) is Slot.RIGHT for key in later):
                    slots[row.key] = Slot.LEFT  # what stands on the right passes by


def _register(sketch: Sketch, shown: Register, *, middle: bool) -> Slot:
    """Where a register is drawn."""
    if shown.role in _SIDES:
        return _SIDES[shown.role]
    if shown.role == "guard":
        return Slot.MIDDLE
    if sketch.scene.lanes > 1:
        return Slot.RIGHT if shown.by_lane else Slot.LEFT
    if shown.role == "c" and len(shown.cells) > 1:
        return Slot.FULL  # its parts stand above the lanes that they may go to
    return Slot.MIDDLE if shown.role == "c" and middle else Slot.RIGHT


def _turns(sketch: Sketch, row: RowScene) -> bool:
    """Whether it turns what a row yields, for q."""
    read = {link.source.key for link in row.links}
    return isinstance(row.figure, Gate) and len(read) == 1 and read <= sketch.rows.keys()


def _row(sketch: Sketch, row: RowScene, pair: bool) -> Slot:
    if row.name in _SIDES:
        return _SIDES[row.name]
    if pair and row.name in _PAIR:
        return _PAIR[row.name]
    keys = {link.source.key for link in row.links}
    if _turns(sketch, row):
        return Slot.RIGHT  # what goes on unturned passes by
    found = {sketch.slots.get(key, Slot.FULL) for key in keys}
    single = len(row.cells) == 1 or sketch.scene.lanes == len(row.cells)
    return found.pop() if len(found) == 1 and single else Slot.FULL


def draw_rows(sketch: Sketch, step: StepScene, y: float) -> float:
    """Draw the rows of a step, each as high as what stands above it lets it; returns the end."""
    skyline: list[tuple[Area, float]] = [(sketch.figures, y)]

    def free(areas: list[Area]) -> float:
        return max(end for other, end in skyline if any(map(other.meets, areas)))

    for row in sketch.comes(step.rows):
        areas = sketch.areas(row)
        top = free(areas) + sketch.layout.apart
        end = incoming(sketch, row, top)
        sketch.add_zones(dict.fromkeys(row.cells), top)
        skyline += [(area, end) for area in areas]
    for row in step.rows:
        areas = sketch.areas(row)
        top = free(areas)
        for shown in sketch.brings(row):
            if sketch.has_no_room(shown):
                continue
            slot = sketch.slots[shown.role]
            where = sketch.areas_for(len(shown.cells) if shown.by_lane else 1, slot)
            start = free(where) + sketch.layout.apart
            end = register(sketch, shown, slot, start)
            sketch.add_zones(shown.cells, start)
            skyline += [(area, end) for area in where]
            top = free(areas)
        beside = [x for x in step.rows if x.name in _SIDES and row.name in _SIDES] or [row]
        drop = max(_drop(sketch, x, top) for x in beside)
        end = _draw(sketch, row, top + drop)
        _add_nodes(sketch, row, top + drop, end)
        for cell, area in zip(row.cells, areas, strict=True):
            if cell.place.lane in sketch.differing.get(row.key, ()):
                differs(sketch.pen, area, top + drop, end, _beside(sketch, area))
        skyline += [(area, end) for area in areas]
    return max(end for _, end in skyline)


def _add_nodes(sketch: Sketch, row: RowScene, y: float, end: float) -> None:
    """Note where the values of a row stand, and what each came from."""
    places = [cell.place for cell in row.cells]
    if is_packed(row):
        places = [Place(row.key, lane) for lane in range(len(places) - 1, -1, -1)]
    for place, area in zip(places, sketch.areas(row), strict=True):
        sketch.add_zone(place, area, y, end)
    for link in row.links:
        if link.taken:
            sketch.add_link(link)


def _beside(sketch: Sketch, area: Area) -> float | None:
    """Where a sign has room between two branches; None where something else stands there."""
    if sketch.figures.center < WIDTH / 2:
        return area.right + 8 if area.right > sketch.figures.right - 12 else None
    return area.x - 16 if area.x < sketch.figures.x + 12 else None


def _extent(areas: list[Area]) -> Area:
    return Area(areas[0].x, areas[-1].right - areas[0].x)


def _drop(sketch: Sketch, row: RowScene, top: float) -> float:
    """How much room the lines into a row need."""
    ways = [(area, port) for cell, area in zip(row.cells, sketch.areas(row), strict=True)
            for _, port in sketch.ways(row, cell.place.lane)]  # fmt: skip
    layout = sketch.layout
    if not ways:
        return layout.apart
    if isinstance(row.figure, Gate | Choice):
        turned = any(port.y > top - 1 for _, port in ways)
        return layout.drop if turned else layout.apart
    bent = False
    for area, port in ways:
        start, end = meet(port.area, area)
        bent |= abs(start - end) > 1
        if _selects(row) and not layout.compact:
            bent |= abs(port.area.center - area.center) > 1
    named = isinstance(row.figure, Axis) and len(row.figure.points) > len(row.cells)
    return layout.crossing if bent or named else layout.drop


def _selects(row: RowScene) -> bool:
    return any(span.look in (Look.NAME, Look.AWAY) for cell in row.cells for span in cell.spans)


def _draw(sketch: Sketch, row: RowScene, y: float) -> float:
    draw = _FIGURES.get(type(row.figure))
    if draw:
        end = draw(sketch, row, row.figure, y)
        if draw in _BARE:
            alone = row._replace(cells=row.cells[:1])
            return finish(sketch, alone, [_extent(sketch.areas(row))], end)
        return end
    if is_packed(row):
        return bits_packed(sketch, row, y)
    return cells(sketch, row, y)


_FIGURES: dict[type, Callable[..., float]] = {
    Axis: svg_figures.axis,
    Strips: svg_figures.strips,
    Running: svg_figures.running,
    Gate: gates.gate,
    Choice: gates.choose,
}
"""What draws a figure of a scene; a row without one is its cells."""
_BARE = (svg_figures.running, gates.gate, gates.choose)
"""Figures that show all that the cells say."""
