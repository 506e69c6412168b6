"""The parts of a picture beside its rows: captions of steps and registers, results, notes, code.

Captions are in the margin beside the figures; in a compact picture above them, over the lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, repeat

from ...engine.micro_operations.properties import Stage
from ...scene.scene_model import LaneRef, StepScene
from ..content.annotated_trace import HIDDEN_RESULT_TEXT
from ..content.document import ResultView, Section, StepView
from .page_layout import ROLE_INKS, WORDS_WIDTH, WORDS_X, Area, Sketch, find_link_ends
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour
from .symbols import draw_underline
from .text_styles import (
    BODY,
    DATUM,
    EMPHASIS,
    FORMULA,
    LABEL,
    NOTE,
    OMISSION,
    QUOTE,
    RESULT,
    SMALL,
    STRONG,
    SUBHEADING,
    VALUE,
)

_NUMBER = 36
"""X of the number of a step in the margin."""


def draw_registers(sketch: Sketch, roles: Iterable[str], y: float) -> float:
    """Draw a title above the registers, and the bits of registers in lanes; return the end."""
    canvas, words = sketch.canvas, sketch.layout.words
    if sketch.layout.is_compact:
        roles = list(roles)
        if roles:
            canvas.draw_cover(sketch.layout.page, y, 16)
        for role, area in zip(roles, words.split_columns(2, 24), strict=False):
            _draw_register_name(sketch, role, y + 10, area)
        return y + 16 if roles else y
    canvas.draw_text(WORDS_X, y + 18, "Registers", SUBHEADING, SvgColour.DIM)
    end = y + 38
    for role in roles:
        end = _draw_register_name(sketch, role, end, Area(WORDS_X, WORDS_WIDTH))
    return end - 12


def draw_step_caption(
    sketch: Sketch,
    step: StepView,
    roles: Iterable[str],
    y: float,
    joined_step: StepView | None = None,
) -> float:
    """Draw number, title and sentence of a step, and its new registers; return the end.

    ``joined_step`` is the previous step, if a compact figure draws both as one.
    """
    if sketch.layout.is_compact:
        return _draw_compact_caption(
            sketch, [joined_step, step] if joined_step else [step], roles, y
        )
    return _draw_side_caption(sketch, step, roles, y)


def draw_gap(sketch: Sketch, steps: Iterable[StepScene], y: float, previous_end: float) -> float:
    """Draw the names of omitted steps; return the end."""
    step_names = ", ".join(f"{step.number} {step.title}" for step in steps)
    if not step_names or sketch.layout.is_turned:
        return y
    canvas, page = sketch.canvas, sketch.layout.page
    area = Area(page.x + 8, page.width - 16) if sketch.layout.is_compact else sketch.layout.words
    lines = OMISSION.wrap(f"not shown: {step_names}", area.width)
    canvas.open_group("px-gap")
    if sketch.layout.is_compact:
        canvas.draw_cover(page, y + 6, 8 + 13 * len(lines))
        y -= 6
    else:
        canvas.draw_line(
            _NUMBER, previous_end + 4, _NUMBER, y + 14 + 13 * len(lines), SvgColour.LINE, dash="2 4"
        )
    y = canvas.draw_lines(area.x, y + 22, lines, OMISSION)
    canvas.close_group()
    return y - 8


def draw_thread(sketch: Sketch, previous_end: float | None, y: float) -> float:
    """Draw the line from the previous step's number to the next one; return its end."""
    top = y + 18
    if previous_end is not None and not sketch.layout.is_compact:
        sketch.canvas.draw_line(_NUMBER, previous_end, _NUMBER, top - 4, SvgColour.LINE)
    return top + 20


def _draw_side_caption(sketch: Sketch, step: StepView, roles: Iterable[str], y: float) -> float:
    canvas = sketch.canvas
    y += 18
    canvas.draw_dot(_NUMBER, y + 8, SvgColour.INK, is_hollow=True, size=11)
    canvas.draw_text(_NUMBER, y + 12.3, str(step.number), STRONG, anchor="middle")
    title = step.title[:1].upper() + step.title[1:]
    canvas.draw_text(WORDS_X, y + 12.5, title, SUBHEADING, width=WORDS_WIDTH)
    end = canvas.draw_paragraph(sketch.layout.words, y + 29, step.about, NOTE)
    for role in roles:
        end = _draw_register_name(sketch, role, end + 4, sketch.layout.words)
    return end - 6


