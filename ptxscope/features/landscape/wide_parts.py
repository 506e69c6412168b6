"""Captions, names of lanes and results, around the rows of a wide picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from ...documents.content.document import ResultView, Section, StepView
from ...documents.svg.cell_shapes import format_part_name
from ...documents.svg.page_layout import Area, Port, Sketch
from ...documents.svg.svg_canvas import SvgCanvas, format_length
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.symbols import draw_underline
from ...documents.svg.text_styles import TextStyle
from ...scene.scene_model import LaneRef, NumberLine, SpanKind
from .wide_settings import get_settings
from .wide_shapes import BITS, CODE, NOTE, draw_middle

_TITLE = TextStyle(22, is_bold=True)
_NUMBER = TextStyle(18, is_bold=True)
_RESULT = TextStyle(34, is_monospaced=True, is_bold=True)
_RING, _AFTER_RING = 15.0, 38.0
"""Radius in px of the ring around a number, and width with its distance from the title."""
CAPTION_HEIGHT, TITLE_HEIGHT = 80.0, 34.0
"""Heights in px of a caption, and of one without words."""
_GAP = 12.0
"""Minimum distance in px between captions."""
_RESULT_Y, _RESULT_HEIGHT = 648.0, 62.0


_ABBREVIATIONS = {"sign-extended": "signed", "zero-extended": "unsigned"}


def _shorten_sentences(text: str, widths: Sequence[float]) -> list[str]:
    """Return the start of a text that fits on two lines: sentences, or clauses of the first.

    The width is the first in which the longest start fits.
    """
    for word, short in _ABBREVIATIONS.items():
        text = text.replace(word, short)
    ends = [i for i in range(1, len(text)) if text[i - 1] in ".;:" and text[i] == " "]
    for end in (len(text), *reversed(ends)):
        start = text[:end].rstrip(".;:")
        for width in widths:
            lines = start.split(". ")
            if len(lines) != 2 or any(NOTE.measure(line) > width for line in lines):
                lines = NOTE.wrap(start, width)
            if len(lines) <= 2 and all(NOTE.measure(line) <= width for line in lines):
                return lines
    return []


def _draw_caption(
    canvas: SvgCanvas, x: float, y: float, number: str, title: str, lines: Sequence[str] = ()
) -> float:
    """Draw number, title and words above a column; return the end."""
    start = x
    if number:
        wider = _NUMBER.measure(number) - 20 if "," in number else 0
        canvas.draw_rect(
            x, y, 2 * _RING + wider, 2 * _RING, SvgColour.PAGE, SvgColour.INK, radius=_RING,
            line=1.6,
        )  # fmt: skip
        canvas.draw_text(x + _RING + wider / 2, y + 21.5, number, _NUMBER, anchor="middle")
        start += _AFTER_RING + wider
    title = title[:1].upper() + title[1:]
    canvas.draw_text(start, y + 23, title, _TITLE, None if number else SvgColour.DIM)
    end = start + _TITLE.measure(title)
    for index, line in enumerate(lines):
        canvas.draw_text(x, y + 52 + 22 * index, line, NOTE)
        end = max(end, x + NOTE.measure(line))
    return end


def measure_caption(title: str) -> float:
    """Return the width of a number and a title."""
    return _AFTER_RING + _TITLE.measure(title[:1].upper() + title[1:])


def draw_step_caption(
    sketch: Sketch, step: StepView, start: float, end: float, joined_step: StepView | None,
    joined_x: float,
) -> float:  # fmt: skip
    """Draw the words above the columns of a step; return the start of the next step's words."""
    settings = get_settings(sketch.layout)
    if not settings.has_captions:
        return 0
    y = settings.caption_y
    number, title = str(step.number), step.title
    if joined_step and not settings.has_select_words:
        number, title = f"{joined_step.number}, {number}", f"{joined_step.title}, {title}"
    elif joined_step:
        lines = _shorten_sentences(_name_parts(sketch, step), [start - joined_x - _GAP])
        lines = lines if settings.note_room else []
        _draw_caption(sketch.canvas, joined_x, y, str(joined_step.number), joined_step.title, lines)
    lines = []
    if settings.note_room:
        room = max(end - start, measure_caption(step.title))
        wider = [width for width in range(100, int(settings.note_room) + 1, 10) if width > room]
        lines = _shorten_sentences(step.about, [room, *wider])
    return _draw_caption(sketch.canvas, start, y, number, title, lines) + _GAP


