"""Gates, choices, truth tables and permuted bytes, with the axes of ``wide_shapes``."""

from __future__ import annotations

from ...documents.svg.logic_figures import (
    add_bit_zone,
    add_entry_zone,
    find_start,
    format_option,
)
from ...documents.svg.page_layout import (
    Area,
    ColumnPart,
    Sketch,
    add_hex_prefix,
    choose_chip_colours,
    choose_link_colour,
    take_column_part,
)
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.symbols import draw_bit_box, draw_truth, get_truth
from ...documents.svg.text_styles import TextStyle
from ...scene.scene_model import (
    PLAIN,
    CellSpan,
    ChoiceBranch,
    ChoiceFigure,
    Gate,
    PermutationFigure,
    RowScene,
    SpanKind,
    TableFigure,
    TakenByte,
    Tint,
)
from .wide_settings import require_height
from .wide_shapes import (
    BITS,
    CODE,
    LABEL,
    LINE,
    NOTE,
    PILL,
    SCALE,
    VALUE,
    Piece,
    draw_middle,
    draw_pieces,
    measure_pieces,
)


def draw_gate(sketch: Sketch, row: RowScene, figure: Gate, x: float) -> float:
    """Draw truth values that enter a box from the left, and the output at its right."""
    canvas, (area,) = sketch.canvas, sketch.get_areas(row)
    require_height(area, 60)
    width = max(LABEL.measure(figure.word) + 20, 56)

    inputs = sorted(figure.inputs, key=lambda value: find_start(sketch, value.place, area))
    texts = ["" if v.place in sketch.ports else
             v.name + ("" if v.value is None else f" = {v.value}") for v in inputs]  # fmt: skip
    left = x + max(map(CODE.measure, texts)) + 12
    aside = (0.0,) if len(inputs) == 1 else (-24.0, 24.0)
    for value, dy, text in zip(inputs, aside, texts, strict=True):
        y, port = area.center + dy, sketch.ports.get(value.place)
        if port:
            colour = choose_link_colour(Tint(value.place.key))
            is_from_side = sketch.slots.get(value.place.key) in (ColumnPart.LEFT, ColumnPart.RIGHT)
            room = sketch.layout.crossing * 0.5
            start, turn = port.area.center, max(x - room, port.y) if is_from_side else port.y
            canvas.draw_flow((start, port.y), (start, turn), colour, has_head=False)
            turned = min(turn + 2 * room, x) if turn < x else x
            canvas.draw_flow((start, turn), (y, turned), colour, has_head=False)
            canvas.draw_flow((y, turned), (y, left), colour)
        draw_middle(canvas, left - 10, y - 14 if dy <= 0 else y + 14, text, CODE, None, "end")
    box = area.take_middle(80)
    canvas.draw_rect(
        left, box.x, width, box.width, SvgColour.PAGE, SvgColour.INK, radius=12, line=2
    )
    draw_middle(canvas, left + width / 2, area.center, figure.word, LABEL)
    pill = left + width + 24
    canvas.draw_flow((area.center, left + width), (area.center, pill), SvgColour.DIM)
    center, output = pill + PILL.width / 2, figure.output
    draw_truth(canvas, center, area.center - 18, get_truth(output.value), SCALE)
    draw_middle(canvas, center, area.center + 34, output.name, BITS)
    sketch.extents[row.cells[0].place] = pill, pill + PILL.width
    sketch.set_port(row.cells[0].place, area.take_middle(36), pill + PILL.width)
    return max(pill + PILL.width, center + BITS.measure(output.name) / 2)


