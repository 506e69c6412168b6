"""Gates, choices, truth tables and permuted bytes, with the signature of ``svg_figures``."""

from __future__ import annotations

from ...scene.scene_model import (
    PLAIN,
    BitWord,
    ChoiceBranch,
    ChoiceFigure,
    Gate,
    LaneRef,
    PermutationFigure,
    RowScene,
    SourceByte,
    SpanKind,
    TableEntry,
    TableFigure,
    TakenByte,
    Tint,
)
from .cell_shapes import draw_corner_name, draw_register_name, fit_beside_name
from .page_layout import (
    Area,
    ColumnPart,
    Point,
    Sketch,
    add_hex_prefix,
    choose_chip_colours,
    choose_link_colour,
)
from .svg_canvas import Box, Node, Zone
from .svg_colours import SvgColour
from .symbols import PILL_HEIGHT, choose_bit_colour, draw_bit_box, draw_truth, get_truth
from .text_styles import BITS, DATUM, FORMULA, LABEL, MIN_SIZE, NAME, SMALL, STRONG, TAG, VALUE

_GATE = 24
"""Height of the box of a gate in px."""
_OPTION = 46
"""Height of the box of an option in px."""
_MARGIN = 14
"""Margin in px beside the text of an option."""
_FIRST_INPUT, _SECOND_INPUT = 11, 21
"""Baselines in px of the two lines of its text, if one line is too long."""
_LINES_HEIGHT = 56
"""Height in px of the lines from the options to the chosen value."""
_ASIDE = 50
"""Distance in px of their ends from the condition in the middle."""
_CHOSEN_HEIGHT = 30
"""Height in px of the box of the chosen value."""


def draw_gate(sketch: Sketch, row: RowScene, figure: Gate, y: float) -> float:
    """Draw truth values above a box, and the output below it; return the end."""
    canvas, (area,) = sketch.canvas, sketch.get_areas(row)
    width = max(LABEL.measure(figure.word) + 24, 54)
    top = y + 14
    aside = (0,) if len(figure.inputs) == 1 else (-14, 14)
    inputs = sorted(figure.inputs, key=lambda x: find_start(sketch, x.place, area))
    for value, dx in zip(inputs, aside, strict=True):
        x = area.center + dx
        port = sketch.ports.get(value.place)
        if port:
            # a line from the side descends first, past the middle
            is_from_side = sketch.slots.get(value.place.key) in (ColumnPart.LEFT, ColumnPart.RIGHT)
            words_end = sketch.rows_top if sketch.layout.is_compact else port.y
            turn = max((y - 4 if is_from_side else words_end + 6) - port.y, 9)
            start, colour = (port.area.center, port.y), choose_link_colour(Tint(value.place.key))
            canvas.draw_elbow(start, (x, top), colour, turn=turn)
        text = value.name + ("" if value.value is None else f" = {value.value}")
        anchor, label = ("end", x - 6) if dx < 0 else ("start", x + 6)
        room = area.width / 2 - 20
        if not dx:  # the middle has free space on its right
            is_in_middle = sketch.slots.get(row.key) is ColumnPart.MIDDLE
            room = (sketch.figures if is_in_middle else area).right - label
        canvas.draw_text(label, y + 8, text, DATUM, anchor=anchor, width=room)
    box = Area(area.center - width / 2, width)
    canvas.draw_box(box, top, _GATE, SvgColour.PAGE, SvgColour.INK, radius=8, line=1.4)
    canvas.draw_centered(box, top + 16.5, figure.word, LABEL)
    pill = top + _GATE + 14
    canvas.draw_flow((area.center, top + _GATE), (area.center, pill), SvgColour.DIM)
    extent = draw_truth(canvas, area.center, pill, get_truth(figure.output.value))
    # the middle has free space on its left
    left = area.x if sketch.slots.get(row.key) is not ColumnPart.MIDDLE else sketch.figures.x
    room = extent.x - 8 - left
    canvas.draw_text(
        left + room, pill + 16.5, figure.output.name, NAME, SvgColour.DIM, anchor="end", width=room
    )
    sketch.set_port(row.cells[0].place, extent, pill + PILL_HEIGHT)
    return pill + PILL_HEIGHT


