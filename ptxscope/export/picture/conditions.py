"""The figures of what is true and what is chosen: comparisons, Booleans, choices, flushes.

The functions are called as those of ``figures``.
"""

from __future__ import annotations

from typing import NamedTuple

from ...engine.isa.types import Cmp, Type
from ...engine.semantics import micro as m
from ...engine.semantics.arithmetic import Lanes
from ...engine.semantics.operation import Flag
from ...engine.semantics.plan import Stage
from ...engine.text.values import hex_text, value_text
from ...engine.tracing.words import cmp_sign, relation
from ..document import CellView, RowView
from .drawing import Ink, Pen, number
from .layout import LEFT, RIGHT, Area, Point, Sketch, tint
from .rows import boxes_of, finish, inlets, inside, name_lane, plain, say
from .signs import PILL_HEIGHT, PILL_WIDTH, truth

_LANE, _WHOLE = 66, 74
"""Height of the box of a comparison: of one lane of several, of the whole number."""
_OPTION = 46
"""Height of the box of what may be chosen."""
_WAYS = 38
"""Height of the two lines from there to what is."""
_ASIDE = 14
"""How far beside the middle they end."""
_CHOSEN = 32
"""Height of the box of what is chosen."""


def flush(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """A float before and behind ``.ftz``, and what happened to it."""
    pen, (cell,), ink = sketch.pen, row.cells, tint(row.name)
    box = area.middle(LEFT.width)
    sketch.flow(row.input_keys[0], 0, (box.center, y))
    flushed = Flag.FLUSHED in cell.flags
    pen.rect(box.x, y, box.width, _OPTION, Ink.MARK_SOFT if flushed else ink[1], ink[0], radius=6)
    inside(pen, box, y + 18, plain(cell.formula.left), 12, Ink.DIM, bold=False)
    shown = f"{cell.value:08x} = {value_text(cell.value, Type.F32)}"
    inside(pen, box, y + 37, shown, 15)
    return finish(sketch, row, [box], say(sketch, cell, box, y + _OPTION) + 4)


def compare(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """Two values with the sign between them and what is true of it."""
    boxes = boxes_of(row, area, area.width)
    if len(row.cells) > 1:
        for cell in row.cells:
            inlets(sketch, row, cell.lane, boxes[cell.lane], y, area)
            _compare_lane(sketch, row, cell, boxes[cell.lane], y)
        return finish(sketch, row, boxes, y + _LANE)
    (cell,), (box,) = row.cells, boxes
    _compare_whole(sketch, row, cell, box, y)
    return finish(sketch, row, boxes, say(sketch, cell, box, y + _WHOLE + 2))


def _compare_lane(sketch: Sketch, row: RowView, cell: CellView, box: Area, y: float) -> None:
    """The comparison of a lane in its box."""
    micro, pen = _compared(row), sketch.pen
    pen.rect(box.x, y, box.width, _LANE, radius=6)
    name_lane(sketch, cell, box, y)
    inside(pen, box, y + 30, relation(micro.cmp, *_sides(row, cell)), 14)
    truth(pen, box.center, y + 37, cell.value)


def _compare_whole(sketch: Sketch, row: RowView, cell: CellView, box: Area, y: float) -> None:
    """The comparison of two numbers, large; each where its operand came down."""
    micro, pen, keys = _compared(row), sketch.pen, row.input_keys
    pen.rect(box.x, y, box.width, _WHOLE, radius=6)
    parts = (LEFT, RIGHT) if len(keys) > 1 else box.columns(2, 40)
    for key, part, text in zip((*keys, ""), parts, _sides(row, cell), strict=False):
        sketch.flow(key, 0, (part.center, y))
        inside(pen, part, y + 29, text, 20, tint(key)[0] if key else Ink.DIM, margin=34)
    named = micro.cmp in (Cmp.NUM, Cmp.NAN) or micro.cmp in m.UNORDERED
    sign = str(micro.cmp) if named else cmp_sign(micro.cmp)
    pen.text(box.center, y + 29, sign, 20, anchor="middle", mono=True, bold=True, width=60)
    truth(pen, box.center, y + 42, cell.value)


def _compared(row: RowView) -> m.Compare:
    assert isinstance(row.micro, m.Compare)
    return row.micro


def _sides(row: RowView, cell: CellView) -> tuple[str, str]:
    """What is on either side of the sign; a number that stands alone is compared with 0."""
    micro = _compared(row)
    left, right = (*(_read(_lane(lanes, cell.lane), micro.type) for lanes in row.inputs), "0")[:2]
    return left, right


def _lane(lanes: Lanes, lane: int) -> int:
    value: int = lanes[lane if len(lanes) > 1 else 0]
    return value


def _read(value: int, type_: Type | None) -> str:
    return str(value) if type_ is None else value_text(value, type_)


def join(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """Truth values joined by and, or, xor, or turned by not."""
    pen, (cell,), keys = sketch.pen, row.cells, row.input_keys
    word = str(getattr(row.micro, "boolop", "not"))
    pills = len(keys) + 1
    gap = min((area.width - PILL_WIDTH * pills) / 2 - 4, 40)
    width = PILL_WIDTH * pills + gap * 2
    left, right = area.center - width / 2, area.center + width / 2
    first = left if len(keys) > 1 else left + gap  # of one, the word stands before it
    centers = [first + PILL_WIDTH / 2 + at * (PILL_WIDTH + gap) for at in range(len(keys))]
    top = y + 12  # the names stand above
    word_x = left + gap / 2 + (PILL_WIDTH if len(keys) > 1 else 0)
    pen.text(word_x, top + 16.5, word, 12, anchor="middle", mono=True, bold=True)
    for center, key, (value,) in zip(centers, keys, row.inputs, strict=True):
        sketch.flow(key, 0, (center, top))
        _name_truth(sketch, key, center, top)
        truth(pen, center, top, value)
    equals_x = right - PILL_WIDTH - gap / 2
    pen.text(equals_x, top + 17, "=", 15, anchor="middle", mono=True, bold=True)
    end = right - PILL_WIDTH / 2
    truth(pen, end, top, cell.value)
    _name_truth(sketch, row.key, end, top, 60)
    sketch.ports[row.key] = [(end, top + PILL_HEIGHT)]
    return top + PILL_HEIGHT


def _name_truth(sketch: Sketch, key: str, center: float, y: float, width: float = 26) -> None:
    """The name of a truth value, above it."""
    name = _predicate(sketch, key)
    sketch.pen.text(center - 30, y - 4, name, 10, Ink.DIM, mono=True, width=width)


def _predicate(sketch: Sketch, key: str) -> str:
    """``t``, ``r``; ``!t`` for what a row turned."""
    known = sketch.trace.rows.get(key)
    if known and isinstance(known.micro, m.Not):
        return f"!{sketch.called(known.input_keys[0])}"
    return sketch.called(key)


class _Option(NamedTuple):
    """One of the two values that a choice is between."""

    name: str
    value: int
    if_true: bool
    """It is chosen where the condition holds."""
    taken: bool
    inks: tuple[Ink, Ink]
    box: Area


def choose(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """The condition between two values: the way taken strong, the other one faint."""
    pen, (cell,) = sketch.pen, row.cells
    (condition, *keys), (held, *values) = row.input_keys, (lanes[0] for lanes in row.inputs)
    pill = y + 14
    sketch.flow(condition, 0, (area.center, pill))
    truth(pen, area.center, pill, held)
    _name_truth(sketch, condition, area.center, pill)
    top = pill + PILL_HEIGHT + 10
    bottom = top + _OPTION + _WAYS
    role = row.role if row.stage is Stage.GUARD else "d"
    width = sketch.trace.instruction.type_of(role).bits
    for key, value, box, if_true in zip(
        keys, values, area.columns(2, 20), (True, False), strict=True
    ):
        name = _option_name(sketch, row, key, is_new=if_true)
        option = _Option(name, value, if_true, held == if_true, tint(key), box)
        sketch.flow(key, 0, (box.center, top), strong=option.taken)
        _draw_option(pen, option, width, top)
        end = area.center - _ASIDE if if_true else area.center + _ASIDE
        _draw_way(pen, option, top + _OPTION, (end, bottom))
    ink, soft = tint(keys[0 if held else 1])
    box = area.middle(min(220, area.width * 0.7) if width <= 32 else 260)
    pen.rect(box.x, bottom, box.width, _CHOSEN, soft, ink, radius=6)
    inside(pen, box, bottom + 22, plain(hex_text(cell.value, width)), 17, ink)
    return finish(sketch, row, [box], bottom + _CHOSEN)


def _option_name(sketch: Sketch, row: RowView, key: str, *, is_new: bool) -> str:
    """What an option is called; a guard chooses between what is new and what was there."""
    if row.stage is not Stage.GUARD:
        return sketch.called(key)
    name = f"{'new' if is_new else 'old'} {sketch.called(row.role)}"
    return name if is_new or key not in sketch.trace.rows else f"{name} converted"


def _draw_option(pen: Pen, option: _Option, width: int, y: float) -> None:
    """A value, and when it is chosen."""
    box, (ink, soft) = option.box, option.inks
    strong = option.taken
    pen.rect(
        box.x, y, box.width, _OPTION, soft if strong else Ink.PAGE, ink if strong else Ink.LINE,
        radius=6, line=1.6 if strong else 1, dash="" if strong else "4 3",
    )  # fmt: skip
    said = f"{option.name}, if {'true' if option.if_true else 'false'}"
    pen.text(box.x + 8, y + 13, said, 9.5, Ink.DIM, width=box.width - 14)
    value = plain(hex_text(option.value, width))
    inside(pen, box, y + 35, value, 17, ink if strong else Ink.DIM, bold=strong)


def _draw_way(pen: Pen, option: _Option, y: float, end: Point) -> None:
    """The line from an option to what is chosen; a cross on it where it is not."""
    start = option.box.center, y
    pen.flow(start, end, option.inks[0], strong=option.taken, head=option.taken)
    if option.taken:
        return
    x, cross = (start[0] + end[0]) / 2, y + 18
    left, right, top, bottom = map(number, (x - 4, x + 4, cross - 4, cross + 4))
    pen.path(f"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}", Ink.DIM, line=1.6)