def _draw_compact_caption(
    sketch: Sketch, steps: list[StepView], roles: Iterable[str], y: float
) -> float:
    """Draw the numbers and titles of joined steps, and the first sentence, on few lines."""
    canvas, words, page = sketch.canvas, sketch.layout.words, sketch.layout.page
    numbers, titles = (
        ", ".join(texts)
        for texts in zip(*((str(step.number), step.title) for step in steps), strict=True)
    )
    title = f"{numbers} {titles[:1].upper()}{titles[1:]}"
    top = y + 4
    start = EMPHASIS.measure(title) + 7
    sentence = steps[0].about
    if steps[0].stage is not Stage.SELECT:  # there, each operand has a sentence
        sentence = _find_first_sentence(sentence)
    lines = SMALL.wrap(sentence, words.width - start)
    roles = list(roles)
    height = 4 + 13 * max(len(lines), 1) + 15 * len(roles)
    canvas.draw_cover(page, top, height)
    canvas.draw_text(words.x, top + 11, title, EMPHASIS, SvgColour.INK)
    end = canvas.draw_lines(words.x + start, top + 11, lines, SMALL)
    for role in roles:
        end = _draw_register_name(sketch, role, end, words.split_columns(2, 24)[0]) - 2
        register = sketch.registers[role]
        if sketch.has_no_room(register):
            colour = ROLE_INKS.get(role, SvgColour.INK)
            canvas.draw_text(words.center + 12, end - 15, f"= {register.meaning}", DATUM, colour)
    return top + height


def _find_first_sentence(text: str) -> str:
    """Return the first sentence, plus the sentence that the result is hidden."""
    first, dot, remaining_text = text.partition(". ")
    return (
        f"{first}." + f" {HIDDEN_RESULT_TEXT}" * remaining_text.endswith(HIDDEN_RESULT_TEXT)
        if dot
        else text
    )


def _draw_register_name(sketch: Sketch, role: str, y: float, area: Area) -> float:
    """Draw the name and the bits of a register; return the end."""
    register, canvas = sketch.registers[role], sketch.canvas
    colour = ROLE_INKS.get(role, SvgColour.INK)
    canvas.draw_text(area.x, y, register.label, LABEL, colour)
    name = register.name
    if name and name != register.label:
        canvas.draw_text(area.x + 14, y, name, DATUM, width=area.width - 82)
    canvas.draw_text(area.right, y, register.bits, DATUM, colour, anchor="end")
    return y + 17


_LOW = 42
"""Height in px of a result in a compact figure."""


def draw_results(section: Section, sketch: Sketch, y: float, rival: Section | None = None) -> float:
    """Draw every destination with its bits in one piece; return the end.

    Digits that differ from a rival's are marked. A compact figure has low boxes.
    """
    canvas, room, layout = sketch.canvas, sketch.figures, sketch.layout
    views, top, is_compact = section.results, y + layout.result_drop, layout.is_compact
    canvas.open_group("px-result")
    if not is_compact:
        canvas.draw_text(layout.words.x, top + 26, "Result", SUBHEADING)
    if not views:
        end = _draw_empty_result(section, sketch, room, top - 4 * is_compact)
        canvas.close_group()
        return end
    areas = room.split_columns(len(views), layout.result_gap)
    if len(views) == 1 and not is_compact:  # the name is beside the word, which is in the middle
        name, bits, _ = views[0]
        side = FORMULA.measure(f"{name} =") + 26
        areas = [room.take_middle(max(440, RESULT.measure(bits) + 2 * side))]
    is_stacked = not all(map(_has_room_beside, views, areas))
    rivals = chain(rival.results if rival else (), repeat(None))
    for view, other, places, area in zip(views, rivals, sketch.ends, areas, strict=False):
        for place in places:
            _draw_result_link(sketch, place, area, top, view.name)
        if is_compact:
            end = _draw_low_result(canvas, view, other.bits if other else view.bits, area, top)
        else:
            end = _draw_result(canvas, view, area, top, is_stacked=is_stacked)
        sketch.add_result(view.name, area, top, end)
    canvas.close_group()
    return end


def _has_room_beside(view: ResultView, area: Area) -> bool:
    """Whether the name of a result fits to the left of its bits, both in usual size."""
    label = FORMULA.measure(f"{view.name} =")
    return label <= (area.width - RESULT.measure(view.bits)) / 2 - 16


def _draw_low_result(
    canvas: SvgCanvas, view: ResultView, other_bits: str, area: Area, top: float
) -> float:
    """Draw the box of a result in a compact figure; return its end."""
    text, width = f"{view.name} = {view.bits}", area.width - 8
    canvas.draw_box(area, top, _LOW, SvgColour.SOFT, SvgColour.INK, line=1.6)
    canvas.draw_text(area.center, top + 21, text, VALUE, anchor="middle", width=width)
    if len(view.bits) == len(other_bits):
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
    """Draw the author's notes on a step; return the end."""
    for text in step.notes:
        y = draw_note(canvas, text, y + 10, area)
    return y


def draw_note(
    canvas: SvgCanvas, text: str, y: float, area: Area, *, is_surprise: bool = False
) -> float:
    """Draw an author's note or a surprise, with a bar beside it; return the end."""
    lines = QUOTE.wrap(text, area.width - 28)
    height = 14 + 17 * len(lines)
    mark, quiet = (SvgColour.MARK_SOFT, SvgColour.MARK), (SvgColour.SOFT, SvgColour.DIM)
    fill, bar = mark if is_surprise else quiet
    canvas.draw_box(area, y, height, fill, None, radius=4)
    canvas.draw_rect(area.x, y, 4, height, bar, None, radius=0)
    canvas.draw_lines(area.x + 16, y + 19, lines, QUOTE)
    return y + height