def draw_choice(sketch: Sketch, row: RowScene, figure: ChoiceFigure, x: float) -> float:
    """Draw two values above each other and the condition between; the chosen line is strong."""
    canvas, (area,) = sketch.canvas, sketch.get_areas(row)
    require_height(area, 2 * _OPTION + 10)
    style = VALUE if len(figure.bits) <= 10 else VALUE.with_size(18)
    texts = [", ".join(format_option(option)) for option in figure.options]
    bits = [style.measure(add_hex_prefix(option.bits)) for option in figure.options]
    width, condition = max(*bits, *map(NOTE.measure, texts)) + 28, figure.condition
    pill = x + width + 24 + PILL.width / 2
    right, box = pill + PILL.width / 2 + 26, area.take_middle(96)
    for option, side, text in zip(figure.options, _SIDES, texts, strict=True):
        own = take_column_part(area, side).take_middle(_OPTION)
        _draw_option(sketch, option, text, style, own, Area(x, width))
        end = box.x + 9 if own.center < area.center else box.right - 9
        way, colour = ((own.center, x + width), (end, right)), choose_link_colour(option.tint)
        is_strong = option.is_taken
        canvas.draw_flow(*way, colour, is_strong=is_strong, has_head=is_strong)
        if not is_strong:
            # a quarter of the way, so that the name of the condition is free
            cross = 0.7 * (x + width) + 0.3 * right, 0.84 * own.center + 0.16 * end
            canvas.draw_cross(*cross, SvgColour.DIM, 6)
    port = sketch.ports.get(condition.place)
    if port:
        ends = (port.area.center, port.y), (area.center, pill - PILL.width / 2)
        canvas.draw_flow(*ends, SvgColour.DIM)
    draw_truth(canvas, pill, area.center - 18, get_truth(condition.value), SCALE)
    draw_middle(canvas, pill, area.center + 28, condition.name, CODE, SvgColour.INK)
    if not port:  # an operand that nothing else draws
        sketch.add_zone(condition.place, area.take_middle(36), pill - 50, pill + 50)
    tints = [option.tint for option in figure.options if option.is_taken]
    fill, frame = choose_chip_colours(tints[0] if len(tints) == 1 else PLAIN)
    chosen = max(style.measure(add_hex_prefix(figure.bits)) + 28, 90)
    canvas.draw_rect(right, box.x, chosen, box.width, fill, frame, radius=6, line=2)
    ink = SvgColour.INK if fill is SvgColour.PAGE else SvgColour.ON
    draw_middle(canvas, right + chosen / 2, area.center, add_hex_prefix(figure.bits), style, ink)
    sketch.set_port(row.cells[0].place, box, right + chosen)
    return right + chosen


_SIDES = (ColumnPart.LEFT, ColumnPart.RIGHT)
_OPTION = 80.0
"""Height in px of an option."""


def _draw_option(
    sketch: Sketch, option: ChoiceBranch, text: str, style: TextStyle, box: Area, column: Area
) -> None:
    """Draw an option with its value and its condition, and the line to it."""
    canvas, port, is_strong = sketch.canvas, sketch.ports.get(option.place), option.is_taken
    if port:
        start = port.area.clamp_center(box.center, 0), port.y
        colour = choose_link_colour(option.tint)
        canvas.draw_flow(start, (box.center, column.x), colour, is_strong=is_strong)
    else:  # a value that nothing else draws here
        sketch.add_zone(option.place, box, column.x, column.right)
    (fill, frame), line, dash = choose_chip_colours(option.tint), 2.0, ""
    if not is_strong:
        fill, frame, line, dash = SvgColour.PAGE, SvgColour.LINE, 1.5, "5 4"
    canvas.draw_box(column, box.x, box.width, fill, frame, radius=6, line=line, dash=dash)
    dim = SvgColour.DIM if fill is SvgColour.PAGE else SvgColour.ON
    ink = SvgColour.INK if is_strong and fill is SvgColour.PAGE else dim
    draw_middle(canvas, column.x + 12, box.x + 20, text, NOTE, dim, "start")
    letters, bits = style.with_weight(is_strong), add_hex_prefix(option.bits)
    draw_middle(canvas, column.center, box.x + 54, bits, letters, ink)


