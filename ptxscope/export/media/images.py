"""A picture as PNG or PDF, drawn from its SVG with the extra `images`.

resvg draws PNG, Typst makes PDF: both are one wheel without anything of the system's. Typst
embeds the fonts, keeps the text as text, and measured nearest to what browsers draw.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape, unescape
from importlib import import_module
from math import isfinite
from types import ModuleType
from unicodedata import category, normalize

from ...engine.extras import format_install_hint
from ...engine.records import NamedTuple
from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Motion, Options
from ..svg.svg_colours import MONO, SANS
from . import frames
from .picture_marks import add_description, read_description

_SIZE = re.compile(r'viewBox="0 0 ([\d.]++) ([\d.]++)"')
_TEXT = re.compile("(?<=>)[^<>]*+(?=</text>)")
_UNASSIGNED = "\u0378"
"""No font has it: it is drawn as what is missing."""
_BOX = "\u25a1"
"""What stands for a character that no font has. Where a line has one without a glyph, resvg and
Typst draw no character behind it in another font than the first."""
_LIGATURE = re.compile("f(?=[fijl])")
_NON_JOINER = "\u200c"
_MOST_LETTERS = 2000
"""Characters of lines that are looked at, to say which have boxes."""
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
    drawn = _with_readable_texts(svg, "png")
    image = bytes(resvg.svg_to_bytes(svg_string=drawn, width=wide, height=high))
    return add_description(image, svg)


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
        drawn = _with_readable_texts(svg, "pdf")
        told.append({"svg": drawn, "width": found.width * _PX, "alt": alt})
    first = read_description(pages[0])
    inputs = {"title": title or first.title, "mark": first.mark, "pages": json.dumps(told)}
    return bytes(typst.compile(_PDF.encode(), format="pdf", sys_inputs=inputs))


def find_missing_glyphs(pictures: Iterable[str], format_: str) -> list[str]:
    """The characters of pictures for which an image has a box: no font here draws them.

    What the fonts of a picture lack is drawn in any other that is found.
    """
    texts = [unescape(text) for svg in pictures for text in _TEXT.findall(svg)]
    return list(_list_missing_chars(_list_uncommon_chars("".join(texts)), format_))


def find_boxed_glyphs(pictures: Iterable[str], format_: str) -> list[str]:
    """The characters that a font here has, and that are boxes all the same in an image.

    The renderers draw a line in a second font only where that has as many glyphs for it.
    """
    readable = "".join(_with_readable_texts(svg, format_) for svg in pictures)
    lines = dict.fromkeys(unescape(text) for text in _TEXT.findall(readable))
    cases = [(line, x) for line in lines for x in _list_uncommon_chars(line) if len(line) > 1]
    if not cases:
        return []
    whole = list(lines)
    images = _LINES[format_](
        [*whole, *(line.replace(x, _UNASSIGNED) for line, x in cases[:_MOST_LETTERS])]
    )
    drawn = dict(zip(whole, images, strict=False))
    pairs = zip(cases, images[len(whole) :], strict=False)
    boxed = dict.fromkeys(char for (line, char), image in pairs if image == drawn[line])
    missing = _list_missing_chars("".join(boxed), format_)
    return [char for char in boxed if char not in missing]


def _with_readable_texts(svg: str, format_: str) -> str:
    """A picture of which a renderer draws as many characters as it can.

    Letters and their marks are one character where there is one, ``fi`` are two glyphs, and what
    no font has is a box: each would keep the renderer from drawing the rest of the line in a second
    font.
    """

    def rewrite(match: re.Match[str]) -> str:
        text = match[0]
        if text.isascii():
            return text
        return _LIGATURE.sub(f"f{_NON_JOINER}", normalize("NFC", text).translate(boxes))

    chars = _list_uncommon_chars(unescape("".join(_TEXT.findall(svg))))
    boxes = str.maketrans(dict.fromkeys(_list_missing_chars(chars, format_), _BOX))
    return _TEXT.sub(rewrite, svg)


def _list_uncommon_chars(text: str) -> str:
    """The characters for which something is drawn and which not every font has."""
    return "".join(x for x in dict.fromkeys(text) if not x.isascii() and category(x) not in _UNSEEN)


@lru_cache(maxsize=64)
def _list_missing_chars(chars: str, format_: str) -> str:
    """Those that no font here draws."""
    if not chars:
        return ""
    box, *drawn = _LINES[format_]((_UNASSIGNED, *chars))
    return "".join(char for char, image in zip(chars, drawn, strict=True) if image == box)


def _make_line_svg(text: str, family: str = SANS) -> str:
    wide = 20 * max(len(text), 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="20" '
        f'viewBox="0 0 {wide} 20">'
        f"<text y='16' font-size='16' font-family='{family}'>{escape(text)}</text></svg>"
    )


def _render_png_lines(texts: Sequence[str]) -> list[bytes]:
    resvg = _import_renderer(*_DRAWN_BY["png"])
    return [bytes(resvg.svg_to_bytes(svg_string=_make_line_svg(text))) for text in texts]


def _render_pdf_lines(texts: Sequence[str]) -> list[bytes]:
    """As Typst draws them, which makes PNG of the same pages."""
    typst = _import_renderer(*_DRAWN_BY["pdf"])
    pages = [{"svg": _make_line_svg(x), "width": 20 * len(x), "alt": ""} for x in texts]
    inputs = {"title": "", "mark": "", "pages": json.dumps(pages)}
    made = typst.compile(_PDF.encode(), format="png", sys_inputs=inputs)
    return [bytes(x) for x in (made if isinstance(made, list) else [made])]


_LINES = {"png": _render_png_lines, "pdf": _render_pdf_lines}


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
        resvg.svg_to_bytes(svg_string=_make_line_svg(letter, family), **how) for letter in ("", "x")
    )
    return bytes(empty) != bytes(text)
