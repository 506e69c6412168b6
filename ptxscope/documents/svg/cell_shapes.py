"""Registers and cells of rows, drawn by the kinds of their spans."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import fsum

from ...scene.row_pairs import OUTCOMES
from ...scene.scene_model import Cell, CellSpan, NumberLine, RegisterFigure, RowScene, SpanKind
from .page_layout import ROLE_INKS, Area, ColumnPart, Sketch, take_column_part
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour
from .symbols import (
    PILL_HEIGHT,
    STYLES,
    choose_bit_colour,
    draw_bit_box,
    draw_flags,
    draw_mask_box,
    draw_truth,
    measure_flags,
)
from .text_styles import (
    BITS,
    DATUM,
    FORMULA,
    LABEL,
    MIN_LETTER_PX,
    MIN_SIZE,
    NAME,
    NOTE,
    SMALL,
    TAG,
    VALUE,
    TextStyle,
    measure_text,
    wrap_formula,
)

_LETTERS = {8: "b", 16: "h"}
_DIGIT = 34
"""Width in px of a hexadecimal digit of a part, if the whole register fits."""
_TAG_GAP = 4
"""Minimum gap in px between bits and a name in the corner."""
_CHIP, _NUMBER = 28, 22
"""Heights in px of a box of bits, and of the number below it."""
_MERGED = 34
_VERDICT = 62
_FORMULA = 46
_FORMULA_MARGIN = 6
"""Width in px between a formula and its box, both sides together."""
_CAPTION, _INCOMING = 14, 24
"""Heights in px of the name above an incoming value, and of its box."""


def draw_register(sketch: Sketch, figure: RegisterFigure, slot: ColumnPart, y: float) -> float:
    """Draw the read parts of a register; return the end."""
    canvas = sketch.canvas
    areas = sketch.make_areas(len(figure.cells), slot)
    if figure.unit == 1:
        (cell,) = figure.cells
        is_known = cell.spans[0].kind is not SpanKind.EITHER
        pill = draw_truth(canvas, areas[0].center, y, str(cell) == "1" if is_known else None)
        name = figure.name
        name = figure.label if name in ("", figure.role) else f"{figure.label} {name}"
        colour = ROLE_INKS.get(figure.role, SvgColour.INK)
        left = areas[0].x if slot is not ColumnPart.MIDDLE else sketch.figures.x
        canvas.draw_text(
            pill.x - 8, y + 16.5, name, NAME, colour, anchor="end", width=pill.x - 8 - left
        )
        sketch.set_port(cell.place, pill, y + 24)
        return y + 24
    if not figure.is_by_lane:
        areas = _draw_joined_parts(sketch, figure, slot)
        y = draw_register_name(sketch, figure, Area(areas[0].x, areas[-1].right - areas[0].x), y)
    if sketch.layout.is_compact and figure.role == "c":  # its lanes are kept or ignored
        figure = figure._replace(
            cells=tuple(x._replace(spans=x.spans[:1]) for x in figure.cells), figure=None
        )
    line_count = max(
        len(_list_readings(cell, area)) for cell, area in zip(figure.cells, areas, strict=True)
    )
    height = 26 + 12 * line_count if line_count else _CHIP
    for cell, area in zip(figure.cells, areas, strict=True):
        _draw_part(canvas, figure, cell, area, y, height)
        sketch.set_port(cell.place, area, y + height)
    return y + height


def _draw_joined_parts(sketch: Sketch, figure: RegisterFigure, slot: ColumnPart) -> list[Area]:
    """Return adjacent areas for a register's parts; in a merge, each above its lane."""
    if slot is ColumnPart.FULL:
        return sketch.make_areas(len(figure.cells), slot)
    (area,) = sketch.make_areas(1, slot)
    if sketch.scene.lanes > 1 and figure.role in ("a", "b"):  # beside the lanes of the other one
        area = take_column_part(sketch.columns[-1], slot)
    return area.split_columns(len(figure.cells), 2)


