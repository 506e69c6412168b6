"""Annotations of a trace: a title, a caption, and notes on steps and lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..micro_operations.properties import Stage

if TYPE_CHECKING:
    from ..json_node import JsonNode


class Note(NamedTuple):
    """A note on a step, on a lane, or on one lane at one step."""

    text: str
    stage: Stage | None = None
    lane: int | None = None
    """Lane number, from 0 at the least significant."""
    statement: int = 1
    """Number of its statement, from 1."""

    @property
    def target(self) -> str:
        """Annotated step and lane of the statement: ``saturate``, ``write lane 0``."""
        words = [] if self.stage is None else [str(self.stage)]
        words += [] if self.lane is None else [f"lane {self.lane}"]
        return " ".join(words)


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
        """Notes on a lane without a step."""
        return tuple(note for note in self.notes if note.stage is None)


NOTHING = Annotations()


def annotations_to_json(annotations: Annotations) -> dict[str, Any]:
    """Convert annotations to JSON objects."""
    notes = [
        {"text": text, "stage": stage and str(stage), "lane": lane}
        for text, stage, lane, _ in annotations.notes
    ]
    return {"title": annotations.title, "caption": annotations.caption, "notes": notes}


def annotations_from_json(data: JsonNode) -> Annotations:
    """Parse the output of ``annotations_to_json``; raise ValueError for anything else."""
    notes = []
    for item in data.get_field("notes", list).iter_items(dict):
        stage = item.get_field("stage", str, type(None))
        lane = item.get_field("lane", int, type(None))
        if lane.value is not None and lane.value < 0:
            raise lane.make_error("lanes are numbered from 0")
        note_stage = None if stage.value is None else stage_from_json(stage)
        notes.append(Note(item.get_field("text", str).value, note_stage, lane.value))
    title, caption = (data.get_field(name, str).value for name in ("title", "caption"))
    return Annotations(title, caption, tuple(notes))


def stage_from_json(data: JsonNode) -> Stage:
    """Return the stage of a name; raise ValueError if none exists."""
    if data.value not in set(Stage):
        raise data.make_error(f"stages are {', '.join(Stage)}")
    return Stage(data.value)
