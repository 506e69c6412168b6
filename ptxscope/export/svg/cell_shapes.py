"""Registers and the cells of rows, drawn by what their spans are."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from ...scene.row_pairs import OUTCOMES
from ...scene.scene_model import Axis, Cell, Look, Register, RowScene, Span
from .page_layout import ROLE_INKS, Area, Sketch, Slot, part
from .svg_canvas import Pen
from .svg_colours import Ink
from .symbols import PILL_HEIGHT, STYLES, bits, flags, flags_height, mask_box, truth
from .text_fitting import LEAST, fitted, text_width, wrapped

_WORD = re.compile(r"\b0x(?=[0-9a-f]{4,})")
_LETTERS = {8: "b", 16: "h"}
_DIGIT = 34
"""How wide a hexadecimal digit of a part of a register is, where all of it has its place."""
_TAG_GAP = 4
"""Between bits and a name in their corner, at least."""
_CHIP, _NUMBER = 28, 22
"""Heights of a box of bits, and of the number below it."""
_MERGED = 34
_VERDICT = 62
_FORMULA = 46
_CAPTION, _INCOMING = 14, 24
"""Heights of the name above what comes in, and of its box."""


def register(sketch: Sketch, shown: Register, slot: Slot, y: float) -> float:
    """A register in the parts that are read from it; returns its end."""
    pen = sketch.pen
    areas = sketch.areas_for(len(shown.cells), slot)
    if shown.unit == 1:
        (cell,) = shown.cells
        known = cell.spans[0].look is not Look.EITHER
        pill = truth(pen, areas[0].center, y, str(cell) == "1" if known else None)
        name = shown.name
        name = shown.label if name in ("", shown.role) else f"{shown.label} {name}"
        ink = ROLE_INKS.get(shown.role, Ink.INK)
        left = areas[0].x if slot is not Slot.MIDDLE else sketch.figures.x
        pen.text(pill.x - 8, y + 16.5, name, 12, ink, anchor="end", mono=True, bold=True,
                 width=pill.x - 8 - left)  # fmt: skip
        sketch.leave(cell.place, pill, y + 24)
        return y + 24
    if not shown.by_lane:
        areas = _in_one(sketch, shown, slot)
        y = _name(sketch, shown, Area(areas[0].x, areas[-1].right - areas[0].x), y)
    if sketch.layout.compact and shown.role == "c":  # its lanes are kept or passed by
        shown = shown._replace(
            cells=tuple(x._replace(spans=x.spans[:1]) for x in shown.cells), figure=None
        )
    height = 38 if len(shown.cells[0].spans) > 1 else _CHIP
    for cell, area in zip(shown.cells, areas, strict=True):
        _part(pen, shown, cell, area, y, height)
        sketch.leave(cell.place, area, y + height)
    return y + height


def _in_one(sketch: Sketch, shown: Register, slot: Slot) -> list[Area]:
    """The parts of a register beside each other; where bytes are merged, each where it goes."""
    if slot is Slot.FULL:
        return sketch.areas_for(len(shown.cells), slot)
    (area,) = sketch.areas_for(1, slot)
    return area.columns(len(shown.cells), 2)


def _name(sketch: Sketch, shown: Register, area: Area, y: float) -> float:
    """What a register is called and what it means, on a line above it, or on two."""
    pen, ink = sketch.pen, ROLE_INKS.get(shown.role, Ink.INK)
    pen.text(area.x, y + 12, shown.label, 15, ink, mono=True, bold=True)
    start = text_width(shown.label, 15, mono=True) + 8
    name = shown.name
    name = "" if name == shown.role else name
    meant = "" if shown.unit == 1 else shown.meant
    if sketch.scene.lanes > 1:  # there its name stands in the margin
        name = ""
    if start + text_width(f"{name}   {meant}", pen.sized(11), mono=True) > area.width:
        pen.text(area.x + start, y + 12, name, 11, Ink.DIM, mono=True, width=area.width - start)
        pen.text(area.x, y + 26, meant, 11, Ink.DIM, mono=True, width=area.width)
        return y + 32
    pen.text(area.x + start, y + 12, name, 11, Ink.DIM, mono=True)
    pen.text(area.right, y + 12, meant, 11, Ink.DIM, anchor="end", mono=True)
    return y + 18


def _part(pen: Pen, shown: Register, cell: Cell, area: Area, y: float, height: float) -> None:
    """A byte, half-word or word; its number below where it is a lane's."""
    span, *rest = cell.spans
    bits(pen, area, y, height, "", span.look, span.tint)
    style = STYLES[span.look]
    base = y + (19 if rest else height / 2 + 5.4)
    name = f"{_LETTERS.get(shown.unit, '')}{cell.place.lane}"
    is_named = shown.unit in _LETTERS and not span.text.endswith(name)
    free = area.width - text_width(span.text, 15, mono=True) - 6
    aside = _aside(area, span.text, text_width(name, pen.sized(LEAST))) if is_named else 0
    center = area.center - (aside / 2 if aside <= free else 0)
    pen.text(center, base, span.text, 15, style.text, anchor="middle", mono=True,
             bold=style.bold, width=area.width - 4)  # fmt: skip
    for number in rest:
        pen.text(area.center, y + 33, number.text.strip(), 10, style.text, anchor="middle",
                 width=area.width - 4)  # fmt: skip
    if is_named and aside <= free:
        _corner(pen, area, y, name, style.text)