def draw_permutation(sketch: Sketch, row: RowScene, figure: PermutationFigure, x: float) -> float:
    """Draw the source bytes as a column, the line of each lane, and the lanes."""
    canvas, areas = sketch.canvas, sketch.get_areas(row)
    whole = Area(areas[0].x, areas[-1].right - areas[0].x)
    require_height(whole, _PERMUTATION)
    keys = dict.fromkeys(source.place.key for source in figure.sources)
    named = [key for key in keys if key in sketch.registers]
    pitch = (whole.width - _SOURCE_NAME * len(named)) / len(figure.sources)
    boxes, y = list[Area](), whole.x
    for source in figure.sources:
        key = source.place.key
        if key in named:  # above the highest byte; wires may come from the left
            named.remove(key)
            register, colour = sketch.registers[key], choose_link_colour(Tint(key))
            name = register.name or register.label
            draw_middle(canvas, x, y + _SOURCE_NAME / 2, name, LABEL, colour, "start")
            y += _SOURCE_NAME
        boxes.append(Area(y, pitch - 4).take_middle(46))
        y += pitch
    lines = []
    for source in figure.sources:
        kind = SpanKind.CHIP if source.is_taken else SpanKind.UNUSED
        span = CellSpan(add_hex_prefix(source.text), kind, source.tint)
        lines.append([Piece(span.text, span, str(source.number))])
    widths = measure_pieces(lines)
    left, end = x, x + widths[0]
    for source, pieces, box in zip(figure.sources, lines, boxes, strict=True):
        draw_pieces(canvas, pieces, widths, box, left)
        if source.place not in sketch.ports:
            sketch.set_port(source.place, box, end)
            sketch.add_zone(source.place, box, left, end)
    lanes_x = end + sketch.layout.permutation_drop
    starts = dict(zip(figure.sources, boxes, strict=True))
    byte_texts = [add_hex_prefix(byte.text) for byte in figure.lane_bytes]
    byte_width = max(map(BITS.measure, byte_texts)) + 24
    notes = [_describe_byte(byte) for byte in figure.lane_bytes]
    digit_width = max(BITS.measure(byte.digit_text) + 12 for byte in figure.lane_bytes)
    right = lanes_x + digit_width + byte_width
    for byte, area, note in zip(figure.lane_bytes, areas, notes, strict=True):
        if byte.source:
            for link in row.links:
                if (link.source, link.target) == (byte.source.place, byte.place):
                    sketch.draw_link(
                        link, (starts[byte.source].center, end), (area.center, lanes_x)
                    )
        bits = Area(lanes_x + digit_width, byte_width)
        digit, box = Area(lanes_x, digit_width), area.take_middle(56)
        text, middle = add_hex_prefix(byte.text), area.center
        kind = SpanKind.SIGN if byte.is_sign else SpanKind.CHIP
        size = BITS.size
        chip = SpanKind.CHIP, Tint("c"), size
        draw_bit_box(canvas, digit, middle - 18, 36, byte.digit_text, *chip)
        draw_bit_box(canvas, bits, box.x, box.width, text, kind, byte.tint, size)
        if note:
            draw_middle(canvas, lanes_x, box.right + 14, note, NOTE, None, "start")
        sketch.extents[byte.place] = lanes_x, right
        sketch.set_port(byte.place, box, right)
    end = max(right, *(lanes_x + NOTE.measure(note) for note in notes))
    if figure.selector:
        name = figure.selector_name or "without a mode, c"
        text = f"{name} = {figure.selector}"
        draw_middle(canvas, lanes_x, whole.x + 10, text, CODE, SvgColour.C, "start")
        end = max(end, lanes_x + CODE.measure(text))
    return end


_SOURCE_NAME = 28.0
"""Height in px of the name of a register above its bytes."""
_PERMUTATION = 330.0
"""Height in px of bytes and the lanes that take them."""


def _describe_byte(byte: TakenByte) -> str:
    """Return the origin of a sign's eight copies; a line shows the origin of a byte."""
    return f"8 × top bit of {byte.source.name}" if byte.is_sign and byte.source else ""


_ENTRY = 38.0
"""Height in px of an entry of a table."""
_COLUMN = 34.0
"""Width in px of a bit of an entry."""


