"""What a step does and what happened in it, in lines: for the lanes and for the list of steps."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ...engine.syntax.errors import printable
from ...engine.tracing.divergence import Divergence
from ...engine.tracing.lane_text import sentence
from ...engine.tracing.step_text import about
from ...engine.tracing.trace import RowTrace, Step, Trace
from ...scene.scene_cells import GLYPHS
from ...state.session import happenings
from .pane import Line, Piece


def step_words(
    trace: Trace, step: Step, width: int, divergence: Divergence | None
) -> Iterator[Line]:
    """What a step does, why another answer parts from it, what the picture leaves open, notes.

    What happened in one lane of several is in its column, and in words under the cursor.
    """
    yield from told(about(trace, step), width, "strong")
    if divergence and divergence.stage is step.stage:
        for erratum in divergence.errata:
            yield from told(f"≠ {erratum.id}: {erratum.sentence}", width, "clamped")
    for row in step.rows:
        if len(row.lanes) == 1 and (flags := happenings(row, 0)):
            marks = "".join(f"{GLYPHS[flag]} " for flag in flags)
            yield from told(f"{marks}{_named_sentence(trace, step, row)}", width, "changed")
    for note in trace.annotations.at(step.stage):
        lane = "" if note.lane is None else f"lane {note.lane}: "
        yield from told(f"✎ {lane}{printable(note.text)}", width, "chosen")


def _named_sentence(trace: Trace, step: Step, row: RowTrace) -> str:
    """What happened in a row, with its name where a step has several."""
    said = sentence(trace, row, 0)
    return said if len(step.rows) == 1 or said.startswith(f"{row.name} ") else f"{row.name}, {said}"


def told(text: str, width: int, ink: str) -> list[Line]:
    """A sentence in lines."""
    if 0 < len(text) <= width:
        return [[Piece(text, ink)]]
    lines = textwrap.wrap(text, max(width, 20), subsequent_indent="  ", break_on_hyphens=False)
    return [[Piece(line, ink)] for line in lines]