def _aside(area: Area, text: str, tag: float) -> float:
    """How much is left free beside bits, so that a name in the corner does not touch them."""
    wide = text_width(text, 15, mono=True)
    return max(wide + 2 * (tag + 3 + _TAG_GAP) - area.width, 0)


def _corner(pen: Pen, area: Area, y: float, text: str, ink: Ink) -> None:
    """A name in the upper right corner of a box."""
    base = y + 9.5 + (pen.sized(LEAST) - LEAST) * 0.8
    pen.text(area.right - 3, base, text, LEAST, ink, anchor="end")


def cells(sketch: Sketch, row: RowScene, y: float, *, framed: bool = True) -> float:
    """The cells of a row, each in its shape, with what happened to it below; returns the end.

    Where nothing frames them a figure stands above, which the lines lead to.
    """
    areas = sketch.areas(row)
    ends = [
        _SHAPES[_shape(cell)](sketch, row, cell, area, y, framed)
        for cell, area in zip(row.cells, areas, strict=True)
    ]
    return finish(sketch, row, areas, max(ends))


def bits_packed(sketch: Sketch, row: RowScene, y: float) -> float:
    """Lanes side by side in one register, each below the lane that it was."""
    pen, place = sketch.pen, row.cells[0].place
    areas = sketch.areas(row)
    whole = Area(areas[0].x, areas[-1].right - areas[0].x)
    sketch.link(row, place.lane, whole, y)
    pen.rect(whole.x, y, whole.width, _MERGED, Ink.PAGE, Ink.INK, radius=5, line=1.6)
    for before, after in pairwise(areas):
        x = (before.right + after.x) / 2
        pen.line(x, y, x, y + _MERGED, Ink.INK)
    for cell, area in zip(row.cells, areas, strict=True):
        inside(pen, area, y + 23, str(cell), 17)
    sketch.leave(place, whole, y + _MERGED)
    return finish(sketch, row._replace(cells=row.cells[:1]), [whole], y + _MERGED)


