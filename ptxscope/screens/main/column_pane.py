"""A pane of the column beside the lanes: it follows what the screen shows, after each paint."""

from __future__ import annotations

import asyncio

from ...widgets.base.pane import Pane, StyledLine
from ...widgets.lanes.lane_layout import WIDE_SCREEN
from ..screen_part import ScreenPart
from .action_runner import ActionRunner

PAUSE = 0.03
"""Seconds after the paint of a key, in which the next one may come."""
PANE_WIDTH = 40
"""Columns of text."""


class ColumnPane(ScreenPart, Pane, can_focus=False):
    """Lines on what the screen shows now; without any, the pane takes no room.

    They are asked for once the answer to a key is painted, one question at a time. An answer that
    comes late is dropped; the last one stays until the next, unless the result is hidden now.
    """

    DEFAULT_CSS = """
    ColumnPane {
        width: 42; height: auto; margin: 0 0 1 1; overflow: hidden; display: none;
        &.-open { display: block; }
        &.-new { display: block; visibility: hidden; }
    }
    """

    def __init__(self, runner: ActionRunner, id: str, title: str) -> None:  # noqa: A002
        super().__init__(id, title)
        self.add_class("-new")
        self.state, self.view = runner.state, runner.view
        self._lines: list[StyledLine] = []
        self._shows_result = False
        self._is_asking = True
        """Whether lines are being asked for, or cannot be before the pane is mounted."""
        self.is_outdated = False
        """Whether the screen has changed since the lines were asked for."""
        self.view.column.mount(self)

    async def find_lines(self) -> list[StyledLine]:
        """Return the lines for what the screen shows now; what takes long runs in a thread."""
        raise NotImplementedError

    def draw(self, width: int) -> list[StyledLine]:  # noqa: ARG002
        """Return the lines."""
        return self._lines

    def on_mount(self) -> None:
        """Ask for the first lines."""
        self._is_asking = False
        self.follow_cursor()

    def follow_cursor(self) -> None:
        """Ask for other lines once the screen is painted."""
        if self._shows_result and self.state.is_result_hidden:
            self.show_lines([[] for _ in self._lines])
        self.is_outdated = True
        if not self._is_asking and self.screen.size.width >= WIDE_SCREEN:
            self._is_asking = True
            self.call_after_refresh(lambda: self.run_worker(self._ask()))

    follow_edit = follow_step = follow_cursor

    async def _ask(self) -> None:
        while self.is_outdated:
            self.is_outdated = False
            await asyncio.sleep(PAUSE)
            lines = None if self.is_outdated else await self.find_lines()
            if lines is not None and not self.is_outdated:
                self.show_lines(lines)
        self._is_asking = False

    def show_lines(self, lines: list[StyledLine]) -> None:
        """Show lines."""
        self._shows_result = not self.state.is_result_hidden
        self.remove_class("-new")
        if lines != self._lines:
            self._lines = lines
            self.set_class(bool(lines), "-open")
            self.redraw_lines()
