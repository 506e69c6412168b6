"""Annotations of a trace: a title, a caption, and notes on steps and lanes."""

from __future__ import annotations

from typing import Any

from ..records import NamedTuple
from ..semantics.plan import Stage


class Note(NamedTuple):
    """A note on a step, on a lane, or on one lane at one step."""

    text: str
    stage: Stage | None = None
    lane: int | None = None
    """Lane number, from 0 at the least significant."""

    @property
    def target(self) -> str:
        """Annotated step and lane as ``parse_note`` reads them: ``saturate``, ``write lane 0``."""
        words = [] if self.stage is None else [str(self.stage)]
        return " ".join([*words, *([] if self.lane is None else [f"lane {self.lane}"])])


class Annotations(NamedTuple):
    """The annotations of one trace."""

    title: str = ""
    caption: str = ""
    notes: tuple[Note, ...] = ()

    def get_notes(self, stage: Stage) -> tuple[Note, ...]:
        """Return the notes on a step, including notes on one of its lanes."""
        return tuple(note for note in self.notes if note.stage is stage)

    @property
    def on_lanes(self) -> tuple[Note, ...]:
        """Notes on a lane that name no step."""
        return tuple(note for note in self.notes if note.stage is None)


NOTHING = Annotations()


def to_json(annotations: Annotations) -> dict[str, Any]:
    """Convert annotations to JSON objects."""
    notes = [
        {"text": text, "stage": stage and str(stage), "lane": lane}
        for text, stage, lane in annotations.notes
    ]
    return {"title": annotations.title, "caption": annotations.caption, "notes": notes}


def from_json(data: dict[str, Any]) -> Annotations:
    """Parse the output of ``to_json``.

    Raise KeyError, TypeError or ValueError if the data has another shape.
    """
    notes = tuple(
        Note(
            str(note["text"]),
            None if note["stage"] is None else Stage(note["stage"]),
            None if note["lane"] is None else int(note["lane"]),
        )
        for note in data["notes"]
    )
    return Annotations(str(data["title"]), str(data["caption"]), notes)