def draw_register_name(sketch: Sketch, figure: RegisterFigure, area: Area, y: float) -> float:
    """Draw the name and the value of a register above it, on one line or two; return the end."""
    canvas, colour = sketch.canvas, ROLE_INKS.get(figure.role, SvgColour.INK)
    canvas.draw_text(area.x, y + 12, figure.label, BITS, colour)
    start = BITS.measure(figure.label) + 8
    name = figure.name
    name = "" if name == figure.role else name
    meant = "" if figure.unit == 1 or figure.meaning == name else figure.meaning  # a constant
    if start + DATUM.measure(f"{name}   {meant}") > area.width:
        canvas.draw_text(area.x + start, y + 12, name, DATUM, width=area.width - start)
        canvas.draw_text(area.x, y + 26, meant, DATUM, width=area.width)
        return y + 32
    canvas.draw_text(area.x + start, y + 12, name, DATUM)
    canvas.draw_text(area.right, y + 12, meant, DATUM, anchor="end")
    return y + 18


def _list_readings(cell: Cell, area: Area) -> list[str]:
    """Return the lines of the numbers below a part; two readings may need two lines."""
    numbers = [span.text.strip() for span in cell.spans[1:]]
    room, small = area.width - 4, SMALL.with_size(MIN_LETTER_PX)
    return [
        line
        for number in numbers
        for line in ([number] if small.measure(number) <= room else number.split(", "))
    ]


def format_part_name(register: str, unit: int, number: int) -> str:
    """Return the name of a byte or half-word of a register: ``a.b3``; empty for other parts."""
    return f"{register}.{_LETTERS[unit]}{number}" if unit in _LETTERS else ""


def _draw_part(
    canvas: SvgCanvas, figure: RegisterFigure, cell: Cell, area: Area, y: float, height: float
) -> None:
    """Draw a byte, half-word or word; the number of a lane is below it."""
    span, readings = cell.spans[0], _list_readings(cell, area)
    text = span.text
    if measure_text(text, MIN_SIZE, is_monospaced=True) > area.width - 4:
        text = text.removeprefix("0x")  # the bytes of a register in a narrow column
    draw_bit_box(canvas, area, y, height, "", span.kind, span.tint)
    style = STYLES[span.kind]
    base = y + (19 if readings else height / 2 + 5.4)
    name = format_part_name(figure.label, figure.unit, cell.place.lane)
    is_named = bool(name) and not text.endswith(name)  # as in a form
    tag_width = SMALL.measure(name) if is_named else 0
    size, aside, is_named = fit_beside_name(area, text, tag_width)
    letters = BITS.with_size(size).with_weight(style.is_bold)
    box = Area(area.x - aside / 2, area.width)
    colour = choose_bit_colour(span.kind, span.tint)
    canvas.draw_centered(box, base, text, letters, colour)
    if is_named:
        draw_corner_name(canvas, area, y, name, colour)
    for index, number in enumerate(readings):
        canvas.draw_centered(area, y + 33 + 12 * index, number, SMALL, colour)


def fit_beside_name(area: Area, text: str, tag_width: float) -> tuple[float, float, bool]:
    """Return the size of bits, the free px beside them, and whether the name fits there.

    Without a name, ``tag_width`` is 0.
    """
    for size in (BITS.size, NAME.size) if tag_width else ():
        text_width = BITS.with_size(size).measure(text)
        aside = max(text_width + 2 * (tag_width + 3 + _TAG_GAP) - area.width, 0)
        if aside <= area.width - text_width - 4:
            return size, aside, True
    return BITS.size, 0, False


def draw_corner_name(canvas: SvgCanvas, area: Area, y: float, text: str, colour: SvgColour) -> None:
    """Draw a name in the upper right corner of a box."""
    canvas.draw_text(area.right - 3, y + 10.3, text, SMALL, colour, anchor="end")


def draw_cells(sketch: Sketch, row: RowScene, y: float, *, is_framed: bool = True) -> float:
    """Draw the cells of a row by shape, with their flags below; return the end.

    Cells without a frame belong to the figure above, where lines end.
    """
    areas = sketch.get_areas(row)
    bottoms = [
        SHAPES[choose_shape(cell)](sketch, row, cell, area, y, is_framed)
        for cell, area in zip(row.cells, areas, strict=True)
    ]
    return draw_lane_flags(sketch, row, areas, max(bottoms))


