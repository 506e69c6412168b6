"""A part of the main screen, created on demand, that the screen does not know."""

from __future__ import annotations


class ScreenPart:
    """A part of the main screen, the controller of a pane; it follows the screen."""

    def follow_edit(self) -> None:
        """Follow another line, other values or another model."""

    def follow_step(self) -> None:
        """Follow another step."""

    def follow_cursor(self) -> None:
        """Follow the cursor of the lanes, or another width of the screen."""

    def stop(self) -> bool:
        """Stop any thread; return whether there was one."""
        return False
