"""The figures of selection, extension, arithmetic, clamps, merges and sums.

A function gets the sketch, the row, the column it may use and the y at which it begins; it
draws, notes in ``sketch.ports`` where lines go on, and returns the y at which it ends.
"""

from __future__ import annotations

from itertools import accumulate

from ...engine.semantics import micro as m
from ...engine.text.values import hex_text
from ...engine.tracing.trace import Flag
from ..document import RowView
from .drawing import Ink
from .layout import LEFT, Area, Sketch, tint
from .rows import boxes_of, finish, flow_down, inlets, name_lane
from .signs import clamp_line, register, truth


def formula(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """A box a lane: what is computed with its numbers, and the value."""
    boxes, pen = boxes_of(row, area, 320), sketch.pen
    named = 9 if len(row.cells) > 1 else 0
    height = 54 + named
    for cell in row.cells:
        box = boxes[cell.lane]
        left, right = _split(cell.formula)
        inlets(sketch, row, cell.lane, box, y, area)
        pen.rect(box.x, y, box.width, height, radius=6)
        if named:
            name_lane(sketch, cell, box, y)
        pen.text(
            box.center, y + 21 + named, left, 12.5, Ink.DIM,
            anchor="middle", mono=True, width=box.width - 14,
        )  # fmt: skip
        pen.text(
            box.center, y + 43 + named, right, 17, Ink.INK,
            anchor="middle", mono=True, bold=True, width=box.width - 14,
        )  # fmt: skip
    return finish(sketch, row, boxes, y + height)


def _split(formula: str) -> tuple[str, str]:
    """The left side of a formula, and ``= value`` or ``→ bits``."""
    for sign, shown in ((" = ", "= "), (" -> ", "→ ")):
        left, found, right = formula.rpartition(sign)
        if found:
            return left, shown + right
    return "", formula


def select(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """Lines from the parts of the registers to the lanes that take them."""
    micro, pen, ink = row.micro, sketch.pen, tint(row.name)
    assert isinstance(micro, m.Select)
    single = max(area.width * micro.unit / 32, 66)
    boxes = area.lanes(len(row.cells)) if len(row.cells) > 1 else [area.middle(single)]
    for cell in row.cells:
        box = boxes[cell.lane]
        word, index = micro.picks[cell.lane]
        role = row.input_keys[word]
        if role in sketch.registers:
            start = sketch.registers[role].port(micro.unit * index, micro.unit * (index + 1))
            pen.flow(start, (box.center, y), tint(role)[0])
        pen.rect(box.x + 2, y, box.width - 4, 26, ink[1], ink[0], radius=4)
        pen.text(
            box.center, y + 18, hex_text(cell.value, micro.unit)[2:], 15, ink[0],
            anchor="middle", mono=True, bold=True, width=box.width - 10,
        )  # fmt: skip
    return finish(sketch, row, boxes, y + 26)


def extend(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """Each pattern with the bits that are put above it, hatched where the sign is repeated, and
    the number it stands for.
    """
    micro, pen, ink = row.micro, sketch.pen, tint(row.name)
    assert isinstance(micro, m.Extend)
    single = {8: 130.0, 16: 170.0}.get(micro.bits, area.width)
    boxes = area.lanes(len(row.cells)) if len(row.cells) > 1 else [area.middle(single)]
    for cell in row.cells:
        box = boxes[cell.lane]
        x, width = box.x + 2, box.width - 4
        bits = row.inputs[0][cell.lane]
        above = min(width * 0.46, 62.0)
        filler = "…ff" if cell.value < 0 else "…00"
        flow_down(sketch, row.input_keys[0], cell.lane, x + above + (width - above) / 2, y)
        pen.rect(x, y, width, 50, Ink.PAGE, ink[0], radius=4)
        if micro.signed:
            pen.pattern("sign", x + 1, y + 1, above - 1, 22)
            pen.rect(x + above / 2 - 13, y + 5, 26, 14, Ink.PAGE, None, radius=2)
        pen.rect(x + above, y + 1, width - above - 1, 22, ink[1], None, radius=2)
        pen.line(x + above, y, x + above, y + 23, ink[0], 1, "" if micro.signed else "2 2")
        pen.line(x, y + 23, x + width, y + 23, Ink.LINE)
        pen.text(x + above / 2, y + 15.5, filler, 11, Ink.DIM, anchor="middle", mono=True)
        pen.text(
            x + above + (width - above) / 2, y + 16.5, hex_text(bits, micro.bits)[2:], 13, ink[0],
            anchor="middle", mono=True, bold=True, width=width - above - 4,
        )  # fmt: skip
        pen.text(
            x + width / 2, y + 42, str(cell.value), 16, Ink.INK,
            anchor="middle", mono=True, bold=True, width=width - 6,
        )  # fmt: skip
    return finish(sketch, row, boxes, y + 50)


def clamp(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """A number line a lane."""
    micro = row.micro
    assert isinstance(micro, m.Clamp)
    boxes = boxes_of(row, area, 420)
    for cell in row.cells:
        before = row.inputs[0][cell.lane]
        point = clamp_line(sketch.pen, boxes[cell.lane], y, micro, before, cell.value)
        sketch.flow(row.input_keys[0], cell.lane, point)
    return finish(sketch, row, boxes, y + 58)


def merge(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """The lanes of t beside those of c: the way taken strong, what is kept hatched."""
    micro, pen = row.micro, sketch.pen
    assert isinstance(micro, m.Merge)
    t, *c = row.inputs
    boxes = boxes_of(row, area, 320)
    for cell in row.cells:
        box, takes = boxes[cell.lane], cell.lane in micro.lanes
        shown = takes or len(t) > 1
        halves = box.columns(2, 8) if c and shown else [box.middle(90)] * 2
        bottom, ink = y + 52, Ink.INK if takes else Ink.C
        if shown:
            value = str(t[cell.lane if len(t) > 1 else 0])
            sketch.flow(row.input_keys[0], cell.lane, (halves[0].center, y), strong=takes)
            _tag(sketch, halves[0], y, value, Ink.INK if takes else Ink.DIM, Ink.SOFT)
            pen.flow(
                (halves[0].center, y + 24), (box.center - (10 if c else 0), bottom), Ink.INK
                if takes else Ink.DIM, strong=takes, head=takes,
            )  # fmt: skip
        if c:
            kept = c[0][0] >> micro.unit * cell.lane & (1 << micro.unit) - 1
            _tag(
                sketch, halves[1], y, hex_text(kept, micro.unit)[2:], Ink.DIM if takes else Ink.C,
                Ink.PAGE if takes else Ink.C_SOFT,
            )  # fmt: skip
            pen.flow(
                (halves[1].center, y + 24), (box.center + (10 if shown else 0), bottom), Ink.C,
                strong=not takes, head=not takes,
            )  # fmt: skip
        pen.rect(box.x, bottom, box.width, 34, Ink.SOFT if takes else Ink.PAGE, ink, radius=6)
        digits = hex_text(cell.value, micro.unit)[2:]
        if not takes:
            pen.pattern("hatch", box.x + 1, bottom + 1, box.width - 2, 32)
            pen.rect(box.center - 26, bottom + 6, 52, 22, Ink.PAGE, None, radius=3)
        pen.text(
            box.center, bottom + 23, digits, 17, ink, anchor="middle", mono=True, bold=True
        )  # fmt: skip
    return finish(sketch, row, boxes, y + 86)


def _tag(sketch: Sketch, box: Area, y: float, text: str, ink: Ink, fill: Ink) -> None:
    sketch.pen.rect(box.x, y, box.width, 24, fill, Ink.LINE if ink is Ink.DIM else ink, radius=4)
    sketch.pen.text(
        box.center, y + 16.5, text, 13, ink, anchor="middle", mono=True, width=box.width - 6
    )


def add_up(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """A running sum: c, then each lane from the highest."""
    micro, pen, (cell,) = row.micro, sketch.pen, row.cells
    assert isinstance(micro, m.Accumulate)
    lanes, (c,) = row.inputs
    order = list(range(micro.of - 1, -1, -1))
    terms = [lanes[lane] if lane in micro.lanes else 0 for lane in order]
    sums = list(accumulate(terms, initial=c))
    columns = area.columns(micro.of + 1, 10)
    rail = y + 62
    pen.line(columns[0].center, rail, columns[-1].center, rail, Ink.BAR, 2)
    for at, box in enumerate(columns):
        lane = order[at - 1] if at else None
        added = lane is None or lane in micro.lanes
        ink = Ink.C if lane is None else Ink.INK if added else Ink.DIM
        if lane is not None:
            sketch.flow(row.input_keys[0], lane, (box.center, y), strong=added)
        pen.rect(box.x, y, box.width, 44, Ink.C_SOFT if lane is None else Ink.SOFT, ink, radius=6,
                 dash="" if added else "3 3")  # fmt: skip
        name = sketch.called(row.input_keys[1]) if lane is None else f"lane {lane}"
        pen.text(box.x + 7, y + 12, name, 9, Ink.DIM, width=box.width - 12)
        text = str(c) if lane is None else f"+ {_factor(lanes[lane])}" if added else "left out"
        pen.text(
            box.center, y + 33, text, 15, ink, anchor="middle", mono=added, bold=added,
            width=box.width - 10,
        )  # fmt: skip
        if added:
            pen.line(box.center, y + 44, box.center, rail, ink, 1.4)
            pen.dot(box.center, rail, ink)
        last = at == micro.of
        pen.text(
            box.center, rail + 21, str(sums[at]), 16 if last else 13,
            Ink.INK if last else Ink.DIM, anchor="middle", mono=True, bold=last,
            width=box.width + 6,
        )  # fmt: skip
    final = Area(columns[-1].x, columns[-1].width)
    assert sums[-1] == cell.value, cell.formula
    return finish(sketch, row, [final], rail + 28)


def _factor(value: int) -> str:
    return f"({value})" if value < 0 else str(value)


def write(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """The destination's bits, from one number or from lanes."""
    pen, (cell,) = sketch.pen, row.cells
    name = sketch.called(row.role)
    width = sketch.trace.instruction.type_of(row.role).bits
    key, lanes = row.input_keys[0], row.inputs[0]
    if width == 1:
        sketch.flow(key, 0, (area.center, y))
        truth(pen, area.center, y, cell.value)
        pen.text(area.center - 44, y + 17, name, 13, anchor="end", mono=True, bold=True,
                 width=area.width / 2 - 50)  # fmt: skip
        return finish(sketch, row, [area], y + 24)
    box = area.middle(LEFT.width if width <= 32 else 360)
    for lane, part in enumerate(box.lanes(len(lanes))):
        sketch.flow(key, lane, (part.center, y))
    unit = width // len(lanes) if len(lanes) > 1 else 8
    top, inks = y - 12, (Ink.INK, Ink.SOFT)
    pen.text(box.x - 10, top + 31, name, 14, anchor="end", mono=True, bold=True,
             width=box.x - area.x - 12)  # fmt: skip
    found = register(pen, box, top, cell.value, width, inks, unit=unit, named=False)
    if Flag.WRAPPED in cell.flags:
        pen.pattern("cut", box.x + box.width + 6, top + 12, 40, 28)
        pen.text(box.x + box.width + 52, top + 25, "high bits", 10, Ink.MARK)
        pen.text(box.x + box.width + 52, top + 37, "are cut off", 10, Ink.MARK)
    return finish(sketch, row, [box], found.bottom)