def draw_packed_lanes(sketch: Sketch, row: RowScene, y: float) -> float:
    """Draw lanes side by side in one register, each below its source; return the end."""
    canvas, place = sketch.canvas, row.cells[0].place
    areas = sketch.get_areas(row)
    full_area = Area(areas[0].x, areas[-1].right - areas[0].x)
    sketch.draw_links(row, place.lane, full_area, y)
    canvas.draw_box(full_area, y, _MERGED, SvgColour.PAGE, SvgColour.INK, line=1.6)
    for left_area, right_area in pairwise(areas):
        x = (left_area.right + right_area.x) / 2
        canvas.draw_line(x, y, x, y + _MERGED, SvgColour.INK)
    for cell, area in zip(row.cells, areas, strict=True):
        canvas.draw_centered(area, y + 23, str(cell), VALUE)
    sketch.set_port(place, full_area, y + _MERGED)
    return draw_lane_flags(sketch, row._replace(cells=row.cells[:1]), [full_area], y + _MERGED)


def draw_incoming_values(sketch: Sketch, row: RowScene, y: float) -> float:
    """Draw the values and the name of a row from a hidden step; return the end."""
    canvas, areas = sketch.canvas, sketch.get_areas(row)
    cells_, top = list(row.cells), y + _CAPTION
    name = row.destination_name or row.name
    if len({cell.place for cell in cells_}) < len(cells_):
        if all(
            list_spans(cell, SpanKind.CHIP) for cell in cells_
        ):  # one word over the columns of its parts
            areas = [Area(areas[0].x, areas[-1].right - areas[0].x)]
            digits = "".join(cell.spans[0].text.removeprefix("0x") for cell in cells_)
            word = f"0x{digits}" if cells_[0].spans[0].text.startswith("0x") else digits
            cells_ = [cells_[0]._replace(spans=(cells_[0].spans[0]._replace(text=word),))]
        else:  # the total of a sum is in its last column
            cells_, areas = cells_[-1:], areas[-1:]
    for cell, area in zip(cells_, areas, strict=True):
        outcomes = list_spans(cell, *OUTCOMES)[-1:]
        if not outcomes:
            continue
        (span,) = outcomes
        if span.kind in (SpanKind.HOLDS, SpanKind.FAILS):
            box, height = (
                draw_truth(canvas, area.center, top, span.kind is SpanKind.HOLDS),
                float(PILL_HEIGHT),
            )
        else:
            width = BITS.measure(span.text) + 28
            box, height = (
                (area.take_middle(max(width, 66)) if len(row.cells) == 1 else area),
                _INCOMING,
            )
            if span.kind is SpanKind.CHIP:
                draw_bit_box(canvas, box, top, height, span.text, span.kind, span.tint)
            else:
                canvas.draw_box(
                    box, top, height, SvgColour.PAGE, SvgColour.DIM, radius=4, dash="4 3"
                )
                canvas.draw_centered(box, top + 17.5, span.text, BITS)
        canvas.draw_text(box.center, y + 9, name, TAG, anchor="middle", width=area.width)
        sketch.set_port(cell.place, box, top + height)
    return top + _INCOMING


def draw_lane_flags(sketch: Sketch, row: RowScene, areas: list[Area], y: float) -> float:
    """Draw the flags of each lane below it; move the starts of lines below them."""
    max_count = 0
    if sketch.layout.is_compact and isinstance(row.figure, NumberLine):  # its arrows show the flags
        return y
    for cell, area in zip(row.cells, areas, strict=True):
        cell_view = sketch.words.get((row.key, cell.place.lane))
        flags = cell_view.flags if cell_view and not list_spans(cell, SpanKind.KEPT) else ()
        draw_flags(sketch.canvas, area, y, flags)
        max_count = max(max_count, len(flags))
        port = sketch.ports.get(cell.place)
        if port and flags:
            sketch.set_port(cell.place, port.area, y + measure_flags(len(flags)))
    return y + measure_flags(max_count)


def draw_sentence(sketch: Sketch, row: RowScene, area: Area, y: float) -> float:
    """Draw the sentence on a number in small letters; return the end."""
    cell_view = sketch.words.get((row.key, 0))
    if not cell_view:
        return y
    if sketch.layout.is_compact:
        return y + 6
    lines = NOTE.wrap(cell_view.sentence, area.width)
    for index, line in enumerate(lines):
        sketch.canvas.draw_text(area.center, y + 14 + index * 14, line, NOTE, anchor="middle")
    return y + 6 + 14 * len(lines)


