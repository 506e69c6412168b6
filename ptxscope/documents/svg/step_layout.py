"""The body of a statement: its registers, the rows of its steps with their figures, its result."""

from __future__ import annotations

from collections.abc import Mapping

from ...engine.micro_operations.properties import Stage
from ...scene.row_folding import FoldedScene
from ...scene.scene_model import (
    BitRulers,
    ChoiceFigure,
    Gate,
    LaneRef,
    NumberLine,
    PermutationFigure,
    RegisterFigure,
    RowScene,
    RunningSum,
    SpanKind,
    StepScene,
    TableFigure,
)
from ..content.document import StepView
from .cell_shapes import (
    draw_cells,
    draw_incoming_values,
    draw_lane_flags,
    draw_packed_lanes,
    draw_register,
)
from .layout_parts import ShapeFunctions
from .logic_figures import draw_choice, draw_gate, draw_permutation, draw_table
from .page_layout import WIDTH, Area, ColumnPart, Sketch, is_packed
from .page_parts import (
    draw_gap,
    draw_registers,
    draw_results,
    draw_step_caption,
    draw_step_notes,
    draw_thread,
)
from .picture_panels import Panel, find_differing_lanes
from .svg_canvas import Ground, SvgCanvas
from .svg_figures import (
    draw_bit_ruler,
    draw_bit_rulers,
    draw_number_lines,
    draw_running_sum,
    find_point_areas,
)
from .symbols import draw_difference_frame
from .text_styles import REMARK

_SIDES = {"a": ColumnPart.LEFT, "b": ColumnPart.RIGHT, "carry": ColumnPart.RIGHT}
_SMALL_PARTS = {"c": ColumnPart.MIDDLE_RIGHT, "e": ColumnPart.MIDDLE_LEFT}
"""Registers with one read part, between the lines of a and b."""
_SIGN = 17
"""Width in px of a sign between two branches, including its margin."""
_MIN_FIGURES_PX = 320
"""Minimum width in px for two figures side by side."""
_PAIRS = (
    {"p": ColumnPart.LEFT, "q": ColumnPart.RIGHT},
    {"d": ColumnPart.LEFT, "cf": ColumnPart.RIGHT},
    {"d": ColumnPart.LEFT, "p": ColumnPart.RIGHT},
)
"""The sides of two results."""


def place_rows(sketch: Sketch) -> None:
    """Assign a part of the columns to every register and row; values stay on their side."""
    slots, scene = sketch.slots, sketch.scene
    choices = (row for row in sketch.rows.values() if isinstance(row.figure, ChoiceFigure))
    has_choice_of_a = any(link.source.key == "a" for row in choices for link in row.links)
    last_readers = {
        link.source.key: number
        for number, row in enumerate(scene.rows.values())
        for link in row.links
    }
    numbers = {key: number for number, key in enumerate(scene.rows)}
    results = sketch.instruction.results.keys()
    for step in scene.steps:
        names = {row.name for row in step.rows}
        pair = next((x for x in _PAIRS if x.keys() <= results and x.keys() & names), {})
        is_negated = any(_is_negated(sketch, row) for row in step.rows)
        for index, row in enumerate(step.rows):
            is_right_read = any(  # its line is still on its way
                (slots.get(key) is ColumnPart.RIGHT or key == "b") and last >= numbers[row.key]
                for key, last in last_readers.items()
            )
            is_in_middle = has_choice_of_a or is_negated or is_right_read
            for link in row.links:
                key = link.source.key
                if key in sketch.registers and key not in slots:
                    figure = sketch.registers[key]
                    slots[key] = _choose_register_slot(sketch, figure, is_in_middle=is_in_middle)
            slots[row.key] = _choose_row_slot(sketch, row, pair)
            if (
                slots[row.key] is ColumnPart.FULL
                and len(row.links) == 1
                and not isinstance(row.figure, Gate)
            ):
                later_keys = {link.source.key for x in step.rows[index + 1 :] for link in x.links}
                if "c" in later_keys or any(
                    slots.get(key) is ColumnPart.RIGHT for key in later_keys
                ):
                    # leaves room for a value that descends on the right
                    slots[row.key] = ColumnPart.LEFT
    for role, figure in sketch.registers.items():  # those behind steps that are not drawn
        if role not in slots:
            slots[role] = _choose_register_slot(sketch, figure, is_in_middle=has_choice_of_a)