def incoming(sketch: Sketch, row: RowScene, y: float) -> float:
    """What comes in from a step that is not shown: its values and its name; returns the end."""
    pen, areas = sketch.pen, sketch.areas(row)
    cells_, top = list(row.cells), y + _CAPTION
    name = row.written or row.name
    if len({cell.place for cell in cells_}) < len(cells_):
        if all(_of(cell, Look.CHIP) for cell in cells_):  # one word in the columns of its parts
            areas = [Area(areas[0].x, areas[-1].right - areas[0].x)]
            word = "".join(cell.spans[0].text for cell in cells_)
            cells_ = [cells_[0]._replace(spans=(cells_[0].spans[0]._replace(text=word),))]
        else:  # a sum is whole in its last column
            cells_, areas = cells_[-1:], areas[-1:]
    for cell, area in zip(cells_, areas, strict=True):
        found = _of(cell, *OUTCOMES)[-1:]
        if not found:
            continue
        (span,) = found
        if span.look in (Look.HOLDS, Look.FAILS):
            box, high = truth(pen, area.center, top, span.look is Look.HOLDS), float(PILL_HEIGHT)
        else:
            wide = text_width(span.text, 15, mono=True) + 28
            box, high = (area.middle(max(wide, 66)) if len(row.cells) == 1 else area), _INCOMING
            if span.look is Look.CHIP:
                bits(pen, box, top, high, span.text, span.look, span.tint)
            else:
                pen.rect(box.x, top, box.width, high, Ink.PAGE, Ink.DIM, radius=4, dash="4 3")
                inside(pen, box, top + 17.5, span.text, 15)
        pen.text(box.center, y + 9, name, 10.5, Ink.DIM, anchor="middle", mono=True, bold=True,
                 width=area.width)  # fmt: skip
        sketch.leave(cell.place, box, top + high)
    return top + _INCOMING


def finish(sketch: Sketch, row: RowScene, areas: list[Area], y: float) -> float:
    """Flags of each lane below it; lines go on from below them."""
    most = 0
    if sketch.layout.compact and isinstance(row.figure, Axis):  # its arrows tell
        return y
    for cell, area in zip(row.cells, areas, strict=True):
        said = sketch.words.get((row.key, cell.place.lane))
        found = said.flags if said and not _of(cell, Look.KEPT) else ()
        flags(sketch.pen, area, y, found)
        most = max(most, len(found))
        port = sketch.ports.get(cell.place)
        if port and found:
            sketch.leave(cell.place, port.area, y + flags_height(len(found)))
    return y + flags_height(most)


def say(sketch: Sketch, row: RowScene, area: Area, y: float) -> float:
    """The sentence on a number, in small letters below; returns its end."""
    said = sketch.words.get((row.key, 0))
    if not said:
        return y
    if sketch.layout.compact:
        return y + 6
    lines = sketch.pen.wrapped(plain(said.sentence), area.width, 11)
    for at, line in enumerate(lines):
        sketch.pen.text(area.center, y + 14 + at * 14, line, 11, Ink.DIM, anchor="middle")
    return y + 6 + 14 * len(lines)


def inside(
    pen: Pen, box: Area, y: float, text: str, size: float, ink: Ink = Ink.INK, *,
    bold: bool = True, margin: float = 4,
) -> None:  # fmt: skip
    """Numbers or bits in the middle of a box, as large as it allows."""
    pen.text(
        box.center, y, text, size, ink,
        anchor="middle", mono=True, bold=bold, width=box.width - margin,
    )  # fmt: skip


def plain(text: str) -> str:
    """A text whose words of 16 bits and more have no ``0x``.

    So the result stands in a picture once, as a whole, and a search finds it there.
    """
    return _WORD.sub("", text)


def _shape(cell: Cell) -> Look:
    """What kind of cell it is: the first look that decides it."""
    looks = {span.look for span in cell.spans}
    return next((look for look in _SHAPES if look in looks), Look.TEXT)


def _of(cell: Cell, *looks: Look) -> list[Span]:
    return [span for span in cell.spans if span.look in looks]


def _bits(sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float, framed: bool) -> float:
    """A pattern; what is put above it; the number that it stands for."""
    pen, spans = sketch.pen, _of(cell, *STYLES)
    value, names = _of(cell, Look.VALUE), _of(cell, Look.NAME, Look.AWAY)
    digits = sum(len(span.text) for span in spans)
    if not framed:
        area = area.within(6)
    if len(row.cells) == 1:
        whole = area.width if row.written else _whole(sketch, area)
        area = area.middle(max(_DIGIT * digits, 66) if digits < 8 else whole)
    high = _CHIP + (_NUMBER if value else 0)
    if framed:
        sketch.link(row, cell.place.lane, area, y, centered=bool(names))
    if value:
        pen.rect(area.x, y, area.width, high, Ink.PAGE, Ink.LINE, radius=4)
    x = area.x
    tag = max((text_width(x.text.strip(), pen.sized(LEAST)) for x in names), default=0)
    for span in spans:
        box = Area(x, area.width * len(span.text) / digits)
        aside = max(22 if box.width < 90 else 0, _aside(box, span.text, tag)) if names else 0
        bits(pen, box, y, _CHIP, span.text, span.look, span.tint, aside=aside)
        x = box.right
    for span in names:
        ink = Ink.ON if spans[0].look is Look.CHIP else Ink.DIM
        _corner(pen, area, y, span.text.strip(), ink)
    for span in value:
        inside(pen, area, y + _CHIP + 17, span.text, 15, margin=1)
    sketch.leave(cell.place, area, y + high)
    return y + high


