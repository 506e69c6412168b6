"""The wide layout: its extents, and the drawing of a statement's steps."""

from __future__ import annotations

from ...documents.content.document import StepView
from ...documents.svg.layout_parts import ShapeFunctions, TurnedParts
from ...documents.svg.page_layout import Area, Layout, Sketch, is_packed
from ...documents.svg.step_layout import draw_rows
from ...scene.scene_model import (
    BitRulers,
    ChoiceFigure,
    Gate,
    NumberLine,
    PermutationFigure,
    RowScene,
    RunningSum,
    SpanKind,
    StepScene,
    TableFigure,
)
from .wide_figures import draw_bit_ruler, draw_bit_rulers, draw_number_lines, draw_running_sum
from .wide_logic import draw_choice, draw_gate, draw_permutation, draw_table
from .wide_parts import draw_lane_names, draw_registers, draw_step_caption, measure_caption
from .wide_registers import draw_register
from .wide_settings import Settings, get_settings
from .wide_shapes import draw_cells, draw_incoming_values, draw_packed_lanes


def _draw_step(
    sketch: Sketch, step: StepView, scene_step: StepScene, joined_step: StepView | None, x: float
) -> float:
    """Draw the columns of a step, and its words above them; return the end."""
    settings, canvas = get_settings(sketch.layout), sketch.canvas
    joined_x = max(x - 6, sketch.least_start)
    if joined_step and settings.has_select_words:
        sketch.least_start = joined_x + 8 + measure_caption(joined_step.title)
    sketch.least_start = max(sketch.least_start, settings.starts.get(step.stage, 0))
    parts_start = len(canvas.parts)
    end = draw_rows(sketch, scene_step, x, x)
    start = min(sketch.row_starts, default=max(x, sketch.least_start))
    with canvas.insert_below(parts_start):
        words_end = draw_step_caption(sketch, step, start, end, joined_step, joined_x)
    sketch.least_start = words_end
    bar = start, settings.bar_y, end - start, _BAR
    canvas.marks[-1] = canvas.marks[-1]._replace(y=start, bar=bar)
    return end


_BAR = 5.0
"""Height in px of the bar below the words of a step."""


def _find_drop(sketch: Sketch, row: RowScene) -> float | None:
    """Return the width in px for the lines into a row, if it does not depend on their bends."""
    layout, figure = sketch.layout, row.figure
    if isinstance(figure, Gate | ChoiceFigure | NumberLine):
        return layout.drop if isinstance(figure, ChoiceFigure) else layout.crossing * 0.5
    if any(x.kind is SpanKind.TAKEN for y in row.cells for x in y.spans):
        return layout.drop + 8 if sketch.scene.lanes > 1 else layout.crossing
    return layout.drop if is_packed(row) else None


WIDE_SHAPES = ShapeFunctions(
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
_EDGE = 32
WIDE = Layout(
    Area(_EDGE, 1280 - 2 * _EDGE), Area(176, 452), Area(176, 0), crossing=60, drop=24,
    row_gap=12, permutation_drop=80, bend_tolerance=40, value_room=110, hint=(_EDGE, 650, 18),
    turned_parts=TurnedParts(
        WIDE_SHAPES, draw_lane_names, draw_registers, _draw_step, _find_drop, Settings()
    ),
)  # fmt: skip
"""For slides: 1280 by 720 px, with letters of at least 18 px."""
