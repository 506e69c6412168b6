"""Panes of the column beside the lanes, which follow the screen after each paint."""

from __future__ import annotations

import asyncio

from ...widgets.base.pane import Pane, StyledLine
from ...widgets.lanes.lane_layout import WIDE_SCREEN
from ..screen_part import ScreenPart
from .action_runner import ActionRunner

PAUSE = 0.03
"""Seconds to wait for the next key after a key's paint."""
PANE_WIDTH = 40
"""Columns of text."""


class ColumnPane(ScreenPart, Pane, can_focus=False):
    """Lines on the current step and cursor; an empty pane takes no room.

    It finds new lines after the paint of a key, one request at a time, and discards late ones. The
    old lines remain until then, unless they show a hidden result.
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
        self._is_finding = True
        """Whether lines are being found, or the pane is not mounted yet."""
        self.is_outdated = False
        """Whether the screen has changed since the lines were requested."""
        self.view.column.mount(self)

    async def find_lines(self) -> list[StyledLine]:
        """Return the lines for the current screen; run long computations in a thread."""
        raise NotImplementedError

    def draw(self, width: int) -> list[StyledLine]:  # noqa: ARG002
        """Return the lines."""
        return self._lines

    def on_mount(self) -> None:
        """Find the first lines."""
        self._is_finding = False
        self.follow_cursor()

    def follow_cursor(self) -> None:
        """Find new lines once the screen is painted."""
        if self._shows_result and self.state.is_result_hidden:
            self.show_lines([[] for _ in self._lines])
        self.is_outdated = True
        if not self._is_finding and self.screen.size.width >= WIDE_SCREEN:
            self._is_finding = True
            self.call_after_refresh(lambda: self.run_worker(self._find()))

    follow_edit = follow_step = follow_cursor

    async def _find(self) -> None:
        while self.is_outdated:
            self.is_outdated = False
            await asyncio.sleep(PAUSE)
            lines = None if self.is_outdated else await self.find_lines()
            if lines is not None and not self.is_outdated:
                self.show_lines(lines)
        self._is_finding = False

    def show_lines(self, lines: list[StyledLine]) -> None:
        """Show lines."""
        self._shows_result = not self.state.is_result_hidden
        self.remove_class("-new")
        if lines != self._lines:
            self._lines = lines
            self.set_class(bool(lines), "-open")
            self.redraw_lines()
