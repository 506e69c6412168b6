"""Variants of a picture: a frame for each step, and pictures to step through.

All frames of a trace share the geometry of the whole picture; later steps are blank.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from ...engine.tracing.trace import Trace
from .. import export
from ..content.alt_text import format_alt_text, format_short_alt
from ..content.document import Document, StepView
from ..content.id_prefix import make_prefix
from ..options import DEFAULT, TALL, Motion, Options
from ..svg import trace_picture
from ..svg.page_layout import Layout
from ..svg.svg_canvas import Box, Sheet, SvgCanvas, format_length, make_style_element, write_sheet
from ..svg.svg_colours import SvgColour
from ..svg.text_styles import MIN_LETTER_PX, STRONG

_ALWAYS = ("operands", "foot")
"""Marks of parts visible before the first step."""
Wrap = Callable[[int, list[str]], list[str]]
"""Wraps elements that are visible from a step onwards; step 0 is always visible."""


class Band(NamedTuple):
    """The part of a drawing between two marks."""

    y: float
    step: int
    """First step that shows it, from 1; 0 for always."""
    parts: list[str]
    flows: list[str]
    bar: Box | None = None
    """The bar beside it as the newest step; None is one at the edge of the page."""


def cut_bands(drawing: trace_picture.SvgDrawing) -> list[Band]:
    """Return the parts of a drawing from top to bottom."""
    canvas, marks = drawing.canvas, drawing.canvas.marks
    bands = [Band(0, 0, canvas.parts[: marks[0].parts], canvas.flows[: marks[0].flows])]
    ends = [(mark.parts, mark.flows) for mark in marks[1:]] + [
        (len(canvas.parts), len(canvas.flows))
    ]
    for mark, (end, flow_end) in zip(marks, ends, strict=True):
        step = _find_first_step(drawing, mark.name)
        elements = canvas.parts[mark.parts : end], canvas.flows[mark.flows : flow_end]
        bands.append(Band(mark.y, step, *elements, mark.bar))
    return bands


def _find_first_step(drawing: trace_picture.SvgDrawing, mark: str) -> int:
    """Return the first step that shows the part below a mark."""
    if mark in _ALWAYS:
        return 0
    numbers = {step.mark: number for number, step in enumerate(drawing.doc.steps, 1)}
    own_number = numbers.get(drawing.owners.get(mark, mark))
    return len(numbers) if own_number is None else own_number


def list_grounds(drawing: trace_picture.SvgDrawing, wrap: Wrap) -> list[str]:
    """Return the background columns, each down to the last visible part on it; turned ones whole.

    The columns of branches begin at the point of deviation.
    """
    bands = cut_bands(drawing)
    elements = []
    for ground in drawing.canvas.grounds:
        first = _find_first_step(drawing, ground.first_mark) if ground.first_mark else 0
        hidden = (x.y for x in bands if x.y > ground.top and not wrap(x.step, [""]))
        end = ground.end if ground.is_turned else next(hidden, ground.end)
        elements += wrap(first, [ground.draw_part(ground.top, min(end, ground.end))])
    return elements


def list_flows(bands: list[Band], wrap: Wrap) -> list[str]:
    """Return the lines between rows."""
    lines = [line for band in bands for line in wrap(band.step, band.flows)]
    return ['<g class="px-flows">', *lines, "</g>"]


def list_parts(bands: list[Band], wrap: Wrap) -> list[str]:
    """Return the parts drawn over the lines."""
    return [line for band in bands for line in wrap(band.step, band.parts)]


_HINT = 18.0
"""Height in px of the line with the hint to click, in a compact stepping picture."""
_FOOT = 14.0
"""Distance in px from the hint to the end of the picture."""

_NOT_A_NAME = re.compile("[^a-z0-9]+")


class Frame(NamedTuple):
    """The picture up to a step."""

    name: str
    """Number and title of its step: ``04-saturate``."""
    svg: str
    alt: str
    """Description in words."""
    short_alt: str
    """Description in one sentence."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """Render the picture with the motion of the options."""
    drawing = trace_picture.draw_trace(trace, options)
    moving = _with_drawn_steps(drawing)
    if options.motion is Motion.STILL or not moving.doc.steps:
        return trace_picture.render_drawing(drawing)
    if options.compact:  # its source takes up the whole line
        moving = moving._replace(height=moving.height + _HINT)
    sheet = trace_picture.make_sheet(moving)
    numbering = _make_step_numbering(drawing.canvas.prefix)
    return _write_svg(moving, sheet, options, numbering)


def make_frames(trace: Trace, options: Options = DEFAULT) -> tuple[Frame, ...]:
    """Return a still picture for each shown step; only the last one shows the result."""
    if options.beside is not None:
        raise ValueError("frames show the steps of one trace, not of two side by side")
    options = options._replace(motion=Motion.STILL)
    count = len(_with_drawn_steps(trace_picture.draw_trace(trace, options)).doc.steps)
    return tuple(
        _make_frame(trace_picture.draw_trace(trace, options, f"-{number}"), options, number, count)
        for number in range(1, count + 1)  # several frames may share a page
    )


def _with_drawn_steps(drawing: trace_picture.SvgDrawing) -> trace_picture.SvgDrawing:
    """Omit the steps that are not drawn from a drawing's document."""
    marks = {mark.name for mark in drawing.canvas.marks}
    steps = tuple(step for step in drawing.doc.steps if step.mark in marks)
    return drawing._replace(doc=drawing.doc._replace(steps=steps))


