"""Slides: a picture in columns on a 16:9 page, in letters readable from a distance."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...engine.tracing.trace import Step, Trace
from ..options import DEFAULT, Options
from ..svg import trace_picture
from ..svg.page_layout import (
    Area,
    Names,
    draw_instruction,
    find_name,
    make_side_layout,
    make_stacked_layout,
)
from ..svg.svg_canvas import SvgCanvas, format_length
from ..svg.svg_colours import SvgColour
from ..svg.text_fitting import fit_text, measure_text, wrap_text
from ..svg.trace_picture import INSTRUCTION, PictureKind
from .picture_cuts import Band, Wrap, cut_bands, list_flows, list_grounds, list_parts

SIZE = (1280.0, 720.0)
_MARGIN = 14.0
"""Width in px of the space around and between the columns."""
READABLE = 12.0
"""Smallest readable letters in px on a slide of 720 px."""
_LARGER = (12.9, 14.0, 15.0)
"""Limits in px for enlarging the smallest letters, tried in turn."""
_LOOKS = (
    *(trace_picture.PictureStyle(make_side_layout(wide), 1.3) for wide in (568, 700, 880, 1100)),
    *(trace_picture.PictureStyle(make_stacked_layout(wide), 1.1) for wide in (520, 568, 640)),
)
"""Styles to choose from."""
_MOST_SLIDES = 3
_TITLES, _LINES = (28.0, 22.0, 18.0), (21.0, 18.0, 16.0)
"""Sizes in px of a title and of an instruction; the largest that fits is used."""
_CAPTION = 17.0
"""Size of a caption in px."""
_FEW, _MOST_LINES = 2, 6
"""Largest number of lines of a title or an instruction, and the same at the smallest size."""
_OVER = 12
"""Distance in px that marks may extend beyond a column."""
_MOST_COLUMNS = 4
_ROUNDING = 1e-6
"""Largest error in px of the height of a column."""


class _Column(NamedTuple):
    """A vertical section of a picture."""

    top: float
    end: float


class _Fit(NamedTuple):
    """The layout of a picture on a slide."""

    columns: list[_Column]
    scale: float
    letters: float
    """Smallest letters drawn, in px of a slide."""
    filled: float
    """Share of the free width that is drawn on."""
    cut_count: int
    """Number of texts that do not fit."""


def find_kind(trace: Trace, options: Options = DEFAULT) -> PictureKind:
    """Return how a trace is drawn."""
    if trace.is_line and options.beside is None:
        return INSTRUCTION
    from ..svg.block_picture import BLOCK, PAIR  # loaded late: most pictures are of one instruction

    return PAIR if options.beside else BLOCK


def measure_smallest_letter(trace: Trace, options: Options = DEFAULT) -> float:
    """Return the size in px of the smallest letters on a slide of 720 px, its source included."""
    return min(_choose_best_fit(trace, options, find_kind(trace))[1].letters, READABLE)


class Parts(NamedTuple):
    """The steps for each slide, in the notation of ``--steps``."""

    letters: float
    """Size in px of the smallest letters if everything is on one slide of 720 px."""
    readable: tuple[str, ...] = ()
    crowded: tuple[str, ...] = ()
    """Single steps that are too large for a slide of their own."""


def split_steps(trace: Trace, options: Options = DEFAULT) -> Parts:
    """Split the shown steps over the fewest readable slides; no parts if one slide is readable.

    The result is two or three slides of about equal length if they are readable, otherwise as many
    neighbouring steps on each slide as fit. Every size is measured.
    """
    shown_steps = [step for step in trace.steps if options.shows(step.stage)]
    whole_letters = measure_smallest_letter(trace, options)
    letters_by_stages = {frozenset(step.stage for step in shown_steps): whole_letters}

    def is_readable(group: Sequence[Step]) -> bool:
        stages = frozenset(step.stage for step in group)
        if stages not in letters_by_stages:
            letters_by_stages[stages] = measure_smallest_letter(
                trace, options._replace(stages=stages)
            )
        return round(letters_by_stages[stages], 1) >= READABLE

    for count in range(1, min(len(shown_steps), _MOST_SLIDES) + 1):
        group_size = -(-len(shown_steps) // count)
        groups = [
            shown_steps[start : start + group_size]
            for start in range(0, len(shown_steps), group_size)
        ]
        if all(map(is_readable, groups)):
            return Parts(whole_letters, tuple(map(_format_steps, groups)) if count > 1 else ())
    groups_of_steps: list[list[Step]] = []
    for step in shown_steps:
        if groups_of_steps and is_readable([*groups_of_steps[-1], step]):
            groups_of_steps[-1].append(step)
        else:
            groups_of_steps.append([step])
    readable = tuple(_format_steps(group) for group in groups_of_steps if is_readable(group))
    crowded = tuple(_format_steps(group) for group in groups_of_steps if not is_readable(group))
    return Parts(whole_letters, readable, crowded)


def _format_steps(steps: Sequence[Step]) -> str:
    """Format steps for ``--steps``: ``1-3``, or ``1,3`` if the one between is not shown."""
    first, last = steps[0].number, steps[-1].number
    if last - first + 1 == len(steps):
        return str(first) if first == last else f"{first}-{last}"
    return ",".join(str(step.number) for step in steps)


def choose_style(trace: Trace, options: Options) -> trace_picture.PictureStyle:
    """Return the style with readable letters on a slide, or with the largest possible."""
    return _choose_best_fit(trace, options, find_kind(trace))[0]


def _choose_best_fit(
    trace: Trace, options: Options, kind: PictureKind
) -> tuple[trace_picture.PictureStyle, _Fit]:
    styles = (trace_picture.PLAIN,) if kind.has_branches(trace, options) else _LOOKS
    fits = (fit for style in styles for fit in _iter_enlarged(trace, options, kind, style))
    return max(fits, key=lambda fit: _rank_fit(fit[1]))


def _iter_enlarged(
    trace: Trace,
    options: Options,
    kind: PictureKind,
    style: trace_picture.PictureStyle,
) -> Iterator[tuple[trace_picture.PictureStyle, _Fit]]:
    """Yield the layout in a style, and with enlarged letters if they are too small."""
    fit = _fit_columns(kind.draw(trace, options, style=style))
    yield style, fit
    wanted_size = READABLE / fit.scale + 0.1
    for min_size in dict.fromkeys(min(wanted_size, max_size) for max_size in _LARGER):
        if fit.letters < READABLE:
            larger_style = style._replace(min_size=min_size)
            yield larger_style, _fit_columns(kind.draw(trace, options, style=larger_style))


def _rank_fit(fit: _Fit) -> tuple[float, ...]:
    return (
        -fit.cut_count,
        min(int(fit.letters * 10) / 10, READABLE),
        round(fit.scale, 2),
        fit.filled,
    )


def _fit_columns(drawing: trace_picture.SvgDrawing) -> _Fit:
    _, top = _draw_head(drawing)
    height, inner = _draw_foot(drawing)[1] - top, _measure_inner_area(drawing).width
    columns = _make_columns(
        [band.y for band in cut_bands(drawing)[1:]], _find_columns_end(drawing), inner, height
    )
    scale = _compute_scale(columns, inner, height)
    room = SIZE[0] - _MARGIN * (len(columns) + 1)
    smallest = drawing.canvas.smallest_size * scale
    filled = len(columns) * inner * scale / room
    return _Fit(columns, scale, smallest, filled, drawing.canvas.cut_count)


def _find_columns_end(drawing: trace_picture.SvgDrawing) -> float:
    """Return the end of the part that goes into columns; caption and source are at the foot."""
    return next(mark.y for mark in drawing.canvas.marks if mark.name == "foot")


def _measure_inner_area(drawing: trace_picture.SvgDrawing) -> Area:
    """Return the part of a picture's width that goes into a column."""
    return drawing.layout.page.shrink(-4)


