"""A slide: a picture in columns on a page of 16:9, in letters that can be read far away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from ...engine.records import NamedTuple
from ...engine.tracing.trace import Step, Trace
from ..content.document import list_traces
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
from ..svg.svg_canvas import SvgCanvas, number
from ..svg.svg_colours import SvgColour
from ..svg.text_fitting import fit_text, measure_text, wrap_text
from .picture_cuts import Band, Wrap, cut_bands, list_flows, list_grounds, list_parts

SIZE = (1280.0, 720.0)
_MARGIN = 14.0
"""Around the columns of a slide, and between them."""
READABLE = 12.0
"""How large the letters of a slide of 720 px are at least, where all it shows has room for it."""
_LARGER = (12.9, 14.0, 15.0)
"""The largest that the smallest letters are made for that, one after the other."""
_LOOKS = (
    *(trace_picture.PictureStyle(make_side_layout(wide), 1.3) for wide in (568, 700, 880, 1100)),
    *(trace_picture.PictureStyle(make_stacked_layout(wide), 1.1) for wide in (520, 568, 640)),
)
"""How a slide may be drawn."""
_MOST_SLIDES = 3
_TITLES, _LINES = (28.0, 22.0, 18.0), (21.0, 18.0, 16.0)
"""The sizes of a title, and of an instruction, from the largest that has room."""
_CAPTION = 17.0
"""The size of a caption."""
_FEW, _MOST_LINES = 2, 6
"""In how many lines they stand, in the smallest size in how many at most."""
_OVER = 12
"""How far what is drawn may stand out of a column, as marks do."""
_MOST_COLUMNS = 4


class _Column(NamedTuple):
    """A part of the height of a picture."""

    top: float
    end: float


class _Fit(NamedTuple):
    """How the picture stands on a slide."""

    columns: list[_Column]
    scale: float
    letters: float
    """The smallest that are drawn, in px of a slide."""
    filled: float
    """Which part of the width that is free is drawn on."""
    cut: int
    """How many texts have no room."""


def measure_smallest_letter(trace: Trace, options: Options = DEFAULT) -> float:
    """How large the smallest letters of a slide are, of 720 px."""
    return _choose_best_fit(trace, options)[1].letters


class Parts(NamedTuple):
    """What of a trace has slides of its own, each named as ``--steps`` takes it."""

    letters: float
    """How large the smallest are where all is on one slide, of 720 px."""
    readable: tuple[str, ...] = ()
    crowded: tuple[str, ...] = ()
    """Single steps that are too much for a slide even alone."""


def split_steps(trace: Trace, options: Options = DEFAULT) -> Parts:
    """The steps that are shown, on as few slides as can be read; no parts where one slide can.

    They are two or three of about the same length where these do, else as many neighbours each as
    there is room for. All is measured, nothing guessed.
    """
    shown = [step for step in trace.steps if options.shows(step.stage)]
    whole = measure_smallest_letter(trace, options)
    known = {frozenset(step.stage for step in shown): whole}

    def is_readable(group: Sequence[Step]) -> bool:
        stages = frozenset(step.stage for step in group)
        if stages not in known:
            known[stages] = measure_smallest_letter(trace, options._replace(stages=stages))
        return round(known[stages], 1) >= READABLE

    for count in range(1, min(len(shown), _MOST_SLIDES) + 1):
        each = -(-len(shown) // count)
        groups = [shown[at : at + each] for at in range(0, len(shown), each)]
        if all(map(is_readable, groups)):
            return Parts(whole, tuple(map(_format_steps, groups)) if count > 1 else ())
    joined: list[list[Step]] = []
    for step in shown:
        if joined and is_readable([*joined[-1], step]):
            joined[-1].append(step)
        else:
            joined.append([step])
    readable = tuple(_format_steps(group) for group in joined if is_readable(group))
    crowded = tuple(_format_steps(group) for group in joined if not is_readable(group))
    return Parts(whole, readable, crowded)


def _format_steps(steps: Sequence[Step]) -> str:
    """Steps as ``--steps`` takes them: ``1-3``, or ``1,3`` where one between is not shown."""
    first, last = steps[0].number, steps[-1].number
    if last - first + 1 == len(steps):
        return str(first) if first == last else f"{first}-{last}"
    return ",".join(str(step.number) for step in steps)


def look_of(trace: Trace, options: Options) -> trace_picture.PictureStyle:
    """The look in which letters are large enough on a slide, or as large as may be."""
    return _choose_best_fit(trace, options)[0]


def _choose_best_fit(trace: Trace, options: Options) -> tuple[trace_picture.PictureStyle, _Fit]:
    looks = (
        (trace_picture.PLAIN,) if len(list_traces(trace, options)) > 1 else _LOOKS
    )  # branches have one
    fits = (fit for look in looks for fit in _iter_enlarged(trace, options, look))
    return max(fits, key=lambda fit: _rank_fit(fit[1]))


def _iter_enlarged(
    trace: Trace, options: Options, look: trace_picture.PictureStyle
) -> Iterator[tuple[trace_picture.PictureStyle, _Fit]]:
    """How a slide has a look; where its letters are too small with larger ones too."""
    fit = _fit(trace_picture.draw_trace(trace, options, look=look))
    yield look, fit
    wanted = READABLE / fit.scale + 0.05
    for least in dict.fromkeys(min(wanted, most) for most in _LARGER):
        if fit.letters < READABLE:
            larger = look._replace(least=least)
            yield larger, _fit(trace_picture.draw_trace(trace, options, look=larger))


def _rank_fit(fit: _Fit) -> tuple[float, ...]:
    return -fit.cut, min(round(fit.letters, 1), READABLE), round(fit.scale, 2), fit.filled


def _fit(drawn: trace_picture.SvgDrawing) -> _Fit:
    _, top = _draw_head(drawn)
    high, inner = _foot(drawn)[1] - top, _measure_inner_area(drawn).width
    columns = _make_columns([band.y for band in cut_bands(drawn)[1:]], _end(drawn), inner, high)
    scale = _scale(columns, inner, high)
    room = SIZE[0] - _MARGIN * (len(columns) + 1)
    smallest = drawn.pen.smallest * scale
    filled = len(columns) * inner * scale / room
    return _Fit(columns, scale, smallest, filled, drawn.pen.cut)


def _end(drawn: trace_picture.SvgDrawing) -> float:
    """Where what stands in columns ends: the caption and the source stand at the foot."""
    return next(mark.y for mark in drawn.pen.marks if mark.name == "foot")


def _measure_inner_area(drawn: trace_picture.SvgDrawing) -> Area:
    """What of a picture's width is in a column."""
    return drawn.layout.page.shrink(-4)