def _whole(sketch: Sketch, area: Area) -> float:
    """How wide a whole word is drawn in an area."""
    return (
        min(area.width, part(sketch.columns[0], Slot.LEFT).width)
        if sketch.scene.lanes == 1
        else area.width
    )


def _merged(sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float, _: bool) -> float:
    """A lane that takes t, what is cut off struck; or keeps c's part, hatched."""
    pen = sketch.pen
    taken = bool(_of(cell, Look.TAKEN))
    (chip,), lost = _of(cell, Look.CHIP), _of(cell, Look.LOST)
    ink = Ink.INK if taken else Ink.C
    if sketch.scene.lanes == 1:
        for link, port in sketch.ways(row, cell.place.lane):  # t comes in beside its part of c
            aside = 0 if link.source.key in sketch.registers else -18
            sketch.draw(link, (port.area.center, port.y), (area.center + aside, y))
    else:
        sketch.link(row, cell.place.lane, area, y)
    pen.rect(area.x, y, area.width, _MERGED, Ink.PAGE, ink, radius=5, line=1.4)
    wide = text_width(chip.text, 17, mono=True)
    if not taken:
        pen.hatch(area.x, y, area.width, _MERGED, ink)
        pen.rect(area.x + 4, y + 9, 16, 16, Ink.PAGE, None, radius=2)
        pen.rect(area.center - wide / 2 - 6, y + 6, wide + 12, 22, Ink.PAGE, None, radius=3)
    mask_box(pen, area.x + 7, y + 12, taken, ink)
    center = area.center
    kept_at = cell.spans.index(chip)
    above = [span for span in lost if cell.spans.index(span) < kept_at]
    free = area.width - wide - 26 - 8 * len(lost)
    widths = [text_width(span.text, 13, mono=True) + 6 for span in lost]
    if sum(widths) > free:
        widths = [max(free / len(lost), 10) for _ in lost]
    left = sum(width for span, width in zip(lost, widths, strict=True) if span in above)
    if lost:
        center = max(center, area.x + 24 + left + wide / 2) if above else area.x + 26 + wide / 2
        center = min(center, area.right - 6 - wide / 2)
    for span, width in zip(lost, widths, strict=True):  # on the side where they were
        x = center - wide / 2 - 3 - width if span in above else center + wide / 2 + 3
        fits = text_width(span.text, LEAST, mono=True) <= width - 2
        bits(pen, Area(x, width), y + 7, 20, span.text if fits else "", span.look, span.tint, 13)
    pen.text(center, y + 23, chip.text, 17, ink, anchor="middle", mono=True, bold=True)
    notes = _of(cell, Look.CHANGED, *((Look.TEXT,) if sketch.scene.lanes == 1 else ()),
                *(() if sketch.layout.compact else (Look.NAME,)))  # fmt: skip
    end = y + _MERGED
    for note in notes:
        ink = {Look.CHANGED: Ink.MARK, Look.NAME: Ink.C}.get(note.look, Ink.DIM)
        said = f"kept: {note.text.strip()}" if note.look is Look.NAME else _told(note.text, lost)
        size, mono = _unbroken(said, area.width, pen.sized(10.5))
        for line in wrapped(said, area.width, size, mono):
            pen.text(area.center, end + 13, line, size, ink, anchor="middle", mono=mono,
                     width=area.width)  # fmt: skip
            end += 13
        end += 3
    sketch.leave(cell.place, area, end)
    return end


def _unbroken(text: str, width: float, size: float) -> tuple[float, bool]:
    """Letters in which no word of a text is broken: smaller ones, or narrow ones too."""
    word = max(text.split(), key=len)
    for mono in (False, True):
        found = fitted(word, width, size, mono)
        if found.text == word:
            return found.size, mono
    return LEAST, True


