"""A canvas that collects SVG elements as text.

Lengths are in px on a page 800 px wide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from html import escape
from typing import NamedTuple

from ..content.sanitizer import show_controls
from ..theme import Theme
from .svg_colours import PALETTE, SvgColour, apply_theme, make_style_sheet
from .text_styles import TextStyle, is_leftwards

_LEFTWARDS = "\u2067{}\u2069"
"""Marks around a right-to-left line, which resvg supports, unlike ``direction``."""
_PLAIN_MONO = "DejaVu Sans Mono, monospace"
"""Font for readers that ignore the style sheet, as Inkscape does for a nested ``@supports``."""
HATCH = 6.0
"""Distance in px between the lines of a hatch."""


_CACHE = 4096
"""Number of cached strings of each kind: consecutive pictures share most places and words."""


@lru_cache(_CACHE)
def format_length(value: float) -> str:
    """Format a length with at most one decimal: ``12``, ``0.5``."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@lru_cache(_CACHE)
def escape_xml(text: str) -> str:
    """Escape text for an element or an attribute; show characters that XML or HTML forbids."""
    return escape("\n".join(map(show_controls, text.split("\n"))))


class Area(NamedTuple):
    """A horizontal extent on the page: a column, or a part of one."""

    x: float
    width: float

    @property
    def center(self) -> float:
        """The middle."""
        return self.x + self.width / 2

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    def split_columns(self, count: int, gap: float = 0) -> list[Area]:
        """Split it into columns, from left to right."""
        column_width = (self.width - gap * (count - 1)) / count
        return [Area(self.x + index * (column_width + gap), column_width) for index in range(count)]

    def take_middle(self, width: float) -> Area:
        """Return an area of at most ``width`` in its middle."""
        width = min(width, self.width)
        return Area(self.center - width / 2, width)

    def shrink(self, margin: float) -> Area:
        """Return the area without margins."""
        return Area(self.x + margin, self.width - 2 * margin)

    def clamp_center(self, x: float, width: float) -> float:
        """Return the x nearest to ``x`` where a centred object of ``width`` fits."""
        return min(max(x, self.x + width / 2), self.right - width / 2)

    def overlaps(self, other: Area) -> bool:
        """Whether two areas overlap."""
        return self.x < other.right and other.x < self.right


Box = tuple[float, float, float, float]
"""X, y, width and height."""


class CutMark(NamedTuple):
    """The start of a section of the picture; all earlier elements are above it."""

    name: str
    y: float
    parts: int
    """Number of elements drawn before."""
    flows: int
    """Number of lines between rows drawn before."""
    bar: Box | None = None
    """The bar beside the newest step of frames; None is one at the edge of the page."""


Node = tuple[str, str, int]
"""A drawn value: its branch (may be empty), its row's key or its operand's role, and its lane."""


class Zone(NamedTuple):
    """The position of a value."""

    node: Node
    box: Box
    sentence: str = ""
    """Sentence on the value, if not its lane's."""


class Ground(NamedTuple):
    """A background box, below everything else."""

    x: float
    width: float
    top: float
    end: float
    first_mark: str = ""
    """The first mark that shows it; empty for always."""
    is_turned: bool = False
    """Whether it runs from left to right, so that width and height are exchanged."""

    @property
    def element(self) -> str:
        """The whole box."""
        return self.draw_part(self.top, self.end)

    def draw_part(self, top: float, end: float) -> str:
        """Return the part of the box between two heights."""
        canvas, box = SvgCanvas(""), (self.x, top, self.width, end - top)
        if self.is_turned:
            box = top, self.x, end - top, self.width
        canvas.draw_rect(*box, SvgColour.SOFT, None, radius=8)
        return canvas.parts[0]


class FlowStyle(NamedTuple):
    """The style of lines between rows."""

    width: float = 1.5
    faint_width: float = 1
    faint_dash: str = "3 3"
    head_scale: float = 1