def lay_out_columns(
    drawing: trace_picture.SvgDrawing, bands: list[Band], wrap: Wrap
) -> Iterator[str]:
    """Yield the picture in columns below its heading; cut lines continue in the next column."""
    prefix, inner = drawing.canvas.prefix, _measure_inner_area(drawing)
    head, top = _draw_head(drawing)
    yield from head
    foot, end = _draw_foot(drawing)
    yield from foot
    columns, scale, *_ = _fit_columns(drawing)
    height = end - top
    width = (SIZE[0] - _MARGIN * (len(columns) + 1)) / len(columns)
    y = top + (height - _find_tallest(columns) * scale) / 2
    for index, column in enumerate(columns):
        x = _MARGIN + index * (width + _MARGIN) + (width - inner.width * scale) / 2
        name = f"{prefix}-column{index}"
        clip = SvgCanvas(prefix)
        outer = inner.shrink(-_OVER)
        clip_height = column.end - column.top + _OVER / 2
        clip.draw_rect(
            outer.x, column.top, outer.width, clip_height, SvgColour.PAGE, None, radius=0
        )
        yield from (f'<clipPath id="{name}">', *clip.parts, "</clipPath>")
        if index:
            line = SvgCanvas(prefix)
            middle = _MARGIN / 2 + index * (width + _MARGIN)
            line.draw_line(middle, y, middle, y + _find_tallest(columns) * scale, SvgColour.LINE)
            yield from line.parts
        dx, dy = x - inner.x * scale, y - column.top * scale
        shift = f"translate({format_length(dx)} {format_length(dy)})"
        own_bands = [band for band in bands if column.top <= band.y < column.end]
        yield f'<g transform="{shift} scale({scale:.4f})"><g clip-path="url(#{name})">'
        yield from (
            *list_grounds(drawing, wrap),
            *list_flows(bands, wrap),
            *list_parts(own_bands, wrap),
        )
        yield "</g></g>"


