"""The shell command that reproduces the document of a trace."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from itertools import groupby

from ...engine.isa.encodings import format_hex
from ...engine.syntax.errors import quote_value
from ...engine.tracing.trace import Trace
from ..options import DEFAULT, OPTIONS, Option, Options
from .sanitizer import sanitize_text


def format_command(trace: Trace, options: Options = DEFAULT) -> str:
    """Format the shell command that reproduces the document of a trace, with its notes."""
    return shlex.join(list_command_words(trace, options))


def list_command_words(trace: Trace, options: Options = DEFAULT) -> tuple[str, ...]:
    """Return the words of that command."""
    return tuple(map(sanitize_text, _iter_command_words(trace, options)))


def _iter_command_words(trace: Trace, options: Options) -> Iterator[str]:
    yield from ("ptxscope", "trace", str(trace.block), *_iter_given_words(trace))
    if trace.model.errata:
        yield from ("--model", trace.model.name)
    if options.format and options.format != "text":
        yield from ("-f", options.format)
    texts = _list_texts(trace, options)
    for option in OPTIONS:
        if option.changes(options.format):
            values = texts.get(option.name) or _list_field_values(option, options)
            for value in values:
                yield from _format_option(option.name, value)


def _iter_given_words(trace: Trace) -> Iterator[str]:
    for name, role in list_given_values(trace):
        yield f"{name}={format_hex(trace.operands[role], trace.block.type_of(role).bits)}"


def list_given_values(trace: Trace) -> Iterable[tuple[str, str]]:
    """Return the name and the role of each register with a value in the command."""
    ins = trace.block
    # a model may read operands that the documentation does not mention
    extra_roles = (x.role for x in trace.plan.sources)
    read_roles: dict[str, str] = {}
    for role in (*(needed.roles[0] for needed in ins.inputs), *extra_roles):
        if role in ins.names:
            read_roles.setdefault(ins.names[role], role)
    return read_roles.items()


def _list_texts(trace: Trace, options: Options) -> dict[str, list[str | None]]:
    """Return the texts of the options that ``Options`` does not store as text."""
    extra, beside = trace.annotations, options.beside
    texts: dict[str, list[str | None]] = {
        "title": [extra.title] if extra.title else [],
        "caption": [extra.caption] if extra.caption else [],
        "note": [f"{trace.format_target(note)}={note.text}" for note in extra.notes],
        "beside": [" ".join((str(beside.block), *_iter_given_words(beside)))] if beside else [],
    }
    if options.folded and len(trace.parts) > 1:
        texts["fold"] = [format_folded(options.folded, len(trace.block.statements))]
    numbers = [x.number for x in trace.steps if options.shows(x.place)]
    is_whole = len(numbers) == len(trace.steps)
    if numbers and options.is_early and not is_whole and numbers == [*range(1, len(numbers) + 1)]:
        last = trace.steps[len(numbers) - 1]
        prefix = trace.block.get_statement(last.statement).prefix
        return texts | {"until": [f"{prefix}{last.stage}"]}
    if numbers and not is_whole:
        runs = groupby(enumerate(numbers), lambda x: x[1] - x[0])
        ends = [[number for _, number in run] for _, run in runs]
        steps = ",".join("-".join(map(str, sorted({x[0], x[-1]}))) for x in ends)
        texts["steps"] = [steps]
    return texts | {"no-result": [] if options.result else [None]}


def _list_field_values(option: Option, options: Options) -> list[str | None]:
    """Return the value of an option from its field of ``Options``, or None for a flag."""
    value = getattr(options, option.field, None)
    if option.is_flag:
        return [None] if option.field and value == option.value else []
    if value == getattr(DEFAULT, option.field, None) or option.value is None:
        return []
    if option.name == "scale" and options.width is not None:  # the width wins
        return []
    return [f"{value:g}" if isinstance(value, float) else str(value)]


def _format_option(name: str, value: str | None) -> tuple[str, ...]:
    """Format an option and its value, which may begin with a dash or be omitted."""
    if value is None:
        return (f"--{name}",)
    is_joined = value.startswith("-") or name == "fold"
    return (f"--{name}={value}",) if is_joined else (f"--{name}", value)


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
    """Return the statements to fold in ``parse_folded``'s syntax."""
    names = {frozenset(range(1, count + 1)): "all", frozenset(range(1, count)): _BUT_LAST}
    return names.get(numbers) or ",".join(map(str, sorted(numbers)))
