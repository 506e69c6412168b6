"""Captions of a picture: numbers, titles and sentences of its steps, and names of registers.

They are in the margin beside the figures; in a compact picture above them, in front of the lines.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...engine.micro_operations.properties import Stage
from ...scene.scene_model import StepScene
from ..content.annotated_trace import HIDDEN_RESULT_TEXT
from ..content.document import StepView
from .page_layout import ROLE_INKS, WORDS_WIDTH, WORDS_X, Area, Sketch
from .svg_colours import SvgColour
from .text_styles import DATUM, EMPHASIS, LABEL, NOTE, OMISSION, SMALL, STRONG, SUBHEADING

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
    """Draw number, title and sentence of a step, and the registers it adds; return the end.

    `joined_step` is the step before, if a compact figure draws both as one.
    """
    if sketch.layout.is_compact:
        return _draw_compact_caption(
            sketch, [joined_step, step] if joined_step else [step], roles, y
        )
    return _draw_side_caption(sketch, step, roles, y)


def draw_gap(sketch: Sketch, steps: Iterable[StepScene], y: float, previous_end: float) -> float:
    """Draw the names of omitted steps in their place; return the end."""
    step_names = ", ".join(f"{step.number} {step.title}" for step in steps)
    if not step_names:
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
    """Draw the line from the number of the step above to the next one; return its end."""
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
    """Draw numbers and titles of joined steps, and the first sentence, on few lines."""
    canvas, words, page = sketch.canvas, sketch.layout.words, sketch.layout.page
    numbers, titles = (
        ", ".join(x) for x in zip(*((str(x.number), x.title) for x in steps), strict=True)
    )
    title = f"{numbers} {titles[:1].upper()}{titles[1:]}"
    top = y + 4
    start = EMPHASIS.measure(title) + 7
    sentence = steps[0].about
    if steps[0].stage is not Stage.SELECT:  # there each operand has a sentence of its own
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
    """Return the first sentence, and the sentence that the result is hidden."""
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
