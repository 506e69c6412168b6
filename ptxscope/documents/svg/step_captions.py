"""Captions of a picture: numbers, titles and sentences of its steps, and names of registers.

They are in the margin beside the figures, or in a band above them, in front of the lines.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...engine.micro_operations.stage import Stage
from ...scene.scene_model import StepScene
from ..content.document import StepView
from ..content.hidden_rows import HIDDEN_RESULT_TEXT
from .page_layout import ROLE_INKS, WORDS_WIDTH, WORDS_X, Area, Sketch
from .svg_colours import SvgColour
from .text_fitting import measure_text

_STRIP_HEIGHT = 22
"""Smallest height of a band in px."""
_SMALL = 10
"""Size of sentences in a compact figure."""
_NUMBER = 36
"""X of the number of a step in the margin."""


def draw_registers(sketch: Sketch, roles: Iterable[str], y: float) -> float:
    """Draw a title above the registers, and the bits of registers in lanes; return the end."""
    canvas, words = sketch.canvas, sketch.layout.words
    if sketch.layout.is_compact:
        roles = list(roles)
        if roles:
            canvas.draw_rect(
                sketch.layout.page.x,
                y,
                sketch.layout.page.width,
                16,
                SvgColour.PAGE,
                None,
                radius=0,
            )
        for role, area in zip(roles, words.split_columns(2, 24), strict=False):
            _draw_register_name(sketch, role, y + 10, area)
        return y + 16 if roles else y
    if not sketch.layout.has_words_above:
        canvas.draw_text(WORDS_X, y + 18, "Registers", 13, SvgColour.DIM, is_bold=True)
        end = y + 38
        for role in roles:
            end = _draw_register_name(sketch, role, end, Area(WORDS_X, WORDS_WIDTH))
        return end - 12
    page = sketch.layout.page
    canvas.draw_rect(page.x, y - 2, page.width, _STRIP_HEIGHT + 4, SvgColour.PAGE, None)
    canvas.draw_text(page.x + 8, y + 15, "Registers", 13, SvgColour.DIM, is_bold=True)
    for role, area in zip(roles, words.split_columns(2, 30), strict=False):
        _draw_register_name(sketch, role, y + 15, area)
    return y + _STRIP_HEIGHT + 2


def draw_step_caption(
    sketch: Sketch,
    step: StepView,
    roles: Iterable[str],
    y: float,
    joined_step: StepView | None = None,
) -> float:
    """Draw number, title and sentence of a step, and the registers it adds; return the end.

    `joined_step` is the step before, if a compact figure draws both as one.
    """
    if sketch.layout.is_compact:
        return _draw_compact_caption(
            sketch, [joined_step, step] if joined_step else [step], roles, y
        )
    if sketch.layout.has_words_above:
        return _draw_band_caption(sketch, step, roles, y)
    return _draw_side_caption(sketch, step, roles, y)


def draw_gap(sketch: Sketch, steps: Iterable[StepScene], y: float, previous_end: float) -> float:
    """Draw the names of omitted steps in their place; return the end."""
    step_names = ", ".join(f"{step.number} {step.title}" for step in steps)
    if not step_names:
        return y
    canvas, page = sketch.canvas, sketch.layout.page
    area = (
        Area(page.x + 8, page.width - 16) if sketch.layout.has_words_above else sketch.layout.words
    )
    lines = canvas.wrap_text(f"not shown: {step_names}", area.width, 10.5)
    canvas.open_group("px-gap")
    if sketch.layout.has_words_above:
        canvas.draw_rect(page.x, y + 6, page.width, 8 + 13 * len(lines), SvgColour.PAGE, None)
        y -= 6
    else:
        canvas.draw_line(
            _NUMBER, previous_end + 4, _NUMBER, y + 14 + 13 * len(lines), SvgColour.LINE, dash="2 4"
        )
    y = canvas.draw_lines(area.x, y + 22, lines, 10.5, SvgColour.DIM, step=13, is_italic=True)
    canvas.close_group()
    return y - 8


def draw_thread(sketch: Sketch, previous_end: float | None, y: float) -> float:
    """Draw the line from the number of the step above to the next one; return its end."""
    top = y + 18
    if previous_end is not None and not sketch.layout.has_words_above:
        sketch.canvas.draw_line(_NUMBER, previous_end, _NUMBER, top - 4, SvgColour.LINE)
    return top + 20


def _draw_side_caption(sketch: Sketch, step: StepView, roles: Iterable[str], y: float) -> float:
    canvas, scale = sketch.canvas, sketch.canvas.lettering
    y += 18
    canvas.draw_dot(_NUMBER, y + 8, SvgColour.INK, is_hollow=True, size=11)
    canvas.draw_text(
        _NUMBER, y + 12.3, str(step.number), 12, SvgColour.INK, anchor="middle", is_bold=True
    )
    canvas.draw_text(
        WORDS_X,
        y + 12.5,
        _format_title(step),
        14 * scale,
        SvgColour.INK,
        is_bold=True,
        width=WORDS_WIDTH,
    )
    lines = canvas.wrap_text(step.about, WORDS_WIDTH, 11 * scale)
    first = y + 12.5 + 16.5 * scale
    end = canvas.draw_lines(WORDS_X, first, lines, 11 * scale, SvgColour.DIM, step=14.5 * scale)
    for role in roles:
        end = _draw_register_name(sketch, role, end + 4, Area(WORDS_X, WORDS_WIDTH))
    return end - 6


def _draw_band_caption(sketch: Sketch, step: StepView, roles: Iterable[str], y: float) -> float:
    canvas, page, words = sketch.canvas, sketch.layout.page, sketch.layout.words
    scale = canvas.lettering
    lines = canvas.wrap_text(step.about, words.width, 11 * scale)
    roles, line_height, top = list(roles), 14 * scale, y + 8
    height = max(8 + line_height * len(lines), _STRIP_HEIGHT + 17 * len(roles), _STRIP_HEIGHT)
    canvas.draw_rect(page.x, top, page.width, height, SvgColour.PAGE, None)
    canvas.draw_dot(page.x + 14, top + 12, SvgColour.INK, is_hollow=True, size=10)
    canvas.draw_text(
        page.x + 14, top + 16, str(step.number), 12, SvgColour.INK, anchor="middle", is_bold=True
    )
    room = words.x - page.x - 44
    canvas.draw_text(
        page.x + 30,
        top + 17,
        _format_title(step),
        14,
        SvgColour.INK,
        is_bold=True,
        width=room / 1.12,
    )
    first = (
        top
        + 12.5
        + (line_height - 11 * scale) / 2
        + max(_STRIP_HEIGHT - 8 - line_height * len(lines), 0) / 2
    )
    canvas.draw_lines(words.x, first, lines, 11 * scale, SvgColour.DIM, step=line_height)
    end = top + 33
    for role in roles:
        end = _draw_register_name(sketch, role, end, Area(page.x + 30, room))
    return top + height


def _draw_compact_caption(
    sketch: Sketch, steps: list[StepView], roles: Iterable[str], y: float
) -> float:
    """Draw numbers and titles of joined steps, and the first sentence, on few lines."""
    canvas, words, page = sketch.canvas, sketch.layout.words, sketch.layout.page
    numbers, titles = (
        ", ".join(x) for x in zip(*((str(x.number), x.title) for x in steps), strict=True)
    )
    title = f"{numbers} {titles[:1].upper()}{titles[1:]}"
    size, top = canvas.scale_size(11), y + 4
    start = measure_text(title, size) * 1.1 + 10
    sentence = steps[0].about
    if steps[0].stage is not Stage.SELECT:  # there each operand has a sentence of its own
        sentence = _find_first_sentence(sentence)
    lines = canvas.wrap_text(sentence, words.width - start, _SMALL)
    roles = list(roles)
    height = 4 + 13 * max(len(lines), 1) + 15 * len(roles)
    canvas.draw_rect(page.x, top, page.width, height, SvgColour.PAGE, None, radius=0)
    canvas.draw_text(words.x, top + 11, title, size, SvgColour.INK, is_bold=True)
    end = canvas.draw_lines(words.x + start, top + 11, lines, _SMALL, SvgColour.DIM, step=13)
    for role in roles:
        end = _draw_register_name(sketch, role, end, words.split_columns(2, 24)[0]) - 2
        register = sketch.registers[role]
        if sketch.has_no_room(register):
            canvas.draw_text(words.center + 12, end - 15, f"= {register.meaning}", 11.5,
                     ROLE_INKS.get(role, SvgColour.INK), is_monospaced=True)  # fmt: skip
    return top + height


def _find_first_sentence(text: str) -> str:
    """Return the first sentence, and the sentence that the result is hidden."""
    first, dot, remaining_text = text.partition(". ")
    return (
        f"{first}." + f" {HIDDEN_RESULT_TEXT}" * remaining_text.endswith(HIDDEN_RESULT_TEXT)
        if dot
        else text
    )


def _format_title(step: StepView) -> str:
    return step.title[:1].upper() + step.title[1:]


def _draw_register_name(sketch: Sketch, role: str, y: float, area: Area) -> float:
    """Draw the name and the bits of a register; return the end."""
    register, canvas = sketch.registers[role], sketch.canvas
    colour = ROLE_INKS.get(role, SvgColour.INK)
    canvas.draw_text(area.x, y, register.label, 13, colour, is_monospaced=True, is_bold=True)
    name = register.name
    if name and name != register.label:
        canvas.draw_text(
            area.x + 16, y, name, 11, SvgColour.DIM, is_monospaced=True, width=area.width - 82
        )
    canvas.draw_text(area.right, y, register.bits, 10.5, colour, anchor="end", is_monospaced=True)
    return y + 17
