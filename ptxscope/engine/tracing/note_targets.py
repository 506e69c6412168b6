"""Step and lane names in notes and options: ``saturate=…``, ``lane 2=…``, ``1-4``.

In a block, step numbers run through all statements; other names include a statement: ``5``,
``s2.saturate``, ``s2``, ``s2.lane 1``.
"""

from __future__ import annotations

import re

from ..micro_operations.properties import Stage
from ..syntax.errors import quote_value
from .annotations import Note
from .step_text import format_title
from .trace import StepPlace, Trace

_LANE = re.compile(r"\blane\s*+(\d++)\Z", re.I)
_STEP = re.compile(r"[a-z ]*+|\d++", re.I)
_NUMBER = re.compile(r"(\d{1,5})(\s.*+)?", re.DOTALL)


def parse_note(text: str, trace: Trace) -> Note:
    """Parse ``STEP=TEXT``: a stage's name, a step's number from 1, ``lane N``, or step and lane.

    In a block, ``STEP`` is a step's number, or a statement and one of these. Raise ValueError, with
    the steps and lanes of the trace, if the target does not exist.
    """
    target, words = _split_note(text)
    statement, rest = _find_statement(target, trace)
    if target and not rest:
        raise ValueError(f"{quote_value(target)} is a statement; a note is on a step: {target}.1")
    note = _parse_note(rest, words, trace.parts[statement - 1])
    return note._replace(statement=statement)


def _parse_note(target: str, words: str, trace: Trace) -> Note:
    """Return the note on a step or a lane of a statement."""
    lane_match = _LANE.search(target)
    step = (target[: lane_match.start()] if lane_match else target).strip()
    if not target or not _STEP.fullmatch(step):
        raise ValueError(f"{quote_value(target)} is not a step; {_list_steps(trace)}, or lane N")
    stage = parse_stage(step, trace) if step else None
    lane = int(lane_match[1].lstrip("0")[:9] or "0") if lane_match else None
    lanes = max(len(row.values) for row in trace.rows.values() if stage in (None, row.stage))
    if lane is not None and lane >= lanes:
        raise ValueError(f"there is no lane {lane}: lanes are numbered 0 to {lanes - 1}")
    return Note(words, stage, lane)


def _split_note(text: str) -> tuple[str, str]:
    """Return the target and the words of a note; raise ValueError if one of them is missing."""
    target, equals, words = (x.strip() for x in text.partition("="))
    if not equals:
        raise ValueError(f"a note is STEP=TEXT; there is no '=' in {quote_value(text)}")
    if not words:
        raise ValueError(f"the note on {target!r} is empty")
    return target, words


def parse_stage(text: str, trace: Trace) -> Stage:
    """Return the stage of a step by name or number from 1; raise ValueError if none exists."""
    for step in trace.steps:
        if text.lower() in (str(step.stage), format_title(step).lower(), str(step.number)):
            return step.stage
    raise ValueError(f"{quote_value(text)} is not a step of this instruction; {_list_steps(trace)}")


def parse_steps(text: str, trace: Trace) -> frozenset[StepPlace]:
    """Parse ``2``, ``1-4``, ``extend-saturate``, ``2-``, ``s2.saturate-``, ``1,s3``.

    Raise ValueError if a step does not exist or a range is empty.
    """
    numbers: set[int] = set()
    for part in text.split(","):
        start, dash, end = (x.strip() for x in part.partition("-"))
        low = min(_find_numbers(start, trace)) if start or not dash else 1
        stop = end if dash else start
        high = max(_find_numbers(stop, trace)) if stop else len(trace.steps)
        if low > high:
            raise ValueError(f"{part.strip()!r} has its ends the wrong way round")
        numbers.update(range(low, high + 1))
    return frozenset(trace.steps[number - 1].place for number in numbers)


def _find_numbers(text: str, trace: Trace) -> list[int]:
    """Return the numbers of the steps with a name: one, or all of a statement."""
    statement, rest = _find_statement(text, trace)
    stage = parse_stage(rest, trace.parts[statement - 1]) if rest or not text else None
    return [x.number for x in trace.steps if x.statement == statement and stage in (None, x.stage)]


def _find_statement(text: str, trace: Trace) -> tuple[int, str]:
    """Split a name into its statement and the step in the statement."""
    for x in trace.block.statements:
        if f"{text}."[: len(x.prefix)] == x.prefix:  # the prefix of a single instruction is empty
            return x.number, text[len(x.prefix) :]
    if match := _NUMBER.fullmatch(text):
        for step in trace.steps:
            if step.number == int(match[1]):
                return step.statement, f"{step.stage}{match[2] or ''}"
    count = len(trace.parts)
    raise ValueError(
        f"{quote_value(text)} is not a step of this block: it has statements s1 to s{count} and "
        f"steps 1 to {len(trace.steps)}, as in s{count}.1 or {len(trace.steps)}"
    )


def _list_steps(trace: Trace) -> str:
    return "its steps are " + ", ".join(
        f"{step.number} {format_title(step)}" for step in trace.steps
    )