class SvgCanvas:
    """A collector of elements; positions are top left corners, or baselines of texts."""

    flow_style = FlowStyle()

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        """Prefix of ids."""
        self.parts: list[str] = []
        self.flows: list[str] = []
        """Lines between rows, below everything except the backgrounds."""
        self.grounds: list[Ground] = []
        """Backgrounds, below the lines."""
        self.marks: list[CutMark] = []
        """Positions where the picture may be cut."""
        self.zones: list[Zone] = []
        """Positions of values."""
        self.links: dict[tuple[Node, Node], list[str]] = {}
        """Source and target of each link, with its lines."""

    def orient_path(self, d: str) -> str:
        """Convert the path of a line between rows, which runs downwards, to the canvas."""
        return d

    def add_mark(self, name: str, y: float) -> None:
        """Mark the start of a section."""
        self.marks.append(CutMark(name, y, len(self.parts), len(self.flows)))

    def open_group(self, css: str, name: str = "") -> None:
        """Begin a group."""
        identity = f' id="{self.prefix}-{name}"' if name else ""
        self.parts.append(f'<g{identity} class="{css}">')

    def close_group(self) -> None:
        """End a group."""
        self.parts.append("</g>")

    def draw_rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: SvgColour | None = SvgColour.SOFT,
        stroke: SvgColour | None = SvgColour.LINE,
        *,
        radius: float = 4,
        line: float = 1,
        dash: str = "",
    ) -> None:
        """Draw a box with rounded corners."""
        corner = f' rx="{format_length(radius)}"' if radius else ""
        shape = _format_box(x, y, width, height)
        self.parts.append(f"<rect {shape}{corner}{_format_paint(fill, stroke, line, dash)}/>")

    def draw_box(
        self, area: Area, y: float, height: float, fill: SvgColour | None = SvgColour.PAGE,
        stroke: SvgColour | None = SvgColour.LINE, *, radius: float = 5, line: float = 1,
        dash: str = "",
    ) -> None:  # fmt: skip
        """Draw a box over the width of an area."""
        self.draw_rect(
            area.x, y, area.width, height, fill, stroke, radius=radius, line=line, dash=dash
        )

    def draw_cover(self, area: Area, y: float, height: float) -> None:
        """Cover the drawing below a text."""
        self.draw_box(area, y, height, SvgColour.PAGE, None, radius=0)

    def draw_below(
        self, index: int, areas: Iterable[tuple[float, float]], y: float, height: float
    ) -> None:
        """Draw boxes below all elements from an index onwards."""
        with self.insert_below(index):
            for x, width in areas:
                self.draw_rect(x, y, width, height, SvgColour.PAGE, SvgColour.LINE, radius=5)

    @contextmanager
    def insert_below(self, index: int) -> Iterator[None]:
        """Insert the elements of the ``with`` block below all elements from an index onwards."""
        elements = self.parts[index:]
        del self.parts[index:]
        yield
        self.parts += elements

    def draw_hatch(
        self, x: float, y: float, width: float, height: float, colour: SvgColour
    ) -> None:
        """Draw diagonal lines in an area: some renderers lack patterns."""
        self.draw_path(_format_hatch(x, y, width, height), colour, line=0.9)

    def draw_cross(self, x: float, y: float, colour: SvgColour, size: float = 4) -> None:
        """Draw a cross, for a path not taken."""
        left, right, top, low = map(format_length, (x - size, x + size, y - size, y + size))
        self.draw_path(f"M{left} {top}L{right} {low}M{left} {low}L{right} {top}", colour, line=1.6)

    def draw_path(
        self,
        d: str,
        stroke: SvgColour | None = SvgColour.DIM,
        fill: SvgColour | None = None,
        *,
        line: float = 1.3,
        dash: str = "",
    ) -> None:
        """Draw a path."""
        self.parts.append(f'<path d="{d}"{_format_paint(fill, stroke, line, dash)}/>')

    def draw_line(
        self, x: float, y: float, to_x: float, to_y: float, colour: SvgColour, width: float = 1,
        dash: str = "",
    ) -> None:  # fmt: skip
        """Draw a straight line."""
        d = f"M{format_length(x)} {format_length(y)}L{format_length(to_x)} {format_length(to_y)}"
        self.draw_path(d, colour, line=width, dash=dash)

    def draw_flow(
        self, start: tuple[float, float], end: tuple[float, float], colour: SvgColour,
        *, is_strong: bool = True, has_head: bool = True, bend: float | None = None,
    ) -> None:  # fmt: skip
        """Draw a smooth line downwards with a head, faint and dashed for a path not taken.

        The line is straight down to ``bend``.
        """
        (x, y), (to_x, to_y) = start, end
        tip = to_y - (5 if has_head else 0)
        level = y if bend is None or x == to_x else max(y, bend)
        half = (tip - level) / 2
        a, b, c, d, e, f = map(format_length, (x, level, level + half, to_x, tip - half, tip))
        path = f"M{a} {format_length(y)}L{a} {b}" if level > y else f"M{a} {b}"
        self._draw_flow_path(f"{path}C{a} {c} {d} {e} {d} {f}", end, colour, is_strong, has_head)

    def draw_elbow(
        self, start: tuple[float, float], end: tuple[float, float], colour: SvgColour,
        *, is_strong: bool = True, turn: float = 9,
    ) -> None:  # fmt: skip
        """Draw a vertical line that turns aside ``turn`` px below its start."""
        (x, y), (to_x, to_y) = start, end
        if abs(to_x - x) <= 1:
            self.draw_flow(start, end, colour, is_strong=is_strong)
            return
        side = min(6.0, turn, abs(to_x - x) / 2) * (1 if to_x > x else -1)
        level, soft = y + turn, abs(side)
        a, b, c, d = map(format_length, (x, level - soft, x + side, level))
        e, f, g = map(format_length, (to_x - side, to_x, level + soft))
        d = (
            f"M{a} {format_length(y)}L{a} {b}Q{a} {d} {c} {d}"
            f"L{e} {d}Q{f} {d} {f} {g}L{f} {format_length(to_y - 5)}"
        )
        self._draw_flow_path(d, end, colour, is_strong, has_head=True)

    def draw_rail(
        self,
        start: tuple[float, float],
        rail: float,
        end: tuple[float, float],
        colour: SvgColour,
        drop: float = 0,
    ) -> None:
        """Draw a line to the side, down at x ``rail``, and back to an end with a dot.

        It turns back ``drop`` px above the end.
        """
        (x, y), (to_x, to_y) = start, end
        a, b, c, d, e, f = map(format_length, (x, y, rail, to_y, to_x, to_y - drop))
        back = f"L{c} {f}L{e} {f}L{e} {d}" if drop else f"L{c} {d}L{e} {d}"
        self.flows.append(
            f'<path d="M{a} {b}L{c} {b}{back}"{_format_paint(None, colour, 1.5, "")}/>'
        )
        self.flows.append(
            f'<circle cx="{e}" cy="{d}" r="2.5"{_format_paint(colour, None, 0, "")}/>'
        )

    def _draw_flow_path(
        self, d: str, end: tuple[float, float], colour: SvgColour, is_strong: bool, has_head: bool
    ) -> None:
        style = self.flow_style
        width, dash = (style.width, "") if is_strong else (style.faint_width, style.faint_dash)
        paint = _format_paint(None, colour, width, dash)
        self.flows.append(f'<path d="{self.orient_path(d)}"{paint}/>')
        if has_head:
            head = self.orient_path(_make_arrow_head(*end, style.head_scale))
            self.flows.append(f'<path d="{head}"{_format_paint(colour, None, 0, "")}/>')

    def draw_arrow_head(self, x: float, y: float, colour: SvgColour) -> None:
        """Draw an arrow head downwards."""
        self.draw_path(_make_arrow_head(x, y), None, colour)

    def draw_dot(
        self, x: float, y: float, colour: SvgColour, *, is_hollow: bool = False, size: float = 4
    ) -> None:
        """Draw a dot; a hollow one for an omitted value."""
        paint = _format_paint(SvgColour.PAGE if is_hollow else colour, colour, 1.6, "")
        center = f'cx="{format_length(x)}" cy="{format_length(y)}"'
        self.parts.append(f'<circle {center} r="{format_length(size)}"{paint}/>')

    def draw_text(
        self, x: float, y: float, text: str, style: TextStyle, colour: SvgColour | None = None,
        *, anchor: str = "start", width: float | None = None,
    ) -> None:  # fmt: skip
        """Draw a line of text, fitted to any width."""
        size = style.size
        if width is not None:
            text, size = style.fit(text, width)
        if not text:
            return
        letters = _format_letters(style.with_size(size), colour or style.colour, anchor)
        place = f'x="{format_length(x)}" y="{format_length(y)}"'
        self.parts.append(f"<text {place} {letters}>{escape_xml(text)}</text>")

    def draw_centered(
        self, area: Area, y: float, text: str, style: TextStyle, colour: SvgColour | None = None,
        *, margin: float = 4,
    ) -> None:  # fmt: skip
        """Draw a text in the middle of an area, at the largest size that fits."""
        width = area.width - margin
        self.draw_text(area.center, y, text, style, colour, anchor="middle", width=width)

    def draw_paragraph(self, area: Area, y: float, text: str, style: TextStyle) -> float:
        """Draw a text wrapped in an area; return the baseline after its last line."""
        return self.draw_lines(area.x, y, style.wrap(text, area.width), style)

    def draw_lines(
        self, x: float, y: float, lines: Sequence[str], style: TextStyle,
        colour: SvgColour | None = None,
    ) -> float:  # fmt: skip
        """Draw lines of text from a first baseline; return the baseline after the last one.

        As with ``dir=auto`` in HTML, the first character with a direction determines the direction.
        """
        form = _LEFTWARDS if is_leftwards("".join(lines)) else "{}"
        for line in lines:
            self.draw_text(x, y, form.format(line), style, colour)
            y += style.leading
        return y


