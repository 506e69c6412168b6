"""A picture in parts: as a slide, step by step, one frame a step, or played.

All frames of a trace have one geometry, that of the whole: what comes later is blank in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise

from ..engine.records import NamedTuple
from ..engine.tracing.trace import Trace
from .document import Document, StepView
from .options import DEFAULT, Motion, Options
from .picture import svg
from .picture.drawing import Ink, Pen, definitions, dressed, number, text_width
from .picture.layout import EDGE, WIDTH, Area

_SLIDE = (1280.0, 720.0)
_MARGIN = 14.0
"""Around the columns of a slide, and between them."""
_LEFT, _INNER = EDGE - 4, WIDTH - 2 * (EDGE - 4)
"""What of a picture's width is in a column."""
_OVER = 12
"""How far what is drawn may stand out of that, as marks do."""
_MOST_COLUMNS = 4
_STEP, _END = 2.5, 5.0
"""Seconds for which a played picture shows a step, and the whole."""
_FADE = 0.4

_ALWAYS = ("operands", "foot")
"""What is seen before the first step."""
Wrap = Callable[[int, list[str]], list[str]]
"""Elements that are seen from a step on, which is 0 for what is always seen."""


class Frame(NamedTuple):
    """The picture up to a step."""

    name: str
    """``04-saturate``."""
    svg: str


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
    drawn = svg.drawing(trace, options)
    if options.motion is Motion.STILL or not drawn.doc.steps:
        return _document(drawn, drawn.doc, options, _as_it_is)
    return _document(drawn, drawn.doc, options, _numbered)


def frames(trace: Trace, options: Options = DEFAULT) -> tuple[Frame, ...]:
    """A still picture for each step that is shown; only the last shows what comes of them."""
    options = options._replace(motion=Motion.STILL)
    count = sum(options.shows(step.stage) for step in trace.steps)
    return tuple(_frame(trace, options, at, count) for at in range(1, count + 1))


def _frame(trace: Trace, options: Options, at: int, count: int) -> Frame:
    drawn = svg.drawing(trace, options, f"-{at}")  # frames may stand on one page
    doc = drawn.doc
    part = doc if at == count else doc._replace(steps=doc.steps[:at], results=(), answers=None)
    text = _document(drawn, part, options, _up_to(at))
    return Frame(f"{at:02}-{doc.steps[at - 1].stage}", text)


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


def _document(drawn: svg.Drawing, doc: Document, options: Options, wrap: Wrap) -> str:
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
        *svg.opened(doc, pen.prefix, wide, high, "group" if over else "img"),
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


def _slide(drawn: svg.Drawing, bands: list[_Band], wrap: Wrap) -> Iterator[str]:
    """The picture in columns below its line; lines that are cut go on at the top of the next."""
    prefix = drawn.pen.prefix
    head, top = _head(drawn.doc, prefix)
    yield from head
    high = _SLIDE[1] - _MARGIN - top
    columns = _columns([band.y for band in bands[1:]], drawn.height, high)
    scale = _scale(columns, high)
    wide = (_SLIDE[0] - _MARGIN * (len(columns) + 1)) / len(columns)
    y = top + (high - _tallest(columns) * scale) / 2
    for at, column in enumerate(columns):
        x = _MARGIN + at * (wide + _MARGIN) + (wide - _INNER * scale) / 2
        name = f"{prefix}-column{at}"
        clip = Pen(prefix)
        over = Area(_LEFT, _INNER).within(-_OVER)
        below = column.end - column.top + _OVER / 2
        clip.rect(over.x, column.top, over.width, below, Ink.PAGE, None, radius=0)
        yield from (f'<clipPath id="{name}">', *clip.parts, "</clipPath>")
        if at:
            line = Pen(prefix)
            middle = _MARGIN / 2 + at * (wide + _MARGIN)
            line.line(middle, y, middle, y + _tallest(columns) * scale, Ink.LINE)
            yield from line.parts
        shift = f"translate({number(x - _LEFT * scale)} {number(y - column.top * scale)})"
        own = [band for band in bands if column.top <= band.y < column.end]
        yield f'<g transform="{shift} scale({scale:.4f})"><g clip-path="url(#{name})">'
        yield from (*drawn.pen.grounds, *_flows(bands, wrap), *_parts(own, wrap))
        yield "</g></g>"


def _head(doc: Document, prefix: str) -> tuple[list[str], float]:
    """Title, instruction and model, large; and where they end."""
    pen, area, y = Pen(prefix), Area(_MARGIN, _SLIDE[0] - 2 * _MARGIN), _MARGIN
    if doc.title:
        pen.text(area.x, y + 28, doc.title, 28, bold=True, width=area.width / 1.12)
        y += 44
    model = f"model {doc.model}"
    badge = min(text_width(model, 15) + 28, area.width / 3)
    pen.rect(area.x, y, area.width, 46, Ink.SOFT, Ink.LINE, radius=8)
    pen.text(
        area.x + 16, y + 30.5, doc.ptx, 21, mono=True, bold=True, width=area.width - badge - 40
    )
    pen.rect(area.right - badge - 10, y + 9, badge, 28, Ink.PAGE, Ink.DIM, radius=14)
    center = area.right - 10 - badge / 2
    pen.text(center, y + 28, model, 15, Ink.DIM, anchor="middle", width=badge - 14)
    return pen.parts, y + 46 + _MARGIN


def _columns(cuts: list[float], end: float, high: float) -> list[_Column]:
    """The picture below its head, in columns that are as large as may be, and as alike."""
    first, *more = sorted({cut for cut in cuts if cut < end})
    ways = (
        [_Column(*column) for column in pairwise((first, *chosen, end))]
        for count in range(min(_MOST_COLUMNS, len(more) + 1))
        for chosen in combinations(more, count)
    )
    return max(ways, key=lambda columns: (_scale(columns, high), -_tallest(columns)))


def _scale(columns: list[_Column], high: float) -> float:
    wide = (_SLIDE[0] - _MARGIN * (len(columns) + 1)) / len(columns)
    return min(wide / _INNER, high / _tallest(columns))


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
