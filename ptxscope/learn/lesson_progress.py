"""Progress in each lesson, as saved."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..engine.records import NamedTuple
from ..engine.syntax.errors import make_printable

SCHEMA = "ptxscope.lessons/1"
_LESSONS = 200
"""Largest number of lessons with saved progress."""
_CARDS = 1000
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


class LessonProgress(NamedTuple):
    """Progress in a lesson."""

    card: int = 0
    """Index of the last visited card, from 0."""
    done: bool = False
    """Whether the lesson was completed once."""


def progress_to_json(progress: Mapping[str, LessonProgress]) -> dict[str, object]:
    """Return the JSON form of the progress."""
    return {
        "schema": SCHEMA,
        "lessons": {name: entry._asdict() for name, entry in progress.items()},
    }


def from_json(data: object) -> dict[str, LessonProgress]:
    """Parse the output of ``progress_to_json``; raise ValueError for anything else."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"it is not {SCHEMA}")
    lessons = data.get("lessons")
    if not isinstance(lessons, dict) or len(lessons) > _LESSONS:
        raise ValueError(f"lessons are no object of {_LESSONS} or fewer")
    return {name: _progress_from_json(name, entry) for name, entry in lessons.items()}


def _progress_from_json(name: str, entry: object) -> LessonProgress:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{make_printable(name)[:40]!r} is no lesson's name")
    card = entry.get("card") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or type(card) is not int or not 0 <= card < _CARDS:
        raise ValueError(f"{name} has no card that it was left at")
    return LessonProgress(card, entry.get("done") is True)
