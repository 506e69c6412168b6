"""An ``<svg>`` around what was drawn: its size, what it says in words, its style."""

from __future__ import annotations

from collections.abc import Sequence

from ...engine.records import NamedTuple
from ..content.alt_text import format_alt_text
from ..content.document import Document
from ..theme import Theme
from .cell_shapes import drop_hex_prefixes
from .svg_canvas import SvgCanvas, escape_xml, number
from .svg_colours import apply_theme, make_style_sheet


class Sheet(NamedTuple):
    """A page, and what it is called."""

    name: str
    """What its ids begin with."""
    width: float
    height: float
    title: str
    about: str
    """What it shows, in words."""


def make_sheet(doc: Document, name: str, width: float, height: float) -> Sheet:
    """The page of a document."""
    return Sheet(name, width, height, doc.title or doc.ptx, drop_hex_prefixes(format_alt_text(doc)))


def list_elements(pen: SvgCanvas) -> list[str]:
    """All that a pen drew: grounds, lines, and what lies over them."""
    grounds = (ground.element for ground in pen.grounds)
    return [*grounds, '<g class="px-flows">', *pen.flows, "</g>", *pen.parts]


def write_sheet(
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
        f'<title id="{name}-title">{escape_xml(sheet.title)}</title>',
        f'<desc id="{name}-desc">{escape_xml(sheet.about)}</desc>',
        make_style_sheet("\n".join(drawn), theme),
        *([f"<style>{style}</style>"] if style else []),
        *before,
        *apply_theme(drawn, theme),
        *over,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
