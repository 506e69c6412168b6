"""What a picture draws differently if its steps do not run down: text does not turn with them."""

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
    RunningSum,
    TableFigure,
)

Draw = Callable[..., float]
"""Draws something for a ``Sketch`` from a position along the steps, and returns the end."""


class Leaves(NamedTuple):
    """The shapes of what text is in."""

    draw_register: Draw
    draw_incoming_values: Draw
    draw_packed_lanes: Draw
    draw_cells: Draw
    draw_bit_ruler: Draw
    figures: dict[type, Draw]
    """Function for each figure of a scene; a row without a figure is drawn as its cells."""


class TurnedParts(NamedTuple):
    """The parts of a layout in which steps run from left to right."""

    leaves: Leaves
    draw_lane_names: Draw
    """``(sketch, x)``"""
    draw_registers: Draw
    """``(sketch, roles, x)``: the words above the registers."""
    draw_step: Draw
    """``(sketch, step, scene_step, joined_step, x)``: the rows of a step with its words."""
    find_drop: Callable[..., float | None]
    """``(sketch, row)``: the width of the lines into a row; None is that of their bends."""
    value_room: float
    """Height in px for one value with its name."""
    straight: float
    """Px by which a line bends in a narrow gap."""
    settings: object
    """What these functions alone read."""


def collect_leaves(
    registers: ModuleType, shapes: ModuleType, figures: ModuleType, logic: ModuleType
) -> Leaves:
    """Return the functions of modules, which are named alike in all layouts."""
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