def choose_shape(cell: Cell) -> SpanKind:
    """Return the kind that determines a cell's shape."""
    kinds = {span.kind for span in cell.spans}
    return next((kind for kind in SHAPES if kind in kinds), SpanKind.TEXT)


def list_spans(cell: Cell, *kinds: SpanKind) -> list[CellSpan]:
    """Return the spans of some kinds in a cell."""
    return [span for span in cell.spans if span.kind in kinds]


def _draw_bits(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float, is_framed: bool
) -> float:
    """Draw a bit pattern with its extension, and its number."""
    canvas, spans = sketch.canvas, list_spans(cell, *STYLES)
    value, names = (
        list_spans(cell, SpanKind.VALUE),
        list_spans(cell, SpanKind.NAME, SpanKind.AWAY),
    )
    digits = sum(len(span.text.removeprefix("0x")) for span in spans)
    if not is_framed:
        area = area.shrink(6)
    if len(row.cells) == 1:
        full_width = area.width if row.destination_name else _measure_word(sketch, area)
        area = area.take_middle(max(_DIGIT * digits, 66) if digits < 8 else full_width)
    height = _CHIP + (_NUMBER if value else 0)
    if is_framed:
        sketch.draw_links(row, cell.place.lane, area, y, is_centered=bool(names))
    if value:
        canvas.draw_box(area, y, height, SvgColour.PAGE, SvgColour.LINE, radius=4)
    x = area.x
    tag = max((SMALL.measure(x.text.strip()) for x in names), default=0)
    is_named = True
    for span in spans:
        box = Area(x, area.width * len(span.text.removeprefix("0x")) / digits)
        size, aside, is_named = fit_beside_name(box, span.text, tag)
        text_width = BITS.with_size(size).measure(span.text)
        if names and box.width < 90:
            aside = max(min(22, box.width - text_width - 4), aside)  # the bits stay in their box
        draw_bit_box(canvas, box, y, _CHIP, span.text, span.kind, span.tint, size, aside=aside)
        x = box.right
    for span in names if is_named or spans[1:] else ():
        is_chip = spans[0].kind is SpanKind.CHIP
        colour = choose_bit_colour(SpanKind.CHIP, spans[0].tint) if is_chip else SvgColour.DIM
        draw_corner_name(canvas, area, y, span.text.strip(), colour)
    for span in value:
        canvas.draw_centered(area, y + _CHIP + 17, span.text, BITS, margin=1)
    sketch.set_port(cell.place, area, y + height)
    return y + height


def _measure_word(sketch: Sketch, area: Area) -> float:
    """Return the width of a whole word in an area."""
    return (
        min(area.width, take_column_part(sketch.columns[0], ColumnPart.LEFT).width)
        if sketch.scene.lanes == 1
        else area.width
    )