def draw_table(sketch: Sketch, row: RowScene, figure: TableFigure, x: float) -> float:
    """Draw a truth table, and the words beside it, 16 bits to a line."""
    canvas, (area,) = sketch.canvas, sketch.get_areas(row)
    parts_start, words = len(canvas.parts), (*figure.words, figure.result)
    height = _ENTRY * (len(figure.entries) + 1) + 2 * LINE + 12
    require_height(area, height)
    box = area.take_middle(height)
    sketch.draw_links(row, 0, box, x)
    left, top = x + 14, box.x + 8
    columns = [Area(left + 30 + _COLUMN * i, _COLUMN) for i in range(len(words))]
    for word, column in zip(words, columns, strict=True):
        ink = SvgColour.DIM if word.is_ignored else SvgColour.INK
        draw_middle(canvas, column.center, top + 16, word.name, BITS, ink)
    end = columns[-1].right
    has_counts = bool(figure.result.digits)
    for index, entry in enumerate(figure.entries, 1):
        y = top + _ENTRY * index
        middle = y + _ENTRY / 2
        if entry.positions:
            canvas.draw_rect(left - 6, y + 1, end - left + 10, _ENTRY - 2, SvgColour.SOFT, None)
        draw_middle(canvas, left + 10, middle, str(entry.number), CODE)
        for bit, word, column in zip(entry.bits, figure.words, columns, strict=False):
            ink = SvgColour.DIM if word.is_ignored else SvgColour.INK
            draw_middle(canvas, column.center, middle, str(bit), CODE, ink)
        kind = SpanKind.CHIP if entry.value else SpanKind.UNUSED
        draw_bit_box(canvas, columns[-1].shrink(3), y + 4, _ENTRY - 8,
                     str(entry.value), kind, Tint("c"), 18)  # fmt: skip
        if has_counts:
            draw_middle(canvas, end + 8, middle, f"×{len(entry.positions)}", CODE, None, "start")
        add_entry_zone(sketch, figure, entry, (left - 6, y + 1, end - left + 10, _ENTRY - 2))
    end += 8 + CODE.measure("×32") * has_counts
    if has_counts:
        end = _draw_words(sketch, figure, end + 36, Area(top, _ENTRY * (len(figure.entries) + 1)))
    text = f"{figure.text} = {figure.formula}"
    if has_counts:
        text += f", so {figure.result.name} = {figure.result.text}"
    base = top + _ENTRY * (len(figure.entries) + 1) + 18
    draw_middle(canvas, left, base, text, CODE, SvgColour.INK, "start")
    end = max(end, left + CODE.measure(text))
    if names := figure.ignored_names:
        note = f"ignores {' and '.join(names)}"
        style = NOTE.with_weight(True)
        draw_middle(canvas, left, base + LINE, note, style, SvgColour.DIM, "start")
    canvas.draw_below(parts_start, [Area(x, end + 14 - x)], box.x, box.width)
    sketch.set_port(figure.place, box, end + 14)
    return end + 14


def _draw_words(sketch: Sketch, figure: TableFigure, x: float, area: Area) -> float:
    """Draw each word bit by bit, in blocks of lines, below the number of each bit's entry."""
    canvas, words = sketch.canvas, (*figure.words, figure.result)
    count = len(figure.result.digits)
    rows = [(figure.entry_digits, "entry", SvgColour.DIM)]
    rows += [(w.digits, w.name, SvgColour.DIM if w.is_ignored else SvgColour.INK) for w in words]
    names = max(CODE.measure(name) for _, name, _ in rows) + 12
    pitch, chunk = CODE.measure("0"), 16 if count <= 32 else 32
    blocks = -(-count // chunk)
    step = min((area.width / blocks - 12) / len(rows), 30)
    for part in range(blocks):
        top = area.x + area.width / blocks * part + step / 2
        for line, (digits, name, ink) in enumerate(rows):
            style, y = CODE.with_weight(line == len(rows) - 1), top + step * line
            draw_middle(canvas, x, y, name, CODE, ink, "start")
            for index in range(0, min(chunk, count - part * chunk), 4):
                digit_x = x + names + (index + index // 4) * pitch
                start = part * chunk + index
                draw_middle(canvas, digit_x, y, digits[start : start + 4], style, ink, "start")
        for index in range(min(chunk, count - part * chunk)):
            digit_x = x + names + (index + index // 4) * pitch
            box = (digit_x, top - step / 2, pitch, step * len(rows))
            add_bit_zone(sketch, figure, count - 1 - part * chunk - index, box)
    return x + names + (min(chunk, count) * 5 / 4 - 1) * pitch
