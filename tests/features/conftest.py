"""Tests of features wait and draw like those of the app."""

from tests.app.conftest import _frames, _styles, _terminal, _waits

__all__ = ["_frames", "_styles", "_terminal", "_waits"]
