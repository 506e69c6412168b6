"""How traces and findings show themselves in notebooks and in Rich: the exports answer for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from .engine.records import NamedTuple, Record
from .engine.syntax.errors import make_printable, make_printable_lines, quote_value
from .engine.tracing.evaluation import convert_to_integer
from .engine.tracing.trace import DISPLAY_HOOKS, Trace
from .export import export
from .export.content.alt_text import format_alt_text
from .export.content.annotated_trace import annotate_trace
from .export.content.document import build_document
from .export.content.sanitizer import sanitize_text
from .export.formats.markdown import escape_text, format_code
from .export.formats.responsive_svg import BOX, add_min_width
from .export.formats.text import WIDTH, render, wrap_text
from .export.options import Options, validate_options

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

    from .engine.diagnosis.findings import Findings

_MOST = 20
"""Findings that a list shows."""
_CHOSEN = ("stages", "result", "format")
"""Options that steps and the like decide."""
_QUOTED = re.compile("`([^`]*+)`")
_NARROWEST = 40
"""Columns for which lines are made; where there are fewer, they are folded."""


def install() -> None:
    """Let traces show themselves."""
    DISPLAY_HOOKS.update(
        {
            "text/plain": lambda trace: make_printable_lines(export(trace, "text")),  # a terminal's
            "text/markdown": lambda trace: export(trace, "markdown"),
            "text/html": lambda trace: export(trace, "html"),
            "rich": _Printed,
            "figure": figure,
        }
    )


def install_findings() -> None:
    """Let what ``diagnose`` finds show itself."""
    from .engine.diagnosis.findings import LISTED

    LISTED.update({"text/plain": _as_text, "text/markdown": _as_markdown, "text/html": _as_html})


class Figure(Record):
    """A picture of a trace that notebooks show as one.

    Printed, as where markdown-exec takes what is printed, it is HTML.
    """

    trace: Trace
    options: Options

    @property
    def svg(self) -> str:
        """The picture."""
        return export(self.trace, "svg", self.options)

    @property
    def html(self) -> str:
        """The picture as a ``<figure>``, which scrolls where its letters would be too small."""
        style, shown = f"margin:0;{BOX}", add_min_width(self.svg)
        return f'<figure class="ptxscope-figure" style="{style}" tabindex="0">\n{shown}</figure>\n'

    @property
    def alt(self) -> str:
        """What it says, in words: for an ``alt=`` where it stands in a file of its own."""
        return format_alt_text(build_document(self.trace, self.options))

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.alt

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
    **more: Any,
) -> Figure:
    """What ``Trace.figure`` gives."""
    known = [name for name in Options._fields if name not in _CHOSEN]
    for name in more:
        if name not in known:
            raise TypeError(
                f"a figure has no {name!r}; beside its texts and steps {', '.join(known)}"
            )
    for name, text in (("title", title), ("caption", caption)):
        if not isinstance(text, str):
            raise TypeError(f"{name} is {quote_value(text)}; it is a text")
    shown, options = annotate_trace(
        trace,
        validate_options(Options(**more)),
        title=title,
        caption=caption,
        notes=_notes(notes),
        steps=_steps(steps),
        until=_step(until, "until is a step"),
        result=result,
    )
    return Figure(shown, options)


def _notes(notes: object) -> list[str]:
    """Notes as ``parse_note`` reads them; raises TypeError for what can't be such."""
    if isinstance(notes, Mapping):
        found = [f"{target}={text}" for target, text in notes.items() if isinstance(text, str)]
        if len(found) == len(notes):
            return found
    elif isinstance(notes, Iterable):
        found = [notes] if isinstance(notes, str) else list(notes)
        if all(isinstance(text, str) for text in found):
            return found
    raise TypeError(
        f"notes is {quote_value(notes)}; it is texts by what they are on, as in "
        '{"saturate": "…"}, or ["saturate=…"]'
    )


_STEPS = 'steps are "2-4", a number, or a list of names and numbers'


def _steps(steps: object) -> str:
    """The steps as ``stages_between`` reads them; raises TypeError for what can't be such."""
    if isinstance(steps, str) or not isinstance(steps, Iterable):
        return _step(steps, _STEPS)
    found = [_step(step, _STEPS) for step in steps]
    if not found:
        raise ValueError(f"steps is empty; {_STEPS}")
    return ",".join(found)


def _step(step: object, allowed: str) -> str:
    if isinstance(step, str):
        return step
    whole = convert_to_integer(step)
    if whole is None:
        raise TypeError(f"{quote_value(step)} is no step; {allowed}")
    return str(whole)


def _as_text(found: Findings) -> str:
    lines = []
    for number, finding in enumerate(found[:_MOST], 1):
        lines += wrap_text(make_printable(finding.sentence), f"{number:>3}. ", " " * 5)
        lines.append(f"     {make_printable(finding.ptx)}")
    return "\n".join([*lines, *_rest(found)])


def _as_markdown(found: Findings) -> str:
    lines = []
    for number, finding in enumerate(found[:_MOST], 1):
        said = _pieces(finding.sentence, escape_text, format_code)
        lines.append(f"{number}. {said}\\\n   {format_code(sanitize_text(finding.ptx))}")
    return "\n".join([*lines, *(f"\n{escape_text(rest)}" for rest in _rest(found))])


def _as_html(found: Findings) -> str:
    items = (
        f"<li>{_pieces(x.sentence, escape, _code)}<br>{_code(sanitize_text(x.ptx))}</li>"
        for x in found[:_MOST]
    )
    rest = "".join(f"<p>{escape(rest)}</p>" for rest in _rest(found))
    return f'<ol class="ptxscope-findings">{"".join(items)}</ol>{rest}' if found else rest


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _pieces(sentence: str, plain: Callable[[str], str], code: Callable[[str], str]) -> str:
    """A sentence, what is between its backquotes as code."""
    parts = _QUOTED.split(sanitize_text(sentence))
    return "".join(code(x) if at % 2 else _around(x, plain) for at, x in enumerate(parts))


def _around(text: str, change: Callable[[str], str]) -> str:
    """The text changed, but for the blanks around it."""
    inner = text.strip()
    lead, _, end = text.partition(inner) if inner else (text, "", "")
    return f"{lead}{change(inner)}{end}"


def _rest(found: Findings) -> Iterator[str]:
    if not found:
        yield "Nothing within two changes explains it."
    if len(found) > _MOST:
        yield f"and {len(found) - _MOST} more"


class _Printed(NamedTuple):
    """A trace as Rich prints it: as wide as there is room, and whole."""

    trace: Trace

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[Text]:
        """The text form, with its steps and what happened marked."""
        from rich.text import Text

        width = min(max(options.max_width, _NARROWEST), WIDTH)
        text = Text(make_printable_lines(render(self.trace, width=width)), overflow="fold")
        text.highlight_regex(r"(?m)^\d+ [A-Za-z]+(?: [a-z]+)*", "bold")
        text.highlight_regex(r"\[(?:clamped|wrapped|masked|flushed|rounded|NaN)[^]]*\]", "yellow")
        for name, bits in self.trace.result.items():
            text.highlight_words([f"{name} = {bits:#010x}"], "bold green")
        yield text
