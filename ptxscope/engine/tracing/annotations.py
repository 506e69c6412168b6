"""What a writer adds to a trace: a title, a caption, notes on steps and lanes."""

from __future__ import annotations

from typing import Any

from ..records import NamedTuple
from ..semantics.plan import Stage


class Note(NamedTuple):
    """A writer's remark on a step, on a lane, or on one lane at one step."""

    text: str
    stage: Stage | None = None
    lane: int | None = None
    """Numbered from the least significant, from 0."""

    @property
    def target(self) -> str:
        """What it is on, as ``parse_note`` reads it: ``saturate``, ``lane 2``, ``write lane 0``."""
        where = [] if self.stage is None else [str(self.stage)]
        return " ".join([*where, *([] if self.lane is None else [f"lane {self.lane}"])])


class Annotations(NamedTuple):
    """Everything a writer added to a trace."""

    title: str = ""
    caption: str = ""
    notes: tuple[Note, ...] = ()

    def get_notes(self, stage: Stage) -> tuple[Note, ...]:
        """The notes on a step, those on one of its lanes included."""
        return tuple(note for note in self.notes if note.stage is stage)

    @property
    def on_lanes(self) -> tuple[Note, ...]:
        """The notes on a lane at no step in particular."""
        return tuple(note for note in self.notes if note.stage is None)


NOTHING = Annotations()


def to_json(annotations: Annotations) -> dict[str, Any]:
    """Annotations as JSON objects."""
    notes = [
        {"text": text, "stage": stage and str(stage), "lane": lane}
        for text, stage, lane in annotations.notes
    ]
    return {"title": annotations.title, "caption": annotations.caption, "notes": notes}


def from_json(data: dict[str, Any]) -> Annotations:
    """What ``to_json`` gave; raises KeyError, TypeError or ValueError for anything else."""
    notes = tuple(
        Note(
            str(note["text"]),
            None if note["stage"] is None else Stage(note["stage"]),
            None if note["lane"] is None else int(note["lane"]),
        )
        for note in data["notes"]
    )
    return Annotations(str(data["title"]), str(data["caption"]), notes)
