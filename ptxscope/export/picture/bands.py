"""Which figure each kind of micro-operation gets, and where the rows of a step stand."""

from __future__ import annotations

from collections.abc import Callable

from ...engine.semantics import micro as m
from ...engine.semantics.plan import Stage
from ..document import RowView
from . import conditions, figures
from .layout import FIGURES, LEFT, RIGHT, Area, Sketch
from .rows import operand

Draw = Callable[[Sketch, RowView, Area, float], float]
_DROP = 30
"""Height of a line between two rows."""
_WEAVE = 48
"""Height where the lanes of a and of b come together."""
_CONDITION = (Stage.FLUSH, Stage.COMPARE)
_MIDDLE = FIGURES.middle(LEFT.width - 24)
"""Where c of slct is drawn, so that the lines of a and b pass by it."""
_BESIDE = {"b", "c", "c64", "amount", "q", "not", "guard"}
"""Rows that stand on the right: t comes down on their left."""
_OLD = {"number", "low", "magnitude", "old"}
"""Rows of the guard that stand on the right: what becomes of a destination's old value."""
_OWN = (m.Merge, m.Accumulate, m.Choose, m.Select, m.Combine, m.Not)
"""Kinds that draw the operands they read by themselves."""


def draw_rows(sketch: Sketch, rows: tuple[RowView, ...], y: float) -> float:
    """Draw the rows of a step one below the other, a and b side by side; returns the end."""
    end = y
    for at, row in enumerate(rows):
        area = _area(sketch, row, rows)
        if at == 0 or area is not RIGHT or _area(sketch, rows[at - 1], rows) is not LEFT:
            y = end
        top = _bring(sketch, row, y) + _drop(sketch, row)
        end = max(end, _DRAW[type(row.micro)](sketch, row, area, top))
    return end


def _area(sketch: Sketch, row: RowView, rows: tuple[RowView, ...]) -> Area:
    name, inputs = row.name, row.input_keys
    stage = row.stage
    slct = sketch.trace.instruction.opcode == "slct"
    if (slct and stage in _CONDITION) or (stage is Stage.CHOOSE and name == "c"):
        return _MIDDLE
    if stage is Stage.GUARD and any(other.name in _OLD for other in rows):
        return RIGHT if name in _OLD else FIGURES
    if name in _BESIDE or (len(inputs) == 1 and inputs[0] == f"{Stage.SUM}.c"):
        return RIGHT
    paired = {"a": "b", "p": "q"}.get(name)
    return LEFT if any(other.name == paired for other in rows) else FIGURES


def _drop(sketch: Sketch, row: RowView) -> float:
    """How much room the lines into a row need; none where none come."""
    inputs = row.input_keys
    if not any(key in sketch.ports or key in sketch.registers for key in inputs):
        return 4
    woven = len(row.cells) > 1 and len(inputs) > 1 and not isinstance(row.micro, _OWN)
    return _WEAVE if woven or isinstance(row.micro, m.Select) else _DROP


def _bring(sketch: Sketch, row: RowView, y: float) -> float:
    """Draw the operands that are read here for the first time; returns their end."""
    if isinstance(row.micro, _OWN):
        return y
    keys = row.input_keys
    for key in keys:
        if key in sketch.operands and key not in sketch.registers and key not in sketch.ports:
            middle = row.stage in _CONDITION
            y = operand(sketch, key, _MIDDLE if middle else RIGHT, y + 12)
    return y


_DRAW: dict[type, Draw] = {
    m.Select: figures.select,
    m.Extend: figures.extend,
    m.Clamp: figures.clamp,
    m.Merge: figures.merge,
    m.Accumulate: figures.add_up,
    m.Compare: conditions.compare,
    m.Choose: conditions.choose,
    m.Flush: conditions.flush,
    m.Not: conditions.join,
    m.Combine: conditions.join,
    m.Pack: figures.write,
    m.Truncate: figures.write,
    m.Encode: figures.write,
    m.Add: figures.formula,
    m.Subtract: figures.formula,
    m.Multiply: figures.formula,
    m.AbsoluteDifference: figures.formula,
    m.Minimum: figures.formula,
    m.Maximum: figures.formula,
    m.Average: figures.formula,
    m.LimitAmount: figures.formula,
    m.ShiftLeft: figures.formula,
    m.ShiftRight: figures.formula,
    m.ScaleDown: figures.formula,
    m.Negate: figures.formula,
    m.Magnitude: figures.formula,
    m.ToBits: figures.formula,
    m.ToFloat: figures.formula,
    m.PlusOne: figures.formula,
    m.Wrap: figures.formula,
}