def _make_frame(
    drawing: trace_picture.SvgDrawing, options: Options, number: int, count: int
) -> Frame:
    drawing = _with_drawn_steps(drawing)
    doc = drawing.doc
    newest = doc.steps[number - 1]
    title = f"step {number} of {count}, {newest.title}"
    part = doc.take_steps(number, f"{doc.title}: {title}" if doc.title else title.capitalize())
    sheet = trace_picture.make_sheet(drawing._replace(doc=part, about=format_alt_text(part)))
    text = _write_svg(drawing, sheet, options, _make_step_limit(number), "px-frame", number)
    name = f"{newest.number:02}-{_NOT_A_NAME.sub('-', newest.title.lower())}"
    return Frame(name, text, format_alt_text(part), format_short_alt(part))


# --- visibility --------------------------------------------------------------------------


def _make_step_limit(last: int) -> Wrap:
    return lambda step, elements: elements if step <= last else []


def _make_step_numbering(prefix: str) -> Wrap:
    def wrap(step: int, elements: list[str]) -> list[str]:
        if not step or not elements:
            return elements
        return [f'<g class="px-k px-k{step} {prefix}-k{step}">', *elements, "</g>"]

    return wrap


def _accent_last_band(bands: list[Band], layout: Layout, last: int) -> list[Band]:
    """Return bands with a bar beside the newest step."""
    accented = []
    for band, next_band in pairwise([*bands, bands[-1]]):
        height, bar = next_band.y - band.y - _BAR, band.bar
        if height > 0 and not layout.is_turned:
            bar = layout.page.x - _BAR, band.y + _BAR, _BAR, height
        if band.step == last and band.parts and bar:
            canvas = SvgCanvas("")
            canvas.draw_rect(*bar, SvgColour.INK, None, radius=0)
            band = band._replace(parts=[*canvas.parts, *band.parts])
        accented.append(band)
    return accented


_BAR = 5.0
"""Width in px of the bar beside a step, and its distance below the top of the step."""

# --- the svg element ---------------------------------------------------------------------


def _write_svg(
    drawing: trace_picture.SvgDrawing,
    sheet: Sheet,
    options: Options,
    wrap: Wrap,
    css: str = "",
    last: int = 0,
) -> str:
    """Return an ``<svg>``; `last` is the newest step of a frame."""
    bands = cut_bands(drawing)
    if last:
        bands = _accent_last_band(bands, drawing.layout, last)
    width, height = sheet.width, sheet.height
    ground = trace_picture.draw_page(drawing)
    body = [*list_grounds(drawing, wrap), *list_flows(bands, wrap), *list_parts(bands, wrap)]
    elements = [*ground, '<g class="px-body">', *body, "</g>"]
    is_stepping = options.motion is Motion.STEPPING
    motion = _MotionParts()
    if is_stepping:
        motion = _make_stepping(drawing.doc, (width, height), drawing.layout, options.id)
    return write_sheet(
        sheet,
        elements,
        options.theme,
        css=css,
        style=motion.style,
        markers=motion.markers,
        overlay=motion.overlay,
    )


# --- motion ------------------------------------------------------------------------------


class _MotionParts(NamedTuple):
    """The extra parts of a moving picture: elements below and above the drawing, and its style."""

    markers: tuple[str, ...] = ()
    overlay: tuple[str, ...] = ()
    style: str = ""


SizePx = tuple[float, float]


