"""The figures of selection, extension, arithmetic, clamps, merges and sums.

A function gets the sketch, the row, the column it may use and the y at which it begins; it
draws, notes in ``sketch.ports`` where lines go on, and returns the y at which it ends.
"""

from __future__ import annotations

from typing import NamedTuple

from ...engine.semantics import micro as m
from ...engine.semantics.operation import Flag
from ...engine.semantics.plan import Stage
from ...engine.text.values import hex_text
from ...engine.tracing.formula import Sign
from ..document import CellView, RowView
from .drawing import Ink, Pen
from .layout import LEFT, Area, Sketch, tint
from .rows import boxes_of, finish, flow_down, inlets, inside, name_lane
from .signs import clamp_line, register, truth

_SHOWN = {Sign.IS: "=", Sign.BECOMES: "→", Sign.FOR: "for"}
_TAG = 24
"""Height of what may go into a merged lane."""
_MERGED = 52
"""How far below it the merged lane stands."""
_TERM = 44
"""Height of a term of a sum."""


def formula(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """A box a lane: what is computed with its numbers, and the value."""
    boxes, pen = boxes_of(row, area, 320), sketch.pen
    named = 9 if len(row.cells) > 1 else 0
    height = 54 + named
    for cell in row.cells:
        box = boxes[cell.lane]
        left, sign, right = cell.formula.left, _SHOWN[cell.formula.sign], cell.formula.right
        inlets(sketch, row, cell.lane, box, y, area)
        pen.rect(box.x, y, box.width, height, radius=6)
        if named:
            name_lane(sketch, cell, box, y)
        inside(pen, box, y + 21 + named, left, 12.5, Ink.DIM, bold=False, margin=14)
        inside(pen, box, y + 43 + named, f"{sign} {right}", 17, margin=14)
    return finish(sketch, row, boxes, y + height)


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
        inside(pen, box, y + 18, hex_text(cell.value, micro.unit)[2:], 15, ink[0], margin=10)
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
        whole = Area(box.x + 2, box.width - 4)
        above = Area(whole.x, min(whole.width * 0.46, 62.0))
        bits = Area(whole.x + above.width, whole.width - above.width)
        flow_down(sketch, row.input_keys[0], cell.lane, bits.center, y)
        pen.rect(whole.x, y, whole.width, 50, Ink.PAGE, ink[0], radius=4)
        if micro.signed:
            pen.pattern("sign", above.x + 1, y + 1, above.width - 1, 22)
            pen.rect(above.center - 13, y + 5, 26, 14, Ink.PAGE, None, radius=2)
        pen.rect(bits.x, y + 1, bits.width - 1, 22, ink[1], None, radius=2)
        pen.line(bits.x, y, bits.x, y + 23, ink[0], 1, "" if micro.signed else "2 2")
        pen.line(whole.x, y + 23, whole.x + whole.width, y + 23, Ink.LINE)
        filler = "…ff" if cell.value < 0 else "…00"
        pen.text(above.center, y + 15.5, filler, 11, Ink.DIM, anchor="middle", mono=True)
        pattern = hex_text(row.inputs[0][cell.lane], micro.bits)[2:]
        inside(pen, bits, y + 16.5, pattern, 13, ink[0], margin=4)
        inside(pen, whole, y + 42, str(cell.value), 16, margin=6)
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
    boxes = boxes_of(row, area, 320)
    for cell in row.cells:
        _merge_lane(sketch, row, cell, boxes[cell.lane], y)
    return finish(sketch, row, boxes, y + _MERGED + 34)


def _merge_lane(sketch: Sketch, row: RowView, cell: CellView, box: Area, y: float) -> None:
    """One lane: of t, of c, and what becomes of them below."""
    micro, pen = row.micro, sketch.pen
    assert isinstance(micro, m.Merge)
    t, *c = row.inputs
    takes = cell.lane in micro.lanes
    shown = takes or len(t) > 1  # a scalar's t is drawn where it goes
    left, right = box.columns(2, 8) if c and shown else [box.middle(90)] * 2
    bottom, ink = y + _MERGED, Ink.INK if takes else Ink.C
    if shown:
        t_ink = Ink.INK if takes else Ink.DIM
        sketch.flow(row.input_keys[0], cell.lane, (left.center, y), strong=takes)
        _tag(sketch, left, y, str(t[cell.lane if len(t) > 1 else 0]), t_ink, Ink.SOFT)
        end = box.center - (10 if c else 0), bottom
        pen.flow((left.center, y + _TAG), end, t_ink, strong=takes, head=takes)
    if c:
        kept = hex_text(c[0][0] >> micro.unit * cell.lane & (1 << micro.unit) - 1, micro.unit)[2:]
        inks = (Ink.DIM, Ink.PAGE) if takes else (Ink.C, Ink.C_SOFT)
        _tag(sketch, right, y, kept, *inks)
        end = box.center + (10 if shown else 0), bottom
        pen.flow((right.center, y + _TAG), end, Ink.C, strong=not takes, head=not takes)
    pen.rect(box.x, bottom, box.width, 34, Ink.SOFT if takes else Ink.PAGE, ink, radius=6)
    if not takes:
        pen.pattern("hatch", box.x + 1, bottom + 1, box.width - 2, 32)
        pen.rect(box.center - 26, bottom + 6, 52, 22, Ink.PAGE, None, radius=3)
    digits = hex_text(cell.value, micro.unit)[2:]
    pen.text(box.center, bottom + 23, digits, 17, ink, anchor="middle", mono=True, bold=True)


def _tag(sketch: Sketch, box: Area, y: float, text: str, ink: Ink, fill: Ink) -> None:
    sketch.pen.rect(box.x, y, box.width, _TAG, fill, Ink.LINE if ink is Ink.DIM else ink, radius=4)
    inside(sketch.pen, box, y + 16.5, text, 13, ink, bold=False, margin=6)


class _Term(NamedTuple):
    """What a running sum adds."""

    name: str
    text: str
    added: bool
    inks: tuple[Ink, Ink]
    total: int
    """The sum up to it."""


def add_up(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """A running sum: c, then each lane from the highest."""
    micro, pen, (cell,) = row.micro, sketch.pen, row.cells
    assert isinstance(micro, m.Accumulate)
    terms = _terms(sketch, row)
    columns = area.columns(len(terms), 10)
    rail = y + _TERM + 18
    pen.line(columns[0].center, rail, columns[-1].center, rail, Ink.BAR, 2)
    for at, (term, box) in enumerate(zip(terms, columns, strict=True)):
        if at:  # the first is c
            lane = micro.of - at
            sketch.flow(row.input_keys[0], lane, (box.center, y), strong=term.added)
        _draw_term(pen, term, box, y, rail)
        last = term is terms[-1]
        pen.text(
            box.center, rail + 21, str(term.total), 16 if last else 13,
            Ink.INK if last else Ink.DIM, anchor="middle", mono=True, bold=last,
            width=box.width + 6,
        )  # fmt: skip
    assert terms[-1].total == cell.value, cell.formula
    return finish(sketch, row, [columns[-1]], rail + 28)


def _terms(sketch: Sketch, row: RowView) -> list[_Term]:
    """c, and the lanes from the highest down."""
    micro = row.micro
    assert isinstance(micro, m.Accumulate)
    lanes, (c,) = row.inputs
    terms = [_Term(sketch.called(row.input_keys[1]), str(c), True, (Ink.C, Ink.C_SOFT), c)]
    for lane in range(micro.of - 1, -1, -1):
        added, total = lane in micro.lanes, terms[-1].total
        terms.append(
            _Term(
                f"lane {lane}",
                f"+ {_factor(lanes[lane])}" if added else "left out",
                added,
                (Ink.INK if added else Ink.DIM, Ink.SOFT),
                total + lanes[lane] if added else total,
            )
        )
    return terms


def _draw_term(pen: Pen, term: _Term, box: Area, y: float, rail: float) -> None:
    """A term in its box, and its line to the rail where it is added."""
    ink, soft = term.inks
    pen.rect(box.x, y, box.width, _TERM, soft, ink, radius=6, dash="" if term.added else "3 3")
    pen.text(box.x + 7, y + 12, term.name, 9, Ink.DIM, width=box.width - 12)
    pen.text(
        box.center, y + 33, term.text, 15, ink, anchor="middle", mono=term.added,
        bold=term.added, width=box.width - 10,
    )  # fmt: skip
    if term.added:
        pen.line(box.center, y + _TERM, box.center, rail, ink, 1.4)
        pen.dot(box.center, rail, ink)


def _factor(value: int) -> str:
    return f"({value})" if value < 0 else str(value)


def write(sketch: Sketch, row: RowView, area: Area, y: float) -> float:
    """The destination's bits, from one number or from lanes."""
    if row.stage is not Stage.WRITE:  # no destination: patterns in the midst of a plan
        return formula(sketch, row, area, y)
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
