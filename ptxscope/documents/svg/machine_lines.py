"""Machine instructions in a picture, each below the step whose values it computes."""

from __future__ import annotations

from collections.abc import Sequence

from ..options import MachineRow, MachineSection
from .page_layout import Area
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour
from .text_styles import DATUM, REMARK, SMALL, STRONG

_STEP = 15
_PAD = 8


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
    title = STRONG.wrap(f"{section.title} ({section.tools})", page.width)
    y = canvas.draw_lines(page.x, y + 20, title, STRONG)
    for sentence in section.sentences:
        lines = REMARK.wrap(sentence, page.width)
        y = canvas.draw_lines(page.x, y + 2, lines, REMARK)
    y = draw_machine_rows(canvas, rows, y - 12, page)
    canvas.close_group()
    return y