def _make_arrow_head(x: float, y: float, scale: float = 1) -> str:
    half = 3.2 * scale
    left, right, top, low = map(format_length, (x - half, x + half, y - 6 * scale, y - 0.5))
    return f"M{left} {top}L{right} {top}L{format_length(x)} {low}Z"


@lru_cache(_CACHE)
def _format_letters(style: TextStyle, colour: SvgColour, anchor: str) -> str:
    """Return the attributes of a text except its position."""
    css = f'class="px-f-{colour}{" px-mono" if style.is_monospaced else ""}"'
    attributes = f' font-size="{format_length(style.size)}" fill="{PALETTE[colour][0]}"'
    attributes += "" if anchor == "start" else f' text-anchor="{anchor}"'
    attributes += ' font-weight="700"' if style.is_bold else ""
    attributes += ' font-style="italic"' if style.is_italic else ""
    attributes += f' font-family="{_PLAIN_MONO}"' if style.is_monospaced else ""
    return css + attributes


@lru_cache(_CACHE)
def _format_hatch(x: float, y: float, width: float, height: float) -> str:
    """Return the path of diagonal lines in an area."""
    d, position = "", HATCH / 2
    while position < width + height:
        x0, x1 = max(0.0, position - height), min(width, position)
        end_points = (x + x0, y + position - x0, x + x1, y + position - x1)
        d += "M{} {}L{} {}".format(*map(format_length, end_points))
        position += HATCH
    return d


