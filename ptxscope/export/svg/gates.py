"""Gates and choices; the functions are called as those of ``figures``."""

from __future__ import annotations

from functools import partial

from ...scene.scene_model import PLAIN, Choice, Gate, Option, Place, RowScene, Tint
from .cell_shapes import inside, plain
from .page_layout import Area, Point, Sketch, Slot, chip, wire
from .svg_canvas import Pen
from .svg_colours import Ink
from .symbols import PILL_HEIGHT, told, truth
from .text_fitting import LEAST, text_width

_GATE = 24
"""Height of the box of a gate."""
_OPTION = 46
"""Height of the box of what may be chosen."""
_AROUND = 14
"""Beside what is said in it."""
_FIRST, _SECOND = 11, 21
"""Where the lines stand that this takes, if one has no room."""
_WAYS = 56
"""Height of the two lines from there to what is."""
_ASIDE = 50
"""How far beside the middle they end: the condition stands between them."""
_CHOSEN = 30
"""Height of the box of what is chosen."""


def gate(sketch: Sketch, row: RowScene, figure: Gate, y: float) -> float:
    """Truth values come into a box from above; what it makes of them stands below."""
    pen, (area,) = sketch.pen, sketch.areas(row)
    wide = max(text_width(figure.word, 13, mono=True) + 24, 54)
    top = y + 14
    aside = (0,) if len(figure.inputs) == 1 else (-14, 14)
    inputs = sorted(figure.inputs, key=lambda x: _from(sketch, x.place, area))
    for value, dx in zip(inputs, aside, strict=True):
        x = area.center + dx
        port = sketch.ports.get(value.place)
        if port:
            # from aside a line comes down first, by what stands in the middle
            late = sketch.slots.get(value.place.key) in (Slot.LEFT, Slot.RIGHT)
            turn = max(y - 4 - port.y, 9) if late else 9
            start, ink = (port.area.center, port.y), wire(Tint(value.place.key))
            pen.elbow(start, (x, top), ink, turn=turn)
        said = value.name + ("" if value.value is None else f" = {value.value}")
        anchor, label = ("end", x - 6) if dx < 0 else ("start", x + 6)
        room = area.width / 2 - 20
        if not dx:  # nothing stands beside what is in the middle
            alone = sketch.slots.get(row.key) is Slot.MIDDLE
            room = (sketch.figures if alone else area).right - label
        pen.text(label, y + 8, said, 10.5, Ink.DIM, anchor=anchor, mono=True, width=room)
    pen.rect(area.center - wide / 2, top, wide, _GATE, Ink.PAGE, Ink.INK, radius=8, line=1.4)
    pen.text(area.center, top + 16.5, figure.word, 13, anchor="middle", mono=True, bold=True)
    pill = top + _GATE + 14
    pen.flow((area.center, top + _GATE), (area.center, pill), Ink.DIM)
    extent = truth(pen, area.center, pill, told(figure.output.value))
    # nothing stands beside what is in the middle
    left = area.x if sketch.slots.get(row.key) is not Slot.MIDDLE else sketch.figures.x
    pen.text(extent.x - 8, pill + 16.5, figure.output.name, 12, Ink.DIM, anchor="end",
             mono=True, bold=True, width=extent.x - 8 - left)  # fmt: skip
    sketch.leave(row.cells[0].place, extent, pill + PILL_HEIGHT)
    return pill + PILL_HEIGHT


def _from(sketch: Sketch, place: Place, area: Area) -> float:
    """Where a line to a gate comes from, so that lines into it do not cross."""
    port = sketch.ports.get(place)
    return port.area.center if port else area.center


