"""Shapes as SVG text: inks, widths of text, and a pen that collects elements.

Lengths are in px of a page 800 px wide. Every colour stands twice: as a plain attribute, for
readers that know no custom properties, and as a class that a page or a dark scheme may
override.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from html import escape

from ...engine.records import NamedTuple
from ..theme import Theme, declarations, rules


class Ink(StrEnum):
    """What is drawn in one colour."""

    PAGE = "page"
    INK = "ink"
    DIM = "dim"
    LINE = "line"
    SOFT = "soft"
    BAR = "bar"
    ON = "on"
    """Text on a chip."""
    A = "a"
    A3 = "a3"
    A2 = "a2"
    A1 = "a1"
    A0 = "a0"
    A3_CHIP = "a3-chip"
    A2_CHIP = "a2-chip"
    A1_CHIP = "a1-chip"
    A0_CHIP = "a0-chip"
    B = "b"
    B3 = "b3"
    B2 = "b2"
    B1 = "b1"
    B0 = "b0"
    B3_CHIP = "b3-chip"
    B2_CHIP = "b2-chip"
    B1_CHIP = "b1-chip"
    B0_CHIP = "b0-chip"
    C = "c"
    C_CHIP = "c-chip"
    SIGN = "sign"
    EXPONENT = "exponent"
    FRACTION = "fraction"
    TRUE = "true"
    TRUE_SOFT = "true-soft"
    MARK = "mark"
    MARK_SOFT = "mark-soft"


PALETTE: dict[Ink, tuple[str, str]] = {
    Ink.PAGE: ("#ffffff", "#12161c"),
    Ink.INK: ("#1a2029", "#e6eaf0"),
    Ink.DIM: ("#596270", "#9ba6b4"),
    Ink.LINE: ("#c3cad4", "#3c4653"),
    Ink.SOFT: ("#f3f5f8", "#1b212a"),
    Ink.BAR: ("#9aa7b8", "#66758a"),
    Ink.ON: ("#10161f", "#0a0d12"),
    Ink.A: ("#0a56a3", "#7cbaff"),
    Ink.A3: ("#083b73", "#79c0ff"),
    Ink.A2: ("#0a56a3", "#58a6ff"),
    Ink.A1: ("#1f70c4", "#388bfd"),
    Ink.A0: ("#3b86d4", "#2f7bf0"),
    Ink.A3_CHIP: ("#8cc2ff", "#79c0ff"),
    Ink.A2_CHIP: ("#a8d2ff", "#58a6ff"),
    Ink.A1_CHIP: ("#c2e0ff", "#388bfd"),
    Ink.A0_CHIP: ("#dceeff", "#2f7bf0"),
    Ink.B: ("#0b6650", "#66d1b0"),
    Ink.B3: ("#08492f", "#7ee787"),
    Ink.B2: ("#0b6340", "#56d364"),
    Ink.B1: ("#1a7f45", "#3fb950"),
    Ink.B0: ("#35964f", "#2ea043"),
    Ink.B3_CHIP: ("#84dca0", "#7ee787"),
    Ink.B2_CHIP: ("#a3e8b8", "#56d364"),
    Ink.B1_CHIP: ("#c0f1ce", "#3fb950"),
    Ink.B0_CHIP: ("#dcf8e4", "#2ea043"),
    Ink.C: ("#663a9c", "#c6a8f5"),
    Ink.C_CHIP: ("#e2d2f8", "#bc8cff"),
    Ink.SIGN: ("#f7cfe2", "#e79ac2"),
    Ink.EXPONENT: ("#f8e3ab", "#dcb65a"),
    Ink.FRACTION: ("#cdeaea", "#74c2c4"),
    Ink.TRUE: ("#0b6650", "#66d1b0"),
    Ink.TRUE_SOFT: ("#dff3ec", "#11332b"),
    Ink.MARK: ("#a03a00", "#ffb27d"),
    Ink.MARK_SOFT: ("#fdeee2", "#3d2516"),
}
"""Every ink on a light page and on a dark one."""

LEAST = 9.0
"""The smallest letters."""
HATCH = 6.0
"""How far the lines of a hatch are apart."""
MONO = '"DejaVu Sans Mono", ui-monospace, Menlo, Consolas, monospace'
SANS = 'system-ui, "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif'
_USED = re.compile("px-[fs]-([a-z0-9-]+)")
_CLASSES = re.compile('class="([^"]*+)"')
_INKS = re.compile("px-([fs])-([a-z0-9-]+)")
_COLOUR = re.compile('(fill|stroke)="#[0-9a-f]{6}"')
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WIDE = re.compile(r"[MWmw@%\u2014\u2026]")
_CAPITAL = re.compile(r"[A-Z0-9_+<>=#&?$\u2192]")
_NARROW = re.compile(r"[iljftr.,:;'|!()\[\] /\\-]")


def number(value: float) -> str:
    """A length with at most one decimal, always written alike: ``12``, ``0.5``."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def escaped(text: str) -> str:
    """Text for an element or an attribute; what XML can't hold becomes a visible mark."""
    return escape(_NOT_XML.sub("\ufffd", text))


