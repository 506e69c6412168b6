"""A picture as PNG or PDF, drawn from its SVG with the extra `images`.

resvg draws PNG, Typst makes PDF: both are one wheel without anything of the system's. Typst
embeds the fonts, keeps the text as text, and measured nearest to what browsers draw.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import unescape
from importlib import import_module
from math import isfinite
from types import ModuleType
from unicodedata import category

from ...engine.extras import format_install_hint
from ...engine.records import NamedTuple
from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Motion, Options
from ..svg.svg_colours import MONO, SANS
from . import frames
from .picture_marks import add_description, read_description

_SIZE = re.compile(r'viewBox="0 0 ([\d.]++) ([\d.]++)"')
_TEXT = re.compile("<text[^>]*+>([^<]*+)</text>")
_UNASSIGNED = "\u0378"
"""No font has it: it is drawn as what is missing."""
_UNSEEN = {"Cf", "Cc", "Zs", "Mn", "Me"}
"""Categories of characters that are blank, or part of the one before."""
_MOST = 1 << 26
"""Pixels of a PNG: 256 MB while it is drawn."""
_WIDEST = 14_400 / 0.75
"""Px of a PDF's side: its readers go no further than 14,400 pt."""
_PX = 0.75
"""In pt."""
SHARP = 2.0
"""The scale of a PNG that was given none: as screens and beamers show it well."""
_PDF = """\
#set document(title: sys.inputs.title, keywords: (sys.inputs.mark,), date: none)
#set page(width: auto, height: auto, margin: 0pt)
#for (at, page) in json(bytes(sys.inputs.pages)).enumerate() {
  if at > 0 { pagebreak() }
  image(bytes(page.svg), format: "svg", width: page.width * 1pt, alt: page.alt)
}
"""


class NotInstalledError(ImportError):
    """What a format needs is not installed; the text says how to."""


class ImageSize(NamedTuple):
    """Of an image, in px."""

    width: float
    height: float


def render_png(trace: Trace, options: Options = DEFAULT) -> bytes:
    """A trace as PNG."""
    return render_png_bytes(frames.render(trace, options._replace(motion=Motion.STILL)), options)


def render_pdf(trace: Trace, options: Options = DEFAULT) -> bytes:
    """A trace as PDF, on a page of its own size."""
    return render_pdf_bytes([frames.render(trace, options._replace(motion=Motion.STILL))], options)


def render_png_bytes(svg: str, options: Options = DEFAULT) -> bytes:
    """A picture as PNG, twice as large where nothing else is asked for.

    Raises NotInstalledError, and ValueError where it can't be so large, or no font is found.
    """
    resvg = _import_renderer(*_DRAWN_BY["png"])
    wide, high = map(round, compute_size(svg, options, SHARP))
    if min(wide, high) < 1:
        raise ValueError(f"a PNG of {wide} by {high} px shows nothing")
    if wide * high > _MOST:
        raise ValueError(f"a PNG of {wide} by {high} px is too large: {_MOST:,} px are the most")
    if not _has_fonts():
        raise ValueError(
            "no font is found that a PNG's text can be drawn with; install one, "
            "as in: apt install fonts-dejavu-core"
        )
    return add_description(bytes(resvg.svg_to_bytes(svg_string=svg, width=wide, height=high)), svg)


def render_pdf_bytes(pages: Sequence[str], options: Options = DEFAULT, title: str = "") -> bytes:
    """Pictures as the pages of a PDF, which bears the first one's title unless one is given.

    Raises NotInstalledError, and ValueError for their size.
    """
    typst = _import_renderer(*_DRAWN_BY["pdf"])
    told = []
    for svg in pages:
        found = compute_size(svg, options, 1)
        if not 1 <= max(found) <= _WIDEST:
            wide, high = map(round, found)
            raise ValueError(f"a PDF page of {wide} by {high} px: {_WIDEST:,.0f} px are the most")
        said = read_description(svg)
        alt = f"{said.title}. {said.told}"
        told.append({"svg": svg, "width": found.width * _PX, "alt": alt})
    first = read_description(pages[0])
    inputs = {"title": title or first.title, "mark": first.mark, "pages": json.dumps(told)}
    return bytes(typst.compile(_PDF.encode(), format="pdf", sys_inputs=inputs))


