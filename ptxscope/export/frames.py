"""A picture in parts: as a slide, step by step, one frame a step, or played.

All frames of a trace have one geometry, that of the whole: what comes later is blank in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

from ..engine.tracing.trace import Trace
from .alt import alt
from .document import Document, StepView
from .options import DEFAULT, Motion, Options
from .picture import svg
from .picture.drawing import (
    Ink,
    Pen,
    definitions,
    dressed,
    fitted,
    number,
    text_width,
    wrapped,
)
from .picture.layout import WIDTH, Area, beside, instruction, stacked

_SLIDE = (1280.0, 720.0)
_MARGIN = 14.0
"""Around the columns of a slide, and between them."""
READABLE = 12.0
"""How large the letters of a slide of 720 px are at least, where all it shows has room for it."""
_LARGER = 12.9
"""The largest that the smallest letters are made for that."""
_LOOKS = (
    *(svg.Look(beside(wide), 1.3) for wide in (568, 700, 880, 1100)),
    *(svg.Look(stacked(wide), 1.1) for wide in (520, 568, 640)),
)
"""How a slide may be drawn."""
_MOST_SLIDES = 3
_TITLES, _LINES = (28.0, 22.0, 18.0), (21.0, 18.0, 16.0)
"""The sizes of a title, and of an instruction, from the largest that has room."""
_FEW, _MOST_LINES = 2, 6
"""In how many lines they stand, in the smallest size in how many at most."""
_OVER = 12
"""How far what is drawn may stand out of that, as marks do."""
_MOST_COLUMNS = 4
_STEP, _END = 2.5, 5.0
"""Seconds for which a played picture shows a step, and the whole."""
_FADE = 0.4

_ALWAYS = ("operands", "foot")
"""What is seen before the first step."""
_NOT_A_NAME = re.compile("[^a-z0-9]+")
Wrap = Callable[[int, list[str]], list[str]]
"""Elements that are seen from a step on, which is 0 for what is always seen."""


class Frame(NamedTuple):
    """The picture up to a step."""

    name: str
    """``04-saturate``: its number, and the title of its step."""
    svg: str
    alt: str
    """What it shows, in words."""


class _Band(NamedTuple):
    """What is drawn between two marks."""

    y: float
    step: int
    """With which step it is seen first, counted from 1; 0 for what always is."""
    parts: list[str]
    flows: list[str]


class _Column(NamedTuple):
    """A part of the height of a picture."""

    top: float
    end: float


def render(trace: Trace, options: Options = DEFAULT) -> str:
    """The picture as options ask for it; without any of these, as it stands."""
    if not options.slide and options.motion is Motion.STILL:
        return svg.render(trace, options)
    drawn = _drawn(trace, options)
    if options.motion is Motion.STILL or not drawn.doc.steps:
        return _document(drawn, drawn.doc, options, _as_it_is)
    return _document(drawn, drawn.doc, options, _numbered)


def frames(trace: Trace, options: Options = DEFAULT) -> tuple[Frame, ...]:
    """A still picture for each step that is shown; only the last shows what comes of them."""
    options = options._replace(motion=Motion.STILL)
    count = sum(options.shows(step.stage) for step in trace.steps)
    look = _look(trace, options) if options.slide else svg.PLAIN
    return tuple(_frame(trace, options, look, at, count) for at in range(1, count + 1))


def _frame(trace: Trace, options: Options, look: svg.Look, at: int, count: int) -> Frame:
    drawn = svg.drawing(trace, options, f"-{at}", look)  # frames may stand on one page
    doc = drawn.doc
    part = doc
    if at < count:
        part = doc._replace(steps=doc.steps[:at], results=(), answers=None, agreed="")
    title = f"step {at} of {count}, {doc.steps[at - 1].title}"
    part = part._replace(title=f"{doc.title}: {title}" if doc.title else title.capitalize())
    text = _document(drawn, part, options, _up_to(at), "px-svg px-frame")
    return Frame(f"{at:02}-{_NOT_A_NAME.sub('-', doc.steps[at - 1].title)}", text, alt(part))


# --- what is seen when -------------------------------------------------------------------


def _as_it_is(_: int, elements: list[str]) -> list[str]:
    return elements


def _up_to(last: int) -> Wrap:
    return lambda step, elements: elements if step <= last else []


def _numbered(step: int, elements: list[str]) -> list[str]:
    if not step or not elements:
        return elements
    return [f'<g class="px-k px-k{step}">', *elements, "</g>"]


def _bands(drawn: svg.Drawing) -> list[_Band]:
    """What is drawn, from top to bottom."""
    pen, steps = drawn.pen, len(drawn.doc.steps)
    numbers = {f"step-{step.stage}": at for at, step in enumerate(drawn.doc.steps, 1)}
    numbers |= dict.fromkeys(_ALWAYS, 0)
    marks = pen.marks
    bands = [_Band(0, 0, pen.parts[: marks[0].parts], pen.flows[: marks[0].flows])]
    ends = [(mark.parts, mark.flows) for mark in marks[1:]] + [(len(pen.parts), len(pen.flows))]
    for mark, (parts, flows) in zip(marks, ends, strict=True):
        step = numbers.get(mark.name, steps)
        bands.append(
            _Band(mark.y, step, pen.parts[mark.parts : parts], pen.flows[mark.flows : flows])
        )
    return bands


# --- where it stands ---------------------------------------------------------------------


def _document(
    drawn: svg.Drawing, doc: Document, options: Options, wrap: Wrap, css: str = "px-svg"
) -> str:
    """An ``<svg>``; ``doc`` is what it tells of."""
    pen, bands = drawn.pen, _bands(drawn)
    wide, high = _SLIDE if options.slide else (float(WIDTH), drawn.height)
    page = Pen(pen.prefix)
    if options.slide:
        page.rect(0, 0, wide, high, Ink.PAGE, None, radius=0)
        body = list(_slide(drawn, bands, wrap))
    else:
        page.rect(0.5, 0.5, wide - 1, high - 1, Ink.PAGE, Ink.LINE, radius=12)
        body = [*pen.grounds, *_flows(bands, wrap), *_parts(bands, wrap)]
    drawing = [*page.parts, '<g class="px-body">', *body, "</g>"]
    markers, over, style = _MOTIONS[options.motion](doc, pen.prefix, (wide, high))
    lines = [
        *svg.opened(doc, pen.prefix, wide, high, "group" if over else "img", css),
        definitions("\n".join(drawing), options.theme),
        *([f"<style>{style}</style>"] if style else []),
        *markers,
        *dressed(drawing, options.theme),
        *over,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _flows(bands: list[_Band], wrap: Wrap) -> list[str]:
    flows = [line for band in bands for line in wrap(band.step, band.flows)]
    return ['<g class="px-flows">', *flows, "</g>"]


def _parts(bands: list[_Band], wrap: Wrap) -> list[str]:
    return [line for band in bands for line in wrap(band.step, band.parts)]


class _Fit(NamedTuple):
    """How the picture stands on a slide."""

    columns: list[_Column]
    scale: float
    letters: float
    """The smallest that are drawn, in px of a slide."""
    filled: float
    """Which part of the width that is free is drawn on."""


def _drawn(trace: Trace, options: Options) -> svg.Drawing:
    return svg.drawing(trace, options, look=_look(trace, options) if options.slide else svg.PLAIN)


def letters(trace: Trace, options: Options = DEFAULT) -> float:
    """How large the smallest letters of a slide are, of 720 px."""
    return _best(trace, options)[1].letters


def steps_apart(trace: Trace, options: Options = DEFAULT) -> list[str]:
    """The steps that are shown, on as many slides as they need to be read; none where one does.

    They are named as ``--steps`` takes them; where three slides are not enough, step by step.
    """
    shown = [step for step in trace.steps if options.shows(step.stage)]
    parts = [shown]
    for count in range(1, min(len(shown), _MOST_SLIDES) + 1):
        each = -(-len(shown) // count)
        parts = [shown[at : at + each] for at in range(0, len(shown), each)]
        chosen = (options._replace(stages=frozenset(x.stage for x in part)) for part in parts)
        if all(round(letters(trace, part), 1) >= READABLE for part in chosen):
            break
    else:
        parts = [[step] for step in shown]
    ends = ([part[0].number, part[-1].number] for part in parts)
    return ["-".join(map(str, dict.fromkeys(pair))) for pair in ends] if len(parts) > 1 else []


def _look(trace: Trace, options: Options) -> svg.Look:
    """The look in which letters are large enough on a slide, or as large as may be."""
    return _best(trace, options)[0]


def _best(trace: Trace, options: Options) -> tuple[svg.Look, _Fit]:
    fits = (fit for look in _LOOKS for fit in _enlarged(trace, options, look))
    return max(fits, key=lambda fit: _worth(fit[1]))


def _enlarged(trace: Trace, options: Options, look: svg.Look) -> Iterator[tuple[svg.Look, _Fit]]:
    """How a slide has a look; where its letters are too small with larger ones too."""
    fit = _fit(svg.drawing(trace, options, look=look))
    yield look, fit
    if fit.letters < READABLE:
        larger = look._replace(least=min(READABLE / fit.scale + 0.05, _LARGER))
        yield larger, _fit(svg.drawing(trace, options, look=larger))


def _worth(fit: _Fit) -> tuple[float, float, float]:
    return min(round(fit.letters, 1), READABLE), round(fit.scale, 2), fit.filled


def _fit(drawn: svg.Drawing) -> _Fit:
    _, top = _head(drawn)
    high, inner = _SLIDE[1] - _MARGIN - top, _inner(drawn).width
    columns = _columns([band.y for band in _bands(drawn)[1:]], drawn.height, inner, high)
    scale = _scale(columns, inner, high)
    room = _SLIDE[0] - _MARGIN * (len(columns) + 1)
    smallest = drawn.pen.smallest * scale
    return _Fit(columns, scale, smallest, len(columns) * inner * scale / room)


def _inner(drawn: svg.Drawing) -> Area:
    """What of a picture's width is in a column."""
    return drawn.layout.page.within(-4)


