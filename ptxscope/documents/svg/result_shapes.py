"""The parts below the steps: results, notes and machine code."""

from __future__ import annotations

from collections.abc import Sequence

from ...scene.scene_model import LaneRef
from ..content.document import ResultView, Section, StepView
from ..options import MachineRow, MachineSection
from .page_layout import Area, Sketch, find_link_ends
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour
from .symbols import draw_underline
from .text_styles import (
    BODY,
    DATUM,
    FORMULA,
    QUOTE,
    REMARK,
    RESULT,
    SMALL,
    STRONG,
    SUBHEADING,
    VALUE,
)

_LOW = 42
"""Height in px of a result in a compact figure."""
_STEP, _PAD = 15, 8
"""Height of a line of machine code, and the space around it."""


def draw_results(section: Section, sketch: Sketch, y: float, rival: Section | None = None) -> float:
    """Draw every destination with its bits in one piece; return the end.

    The digits that differ from those of a rival are marked. In a compact figure the boxes are low.
    """
    canvas, room, is_compact = sketch.canvas, sketch.figures, sketch.layout.is_compact
    views, top = section.results, y + (16 if is_compact else 34)
    canvas.open_group("px-result")
    if not is_compact:
        x = sketch.layout.words.x
        canvas.draw_text(x, top + 26, "Result", SUBHEADING)
    if not views:
        end = _draw_empty_result(section, sketch, room, top - 4 * is_compact)
        canvas.close_group()
        return end
    areas = room.split_columns(len(views), 8 if is_compact else 20)
    if len(views) == 1 and not is_compact:  # the name is beside the word, which is in the middle
        name, bits, _ = views[0]
        side = FORMULA.measure(f"{name} =") + 26
        areas = [room.take_middle(max(440, RESULT.measure(bits) + 2 * side))]
    is_stacked = not all(map(_has_room_beside, views, areas))
    rivals = rival.results if rival else views
    for view, other, places, area in zip(views, rivals, sketch.ends, areas, strict=True):
        for place in places:
            _draw_result_link(sketch, place, area, top, view.name)
        if is_compact:
            end = _draw_low_result(canvas, view, other.bits, area, top)
        else:
            end = _draw_result(canvas, view, area, top, is_stacked=is_stacked)
        sketch.add_result(view.name, area, top, end)
    canvas.close_group()
    return end


def _has_room_beside(view: ResultView, area: Area) -> bool:
    """Whether the name of a result fits to the left of its bits, both in their usual size."""
    label = FORMULA.measure(f"{view.name} =")
    return label <= (area.width - RESULT.measure(view.bits)) / 2 - 16


def _draw_low_result(
    canvas: SvgCanvas, view: ResultView, other_bits: str, area: Area, top: float
) -> float:
    """Draw the box of a result in a compact figure; return its end."""
    text, width = f"{view.name} = {view.bits}", area.width - 8
    canvas.draw_box(area, top, _LOW, SvgColour.SOFT, SvgColour.INK, line=1.6)
    canvas.draw_text(area.center, top + 21, text, VALUE, anchor="middle", width=width)
    if view.bits != other_bits:
        style = VALUE.with_size(VALUE.fit(text, width).size)
        start = style.measure(text) / 2
        center = area.center + start - style.measure(view.bits) / 2
        draw_underline(canvas, center, top + 24, view.bits, other_bits, style.size)
    canvas.draw_text(area.center, top + 36, view.meant, DATUM, anchor="middle", width=width)
    return top + _LOW


def _draw_result(
    canvas: SvgCanvas, view: ResultView, area: Area, top: float, *, is_stacked: bool
) -> float:
    """Draw the box of a result; return its end."""
    name, bits, meant = view
    height = 84 if is_stacked else 66
    canvas.draw_box(area, top, height, SvgColour.SOFT, SvgColour.INK, radius=8, line=1.8)
    label = f"{name} ="
    offset_y = 18 if is_stacked else 0
    if is_stacked:
        canvas.draw_centered(area, top + 18, label, FORMULA, margin=12)
    width = RESULT.measure(bits)
    size = min(RESULT.size, int((area.width - 12) / width * RESULT.size))
    canvas.draw_text(
        area.center, top + 36 + offset_y, bits, RESULT.with_size(size), anchor="middle"
    )
    canvas.draw_centered(area, top + 58 + offset_y, meant, FORMULA, margin=24)
    if not is_stacked:
        canvas.draw_text(area.center - width / 2 - 10, top + 35, label, FORMULA, anchor="end")
    return top + height


