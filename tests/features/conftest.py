"""Tests of features wait and draw like the app's tests."""

from tests.driving.app_waits import _frames, _styles, _terminal, _waits

__all__ = ["_frames", "_styles", "_terminal", "_waits"]
