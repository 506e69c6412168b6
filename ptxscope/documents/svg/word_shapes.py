"""Permuted bytes and truth tables, drawn by functions with the signature of ``svg_figures``."""

from __future__ import annotations

from ...scene.scene_model import (
    BitWord,
    PermutationFigure,
    RowScene,
    SpanKind,
    TableFigure,
    TakenByte,
    Tint,
)
from .cell_shapes import draw_corner_name, draw_register_name, fit_beside_name
from .page_layout import Area, Sketch, add_hex_prefix
from .svg_canvas import Node, Zone
from .svg_colours import SvgColour
from .symbols import draw_bit_box
from .text_fitting import MIN_SIZE
from .text_styles import BITS, FORMULA, LABEL, NAME, SMALL, STRONG, TAG

_BYTE = 28
"""Height of the box of a byte in px."""
_DIGIT, _DIGIT_WIDTH = 22, 34
"""Height and width of the box of a digit in px."""
_LINKS = 64
"""Height of the lines from the source bytes in px."""


def draw_permutation(sketch: Sketch, row: RowScene, figure: PermutationFigure, y: float) -> float:
    """Draw the source bytes as a bar, the line of each lane, and the lanes; return the end."""
    canvas, areas = sketch.canvas, sketch.get_areas(row)
    whole = Area(areas[0].x, areas[-1].right - areas[0].x)
    columns = whole.split_columns(len(figure.sources), 2)
    y = _draw_source_names(sketch, figure, columns, y)
    for source, area in zip(figure.sources, columns, strict=True):
        kind = SpanKind.CHIP if source.is_taken else SpanKind.UNUSED
        colour, number = SvgColour.ON if source.is_taken else SvgColour.DIM, str(source.number)
        text = add_hex_prefix(source.text)
        size, aside, _ = fit_beside_name(area, text, SMALL.measure(number))
        draw_bit_box(canvas, area, y, _BYTE, text, kind, source.tint, size, aside=aside)
        draw_corner_name(canvas, area, y, number, colour)
        if source.place not in sketch.ports:
            sketch.set_port(source.place, area, y + _BYTE)
            sketch.add_zone(source.place, area, y, y + _BYTE)
    top = y + _BYTE + (_LINKS if not sketch.layout.is_compact else _LINKS * 0.7)
    starts = dict(zip(figure.sources, columns, strict=True))
    for byte, area in zip(figure.lane_bytes, areas, strict=True):
        if byte.source:
            ends = (starts[byte.source].center, y + _BYTE), (area.center, top)
            for link in row.links:
                if (link.source, link.target) == (byte.source.place, byte.place):
                    sketch.draw_link(link, *ends)
        _draw_lane(sketch, byte, area, top)
    end = top + _DIGIT + _BYTE + 18
    if figure.selector:
        name = figure.selector_name or "without a mode, c"
        canvas.draw_centered(whole, end + 12, f"selector: {name} = {figure.selector}", LABEL)
        end += 18
    for byte, area in zip(figure.lane_bytes, areas, strict=True):
        sketch.set_port(byte.place, area, end)
    return end


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


def _draw_lane(sketch: Sketch, byte: TakenByte, area: Area, y: float) -> None:
    """Draw the digit of a lane, the byte that it takes, and where this comes from."""
    canvas = sketch.canvas
    digit = area.take_middle(_DIGIT_WIDTH)
    draw_bit_box(canvas, digit, y, _DIGIT, byte.digit_text, SpanKind.CHIP, Tint("c"), 13)
    kind = SpanKind.SIGN if byte.is_sign else SpanKind.CHIP
    draw_bit_box(canvas, area, y + _DIGIT, _BYTE, add_hex_prefix(byte.text), kind, byte.tint)
    name = byte.source.name if byte.source else ""
    text = f"8 × top bit of {name}" if byte.is_sign else name
    canvas.draw_centered(area, y + _DIGIT + _BYTE + 13, text, SMALL, margin=0)


# --- truth tables ---------------------------------------------------------------------------

_LINE, _COMPACT_LINE = 19.0, 16.0
"""Height of a line of a table in px, and in a compact figure."""
_COLUMN = 17.0
"""Width of an entry of a table in px."""
_NAME = 22.0
"""Width of the names of the words in px."""
_ADVANCE = 0.605
"""Width of a digit in em."""


def draw_table(sketch: Sketch, row: RowScene, figure: TableFigure, y: float) -> float:
    """Draw a truth table, and beside or below it the words; return the end."""
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
    pitch = _COMPACT_LINE if sketch.layout.is_compact else _LINE
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
        canvas.draw_text(inner.center, end + 10, note, STRONG, SvgColour.MARK, anchor="middle")
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
    """Draw the table: a column for each entry, with its number and how many bits use it."""
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
        node = _make_node(sketch, figure, "entry", entry.number)
        place = (column.x, y, column.width, middle + pitch + 2)
        sketch.detail_zones.append(Zone(node, place, f"{entry.sentence}."))
    return y + middle + pitch + (18 if has_counts else 4)


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
    """Draw the words bit by bit, each bit below the number of the entry that it uses."""
    canvas, advance = sketch.canvas, size * _ADVANCE
    count = len(figure.result.digits)
    numbers = "".join(str(figure.find_entry(bit).number) for bit in reversed(range(count)))
    rows = [(numbers, SvgColour.DIM)]
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
        entry = figure.find_entry(count - 1 - index)
        box = (start + (index + index // 4) * advance, y + 2, advance, len(rows) * pitch)
        node = _make_node(sketch, figure, "bit", count - 1 - index)
        sketch.detail_zones.append(Zone(node, box, f"bit {count - 1 - index}: {entry.sentence}."))
        entry_node = _make_node(sketch, figure, "entry", entry.number)
        canvas.links.setdefault((node, entry_node), [])  # either lights the other
    return y + len(rows) * pitch + 4
