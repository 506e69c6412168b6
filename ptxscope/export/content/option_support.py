"""Where each option of a document acts: one table, for those who ask and for what is printed."""

from __future__ import annotations

from collections.abc import Mapping

from ..options import DEFAULT, Options

_DRAWN = ("svg", "png", "pdf")
_TOLD = ("text", "markdown", "rst", "asciidoc", "html", "json", *_DRAWN)
"""All but code, which is of the whole instruction and has no place for words."""

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
"""The formats that an option of ``ptxscope trace`` changes; one that is not here changes each."""


def has_effect(option: str, format_: str) -> bool:
    """Whether an option changes a document of a format; of one that is not known yet it may."""
    return not format_ or option not in ACTS or format_ in ACTS[option]


_FIELDS = {x: x for x in ("standalone", "theme", "id", "slide", "compact", "scale", "width")}
_FIELDS |= {"motion": "stepping", "heading_level": "heading-level"}
"""The option that stands for each field of ``Options`` that does not act everywhere."""


def drop_idle_options(options: Options, format_: str) -> Options:
    """The options without what does nothing in a format, and would only make other ids."""
    idle = (field for field, option in _FIELDS.items() if not has_effect(option, format_))
    return options._replace(format=format_, **{field: getattr(DEFAULT, field) for field in idle})


def format_affected_formats(option: str) -> str:
    """The formats that an option changes: ``html, svg, png and pdf``."""
    *most, last = ACTS[option]
    return f"{', '.join(most)} and {last}" if most else last


def format_no_effect_error(option: str, format_: str) -> str:
    """What is said of an option that does nothing in a format."""
    return f"--{option} does nothing in {format_}; it is for {format_affected_formats(option)}"
