"""The leaves of a picture, what text is in: text does not turn, so each layout has its own."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

from ...scene.scene_model import (
    BitRulers,
    ChoiceFigure,
    Gate,
    NumberLine,
    PermutationFigure,
    RegisterFigure,
    RowScene,
    RunningSum,
    TableFigure,
)
from . import (
    cell_shapes,
    logic_figures,
    svg_figures,
    wide_figures,
    wide_logic,
    wide_registers,
    wide_shapes,
)
from .page_layout import ColumnPart, Sketch


class Leaves(NamedTuple):
    """The shapes of what text is in, because text does not turn with the layout."""

    draw_register: Callable[[Sketch, RegisterFigure, ColumnPart, float], float]
    draw_incoming_values: Callable[[Sketch, RowScene, float], float]
    draw_packed_lanes: Callable[[Sketch, RowScene, float], float]
    draw_cells: Callable[..., float]
    draw_bit_ruler: Callable[..., float]
    figures: dict[type, Callable[..., float]]
    """Function for each figure of a scene; a row without a figure is drawn as its cells."""


def choose_leaves(sketch: Sketch) -> Leaves:
    """Return the shapes for a layout."""
    return WIDE_LEAVES if sketch.layout.is_wide else TALL_LEAVES


def _collect_leaves(
    registers: ModuleType, shapes: ModuleType, figures: ModuleType, logic: ModuleType
) -> Leaves:
    """Return the functions of modules, which are named alike for both layouts."""
    return Leaves(
        registers.draw_register, shapes.draw_incoming_values, shapes.draw_packed_lanes,
        shapes.draw_cells, figures.draw_bit_ruler,
        {
            NumberLine: figures.draw_number_lines,
            BitRulers: figures.draw_bit_rulers,
            RunningSum: figures.draw_running_sum,
            Gate: logic.draw_gate,
            ChoiceFigure: logic.draw_choice,
            PermutationFigure: logic.draw_permutation,
            TableFigure: logic.draw_table,
        },
    )  # fmt: skip


TALL_LEAVES = _collect_leaves(cell_shapes, cell_shapes, svg_figures, logic_figures)
WIDE_LEAVES = _collect_leaves(wide_registers, wide_shapes, wide_figures, wide_logic)
UNFRAMED_FIGURES = (
    svg_figures.draw_running_sum,
    logic_figures.draw_gate,
    logic_figures.draw_choice,
    logic_figures.draw_permutation,
    logic_figures.draw_table,
)
"""Figures that show all the content of their cells."""