def lay_out_columns(
    drawn: trace_picture.SvgDrawing, bands: list[Band], wrap: Wrap
) -> Iterator[str]:
    """The picture in columns below its line; lines that are cut go on at the top of the next."""
    prefix, inner = drawn.pen.prefix, _measure_inner_area(drawn)
    head, top = _draw_head(drawn)
    yield from head
    foot, end = _foot(drawn)
    yield from foot
    columns, scale, *_ = _fit(drawn)
    high = end - top
    wide = (SIZE[0] - _MARGIN * (len(columns) + 1)) / len(columns)
    y = top + (high - _find_tallest(columns) * scale) / 2
    for at, column in enumerate(columns):
        x = _MARGIN + at * (wide + _MARGIN) + (wide - inner.width * scale) / 2
        name = f"{prefix}-column{at}"
        clip = SvgCanvas(prefix)
        over = inner.shrink(-_OVER)
        below = column.end - column.top + _OVER / 2
        clip.draw_rect(over.x, column.top, over.width, below, SvgColour.PAGE, None, radius=0)
        yield from (f'<clipPath id="{name}">', *clip.parts, "</clipPath>")
        if at:
            line = SvgCanvas(prefix)
            middle = _MARGIN / 2 + at * (wide + _MARGIN)
            line.draw_line(middle, y, middle, y + _find_tallest(columns) * scale, SvgColour.LINE)
            yield from line.parts
        shift = f"translate({number(x - inner.x * scale)} {number(y - column.top * scale)})"
        own = [band for band in bands if column.top <= band.y < column.end]
        yield f'<g transform="{shift} scale({scale:.4f})"><g clip-path="url(#{name})">'
        yield from (*list_grounds(drawn, wrap), *list_flows(bands, wrap), *list_parts(own, wrap))
        yield "</g></g>"


