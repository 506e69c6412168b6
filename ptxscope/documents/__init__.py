"""Traces as documents and pictures: ``export`` and the table of formats."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from typing import Literal, Self, overload

from ..engine.syntax.errors import quote_value
from ..engine.tracing.trace import Trace
from .options import DEFAULT, Options, drop_idle_options, validate_options


class Format(StrEnum):
    """A format of documents: its name, the module with its function, and endings of file names."""

    home: str
    """The module, and the function unless it is ``render``."""
    endings: tuple[str, ...]
    """The endings of file names; that of a new file comes first."""

    def __new__(cls, name: str, home: str = "", endings: str = "") -> Self:
        """Return a format."""
        format_ = str.__new__(cls, name)
        format_._value_ = name
        format_.home = home
        format_.endings = (*endings.split(), name)
        return format_

    TEXT = "text", ".formats.text", "txt"
    MARKDOWN = "markdown", ".formats.markdown", "md"
    RST = "rst", ".formats.rst", "rst rest"
    ASCIIDOC = "asciidoc", ".formats.asciidoc", "adoc"
    HTML = "html", ".formats.html", "html htm"
    SVG = "svg", ".media.frames", "svg"
    JSON = "json", ".formats.json", "json"
    C = "c", ".code.functions:render_c", "c"
    PYTHON = "python", ".code.functions:render_python", "py"
    PNG = "png", ".media.images:render_png", "png"
    PDF = "pdf", ".media.images:render_pdf", "pdf"


FORMATS = tuple(map(str, Format))
COMMON_FORMATS = (Format.SVG, Format.PNG, Format.MARKDOWN, Format.HTML)
"""The formats that most people use."""
BINARY = frozenset({"png", "pdf"})
"""Formats whose documents are bytes."""
TEXTS = tuple(name for name in FORMATS if name not in BINARY)
"""Formats whose documents are text."""


def format_of(name: str) -> Format | None:
    """Return the format for the extension of a file name, or None."""
    ending = ending_of(name)
    return next((format_ for format_ in Format if ending in format_.endings), None)


def ending_of(name: str) -> str:
    """Return the ending of a file name in lower case, without its dot, or an empty string."""
    base = name.rpartition("/")[2].lstrip(".")  # a dot in front hides a file
    return base.rpartition(".")[2].lower() if "." in base else ""


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
    if format not in FORMATS:
        raise ValueError(f"unknown format {quote_value(format)}: it is one of {', '.join(FORMATS)}")
    record = Format(format)
    home, _, function = record.home.partition(":")
    render = getattr(import_module(home, __name__), function or "render")
    document: str | bytes = render(trace, drop_idle_options(validate_options(options), format))
    return document
