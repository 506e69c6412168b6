"""The functions of a layout that draw text and numbers, which stay upright in turned layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Draw = Callable[..., float]
"""Draws on a ``Sketch`` from a position along the steps, and returns the end."""


class ShapeFunctions(NamedTuple):
    """The functions that draw registers and rows."""

    draw_register: Draw
    draw_incoming_values: Draw
    draw_packed_lanes: Draw
    draw_cells: Draw
    draw_bit_ruler: Draw
    figures: dict[type, Draw]
    """Function for each figure of a scene; rows without a figure are drawn as cells."""


class TurnedParts(NamedTuple):
    """The parts of a layout with steps from left to right."""

    shapes: ShapeFunctions
    draw_lane_names: Draw
    """``(sketch, x)``"""
    draw_registers: Draw
    """``(sketch, roles, x)``: the words above the registers."""
    draw_step: Draw
    """``(sketch, step, scene_step, joined_step, x)``: the rows of a step with its words."""
    find_drop: Callable[..., float | None]
    """``(sketch, row)``: the width of the lines into a row; None if it depends on their bends."""
    settings: object
    """The settings of the feature that defines the layout; only its functions read them."""
