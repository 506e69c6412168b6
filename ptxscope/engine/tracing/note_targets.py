"""How a writer names steps and lanes: ``saturate=…``, ``lane 2=…``, ``1-4``."""

from __future__ import annotations

import re

from ..lazy_patterns import pattern
from ..semantics.plan import Stage
from ..syntax.errors import quote_value
from .annotations import Note
from .step_text import format_title
from .trace import Trace

_LANE = pattern(r"\blane\s*+(\d++)\Z", re.I)
_STEP = pattern(r"[a-z ]*+|\d++", re.I)


def parse_note(text: str, trace: Trace) -> Note:
    """Read ``STEP=TEXT``: a stage's name, a step's number from 1, ``lane N``, or step and lane.

    Raises ValueError that says which steps and lanes the trace has.
    """
    target, equals, words = text.partition("=")
    if not equals:
        raise ValueError(f"a note is STEP=TEXT; there is no '=' in {quote_value(text)}")
    if not words.strip():
        raise ValueError(f"the note on {target.strip()!r} is empty")
    target = target.strip()
    named = _LANE.search(target)
    step = (target[: named.start()] if named else target).strip()
    if not target or not _STEP.fullmatch(step):
        raise ValueError(f"{quote_value(target)} is no step; {_list_steps(trace)}, or lane N")
    stage = parse_stage(step, trace) if step else None
    lane = int(named[1].lstrip("0")[:9] or "0") if named else None
    lanes = max(len(row.lanes) for row in trace.rows.values() if stage in (None, row.stage))
    if lane is not None and lane >= lanes:
        raise ValueError(f"there is no lane {lane}: lanes are numbered 0 to {lanes - 1}")
    return Note(words.strip(), stage, lane)


def parse_stage(text: str, trace: Trace) -> Stage:
    """A step of a trace by its stage's name or its number from 1; raises ValueError."""
    for step in trace.steps:
        if text.lower() in (str(step.stage), format_title(step).lower(), str(step.number)):
            return step.stage
    raise ValueError(f"{quote_value(text)} is no step of this instruction; {_list_steps(trace)}")


def parse_stages(text: str, trace: Trace) -> frozenset[Stage]:
    """Read ``2``, ``1-4``, ``extend-saturate``, ``2-``, ``1,3-4``: the stages of those steps.

    Raises ValueError.
    """
    return frozenset(stage for part in text.split(",") for stage in _parse_stage_range(part, trace))


def _parse_stage_range(text: str, trace: Trace) -> list[Stage]:
    first, dash, last = text.partition("-")
    steps = trace.steps
    low = parse_stage(first.strip(), trace) if first.strip() or not dash else steps[0].stage
    end = last.strip() if dash else first.strip()
    high = parse_stage(end, trace) if end else steps[-1].stage
    order = [step.stage for step in steps]
    chosen = order[order.index(low) : order.index(high) + 1]
    if not chosen:
        raise ValueError(f"{text!r} has its ends the wrong way round")
    return chosen


def _list_steps(trace: Trace) -> str:
    return "its steps are " + ", ".join(
        f"{step.number} {format_title(step)}" for step in trace.steps
    )
