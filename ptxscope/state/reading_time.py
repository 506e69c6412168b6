"""The time to read a step, for playback."""

from __future__ import annotations

from ..engine.micro_operations.base import RowTrace
from ..engine.micro_operations.properties import Flag
from ..engine.tracing.deviation import Deviation
from ..engine.tracing.step_text import describe_step, format_lane_sentence
from ..engine.tracing.trace import Step, Trace

_WORD_SECONDS, _MIN_SECONDS, _MAX_SECONDS = 0.15, 1.5, 8.0
"""Seconds to read a word, and the least and most seconds that a step is displayed."""
_QUIET = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}


def select_notable_flags(row: RowTrace, lane: int) -> list[Flag]:
    """Return the flags of a lane that are worth a sentence."""
    return [flag for flag in row.flags[lane] if flag not in _QUIET]


def compute_reading_seconds(trace: Trace, step: Step, deviation: Deviation | None = None) -> float:
    """Return the seconds to read the sentences on a step in their short form."""
    texts = [describe_step(step)]
    for row in step.rows:
        lanes = (lane for lane in range(len(row.values)) if select_notable_flags(row, lane))
        texts += [format_lane_sentence(row, lane) for lane in lanes]
    texts += [note.text for note in trace.annotations.get_notes(step.stage)]
    if deviation and deviation.stage is step.stage:
        texts += [erratum.sentence for erratum in deviation.errata]
    return estimate_seconds(sum(len(text.split()) for text in texts))


def estimate_seconds(words: int) -> float:
    """Return the seconds that a step with this many words is displayed during playback."""
    return min(max(_WORD_SECONDS * words, _MIN_SECONDS), _MAX_SECONDS)
