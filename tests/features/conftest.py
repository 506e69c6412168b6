"""Tests of features wait and draw like those of the app."""

from tests.driving.app_waits import _frames, _styles, _terminal, _waits

__all__ = ["_frames", "_styles", "_terminal", "_waits"]
