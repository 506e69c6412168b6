"""Annotations and partial views of a block's trace, parsed from the words of an author."""

from __future__ import annotations

from collections.abc import Iterable

from ...engine.blocks.block_targets import parse_block_note, parse_block_steps
from ...engine.blocks.block_trace import BlockTrace
from ...engine.tracing.annotations import Annotations
from ..options import DEFAULT, Options, validate_options
from .block_document import parse_folded


def annotate_block(
    trace: BlockTrace,
    options: Options = DEFAULT,
    *,
    title: str = "",
    caption: str = "",
    notes: Iterable[str] = (),
    steps: str = "",
    until: str = "",
    result: bool = True,
    folded: str = "",
) -> tuple[BlockTrace, Options]:
    """Return the trace with more annotations, and options that show a part of it.

    ``parse_block_note`` parses `notes`, ``parse_block_steps`` parses `steps`, ``parse_folded``
    parses `folded`. If steps follow `until`, the result is hidden. Raise ValueError if one of them
    or of the options is invalid.
    """
    options = validate_options(options)
    if steps and until:
        raise ValueError("there are steps and until; one of them says which part is shown")
    extra = trace.annotations
    own_notes = tuple(parse_block_note(x, trace) for x in notes)
    annotations = Annotations(
        title or extra.title, caption or extra.caption, (*extra.notes, *own_notes)
    )
    is_hidden = not result or not (options.result or options.is_early)
    if steps or until:
        numbers = parse_block_steps(f"-{until}" if until else steps, trace)
        is_early = bool(until) and len(numbers) < len(trace.steps)
        options = options._replace(steps=numbers, result=not is_early, is_early=is_early)
    if is_hidden:
        options = options._replace(result=False, is_early=False)
    if folded:
        options = options._replace(folded=parse_folded(folded, len(trace.parts)))
    return trace.with_annotations(annotations), options
