"""A picture in parts: step by step, one frame a step, or played; as a slide, or as it stands.

All frames of a trace have one geometry, that of the whole: what comes later is blank in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from ...engine.records import NamedTuple
from ...engine.tracing.trace import Trace
from ..content.alt_text import format_alt_text, short_alt
from ..content.document import Document, StepView
from ..options import DEFAULT, Motion, Options
from ..svg import trace_picture
from ..svg.page_layout import Area
from ..svg.svg_canvas import SvgCanvas, number
from ..svg.svg_colours import SvgColour
from ..svg.svg_sheet import make_sheet, write_sheet
from . import slides
from .picture_cuts import Band, Wrap, cut_bands, list_flows, list_grounds, list_parts

_STEP, _END = 2.5, 5.0
"""Seconds for which a played picture shows a step, and the whole."""
_FADE = 0.4
_HINT = 18.0
"""Height of the line that says that a compact picture can be clicked, where it steps."""
_FOOT = 14.0
"""How far above the end of a picture that stands."""

_NOT_A_NAME = re.compile("[^a-z0-9]+")


class Frame(NamedTuple):
    """The picture up to a step."""

    name: str
    """``04-saturate``: its number, and the title of its step."""
    svg: str
    alt: str
    """What it shows, in words."""
    short_alt: str
    """The same in one sentence."""


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """The picture as options ask for it; without any of these, as it stands."""
    if not options.slide and options.motion is Motion.STILL:
        return trace_picture.render(trace, options)
    look = _look(trace, options)
    drawn = trace_picture.draw_trace(trace, options, look=look)
    if options.motion is Motion.STILL or not drawn.doc.steps:
        return _write_svg(drawn, drawn.doc, options, _wrap_nothing)
    if options.motion is Motion.STEPPING and options.compact:  # its source takes the whole line
        drawn = drawn._replace(height=drawn.height + _HINT)
    return _write_svg(
        _with_drawn_steps(drawn), drawn.doc, options, _make_step_numbering(drawn.pen.prefix)
    )


def make_frames(trace: Trace, options: Options = DEFAULT) -> tuple[Frame, ...]:
    """A still picture for each step that is shown; only the last shows what comes of them."""
    options = options._replace(motion=Motion.STILL)
    look = _look(trace, options)
    count = len(_with_drawn_steps(trace_picture.draw_trace(trace, options, look=look)).doc.steps)
    return tuple(_make_frame(trace, options, look, at, count) for at in range(1, count + 1))


def _with_drawn_steps(drawn: trace_picture.SvgDrawing) -> trace_picture.SvgDrawing:
    """A drawing that counts only the steps that a compact figure does not leave out."""
    if not drawn.layout.compact:
        return drawn
    marks = {mark.name for mark in drawn.pen.marks}
    steps = tuple(step for step in drawn.doc.steps if f"step-{step.stage}" in marks)
    return drawn._replace(doc=drawn.doc._replace(steps=steps))


def _look(trace: Trace, options: Options) -> trace_picture.PictureStyle:
    return slides.look_of(trace, options) if options.slide else trace_picture.look_of(options)


def _make_frame(
    trace: Trace, options: Options, look: trace_picture.PictureStyle, at: int, count: int
) -> Frame:
    name = f"-{at}"  # frames may stand on one page
    drawn = _with_drawn_steps(trace_picture.draw_trace(trace, options, name, look))
    doc = drawn.doc
    part = doc
    if at < count:
        part = doc._replace(steps=doc.steps[:at], results=(), answers=None, agreed="")
    title = f"step {at} of {count}, {doc.steps[at - 1].title}"
    part = part._replace(title=f"{doc.title}: {title}" if doc.title else title.capitalize())
    text = _write_svg(drawn, part, options, _make_step_limit(at), "px-frame", at)
    newest = doc.steps[at - 1]
    name = f"{newest.number:02}-{_NOT_A_NAME.sub('-', newest.title)}"
    return Frame(name, text, format_alt_text(part), short_alt(part))


# --- what is seen when -------------------------------------------------------------------


def _wrap_nothing(_: int, elements: list[str]) -> list[str]:
    return elements


def _make_step_limit(last: int) -> Wrap:
    return lambda step, elements: elements if step <= last else []


def _make_step_numbering(prefix: str) -> Wrap:
    def wrap(step: int, elements: list[str]) -> list[str]:
        if not step or not elements:
            return elements
        return [f'<g class="px-k px-k{step} {prefix}-k{step}">', *elements, "</g>"]

    return wrap


def _accented(bands: list[Band], page: Area, last: int) -> list[Band]:
    """The newest step with a bar beside it, a veil of the page's colour over those before it."""
    found, x = [], page.x - _BAR
    for band, after in pairwise([*bands, bands[-1]]):
        pen, high = SvgCanvas(""), after.y - band.y
        if 0 < band.step < last:
            pen.draw_rect(x, band.y, page.width + 2 * _BAR, high, SvgColour.PAGE, None, radius=0)
            veil = pen.parts[0].replace("<rect ", _VEIL)
            band = band._replace(parts=[*band.parts, veil])
        elif band.step == last and band.parts:
            pen.draw_rect(x, band.y + _BAR, _BAR, high - _BAR, SvgColour.INK, None, radius=0)
            band = band._replace(parts=[*pen.parts, *band.parts])
        found.append(band)
    return found


