"""A part of the main screen that the screen does not know: it is made when somebody asks for it."""

from __future__ import annotations


class ScreenPart:
    """A part of the main screen, as a controller of a pane; it follows what the screen shows."""

    def follow_edit(self) -> None:
        """Follow another line, other values or another model."""

    def follow_step(self) -> None:
        """Follow another step, and what changes it."""

    def follow_cursor(self) -> None:
        """Follow the cursor of the lanes, or another width of the screen."""

    def stop(self) -> bool:
        """Stop what runs in a thread; return whether anything did."""
        return False
