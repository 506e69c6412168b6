"""PNG and PDF output, rendered from the SVG by the extra ``images``.

resvg renders PNG, Typst writes PDF. Each is a single wheel without system libraries. Typst embeds
the fonts, keeps text selectable, and was measured as the closest to browsers.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape, unescape
from importlib import import_module
from math import isfinite
from types import ModuleType
from typing import NamedTuple
from unicodedata import category, normalize

from ...engine.syntax.errors import format_install_hint
from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Motion, Options
from ..svg.svg_colours import MONO, SANS
from . import frames
from .picture_marks import add_description, read_description

_SIZE = re.compile(r'viewBox="0 0 ([\d.]++) ([\d.]++)"')
_TEXT = re.compile("(?<=>)[^<>]*+(?=</text>)")
_UNASSIGNED = "\u0378"
"""A character missing from all fonts, drawn as a missing glyph."""
_BOX = "\u25a1"
"""Replacement for a character missing from all fonts.

After a missing glyph, resvg and Typst draw the rest of the line only in the first font.
"""
_LIGATURE = re.compile("f(?=[fijl])")
_NON_JOINER = "\u200c"
_MAX_CHECKED_CHARS = 2000
"""Maximum characters in lines to check for boxes."""
_UNSEEN = {"Cf", "Cc", "Zs", "Mn", "Me"}
"""Categories of characters that are blank, or combine with the previous one."""
_MAX_PNG_PIXELS = 1 << 26
"""Largest size of a PNG in pixels; it takes 256 MB to render."""
_MAX_PAGE_PX = 14_400 / 0.75
"""Longest side of a PDF page in px: PDF readers allow at most 14,400 pt."""
_PX = 0.75
"""One px in pt."""
SHARP = 2.0
"""Default scale of a PNG, sharp on screens and projectors."""
_ROOT = os.sep
"""The folder that Typst opens without reading files: the current folder may be deleted."""
_PDF = """\
#set document(title: sys.inputs.title, keywords: (sys.inputs.mark,), date: none)
#set page(width: auto, height: auto, margin: 0pt)
#for (at, page) in json(bytes(sys.inputs.pages)).enumerate() {
  if at > 0 { pagebreak() }
  image(bytes(page.svg), format: "svg", width: page.width * 1pt, alt: page.alt)
}
"""


class NotInstalledError(ImportError):
    """A package for a format is not installed; the message has the remedy."""


class ImageSize(NamedTuple):
    """The size of an image in px."""

    width: float
    height: float


def render_png(trace: Trace, options: Options = DEFAULT) -> bytes:
    """Render a trace as PNG."""
    return render_png_bytes(frames.render(trace, options._replace(motion=Motion.STILL)), options)


def render_pdf(trace: Trace, options: Options = DEFAULT) -> bytes:
    """Render a trace as PDF, on a page of the picture's size."""
    return render_pdf_bytes([frames.render(trace, options._replace(motion=Motion.STILL))], options)


def render_png_bytes(svg: str, options: Options = DEFAULT) -> bytes:
    """Render a picture as PNG, at twice its size by default.

    Raise NotInstalledError, or ValueError if the size is out of range or no font is found.
    """
    resvg = _import_renderer(*_DRAWN_BY["png"])
    width, height = map(round, compute_size(svg, options, SHARP))
    if min(width, height) < 1:
        raise ValueError(f"a PNG of {width} by {height} px shows nothing")
    if width * height > _MAX_PNG_PIXELS:
        raise ValueError(
            f"a PNG of {width} by {height} px is too large: {_MAX_PNG_PIXELS:,} px is the limit"
        )
    if not has_fonts():
        raise ValueError(
            "no font was found to draw the text of a PNG; install one, "
            "as in: apt install fonts-dejavu-core"
        )
    readable_svg = _with_readable_texts(svg, "png")
    image = bytes(resvg.svg_to_bytes(svg_string=readable_svg, width=width, height=height))
    return add_description(image, svg)


