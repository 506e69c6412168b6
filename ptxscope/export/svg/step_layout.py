"""Where the rows of a step stand, and which figure is drawn for what."""

from __future__ import annotations

from collections.abc import Callable

from ...scene.scene_model import (
    BitRulers,
    ChoiceFigure,
    Gate,
    LaneRef,
    NumberLine,
    RegisterFigure,
    RowScene,
    RunningSum,
    SpanKind,
    StepScene,
)
from . import gates, svg_figures
from .cell_shapes import (
    draw_cells,
    draw_incoming_values,
    draw_lane_flags,
    draw_packed_lanes,
    register,
)
from .page_layout import WIDTH, Area, ColumnPart, Sketch, find_link_ends, is_packed
from .symbols import draw_difference_frame

_SIDES = {"a": ColumnPart.LEFT, "b": ColumnPart.RIGHT}
_PAIR = {"p": ColumnPart.LEFT, "q": ColumnPart.RIGHT}


def place_rows(sketch: Sketch) -> None:
    """Give every register and every row its slot: what comes from one side stays there."""
    slots, scene = sketch.slots, sketch.scene
    passed = any(link.source.key == "a" for row in sketch.rows.values() for link in row.links
                 if isinstance(row.figure, ChoiceFigure))  # fmt: skip
    for step in scene.steps:
        pair = {row.name for row in step.rows} >= _PAIR.keys()
        middle = passed or any(_is_negated(sketch, row) for row in step.rows)
        for at, row in enumerate(step.rows):
            for link in row.links:
                key = link.source.key
                if key in sketch.registers and key not in slots:
                    shown = sketch.registers[key]
                    slots[key] = _choose_register_slot(sketch, shown, is_in_middle=middle)
            slots[row.key] = _choose_row_slot(sketch, row, pair)
            if (
                slots[row.key] is ColumnPart.FULL
                and len(row.links) == 1
                and not isinstance(row.figure, Gate)
            ):
                later = {link.source.key for x in step.rows[at + 1 :] for link in x.links}
                if "c" in later or any(slots.get(key) is ColumnPart.RIGHT for key in later):
                    slots[row.key] = ColumnPart.LEFT  # what stands on the right passes by


def _choose_register_slot(
    sketch: Sketch, shown: RegisterFigure, *, is_in_middle: bool
) -> ColumnPart:
    """Where a register is drawn."""
    if shown.role in _SIDES:
        return _SIDES[shown.role]
    if shown.role == "guard":
        return ColumnPart.MIDDLE
    if sketch.scene.lanes > 1:
        return ColumnPart.RIGHT if shown.by_lane else ColumnPart.LEFT
    if shown.role == "c" and len(shown.cells) > 1:
        return ColumnPart.FULL  # its parts stand above the lanes that they may go to
    return ColumnPart.MIDDLE if shown.role == "c" and is_in_middle else ColumnPart.RIGHT


def _is_negated(sketch: Sketch, row: RowScene) -> bool:
    """Whether it turns what a row yields, for q."""
    read = {link.source.key for link in row.links}
    return isinstance(row.figure, Gate) and len(read) == 1 and read <= sketch.rows.keys()


def _choose_row_slot(sketch: Sketch, row: RowScene, is_pair: bool) -> ColumnPart:
    if row.name in _SIDES:
        return _SIDES[row.name]
    if is_pair and row.name in _PAIR:
        return _PAIR[row.name]
    keys = {link.source.key for link in row.links}
    if _is_negated(sketch, row):
        return ColumnPart.RIGHT  # what goes on unturned passes by
    found = {sketch.slots.get(key, ColumnPart.FULL) for key in keys}
    single = len(row.cells) == 1 or sketch.scene.lanes == len(row.cells)
    return found.pop() if len(found) == 1 and single else ColumnPart.FULL


