"""Progress in each lesson, as saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..engine.json_node import JsonNode

SCHEMA = "ptxscope.lessons/1"


class LessonProgress(NamedTuple):
    """Progress in a lesson."""

    card: int = 0
    """Index of the last visited card, from 0."""
    done: bool = False
    """Whether the lesson was completed once."""


def find_next_lesson(
    names: Sequence[str], progress: Mapping[str, LessonProgress], after: str = ""
) -> str | None:
    """Return the first lesson that is not done, in a circle from the one after another."""
    start = names.index(after) + 1 if after else 0
    order = (*names[start:], *names[:start])
    entries = ((name, progress.get(name, LessonProgress())) for name in order)
    return next((name for name, x in entries if x.card or not x.done), None)


def progress_to_json(progress: Mapping[str, LessonProgress]) -> dict[str, object]:
    """Return the JSON form of the progress."""
    return {
        "schema": SCHEMA,
        "lessons": {name: entry._asdict() for name, entry in progress.items()},
    }


def progress_from_json(data: JsonNode) -> dict[str, LessonProgress]:
    """Parse the output of ``progress_to_json``; raise ValueError for anything else."""
    data.check_schema(SCHEMA)
    lessons = data.get_field("lessons", dict)
    return {name: _parse_progress(lessons.get_field(name, dict)) for name in lessons.value}


def _parse_progress(entry: JsonNode) -> LessonProgress:
    card = entry.get_field("card", int)
    if card.value < 0:
        raise card.make_error("cards are numbered from 0")
    return LessonProgress(card.value, entry.get_field("done", bool).value)
