"""Names of steps and statements of a block: ``5``, ``s2.saturate``, ``s2``, ``s2.lane 1``."""

from __future__ import annotations

import re

from ..syntax.errors import quote_value
from ..tracing.annotations import Note
from ..tracing.note_targets import parse_note, parse_stages, split_note
from .block_trace import BlockTrace

_TARGET = re.compile(
    r"s(?P<statement>\d{1,3})(?:\.(?P<rest>.*+))?|(?P<number>\d{1,5})(?P<lane>\s.*+)?", re.DOTALL
)


def parse_block_note(text: str, trace: BlockTrace) -> Note:
    """Parse ``STEP=TEXT``: a step's number, or a statement and what ``parse_note`` reads.

    Raise ValueError if the step or the lane does not exist.
    """
    target, words = split_note(text)
    statement, rest = _find_statement(target, trace)
    if not rest:
        raise ValueError(f"{quote_value(target)} is a statement; a note is on a step: {target}.1")
    note = parse_note(f"{rest}={words}", trace.parts[statement - 1])
    return note._replace(statement=statement)


def parse_block_steps(text: str, trace: BlockTrace) -> frozenset[int]:
    """Parse ``2-7``, ``s1``, ``s2.saturate-``, ``1,s3``: return the steps' numbers.

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
    return frozenset(numbers)


def _find_numbers(text: str, trace: BlockTrace) -> list[int]:
    """Return the numbers of the steps that a name means: one, or all of a statement."""
    statement, rest = _find_statement(text, trace)
    stages = parse_stages(rest, trace.parts[statement - 1]) if rest else None
    return [
        x.number
        for x in trace.steps
        if x.statement == statement and (stages is None or x.step.stage in stages)
    ]


def _find_statement(text: str, trace: BlockTrace) -> tuple[int, str]:
    """Return the statement that a name begins with, and the rest: the step in the statement."""
    match, count = _TARGET.fullmatch(text), len(trace.parts)
    if match and match["number"]:
        steps = (x for x in trace.steps if x.number == int(match["number"]))
        if step := next(steps, None):
            return step.statement, f"{step.step.stage}{match['lane'] or ''}"
    elif match and 0 < int(match["statement"]) <= count:
        return int(match["statement"]), match["rest"] or ""
    raise ValueError(
        f"{quote_value(text)} is no step of this block: it has statements s1 to s{count} and steps "
        f"1 to {len(trace.steps)}, as in s{count}.1 or {len(trace.steps)}"
    )
