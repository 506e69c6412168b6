"""Traces as documents: one module a format."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from importlib import import_module
from types import ModuleType

from ..engine.tracing.trace import Trace
from .options import DEFAULT, Options


class Format(StrEnum):
    """The formats; each has a module with a function ``render``."""

    TEXT = "text"
    MARKDOWN = "markdown"
    RST = "rst"
    ASCIIDOC = "asciidoc"
    HTML = "html"
    SVG = "svg"
    JSON = "json"
    C = "c"
    PYTHON = "python"


FORMATS = tuple(map(str, Format))
_HOMES: Mapping[Format, str] = {
    **{format_: f".{format_}" for format_ in Format},
    Format.SVG: ".picture.svg",
    Format.C: ".code.c",
    Format.PYTHON: ".code.python",
}
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
}
"""How the name of a file of each format ends."""


def export(trace: Trace, format: str = "text", options: Options = DEFAULT) -> str:  # noqa: A002
    """The trace as a document in one of ``FORMATS``. Raises ValueError for another name."""
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: {', '.join(FORMATS)}")
    made = import_module(_HOMES[Format(format)], __name__)
    text: str = made.render(trace, options._replace(format=format))
    return text


class _CallableModule(ModuleType):
    """Lets ``ptxscope.export`` be both this package and its function."""

    def __call__(
        self,
        trace: Trace,
        format: str = "text",  # noqa: A002
        options: Options = DEFAULT,
    ) -> str:
        return export(trace, format, options)


sys.modules[__name__].__class__ = _CallableModule