def find_start(sketch: Sketch, place: LaneRef, area: Area) -> float:
    """Return x of the start of a line to a gate, which keeps its lines from crossing."""
    port = sketch.ports.get(place)
    return port.area.center if port else area.center


def draw_choice(sketch: Sketch, row: RowScene, figure: ChoiceFigure, y: float) -> float:
    """Draw two values and the condition between their lines; the chosen line is strong."""
    canvas, (area,) = sketch.canvas, sketch.get_areas(row)
    parts = area.split_columns(2, 12)
    end = y + _OPTION
    pill, bottom, bits = end + 8, end + _LINES_HEIGHT, add_hex_prefix(figure.bits)
    width = min(area.width * 0.8, max(VALUE.measure(bits) + 40, 220))
    box = area.take_middle(width)
    aside = min(_ASIDE, box.width / 2 - 8)
    for option, part in zip(figure.options, parts, strict=True):
        _draw_option(sketch, option, part, y)
        x = area.center - aside if option.is_true_branch else area.center + aside
        _draw_way(sketch, option, (part.center, end), (x, bottom))
    condition = figure.condition
    port = sketch.ports.get(condition.place)
    if port:
        canvas.draw_elbow((port.area.center, port.y), (area.center, pill), SvgColour.DIM)
    extent = draw_truth(canvas, area.center, pill, get_truth(condition.value))
    if not port:  # an operand drawn nowhere else
        sketch.add_zone(condition.place, extent, pill, pill + PILL_HEIGHT)
    between = Area(area.center - aside, 2 * aside)
    canvas.draw_centered(between, pill + PILL_HEIGHT + 11, condition.name, TAG, margin=8)
    taken_tints = [option.tint for option in figure.options if option.is_taken]
    fill, frame = choose_chip_colours(taken_tints[0] if len(taken_tints) == 1 else PLAIN)
    canvas.draw_box(box, bottom, _CHOSEN_HEIGHT, fill, frame)
    colour = SvgColour.INK if fill is SvgColour.PAGE else SvgColour.ON
    canvas.draw_centered(box, bottom + 21, bits, VALUE, colour)
    sketch.set_port(row.cells[0].place, box, bottom + _CHOSEN_HEIGHT)
    return bottom + _CHOSEN_HEIGHT


def format_option(option: ChoiceBranch) -> tuple[str, str]:
    """Return the name of an option, and its condition."""
    return option.name, f"if {'true' if option.is_true_branch else 'false'}"


def _draw_option(sketch: Sketch, option: ChoiceBranch, box: Area, y: float) -> None:
    """Draw an option with its value and its condition."""
    canvas, is_strong = sketch.canvas, option.is_taken
    fill, frame = choose_chip_colours(option.tint)
    port = sketch.ports.get(option.place)
    if port:
        draw = (
            canvas.draw_flow if port.area.x <= box.center <= port.area.right else canvas.draw_elbow
        )
        x = box.center if draw == canvas.draw_flow else port.area.center
        draw((x, port.y), (box.center, y), choose_link_colour(option.tint), is_strong=is_strong)
    canvas.draw_box(
        box,
        y,
        _OPTION,
        fill if is_strong else SvgColour.PAGE,
        frame if is_strong else SvgColour.LINE,
        line=1.6 if is_strong else 1,
        dash="" if is_strong else "4 3",
    )
    is_coloured = is_strong and fill is not SvgColour.PAGE
    name, condition = format_option(option)
    room, colour = box.width - _MARGIN, SvgColour.ON if is_coloured else SvgColour.DIM
    if SMALL.measure(", ".join(format_option(option))) <= box.width - _MARGIN:
        canvas.draw_text(box.x + 8, y + 13, f"{name}, {condition}", SMALL, colour, width=room)
    else:
        canvas.draw_text(box.x + 8, y + _FIRST_INPUT, f"{name},", SMALL, colour, width=room)
        canvas.draw_text(box.x + 8, y + _SECOND_INPUT, condition, SMALL, colour)
    colour = SvgColour.ON if is_coloured else (SvgColour.INK if is_strong else SvgColour.DIM)
    bits = add_hex_prefix(option.bits)
    canvas.draw_centered(box, y + 35, bits, VALUE.with_weight(is_strong), colour)


