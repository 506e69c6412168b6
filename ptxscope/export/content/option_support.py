"""The formats that each option of a document affects: one table for checks and for help."""

from __future__ import annotations

from collections.abc import Mapping

from ..options import DEFAULT, Options

_DRAWN = ("svg", "png", "pdf")
_TOLD = ("text", "markdown", "rst", "asciidoc", "html", "json", *_DRAWN)
"""All formats but code, which covers the whole instruction and has no text."""

ACTS: Mapping[str, tuple[str, ...]] = {
    "title": _TOLD,
    "caption": _TOLD,
    "note": _TOLD,
    "steps": _TOLD,
    "until": _TOLD,
    "no-result": _TOLD,
    "standalone": ("html", "rst", "asciidoc"),
    "heading-level": ("markdown",),
    "theme": ("html", *_DRAWN),
    "id": ("html", "svg"),
    "slide": _DRAWN,
    "compact": _DRAWN,
    "alt": _DRAWN,
    "stepping": ("svg",),
    "animate": ("svg",),
    "scale": ("png", "pdf"),
    "width": ("png", "pdf"),
}
"""Formats that an option of ``ptxscope trace`` changes; an option not listed changes all."""


def has_effect(option: str, format_: str) -> bool:
    """Whether an option changes a format; an unknown option may."""
    return not format_ or option not in ACTS or format_ in ACTS[option]


_FIELDS = {x: x for x in ("standalone", "theme", "id", "slide", "compact", "scale", "width")}
_FIELDS |= {"motion": "stepping", "heading_level": "heading-level"}
"""Option for each field of ``Options`` that does not affect every format."""


def drop_idle_options(options: Options, format_: str) -> Options:
    """Reset options that have no effect in a format, which would only change the ids."""
    idle = (field for field, option in _FIELDS.items() if not has_effect(option, format_))
    return options._replace(format=format_, **{field: getattr(DEFAULT, field) for field in idle})


def format_affected_formats(option: str) -> str:
    """Format the formats that an option changes: ``html, svg, png and pdf``."""
    *most, last = ACTS[option]
    return f"{', '.join(most)} and {last}" if most else last


def format_no_effect_error(option: str, format_: str) -> str:
    """Format the error for an option without effect in a format."""
    return f"--{option} does nothing in {format_}; it is for {format_affected_formats(option)}"