def draw_rows(sketch: Sketch, step: StepScene, y: float, words: float) -> float:
    """Draw the rows of a step, each as high as what stands above it lets it; returns the end.

    ``words`` is where its words end, which stand beside it.
    """
    skyline: list[tuple[Area, float]] = [(sketch.figures, y)]
    if sketch.has_margin:
        skyline.append((sketch.layout.words, words))

    def free(areas: list[Area]) -> float:
        return max(end for other, end in skyline if any(map(other.overlaps, areas)))

    for row in sketch.find_hidden_sources(step.rows):
        areas = sketch.get_areas(row)
        top = free(areas) + sketch.layout.apart
        end = draw_incoming_values(sketch, row, top)
        sketch.add_zones(dict.fromkeys(row.cells), top)
        skyline += [(area, end) for area in areas]
    for row in step.rows:
        areas = sketch.get_areas(row)
        for shown in sketch.find_new_registers(row):
            if sketch.has_no_room(shown):
                continue
            slot = sketch.slots[shown.role]
            where = sketch.make_areas(len(shown.cells) if shown.by_lane else 1, slot)
            start = free(where) + sketch.layout.apart
            end = register(sketch, shown, slot, start)
            sketch.add_zones(shown.cells, start)
            skyline += [(area, end) for area in where]
        top = free(areas + _list_margin_sources(sketch, row))
        beside = [x for x in step.rows if x.name in _SIDES and row.name in _SIDES] or [row]
        drop = max(_drop(sketch, x, top) for x in beside)
        end = _draw(sketch, row, top + drop)
        _add_nodes(sketch, row, top + drop, end)
        for cell, area in zip(row.cells, areas, strict=True):
            if cell.place.lane in sketch.differing.get(row.key, ()):
                draw_difference_frame(
                    sketch.pen, area, top + drop, end, _find_sign_room(sketch, area)
                )
        skyline += [(area, end) for area in areas]
    return max(end for _, end in skyline)


def _list_margin_sources(sketch: Sketch, row: RowScene) -> list[Area]:
    """Where the values stand in the margin that a row is made of: it begins below them."""
    ports = (sketch.ports.get(link.source) for link in row.links)
    return [port.area for port in ports if port and port.area.right < sketch.figures.x]


def _add_nodes(sketch: Sketch, row: RowScene, y: float, end: float) -> None:
    """Note where the values of a row stand, and what each came from."""
    places = [cell.place for cell in row.cells]
    if is_packed(row):
        places = [LaneRef(row.key, lane) for lane in range(len(places) - 1, -1, -1)]
    for place, area in zip(places, sketch.get_areas(row), strict=True):
        sketch.add_zone(place, area, y, end)
    for link in row.links:
        if link.taken:
            sketch.add_link(link)


def _find_sign_room(sketch: Sketch, area: Area) -> float | None:
    """Where a sign has room between two branches; None where something else stands there."""
    if sketch.figures.center < WIDTH / 2:
        return area.right + 8 if area.right > sketch.figures.right - 12 else None
    return area.x - 16 if area.x < sketch.figures.x + 12 else None


def _measure_extent(areas: list[Area]) -> Area:
    return Area(areas[0].x, areas[-1].right - areas[0].x)


def _drop(sketch: Sketch, row: RowScene, top: float) -> float:
    """How much room the lines into a row need."""
    ways = [(area, port) for cell, area in zip(row.cells, sketch.get_areas(row), strict=True)
            for _, port in sketch.find_incoming_links(row, cell.place.lane)]  # fmt: skip
    layout = sketch.layout
    if not ways:
        return layout.apart
    if isinstance(row.figure, Gate | ChoiceFigure):
        turned = any(port.y > top - 1 for _, port in ways)
        return layout.drop if turned else layout.apart
    bent = False
    for area, port in ways:
        start, end = find_link_ends(port.area, area)
        bent |= abs(start - end) > 1
        if _is_selection(row) and (sketch.scene.lanes == 1 or not layout.compact):
            bent |= abs(port.area.center - area.center) > 1
    named = isinstance(row.figure, NumberLine) and len(row.figure.points) > len(row.cells)
    return layout.crossing if bent or named else layout.drop


def _is_selection(row: RowScene) -> bool:
    return any(
        span.look in (SpanKind.NAME, SpanKind.AWAY) for cell in row.cells for span in cell.spans
    )


def _draw(sketch: Sketch, row: RowScene, y: float) -> float:
    draw = _FIGURES.get(type(row.figure))
    if draw:
        end = draw(sketch, row, row.figure, y)
        if draw in _BARE:
            alone = row._replace(cells=row.cells[:1])
            return draw_lane_flags(sketch, alone, [_measure_extent(sketch.get_areas(row))], end)
        return end
    if is_packed(row):
        return draw_packed_lanes(sketch, row, y)
    return draw_cells(sketch, row, y)


_FIGURES: dict[type, Callable[..., float]] = {
    NumberLine: svg_figures.draw_number_lines,
    BitRulers: svg_figures.draw_bit_rulers,
    RunningSum: svg_figures.draw_running_sum,
    Gate: gates.draw_gate,
    ChoiceFigure: gates.choose,
}
"""What draws a figure of a scene; a row without one is its cells."""
_BARE = (svg_figures.draw_running_sum, gates.draw_gate, gates.choose)
"""Figures that show all that the cells say."""
