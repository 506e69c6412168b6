"""The progress in each lesson, saved between runs."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ...state.state_store import StateStore
from .lesson_position import LessonProgress, progress_from_json, progress_to_json

_FILE = "lessons.json"


def load_progress(store: StateStore) -> Mapping[str, LessonProgress]:
    """Return the saved progress in each lesson, by name."""
    return store.load_file(store.folder / _FILE, progress_from_json) or {}


def save_progress(store: StateStore, name: str, progress: LessonProgress) -> None:
    """Save the progress in a lesson, and keep that in others, which processes saved meanwhile.

    Raise OSError if it cannot be written.
    """
    places = load_progress(store)
    if saved := places.get(name):
        progress = progress._replace(done=progress.done or saved.done).add_known(saved.known)
    text = json.dumps(progress_to_json({**places, name: progress}), indent=1)
    store.save_file(store.folder / _FILE, text)
