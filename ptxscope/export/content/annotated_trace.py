"""Annotations and partial views of a trace, parsed from the words of an author."""

from __future__ import annotations

from collections.abc import Iterable

from ...engine.records import replace
from ...engine.tracing.annotations import Annotations
from ...engine.tracing.note_targets import parse_note, parse_stages
from ...engine.tracing.trace import Trace
from ..options import DEFAULT, Options


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
) -> tuple[Trace, Options]:
    """Return the trace with more annotations, and options that show a part of it.

    ``parse_note`` parses `notes`, ``parse_stages`` parses `steps`. If steps follow `until`, the
    result is hidden. Raise ValueError if `steps` and `until` are both present, or one is invalid.
    """
    if steps and until:
        raise ValueError("there are steps and until; one of them says which part is shown")
    extra = trace.annotations
    new_notes = tuple(parse_note(text, trace) for text in notes)
    annotations = Annotations(
        title or extra.title, caption or extra.caption, (*extra.notes, *new_notes)
    )
    if steps or until:
        stages = parse_stages(f"-{until}" if until else steps, trace)
        is_whole = stages == {step.stage for step in trace.steps}
        options = options._replace(stages=stages, result=is_whole or not until)
    options = options._replace(result=options.result and result)
    return replace(trace, annotations=annotations), options
