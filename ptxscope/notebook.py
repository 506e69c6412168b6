"""Display of traces and explanations in notebooks and in Rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, NamedTuple

from .documents import COMMON_FORMATS, export, find_file_format
from .documents.content.annotated_trace import annotate_trace
from .documents.formats.markup import Block, make_paragraph, make_points
from .documents.formats.report import write_report
from .documents.formats.text import WIDTH, render
from .documents.media.frames import render_figure
from .documents.options import Options
from .engine.syntax.errors import make_printable_lines, quote_value
from .engine.tracing.display import DISPLAY_HOOKS
from .engine.tracing.operand_bits import convert_to_integer
from .engine.tracing.trace import Trace
from .files import expand_path, replace

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

    from .diagnosis.explanations import Explanations

_MAX_EXPLANATIONS = 20
"""Maximum explanations in a list."""
_CHOSEN = ("steps", "folded", "result", "is_early", "format")
"""Options that ``steps`` and the other arguments set."""
_MIN_COLUMNS = 40
"""Minimum columns of a line; a narrower terminal folds it."""


def install() -> None:
    """Install the display hooks of traces."""
    DISPLAY_HOOKS.update(
        {
            # for a terminal
            "text/plain": lambda trace: make_printable_lines(export(trace, "text")),
            "text/markdown": lambda trace: export(trace, "markdown"),
            "text/html": lambda trace: export(trace, "html"),
            "rich": _Printed,
            "figure": figure,
        }
    )


def install_explanations() -> None:
    """Install the display hooks of the results of ``diagnose``."""
    from .diagnosis.explanations import FORMATTERS

    def write(explanations: Explanations, format_: str) -> str:
        return write_report(_iter_explanation_blocks(explanations), format_).rstrip("\n")

    for mime, format_ in (("plain", "text"), ("markdown", "markdown"), ("html", "html")):
        FORMATTERS[f"text/{mime}"] = partial(write, format_=format_)


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture of a trace that notebooks display.

    ``print`` writes it as HTML, for example for markdown-exec.
    """

    trace: Trace
    options: Options

    @property
    def svg(self) -> str:
        """Return the picture as SVG."""
        return export(self.trace, "svg", self.options)

    @property
    def html(self) -> str:
        """Return the picture as a ``<figure>`` that scrolls if its text would be too small."""
        return render_figure(self.svg)

    @property
    def alt(self) -> str:
        """Return a description in words, for the ``alt=`` of a picture in a separate file."""
        from .documents.content.alt_text import format_alt_text
        from .documents.content.document_builder import build_document

        return format_alt_text(build_document(self.trace, self.options))

    def save(self, name: str | PathLike[str]) -> None:
        """Write the picture in the format of the file's suffix: ``x.png``.

        Raise ValueError for any other ending, and OSError if the file can't be written.
        """
        format_ = find_file_format(fspath(name))
        if format_ is None:
            endings = ", ".join(f".{x}" for x in COMMON_FORMATS if x in ("svg", "png", "html"))
            raise ValueError(f"{quote_value(name)} does not end with a format: {endings}, .pdf …")
        document: str | bytes = export(self.trace, format_.name, self.options)
        data = document if isinstance(document, bytes) else document.encode()
        replace(expand_path(fspath(name)), data)

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        from .documents.content.alt_text import format_short_alt
        from .documents.content.document_builder import build_document

        return f"<Figure: {format_short_alt(build_document(self.trace, self.options))}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.html

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/html": self.html, "text/plain": self.alt}


def figure(
    trace: Trace,
    *,
    title: str,
    caption: str,
    notes: str | Iterable[str] | Mapping[str, str],
    steps: str | int | Iterable[str | int],
    until: str | int,
    result: bool,
    fold: str = "",
    **rendering_options: Any,
) -> Figure:
    """Return the picture that ``Trace.figure`` documents."""
    names = [name for name in Options._fields if name not in _CHOSEN]
    for name in rendering_options:
        if name not in names:
            raise TypeError(
                f"a figure takes no {name!r}; besides texts and steps it takes {', '.join(names)}"
            )
    for name, text in (("title", title), ("caption", caption)):
        if not isinstance(text, str):
            raise TypeError(f"{name} is {quote_value(text)}; it is a text")
    words: dict[str, Any] = {
        "title": title,
        "caption": caption,
        "notes": _convert_notes(notes),
        "steps": _convert_steps(steps),
        "until": _convert_step(until, "until is a step"),
        "result": result,
    }
    options = Options(**rendering_options)
    if fold and len(trace.parts) == 1:
        raise TypeError("a figure of one instruction takes no 'fold'")
    return Figure(*annotate_trace(trace, options, folded=fold, **words))


def _convert_notes(notes: object) -> list[str]:
    """Convert notes to ``parse_note``'s syntax. Raise TypeError for any other type."""
    if isinstance(notes, Mapping):
        texts = [f"{target}={text}" for target, text in notes.items() if isinstance(text, str)]
        if len(texts) == len(notes):
            return texts
    elif isinstance(notes, Iterable):
        texts = [notes] if isinstance(notes, str) else list(notes)
        if all(isinstance(text, str) for text in texts):
            return texts
    raise TypeError(
        f"notes is {quote_value(notes)}; pass texts by step or lane, as in "
        '{"saturate": "…"}, or ["saturate=…"]'
    )


_STEPS = 'steps are "2-4", a number, or a list of names and numbers'


def _convert_steps(steps: object) -> str:
    """Convert steps to ``parse_steps``'s syntax. Raise TypeError for any other type."""
    if isinstance(steps, str) or not isinstance(steps, Iterable):
        return _convert_step(steps, _STEPS)
    names = [_convert_step(step, _STEPS) for step in steps]
    if not names:
        raise ValueError(f"steps is empty; {_STEPS}")
    return ",".join(names)


def _convert_step(step: object, allowed: str) -> str:
    if isinstance(step, str):
        return step
    whole = convert_to_integer(step)
    if whole is None:
        raise TypeError(f"{quote_value(step)} is not a step; {allowed}")
    return str(whole)


def _iter_explanation_blocks(explanations: Explanations) -> Iterator[Block]:
    if not explanations:
        yield make_paragraph("Nothing within two changes explains it.")
        return
    listed = explanations[:_MAX_EXPLANATIONS]
    items = ([x.sentence, f"`{x.ptx}`"] for x in listed)
    yield make_points(items, ("", " " * 5, " " * 5), is_numbered=True)
    if rest := len(explanations) - len(listed):
        yield make_paragraph(f"and {rest} more", is_close=True)


class _Printed(NamedTuple):
    """A trace for Rich: complete, wrapped to the available width."""

    trace: Trace

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Yield the text form, with its steps and flags styled."""
        from rich.text import Text

        width = min(max(options.max_width, _MIN_COLUMNS), WIDTH)
        text = Text(make_printable_lines(render(self.trace, width=width)), overflow="fold")
        text.highlight_regex(r"(?m)^\d+ [A-Za-z]+(?: [a-z]+)*", "bold")
        text.highlight_regex(r"\[(?:clamped|wrapped|masked|flushed|rounded|NaN)[^]]*\]", "bold red")
        for name, bits in self.trace.result.items():
            text.highlight_words([f"{name} = {bits:#010x}"], "bold")
        yield text
