"""The formats that each option of a document affects: one table for checks and for help."""

from __future__ import annotations

from collections.abc import Mapping

from ..options import DEFAULT, Options

_PICTURE_FORMATS = ("svg", "png", "pdf")
_WORDED_FORMATS = ("text", "markdown", "rst", "asciidoc", "html", "json", *_PICTURE_FORMATS)
"""All formats but code, which covers the whole instruction and has no text."""

AFFECTED_FORMATS: Mapping[str, tuple[str, ...]] = {
    "title": _WORDED_FORMATS,
    "caption": _WORDED_FORMATS,
    "note": _WORDED_FORMATS,
    "steps": _WORDED_FORMATS,
    "until": _WORDED_FORMATS,
    "no-result": _WORDED_FORMATS,
    "sass": _WORDED_FORMATS,
    "no-footer": ("text", "markdown", "rst", "asciidoc", "html", *_PICTURE_FORMATS),
    "no-text": _PICTURE_FORMATS,
    "beside": _PICTURE_FORMATS,
    "standalone": ("html", "rst", "asciidoc"),
    "heading-level": ("markdown",),
    "live": ("html",),
    "theme": ("html", *_PICTURE_FORMATS),
    "id": ("html", "svg"),
    "compact": _PICTURE_FORMATS,
    "alt": _PICTURE_FORMATS,
    "stepping": ("svg",),
    "scale": ("png", "pdf"),
    "width": ("png", "pdf"),
}
"""Formats that an option of ``ptxscope trace`` changes; an option not listed changes all."""


def has_effect(option: str, format_: str) -> bool:
    """Whether an option changes a format; an unknown option may."""
    return not format_ or option not in AFFECTED_FORMATS or format_ in AFFECTED_FORMATS[option]


_FIELDS = {x: x for x in ("standalone", "theme", "id", "compact", "scale", "width")}
_FIELDS |= {"motion": "stepping", "heading_level": "heading-level", "machine_code": "sass"}
_FIELDS |= {"footer": "no-footer", "sentences": "no-text", "beside": "beside"}
"""Option for each field of ``Options`` that does not affect every format."""


def drop_idle_options(options: Options, format_: str) -> Options:
    """Reset options that have no effect in a format, which would only change the ids."""
    idle = (field for field, option in _FIELDS.items() if not has_effect(option, format_))
    return options._replace(format=format_, **{field: getattr(DEFAULT, field) for field in idle})


def format_affected_formats(
    option: str, affected_formats: Mapping[str, tuple[str, ...]] = AFFECTED_FORMATS
) -> str:
    """Format the formats that an option changes: ``html, svg, png and pdf``."""
    *first_formats, last = affected_formats[option]
    return f"{', '.join(first_formats)} and {last}" if first_formats else last