def render_pdf_bytes(pages: Sequence[str], options: Options = DEFAULT, title: str = "") -> bytes:
    """Render pictures as the pages of a PDF; its title defaults to the first picture's.

    Raise NotInstalledError, or ValueError if a page is too large.
    """
    typst = _import_renderer(*_DRAWN_BY["pdf"])
    page_data = []
    for svg in pages:
        size = compute_size(svg, options, 1)
        if not 1 <= max(size) <= _MAX_PAGE_PX:
            width, height = map(round, size)
            raise ValueError(
                f"a PDF page of {width} by {height} px: {_MAX_PAGE_PX:,.0f} px is the limit"
            )
        description = read_description(svg)
        alt = f"{description.title}. {description.description}"
        readable_svg = _with_readable_texts(svg, "pdf")
        page_data.append({"svg": readable_svg, "width": size.width * _PX, "alt": alt})
    first = read_description(pages[0])
    inputs = {"title": title or first.title, "mark": first.mark, "pages": json.dumps(page_data)}
    return bytes(typst.compile(_PDF.encode(), root=_ROOT, format="pdf", sys_inputs=inputs))


def find_missing_glyphs(pictures: Iterable[str], format_: str) -> list[str]:
    """Return the characters of pictures missing from all fonts; an image shows boxes for them.

    A character missing from a picture's fonts is drawn in any other font with it.
    """
    texts = [unescape(text) for svg in pictures for text in _TEXT.findall(svg)]
    return list(list_missing_chars(_list_uncommon_chars("".join(texts)), format_))


def find_boxed_glyphs(pictures: Iterable[str], format_: str) -> list[str]:
    """Return the characters that an image shows as boxes although a font has them.

    The renderers draw a line in a second font only if that font has as many of its glyphs.
    """
    readable_svg = "".join(_with_readable_texts(svg, format_) for svg in pictures)
    lines = list(dict.fromkeys(unescape(text) for text in _TEXT.findall(readable_svg)))
    cases = [(line, char) for line in lines for char in _list_uncommon_chars(line) if len(line) > 1]
    if not cases:
        return []
    images = _LINE_RENDERERS[format_](
        [*lines, *(line.replace(char, _UNASSIGNED) for line, char in cases[:_MAX_CHECKED_CHARS])]
    )
    line_images = dict(zip(lines, images, strict=False))
    pairs = zip(cases, images[len(lines) :], strict=False)
    boxed_chars = dict.fromkeys(char for (line, char), image in pairs if image == line_images[line])
    missing_chars = list_missing_chars("".join(boxed_chars), format_)
    return [char for char in boxed_chars if char not in missing_chars]


def _with_readable_texts(svg: str, format_: str) -> str:
    """Rewrite a picture so that a renderer draws as many characters as possible.

    Letters and marks become one character if possible, ``fi`` becomes two glyphs, and a missing
    character a box: each would prevent the renderer from drawing the rest of the line in a second
    font.
    """

    def rewrite_text(match: re.Match[str]) -> str:
        text = match[0]
        if text.isascii():
            return text
        return _LIGATURE.sub(f"f{_NON_JOINER}", normalize("NFC", text).translate(boxes))

    chars = _list_uncommon_chars(unescape("".join(_TEXT.findall(svg))))
    boxes = str.maketrans(dict.fromkeys(list_missing_chars(chars, format_), _BOX))
    return _TEXT.sub(rewrite_text, svg)


def _list_uncommon_chars(text: str) -> str:
    """Return the visible characters of a text that some fonts lack."""
    return "".join(
        char for char in dict.fromkeys(text) if not char.isascii() and category(char) not in _UNSEEN
    )


