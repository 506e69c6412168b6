"""Traces as documents: one module a format."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

from ..engine.trace import Trace

FORMATS = ("text",)
"""The names of the formats; each is a module with a function ``render``."""


def export(trace: Trace, format: str = "text") -> str:  # noqa: A002
    """The trace as a document in one of ``FORMATS``. Raises ValueError for another name."""
    if format not in FORMATS:
        raise ValueError(f"unknown format {format!r}: {', '.join(FORMATS)}")
    text: str = import_module(f".{format}", __name__).render(trace)
    return text


class _CallableModule(ModuleType):
    """Lets ``ptxscope.export`` be both this package and its function."""

    def __call__(self, trace: Trace, format: str = "text") -> str:  # noqa: A002
        return export(trace, format)


sys.modules[__name__].__class__ = _CallableModule
