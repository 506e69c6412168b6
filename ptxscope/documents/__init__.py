"""Traces as documents and pictures: ``export`` and the table of formats."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from importlib import import_module
from typing import Literal, overload

from ..engine.syntax.errors import quote_value
from ..engine.tracing.trace import Trace
from .content.option_support import drop_idle_options
from .options import DEFAULT, Options, validate_options


class Format(StrEnum):
    """A format; each has a module with a function that renders it."""

    TEXT = "text"
    MARKDOWN = "markdown"
    RST = "rst"
    ASCIIDOC = "asciidoc"
    HTML = "html"
    SVG = "svg"
    JSON = "json"
    C = "c"
    PYTHON = "python"
    PNG = "png"
    PDF = "pdf"


FORMATS = tuple(map(str, Format))
BINARY = frozenset({"png", "pdf"})
"""Formats whose documents are bytes."""
TEXTS = tuple(name for name in FORMATS if name not in BINARY)
"""Formats whose documents are text."""
_HOMES: Mapping[Format, str] = {
    **{format_: f".formats.{format_}" for format_ in Format},
    Format.SVG: ".media.frames",
    Format.C: ".code.c",
    Format.PYTHON: ".code.python",
    Format.PNG: ".media.images:render_png",
    Format.PDF: ".media.images:render_pdf",
}
"""Module of each format, with the function unless it is ``render``."""
_BLOCK_HOMES: Mapping[Format, str] = {
    Format.HTML: ".blocks.block_html:render",
    Format.C: ".blocks.block_code:render_c",
    Format.PYTHON: ".blocks.block_code:render_python",
}
"""The same for a block of several statements, where that is another one."""
SUFFIXES: Mapping[Format, str] = {
    Format.TEXT: "txt",
    Format.MARKDOWN: "md",
    Format.RST: "rst",
    Format.ASCIIDOC: "adoc",
    Format.HTML: "html",
    Format.SVG: "svg",
    Format.JSON: "json",
    Format.C: "c",
    Format.PYTHON: "py",
    Format.PNG: "png",
    Format.PDF: "pdf",
}
"""File name extension of each format."""
_ENDINGS: Mapping[str, Format] = {
    **{ending: format_ for format_, ending in SUFFIXES.items()},
    **{str(format_): format_ for format_ in Format},
    "htm": Format.HTML,
    "rest": Format.RST,
}


def format_of(name: str) -> Format | None:
    """Return the format for the extension of a file name, or None."""
    return _ENDINGS.get(ending_of(name))


def ending_of(name: str) -> str:
    """Return the text after the last dot of a name in lower case, or an empty string."""
    return name.rpartition(".")[2].lower() if "." in name else ""


_Image = Literal[Format.PNG, Format.PDF, "png", "pdf"]


@overload
def export(trace: Trace, format: _Image, options: Options = DEFAULT) -> bytes: ...  # type: ignore[overload-overlap]


@overload
def export(trace: Trace, format: str = "text", options: Options = DEFAULT) -> str: ...


def export(
    trace: Trace,
    format: str = "text",  # noqa: A002
    options: Options = DEFAULT,
) -> str | bytes:
    """Return the trace as a document in one of ``FORMATS``: bytes for "png" and "pdf", else text.

    Raise ValueError if the format or an option is unknown, or an image would be too large. Raise
    ImportError with an installation command if an image needs a package that is not installed.
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"{quote_value(trace)} is not a Trace; ptxscope.trace(…) returns one")
    homes = _HOMES if trace.is_line else {**_HOMES, **_BLOCK_HOMES}
    if format not in FORMATS:
        raise ValueError(f"unknown format {quote_value(format)}: it is one of {', '.join(FORMATS)}")
    home, _, function = homes[Format(format)].partition(":")
    render = getattr(import_module(home, __name__), function or "render")
    document: str | bytes = render(trace, drop_idle_options(validate_options(options), format))
    return document