@lru_cache(maxsize=64)
def list_missing_chars(chars: str, format_: str) -> str:
    """Return the characters that all installed fonts lack."""
    if not chars:
        return ""
    box, *images = _LINE_RENDERERS[format_]((_UNASSIGNED, *chars))
    return "".join(char for char, image in zip(chars, images, strict=True) if image == box)


def _make_line_svg(text: str, family: str = SANS) -> str:
    width = 20 * max(len(text), 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" '
        f'viewBox="0 0 {width} 20">'
        f"<text y='16' font-size='16' font-family='{family}'>{escape(text)}</text></svg>"
    )


def _render_png_lines(texts: Sequence[str]) -> list[bytes]:
    resvg = _import_renderer(*_DRAWN_BY["png"])
    return [bytes(resvg.svg_to_bytes(svg_string=_make_line_svg(text))) for text in texts]


def _render_pdf_lines(texts: Sequence[str]) -> list[bytes]:
    """Render lines with Typst, which also writes pages as PNG."""
    typst = _import_renderer(*_DRAWN_BY["pdf"])
    pages = [{"svg": _make_line_svg(text), "width": 20 * len(text), "alt": ""} for text in texts]
    inputs = {"title": "", "mark": "", "pages": json.dumps(pages)}
    images = typst.compile(_PDF.encode(), root=_ROOT, format="png", sys_inputs=inputs)
    return [bytes(image) for image in (images if isinstance(images, list) else [images])]


_LINE_RENDERERS = {"png": _render_png_lines, "pdf": _render_pdf_lines}


def describe_image(trace: Trace, format_: str, options: Options = DEFAULT) -> str:
    """Describe the image of a trace without rendering it; raise the same errors."""
    svg = frames.render(trace, options._replace(motion=Motion.STILL))
    return describe_image_size(svg, format_, options)


def describe_image_size(svg: str, format_: str, options: Options = DEFAULT) -> str:
    """Describe the image of a picture; raise the errors of rendering it."""
    _import_renderer(*_DRAWN_BY[format_])
    width, height = compute_size(svg, options, SHARP if format_ == "png" else 1)
    if format_ == "png":
        return f"a picture of about {round(width):,} by {round(height):,} px"
    cm = 2.54 / 96
    return f"a page of {width * cm:.1f} by {height * cm:.1f} cm, whose text can be selected"


_DRAWN_BY = {"png": ("resvg_py", "png"), "pdf": ("typst", "pdf")}


_MAX_SIDE_PX = 10**13
"""More than any format accepts."""


def compute_size(svg: str, options: Options, scale: float) -> ImageSize:
    """Return the size of the image of a picture; raise ValueError if the scale is invalid."""
    match = _SIZE.search(svg)
    assert match
    svg_size = ImageSize(float(match[1]), float(match[2]))
    if options.width is not None:
        scale = options.width / svg_size.width
    elif options.scale is not None:
        scale = options.scale
    if not (isfinite(scale) and scale > 0):
        raise ValueError("a scale and a width are numbers above 0")
    if max(svg_size) * scale > _MAX_SIDE_PX:
        raise ValueError(f"a picture at a scale of {scale:.4g} is too large")
    return ImageSize(svg_size.width * scale, svg_size.height * scale)


def _import_renderer(name: str, format_: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        need = f"{format_} needs {name.replace('_', '-')}, which is not installed"
        raise NotInstalledError(f"{need}: {format_install_hint('images')}", name=name) from None


@lru_cache(maxsize=1)
def has_fonts() -> bool:
    """Whether resvg finds the necessary fonts; without them, it silently omits text."""
    return has_font(SANS) and has_font(MONO)


def has_font(family: str, **renderer_options: bool) -> bool:
    """Whether resvg draws a letter in a font or its substitute."""
    resvg = _import_renderer(*_DRAWN_BY["png"])
    empty, text = (
        resvg.svg_to_bytes(svg_string=_make_line_svg(letter, family), **renderer_options)
        for letter in ("", "x")
    )
    return bytes(empty) != bytes(text)