def find_missing_glyphs(pictures: Iterable[str], format_: str) -> list[str]:
    """The characters of pictures for which an image has a box: no font here draws them.

    What the fonts of a picture lack is drawn in any other that is found.
    """
    texts = "".join(text for svg in pictures for text in _TEXT.findall(svg))
    found = [char for char in dict.fromkeys(unescape(texts)) if _has_glyph(char)]
    if not found:
        return []
    box, *drawn = _LETTERS[format_]((_UNASSIGNED, *found))
    return [char for char, image in zip(found, drawn, strict=True) if image == box]


def _has_glyph(char: str) -> bool:
    """Whether something is drawn for a character that not every font has."""
    return not char.isascii() and category(char) not in _UNSEEN


def _make_letter_svg(char: str, family: str = SANS) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" viewBox="0 0 20 20">'
        f"<text y='16' font-size='16' font-family='{family}'>{char}</text></svg>"
    )


def _render_png_letters(chars: Sequence[str]) -> list[bytes]:
    resvg = _import_renderer(*_DRAWN_BY["png"])
    return [bytes(resvg.svg_to_bytes(svg_string=_make_letter_svg(char))) for char in chars]


def _render_pdf_letters(chars: Sequence[str]) -> list[bytes]:
    """As Typst draws them, which makes PNG of the same pages."""
    typst = _import_renderer(*_DRAWN_BY["pdf"])
    pages = [{"svg": _make_letter_svg(char), "width": 20, "alt": ""} for char in chars]
    inputs = {"title": "", "mark": "", "pages": json.dumps(pages)}
    return [bytes(x) for x in typst.compile(_PDF.encode(), format="png", sys_inputs=inputs)]


_LETTERS = {"png": _render_png_letters, "pdf": _render_pdf_letters}


def describe_image(trace: Trace, format_: str, options: Options = DEFAULT) -> str:
    """What an image will be, in words, without making it; raises as making it does."""
    _import_renderer(*_DRAWN_BY[format_])
    svg = frames.render(trace, options._replace(motion=Motion.STILL))
    wide, high = compute_size(svg, options, SHARP if format_ == "png" else 1)
    if format_ == "png":
        return f"a picture of about {round(wide):,} by {round(high):,} px"
    cm = 2.54 / 96
    return f"a page of {wide * cm:.1f} by {high * cm:.1f} cm, whose text can be selected"


_DRAWN_BY = {"png": ("resvg_py", "png"), "pdf": ("typst", "pdf")}


_MAX_SIDE_PX = 10**13
"""More than any format takes."""


def compute_size(svg: str, options: Options, scale: float) -> ImageSize:
    """How large an image is made of a picture; raises ValueError for none that could be."""
    found = _SIZE.search(svg)
    assert found
    own = ImageSize(float(found[1]), float(found[2]))
    if options.width is not None:
        scale = options.width / own.width
    elif options.scale is not None:
        scale = options.scale
    if not (isfinite(scale) and scale > 0):
        raise ValueError("a scale and a width are numbers above 0")
    if max(own) * scale > _MAX_SIDE_PX:
        raise ValueError(f"a picture at a scale of {scale:.4g} is too large")
    return ImageSize(own.width * scale, own.height * scale)


def _import_renderer(name: str, format_: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        need = f"{format_} needs {name.replace('_', '-')}, which is not installed"
        raise NotInstalledError(f"{need}: {format_install_hint('images')}", name=name) from None


@lru_cache(maxsize=1)
def _has_fonts() -> bool:
    """Whether resvg finds what to draw a text with: where it does not, it leaves the text out."""
    return has_font(SANS) and has_font(MONO)


def has_font(family: str, **how: bool) -> bool:
    """Whether a letter of a font, or of what stands in for it, is drawn."""
    resvg = _import_renderer(*_DRAWN_BY["png"])
    empty, text = (
        resvg.svg_to_bytes(svg_string=_make_letter_svg(letter, family), **how)
        for letter in ("", "x")
    )
    return bytes(empty) != bytes(text)
