"""Number lines, bit rulers and running sums in a wide picture, with the axes of ``wide_shapes``."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from ...documents.svg.page_layout import Area, Sketch
from ...documents.svg.svg_canvas import SvgCanvas, format_length
from ...documents.svg.svg_colours import SvgColour
from ...documents.svg.svg_figures import (
    CONTINUATION,
    PlacedAxis,
    draw_break,
    fold_runs,
    spread_points,
)
from ...documents.svg.symbols import draw_bit_box
from ...documents.svg.text_styles import TextStyle
from ...engine.micro_operations.drawings import Tick
from ...scene.scene_model import (
    BitRuler,
    BitRulers,
    BitRun,
    NumberLine,
    Point,
    RowScene,
    RunningSum,
    SpanKind,
)
from .wide_settings import require_height
from .wide_shapes import (
    BITS,
    CODE,
    LINE,
    NOTE,
    draw_cells,
    draw_middle,
    measure_outcome,
)

_OUTSIDE = 30.0
"""Distance in px from an end of a range to a number outside it."""
_END = 14.0
"""Distance in px from the end of a line to the end of its range."""


def draw_number_lines(sketch: Sketch, row: RowScene, figure: NumberLine, x: float) -> float:
    """Draw an upright line for each lane, or one for all compared numbers, then the outcome."""
    areas = sketch.get_areas(row)
    is_single = len(areas) == 1
    points = figure.points
    has_names = bool(figure.nan_names) or (is_single and any(p.names for p in points))
    moves = any(point.target for point in points)
    axis_x = x + (30 if moves else 12)
    end = axis_x
    for cell, area in zip(row.cells, areas, strict=True):
        own = [p for p in points if is_single or p.place == cell.place]
        area = area.take_middle(min(area.width - 4, 380))
        axis = _place_axis(area, points)
        if has_names:
            end = max(end, _draw_compared_numbers(sketch, row, figure, own, area, axis_x))
            continue
        labels = _list_end_labels(figure, axis, own)
        _draw_axis(sketch.canvas, area, axis, axis_x)
        for point in own:
            place = _draw_number(sketch, row, point, axis, area, axis_x)
            if point.target and point.text:
                labels.append((place, Tick(point.text, 0, True), SvgColour.MARK))
        end = max(end, _draw_labels(sketch.canvas, labels, area, axis_x + 17))
    if not has_names and min(area.width for area in areas) > _MIN_OUTCOME_AXIS:
        return max(end, draw_cells(sketch, row, axis_x + 12, is_framed=False))
    return draw_cells(sketch, row, end + 8, is_framed=False)


_MIN_OUTCOME_AXIS = 180.0
"""Minimum height in px of an axis with room for the outcome between the labels of its ends."""


def _place_axis(area: Area, points: Sequence[Point]) -> PlacedAxis:
    """Return y of the low and the high end of a range, with room for the numbers outside."""
    above = any(point.position > 1 for point in points)
    below = any(point.position < 0 for point in points)
    outside = min(_OUTSIDE, area.width * 0.22) if above and below else _OUTSIDE
    high = area.x + _END + outside * above
    return PlacedAxis(area.right - _END - outside * below, high)


def _compute_y(axis: PlacedAxis, area: Area, position: float) -> float:
    """Return y of a number; one outside the range is near the end of the line."""
    if 0 <= position <= 1:
        return float(axis.compute_place(position))
    return area.x + _END if position > 1 else area.right - _END


def _draw_axis(canvas: SvgCanvas, area: Area, axis: PlacedAxis, x: float) -> None:
    canvas.draw_line(x, area.x, x, area.right, SvgColour.LINE, 1.8, "3 4")
    canvas.draw_rect(x - 4, axis.end, 8, -axis.length, SvgColour.BAR, None, radius=0)


_Label = tuple[float, Tick, SvgColour]


def _list_end_labels(figure: NumberLine, axis: PlacedAxis, points: Sequence[Point]) -> list[_Label]:
    targets = {point.target for point in points}
    ends = ((figure.high, axis.end), (figure.low, axis.start))
    return [(y, Tick(t, 0, t in targets), SvgColour.INK) for t, y in ends]


def _draw_labels(canvas: SvgCanvas, labels: list[_Label], area: Area, x: float) -> float:
    """Draw labels beside a line, moved apart if they are close; return the end."""
    placed = sorted(labels, key=lambda label: label[0])
    tops: list[float] = []
    for y, _, _ in placed:
        tops.append(max(y, tops[-1] + LINE) if tops else max(y, area.x + 9))
    limit = area.right - 9
    for index in range(len(tops) - 1, -1, -1):
        tops[index] = min(tops[index], limit)
        limit = tops[index] - LINE
    end = x
    for top, (y, tick, colour) in zip(tops, placed, strict=True):
        side = x - 17
        if not tick.text:  # the range continues
            is_high = y == placed[0][0]
            a, b, c = map(format_length, (side - 8, side, side + 8))
            tip, base = map(format_length, (y - 5, y + 4) if is_high else (y + 5, y - 4))
            canvas.draw_path(f"M{a} {base}L{b} {tip}L{c} {base}", SvgColour.BAR, line=2)
            continue
        if colour is SvgColour.INK and not tick.position:
            canvas.draw_line(side - 10, y, side + 10, y, SvgColour.INK, 2)
        style, ink = CODE.with_weight(tick.is_current), colour if tick.is_current else None
        draw_middle(canvas, x, top, tick.text, style, ink, "start")
        end = max(end, x + style.measure(tick.text))
    return end


def _draw_number(
    sketch: Sketch, row: RowScene, point: Point, axis: PlacedAxis, area: Area, x: float
) -> float:
    """Draw a number on its line, and an arc to the end if it is outside; return its place."""
    canvas, y = sketch.canvas, _compute_y(axis, area, point.position)
    lane = point.place.lane
    for link, port in sketch.find_incoming_links(row, lane):
        sketch.draw_link(link, (port.area.center, port.y), (y, x - 8))
    if not point.target:
        canvas.draw_dot(x, y, SvgColour.INK, size=6)
        return y
    end = axis.end if point.position > 1 else axis.start
    a, b, c, d, e = map(format_length, (x - 7, y, x - 26, end, x - 9))
    canvas.draw_path(f"M{a} {b}C{c} {b} {c} {d} {e} {d}", SvgColour.MARK, line=2.2)
    f, g, h, i = map(format_length, (x - 14, end - 5, end + 5, x - 6))
    canvas.draw_path(f"M{f} {g}L{f} {h}L{i} {d}Z", None, SvgColour.MARK)
    if point.text:
        draw_break(canvas, x, (y + end) / 2, SvgColour.MARK)
    canvas.draw_dot(x, y, SvgColour.MARK, is_hollow=True, size=6)
    canvas.draw_dot(x, end, SvgColour.MARK, size=6)
    return y


def _draw_compared_numbers(
    sketch: Sketch, row: RowScene, figure: NumberLine, points: list[Point], area: Area, x: float
) -> float:
    """Draw named numbers on one line, with NaN below it; return the end of the labels."""
    canvas = sketch.canvas
    room = 44.0 * bool(figure.nan_names)
    area = Area(area.x, area.width - room)
    axis = _place_axis(area, points)
    _draw_axis(canvas, area, axis, x)
    places = [_compute_y(axis, area, point.position) for point in points]
    spread = spread_points(points, places, axis, _GAP)
    if spread != places:
        draw_break(canvas, x, fsum(spread) / 2, SvgColour.INK)
    by_place = dict(zip((p.place for p in points), spread, strict=True))
    nan_y = area.right + room - 14
    incoming = sketch.find_incoming_links(row, 0)
    latest = max((port.y for _, port in incoming), default=0)
    for link, port in incoming:
        y = by_place.get(link.source, nan_y)
        sketch.draw_link(link, (port.area.center, port.y), (y, x - 9), latest)
    labels = _list_end_labels(figure, axis, points)
    for point, y in zip(points, spread, strict=True):
        canvas.draw_dot(x, y, SvgColour.INK, size=7)
        text = " = ".join((*point.names, point.text))
        labels.append((y, Tick(text, 1, True), SvgColour.INK))
    end = _draw_labels(canvas, labels, area, x + 17)
    if figure.nan_names:
        a, b, c = map(format_length, (x - 9, x, x + 9))
        d, e, f = map(format_length, (nan_y - 9, nan_y, nan_y + 9))
        path = f"M{a} {e}L{b} {d}L{c} {e}L{b} {f}Z"
        canvas.draw_path(path, SvgColour.MARK, SvgColour.MARK_SOFT, line=1.8)
        text = f"{' and '.join(dict.fromkeys(figure.nan_names))}: NaN"
        draw_middle(canvas, x + 17, nan_y, text, CODE, SvgColour.MARK, "start")
        end = max(end, x + 17 + CODE.measure(text))
    return end


_GAP = 26.0
"""Smallest distance in px between two different numbers, so that they look different."""

# --- bits -----------------------------------------------------------------------------------

_RULER = TextStyle(18, is_monospaced=True, is_bold=True)
_BOX = 28.0
"""Height in px of a line of bits."""
_LABEL, _SUMMARY = 140.0, 230.0
"""Widths in px at which the label of bits, and their meaning, are wrapped."""
_CHUNKS = (8, 16, 32, 64)
"""Numbers of digits on a line, the first that fits."""


def draw_bit_rulers(sketch: Sketch, row: RowScene, figure: BitRulers, x: float) -> float:
    """Draw numbers as bit rulers in a box, with their outcome below or beside them.

    An outcome other than a value or bits is behind the box.
    """
    canvas, (cell,), (area,) = sketch.canvas, row.cells, sketch.get_areas(row)
    kinds = {span.kind for span in cell.spans}
    has_outcome = bool(kinds & {SpanKind.VALUE, SpanKind.CLAMPED, SpanKind.CHIP})
    width, below = measure_outcome(sketch, row) if has_outcome else (0, 0)
    start, rulers, is_shown = len(canvas.parts), figure.rulers, not has_outcome
    heights = [[_measure_ruler(x, n, is_shown) for x in rulers] for n in _CHUNKS]
    totals = {}
    for i, each in enumerate(heights):
        if fsum(each) + 12 <= area.width:
            own = max(_measure_ruler_width(y, _CHUNKS[i], is_shown) for y in rulers) + 20
            is_below = has_outcome and fsum(each) + below + 12 <= area.width
            totals[i] = max(own, width + 20) if is_below else own + width
    index = min(totals, key=totals.__getitem__, default=None)
    is_beside = index is None  # all of them do not fit below each other
    if is_beside and len(rulers) == 1:
        (ruler,) = rulers
        half = len(ruler.runs) // 2
        parts = ruler.runs[:half], ruler.runs[half:]
        rulers = tuple(ruler._replace(runs=runs) for runs in parts)
        heights = [[_measure_ruler(x, n, is_shown) for x in rulers] for n in _CHUNKS]
    if index is None:
        require_height(area, min(map(max, heights)) + 12)
        index = next(i for i, x in enumerate(heights) if max(x) + 12 <= area.width)
    height = max(heights[index]) if is_beside else fsum(heights[index])
    is_below = has_outcome and height + below + 12 <= area.width
    box = area.take_middle(height + below * is_below + 12)
    end, left, top = x, x + 10, box.x + 6
    for ruler, own in zip(rulers, heights[index], strict=True):
        right = _draw_ruler(sketch, ruler, top, left, _CHUNKS[index], with_value=is_shown)
        end = max(end, right + 10)
        left, top = (right + 24, top) if is_beside else (left, top + own)
    sketch.draw_links(row, cell.place.lane, box, x)
    if is_below:
        end = max(end, x + width + 20)
        room = Area(box.right - below - 2, below)
        draw_cells(sketch, row, (x + end - width) / 2, is_framed=False, areas=[room])
    elif has_outcome:
        end = draw_cells(sketch, row, end, is_framed=False) + 4
    canvas.draw_below(start, [Area(x, end - x)], box.x, box.width)
    sketch.set_port(cell.place, box, end)
    is_behind = bool(kinds & {SpanKind.HOLDS, SpanKind.FAILS})
    return draw_cells(sketch, row, end + 16, is_framed=False) if is_behind else end


def draw_bit_ruler(
    sketch: Sketch, ruler: BitRuler, area: Area, x: float, *, with_value: bool
) -> float:
    """Draw a number bit by bit in a box in the middle of an area; return the end."""
    heights = {n: _measure_ruler(ruler, n, with_value) for n in _CHUNKS}
    chunk = next((n for n, height in heights.items() if height <= area.width), _CHUNKS[-1])
    box, start = area.take_middle(heights[chunk] + 8), len(sketch.canvas.parts)
    end = _draw_ruler(sketch, ruler, box.x + 6, x + 8, chunk, with_value=with_value) + 8
    sketch.canvas.draw_below(start, [Area(x, end - x)], box.x, box.width)
    return end


def _list_lines(ruler: BitRuler, chunk: int) -> list[BitRun]:
    """Return the lines of a ruler: each run begins one."""
    lines = []
    for run in ruler.runs:
        digits = run.text
        if len(digits.replace(" ", "")) > chunk and " " not in digits:
            prefix = "0x" * digits.startswith("0x")
            rest = digits.removeprefix(prefix)
            first = len(rest) % 4 * bool(prefix)  # digits of numbers are grouped from the right
            groups = [rest[:first]] * bool(first)
            groups += [rest[i : i + 4] for i in range(first, len(rest), 4)]
            digits = prefix + " ".join(groups)
        folded = fold_runs([run._replace(text=digits)], chunk + chunk // 4 + 1)
        lines += [part for (part,) in folded]
    return lines


def _measure_ruler(ruler: BitRuler, chunk: int, with_value: bool) -> float:
    summary = len(_wrap_summary(ruler)) if with_value else 0
    return _BOX * len(_list_lines(ruler, chunk)) + LINE * (bool(ruler.name) + summary) + 8


def _measure_ruler_width(ruler: BitRuler, chunk: int, with_value: bool) -> float:
    lines = _list_lines(ruler, chunk)
    labels = (8 + NOTE.measure(label) if label else 0 for label in _place_labels(lines))
    width = max(_RULER.measure(run.text) for run in lines) + 12 + max(labels)
    summary = map(CODE.measure, _wrap_summary(ruler)) if with_value else ()
    return float(max([width, CODE.measure(ruler.name), *summary]))


def _draw_ruler(
    sketch: Sketch, ruler: BitRuler, y: float, x: float, chunk: int, *, with_value: bool
) -> float:
    """Draw the lines of a number below each other, with labels beside them; return the end."""
    canvas, tint, lines = sketch.canvas, sketch.find_tint(ruler.place), _list_lines(ruler, chunk)
    width = max(_RULER.measure(run.text) for run in lines) + 12
    end = x + width
    if ruler.name:
        draw_middle(canvas, x, y + 10, ruler.name, CODE, SvgColour.INK, "start")
        end, y = max(end, x + CODE.measure(ruler.name)), y + LINE
    for run, label in zip(lines, _place_labels(lines), strict=True):
        own = _RULER.measure(run.text) + 12
        box = Area(x + width - own, own)
        draw_bit_box(canvas, box, y, _BOX - 2, run.text, run.kind, run.tint or tint, _RULER.size)
        colour = SvgColour.MARK if run.kind is SpanKind.LOST else None
        draw_middle(canvas, box.right + 8, y + _BOX / 2, label, NOTE, colour, "start")
        end = max(end, box.right + (8 + NOTE.measure(label) if label else 0))
        y += _BOX
    for line in _wrap_summary(ruler) if with_value else ():
        draw_middle(canvas, x, y + 10, line, CODE, SvgColour.INK, "start")
        end, y = max(end, x + CODE.measure(line)), y + LINE
    return end


def _place_labels(lines: Sequence[BitRun]) -> list[str]:
    """Return the label beside each line; the label of a run of several lines is wrapped."""
    labels: list[str] = []
    starts = [i for i, run in enumerate(lines) if run.label != CONTINUATION]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        run, count = lines[start], end - start
        is_lost = run.kind is SpanKind.LOST  # the other label names the remaining bits
        label = run.label.rpartition(": ")[2] if is_lost else run.label
        wrapped = NOTE.wrap(label, max(_LABEL, *map(NOTE.measure, label.split()), 0))
        wrapped = wrapped if len(wrapped) <= count else [label]
        labels += wrapped + [""] * (count - len(wrapped))
    return labels


def _wrap_summary(ruler: BitRuler) -> list[str]:
    return CODE.wrap(ruler.summary, _SUMMARY) if ruler.summary else []


# --- sums -----------------------------------------------------------------------------------


def draw_running_sum(sketch: Sketch, row: RowScene, figure: RunningSum, x: float) -> float:
    """Draw a sum down a rail, from c through the lanes, with summands at the left."""
    canvas, areas = sketch.canvas, sketch.columns
    texts = [CODE.with_weight(True).measure(t.text if t.is_added else _OMITTED) for t in
             figure.terms]  # fmt: skip
    port, place = sketch.ports.get(figure.start.place), row.cells[0].place
    rail = max(x + 24 + max(texts), port.y + 12 if port else 0)
    top = port.area.center if port else areas[0].x + 6
    if port:
        canvas.draw_flow((top, port.y), (top, rail), SvgColour.C, has_head=False)
    canvas.draw_line(rail, top, rail, areas[-1].center, SvgColour.BAR, 4)
    canvas.draw_dot(rail, top, SvgColour.C, size=6)
    end = rail
    for area, term in zip(areas, figure.terms, strict=True):
        y, source = area.center, sketch.ports.get(term.place)
        if source:
            tip = (y, rail - 11) if term.is_added else (y, rail - 24)
            start = (source.area.center, source.y)
            canvas.draw_flow(start, tip, SvgColour.DIM, is_strong=term.is_added,
                             has_head=term.is_added)  # fmt: skip
        text = term.text if term.is_added else _OMITTED
        draw_middle(canvas, rail - 14, y - 16, text, CODE.with_weight(term.is_added),
                    SvgColour.INK if term.is_added else SvgColour.DIM, "end")  # fmt: skip
        if term.is_added:
            canvas.draw_dot(rail, y, SvgColour.INK, is_hollow=True, size=11)
            a, b, c, d, e, f = map(format_length, (rail - 6, rail + 6, rail, y, y - 6, y + 6))
            canvas.draw_path(f"M{a} {d}L{b} {d}M{c} {e}L{c} {f}", SvgColour.INK, line=2)
        else:
            canvas.draw_cross(rail - 18, y, SvgColour.DIM, 5)
            canvas.draw_dot(rail, y, SvgColour.BAR, is_hollow=True, size=6)
        is_last = area is areas[-1]
        style = BITS if is_last else CODE
        draw_middle(canvas, rail + 18, y, term.total, style, None, "start")
        end = max(end, rail + 18 + style.measure(term.total))
    last = areas[-1].take_middle(30)
    sketch.set_port(place, last, rail + 22 + BITS.measure(figure.terms[-1].total))
    return end


_OMITTED = "left out"