def _draw_result_link(
    sketch: Sketch, place: LaneRef, area: Area, y: float, result: str = ""
) -> None:
    """Draw the line to the box of a result."""
    port = sketch.ports.get(place)
    if port:
        start, end = find_link_ends(port.area, area)
        flow_index = len(sketch.canvas.flows)
        sketch.canvas.draw_flow((start, port.y), (end, y), SvgColour.DIM, is_strong=bool(result))
        if result:
            sketch.add_result_link(result, place, sketch.canvas.flows[flow_index])


def _draw_empty_result(section: Section, sketch: Sketch, room: Area, top: float) -> float:
    """Draw the empty box of a missing result, and a faint line to it."""
    canvas, area = sketch.canvas, room.take_middle(440)
    for place in sketch.scene.discarded_results:
        _draw_result_link(sketch, place, area, top)
    canvas.draw_box(area, top, 36, SvgColour.PAGE, SvgColour.LINE, radius=8, dash="4 3")
    canvas.draw_centered(area, top + 22, section.no_result, BODY, SvgColour.DIM, margin=24)
    return top + 36


def draw_step_notes(canvas: SvgCanvas, step: StepView, y: float, area: Area) -> float:
    """Draw the notes of the author on a step; return the end."""
    for text in step.notes:
        y = draw_note(canvas, text, y + 10, area)
    return y


def draw_note(canvas: SvgCanvas, text: str, y: float, area: Area) -> float:
    """Draw a note of the author with a bar beside it; return the end."""
    lines = QUOTE.wrap(text, area.width - 28)
    height = 14 + 17 * len(lines)
    canvas.draw_box(area, y, height, SvgColour.MARK_SOFT, None, radius=4)
    canvas.draw_rect(area.x, y, 4, height, SvgColour.MARK, None, radius=0)
    canvas.draw_lines(area.x + 16, y + 19, lines, QUOTE)
    return y + height


def draw_machine_rows(canvas: SvgCanvas, rows: Sequence[MachineRow], y: float, area: Area) -> float:
    """Draw machine instructions with the values that they compute; return the end."""
    if not rows:
        return y
    y += _PAD
    room = max(SMALL.measure(x.purpose.strip()) for x in rows) + _PAD
    codes = max(DATUM.measure(x.code) for x in rows)
    width = area.width - 2 * _PAD
    is_beside = codes + room <= width
    code_width = width - room if is_beside else width
    height = _STEP * (1 if is_beside else 2)  # the value stands below its instruction
    canvas.open_group("px-sass")
    total = height * len(rows) + _PAD
    canvas.draw_box(area, y, total, SvgColour.SOFT, None, radius=4)
    for number, row in enumerate(rows):
        top = y + height * number + _STEP
        canvas.draw_text(area.x + _PAD, top, row.code, DATUM, SvgColour.INK, width=code_width)
        base, room_ = top + height - _STEP, room if is_beside else width
        text = row.purpose.strip()
        canvas.draw_text(area.right - _PAD, base, text, SMALL, anchor="end", width=room_)
    canvas.close_group()
    return y + total


def draw_machine_section(
    canvas: SvgCanvas, section: MachineSection, rows: Sequence[MachineRow], y: float, page: Area
) -> float:
    """Draw what is known of machine code, and the instructions that are beside no step."""
    y += 16
    canvas.open_group("px-machine")
    canvas.draw_line(page.x, y, page.right, y, SvgColour.LINE)
    y = canvas.draw_paragraph(page, y + 20, f"{section.title} ({section.tools})", STRONG)
    for sentence in section.sentences:
        y = canvas.draw_paragraph(page, y + 2, sentence, REMARK)
    y = draw_machine_rows(canvas, rows, y - 12, page)
    canvas.close_group()
    return y