@lru_cache(_CACHE)
def _format_box(x: float, y: float, width: float, height: float) -> str:
    a, b, c, d = map(format_length, (x, y, width, height))
    return f'x="{a}" y="{b}" width="{c}" height="{d}"'


@lru_cache(_CACHE)
def _format_paint(fill: SvgColour | None, stroke: SvgColour | None, line: float, dash: str) -> str:
    css = [f"px-f-{fill}"] if fill else []
    css += [f"px-s-{stroke}"] if stroke else []
    paint = f' class="{" ".join(css)}" fill="{PALETTE[fill][0] if fill else "none"}"'
    if stroke:
        paint += f' stroke="{PALETTE[stroke][0]}" stroke-width="{format_length(line)}"'
        paint += f' stroke-dasharray="{dash}"' if dash else ""
    return paint


def make_style_element(style: str) -> str:
    """Return a style sheet as an element of a page's body, where only an SVG may have one."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" display="none" width="0" height="0">'
        f"<style>{style}</style></svg>"
    )


class Sheet(NamedTuple):
    """A page with its title and its description."""

    name: str
    """Prefix of its ids."""
    width: float
    height: float
    title: str
    about: str
    """Description in words."""


def list_elements(canvas: SvgCanvas) -> list[str]:
    """Return all elements of a canvas: backgrounds, lines, then the other elements."""
    grounds = (ground.element for ground in canvas.grounds)
    return [*grounds, '<g class="px-flows">', *canvas.flows, "</g>", *canvas.parts]


def write_sheet(
    sheet: Sheet, elements: list[str], theme: Theme, *, css: str = "", style: str = "",
    markers: Sequence[str] = (), overlay: Sequence[str] = (),
) -> str:  # fmt: skip
    """Write the SVG of a page, with elements below and above the drawing."""
    name, width, height = sheet.name, format_length(sheet.width), format_length(sheet.height)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'class="{" ".join(filter(None, ("px-svg", f"px-{theme}", css)))}" '
        f'role="{"group" if overlay else "img"}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="DejaVu Sans, sans-serif" direction="ltr" '
        f'aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{escape_xml(sheet.title)}</title>',
        f'<desc id="{name}-desc">{escape_xml(sheet.about)}</desc>',
        make_style_sheet("\n".join(elements), theme),
        *([f"<style>{style}</style>"] if style else []),
        *markers,
        *apply_theme(elements, theme),
        *overlay,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
