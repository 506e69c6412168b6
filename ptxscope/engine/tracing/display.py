"""The display of traces, by functions that ``ptxscope.notebook`` registers."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any, Protocol, TypedDict

DISPLAY_HOOKS: dict[str, Callable[..., Any]] = {}
"""Display functions of a trace, by MIME type, ``rich`` or ``figure``."""


class TraceFigure(Protocol):
    """A picture of a trace."""

    @property
    def svg(self) -> str:
        """The picture as SVG."""

    @property
    def html(self) -> str:
        """The picture as HTML."""

    @property
    def alt(self) -> str:
        """The alternative text of the picture."""

    def save(self, name: str | PathLike[str]) -> None:
        """Write the picture as a file of the format that its name ends with."""


class FigureOptions(TypedDict, total=False):
    """The look of a figure: fields of ``ptxscope.documents.options.Options``, by name."""

    standalone: bool
    compact: bool
    layout: str
    """``"tall"``, or the name of another layout."""
    motion: str
    """``"still"`` or ``"stepping"``."""
    scale: float | None
    width: int | None
    theme: str
    """``"auto"``, ``"light"`` or ``"dark"``."""
    id: str
    heading_level: int | None
    footer: bool
    has_version: bool
    sentences: bool
    numbers: bool


def draw_figure(trace: object, **options: object) -> TraceFigure:
    """Return the picture of a trace. Raise RuntimeError if no renderer is loaded."""
    if "figure" not in DISPLAY_HOOKS:
        raise RuntimeError("no renderer is loaded: import ptxscope first")
    figure: TraceFigure = DISPLAY_HOOKS["figure"](trace, **options)
    return figure