def _told(text: str, lost: list[Span]) -> str:
    """What a lane came from, and what of it falls off: its flag is drawn beside."""
    off = " and ".join(span.text for span in lost)
    return f"of {text.strip(' ◂↻')}" + (f": {off} falls off" if off else "")


def _verdict(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float, framed: bool
) -> float:
    """What is compared, and whether it holds."""
    pen, numbers = sketch.pen, _of(cell, Look.NUMBER)
    high, name = 0.0, (row.written or row.name) if len(row.cells) == 1 else ""
    if numbers:
        high = 26
        if framed:
            pen.rect(area.x, y, area.width, _VERDICT, Ink.PAGE, Ink.LINE, radius=5)
        large = 15 if len(row.cells) > 1 else 17
        inside(pen, area, y + 21, numbers[0].text, large)
    pill = truth(pen, area.center, y + high + 5, _truth_of(cell))
    if name:
        pen.text(pill.x - 10, y + high + 22, name, 13, anchor="end", mono=True,
                 bold=True, width=pill.x - 10 - area.x)  # fmt: skip
    if framed:
        box, top = (area, y) if numbers else (pill, y + 5)
        sketch.link(row, cell.place.lane, box, top)
    end = y + (_VERDICT if numbers and framed else high + 29)
    sketch.leave(cell.place, pill, end)
    return end


def _truth_of(cell: Cell) -> bool | None:
    return None if _of(cell, Look.EITHER) else bool(_of(cell, Look.HOLDS))


def _formula(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float, framed: bool
) -> float:
    """What is computed with, and the value; a value alone where a figure stands above."""
    pen = sketch.pen
    left = "".join(span.text for span in _of(cell, Look.NUMBER))
    value = _of(cell, Look.VALUE, Look.CLAMPED)
    if not value:
        return _sentence(sketch, row, cell, area, y)
    shown = value[0].text
    ink = Ink.MARK if value[0].look is Look.CLAMPED else Ink.INK
    lines = [plain(left)] if left else []
    if left and text_width(lines[0], pen.least, mono=True) > area.width - 2:
        lines = pen.wrapped(lines[0], area.width - 4, 10, mono=True)
    more = 12 * max(len(lines) - 1, 0)
    if framed:
        pen.rect(area.x, y, area.width, _FORMULA + more, Ink.PAGE, Ink.LINE, radius=5)
        sketch.link(row, cell.place.lane, area, y)
    if left:
        for at, line in enumerate(lines):
            inside(pen, area, y + 17 + 12 * at, line, 13, Ink.DIM, bold=False, margin=2)
        signs = [span.text.strip() for span in _of(cell, Look.TEXT) if span.text.strip()]
        result = plain(f"{signs[0] if signs else '='} {shown}")
        inside(pen, area, y + 38 + more, result, 17, ink)
        end = y + _FORMULA + more
        wide = area.width
    else:
        inside(pen, area, y + 15, plain(shown), 16, ink)
        end = y + 20
        wide = max(text_width(shown, 16, mono=True), 40)
    sketch.leave(cell.place, area if framed else area.middle(wide), end)
    return end


def _sentence(sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float) -> float:
    """What has no value to show: a lane that is left out, a result that is thrown away."""
    inside(sketch.pen, area, y + 18, plain(str(cell).strip()), 12, Ink.DIM, bold=False)
    sketch.link(row, cell.place.lane, area, y)
    sketch.leave(cell.place, area, y + 28)
    return y + 28


Shape = Callable[[Sketch, RowScene, Cell, Area, float, bool], float]
_SHAPES: dict[Look, Shape] = {
    Look.TAKEN: _merged,
    Look.KEPT: _merged,
    Look.HOLDS: _verdict,
    Look.FAILS: _verdict,
    Look.EITHER: _verdict,
    Look.CHIP: _bits,
    Look.VALUE: _formula,
    Look.CLAMPED: _formula,
    Look.TEXT: _formula,
}
"""The shape of a cell by the look that decides it, the first that it has."""