def _name_parts(sketch: Sketch, step: StepView) -> str:
    """Return the names of the parts that the rows of a step read, if there are few."""
    names = []
    if sketch.scene.lanes == 1:
        for row in (sketch.rows[x.key] for x in step.rows if x.key in sketch.rows):
            for link in row.links:
                register = sketch.registers.get(link.source.key)
                if register:
                    lane = link.source.lane
                    names.append(format_part_name(register.label, register.unit, lane))
    return ", ".join(filter(None, dict.fromkeys(names)))


def draw_registers(sketch: Sketch, roles: Sequence[str], x: float) -> float:
    """Draw a title above the registers, and the bits of the registers in lanes; return the end."""
    lines = []
    for role in roles if get_settings(sketch.layout).note_room else ():
        register = sketch.registers[role]
        name = register.name if register.name not in ("", role) else register.label
        lines.append(f"{name} = {register.bits}")
    settings = get_settings(sketch.layout)
    if not settings.has_captions:
        return x
    return _draw_caption(sketch.canvas, x, settings.caption_y, "", "Registers", lines) + _GAP


def draw_lane_names(sketch: Sketch, x: float) -> float:
    """Draw the names of the lanes, with the numbers of their notes; return the end."""
    canvas, count = sketch.canvas, sketch.scene.lanes
    has_names = get_settings(sketch.layout).note_room and not sketch.branch
    if count == 1 or not has_names:  # the parts of registers have the names of lanes
        return x + 4
    canvas.open_group("px-lanes")
    for number, area in enumerate(sketch.columns, 1):
        lane = count - number
        marks = [str(i) for i, note in enumerate(sketch.notes, 1) if note.lane == lane]
        text = f"note {', '.join(marks[:2])}" if marks else ""
        draw_middle(
            canvas, x + 8, area.center - 12 * bool(marks), f"lane {lane}", NOTE, None, "start"
        )
        draw_middle(canvas, x + 8, area.center + 12, text, NOTE, None, "start")
    canvas.close_group()
    return x + 68


def draw_results(section: Section, sketch: Sketch, *, has_meanings: bool) -> float:
    """Draw each destination below the lanes, at the right, with lines to it; return the left edge.

    The line of the lowest value goes straight down; lines of values above pass at its right.
    """
    canvas, right = sketch.canvas, sketch.layout.page.right
    canvas.open_group("px-result")
    if not section.results:
        left = right - NOTE.measure(section.no_result) - 40
        box = (left, _RESULT_Y, right - left, _RESULT_HEIGHT)
        canvas.draw_rect(*box, SvgColour.PAGE, SvgColour.LINE, radius=10, dash="5 4")
        middle = _RESULT_Y + _RESULT_HEIGHT / 2
        draw_middle(canvas, (left + right) / 2, middle, section.no_result, NOTE)
        canvas.close_group()
        return left
    columns = []
    for view, places in zip(section.results, sketch.ends, strict=False):
        ports = {place: sketch.ports[place] for place in places if place in sketch.ports}
        shown = view if has_meanings else view._replace(meant="")
        columns.append((max((x.area.right for x in ports.values()), default=0.0), shown, ports))
    columns.sort(key=lambda each: each[0], reverse=True)
    end = max((x.y for *_, ports in columns for x in ports.values()), default=right)
    rails = [min(end, right) + 12 * (index + 1) for index in range(len(columns))]
    first = columns[0][2]
    if len(first) == 1 and not _has_words_below(sketch, *first):
        rails[0] = next(iter(first.values())).y - 24
    widths = [_measure_result(view) for _, view, _ in columns]
    left = start = min(right - fsum(widths) - 20 * (len(widths) - 1), *(x - 30 for x in rails))
    for (_, view, ports), width, rail in zip(columns, widths, rails, strict=True):
        tip = min(max(rail, left + 24), left + width - 24)
        for place, port in ports.items():
            points = [(port.y, port.area.center), (rail, port.area.center)]
            if rail < port.y:
                points = [(rail, port.area.right)]
            if tip != rail:
                points += [(rail, _RESULT_Y - 12), (tip, _RESULT_Y - 12)]
            flow = len(canvas.flows)
            _draw_wire(canvas, [*points, (tip, _RESULT_Y)])
            sketch.add_result_link(view.name, place, canvas.flows[flow])
        _draw_result(canvas, view, left, width)
        sketch.add_result(view.name, Area(_RESULT_Y, _RESULT_HEIGHT), left, left + width)
        left += width + 20
    canvas.close_group()
    return start


_NAME = CODE.with_size(22)


