"""All values of an operand, and what comes of them; the arrows move through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ..engine.tracing.trace import Trace
from ..widgets.inks import InkScreen
from ..widgets.sweep_pane import SweepPane
from ..widgets.sweep_pane import can_sweep as can_sweep
from .aside import MessagesAside
from .dialog import Frame


class SweepScreen(MessagesAside, InkScreen[None]):
    """A plot of the current instruction; what moves in it is edited at once.

    It hides what is below, which needs not be drawn at each key.
    """

    DEFAULT_CSS = """
    SweepScreen > Frame {
        width: 100%; max-width: 100%;
        &.-page { height: 100%; max-height: 100%; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,v", "leave", "Leave", show=False),
        Binding("ctrl+y,y", "copy", "Copy", show=False),
    ]

    def __init__(self, trace: Callable[[], Trace], move: Callable[[str, int], None]) -> None:
        super().__init__()
        self._trace, self._move = trace, move
        self._pane = SweepPane(trace())

    def compose(self) -> ComposeResult:
        """The plot in a frame."""
        keys = "arrows move · Tab x, y, result · w words · ^y copy · Esc leave"
        with Frame(self._title, keys, page=True):
            yield self._pane

    def on_mount(self) -> None:
        """The arrows are the plot's."""
        self._pane.focus()

    @on(SweepPane.Moved)
    def _moved(self, event: SweepPane.Moved) -> None:
        self._move(event.role, event.bits)

    def follow(self) -> None:
        """Show the session as it is now; by the palette it may be of another instruction."""
        if can_sweep(self._trace().instruction):
            self._pane.show(self._trace())
            self.query_one(Frame).border_title = self._title
        else:
            self.action_leave()

    @property
    def _title(self) -> str:
        return f"All values · {self._trace().instruction}"

    def action_copy(self) -> None:
        """Copy the command that shows the same."""
        self.app.copy_to_clipboard(self._pane.command)
        self.notify("the command for this sweep", title="Copied", markup=False)

    def action_leave(self) -> None:
        """Back to the explorer, at the current point."""
        if self.is_current:  # a second key may have been on its way
            self.dismiss(None)
