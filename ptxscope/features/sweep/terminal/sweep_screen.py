"""The results over all values of an operand; the arrows move through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ....engine.syntax.errors import make_printable
from ....screens.dialogs.dialog import AnswerScreen, DialogFrame
from ....screens.screen_part import ScreenPart
from ....state.edit_transitions import set_value, undo
from ....state.explorer_state import ExplorerState
from ....widgets.base.explorer_app import get_explorer_app
from ..register_parts import can_sweep
from .sweep_pane import SweepPane

_EDGE_COLUMNS = 6
"""Columns of the frame's lower edge that its text cannot use."""


def format_key_help(
    moving_registers: Sequence[str], arrows: str, keys: tuple[str, str], room: int
) -> str:
    """Return the key help in at most ``room`` columns, changes and their undo first.

    ``moving_registers`` are those that the arrows change, ``keys`` those that undo and list keys.
    """
    undo, ask = keys
    registers_text = " and ".join(moving_registers)
    first_texts: tuple[tuple[str, ...], ...] = (
        (f"arrows move, and change {registers_text}", f"{undo} undoes it"),
        (f"arrows change {registers_text}", f"{undo} undoes it"),
        (f"arrows change {registers_text}", f"{undo} undo"),
        (f"arrows set {registers_text}", f"{undo} undo"),
    )
    if not moving_registers:
        first_texts = ((f"arrows {arrows}", f"{undo} undoes moves"), (f"arrows {arrows}",))
    other_texts = ("Tab x, y, result", "w words", f"{ask} keys", "^y copy", "Esc leave")
    for count in range(len(other_texts), -1, -1):
        texts = [x for x, rank in zip(other_texts, _RANKS, strict=True) if rank < count]
        for first in first_texts:
            text = " · ".join([*first, *texts])
            if len(text) <= room:
                return text
    return next(
        (first[0] for first in first_texts[1:] if len(first[0]) <= room), first_texts[-1][0]
    )


_RANKS = (3, 2, 1, 4, 0)
"""The order in which the other texts are dropped if there is little room: the highest first."""


class SweepScreen(ScreenPart, AnswerScreen[bool]):
    """A plot of the current instruction; every move in it is an edit.

    It returns whether there was one.

    It hides the screen below, which is then not drawn after each key.
    """

    BINDING_GROUP_TITLE = "Sweep"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "leave", "Leave", show=False),
        Binding("ctrl+y,y", "copy", "Copy", show=False),
        Binding("u", "take_back", "Undo", show=False, id="edit.undo"),
    ]

    def __init__(self, state: ExplorerState) -> None:
        super().__init__()
        self._state, self._first_setup = state, state.setup
        self._has_moved = False
        self._pane = SweepPane(state.trace)

    def compose(self) -> ComposeResult:
        """Yield the plot in a frame."""
        with DialogFrame(self._title, "", is_whole=True):
            yield self._pane

    def on_mount(self) -> None:
        """Focus the plot."""
        self._pane.focus()
        self._show_key_help()

    @on(SweepPane.Turned)
    def on_resize(self) -> None:
        """Show the effect of the keys that there is room for."""
        self._show_key_help()

    def _show_key_help(self) -> None:
        names = get_explorer_app(self).key_names
        frame = self.query_one(DialogFrame)
        frame.border_subtitle = format_key_help(
            tuple(map(make_printable, self._pane.moving_registers)),
            self._pane.arrows,
            (names["edit.undo"][0], names["help"][0]),
            self.size.width - _EDGE_COLUMNS,
        )

    @on(SweepPane.PointMoved)
    async def _handle_point_moved(self, event: SweepPane.PointMoved) -> None:
        setup, perform = self._state.setup, get_explorer_app(self).perform
        await perform(set_value, event.role, event.bits, coalesce=self._has_moved)
        self._has_moved |= self._state.setup != setup

    def follow_edit(self) -> None:
        """Update to the session, which the menu of keys may have changed."""
        if can_sweep(self._state.trace.block):
            self._pane.show(self._state.trace)
            self.query_one(DialogFrame).border_title = self._title
            self._show_key_help()
        else:
            self.action_leave()

    @property
    def _title(self) -> str:
        return f"All values · {self._state.trace.instruction}"

    def action_copy(self) -> None:
        """Copy the command that shows the same plot."""
        self.copy(self._pane.command, "the command for this sweep")

    async def action_take_back(self) -> None:
        """Undo the moves of this screen."""
        if self._state.setup == self._first_setup:
            self.notify("there is nothing to undo", markup=False)
        else:
            await get_explorer_app(self).perform(undo)
            self._has_moved = False

    def action_leave(self) -> None:
        """Return to the explorer, at the current point."""
        self.close_with(self._has_moved)
