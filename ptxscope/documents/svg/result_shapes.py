"""The part below the steps: results, notes, and the backgrounds of the columns."""

from __future__ import annotations

from ...scene.scene_model import LaneRef
from ..content.document import ResultView, Section, StepView
from .page_layout import Area, Sketch, find_link_ends
from .svg_canvas import Ground, SvgCanvas
from .svg_colours import SvgColour
from .symbols import draw_underline
from .text_fitting import measure_text

_LARGE = 26
"""Size of the bits of a result."""
_NAME = 14
_LOW = 42
"""Height in px of a result in a compact figure."""
_WORD = 74
"""Width in px of the word "Result", if words are above."""


def draw_column_grounds(sketch: Sketch, top: float, end: float, first_mark: str = "") -> float:
    """Draw a light background behind each lane column, from its name to its last row.

    `first_mark` is the mark from which it is visible.
    """
    sketch.canvas.grounds += [
        Ground(x.x, x.width, top, end + 8, first_mark) for x in sketch.columns
    ]
    return end


def draw_results(
    section: Section, views: tuple[ResultView, ...], sketch: Sketch, y: float,
    other_results: tuple[ResultView, ...] | None = None,
) -> float:  # fmt: skip
    """Draw every destination with its bits in one piece; return the end.

    Beside another answer, the digits that differ are marked. Names are above the bits there, and
    where they do not fit beside them.
    """
    canvas, is_branched = sketch.canvas, other_results is not None
    top = y + 34
    canvas.open_group("px-result")
    room, is_compact = sketch.figures, sketch.layout.is_compact
    if not is_branched:
        x = room.x + 8 if is_compact else sketch.layout.words.x
        canvas.draw_text(x, top + 26, "Result", 14, SvgColour.INK, is_bold=True)
    if is_compact:
        room = Area(room.x + _WORD, room.width - _WORD)
    if not views:
        end = _draw_empty_result(section, sketch, room, top)
        canvas.close_group()
        return end
    areas = room.split_columns(len(views), 20)
    if len(views) == 1 and not is_branched:  # the name is beside the word, which is in the middle
        name, bits, _ = views[0]
        side = measure_text(f"{name} =", _NAME, is_monospaced=True) + 26
        areas = [
            room.take_middle(max(440, measure_text(bits, _LARGE, is_monospaced=True) + 2 * side))
        ]
    is_stacked = is_branched or not all(map(_has_room_beside, views, areas))
    other_views = other_results or views
    for view, other_view, places, area in zip(views, other_views, sketch.ends, areas, strict=True):
        for place in places:
            _draw_result_link(sketch, place, area, top, view.name)
        end = _draw_result(sketch, view, other_view.bits, area, top, is_stacked=is_stacked)
        sketch.add_result(view.name, area, top, end)
    canvas.close_group()
    return end


def _has_room_beside(view: ResultView, area: Area) -> bool:
    """Whether the name of a result fits to the left of its bits, both in their usual size."""
    label = measure_text(f"{view.name} =", _NAME, is_monospaced=True)
    return label <= (area.width - measure_text(view.bits, _LARGE, is_monospaced=True)) / 2 - 16


def draw_compact_results(section: Section, sketch: Sketch, y: float) -> float:
    """Draw every destination with its bits, and its value below, in a low box; return the end."""
    canvas, room, top = sketch.canvas, sketch.figures, y + 16
    canvas.open_group("px-result")
    if not section.results:
        end = _draw_empty_result(section, sketch, room, top - 4)
        canvas.close_group()
        return end
    areas = room.split_columns(len(section.results), 8)
    for view, places, area in zip(section.results, sketch.ends, areas, strict=True):
        for place in places:
            _draw_result_link(sketch, place, area, top, view.name)
        sketch.add_result(view.name, area, top, top + _LOW)
        canvas.draw_rect(
            area.x, top, area.width, _LOW, SvgColour.SOFT, SvgColour.INK, radius=5, line=1.6
        )
        canvas.draw_text(
            area.center,
            top + 21,
            f"{view.name} = {view.bits}",
            17,
            SvgColour.INK,
            anchor="middle",
            is_monospaced=True,
            is_bold=True,
            width=area.width - 8,
        )
        canvas.draw_text(
            area.center,
            top + 36,
            view.meant,
            11,
            SvgColour.DIM,
            anchor="middle",
            is_monospaced=True,
            width=area.width - 8,
        )
    canvas.close_group()
    return top + _LOW


def _draw_result(
    sketch: Sketch, view: ResultView, other_bits: str, area: Area, top: float, *, is_stacked: bool
) -> float:
    """Draw the box of a result; return its end."""
    canvas, (name, bits, meant) = sketch.canvas, view
    height = 84 if is_stacked else 66
    canvas.draw_rect(
        area.x, top, area.width, height, SvgColour.SOFT, SvgColour.INK, radius=8, line=1.8
    )
    label = f"{name} ="
    offset_y = 18 if is_stacked else 0
    if is_stacked:
        canvas.draw_text(
            area.center,
            top + 18,
            label,
            _NAME,
            SvgColour.DIM,
            anchor="middle",
            is_monospaced=True,
            width=area.width - 12,
        )
    width = measure_text(bits, _LARGE, is_monospaced=True)
    size = min(_LARGE, int((area.width - 12) / width * _LARGE))
    canvas.draw_text(
        area.center,
        top + 36 + offset_y,
        bits,
        size,
        SvgColour.INK,
        anchor="middle",
        is_monospaced=True,
        is_bold=True,
    )
    if bits != other_bits:
        draw_underline(canvas, area.center, top + 43 + offset_y, bits, other_bits, size)
    canvas.draw_text(
        area.center,
        top + 58 + offset_y,
        meant,
        12,
        SvgColour.DIM,
        anchor="middle",
        is_monospaced=True,
        width=area.width - 24,
    )
    if not is_stacked:
        canvas.draw_text(
            area.center - width / 2 - 10,
            top + 35,
            label,
            _NAME,
            SvgColour.DIM,
            anchor="end",
            is_monospaced=True,
        )
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
    canvas.draw_rect(
        area.x, top, area.width, 36, SvgColour.PAGE, SvgColour.LINE, radius=8, dash="4 3"
    )
    canvas.draw_text(area.center, top + 22, section.no_result, 12, SvgColour.DIM, anchor="middle",
             width=area.width - 24)  # fmt: skip
    return top + 36


def draw_step_notes(canvas: SvgCanvas, step: StepView, y: float, area: Area) -> float:
    """Draw the notes of the author on a step; return the end."""
    for text in step.notes:
        y = draw_note(canvas, text, y + 10, area)
    return y


def draw_note(canvas: SvgCanvas, text: str, y: float, area: Area) -> float:
    """Draw a note of the author with a bar beside it; return the end."""
    lines = canvas.wrap_text(text, area.width - 28, 12)
    height = 14 + 17 * len(lines)
    canvas.draw_rect(area.x, y, area.width, height, SvgColour.MARK_SOFT, None, radius=4)
    canvas.draw_rect(area.x, y, 4, height, SvgColour.MARK, None, radius=0)
    canvas.draw_lines(area.x + 16, y + 19, lines, 12, SvgColour.INK, step=17, is_italic=True)
    return y + height


def draw_remark(canvas: SvgCanvas, text: str, y: float, area: Area) -> float:
    """Draw a sentence by ptxscope; return the end."""
    return canvas.draw_lines(
        area.x,
        y,
        canvas.wrap_text(text, area.width, 12),
        12,
        SvgColour.INK,
        step=16,
    )