def _slide(drawn: svg.Drawing, bands: list[_Band], wrap: Wrap) -> Iterator[str]:
    """The picture in columns below its line; lines that are cut go on at the top of the next."""
    prefix, inner = drawn.pen.prefix, _inner(drawn)
    head, top = _head(drawn)
    yield from head
    columns, scale, _, _ = _fit(drawn)
    high = _SLIDE[1] - _MARGIN - top
    wide = (_SLIDE[0] - _MARGIN * (len(columns) + 1)) / len(columns)
    y = top + (high - _tallest(columns) * scale) / 2
    for at, column in enumerate(columns):
        x = _MARGIN + at * (wide + _MARGIN) + (wide - inner.width * scale) / 2
        name = f"{prefix}-column{at}"
        clip = Pen(prefix)
        over = inner.within(-_OVER)
        below = column.end - column.top + _OVER / 2
        clip.rect(over.x, column.top, over.width, below, Ink.PAGE, None, radius=0)
        yield from (f'<clipPath id="{name}">', *clip.parts, "</clipPath>")
        if at:
            line = Pen(prefix)
            middle = _MARGIN / 2 + at * (wide + _MARGIN)
            line.line(middle, y, middle, y + _tallest(columns) * scale, Ink.LINE)
            yield from line.parts
        shift = f"translate({number(x - inner.x * scale)} {number(y - column.top * scale)})"
        own = [band for band in bands if column.top <= band.y < column.end]
        yield f'<g transform="{shift} scale({scale:.4f})"><g clip-path="url(#{name})">'
        yield from (*drawn.pen.grounds, *_flows(bands, wrap), *_parts(own, wrap))
        yield "</g></g>"