def text_width(text: str, size: float, mono: bool = False) -> float:
    """At most how wide a text is, in px, whichever fallback font draws it."""
    if mono:
        return size * sum(1.2 if _is_wide(char) else 0.605 for char in text)
    return size * sum(map(_em, text))


def _is_wide(char: str) -> bool:
    """Whether a character may come from another font, wider than the one around it."""
    return ord(char) > 0x1100 and char not in "…→“”‘’–"


@lru_cache(maxsize=512)
def _em(char: str) -> float:
    """The width of a character of a wide sans-serif font, in em."""
    if _is_wide(char):
        return 1.2
    if _WIDE.match(char):
        return 1.0
    if _CAPITAL.match(char):
        return 0.7
    return 0.4 if _NARROW.match(char) else 0.61


def wrapped(text: str, width: float, size: float, mono: bool = False) -> list[str]:
    """The text in lines of at most a width; a word that is too long is broken."""
    lines = [""]
    for word in _words(text, width, size, mono):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if text_width(longer, size, mono) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line for line in lines if line]


def _words(text: str, width: float, size: float, mono: bool) -> Iterator[str]:
    for word in text.split():
        if text_width(word, size, mono) <= width:
            yield word
            continue
        if ".." in word[1:-2]:  # a range breaks before its upper end
            low, _, high = word.partition("..")
            yield from _words(f"{low}.. {high}", width, size, mono)
            continue
        part, used = "", 0.0
        for char in word:
            wide = text_width(char, size, mono)
            if used + wide > width and part:
                yield part
                part, used = "", 0.0
            part, used = part + char, used + wide
        yield part


class Fitted(NamedTuple):
    """A text made to fit."""

    text: str
    size: float


def fitted(text: str, width: float, size: float, mono: bool, least: float = LEAST) -> Fitted:
    """The text in a size at which it fits, cut with an ellipsis where none does."""
    wide = text_width(text, 1, mono)
    if wide * size <= width:
        return Fitted(text, size)
    if wide * least <= width:
        return Fitted(text, max(int(width / wide * 10) / 10, least))
    while text and text_width(text + "…", least, mono) > width:
        text = text[: -max(1, len(text) // 16)]
    return Fitted(text + "…", least)


class Mark(NamedTuple):
    """Where something begins: what was drawn before it stands above."""

    name: str
    y: float
    parts: int
    """How many elements were drawn before."""
    flows: int
    """How many of the lines between rows."""


class Pen:
    """Collects elements. Positions are of a shape's top left corner, a text's baseline."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        """What ids begin with."""
        self.parts: list[str] = []
        self.flows: list[str] = []
        """The lines between rows: they lie under everything else."""
        self.grounds: list[str] = []
        """What lies under these."""
        self.marks: list[Mark] = []
        """Where the picture may be cut."""
        self.lettering = 1.0
        """How much larger than usual words beside the figures are."""

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
        if width is not None:
            text, size = fitted(text, width, size, mono)
        if not text:
            return
        css = f'class="px-f-{ink}{" px-mono" if mono else ""}"'
        place = f'x="{number(x)}" y="{number(y)}"'
        how = f' font-size="{number(size)}" fill="{PALETTE[ink][0]}"'
        how += "" if anchor == "start" else f' text-anchor="{anchor}"'
        how += ' font-weight="700"' if bold else ""
        how += ' font-style="italic"' if italic else ""
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
        """Lines of text from a first baseline; returns the baseline behind the last."""
        for line in lines:
            self.text(x, y, line, size, ink, mono=mono, bold=bold, italic=italic)
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


def definitions(drawn: str, theme: Theme = Theme.AUTO) -> str:
    """The style sheet of what was drawn, with the inks that are in it.

    The custom properties stand in ``@supports``: what knows none passes over it as a whole. So
    does the rule of its size, which some renderers take for an attribute. A picture in a page
    follows the page; one that stands alone follows its reader's system.
    """
    used = set(_USED.findall(drawn))
    inks = {str(ink): pair for ink, pair in PALETTE.items() if ink in used}
    use = "".join(
        f".px-f-{ink}{{fill:var(--px-{ink})}}.px-s-{ink}{{stroke:var(--px-{ink})}}" for ink in inks
    )
    alone = ""
    if theme is Theme.AUTO:
        dark = declarations(inks, Theme.DARK)
        alone = f"@media screen and (prefers-color-scheme:dark){{.px-svg:root{{{dark}}}}}"
    style = (
        f".px-svg{{font-family:{SANS}}}.px-svg .px-mono{{font-family:{MONO}}}"
        "@supports (color:var(--px-ink)){.px-svg{max-width:100%;height:auto}"
        f"{rules('.px-svg', inks, theme)}{alone}{use}}}"
    )
    return f"<style>{style}</style>"


def dressed(drawn: list[str], theme: Theme) -> list[str]:
    """Elements in the plain colours of a theme, for readers that know no style sheets."""
    return [_dark(element) for element in drawn] if theme is Theme.DARK else drawn


def _dark(element: str) -> str:
    css = _CLASSES.search(element)
    if not css:
        return element
    inks = dict(_INKS.findall(css[1]))

    def colour(found: re.Match[str]) -> str:
        kind = found[1]
        return f'{kind}="{PALETTE[Ink(inks[kind[0]])][1]}"'

    return _COLOUR.sub(colour, element)