def _choose_register_slot(
    sketch: Sketch, figure: RegisterFigure, *, is_in_middle: bool
) -> ColumnPart:
    """Return the part of the columns for a register."""
    if _has_lone_operand(sketch):
        return ColumnPart.FULL
    if figure.role in _SIDES:
        return _SIDES[figure.role]
    if figure.role == "guard":
        return ColumnPart.MIDDLE
    if sketch.scene.lanes > 1:
        return ColumnPart.RIGHT if figure.is_by_lane else ColumnPart.MARGIN
    if figure.role in _SMALL_PARTS and figure.unit > 1 and (len(figure.cells) > 1 or is_in_middle):
        readers = [
            row
            for row in sketch.rows.values()
            for link in row.links
            if link.source.key == figure.role
        ]
        if len(figure.cells) > 1 and all(len(row.cells) > 1 for row in readers):
            return ColumnPart.FULL  # its parts are above their possible lanes
        others = (sketch.registers.get(role) for role in _SMALL_PARTS)
        has_both = all(x is not None and x.unit > 1 for x in others)
        has_room = sketch.figures.width >= _MIN_FIGURES_PX
        return _SMALL_PARTS[figure.role] if has_both and has_room else ColumnPart.MIDDLE
    return ColumnPart.MIDDLE if figure.role in _SMALL_PARTS and is_in_middle else ColumnPart.RIGHT


def _has_lone_operand(sketch: Sketch) -> bool:
    """Whether there is only one operand, which needs no side."""
    names = {row.name for row in sketch.rows.values()}
    return len(sketch.registers) == 1 and "b" not in names


def _is_negated(sketch: Sketch, row: RowScene) -> bool:
    """Whether a row negates another row, for q."""
    read_keys = {link.source.key for link in row.links}
    return isinstance(row.figure, Gate) and len(read_keys) == 1 and read_keys <= sketch.rows.keys()


def _choose_row_slot(sketch: Sketch, row: RowScene, pair: Mapping[str, ColumnPart]) -> ColumnPart:
    if isinstance(row.figure, PermutationFigure | TableFigure) or _has_lone_operand(sketch):
        return ColumnPart.FULL
    if side := _SIDES.get(row.name) or pair.get(row.name):
        return side
    keys = {link.source.key for link in row.links}
    if _is_negated(sketch, row):
        return ColumnPart.RIGHT  # leaves room for the value that is not negated
    slots = {sketch.slots.get(key, ColumnPart.FULL) for key in keys}
    is_single = len(row.cells) == 1 or sketch.scene.lanes == len(row.cells)
    return slots.pop() if len(slots) == 1 and is_single else ColumnPart.FULL


def draw_rows(sketch: Sketch, step: StepScene, y: float, words_end: float) -> float:
    """Draw the rows of a step, each directly below the parts above it; return the end.

    ``words_end`` is the end of the step's words, if they are beside it.
    """
    layout, shapes = sketch.layout, _choose_shapes(sketch)
    sketch.rows_top, sketch.row_starts = y, []
    skyline: list[tuple[Area, float]] = sketch.skyline or [(sketch.figures, y)]
    if sketch.has_margin:
        skyline.append((layout.words, words_end))

    def find_top(areas: list[Area]) -> float:
        return max(end for other_area, end in skyline if any(map(other_area.overlaps, areas)))

    for row in sketch.find_hidden_sources(step.rows):
        areas = sketch.get_areas(row)
        top = max(find_top(areas) + layout.row_gap, sketch.least_start)
        end = shapes.draw_incoming_values(sketch, row, top)
        sketch.row_starts.append(top)
        sketch.add_zones(dict.fromkeys(row.cells), top)
        skyline += [(area, end) for area in areas]
    for row in step.rows:
        areas = sketch.get_areas(row)
        for figure in sketch.find_new_registers(row):
            if sketch.has_no_room(figure):
                continue
            slot = sketch.slots[figure.role]
            register_areas = sketch.make_areas(len(figure.cells) if figure.is_by_lane else 1, slot)
            if layout.value_room and len(figure.cells) == 1 and slot is not ColumnPart.MARGIN:
                register_areas = [area.take_middle(layout.value_room) for area in register_areas]
            start = max(find_top(register_areas) + layout.row_gap, sketch.least_start)
            if layout.is_turned and sketch.row_starts:  # beside the lines to rows before it
                start = max(start, max(sketch.row_starts) + layout.row_gap)
            end = shapes.draw_register(sketch, figure, slot, start)
            sketch.row_starts.append(start)
            sketch.add_zones(figure.cells, start)
            skyline += [(area, end) for area in register_areas]
        top = find_top(areas + _list_margin_sources(sketch, row))
        neighbours = [x for x in step.rows if x.name in _SIDES and row.name in _SIDES] or [row]
        drop = max(_compute_drop(sketch, x, top) for x in neighbours)
        drop = max(drop, sketch.least_start - top)
        end = _draw_row(sketch, row, top + drop)
        sketch.row_starts.append(top + drop)
        _add_nodes(sketch, row, top + drop, end)
        for cell, area in zip(row.cells, areas, strict=True):
            if cell.place.lane in sketch.differing_lanes.get(row.key, ()):
                extent = sketch.extents.get(cell.place, (top + drop, end))
                if layout.is_turned and isinstance(row.figure, Gate | None):
                    area = sketch.ports[cell.place].area
                box = layout.turn_box(area, *extent)
                draw_difference_frame(sketch.canvas, box, _find_sign_room(sketch, area))
        skyline += [(area, end) for area in _list_drawn_areas(sketch, row, areas)]
    sketch.skyline = skyline if layout.is_turned else []
    return max(end for _, end in skyline)