def _head(drawn: svg.Drawing) -> tuple[list[str], float]:
    """Title, instruction and model, large; and where they end."""
    doc, pen, y = drawn.doc, Pen(drawn.pen.prefix), _MARGIN
    area = Area(_MARGIN, _SLIDE[0] - 2 * _MARGIN)
    if doc.title:
        size, lines = _lines(doc.title, area.width / 1.12, _TITLES, mono=False)
        end = pen.lines(area.x, y + size, lines, size, Ink.INK, step=size * 1.25, bold=True)
        y = end - size + 10
    model = f"model {doc.model}"
    badge = min(text_width(model, 15) + 28, area.width / 3)
    size, lines = _lines(doc.ptx, area.width - badge - 40, _LINES, mono=True)
    line, wide = Pen(pen.prefix), area.width - badge - 40
    line.least = READABLE
    first = y + 23 + size * 0.36
    high = instruction(line, " ".join(lines), area.x + 16, first, wide, size, drawn.named) - y + 16
    pen.rect(area.x, y, area.width, high, Ink.SOFT, Ink.LINE, radius=8)
    pen.parts += line.parts
    pen.rect(area.right - badge - 10, y + 9, badge, 28, Ink.PAGE, Ink.DIM, radius=14)
    center = area.right - 10 - badge / 2
    pen.text(center, y + 28, model, 15, Ink.DIM, anchor="middle", width=badge - 14)
    return pen.parts, y + high + _MARGIN


