"""Gates and choices, drawn by functions with the same signature as in ``svg_figures``."""

from __future__ import annotations

from ...scene.scene_model import PLAIN, ChoiceBranch, ChoiceFigure, Gate, LaneRef, RowScene, Tint
from .page_layout import (
    Area,
    ColumnPart,
    Point,
    Sketch,
    choose_chip_colours,
    choose_link_colour,
)
from .svg_colours import SvgColour
from .symbols import PILL_HEIGHT, draw_truth, get_truth
from .text_styles import DATUM, LABEL, NAME, SMALL, TAG, VALUE

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
"""Distance in px of their ends from the middle, where the condition is."""
_CHOSEN_HEIGHT = 30
"""Height in px of the box of the chosen value."""


def draw_gate(sketch: Sketch, row: RowScene, figure: Gate, y: float) -> float:
    """Draw truth values entering a box from above, and the output below it; return the end."""
    canvas, (area,) = sketch.canvas, sketch.get_areas(row)
    width = max(LABEL.measure(figure.word) + 24, 54)
    top = y + 14
    aside = (0,) if len(figure.inputs) == 1 else (-14, 14)
    inputs = sorted(figure.inputs, key=lambda x: _find_start(sketch, x.place, area))
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


def _find_start(sketch: Sketch, place: LaneRef, area: Area) -> float:
    """Return x of the start of a line to a gate, so that lines into it do not cross."""
    port = sketch.ports.get(place)
    return port.area.center if port else area.center


def draw_choice(sketch: Sketch, row: RowScene, figure: ChoiceFigure, y: float) -> float:
    """Draw two values and the condition between their lines; the chosen line is strong."""
    canvas, (area,) = sketch.canvas, sketch.get_areas(row)
    parts = area.split_columns(2, 12)
    end = y + _OPTION
    pill, bottom = end + 8, end + _LINES_HEIGHT
    width = min(area.width * 0.8, max(VALUE.measure(figure.bits) + 40, 220))
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
    draw_truth(canvas, area.center, pill, get_truth(condition.value))
    between = Area(area.center - aside, 2 * aside)
    canvas.draw_centered(between, pill + PILL_HEIGHT + 11, condition.name, TAG, margin=8)
    taken_tints = [option.tint for option in figure.options if option.is_taken]
    fill, frame = choose_chip_colours(taken_tints[0] if len(taken_tints) == 1 else PLAIN)
    canvas.draw_box(box, bottom, _CHOSEN_HEIGHT, fill, frame)
    colour = SvgColour.INK if fill is SvgColour.PAGE else SvgColour.ON
    canvas.draw_centered(box, bottom + 21, figure.bits, VALUE, colour)
    sketch.set_port(row.cells[0].place, box, bottom + _CHOSEN_HEIGHT)
    return bottom + _CHOSEN_HEIGHT


def _format_option(option: ChoiceBranch) -> tuple[str, str]:
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
    name, condition = _format_option(option)
    room, colour = box.width - _MARGIN, SvgColour.ON if is_coloured else SvgColour.DIM
    if SMALL.measure(", ".join(_format_option(option))) <= box.width - _MARGIN:
        canvas.draw_text(box.x + 8, y + 13, f"{name}, {condition}", SMALL, colour, width=room)
    else:
        canvas.draw_text(box.x + 8, y + _FIRST_INPUT, f"{name},", SMALL, colour, width=room)
        canvas.draw_text(box.x + 8, y + _SECOND_INPUT, condition, SMALL, colour)
    colour = SvgColour.ON if is_coloured else (SvgColour.INK if is_strong else SvgColour.DIM)
    canvas.draw_centered(box, y + 35, option.bits, VALUE.with_weight(is_strong), colour)


def _draw_way(sketch: Sketch, option: ChoiceBranch, start: Point, end: Point) -> None:
    """Draw the line from an option to the chosen value, crossed out if another one is chosen."""
    canvas = sketch.canvas
    canvas.draw_flow(
        start,
        end,
        choose_link_colour(option.tint),
        is_strong=option.is_taken,
        has_head=option.is_taken,
    )
    if not option.is_taken:
        canvas.draw_cross((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, SvgColour.MARK)
