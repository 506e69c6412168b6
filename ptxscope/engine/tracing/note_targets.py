"""Step and lane names in notes and options: ``saturate=…``, ``lane 2=…``, ``1-4``."""

from __future__ import annotations

import re

from ..micro_operations.stage import Stage
from ..syntax.errors import quote_value
from .annotations import Note
from .step_text import format_title
from .trace import Trace

_LANE = re.compile(r"\blane\s*+(\d++)\Z", re.I)
_STEP = re.compile(r"[a-z ]*+|\d++", re.I)


def parse_note(text: str, trace: Trace) -> Note:
    """Parse ``STEP=TEXT``: a stage's name, a step's number from 1, ``lane N``, or step and lane.

    Raise ValueError, with the steps and lanes of the trace, if the target does not exist.
    """
    target, words = split_note(text)
    lane_match = _LANE.search(target)
    step = (target[: lane_match.start()] if lane_match else target).strip()
    if not target or not _STEP.fullmatch(step):
        raise ValueError(f"{quote_value(target)} is not a step; {_list_steps(trace)}, or lane N")
    stage = parse_stage(step, trace) if step else None
    lane = int(lane_match[1].lstrip("0")[:9] or "0") if lane_match else None
    lanes = max(len(row.lanes) for row in trace.rows.values() if stage in (None, row.stage))
    if lane is not None and lane >= lanes:
        raise ValueError(f"there is no lane {lane}: lanes are numbered 0 to {lanes - 1}")
    return Note(words, stage, lane)


def split_note(text: str) -> tuple[str, str]:
    """Return the target and the words of a note; raise ValueError if one of them is missing."""
    target, equals, words = (x.strip() for x in text.partition("="))
    if not equals:
        raise ValueError(f"a note is STEP=TEXT; there is no '=' in {quote_value(text)}")
    if not words:
        raise ValueError(f"the note on {target!r} is empty")
    return target, words


def parse_stage(text: str, trace: Trace) -> Stage:
    """Return the stage of a step by name or number from 1; raise ValueError if there is none."""
    for step in trace.steps:
        if text.lower() in (str(step.stage), format_title(step).lower(), str(step.number)):
            return step.stage
    raise ValueError(f"{quote_value(text)} is not a step of this instruction; {_list_steps(trace)}")


def parse_stages(text: str, trace: Trace) -> frozenset[Stage]:
    """Parse ``2``, ``1-4``, ``extend-saturate``, ``2-``, ``1,3-4``: return the steps' stages.

    Raise ValueError if a step does not exist or a range is empty.
    """
    return frozenset(stage for part in text.split(",") for stage in _parse_stage_range(part, trace))


def _parse_stage_range(text: str, trace: Trace) -> list[Stage]:
    start_text, dash, end_text = text.partition("-")
    steps = trace.steps
    low = (
        parse_stage(start_text.strip(), trace) if start_text.strip() or not dash else steps[0].stage
    )
    stop_text = end_text.strip() if dash else start_text.strip()
    high = parse_stage(stop_text, trace) if stop_text else steps[-1].stage
    order = [step.stage for step in steps]
    stages = order[order.index(low) : order.index(high) + 1]
    if not stages:
        raise ValueError(f"{text!r} has its ends the wrong way round")
    return stages


def _list_steps(trace: Trace) -> str:
    return "its steps are " + ", ".join(
        f"{step.number} {format_title(step)}" for step in trace.steps
    )