def _draw_merged_lane(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float, _: bool
) -> float:
    """Draw a lane that takes t, with lost bits struck through, or keeps c's part, hatched."""
    canvas = sketch.canvas
    is_taken = bool(list_spans(cell, SpanKind.TAKEN))
    (chip,), lost_spans = list_spans(cell, SpanKind.CHIP), list_spans(cell, SpanKind.LOST)
    colour = SvgColour.INK if is_taken else SvgColour.C
    if sketch.scene.lanes == 1:
        for link, port in sketch.find_incoming_links(
            row, cell.place.lane
        ):  # t arrives beside its part of c, with a crossed-out line
            is_from_right = port.area.center > area.center
            aside = 18 if is_from_right else -18
            aside = 0 if link.source.key in sketch.registers else aside
            sketch.draw_link(link, (port.area.center, port.y), (area.center + aside, y))
    else:
        sketch.draw_links(row, cell.place.lane, area, y)
    canvas.draw_box(area, y, _MERGED, SvgColour.PAGE, colour, line=1.4)
    chip_width = VALUE.measure(chip.text)
    if not is_taken:
        canvas.draw_hatch(area.x, y, area.width, _MERGED, colour)
        canvas.draw_cover(Area(area.x + 4, 16), y + 9, 16)
        canvas.draw_cover(area.take_middle(chip_width + 12), y + 6, 22)
    draw_mask_box(canvas, area.x + 7, y + 12, is_taken, colour)
    center = area.center
    chip_index = cell.spans.index(chip)
    upper_spans = [span for span in lost_spans if cell.spans.index(span) < chip_index]
    free_width = area.width - chip_width - 26 - 8 * len(lost_spans)
    widths = [LABEL.measure(span.text) + 6 for span in lost_spans]
    if fsum(widths) > free_width:
        widths = [max(free_width / len(lost_spans), 10) for _ in lost_spans]
    upper_width = fsum(
        width for span, width in zip(lost_spans, widths, strict=True) if span in upper_spans
    )
    if lost_spans:
        center = (
            max(center, area.x + 24 + upper_width + chip_width / 2)
            if upper_spans
            else area.x + 26 + chip_width / 2
        )
        center = min(center, area.right - 6 - chip_width / 2)
    for span, width in zip(lost_spans, widths, strict=True):  # on the side where they were
        x = (
            center - chip_width / 2 - 3 - width
            if span in upper_spans
            else center + chip_width / 2 + 3
        )
        has_room = measure_text(span.text, MIN_LETTER_PX, is_monospaced=True) <= width - 2
        text, box = span.text if has_room else "", Area(x, width)
        draw_bit_box(canvas, box, y + 7, 20, text, span.kind, span.tint, LABEL.size)
    canvas.draw_text(center, y + 23, chip.text, VALUE, colour, anchor="middle")
    notes = list_spans(
        cell,
        SpanKind.CHANGED,
        *((SpanKind.TEXT,) if sketch.scene.lanes == 1 else ()),
        *(() if sketch.layout.is_compact else (SpanKind.NAME,)),
    )
    end = y + _MERGED
    # in a compact picture, kept lanes have nothing below
    takers = [x for x in row.cells if list_spans(x, SpanKind.TAKEN)]
    has_free_sides = sketch.layout.is_compact and takers == [cell]
    for note in notes:
        colour = {SpanKind.CHANGED: SvgColour.MARK, SpanKind.NAME: SvgColour.C}.get(
            note.kind, SvgColour.DIM
        )
        text = (
            f"kept: {note.text.strip()}"
            if note.kind is SpanKind.NAME
            else _format_source(note.text, lost_spans)
        )
        box = _widen(sketch, area, text) if has_free_sides else area
        if box.width > area.width:  # the note is not within the frame of one lane
            sketch.extents |= {x.place: (y, y + _MERGED) for x in row.cells}
        style = _fit_unbroken(text, box.width)
        for line in style.wrap(text, box.width):
            canvas.draw_centered(box, end + 13, line, style, colour, margin=0)
            end += 13
        end += 3
    sketch.set_port(cell.place, area, end)
    return end


def _widen(sketch: Sketch, area: Area, text: str) -> Area:
    """Return an area for a text without broken words, if necessary over its neighbours."""
    width = max(DATUM.with_size(MIN_LETTER_PX).measure(word) for word in text.split())
    width = min(max(width, area.width), sketch.figures.width)
    return Area(sketch.figures.clamp_center(area.center, width) - width / 2, width)


def _fit_unbroken(text: str, width: float) -> TextStyle:
    """Return a style, if necessary with smaller letters, for a text without broken words."""
    word = max(text.split(), key=len)
    for style in (SMALL, DATUM):
        fitted = style.fit(word, width)
        if fitted.text == word:
            return style.with_size(fitted.size)
    return DATUM.with_size(MIN_LETTER_PX)


def _format_source(text: str, lost_bits: list[CellSpan]) -> str:
    """Format the source of a lane and its lost bits; the flag is drawn separately."""
    lost_digits = " and ".join(span.text for span in lost_bits)
    return f"of {text.strip(' ◂↻')}" + (f": {lost_digits} cut off" if lost_digits else "")


