"""Views of a trace: an author's notes and steps, hidden rows, letters for long names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...engine.isa.types import DESTINATIONS, Role
from ...engine.syntax.errors import make_printable
from ...engine.syntax.instruction import Register
from ...engine.tracing.annotations import Annotations, Note
from ...engine.tracing.basic_block import make_block
from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Options, validate_options

HIDDEN_RESULT_TEXT = "The result is hidden."
"""Sentence of a step with hidden rows."""


def annotate_trace(
    trace: Trace,
    options: Options = DEFAULT,
    *,
    title: str = "",
    caption: str = "",
    notes: Iterable[str] = (),
    steps: str = "",
    until: str = "",
    result: bool = True,
    folded: str = "",
) -> tuple[Trace, Options]:
    """Return the trace with more annotations, and options that show a part of it.

    ``parse_note`` parses ``notes``, ``parse_steps`` ``steps``, ``parse_folded`` ``folded``.
    If steps follow `until`, the result is hidden. Raise ValueError if `steps` and `until` are both
    present, or if one of them or of the options is invalid.
    """
    options = validate_options(options, trace)
    if steps and until:
        raise ValueError("steps and until are both set; use only one of them")
    extra = trace.annotations
    annotations = Annotations(
        title or extra.title, caption or extra.caption, (*extra.notes, *_parse_notes(notes, trace))
    )
    is_hidden = not result or not (options.result or options.is_early)
    if steps or until:
        from ...engine.tracing.note_targets import parse_steps

        places = parse_steps(f"-{until}" if until else steps, trace)
        is_early = bool(until) and len(places) < len(trace.steps)
        options = options._replace(steps=places, result=not is_early, is_early=is_early)
    if is_hidden:
        options = options._replace(result=False, is_early=False)
    if folded:
        from .command_words import parse_folded

        options = options._replace(folded=parse_folded(folded, len(trace.parts)))
    return trace.with_annotations(annotations), options


def _parse_notes(texts: Iterable[str], trace: Trace) -> Iterator[Note]:
    for text in texts:
        from ...engine.tracing.note_targets import parse_note

        yield parse_note(text, trace)


def find_hidden_rows(trace: Trace, options: Options) -> frozenset[str]:
    """Return the keys of the rows whose values reveal a hidden result.

    These are the rows that write the result, only pass it on, or compute it, whichever steps are
    shown. If the steps end early (``--until``), computed values stay visible, and only the rows
    that pass on the result are hidden.
    """
    if options.result or not trace.steps:
        return frozenset()
    is_ended_early = options.is_early and not options.shows(trace.steps[-1].place)
    return find_revealing_rows(trace, with_computing=not is_ended_early)


def find_revealing_rows(trace: Trace, *, with_computing: bool = True) -> frozenset[str]:
    """Return the keys of rows that write, pass on or (``with_computing``) compute the result."""
    hidden_keys: set[str] = set()
    pending = [result.key for result in trace.plan.results]
    while pending:
        row = trace.rows.get(pending.pop())  # operands are never hidden
        if row is None or row.key in hidden_keys:
            continue
        is_carrier = row.micro.has_revealing_inputs
        if is_carrier or with_computing:
            hidden_keys.add(row.key)
        if is_carrier:
            pending += row.input_keys
    return frozenset(hidden_keys)


def abbreviate_names(trace: Trace, longest: int) -> Trace:
    """Return a trace for pictures, in which a, b, c, d replace names longer than ``longest``.

    A register gets the letter of its position: c as a source, d as a destination.
    """
    ins = trace.instruction

    def abbreviate(role: str, name: str) -> str:
        return role if len(make_printable(name)) > longest else name

    destinations = {name: abbreviate(role, name) for role, name in reversed([*ins.names.items()])
               if role in DESTINATIONS}  # fmt: skip
    if len(set(destinations.values())) < len(
        destinations
    ):  # the other destination has the letter as its name
        destinations = {}
    letters = replace(
        ins,
        destinations=tuple(name and destinations.get(name, name) for name in ins.destinations),
        sources=tuple(
            source._replace(name=abbreviate(role, source.name)) if isinstance(source, Register)
            else source._replace(text=abbreviate(role, source.text))
            for role, source in ins.roles.items()
        ),
        guard=ins.guard and ins.guard._replace(name=abbreviate(Role.GUARD, ins.guard.name)),
    )  # fmt: skip
    return replace(trace, block=make_block(letters))
