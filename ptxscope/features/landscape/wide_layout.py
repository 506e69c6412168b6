"""The wide layout: its extents, and how it draws the steps of a statement."""

from __future__ import annotations

from ...documents.content.document import StepView
from ...documents.svg.leaves import TurnedParts, collect_leaves
from ...documents.svg.page_layout import Area, Layout, Sketch, is_packed
from ...documents.svg.step_layout import draw_rows
from ...scene.scene_model import ChoiceFigure, Gate, NumberLine, RowScene, SpanKind, StepScene
from . import wide_figures, wide_logic, wide_registers, wide_shapes
from .wide_parts import draw_lane_names, draw_registers, draw_step_caption, measure_caption
from .wide_settings import Settings, get_settings


def _draw_step(
    sketch: Sketch, step: StepView, scene_step: StepScene, joined_step: StepView | None, x: float
) -> float:
    """Draw the columns of a step, and its words above them; return the end."""
    canvas, joined_x = sketch.canvas, max(x - 6, sketch.least_start)
    if joined_step and get_settings(sketch.layout).has_select_words:
        sketch.least_start = joined_x + 8 + measure_caption(joined_step.title)
    parts_start = len(canvas.parts)
    end = draw_rows(sketch, scene_step, x, x)
    rows = canvas.parts[parts_start:]
    del canvas.parts[parts_start:]
    start = min(sketch.row_starts, default=max(x, sketch.least_start))
    words_end = draw_step_caption(sketch, step, start, end, joined_step, joined_x)
    sketch.least_start = words_end
    canvas.marks[-1] = canvas.marks[-1]._replace(y=start)
    canvas.parts += rows
    return end


def _find_drop(sketch: Sketch, row: RowScene) -> float | None:
    """Return the width in px for the lines into a row, if it does not depend on their bends."""
    layout, figure = sketch.layout, row.figure
    if isinstance(figure, Gate | ChoiceFigure | NumberLine):
        return layout.drop if isinstance(figure, ChoiceFigure) else layout.crossing * 0.5
    if any(x.kind is SpanKind.TAKEN for y in row.cells for x in y.spans):
        return layout.drop + 8 if sketch.scene.lanes > 1 else layout.crossing
    return layout.drop if is_packed(row) else None


LEAVES = collect_leaves(wide_registers, wide_shapes, wide_figures, wide_logic)
_EDGE = 32
WIDE = Layout(
    Area(_EDGE, 1280 - 2 * _EDGE), Area(176, 452), Area(176, 0), crossing=60, drop=24,
    row_gap=12, permutation_drop=80, hint=(_EDGE, 650, 18),
    turned=TurnedParts(
        LEAVES, draw_lane_names, draw_registers, _draw_step, _find_drop,
        value_room=110, straight=40, settings=Settings(),
    ),
)  # fmt: skip
"""For slides: 1280 by 720 px, with letters of at least 18 px."""
