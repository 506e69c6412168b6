"""Traces as documents and pictures: ``export`` and the table of formats."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple, Unpack, overload

from ..engine.syntax.errors import quote_value
from ..engine.tracing.trace import Trace
from .options import DEFAULT, LazyNames, NamedOptions, Options, drop_idle_options, validate_options


class Format(NamedTuple):
    """A format of documents."""

    name: str
    render: str
    """The module and the name of the function that renders a trace with options."""
    endings: tuple[str, ...]
    """The endings of file names; new files get the first."""


_OWN_FORMATS = {
    format_.name: format_
    for format_ in (
        Format("text", ".formats.text:render", ("txt", "text")),
        Format("markdown", ".formats.markdown:render", ("md", "markdown")),
        Format("rst", ".formats.rst:render", ("rst", "rest")),
        Format("asciidoc", ".formats.asciidoc:render", ("adoc", "asciidoc")),
        Format("html", ".formats.html:render", ("html", "htm")),
        Format("svg", ".media.frames:render", ("svg",)),
        Format("json", ".formats.json:render", ("json",)),
        Format("png", ".media.images:render_png", ("png",)),
        Format("pdf", ".media.images:render_pdf", ("pdf",)),
    )
}
COMMON_FORMATS = ("svg", "png", "markdown", "html")
"""The formats that most people use."""
BINARY = frozenset({"png", "pdf"})
"""Formats whose documents are bytes."""


@cache
def map_formats() -> Mapping[str, Format]:
    """Return all formats by name, including features', in the order of the help."""
    from ..feature import arrange, list_features

    added = [(x.name, x) for feature in list_features() for x in feature.formats]
    return dict(arrange(_OWN_FORMATS.items(), added, lambda x: Format(x.name, x.render, x.endings)))


FORMATS: Collection[str] = LazyNames(_OWN_FORMATS, map_formats)


def find_format(name: str) -> Format:
    """Return the format with a name in ``FORMATS``."""
    return _OWN_FORMATS.get(name) or map_formats()[name]


def find_file_format(name: str) -> Format | None:
    """Return the format for the extension of a file name, or None."""
    ending = get_ending(name)
    own = next((x for x in _OWN_FORMATS.values() if ending in x.endings), None)
    if own or not ending:  # without looking for features
        return own
    return next((x for x in map_formats().values() if ending in x.endings), None)


def get_ending(name: str) -> str:
    """Return the ending of a file name in lower case, without its dot, or an empty string."""
    base = name.rpartition("/")[2].lstrip(".")  # a leading dot hides a file
    return base.rpartition(".")[2].lower() if "." in base else ""


_Image = Literal["png", "pdf"]


@overload
def export(  # type: ignore[overload-overlap]
    trace: Trace, format: _Image, options: Options = DEFAULT, **named: Unpack[NamedOptions]
) -> bytes: ...


@overload
def export(
    trace: Trace, format: str = "text", options: Options = DEFAULT, **named: Unpack[NamedOptions]
) -> str: ...


def export(
    trace: Trace,
    format: str = "text",  # noqa: A002
    options: Options = DEFAULT,
    **named: Unpack[NamedOptions],
) -> str | bytes:
    """Return the trace as a document in one of ``FORMATS``: bytes for "png" and "pdf", else text.

    Fields of the options can be passed by name: ``export(trace, "svg", both=True)``.

    Raise ValueError if the format or an option is unknown, or an image would be too large. Raise
    ImportError with an installation command if an image needs a package that is not installed.
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"{quote_value(trace)} is not a Trace; ptxscope.trace(…) returns one")
    if format not in FORMATS:
        raise ValueError(f"unknown format {quote_value(format)}: it is one of {', '.join(FORMATS)}")
    options = validate_options(options)
    if unknown := [name for name in named if name not in Options._fields]:
        raise TypeError(f"there is no option {unknown[0]!r}; it is {', '.join(Options._fields)}")
    fields: Mapping[str, Any] = named
    options = options._replace(**fields)
    render = _load_renderer(find_format(format).render)
    document: str | bytes = render(
        trace, drop_idle_options(validate_options(options, trace), format)
    )
    return document


def _load_renderer(target: str) -> Callable[[Trace, Options], str | bytes]:
    """Return the function that renders a trace in a format."""
    module, _, name = target.partition(":")
    render: Callable[[Trace, Options], str | bytes]
    if module.startswith("."):
        render = getattr(import_module(module, __name__), name)
    else:
        from ..feature import load

        render = load(target)
    return render