def choose(sketch: Sketch, row: RowScene, figure: Choice, y: float) -> float:
    """Two values, the condition between their ways: the one taken strong, the other faint."""
    pen, (area,) = sketch.pen, sketch.areas(row)
    parts = area.columns(2, 12)
    more = max(map(partial(_more, pen), figure.options, parts))
    end = y + _OPTION + more
    pill, bottom = end + 8, end + _WAYS
    wide = min(area.width * 0.8, max(text_width(figure.bits, 17, mono=True) + 40, 220))
    box = area.middle(wide)
    aside = min(_ASIDE, box.width / 2 - 8)
    for option, part in zip(figure.options, parts, strict=True):
        _draw_option(sketch, option, part, y, more)
        x = area.center - aside if option.if_true else area.center + aside
        _draw_way(sketch, option, (part.center, end), (x, bottom))
    condition = figure.condition
    port = sketch.ports.get(condition.place)
    if port:
        pen.elbow((port.area.center, port.y), (area.center, pill), Ink.DIM)
    truth(pen, area.center, pill, told(condition.value))
    pen.text(area.center, pill + PILL_HEIGHT + 11, condition.name, 11, Ink.DIM,
             anchor="middle", mono=True, bold=True, width=2 * aside - 8)  # fmt: skip
    taken = [option.tint for option in figure.options if option.taken]
    fill, frame = chip(taken[0] if len(taken) == 1 else PLAIN)
    pen.rect(box.x, bottom, box.width, _CHOSEN, fill, frame, radius=5)
    ink = Ink.INK if fill is Ink.PAGE else Ink.ON
    inside(pen, box, bottom + 21, plain(figure.bits), 17, ink)
    sketch.leave(row.cells[0].place, box, bottom + _CHOSEN)
    return bottom + _CHOSEN


def _said(option: Option) -> tuple[str, str]:
    """What may be chosen, and when."""
    return option.name, f"if {'true' if option.if_true else 'false'}"


def _is_one_line(pen: Pen, option: Option, box: Area) -> bool:
    return text_width(", ".join(_said(option)), pen.least) <= box.width - _AROUND


def _more(pen: Pen, option: Option, box: Area) -> float:
    """How much higher than usual an option is: two lines of larger letters need more."""
    return 0 if _is_one_line(pen, option, box) else pen.pitch(_SECOND, 10) - _SECOND


def _draw_option(sketch: Sketch, option: Option, box: Area, y: float, more: float) -> None:
    """A value, and when it is chosen."""
    pen, strong = sketch.pen, option.taken
    fill, frame = chip(option.tint)
    port = sketch.ports.get(option.place)
    if port:
        draw = pen.flow if port.area.x <= box.center <= port.area.right else pen.elbow
        x = box.center if draw == pen.flow else port.area.center
        draw((x, port.y), (box.center, y), wire(option.tint), strong=strong)
    pen.rect(
        box.x, y, box.width, _OPTION + more,
        fill if strong else Ink.PAGE, frame if strong else Ink.LINE, radius=5,
        line=1.6 if strong else 1, dash="" if strong else "4 3",
    )  # fmt: skip
    on = strong and fill is not Ink.PAGE
    name, when = _said(option)
    room, ink = box.width - _AROUND, Ink.ON if on else Ink.DIM
    if _is_one_line(pen, option, box):
        pen.text(box.x + 8, y + 13, f"{name}, {when}", 10, ink, width=room)
    else:
        pen.text(box.x + 8, y + pen.pitch(_FIRST, 10), f"{name},", 10, ink, width=room)
        pen.text(box.x + 8, y + pen.pitch(_SECOND, 10), when, LEAST, ink)
    ink = Ink.ON if on else (Ink.INK if strong else Ink.DIM)
    inside(pen, box, y + 35 + more, plain(option.bits), 17, ink, bold=strong)


def _draw_way(sketch: Sketch, option: Option, start: Point, end: Point) -> None:
    """The line from an option to what is chosen; a cross on it where it is not."""
    pen = sketch.pen
    pen.flow(start, end, wire(option.tint), strong=option.taken, head=option.taken)
    if not option.taken:
        pen.cross((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, Ink.MARK)