def _draw_head(drawing: trace_picture.SvgDrawing) -> tuple[list[str], float]:
    """Draw title, instruction and model in large letters; return the elements and their end."""
    doc, canvas, y = drawing.doc, SvgCanvas(drawing.canvas.prefix), _MARGIN
    area = Area(_MARGIN, SIZE[0] - 2 * _MARGIN)
    if doc.title:
        size, lines = _fit_text(doc.title, area.width / 1.12, _TITLES, is_monospaced=False)
        end = canvas.draw_lines(
            area.x, y + size, lines, size, SvgColour.INK, step=size * 1.25, is_bold=True
        )
        y = end - size + 10
    model = drawing.model
    badge = min(measure_text(model, 15) + 28, area.width / 3)
    line, width = SvgCanvas(canvas.prefix), area.width - badge - 40
    size, ptx, legend = _fit_instruction(doc.subject, width, drawing.long_names)
    line.min_size = READABLE
    first = y + 23 + size * 0.36
    end = draw_instruction(
        line, ptx, area.x + 16, first, width, size, () if legend else drawing.long_names
    )
    for text in legend:
        end += READABLE * 1.5
        line.draw_text(area.x + 16, end, text, READABLE, SvgColour.DIM, is_monospaced=True)
    height = end - y + 16
    canvas.draw_rect(area.x, y, area.width, height, SvgColour.SOFT, SvgColour.LINE, radius=8)
    canvas.parts += line.parts
    canvas.draw_rect(
        area.right - badge - 10, y + 9, badge, 28, SvgColour.PAGE, SvgColour.DIM, radius=14
    )
    center = area.right - 10 - badge / 2
    canvas.draw_text(center, y + 28, model, 15, SvgColour.DIM, anchor="middle", width=badge - 14)
    return canvas.parts, y + height + _MARGIN


