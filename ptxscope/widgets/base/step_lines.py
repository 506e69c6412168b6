"""The sentences on a step and its flags, as lines for the lanes and for the list of steps."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ...engine.micro_operations.base import RowTrace
from ...engine.syntax.errors import make_printable
from ...engine.tracing.deviation import Deviation
from ...engine.tracing.step_text import describe_step, format_lane_sentence
from ...engine.tracing.trace import Step, Trace
from ...scene.scene_cells import GLYPHS
from ...state.reading_time import select_notable_flags
from .pane import StyledLine, StyledText


def step_words(
    trace: Trace, step: Step, width: int, deviation: Deviation | None
) -> Iterator[StyledLine]:
    """Yield a step's sentences, the reason of a deviation, and notes.

    A flag of one lane of several is shown in its column, and as a sentence under the cursor.
    Sentences that repeat the picture are omitted.
    """
    yield from sentence_lines(describe_step(step), width, "strong")
    if deviation and deviation.stage is step.stage:
        for erratum in deviation.errata:
            yield from sentence_lines(f"≠ {erratum.id}: {erratum.sentence}", width, "clamped")
    for row in step.rows:
        if is_covered_by_step_text(row):
            marks = "".join(f"{GLYPHS[flag]} " for flag in select_notable_flags(row, 0))
            yield from sentence_lines(f"{marks}{_named_sentence(step, row)}", width, "changed")
    for note in trace.annotations.get_notes(step.stage):
        lane = "" if note.lane is None else f"lane {note.lane}: "
        yield from sentence_lines(f"✎ {lane}{make_printable(note.text)}", width, "chosen")


def is_covered_by_step_text(row: RowTrace) -> bool:
    """Whether the sentences of a step say what happened in a row."""
    return len(row.values) == 1 and bool(select_notable_flags(row, 0))


def _named_sentence(step: Step, row: RowTrace) -> str:
    """Return the sentence on a row, with the row's name if the step has several."""
    sentence = format_lane_sentence(row, 0)
    return (
        sentence
        if len(step.rows) == 1 or sentence.startswith(f"{row.name} ")
        else f"{row.name}, {sentence}"
    )


def sentence_lines(text: str, width: int, style_name: str) -> list[StyledLine]:
    """Return a sentence wrapped into lines."""
    if 0 < len(text) <= width:
        return [[StyledText(text, style_name)]]
    lines = textwrap.wrap(text, max(width, 20), subsequent_indent="  ", break_on_hyphens=False)
    return [[StyledText(line, style_name)] for line in lines]