def _draw_verdict(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float, is_framed: bool
) -> float:
    """Draw a comparison and its outcome."""
    canvas, numbers = sketch.canvas, list_spans(cell, SpanKind.NUMBER)
    height, name = 0.0, (row.destination_name or row.name) if len(row.cells) == 1 else ""
    if numbers:
        height = 26
        if is_framed:
            canvas.draw_box(area, y, _VERDICT)
        canvas.draw_centered(area, y + 21, numbers[0].text, BITS if len(row.cells) > 1 else VALUE)
    is_true = None if list_spans(cell, SpanKind.EITHER) else bool(list_spans(cell, SpanKind.HOLDS))
    pill = draw_truth(canvas, area.center, y + height + 5, is_true)
    if name:
        canvas.draw_text(
            pill.x - 10, y + height + 22, name, LABEL, anchor="end", width=pill.x - 10 - area.x
        )
    if is_framed:
        box, top = (area, y) if numbers else (pill, y + 5)
        sketch.draw_links(row, cell.place.lane, box, top)
    end = y + (_VERDICT if numbers and is_framed else height + 29)
    sketch.set_port(cell.place, pill, end)
    return end


def _draw_formula(
    sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float, is_framed: bool
) -> float:
    """Draw a formula and its value; below a figure, only the value."""
    canvas = sketch.canvas
    formula = "".join(span.text for span in list_spans(cell, SpanKind.NUMBER))
    value = list_spans(cell, SpanKind.VALUE, SpanKind.CLAMPED)
    if not value:
        return _draw_missing_value(sketch, row, cell, area, y)
    value_text = format_cell_value(cell)
    colour = SvgColour.MARK if value[0].kind is SpanKind.CLAMPED else SvgColour.INK
    lines = [formula] if formula else []
    room = area.width - _FORMULA_MARGIN
    if formula and measure_text(lines[0], MIN_SIZE, is_monospaced=True) > room:
        lines = wrap_formula(lines[0], room)
    extra_height = 12 * max(len(lines) - 1, 0)
    if is_framed:
        canvas.draw_box(area, y, _FORMULA + extra_height)
        sketch.draw_links(row, cell.place.lane, area, y)
    if formula:
        for index, line in enumerate(lines):
            style = FORMULA.with_size(MIN_SIZE) if lines[1:] else FORMULA
            canvas.draw_centered(area, y + 17 + 12 * index, line, style, margin=_FORMULA_MARGIN)
        canvas.draw_centered(area, y + 38 + extra_height, value_text, VALUE, colour)
        end = y + _FORMULA + extra_height
        width = area.width
    else:
        canvas.draw_centered(area, y + 15, value_text, VALUE, colour)
        end = y + 20
        width = max(VALUE.measure(value_text), 40)
    sketch.set_port(cell.place, area if is_framed else area.take_middle(width), end)
    return end


def format_cell_value(cell: Cell) -> str:
    """Return the value of a cell with the formula's sign before it; or the whole cell."""
    value = list_spans(cell, SpanKind.VALUE, SpanKind.CLAMPED)
    if not value:
        return str(cell).strip()
    if not list_spans(cell, SpanKind.NUMBER):
        return value[0].text
    signs = [x.text.strip() for x in list_spans(cell, SpanKind.TEXT) if x.text.strip()]
    return f"{signs[0] if signs else '='} {value[0].text}"


def _draw_missing_value(sketch: Sketch, row: RowScene, cell: Cell, area: Area, y: float) -> float:
    """Draw the text of a cell without a value: an omitted lane, or a discarded result."""
    sketch.canvas.draw_centered(area, y + 18, format_cell_value(cell), FORMULA)
    sketch.draw_links(row, cell.place.lane, area, y)
    sketch.set_port(cell.place, area, y + 28)
    return y + 28


Shape = Callable[[Sketch, RowScene, Cell, Area, float, bool], float]
SHAPES: dict[SpanKind, Shape] = {
    SpanKind.TAKEN: _draw_merged_lane,
    SpanKind.KEPT: _draw_merged_lane,
    SpanKind.HOLDS: _draw_verdict,
    SpanKind.FAILS: _draw_verdict,
    SpanKind.EITHER: _draw_verdict,
    SpanKind.CHIP: _draw_bits,
    SpanKind.VALUE: _draw_formula,
    SpanKind.CLAMPED: _draw_formula,
    SpanKind.TEXT: _draw_formula,
}
"""Shape by kind of span; the first kind that occurs in a cell wins."""
