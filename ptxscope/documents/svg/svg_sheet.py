"""The ``<svg>`` element around a drawing: its size, its description, its style."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..theme import Theme
from .svg_canvas import SvgCanvas, escape_xml, format_length
from .svg_colours import apply_theme, make_style_sheet


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
    """Return all elements of a canvas: backgrounds, lines, and the elements above them."""
    grounds = (ground.element for ground in canvas.grounds)
    return [*grounds, '<g class="px-flows">', *canvas.flows, "</g>", *canvas.parts]


def write_sheet(
    sheet: Sheet, elements: list[str], theme: Theme, *, css: str = "", style: str = "",
    markers: Sequence[str] = (), overlay: Sequence[str] = (),
) -> str:  # fmt: skip
    """Write the SVG of a page, with elements before and over the drawing."""
    name, width, height = sheet.name, format_length(sheet.width), format_length(sheet.height)
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'class="{" ".join(filter(None, ("px-svg", f"px-{theme}", css)))}" '
        f'role="{"group" if overlay else "img"}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="DejaVu Sans, sans-serif" '
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
