"""What a step does and what happened in it, in lines: for the lanes and for the list of steps."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ..engine.records import NamedTuple
from ..engine.text.errors import printable
from ..engine.tracing.divergence import Divergence
from ..engine.tracing.stages import about
from ..engine.tracing.trace import Step, Trace
from ..engine.tracing.words import sentence
from ..scene.cells import GLYPHS
from ..session import happenings
from .pane import Line, Piece


class Said(NamedTuple):
    """A line of what is said of a step."""

    line: Line
    is_detail: bool = False
    """Of a lane that nothing happened to: it is said where there is room for all."""


def step_words(
    trace: Trace, step: Step, width: int, divergence: Divergence | None
) -> Iterator[Said]:
    """What a step does, why another answer parts from it, a sentence for each lane, notes."""
    yield from map(Said, told(about(trace, step), width, "strong"))
    if divergence and divergence.stage is step.stage:
        for erratum in divergence.errata:
            yield from map(Said, told(f"≠ {erratum.id}: {erratum.sentence}", width, "clamped"))
    for text, ink in _sentences(trace, step):
        yield from (Said(line, not ink) for line in told(text, width, ink))
    for note in trace.annotations.at(step.stage):
        lane = "" if note.lane is None else f"lane {note.lane}: "
        yield from map(Said, told(f"✎ {lane}{printable(note.text)}", width, "chosen"))


def _sentences(trace: Trace, step: Step) -> Iterator[tuple[str, str]]:
    """A sentence for each lane of each row, lanes that something happened to marked."""
    for row in step.rows:
        for lane in range(len(row.lanes) - 1, -1, -1):
            flags = happenings(row, lane)
            marks = "".join(f"{GLYPHS[flag]} " for flag in flags)
            said = sentence(trace, row, lane)
            name = f"{row.name}, " if len(step.rows) > 1 else ""
            if said.startswith(f"{row.name} "):
                name = ""
            yield f"{marks}{name}{said}", "changed" if flags else ""


def told(text: str, width: int, ink: str) -> list[Line]:
    """A sentence in lines."""
    if 0 < len(text) <= width:
        return [[Piece(text, ink)]]
    lines = textwrap.wrap(text, max(width, 20), subsequent_indent="  ", break_on_hyphens=False)
    return [[Piece(line, ink)] for line in lines]
