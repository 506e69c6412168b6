"""Tests of the app wait and draw as `tests/driving/app_waits` says."""

from tests.driving.app_waits import _frames, _styles, _terminal, _waits

__all__ = ["_frames", "_styles", "_terminal", "_waits"]
