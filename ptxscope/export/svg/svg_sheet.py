"""An ``<svg>`` around what was drawn: its size, what it says in words, its style."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.records import NamedTuple
from ..content.alt_text import alt
from ..content.document import Document
from ..theme import Theme
from .cell_shapes import plain
from .svg_canvas import Pen, escaped, number
from .svg_colours import definitions, dressed


class Sheet(NamedTuple):
    """A page, and what it is called."""

    name: str
    """What its ids begin with."""
    width: float
    height: float
    title: str
    about: str
    """What it shows, in words."""


def sheet_of(doc: Document, name: str, width: float, height: float) -> Sheet:
    """The page of a document."""
    return Sheet(name, width, height, doc.title or doc.ptx, plain(alt(doc)))


def body(pen: Pen) -> list[str]:
    """All that a pen drew: grounds, lines, and what lies over them."""
    grounds = (ground.element for ground in pen.grounds)
    return [*grounds, '<g class="px-flows">', *pen.flows, "</g>", *pen.parts]


def written(
    sheet: Sheet, drawn: list[str], theme: Theme, *, css: str = "", style: str = "",
    before: Sequence[str] = (), over: Sequence[str] = (),
) -> str:  # fmt: skip
    """The document of a page; ``before`` and ``over`` stand around what is drawn."""
    name, wide, high = sheet.name, number(sheet.width), number(sheet.height)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'class="{" ".join(filter(None, ("px-svg", f"px-{theme}", css)))}" '
        f'role="{"group" if over else "img"}" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" font-family="DejaVu Sans, sans-serif" '
        f'aria-labelledby="{name}-title {name}-desc">',
        f'<title id="{name}-title">{escaped(sheet.title)}</title>',
        f'<desc id="{name}-desc">{escaped(sheet.about)}</desc>',
        definitions("\n".join(drawn), theme),
        *([f"<style>{style}</style>"] if style else []),
        *before,
        *dressed(drawn, theme),
        *over,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
