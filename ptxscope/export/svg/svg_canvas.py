"""Shapes as SVG text: a pen that collects elements.

Lengths are in px of a page 800 px wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from ...engine.records import NamedTuple
from .svg_colours import PALETTE, Ink
from .text_fitting import LARGEST, USUAL, fitted, is_leftwards, wrapped

_LEFTWARDS = "\u2067{}\u2069"
"""A line that is read from right to left: resvg knows no ``direction``, all know these marks."""
_PLAIN_MONO = "DejaVu Sans Mono, monospace"
"""For readers that pass over the style sheet: Inkscape does where an ``@supports`` is nested."""
HATCH = 6.0
"""How far the lines of a hatch are apart."""
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def number(value: float) -> str:
    """A length with at most one decimal, always written alike: ``12``, ``0.5``."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def escaped(text: str) -> str:
    """Text for an element or an attribute; what XML can't hold becomes a visible mark."""
    return escape(_NOT_XML.sub("\ufffd", text))


class Mark(NamedTuple):
    """Where something begins: what was drawn before it stands above."""

    name: str
    y: float
    parts: int
    """How many elements were drawn before."""
    flows: int
    """How many of the lines between rows."""


Node = tuple[str, str, int]
"""A value that is drawn: the branch it is in, empty for the trunk; its row's key or its operand's
role; its lane."""


class Zone(NamedTuple):
    """Where a value stands."""

    node: Node
    box: tuple[float, float, float, float]
    """x, y, width and height."""


class Ground(NamedTuple):
    """What lies under all else: a box."""

    x: float
    width: float
    top: float
    end: float
    since: str = ""
    """The mark with which it is seen; none where it always is."""
    fill: Ink = Ink.SOFT
    stroke: Ink | None = None
    radius: float = 8

    @property
    def element(self) -> str:
        """The whole of it."""
        return self.part(self.top, self.end)

    def part(self, top: float, end: float) -> str:
        """What of it stands between two heights."""
        pen = Pen("")
        pen.rect(
            self.x, top, self.width, end - top, self.fill, self.stroke, radius=self.radius
        )  # fmt: skip
        return pen.parts[0]


