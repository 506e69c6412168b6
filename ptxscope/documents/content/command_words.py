"""The shell command that reproduces the document of a trace."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from itertools import groupby

from ...engine.isa.value_text import format_hex
from ...engine.semantics.models import Model
from ...engine.syntax.errors import quote_value
from ...engine.tracing.annotations import Annotations
from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Motion, Options
from .option_support import has_effect
from .sanitizer import sanitize_text


def format_command(trace: Trace, options: Options = DEFAULT) -> str:
    """Format the shell command that reproduces the document of a trace, with its notes."""
    return shlex.join(list_command_words(trace, options))


def list_command_words(trace: Trace, options: Options = DEFAULT) -> tuple[str, ...]:
    """Return the words of that command."""
    return tuple(map(sanitize_text, _iter_command_words(trace, options)))


def _iter_command_words(trace: Trace, options: Options) -> Iterator[str]:
    block = trace.block
    yield from ("ptxscope", "trace", str(block), *_iter_given_words(trace))
    yield from list_annotation_words(trace.annotations, trace.model, options)
    for name, value in _list_part_options(trace, options):
        if has_effect(name, options.format):
            yield from _format_option(f"--{name}", value)
    if options.folded and not trace.is_line:
        yield f"--fold={format_folded(options.folded, len(block.statements))}"


def _iter_given_words(trace: Trace) -> Iterator[str]:
    for name, role in list_given_values(trace):
        yield f"{name}={format_hex(trace.operands[role], trace.block.type_of(role).bits)}"


def list_given_values(trace: Trace) -> Iterable[tuple[str, str]]:
    """Return the name and the role of each register to which the command gives a value."""
    ins = trace.block
    # a model may read operands that the documentation does not mention
    extra_roles = (x.role for x in trace.plan.sources)
    read_roles: dict[str, str] = {}
    for role in (*(needed.roles[0] for needed in ins.inputs), *extra_roles):
        if role in ins.names:
            read_roles.setdefault(ins.names[role], role)
    return read_roles.items()


def list_annotation_words(
    annotations: Annotations, model: Model, options: Options
) -> Iterator[str]:
    """Yield the words for the model, the format, the author's texts and the appearance."""
    if model.errata:
        yield from ("--model", model.name)
    if options.format and options.format != "text":
        yield from ("-f", options.format)
    for name, value in (*_list_annotation_options(annotations), *_list_style_options(options)):
        if has_effect(name, options.format):
            yield from _format_option(f"--{name}", value)


_OptionValues = Iterator[tuple[str, str | None]]
"""Names of options, with the value of each that takes one."""


def _list_annotation_options(extra: Annotations) -> _OptionValues:
    """Yield the options for the author's texts."""
    if extra.title:
        yield "title", extra.title
    if extra.caption:
        yield "caption", extra.caption
    for note in extra.notes:
        yield "note", f"{note.target}={note.text}"


def _list_style_options(options: Options) -> _OptionValues:
    """Yield the options for the appearance."""
    if options.both:
        yield "both", None
    if options.machine_code:
        yield "sass", options.machine_code.arch
    if options.standalone:
        yield "standalone", None
    if options.theme is not DEFAULT.theme:
        yield "theme", str(options.theme)
    if options.id:
        yield "id", options.id
    if options.heading_level != DEFAULT.heading_level:
        yield "heading-level", str(options.heading_level)
    if not options.footer:
        yield "no-footer", None
    if not options.sentences:
        yield "no-text", None
    if options.compact:
        yield "compact", None
    if options.motion is Motion.STEPPING:
        yield "stepping", None
    if options.beside:
        yield "beside", " ".join((str(options.beside.block), *_iter_given_words(options.beside)))
    if options.width is not None:
        yield "width", str(options.width)
    elif options.scale is not None:
        yield "scale", f"{options.scale:g}"


def _format_option(name: str, value: str | None) -> tuple[str, ...]:
    """Format an option and its value, which may begin with a dash."""
    if value is None:
        return (name,)
    return (f"{name}={value}",) if value.startswith("-") else (name, value)


def _list_part_options(trace: Trace, options: Options) -> _OptionValues:
    """Yield the options that show a part of a trace."""
    count = len(trace.steps)
    shown = [x.number for x in trace.steps if options.shows_step(x)]
    is_whole = len(shown) == count
    if shown and options.is_early and not is_whole and shown == [*range(1, len(shown) + 1)]:
        last = trace.steps[len(shown) - 1]
        yield "until", str(last.stage if trace.is_line else last.number)
        return
    if shown and not is_whole:
        runs = groupby(enumerate(shown), lambda x: x[1] - x[0])
        ends = [[number for _, number in run] for _, run in runs]
        yield "steps", ",".join("-".join(map(str, sorted({x[0], x[-1]}))) for x in ends)
    if not options.result:
        yield "no-result", None


_BUT_LAST = "but-last"


def parse_folded(text: str, count: int) -> frozenset[int]:
    """Parse the statements to fold: ``2-4,6``, ``all``, or ``but-last``; raise ValueError."""
    if text in ("all", _BUT_LAST):
        return frozenset(range(1, count + (text == "all")))
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*+(\d{1,3})(?:\s*+-\s*+(\d{1,3}))?\s*+", part)
        if not match or not 0 < int(match[1]) <= int(match[2] or match[1]) <= count:
            raise ValueError(
                f"{quote_value(part)} is not a statement; there are 1 to {count}, "
                f"as in 2-4,6, all, or {_BUT_LAST}"
            )
        numbers |= {*range(int(match[1]), int(match[2] or match[1]) + 1)}
    return frozenset(numbers)


def format_folded(numbers: frozenset[int], count: int) -> str:
    """Return the statements to fold as ``parse_folded`` reads them."""
    names = {frozenset(range(1, count + 1)): "all", frozenset(range(1, count)): _BUT_LAST}
    return names.get(numbers) or ",".join(map(str, sorted(numbers)))