_BAR = 5.0
"""How wide the bar beside a step is, and how far below its beginning."""
_VEIL = '<rect fill-opacity="0.6" '

# --- where it stands ---------------------------------------------------------------------


def _write_svg(
    drawn: trace_picture.SvgDrawing,
    doc: Document,
    options: Options,
    wrap: Wrap,
    css: str = "",
    last: int = 0,
) -> str:
    """An ``<svg>``; ``doc`` is what it tells of in words, ``last`` a slide's newest step."""
    pen, bands = drawn.pen, cut_bands(drawn)
    if options.slide and last:
        bands = _accented(bands, drawn.layout.page, last)
    wide, high = slides.SIZE if options.slide else (drawn.layout.width, drawn.height)
    if options.slide:
        page = SvgCanvas(pen.prefix)
        page.draw_rect(0, 0, wide, high, SvgColour.PAGE, None, radius=0)
        ground, body = page.parts, list(slides.lay_out_columns(drawn, bands, wrap))
    else:
        ground = trace_picture.paper(drawn)
        body = [*list_grounds(drawn, wrap), *list_flows(bands, wrap), *list_parts(bands, wrap)]
    drawing = [*ground, '<g class="px-body">', *body, "</g>"]
    before, over, style = _MOTIONS[options.motion](drawn.doc, pen.prefix, (wide, high))
    return write_sheet(make_sheet(doc, pen.prefix, wide, high), drawing, options.theme, css=css,
                   style=style, before=before, over=over)  # fmt: skip


# --- what moves --------------------------------------------------------------------------


class _Moving(NamedTuple):
    """What a picture that moves has besides: before what is drawn, over it, and its style."""

    markers: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    style: str = ""


SizePx = tuple[float, float]


def _make_still(_doc: Document, _prefix: str, _size: SizePx) -> _Moving:
    return _Moving()


def _make_stepping(doc: Document, _prefix: str, size: SizePx) -> _Moving:
    """Targets for addresses, what each hides, and a link to the next step over it all."""
    count = len(doc.steps)
    names = _list_step_names(doc.steps)
    markers = tuple(
        f'<g id="step-{name}" class="px-at{at}"/>' for at, of in enumerate(names, 1) for name in of
    )
    rules = [".px-next{display:none}.px-next0{display:inline}"]
    for at in range(1, count + 1):
        target = f".px-at{at}:target~"
        later = [f"{target}.px-body .px-k{step}" for step in range(at + 1, count + 1)]
        rules += [f"{','.join(later)}{{visibility:hidden}}"] if later else []
        rules.append(f"{target}.px-next0{{display:none}}{target}.px-next{at}{{display:inline}}")
    wide, high = map(number, size)
    hidden = ' display="none"'  # for renderers that pass over the style
    over = tuple(
        f'<a class="px-next px-next{at}"{hidden * (at > 0)} href="#step-{names[at % count][0]}">'
        f"<title>to step {doc.steps[at % count].number}</title>"
        f'<rect width="{wide}" height="{high}" fill="none" pointer-events="all"/>'
        f"{_draw_hint('first' if at % count == 0 else 'next', size)}</a>"
        for at in range(count + 1)
    )
    return _Moving(markers, over if count else (), "".join(rules) if count else "")


def _draw_hint(which: str, size: SizePx) -> str:
    """The line that says which step a click shows."""
    pen = SvgCanvas("")
    pen.open("px-hint")
    x, y = size[0] - 24, size[1] - _FOOT
    text = f"click for the {which} step"
    pen.draw_text(x, y, text, 12, SvgColour.DIM, anchor="end", is_bold=True)
    pen.close()
    return "".join(pen.parts)


def _list_step_names(steps: tuple[StepView, ...]) -> list[list[str]]:
    """What each step is called in an address: its stage, its title, its number."""
    taken: set[str] = {str(step.stage) for step in steps}
    found = []
    for step in steps:
        more = dict.fromkeys(("-".join(step.title.lower().split()), str(step.number)))
        own = [str(step.stage), *(name for name in more if name not in taken)]
        taken.update(own)
        found.append(own)
    return found


def _make_playing(doc: Document, prefix: str, _size: SizePx) -> _Moving:
    """Each step comes after a while, where motion is welcome; elsewhere all are seen."""
    count = len(doc.steps)
    seconds = count * _STEP + _END
    rules = []
    for at in range(2, count + 1):
        begin, end = (100 * when / seconds for when in ((at - 1) * _STEP, (at - 1) * _STEP + _FADE))
        name = f"{prefix}-k{at}"
        rules.append(
            f"@keyframes {name}{{0%,{begin:.2f}%{{opacity:0}}{end:.2f}%,100%{{opacity:1}}}}"
            f".{name}{{animation:{name} {seconds:g}s linear infinite}}"
        )
    paused = ".px-svg:hover .px-k{animation-play-state:paused}"
    motion = f"@media (prefers-reduced-motion:no-preference){{{''.join(rules)}{paused}}}"
    return _Moving(style=motion if rules else "")


_MOTIONS: dict[Motion, Callable[[Document, str, SizePx], _Moving]] = {
    Motion.STILL: _make_still,
    Motion.STEPPING: _make_stepping,
    Motion.PLAYING: _make_playing,
}
