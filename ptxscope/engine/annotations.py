"""What a writer adds to a trace: a title, a caption, notes on steps and lanes."""

from __future__ import annotations

import re
from typing import NamedTuple

from .plan import Plan, Stage


class Note(NamedTuple):
    """A writer's remark on a step, on a lane, or on one lane at one step."""

    text: str
    stage: Stage | None = None
    lane: int | None = None
    """Numbered from the least significant, from 0."""


class Annotations(NamedTuple):
    """Everything a writer added to a trace."""

    title: str = ""
    caption: str = ""
    notes: tuple[Note, ...] = ()

    def at(self, stage: Stage) -> tuple[Note, ...]:
        """The notes on a step, those on one of its lanes included."""
        return tuple(note for note in self.notes if note.stage is stage)

    @property
    def on_lanes(self) -> tuple[Note, ...]:
        """The notes on a lane at no step in particular."""
        return tuple(note for note in self.notes if note.stage is None)

    def with_note(self, note: Note) -> Annotations:
        """These with one more note."""
        return self._replace(notes=(*self.notes, note))


NOTHING = Annotations()
_TARGET = re.compile(r"\s*(?:(?P<step>[a-z]+|\d+)?\s*(?:\blane\s*(?P<lane>\d+))?)\s*", re.I)


def parse_note(text: str, plan: Plan) -> Note:
    """Read ``STEP=TEXT``: a stage's name, a step's number from 1, ``lane N``, or step and lane.

    Raises ValueError that says which steps and lanes the plan has.
    """
    target, equals, words = text.partition("=")
    if not equals:
        raise ValueError(f"a note is STEP=TEXT; there is no '=' in {text!r}")
    if not words.strip():
        raise ValueError(f"the note on {target.strip()!r} is empty")
    if target.strip().lower().startswith("lane"):
        target = " " + target
    match = _TARGET.fullmatch(target)
    if not target.strip() or match is None:
        raise ValueError(f"{target.strip()!r} is no step; {_steps(plan)}, or lane N")
    stage = stage_of(match["step"], plan) if match["step"] else None
    lane = int(match["lane"]) if match["lane"] else None
    lanes = max(row.lanes for row in plan.rows if stage in (None, row.stage))
    if lane is not None and lane >= lanes:
        raise ValueError(f"there is no lane {lane}: lanes are numbered 0 to {lanes - 1}")
    return Note(words.strip(), stage, lane)


def stage_of(text: str, plan: Plan) -> Stage:
    """A step of a plan by its stage's name or its number from 1; raises ValueError."""
    for step in plan.steps:
        if text.lower() in (str(step.stage), str(step.number)):
            return step.stage
    raise ValueError(f"{text!r} is no step of this instruction; {_steps(plan)}")


def stages_between(text: str, plan: Plan) -> frozenset[Stage]:
    """Read ``2``, ``1-4``, ``extend-saturate``, ``2-``: the stages of those steps.

    Raises ValueError.
    """
    first, dash, last = text.partition("-")
    steps = plan.steps
    low = stage_of(first.strip(), plan) if first.strip() else steps[0].stage
    end = last.strip() if dash else first.strip()
    high = stage_of(end, plan) if end else steps[-1].stage
    order = [step.stage for step in steps]
    chosen = order[order.index(low) : order.index(high) + 1]
    if not chosen:
        raise ValueError(f"{text!r} has its ends the wrong way round")
    return frozenset(chosen)


def _steps(plan: Plan) -> str:
    return "its steps are " + ", ".join(f"{step.number} {step.stage}" for step in plan.steps)
