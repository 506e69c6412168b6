"""The figures of what is true and what is chosen: comparisons, Booleans, choices, flushes.

The functions are called as those of ``figures``.
"""

from __future__ import annotations

from ...engine.isa.types import Cmp, Type
from ...engine.semantics import micro as m
from ...engine.semantics.arithmetic import Lanes
from ...engine.semantics.plan import Stage
from ...engine.text.values import hex_text, value_text
from ...engine.tracing.trace import Flag
from ...engine.tracing.words import cmp_sign, relation
from ..document import RowView
from .drawing import Ink, number
from .layout import LEFT, RIGHT, Area, Sketch, tint
from .rows import boxes_of, finish, inlets, name_lane, plain, say
from .signs import truth

_PILL = 66
"""Width of a truth value."""


def flush(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """A float before and behind ``.ftz``, and what happened to it."""
    pen, (cell,), ink = sketch.pen, row.cells, tint(row.name)
    box = area.middle(LEFT.width)
    sketch.flow(row.input_keys[0], 0, (box.center, y))
    flushed = Flag.FLUSHED in cell.flags
    pen.rect(box.x, y, box.width, 46, Ink.MARK_SOFT if flushed else ink[1], ink[0], radius=6)
    pen.text(box.center, y + 18, plain(cell.formula.partition(" = ")[0]), 12, Ink.DIM,
             anchor="middle", mono=True, width=box.width - 12)  # fmt: skip
    shown = f"{cell.value:08x} = {value_text(cell.value, Type.F32)}"
    pen.text(box.center, y + 37, shown, 15, Ink.INK,
             anchor="middle", mono=True, bold=True, width=box.width - 12)  # fmt: skip
    return finish(sketch, row, [box], say(sketch, cell, box, y + 46) + 4)


def compare(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """Two values with the sign between them and what is true of it."""
    micro, pen = row.micro, sketch.pen
    assert isinstance(micro, m.Compare)
    boxes = boxes_of(row, area, area.width)
    for cell in row.cells:
        box, inputs = boxes[cell.lane], row.inputs
        values = [_lane(lanes, cell.lane) for lanes in inputs]
        texts = [_read(value, micro.type) for value in values] + ["0"] * (2 - len(values))
        if len(row.cells) > 1:
            inlets(sketch, row, cell.lane, box, y, area)
            pen.rect(box.x, y, box.width, 66, radius=6)
            name_lane(sketch, cell, box, y)
            shown = relation(micro.cmp, texts[0], texts[1])
            pen.text(box.center, y + 30, shown, 14, Ink.INK, anchor="middle", mono=True, bold=True,
                     width=box.width - 12)  # fmt: skip
            truth(pen, box.center, y + 37, cell.value)
            continue
        pen.rect(box.x, y, box.width, 74, radius=6)
        keys = row.input_keys
        sides = (LEFT, RIGHT) if len(keys) > 1 else box.columns(2, 40)
        for key, part, text in zip((*keys, ""), sides, texts, strict=False):
            sketch.flow(key, 0, (part.center, y))
            pen.text(part.center, y + 29, text, 20, tint(key)[0] if key else Ink.DIM,
                     anchor="middle", mono=True, bold=True, width=part.width - 34)  # fmt: skip
        named = micro.cmp in (Cmp.NUM, Cmp.NAN) or micro.cmp in m.UNORDERED
        sign = str(micro.cmp) if named else cmp_sign(micro.cmp)
        pen.text(box.center, y + 29, sign, 20, anchor="middle", mono=True, bold=True, width=60)
        truth(pen, box.center, y + 42, cell.value)
    if len(row.cells) > 1:
        return finish(sketch, row, boxes, y + 66)
    end = say(sketch, row.cells[0], boxes[0], y + 76)
    return finish(sketch, row, boxes, end)


def _lane(lanes: Lanes, lane: int) -> int:
    value: int = lanes[lane if len(lanes) > 1 else 0]
    return value


def _read(value: int, type_: Type | None) -> str:
    return str(value) if type_ is None else value_text(value, type_)


def join(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """Truth values joined by and, or, xor, or turned by not."""
    micro, pen, (cell,) = row.micro, sketch.pen, row.cells
    keys, values = row.input_keys, row.inputs
    word, both = str(getattr(micro, "boolop", "not")), len(keys) > 1
    pills = 3 if both else 2
    gap = min((area.width - _PILL * pills) / 2 - 4, 40)
    wide = _PILL * pills + gap * 2
    x = area.center - wide / 2
    y += 12
    centers = [x + _PILL / 2, x + gap + _PILL * 1.5] if both else [x + gap + _PILL / 2]
    pen.text(
        x + gap / 2 + (_PILL if both else 0), y + 16.5, word, 12,
        anchor="middle", mono=True, bold=True,
    )  # fmt: skip
    for center, key, (value,) in zip(centers, keys, values, strict=True):
        sketch.flow(key, 0, (center, y))
        pen.text(center - 30, y - 4, _predicate(sketch, key), 10, Ink.DIM, mono=True, width=26)
        truth(pen, center, y, value)
    pen.text(x + wide - _PILL - gap / 2, y + 17, "=", 15, anchor="middle", mono=True, bold=True)
    end = x + wide - _PILL / 2
    truth(pen, end, y, cell.value)
    pen.text(end - 30, y - 4, _predicate(sketch, row.key), 10, Ink.DIM, mono=True, width=60)
    sketch.ports[row.key] = [(end, y + 24)]
    return y + 24


def _predicate(sketch: Sketch, key: str) -> str:
    """``t``, ``r``; ``!t`` for what a row turned."""
    known = sketch.trace.rows.get(key)
    if known and isinstance(known.micro, m.Not):
        return f"!{sketch.called(known.input_keys[0])}"
    return sketch.called(key)


def choose(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """The condition between two values: the way taken strong, the other one faint."""
    pen, (cell,) = sketch.pen, row.cells
    condition, *options = row.input_keys
    held, *values = (lanes[0] for lanes in row.inputs)
    guard = row.stage is Stage.GUARD
    sketch.flow(condition, 0, (area.center, y + 14))
    truth(pen, area.center, y + 14, held)
    pen.text(area.center - 30, y + 10, _predicate(sketch, condition), 10, Ink.DIM, mono=True,
             width=26)  # fmt: skip
    y += 38
    top, boxes = y + 10, area.columns(2, 20)
    width = sketch.trace.instruction.type_of("d" if not guard else row.role).bits
    bottom = top + 84
    for at, (key, value, box) in enumerate(zip(options, values, boxes, strict=True)):
        strong = held == (at == 0)
        ink = tint(key)
        sketch.flow(key, 0, (box.center, top), strong=strong)
        pen.rect(box.x, top, box.width, 46, ink[1] if strong else Ink.PAGE,
                 ink[0] if strong else Ink.LINE, radius=6, line=1.6 if strong else 1,
                 dash="" if strong else "4 3")  # fmt: skip
        name = sketch.called(key)
        if guard:
            name = f"{'old' if at else 'new'} {sketch.called(row.role)}"
            name += " converted" if at and key in sketch.trace.rows else ""
        pen.text(box.x + 8, top + 13, f"{name}, if {'true' if at == 0 else 'false'}", 9.5, Ink.DIM,
                 width=box.width - 14)  # fmt: skip
        pen.text(box.center, top + 35, plain(hex_text(value, width)), 17,
                 ink[0] if strong else Ink.DIM, anchor="middle", mono=True, bold=strong,
                 width=box.width - 12)  # fmt: skip
        pen.flow((box.center, top + 46), (area.center + (at * 2 - 1) * 14, bottom), ink[0],
                 strong=strong, head=strong)  # fmt: skip
        if not strong:
            x, cross = (box.center + area.center + (at * 2 - 1) * 14) / 2, top + 64
            pen.path(
                f"M{number(x - 4)} {number(cross - 4)}L{number(x + 4)} {number(cross + 4)}"
                f"M{number(x - 4)} {number(cross + 4)}L{number(x + 4)} {number(cross - 4)}",
                Ink.DIM, line=1.6,
            )  # fmt: skip
    taken = tint(options[0 if held else 1])
    box = area.middle(min(220, area.width * 0.7) if width <= 32 else 260)
    pen.rect(box.x, bottom, box.width, 32, taken[1], taken[0], radius=6)
    pen.text(box.center, bottom + 22, plain(hex_text(cell.value, width)), 17, taken[0],
             anchor="middle", mono=True, bold=True, width=box.width - 12)  # fmt: skip
    return finish(sketch, row, [box], bottom + 32)
