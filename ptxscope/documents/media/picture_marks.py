"""The description embedded in a picture, which identifies ptxscope's files and frames."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

_SVG = re.compile(r'<svg xmlns="[^"]*+" class="px-svg(?: px-(?:auto|light|dark))?(?: (px-frame))?"')
_ELEMENT = "<{0}[^>]*+>([^<]*+)</{0}>"
_TITLE, _ABOUT = (re.compile(_ELEMENT.format(name)) for name in ("title", "desc"))
_PNG, _HEADED = b"\x89PNG\r\n\x1a\n", 33
"""Signature of a PNG, and offset in bytes of the description: after the first chunk."""
_MARKS = {False: "ptxscope", True: "ptxscope frame"}


class About(NamedTuple):
    """The embedded description of an SVG."""

    title: str
    description: str
    """Description of the whole picture in words."""
    mark: str
    """Name of the producer, and whether the picture is a frame."""


def read_description(picture: str | bytes) -> About:
    """Parse the embedded description of ptxscope's SVGs or PNGs."""
    if isinstance(picture, bytes) and picture.startswith(_PNG):
        title, description = (_read_chunk(picture, name) for name in (b"Title", b"Description"))
        return About(title, description, _find_mark(picture, "png"))
    svg = picture.decode("utf-8", "replace") if isinstance(picture, bytes) else picture
    title_match, description_match = _TITLE.search(svg), _ABOUT.search(svg)
    svg_match = _SVG.match(svg)
    return About(
        unescape(title_match[1]) if title_match else "",
        unescape(description_match[1]) if description_match else "",
        _MARKS[bool(svg_match and svg_match[1])],
    )


def _read_chunk(png: bytes, name: bytes) -> str:
    """Return a named text of ptxscope's PNGs; may be empty."""
    head = b"iTXt" + name + bytes(5)
    start = png.find(head, _HEADED)
    size = int.from_bytes(png[start - 4 : start])
    return png[start + len(head) : start + 4 + size].decode() if start > 0 else ""


def add_description(png: bytes, svg: str) -> bytes:
    """Embed the description of an SVG in its PNG."""
    return png[:_HEADED] + b"".join(_iter_chunks(read_description(svg))) + png[_HEADED:]


def _iter_chunks(about: About) -> Iterator[bytes]:
    yield _make_chunk(b"tEXt", b"Software\0" + about.mark.encode())
    for name, text in ((b"Title", about.title), (b"Description", about.description)):
        yield _make_chunk(b"iTXt", name + bytes(5) + text.encode("utf-8", "replace"))


def _make_chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return len(data).to_bytes(4, "big") + kind + data + check.to_bytes(4, "big")


def is_frame(data: bytes, format_: str) -> bool:
    """Whether a file is a frame written by ptxscope."""
    return _find_mark(data, format_) == _MARKS[True]


def is_ours(data: bytes, format_: str) -> bool:
    """Whether a file is a picture written by ptxscope."""
    return bool(_find_mark(data, format_))


def _find_mark(data: bytes, format_: str) -> str:
    """Return the mark of a picture, or an empty string."""
    if format_ == "svg":
        svg_match = _SVG.match(data[:200].decode("latin-1"))
        return _MARKS[bool(svg_match[1])] if svg_match else ""
    for mark in sorted(_MARKS.values(), reverse=True):
        if format_ == "png":
            if data.startswith(_PNG) and data[_HEADED:].startswith(
                _make_chunk(b"tEXt", b"Software\0" + mark.encode())
            ):
                return mark
        elif data.startswith(b"%PDF") and f"/Keywords({mark})".encode() in data:
            return mark
    return ""