def _list_drawn_areas(sketch: Sketch, row: RowScene, areas: list[Area]) -> list[Area]:
    """Return the extents of the cells of a row, without free space around a single value."""
    is_small = row.figure is None or isinstance(row.figure, Gate)
    if sketch.layout.value_room and is_small and len(row.cells) == 1:
        port = sketch.ports[row.cells[0].place]
        room = max(sketch.layout.value_room, port.area.width + 8)
        return [area.take_middle(room) for area in areas]
    return areas


def _list_margin_sources(sketch: Sketch, row: RowScene) -> list[Area]:
    """Return the places of the margin values of a row, which begins below them."""
    if sketch.layout.is_turned:  # there the margin is above the lanes
        return []
    ports = (sketch.ports.get(link.source) for link in row.links)
    return [port.area for port in ports if port and port.area.right < sketch.figures.x]


def _add_nodes(sketch: Sketch, row: RowScene, y: float, end: float) -> None:
    """Record the positions of a row's values, and their sources."""
    places = [cell.place for cell in row.cells]
    if is_packed(row):
        places = [LaneRef(row.key, lane) for lane in range(len(places) - 1, -1, -1)]
    for place, area in zip(places, sketch.get_areas(row), strict=True):
        sketch.add_zone(place, area, *sketch.extents.get(place, (y, end)))
    sketch.canvas.zones += sketch.detail_zones
    sketch.detail_zones.clear()
    for link in row.links:
        if link.is_taken:
            sketch.add_link(link)


def _find_sign_room(sketch: Sketch, area: Area) -> float | None:
    """Return x of a sign between two branches, or None if the space is taken."""
    if sketch.layout.is_turned:
        return None
    if sketch.figures.center < WIDTH / 2:
        has_room = sketch.figures.right - 12 < area.right < sketch.layout.width - _SIGN
        return area.right + 8 if has_room else None
    return area.x - 16 if area.x < sketch.figures.x + 12 else None


def _measure_extent(areas: list[Area]) -> Area:
    return Area(areas[0].x, areas[-1].right - areas[0].x)


def _compute_drop(sketch: Sketch, row: RowScene, top: float) -> float:
    """Return the height in px for the lines into a row."""
    areas, figure = sketch.get_areas(row), row.figure
    point_areas = find_point_areas(figure, areas) if isinstance(figure, NumberLine) else {}
    incoming = [(point_areas.get(cell.place, area), link, port)
            for cell, area in zip(row.cells, areas, strict=True)
            for link, port in sketch.find_incoming_links(row, cell.place.lane)]  # fmt: skip
    layout = sketch.layout
    if not incoming:
        return layout.row_gap
    if layout.turned_parts and (drop := layout.turned_parts.find_drop(sketch, row)) is not None:
        return drop
    if isinstance(row.figure, Gate | ChoiceFigure):
        is_turned = any(port.y > top - 1 for *_, port in incoming)
        return layout.drop if is_turned else layout.row_gap
    is_bent = False
    is_moved = _is_selection(row) and (sketch.scene.lanes == 1 or not layout.is_compact)
    for area, link, port in incoming:
        start, end = sketch.find_ends(link, area)
        is_bent |= abs(start - end) > layout.bend_tolerance
        is_bent |= is_moved and abs(port.area.center - area.center) > 1
    is_shared = False
    if isinstance(row.figure, NumberLine):
        is_shared = len(row.figure.points) + len(row.figure.nan_names) > len(row.cells)
    return layout.crossing if is_bent or is_shared else layout.drop