class Pen:
    """Collects elements. Positions are of a shape's top left corner, a text's baseline."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        """What ids begin with."""
        self.parts: list[str] = []
        self.flows: list[str] = []
        """The lines between rows: they lie under everything else."""
        self.grounds: list[Ground] = []
        """What lies under these."""
        self.marks: list[Mark] = []
        """Where the picture may be cut."""
        self.zones: list[Zone] = []
        """Where values stand."""
        self.links: dict[tuple[Node, Node], list[str]] = {}
        """Which value came from which, and the lines that show it."""
        self.lettering = 1.0
        """How much larger than usual words beside the figures are."""
        self.least = USUAL
        """Letters are no smaller, where they have room."""
        self.smallest = LARGEST
        """The smallest letters that were drawn."""
        self.cut = 0
        """How many texts had no room."""

    def sized(self, size: float) -> float:
        """How large letters are for which a size is asked."""
        return max(size, self.least)

    def pitch(self, usual: float, size: float) -> float:
        """How far lines are apart that are so in letters of a size: it grows as these do."""
        return usual * self.sized(size) / max(size, USUAL)

    def wrapped(self, text: str, width: float, size: float, *, mono: bool = False) -> list[str]:
        """A text in lines of at most a width, as large as they will be."""
        return wrapped(text, width, self.sized(size), mono)

    def mark(self, name: str, y: float) -> None:
        """Say what begins here."""
        self.marks.append(Mark(name, y, len(self.parts), len(self.flows)))

    def open(self, css: str, name: str = "") -> None:
        """Begin a group."""
        identity = f' id="{self.prefix}-{name}"' if name else ""
        self.parts.append(f'<g{identity} class="{css}">')

    def close(self) -> None:
        """End a group."""
        self.parts.append("</g>")

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: Ink | None = Ink.SOFT,
        stroke: Ink | None = Ink.LINE,
        *,
        radius: float = 4,
        line: float = 1,
        dash: str = "",
    ) -> None:
        """A box with rounded corners."""
        corner = f' rx="{number(radius)}"' if radius else ""
        shape = _box(x, y, width, height)
        self.parts.append(f"<rect {shape}{corner}{_paint(fill, stroke, line, dash)}/>")

    def below(self, at: int, areas: Iterable[tuple[float, float]], y: float, high: float) -> None:
        """Boxes under what was drawn since so many elements."""
        over = self.parts[at:]
        del self.parts[at:]
        for x, width in areas:
            self.rect(x, y, width, high, Ink.PAGE, Ink.LINE, radius=5)
        self.parts += over

    def hatch(self, x: float, y: float, width: float, height: float, ink: Ink) -> None:
        """Slanting lines in an area; drawn as they are, since not all renderers know patterns."""
        d, at = "", HATCH / 2
        while at < width + height:
            x0, x1 = max(0.0, at - height), min(width, at)
            ends = (x + x0, y + at - x0, x + x1, y + at - x1)
            d += "M{} {}L{} {}".format(*map(number, ends))
            at += HATCH
        self.path(d, ink, line=0.9)

    def image(self, x: float, y: float, width: float, height: float, png: bytes) -> None:
        """A picture of square cells, stretched to fill an area."""
        from base64 import b64encode

        data = b64encode(png).decode()
        self.parts.append(
            f'<image {_box(x, y, width, height)} preserveAspectRatio="none" '
            'image-rendering="optimizeSpeed" style="image-rendering:pixelated" '
            f'href="data:image/png;base64,{data}"/>'
        )

    def cross(self, x: float, y: float, ink: Ink, size: float = 4) -> None:
        """A cross: for a way not gone."""
        left, right, top, low = map(number, (x - size, x + size, y - size, y + size))
        self.path(f"M{left} {top}L{right} {low}M{left} {low}L{right} {top}", ink, line=1.6)

    def path(
        self,
        d: str,
        stroke: Ink | None = Ink.DIM,
        fill: Ink | None = None,
        *,
        line: float = 1.3,
        dash: str = "",
    ) -> None:
        """A path."""
        self.parts.append(f'<path d="{d}"{_paint(fill, stroke, line, dash)}/>')

    def line(
        self, x: float, y: float, to_x: float, to_y: float, ink: Ink, width: float = 1,
        dash: str = "",
    ) -> None:  # fmt: skip
        """A straight line."""
        d = f"M{number(x)} {number(y)}L{number(to_x)} {number(to_y)}"
        self.path(d, ink, line=width, dash=dash)

    def flow(
        self, start: tuple[float, float], end: tuple[float, float], ink: Ink,
        *, strong: bool = True, head: bool = True, bend: float | None = None,
    ) -> None:  # fmt: skip
        """A smooth line down, with a head; a faint dashed one for a way not taken.

        It goes straight down to where it bends.
        """
        (x, y), (to_x, to_y) = start, end
        tip = to_y - (5 if head else 0)
        level = y if bend is None or x == to_x else max(y, bend)
        half = (tip - level) / 2
        a, b, c, d, e, f = map(number, (x, level, level + half, to_x, tip - half, tip))
        down = f"M{a} {number(y)}L{a} {b}" if level > y else f"M{a} {b}"
        self._way(f"{down}C{a} {c} {d} {e} {d} {f}", end, ink, strong, head)

    def elbow(
        self, start: tuple[float, float], end: tuple[float, float], ink: Ink,
        *, strong: bool = True, turn: float = 9,
    ) -> None:  # fmt: skip
        """A line that goes aside so far below its start, and else straight down."""
        (x, y), (to_x, to_y) = start, end
        if abs(to_x - x) <= 1:
            self.flow(start, end, ink, strong=strong)
            return
        side = min(6.0, turn, abs(to_x - x) / 2) * (1 if to_x > x else -1)
        level, soft = y + turn, abs(side)
        a, b, c, d = map(number, (x, level - soft, x + side, level))
        e, f, g = map(number, (to_x - side, to_x, level + soft))
        d = (
            f"M{a} {number(y)}L{a} {b}Q{a} {d} {c} {d}"
            f"L{e} {d}Q{f} {d} {f} {g}L{f} {number(to_y - 5)}"
        )
        self._way(d, end, ink, strong, head=True)

    def _way(self, d: str, end: tuple[float, float], ink: Ink, strong: bool, head: bool) -> None:
        paint = _paint(None, ink, 1.5 if strong else 1, "" if strong else "3 3")
        self.flows.append(f'<path d="{d}"{paint}/>')
        if head:
            self.flows.append(f'<path d="{_head(*end)}"{_paint(ink, None, 0, "")}/>')

    def head(self, x: float, y: float, ink: Ink) -> None:
        """The head of an arrow that points down at a point."""
        self.path(_head(x, y), None, ink)

    def dot(self, x: float, y: float, ink: Ink, *, hollow: bool = False, size: float = 4) -> None:
        """A dot; a hollow one for where something would have been."""
        paint = _paint(Ink.PAGE if hollow else ink, ink, 1.6, "")
        center = f'cx="{number(x)}" cy="{number(y)}"'
        self.parts.append(f'<circle {center} r="{number(size)}"{paint}/>')

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 12,
        ink: Ink = Ink.INK,
        *,
        anchor: str = "start",
        mono: bool = False,
        bold: bool = False,
        italic: bool = False,
        width: float | None = None,
    ) -> None:
        """A line of text; made to fit where a width is given."""
        size = self.sized(size)
        if width is not None:
            found = fitted(text, width, size, mono)
            self.cut += found.text != text
            text, size = found
        if not text:
            return
        self.smallest = min(self.smallest, size)
        css = f'class="px-f-{ink}{" px-mono" if mono else ""}"'
        place = f'x="{number(x)}" y="{number(y)}"'
        how = f' font-size="{number(size)}" fill="{PALETTE[ink][0]}"'
        how += "" if anchor == "start" else f' text-anchor="{anchor}"'
        how += ' font-weight="700"' if bold else ""
        how += ' font-style="italic"' if italic else ""
        how += f' font-family="{_PLAIN_MONO}"' if mono else ""
        self.parts.append(f"<text {place} {css}{how}>{escaped(text)}</text>")

    def lines(
        self,
        x: float,
        y: float,
        lines: Iterable[str],
        size: float,
        ink: Ink,
        *,
        step: float,
        mono: bool = False,
        bold: bool = False,
        italic: bool = False,
    ) -> float:
        """Lines of text from a first baseline; returns the baseline behind the last.

        Like HTML's ``dir=auto``, its first character with a direction says how all is read.
        """
        lines = list(lines)
        form = _LEFTWARDS if is_leftwards("".join(lines)) else "{}"
        for line in lines:
            text = form.format(line)
            self.text(x, y, text, size, ink, mono=mono, bold=bold, italic=italic)
            y += step
        return y


def _head(x: float, y: float) -> str:
    left, right, top, low = map(number, (x - 3.2, x + 3.2, y - 6, y - 0.5))
    return f"M{left} {top}L{right} {top}L{number(x)} {low}Z"


def _box(x: float, y: float, width: float, height: float) -> str:
    a, b, c, d = map(number, (x, y, width, height))
    return f'x="{a}" y="{b}" width="{c}" height="{d}"'


def _paint(fill: Ink | None, stroke: Ink | None, line: float, dash: str) -> str:
    css = [f"px-f-{fill}"] if fill else []
    css += [f"px-s-{stroke}"] if stroke else []
    paint = f' class="{" ".join(css)}" fill="{PALETTE[fill][0] if fill else "none"}"'
    if stroke:
        paint += f' stroke="{PALETTE[stroke][0]}" stroke-width="{number(line)}"'
        paint += f' stroke-dasharray="{dash}"' if dash else ""
    return paint
