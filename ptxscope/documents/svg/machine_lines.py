"""Machine instructions in a picture, each below the step whose values it computes."""

from __future__ import annotations

from collections.abc import Sequence

from ..options import MachineRow, MachineSection
from .page_layout import Area
from .svg_canvas import SvgCanvas
from .svg_colours import SvgColour
from .text_fitting import measure_text

_SIZE = 10.5
_STEP = 15
_PAD = 8


def draw_machine_rows(canvas: SvgCanvas, rows: Sequence[MachineRow], y: float, area: Area) -> float:
    """Draw machine instructions with the values that they compute; return the end."""
    if not rows:
        return y
    y += _PAD
    size = canvas.scale_size(_SIZE)
    room = max(measure_text(x.purpose.strip(), size) for x in rows) + _PAD
    codes = max(measure_text(x.code, size, is_monospaced=True) for x in rows)
    width = area.width - 2 * _PAD
    is_beside = codes + room <= width
    code_width = width - room if is_beside else width
    step = _STEP * size / _SIZE
    height = step * (1 if is_beside else 2)  # the value stands below its instruction
    canvas.open_group("px-sass")
    total = height * len(rows) + _PAD
    canvas.draw_rect(area.x, y, area.width, total, SvgColour.SOFT, None, radius=4)
    for number, row in enumerate(rows):
        top = y + height * number + step
        canvas.draw_text(area.x + _PAD, top, row.code, _SIZE, is_monospaced=True, width=code_width)
        canvas.draw_text(
            area.right - _PAD,
            top + height - step,
            row.purpose.strip(),
            _SIZE,
            SvgColour.DIM,
            anchor="end",
            width=room if is_beside else width,
        )
    canvas.close_group()
    return y + total


def draw_machine_section(
    canvas: SvgCanvas, section: MachineSection, rows: Sequence[MachineRow], y: float, page: Area
) -> float:
    """Draw what is known of machine code, and the instructions that are beside no step."""
    y += 16
    canvas.open_group("px-machine")
    canvas.draw_line(page.x, y, page.right, y, SvgColour.LINE)
    title = canvas.wrap_text(f"{section.title} ({section.tools})", page.width / 1.12, 12)
    y = canvas.draw_lines(page.x, y + 20, title, 12, SvgColour.INK, step=16, is_bold=True)
    for sentence in section.sentences:
        lines = canvas.wrap_text(sentence, page.width, 11.5)
        y = canvas.draw_lines(page.x, y + 2, lines, 11.5, SvgColour.DIM, step=16)
    y = draw_machine_rows(canvas, rows, y - 12, page)
    canvas.close_group()
    return y
