"""What a writer asks for in words, as an annotated trace and the options of a document."""

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
    """The trace with these annotations beside its own, and options that show such a part.

    ``notes`` are as ``parse_note`` reads them, ``steps`` as ``stages_between`` does. Where steps
    come behind ``until``, the result is kept back. Raises ValueError.
    """
    if steps and until:
        raise ValueError("there are steps and until; one of them says which part is shown")
    extra = trace.annotations
    added = tuple(parse_note(text, trace) for text in notes)
    annotations = Annotations(
        title or extra.title, caption or extra.caption, (*extra.notes, *added)
    )
    is_hidden = not result or not (options.result or options.is_early)
    if steps or until:
        stages = parse_stages(f"-{until}" if until else steps, trace)
        whole = stages == {step.stage for step in trace.steps}
        is_early = bool(until) and not whole
        options = options._replace(stages=stages, result=not is_early, is_early=is_early)
    if is_hidden:
        options = options._replace(result=False, is_early=False)
    return replace(trace, annotations=annotations), options
