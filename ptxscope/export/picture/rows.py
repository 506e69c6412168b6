"""What the figures of all kinds of rows share: registers, boxes, lines into them, words."""

from __future__ import annotations

import re

from ...engine.isa.roles import SOURCES
from ..document import CellView, RowView
from .drawing import Ink, Pen, text_width, wrapped
from .layout import Area, Sketch, tint
from .signs import flags, flags_height, register, truth

_WORD = re.compile(r"\b0x(?=[0-9a-f]{4,})")


def operand(
    sketch: Sketch, role: str, area: Area, y: float, unit: int = 8,
    taken: frozenset[int] | None = None,
) -> float:  # fmt: skip
    """A register with its name, its bits and what they mean; returns its end."""
    view = sketch.operands[role]
    ink = tint(role)[0]
    pen, x = sketch.pen, area.x
    name = view.name or ("" if role in SOURCES else sketch.called(role))
    pen.text(x, y + 12, view.label, 15, ink, mono=True, bold=True)
    x += text_width(view.label, 15, mono=True) + 8
    meant = "" if view.meant == view.bits else view.meant
    wide = min(text_width(meant, 11, mono=True), area.width * 0.7)
    pen.text(x, y + 12, name, 12, Ink.DIM, mono=True, width=area.x + area.width - wide - x - 8)
    width = sketch.trace.instruction.type_of(role).bits
    if width == 1:
        truth(pen, area.center, y + 18, sketch.trace.operands[role])
        sketch.ports[role] = [(area.center, y + 42)]
        return y + 42
    pen.text(
        area.x + area.width, y + 12, meant, 11, Ink.DIM,
        anchor="end", mono=True, width=area.width * 0.7,
    )  # fmt: skip
    bits = sketch.trace.operands[role]
    found = register(pen, area, y + 18, bits, width, tint(role), unit=unit, taken=taken)
    sketch.registers[role] = found
    return found.bottom


def inlets(sketch: Sketch, row: RowView, lane: int, box: Area, y: float, area: Area) -> None:
    """Lines from every input of a lane to the top of its box."""
    keys = row.input_keys
    shares = [box.x + box.width * (at + 1) / (len(keys) + 1) for at in range(len(keys))]
    if len(row.cells) == 1:
        shares = [column.center for column in area.columns(len(keys), 20)]
    for key, x in zip(keys, shares, strict=True):
        sketch.flow(key, lane, (box.inside(x, 24), y))


def flow_down(sketch: Sketch, key: str, lane: int, x: float, y: float) -> None:
    """A straight line to a box from the box right above it; what is not there draws none."""
    ports = sketch.ports.get(key) or ([sketch.registers[key].port(0, 32)] if key in
                                      sketch.registers else [])  # fmt: skip
    if ports:
        sketch.pen.flow((x, ports[min(lane, len(ports) - 1)][1]), (x, y), tint(key)[0])


def finish(sketch: Sketch, row: RowView, boxes: list[Area], y: float) -> float:
    """Flags under the boxes; lines go on from below them."""
    for cell in row.cells:
        flags(sketch.pen, boxes[cell.lane], y, cell)
    high = {cell.lane: flags_height([cell]) for cell in row.cells}
    sketch.ports[row.key] = [(box.center, y + high.get(lane, 0)) for lane, box in enumerate(boxes)]
    return y + flags_height(row.cells)


def boxes_of(row: RowView, area: Area, single: float) -> list[Area]:
    """A box a lane, lane 0 first; a single one of at most a width."""
    return area.lanes(len(row.cells), 8) if len(row.cells) > 1 else [area.middle(single)]


def name_lane(sketch: Sketch, cell: CellView, box: Area, y: float) -> None:
    """The name of a lane in the corner of its box, with the numbers of notes on it."""
    notes = sketch.trace.annotations.on_lanes
    marks = [str(at) for at, note in enumerate(notes, 1) if note.lane == cell.lane]
    name = cell.name + (f" · note {', '.join(marks[:3])}" if marks else "")
    sketch.pen.text(box.x + 7, y + 12, name, 9, Ink.DIM, width=box.width - 12)


def inside(
    pen: Pen, box: Area, y: float, text: str, size: float, ink: Ink = Ink.INK, *,
    bold: bool = True, margin: float = 12,
) -> None:  # fmt: skip
    """Numbers or bits in the middle of a box, as large as it allows."""
    pen.text(
        box.center, y, text, size, ink,
        anchor="middle", mono=True, bold=bold, width=box.width - margin,
    )  # fmt: skip


def say(sketch: Sketch, cell: CellView, box: Area, y: float) -> float:
    """What happened, in small letters below; returns its end."""
    lines = wrapped(plain(cell.sentence), box.width, 11)
    for at, line in enumerate(lines):
        sketch.pen.text(box.center, y + 14 + at * 14, line, 11, Ink.DIM, anchor="middle")
    return y + 6 + 14 * len(lines)


def plain(text: str) -> str:
    """A text whose words of 16 bits and more have no ``0x``.

    So the result stands in a picture once, as a whole, and a search finds it there.
    """
    return _WORD.sub("", text)