def _is_selection(row: RowScene) -> bool:
    return any(
        span.kind in (SpanKind.NAME, SpanKind.AWAY) for cell in row.cells for span in cell.spans
    )


def _draw_row(sketch: Sketch, row: RowScene, y: float) -> float:
    shapes = _choose_shapes(sketch)
    draw = shapes.figures.get(type(row.figure))
    if draw:
        end = draw(sketch, row, row.figure, y)
        if draw in _UNFRAMED_DRAWINGS:
            first_cell_row = row._replace(cells=row.cells[:1])
            return draw_lane_flags(
                sketch, first_cell_row, [_measure_extent(sketch.get_areas(row))], end
            )
        return end
    if is_packed(row):
        return shapes.draw_packed_lanes(sketch, row, y)
    return shapes.draw_cells(sketch, row, y)


def _choose_shapes(sketch: Sketch) -> ShapeFunctions:
    turned_parts = sketch.layout.turned_parts
    return turned_parts.shapes if turned_parts else TALL_SHAPES


TALL_SHAPES = ShapeFunctions(
    draw_register, draw_incoming_values, draw_packed_lanes, draw_cells, draw_bit_ruler,
    {
        NumberLine: draw_number_lines,
        BitRulers: draw_bit_rulers,
        RunningSum: draw_running_sum,
        Gate: draw_gate,
        ChoiceFigure: draw_choice,
        PermutationFigure: draw_permutation,
        TableFigure: draw_table,
    },
)  # fmt: skip
_UNFRAMED_DRAWINGS = (draw_running_sum, draw_gate, draw_choice, draw_permutation, draw_table)
"""Figures that show all content of their cells."""
_FIRST_ROLES = ("a", "b")
"""Registers at the top; others are drawn at their readers."""


def start_sketch(
    canvas: SvgCanvas, panel: Panel, steps: tuple[StepView, ...], folded: FoldedScene
) -> Sketch:
    """Return the sketch of a statement, with a place for each register and row."""
    sketch = Sketch(canvas, folded.scene, panel.section, steps, panel.layout)
    sketch.differing_lanes = find_differing_lanes(panel)
    sketch.ends = folded.ends or sketch.ends
    place_rows(sketch)
    return sketch


def draw_body(sketch: Sketch, panel: Panel, steps: tuple[StepView, ...], y: float) -> float:
    """Draw only operands, steps and results; return the end."""
    section, canvas, top = panel.section, sketch.canvas, y
    is_turned = sketch.layout.is_turned
    y = _draw_steps(sketch, panel, steps, _draw_operands(sketch, y))
    if panel.has_result:
        y = max(y, panel.tops.get("result", y))
        canvas.add_mark(section.name_part("result"), y)
    line = section.name_part("line") if section.heading else ""
    ends = (top, y + 8)
    if is_turned and not section.heading:
        ends = sketch.layout.page.x, sketch.layout.page.right
    canvas.grounds += [
        Ground(x.x, x.width, *ends, line, is_turned=is_turned) for x in sketch.columns
    ]
    if is_turned:
        return y
    return draw_results(section, sketch, y, panel.rival) if panel.has_result else y + 8


def _draw_lane_names(sketch: Sketch, y: float) -> float:
    """Draw the names of the lane columns, with numbers of notes; return the end."""
    if sketch.layout.turned_parts:
        return sketch.layout.turned_parts.draw_lane_names(sketch, y)
    if sketch.scene.lanes == 1:
        return y
    notes = sketch.notes
    sketch.canvas.open_group("px-lanes")
    for number, column in enumerate(sketch.columns, 1):
        lane = len(sketch.columns) - number
        marks = [str(number) for number, note in enumerate(notes, 1) if note.lane == lane]
        name = f"lane {lane}" + (f" · note {', '.join(marks[:3])}" if marks else "")
        sketch.canvas.draw_centered(column, y + 15, name, REMARK, margin=8)
    sketch.canvas.close_group()
    return y + 16