def _make_stepping(doc: Document, size: SizePx, layout: Layout, id_: str) -> _MotionParts:
    """Return link targets, rules that hide later steps, and links to the next step."""
    count = len(doc.steps)
    place = f"{id_}-at-" if id_ else "step-"
    names = _list_step_names(doc.steps)
    markers = tuple(
        f'<g id="{place}{name}" class="px-at{number}"/>'
        for number, step_names in enumerate(names, 1)
        for name in step_names
    )
    rules = [".px-next{display:none}.px-next0{display:inline}"]
    for number in range(1, count + 1):
        target = f".px-at{number}:target~"
        selectors = [f"{target}.px-body .px-k{step}" for step in range(number + 1, count + 1)]
        rules += [f"{','.join(selectors)}{{visibility:hidden}}"] if selectors else []
        rules.append(f"{target}.px-next0{{display:none}}{target}.px-next{number}{{display:inline}}")
    width, height = map(format_length, size)
    hidden = ' display="none"'  # for renderers that ignore the style
    overlay = tuple(
        f'<a class="px-next px-next{number}"{hidden * (number > 0)} '
        f'href="#{place}{names[number % count][0]}">'
        f"<title>to step {doc.steps[number % count].number}</title>"
        f'<rect width="{width}" height="{height}" fill="none" pointer-events="all"/>'
        f"{_draw_hint('first' if number % count == 0 else 'next', size, layout)}</a>"
        for number in range(count + 1)
    )
    return _MotionParts(markers, overlay, "".join(rules))


def _draw_hint(step_name: str, size: SizePx, layout: Layout) -> str:
    """Draw the hint at the step that a click shows."""
    canvas = SvgCanvas("")
    canvas.open_group("px-hint")
    x, y = size[0] - 24, size[1] - _FOOT
    text = f"click for the {step_name} step"
    if layout.hint:
        x, y, letters = layout.hint
        canvas.draw_text(x, y, text, STRONG.with_size(letters), SvgColour.DIM)
    else:
        canvas.draw_text(x, y, text, STRONG, SvgColour.DIM, anchor="end")
    canvas.close_group()
    return "".join(canvas.parts)


def _list_step_names(steps: tuple[StepView, ...]) -> list[list[str]]:
    """Return the fragment ids of each step: its stage, its title, its number."""
    own_names = [step.mark.removeprefix("step-") for step in steps]
    used_names = {*own_names}
    names = []
    for step, own_name in zip(steps, own_names, strict=True):
        extra_names = dict.fromkeys(("-".join(step.title.lower().split()), str(step.number)))
        names.append([own_name, *(name for name in extra_names if name not in used_names)])
        used_names.update(names[-1])
    return names


_VIEW_BOX = re.compile(r'viewBox="0 0 ([\d.]++)')
_SIZE = re.compile(r'font-size="([\d.]++)"')
_SCALE = re.compile(r"\) scale\(([\d.]++)\)")
_STYLE = """\
.ptx-pictures{container-type:inline-size;contain-intrinsic-inline-size:360px;
overflow-x:auto;writing-mode:horizontal-tb}
.ptx-pictures svg{display:block;max-width:100%;height:auto}
.ptx-narrow{display:none}
.ptx-narrow svg{min-width:280px}
@container (max-width:619px){.ptx-wide{display:none}.ptx-narrow{display:block}}
@media print{.ptx-pictures svg{max-height:90vh}}
"""
_PRINTED = "@media print{.ptxscope-figure svg{min-width:0!important;max-height:90vh}}"


def render_for_column(trace: Trace, options: Options) -> str:
    """Return an SVG that fits its column, with a compact one for columns below 620 px."""
    svg = export(trace, "svg", options)
    if not options.compact and options.beside is None:
        prefix = f"{make_prefix(trace, options, 'svg')}-narrow"
        small_options = options._replace(compact=True, layout=TALL, id=prefix)
        small_svg = export(trace, "svg", small_options)
        svg = f'<div class="ptx-wide">{svg}</div>\n<div class="ptx-narrow">{small_svg}</div>\n'
    return f'{make_style_element(_STYLE)}\n<div class="ptx-pictures">\n{svg}</div>\n'


def compute_min_width(svg: str) -> int:
    """Return the width in px at which the smallest letters of a picture are 9 px high."""
    width_match = _VIEW_BOX.search(svg)
    scales = list(_SCALE.finditer(svg))
    # elements before the first transform are not scaled
    start = scales[0].start() if scales else len(svg)
    min_scale = min((float(x[1]) for x in scales), default=1.0)
    sizes = [float(x) for x in _SIZE.findall(svg, 0, start)]
    sizes += [float(x) * min_scale for x in _SIZE.findall(svg, start)]
    min_size = min(sizes, default=MIN_LETTER_PX)
    return ceil(float(width_match[1]) * MIN_LETTER_PX / min_size) if width_match else 0


def add_min_width(svg: str) -> str:
    """Give a picture a minimum width for readable letters."""
    style = f"min-width:{compute_min_width(svg)}px"
    return svg.replace("<svg ", f'<svg style="{style}" ', 1)


def render_figure(svg: str) -> str:
    """Return a ``<figure>`` that scrolls if letters would be too small; on paper, it shrinks."""
    return (
        '<figure class="ptxscope-figure" style="margin:0;overflow-x:auto" tabindex="0">\n'
        f"{make_style_element(_PRINTED)}\n{add_min_width(svg)}</figure>\n"
    )