def _fit_instruction(ptx: str, width: float, long_names: Names) -> tuple[float, str, list[str]]:
    """Return the size of an instruction, its text, and the lines of its legend.

    If the names in it are too long, the text has letters for them, and the legend has the names,
    each truncated to one line.
    """
    for size in _LINES:
        if len(wrap_text(ptx, width, size, is_monospaced=True)) <= _FEW:
            return size, ptx, []
    if len(wrap_text(ptx, width, size, is_monospaced=True)) <= _MOST_LINES:
        return size, ptx, []
    texts = [f"{role}: {name}" for name, role in long_names]
    for name, role in long_names:
        for start in reversed(find_name(name, ptx)):
            ptx = ptx[:start] + role + ptx[start + len(name) :]
    legend = [fit_text(text, width, READABLE, True, READABLE).text for text in texts]
    return size, ptx, legend


def _draw_foot(drawing: trace_picture.SvgDrawing) -> tuple[list[str], float]:
    """Draw caption and source at the foot of a slide; return the elements and their top."""
    doc, canvas = drawing.doc, SvgCanvas(drawing.canvas.prefix)
    width = SIZE[0] - 2 * _MARGIN
    lines = wrap_text(doc.caption, width, _CAPTION)
    y = SIZE[1] - _MARGIN - READABLE * 1.5 - len(lines) * _CAPTION * 1.35
    canvas.open_group("px-foot")
    canvas.draw_lines(
        _MARGIN, y + _CAPTION, lines, _CAPTION, SvgColour.INK, step=_CAPTION * 1.35, is_italic=True
    )
    if doc.source:
        canvas.draw_text(
            _MARGIN, SIZE[1] - _MARGIN, doc.source, READABLE, SvgColour.DIM, width=width
        )
    canvas.close_group()
    return canvas.parts, y


def _fit_text(
    text: str, width: float, sizes: tuple[float, ...], *, is_monospaced: bool
) -> tuple[float, list[str]]:
    """Wrap a text at the largest size that needs few lines; truncate it at the smallest."""
    for size in sizes:
        lines = wrap_text(text, width, size, is_monospaced)
        if len(lines) <= _FEW:
            return size, lines
    if len(lines) > _MOST_LINES:  # the description has the whole text
        lines = lines[:_MOST_LINES]
        lines[-1] = fit_text(f"{lines[-1]}{'m' * len(text)}", width, size, is_monospaced, size).text
    return size, lines


def _make_columns(cuts: list[float], end: float, inner: float, height: float) -> list[_Column]:
    """Return the columns below the heading, as large and as equal as possible."""
    tops = sorted({cut for cut in cuts if cut < end})
    layouts = (
        _split_evenly([*tops, end], count) for count in range(1, min(_MOST_COLUMNS, len(tops)) + 1)
    )
    return max(
        layouts,
        key=lambda columns: (_compute_scale(columns, inner, height), -_find_tallest(columns)),
    )


def _split_evenly(bounds: list[float], count: int) -> list[_Column]:
    """Return at most ``count`` columns between neighbouring bounds, the tallest of least height."""
    tallest_part = max(end - top for top, end in pairwise(bounds))
    heights = sorted(
        {
            end - top
            for index, end in enumerate(bounds)
            for top in bounds[:index]
            if end - top >= tallest_part
        }
    )
    index = bisect_left(heights, True, key=lambda x: len(_fill_columns(bounds, x)) <= count)
    return _fill_columns(bounds, heights[index])


def _fill_columns(bounds: list[float], height: float) -> list[_Column]:
    """Return columns of at most a height, as few as possible, filled from the last one."""
    columns: list[_Column] = []
    end = len(bounds) - 1
    while end > 0:
        start = min(bisect_left(bounds, bounds[end] - height - _ROUNDING), end - 1)
        columns.insert(0, _Column(bounds[start], bounds[end]))
        end = start
    return columns


def _compute_scale(columns: list[_Column], inner: float, height: float) -> float:
    width = (SIZE[0] - _MARGIN * (len(columns) + 1)) / len(columns)
    return min(width / inner, height / _find_tallest(columns))


def _find_tallest(columns: list[_Column]) -> float:
    return max(column.end - column.top for column in columns)