def _draw_way(sketch: Sketch, option: ChoiceBranch, start: Point, end: Point) -> None:
    """Draw the line from an option to the chosen value, crossed out if not chosen."""
    canvas = sketch.canvas
    canvas.draw_flow(
        start,
        end,
        choose_link_colour(option.tint),
        is_strong=option.is_taken,
        has_head=option.is_taken,
    )
    if not option.is_taken:
        canvas.draw_cross((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, SvgColour.DIM)


_BYTE = 28
"""Height of the box of a byte in px."""
_DIGIT, _DIGIT_WIDTH = 22, 34
"""Height and width of the box of a digit in px."""


def draw_permutation(sketch: Sketch, row: RowScene, figure: PermutationFigure, y: float) -> float:
    """Draw the source bytes as a bar, the line of each lane, and the lanes; return the end."""
    canvas, areas = sketch.canvas, sketch.get_areas(row)
    whole = Area(areas[0].x, areas[-1].right - areas[0].x)
    columns = whole.split_columns(len(figure.sources), 2)
    y = _draw_source_names(sketch, figure, columns, y)
    has_prefixes = all(map(_has_room_for_number, figure.sources, columns))
    for source, area in zip(figure.sources, columns, strict=True):
        kind = SpanKind.CHIP if source.is_taken else SpanKind.UNUSED
        colour, number = choose_bit_colour(kind, source.tint), str(source.number)
        text = add_hex_prefix(source.text) if has_prefixes else source.text
        size, aside, _ = fit_beside_name(area, text, SMALL.measure(number))
        draw_bit_box(canvas, area, y, _BYTE, text, kind, source.tint, size, aside=aside)
        draw_corner_name(canvas, area, y, number, colour)
        if source.place not in sketch.ports:
            sketch.set_port(source.place, area, y + _BYTE)
            sketch.add_zone(source.place, area, y, y + _BYTE)
    top = y + _BYTE + sketch.layout.permutation_drop
    starts, end = dict(zip(figure.sources, columns, strict=True)), top
    for byte, area in zip(figure.lane_bytes, areas, strict=True):
        if byte.source:
            ends = (starts[byte.source].center, y + _BYTE), (area.center, top)
            for link in row.links:
                if (link.source, link.target) == (byte.source.place, byte.place):
                    sketch.draw_link(link, *ends)
        end = max(end, _draw_lane(sketch, byte, area, top))
    for byte in figure.lane_bytes:
        sketch.extents[byte.place] = top, end - 4
    if figure.selector:
        name = figure.selector_name or "without a mode, c"
        canvas.draw_centered(whole, end + 12, f"selector: {name} = {figure.selector}", LABEL)
        end += 18
    for byte, area in zip(figure.lane_bytes, areas, strict=True):
        sketch.set_port(byte.place, area, end)
    return end


def _has_room_for_number(source: SourceByte, area: Area) -> bool:
    """Whether a source byte's bits, with their prefix, leave room for its number."""
    number_width = SMALL.measure(str(source.number))
    return fit_beside_name(area, add_hex_prefix(source.text), number_width)[2]


def _draw_source_names(
    sketch: Sketch, figure: PermutationFigure, columns: list[Area], y: float
) -> float:
    """Draw the name of each word above its bytes; return the end."""
    end = y
    for key in dict.fromkeys(source.place.key for source in figure.sources):
        register = sketch.registers.get(key)
        own = [
            area
            for source, area in zip(figure.sources, columns, strict=True)
            if source.place.key == key
        ]
        if register:
            area = Area(own[0].x, own[-1].right - own[0].x).shrink(3)
            end = max(end, draw_register_name(sketch, register, area, y))
    return end


def _draw_lane(sketch: Sketch, byte: TakenByte, area: Area, y: float) -> float:
    """Draw the digit of a lane, its byte, and the byte's source; return the end."""
    canvas = sketch.canvas
    digit = area.take_middle(_DIGIT_WIDTH)
    draw_bit_box(canvas, digit, y, _DIGIT, byte.digit_text, SpanKind.CHIP, Tint("c"), 13)
    kind = SpanKind.SIGN if byte.is_sign else SpanKind.CHIP
    draw_bit_box(canvas, area, y + _DIGIT, _BYTE, add_hex_prefix(byte.text), kind, byte.tint)
    name = byte.source.name if byte.source else ""
    text = f"8 × top bit of {name}" if byte.is_sign else name
    end = y + _DIGIT + _BYTE
    for line in SMALL.wrap(text, area.width):
        end += 13
        canvas.draw_centered(area, end, line, SMALL, margin=0)
    return end + 5


# --- truth tables ---------------------------------------------------------------------------

_COLUMN = 17.0
"""Width of an entry of a table in px."""
_NAME = 22.0
"""Width of the names of the words in px."""
_ADVANCE = 0.605
"""Width of a digit in em."""


def draw_table(sketch: Sketch, row: RowScene, figure: TableFigure, y: float) -> float:
    """Draw a truth table, with the words beside or below it; return the end."""
    canvas, (area,) = sketch.canvas, sketch.get_areas(row)
    parts_start = len(canvas.parts)
    sketch.draw_links(row, 0, area, y)
    inner, words = area.shrink(8), (*figure.words, figure.result)
    width = _NAME + _COLUMN * len(figure.entries)
    groups = "".join(f" {x}" if i and i % 4 == 0 else x for i, x in enumerate(figure.result.digits))
    beside = Area(inner.x + width + 20, inner.width - width - 20)
    size = min(FORMULA.size, beside.width / max(len(groups) * _ADVANCE, 1))
    is_beside = size >= MIN_SIZE
    table = Area(inner.x, width) if is_beside and groups else inner.take_middle(width)
    pitch = sketch.layout.table_line
    end = _draw_entries(sketch, figure, words, table, y + 6, pitch)
    if groups:
        if not is_beside:
            size = min(FORMULA.size, (inner.width - _NAME) / (len(groups) * _ADVANCE))
        strip, top = (beside, y + 6) if is_beside else (inner, end + 4)
        end = max(end, _draw_words(sketch, figure, words, strip, top, size, pitch, not is_beside))
    text = f"{figure.text} = {figure.formula}"
    if groups:
        text += f", so {figure.result.name} = {figure.result.text}"
    canvas.draw_centered(inner, end + 14, text, BITS)
    end += 22
    if names := figure.ignored_names:
        note = f"ignores {' and '.join(names)}"
        canvas.draw_text(inner.center, end + 10, note, STRONG, SvgColour.DIM, anchor="middle")
        end += 16
    canvas.draw_below(parts_start, [area], y, end + 4 - y)
    sketch.set_port(figure.place, area, end + 4)
    return end + 4


def _draw_entries(
    sketch: Sketch,
    figure: TableFigure,
    words: tuple[BitWord, ...],
    area: Area,
    y: float,
    pitch: float,
) -> float:
    """Draw the table: a column per entry, with its number and the count of bits that select it."""
    canvas, middle = sketch.canvas, len(words) * pitch
    has_counts = bool(figure.result.digits)
    columns = [
        Area(area.x + _NAME + _COLUMN * index, _COLUMN) for index in range(len(figure.entries))
    ]
    for entry, column in zip(figure.entries, columns, strict=True):
        if entry.positions:
            canvas.draw_rect(
                column.x + 1, y, column.width - 2, middle + pitch + 2, SvgColour.SOFT, None
            )
        canvas.draw_centered(column, y + 13, str(entry.number), TAG, margin=1)
        for line, (value, word) in enumerate(zip(entry.bits, figure.words, strict=True), 1):
            colour = SvgColour.DIM if word.is_ignored else SvgColour.INK
            base = y + 14 + line * pitch
            canvas.draw_centered(column, base, str(value), FORMULA, colour)
        box = Area(column.x + 1.5, column.width - 3)  # boxes touch neither each other nor a digit
        kind = SpanKind.CHIP if entry.value else SpanKind.UNUSED
        draw_bit_box(
            canvas, box, y + middle + 2, pitch - 1, str(entry.value), kind, Tint("c"), FORMULA.size
        )
        if has_counts:
            count = f"×{len(entry.positions)}"
            canvas.draw_centered(column, y + middle + pitch + 14, count, TAG, margin=0)
    for line, word in enumerate(words, 1):
        _draw_word_name(sketch, word, area, y + 14 + line * pitch)
    for entry, column in zip(figure.entries, columns, strict=True):
        add_entry_zone(sketch, figure, entry, (column.x, y, column.width, middle + pitch + 2))
    return y + middle + pitch + (18 if has_counts else 4)


def add_entry_zone(sketch: Sketch, figure: TableFigure, entry: TableEntry, box: Box) -> None:
    """Record the position of an entry of the table."""
    node = _make_node(sketch, figure, "entry", entry.number)
    sketch.detail_zones.append(Zone(node, box, f"{entry.sentence}."))


def add_bit_zone(sketch: Sketch, figure: TableFigure, bit: int, box: Box) -> None:
    """Record the position of a bit of the words, and its link to its entry."""
    node, entry = _make_node(sketch, figure, "bit", bit), figure.find_entry(bit)
    sketch.detail_zones.append(Zone(node, box, f"bit {bit}: {entry.sentence}."))
    entry_node = _make_node(sketch, figure, "entry", entry.number)
    sketch.canvas.links.setdefault((node, entry_node), [])  # each highlights the other


def _make_node(sketch: Sketch, figure: TableFigure, part: str, number: int) -> Node:
    """Return a bit, or an entry of the table, as a node of the picture."""
    branch, key, _ = sketch.make_node(figure.place)
    return branch, f"{key}.{part}", number


def _draw_word_name(sketch: Sketch, word: BitWord, area: Area, base: float) -> None:
    colour = SvgColour.DIM if word.is_ignored else SvgColour.INK
    sketch.canvas.draw_text(area.x, base, word.name, NAME, colour, width=_NAME - 2)


def _draw_words(
    sketch: Sketch,
    figure: TableFigure,
    words: tuple[BitWord, ...],
    area: Area,
    y: float,
    size: float,
    pitch: float,
    is_named: bool,
) -> float:
    """Draw the words bit by bit, each bit below the number of its entry."""
    canvas, advance = sketch.canvas, size * _ADVANCE
    count = len(figure.result.digits)
    rows = [(figure.entry_digits, SvgColour.DIM)]
    rows += [(x.digits, SvgColour.DIM if x.is_ignored else SvgColour.INK) for x in words]
    start = area.x + (_NAME if is_named else 0)
    for line, (digits, colour) in enumerate(rows):
        style = FORMULA.with_size(size).with_weight(line == len(rows) - 1)
        for index in range(0, count, 4):
            x, group = start + (index + index // 4) * advance, digits[index : index + 4]
            canvas.draw_text(x, y + 14 + line * pitch, group, style, colour)
    if is_named:
        for line, word in enumerate(words, 1):
            _draw_word_name(sketch, word, area, y + 14 + line * pitch)
    for index in range(count):
        box = (start + (index + index // 4) * advance, y + 2, advance, len(rows) * pitch)
        add_bit_zone(sketch, figure, count - 1 - index, box)
    return y + len(rows) * pitch + 4