def _draw_head(drawn: trace_picture.SvgDrawing) -> tuple[list[str], float]:
    """Title, instruction and model, large; and where they end."""
    doc, pen, y = drawn.doc, SvgCanvas(drawn.pen.prefix), _MARGIN
    area = Area(_MARGIN, SIZE[0] - 2 * _MARGIN)
    if doc.title:
        size, lines = _fit_text(doc.title, area.width / 1.12, _TITLES, is_monospaced=False)
        end = pen.draw_lines(
            area.x, y + size, lines, size, SvgColour.INK, step=size * 1.25, is_bold=True
        )
        y = end - size + 10
    model = trace_picture.format_model(doc)
    badge = min(measure_text(model, 15) + 28, area.width / 3)
    line, wide = SvgCanvas(pen.prefix), area.width - badge - 40
    size, ptx, legend = _fit_instruction(doc.ptx, wide, drawn.named)
    line.least = READABLE
    end = draw_instruction(
        line, ptx, area.x + 16, y + 23 + size * 0.36, wide, size, () if legend else drawn.named
    )
    for text in legend:
        end += READABLE * 1.5
        line.draw_text(area.x + 16, end, text, READABLE, SvgColour.DIM, is_monospaced=True)
    high = end - y + 16
    pen.draw_rect(area.x, y, area.width, high, SvgColour.SOFT, SvgColour.LINE, radius=8)
    pen.parts += line.parts
    pen.draw_rect(
        area.right - badge - 10, y + 9, badge, 28, SvgColour.PAGE, SvgColour.DIM, radius=14
    )
    center = area.right - 10 - badge / 2
    pen.draw_text(center, y + 28, model, 15, SvgColour.DIM, anchor="middle", width=badge - 14)
    return pen.parts, y + high + _MARGIN


def _fit_instruction(ptx: str, width: float, named: Names) -> tuple[float, str, list[str]]:
    """The size of an instruction and its text, with letters for its names where these are too long.

    The names stand below it then, as far as there is room for each in a line.
    """
    for size in _LINES:
        if len(wrap_text(ptx, width, size, is_monospaced=True)) <= _FEW:
            return size, ptx, []
    if len(wrap_text(ptx, width, size, is_monospaced=True)) <= _MOST_LINES:
        return size, ptx, []
    texts = [f"{role}: {name}" for name, role in named]
    for name, role in named:
        for start in reversed(find_name(name, ptx)):
            ptx = ptx[:start] + role + ptx[start + len(name) :]
    return size, ptx, [fit_text(x, width, READABLE, True, READABLE).text for x in texts]


def _foot(drawn: trace_picture.SvgDrawing) -> tuple[list[str], float]:
    """Caption and source at the foot of a slide; and where they begin."""
    doc, pen = drawn.doc, SvgCanvas(drawn.pen.prefix)
    width = SIZE[0] - 2 * _MARGIN
    lines = wrap_text(doc.caption, width, _CAPTION)
    y = SIZE[1] - _MARGIN - READABLE * 1.5 - len(lines) * _CAPTION * 1.35
    pen.open("px-foot")
    pen.draw_lines(
        _MARGIN, y + _CAPTION, lines, _CAPTION, SvgColour.INK, step=_CAPTION * 1.35, is_italic=True
    )
    pen.draw_text(_MARGIN, SIZE[1] - _MARGIN, doc.source, READABLE, SvgColour.DIM, width=width)
    pen.close()
    return pen.parts, y


def _fit_text(
    text: str, width: float, sizes: tuple[float, ...], *, is_monospaced: bool
) -> tuple[float, list[str]]:
    """A text in the largest letters in which it needs few lines; in the least, cut after some."""
    for size in sizes:
        lines = wrap_text(text, width, size, is_monospaced)
        if len(lines) <= _FEW:
            return size, lines
    if len(lines) > _MOST_LINES:  # as a whole it stands in the description
        lines = lines[:_MOST_LINES]
        lines[-1] = fit_text(f"{lines[-1]}{'m' * len(text)}", width, size, is_monospaced, size).text
    return size, lines


def _make_columns(cuts: list[float], end: float, inner: float, high: float) -> list[_Column]:
    """The picture below its head, in columns that are as large as may be, and as alike."""
    first, *more = sorted({cut for cut in cuts if cut < end})
    ways = (
        [_Column(*column) for column in pairwise((first, *chosen, end))]
        for count in range(min(_MOST_COLUMNS, len(more) + 1))
        for chosen in combinations(more, count)
    )
    return max(ways, key=lambda columns: (_scale(columns, inner, high), -_find_tallest(columns)))


def _scale(columns: list[_Column], inner: float, high: float) -> float:
    wide = (SIZE[0] - _MARGIN * (len(columns) + 1)) / len(columns)
    return min(wide / inner, high / _find_tallest(columns))


def _find_tallest(columns: list[_Column]) -> float:
    return max(column.end - column.top for column in columns)