def _lines(
    text: str, width: float, sizes: tuple[float, ...], *, mono: bool
) -> tuple[float, list[str]]:
    """A text in the largest letters in which it needs few lines; in the least, cut after some."""
    for size in sizes:
        lines = wrapped(text, width, size, mono)
        if len(lines) <= _FEW:
            return size, lines
    if len(lines) > _MOST_LINES:  # as a whole it stands in the description
        lines = lines[:_MOST_LINES]
        lines[-1] = fitted(f"{lines[-1]}{'m' * len(text)}", width, size, mono, size).text
    return size, lines


def _columns(cuts: list[float], end: float, inner: float, high: float) -> list[_Column]:
    """The picture below its head, in columns that are as large as may be, and as alike."""
    first, *more = sorted({cut for cut in cuts if cut < end})
    ways = (
        [_Column(*column) for column in pairwise((first, *chosen, end))]
        for count in range(min(_MOST_COLUMNS, len(more) + 1))
        for chosen in combinations(more, count)
    )
    return max(ways, key=lambda columns: (_scale(columns, inner, high), -_tallest(columns)))


def _scale(columns: list[_Column], inner: float, high: float) -> float:
    wide = (_SLIDE[0] - _MARGIN * (len(columns) + 1)) / len(columns)
    return min(wide / inner, high / _tallest(columns))


def _tallest(columns: list[_Column]) -> float:
    return max(column.end - column.top for column in columns)


# --- what moves --------------------------------------------------------------------------


class _Moving(NamedTuple):
    """What a picture that moves has besides: before what is drawn, over it, and its style."""

    markers: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    style: str = ""


Size = tuple[float, float]


def _still(_doc: Document, _prefix: str, _size: Size) -> _Moving:
    return _Moving()


def _stepping(doc: Document, _prefix: str, size: Size) -> _Moving:
    """Targets for addresses, what each hides, and a link to the next step over it all."""
    count = len(doc.steps)
    names = _names(doc.steps)
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
    over = tuple(
        f'<a class="px-next px-next{at}" href="#step-{names[at % count][0]}">'
        f"<title>to step {at % count + 1}</title>"
        f'<rect width="{wide}" height="{high}" fill="none" pointer-events="all"/></a>'
        for at in range(count + 1)
    )
    return _Moving(markers, over if count else (), "".join(rules) if count else "")


def _names(steps: tuple[StepView, ...]) -> list[list[str]]:
    """What each step is called in an address: its stage, its title, its number."""
    taken: set[str] = {str(step.stage) for step in steps}
    found = []
    for step in steps:
        more = dict.fromkeys(("-".join(step.title.lower().split()), str(step.number)))
        own = [str(step.stage), *(name for name in more if name not in taken)]
        taken.update(own)
        found.append(own)
    return found


def _playing(doc: Document, prefix: str, _size: Size) -> _Moving:
    """Each step comes after a while, where motion is welcome; elsewhere all are seen."""
    count = len(doc.steps)
    seconds = count * _STEP + _END
    rules = []
    for at in range(2, count + 1):
        begin, end = (100 * when / seconds for when in ((at - 1) * _STEP, (at - 1) * _STEP + _FADE))
        name = f"{prefix}-k{at}"
        rules.append(
            f"@keyframes {name}{{0%,{begin:.2f}%{{opacity:0}}{end:.2f}%,100%{{opacity:1}}}}"
            f".px-k{at}{{animation:{name} {seconds:g}s linear infinite}}"
        )
    paused = ".px-svg:hover .px-k{animation-play-state:paused}"
    motion = f"@media (prefers-reduced-motion:no-preference){{{''.join(rules)}{paused}}}"
    return _Moving(style=motion if rules else "")


_MOTIONS: dict[Motion, Callable[[Document, str, Size], _Moving]] = {
    Motion.STILL: _still,
    Motion.STEPPING: _stepping,
    Motion.PLAYING: _playing,
}