def _measure_result(view: ResultView) -> float:
    meant = CODE.measure(view.meant) + 20 if view.meant else 0
    return 48 + _NAME.measure(f"{view.name} =") + _RESULT.measure(view.bits) + meant


def _draw_result(canvas: SvgCanvas, view: ResultView, x: float, width: float) -> None:
    box, name = (x, _RESULT_Y, width, _RESULT_HEIGHT), f"{view.name} ="
    canvas.draw_rect(*box, SvgColour.SOFT, SvgColour.INK, radius=10, line=2.4)
    canvas.draw_text(x + 18, _RESULT_Y + 42, name, _NAME)
    canvas.draw_text(x + 30 + _NAME.measure(name), _RESULT_Y + 43, view.bits, _RESULT)
    canvas.draw_text(x + width - 18, _RESULT_Y + 40, view.meant, CODE, anchor="end")


def measure_way_results(section: Section) -> float:
    """Return the width of the results of one of two ways."""
    texts = [_format_way_result(view) for view in section.results] or [section.no_result]
    return fsum(BITS.measure(text) + 28 for text in texts) + 12 * (len(texts) - 1)


def _format_way_result(view: ResultView) -> str:
    return f"{view.name} = {view.bits}"


def draw_way_results(
    canvas: SvgCanvas, sections: tuple[Section, Section], outputs: Sequence[Mapping[LaneRef, Port]],
    row: Area, ends: tuple[float, float], sketch: Sketch | None,
) -> None:  # fmt: skip
    """Draw the results of one of two ways at the end of a row above its columns.

    The sections are its own and that of the other way, from which the marked digits differ. The
    ends are those of the columns and of the row.
    """
    (section, rival), (x, end) = sections, ends
    canvas.open_group("px-result")
    box = row.take_middle(36)
    left = end - measure_way_results(section)
    if not section.results:
        canvas.draw_rect(
            left, box.x, end - left, box.width, SvgColour.PAGE, SvgColour.LINE, radius=8, dash="5 4"
        )
        draw_middle(canvas, (left + end) / 2, box.center, section.no_result, NOTE)
    for number, view in enumerate(section.results):
        text, rail = _format_way_result(view), x + 12 * (number + 1)
        width = BITS.measure(text) + 28
        tip = min(max(rail, left + 14), left + width - 14)
        for place, port in outputs[number].items():
            points = [(port.y, port.area.center), (rail, port.area.center)]
            if tip != rail:
                points += [(rail, row.right), (tip, row.right)]
            flow = len(canvas.flows)
            _draw_wire(canvas, [*points, (tip, box.right)])
            if sketch:
                sketch.add_result_link(view.name, place, *canvas.flows[flow:])
        canvas.draw_rect(
            left, box.x, width, box.width, SvgColour.PAGE, SvgColour.INK, radius=8, line=2.4
        )
        draw_middle(canvas, left + width / 2, box.center, text, BITS, SvgColour.INK)
        other = rival.results[number].bits if number < len(rival.results) else ""
        if len(other) == len(view.bits):
            center = left + width / 2 + (BITS.measure(text) - BITS.measure(view.bits)) / 2
            draw_underline(canvas, center, box.right - 6, view.bits, other, BITS.size)
        if sketch:
            sketch.add_result(view.name, box, left, left + width)
        left += width + 12
    canvas.close_group()


def _has_words_below(sketch: Sketch, place: LaneRef) -> bool:
    """Whether the name of a truth value, a flag, or an end of a range is below a value."""
    row, view = sketch.rows.get(place.key), sketch.words.get((place.key, place.lane))
    kinds = {span.kind for cell in row.cells for span in cell.spans} if row else set()
    truths = {SpanKind.HOLDS, SpanKind.FAILS, SpanKind.EITHER}
    has_labels = row is not None and isinstance(row.figure, NumberLine)
    return bool(kinds & truths or has_labels or (view and view.flags and row and not row.figure))


def _draw_wire(canvas: SvgCanvas, points: Sequence[tuple[float, float]]) -> None:
    """Draw straight lines through points, the last one upright, with a head."""
    (x, y), texts = points[-1], (" ".join(map(format_length, point)) for point in points)
    way = 1 if points[-2][1] < y else -1
    a, b, c, d, e = map(format_length, (x - 5, x + 5, y - 9 * way, x, y - way))
    canvas.draw_path(f"M{'L'.join(texts)}", SvgColour.DIM, line=2.2)
    canvas.draw_path(f"M{a} {c}L{b} {c}L{d} {e}Z", None, SvgColour.DIM)
    canvas.flows += canvas.parts[-2:]
    del canvas.parts[-2:]