def _draw_operands(sketch: Sketch, y: float) -> float:
    """Draw the lane columns and the registers at the top."""
    canvas = sketch.canvas
    registers = [
        sketch.registers[role]
        for role in _FIRST_ROLES
        if role in sketch.registers
        and role in sketch.read_keys - sketch.own_keys - sketch.drawn_keys
    ]
    lanes = [x.role for x in registers if x.is_by_lane]
    words_end = y
    if registers and sketch.layout.is_compact:
        canvas.open_group("px-registers")
        y = words_end = draw_registers(sketch, lanes, y)
        canvas.close_group()
    start, y = y, _draw_lane_names(sketch, y)
    if not registers:
        return y
    canvas.open_group("px-operands")
    if sketch.layout.turned_parts:
        sketch.least_start = sketch.layout.turned_parts.draw_registers(sketch, lanes, start)
    elif not sketch.layout.is_compact:
        words_end = draw_registers(sketch, lanes, y)
    shapes = _choose_shapes(sketch)
    end = max(
        shapes.draw_register(sketch, figure, sketch.slots[figure.role], y + 6)
        for figure in registers
    )
    for figure in registers:
        sketch.add_zones(figure.cells, y + 6)
    canvas.close_group()
    fields = [figure for figure in registers if figure.figure]
    if fields:
        canvas.open_group("px-fields")
        top = end + 6
        for figure in fields:
            (area,) = sketch.make_areas(1, sketch.slots[figure.role])
            for ruler in figure.figure.rulers if figure.figure else ():
                own = ruler._replace(name="")
                own_end = shapes.draw_bit_ruler(sketch, own, area, top, with_value=True)
                sketch.set_port(ruler.place, area, own_end)
                end = max(end, own_end)
        canvas.close_group()
    return max(end, words_end)


def _draw_steps(sketch: Sketch, panel: Panel, steps: tuple[StepView, ...], y: float) -> float:
    """Draw a band for each step, and a line for omitted steps; return the end."""
    canvas, section = sketch.canvas, panel.section
    css = "px-step px-{} px-other" if section.is_other else "px-step px-{}"
    shown_steps = {step.number: step for step in steps}
    previous_end: float | None = None
    omitted_steps: list[StepScene] = []
    selected: StepView | None = None
    for scene_step in sketch.scene.steps:
        if scene_step.stage not in panel.stages:
            continue
        step = shown_steps.get(scene_step.number)
        if step is None:
            omitted_steps.append(scene_step)
            continue
        if not scene_step.rows and not step.notes:  # the step changes nothing
            selected = step if step.stage is Stage.SELECT else None
            continue
        joined_step = selected if step.stage is Stage.EXTEND else None
        y = draw_gap(sketch, omitted_steps, y, previous_end or y)
        omitted_steps, y = [], max(y, panel.tops.get(step.stage, y))
        canvas.add_mark(step.mark, y)
        canvas.open_group(css.format(step.stage), section.name_step(step))
        if sketch.layout.turned_parts:
            y = sketch.layout.turned_parts.draw_step(sketch, step, scene_step, joined_step, y)
            canvas.close_group()
            continue
        previous_end = draw_thread(sketch, previous_end, y)
        new_registers = (x for row in scene_step.rows for x in sketch.find_new_registers(row))
        named_registers = (x for x in new_registers if x.unit > 1 and sketch.scene.lanes > 1)
        named_roles = dict.fromkeys(
            register.role
            for register in named_registers
            if register.is_by_lane or sketch.has_no_room(register)
        )
        words_end = draw_step_caption(sketch, step, named_roles, y, joined_step)
        end = words_end
        if scene_step.rows:
            top = words_end if sketch.layout.is_compact else y
            end = max(draw_rows(sketch, scene_step, top, words_end), words_end)
        y = draw_step_notes(canvas, step, end, sketch.figures)
        canvas.close_group()
    return draw_gap(sketch, omitted_steps, y, previous_end or y)
