"""A kernel's run, statement by statement, for one thread at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ....engine.cancellation import IsStopped
from ....engine.syntax.errors import make_printable
from ....screens.dialogs.dialog import DialogFrame
from ..thread_memory import list_buffer_names, show_buffer
from ..thread_run import OnProgress, ThreadRun, explain_thread_run, follow_thread
from .kernel_panes import RunView
from .step_screen import EDGE_COLUMNS, StepScreen, format_keys, make_progress

if TYPE_CHECKING:
    from ..launches.run_diagnosis import RunDiagnosis

_WIDE_COLUMNS = 110
"""Columns from which the registers have room for their decimal values."""
KEYS = (
    *(("n over", 0), ("i into", 3), ("N back", 2), ("[ ] explained", 8), ("g cursor", 7)),
    *(("> < thread", 6), ("m memory", 5), ("x explain", 1), ("F5 args", 9), ("? keys", 4)),
    ("Esc leave", 0),
)
"""The texts of the keys with their ranks: the highest are left out first."""


class RunScreen(StepScreen[ThreadRun]):
    """Steps of one thread in one kernel."""

    BINDING_GROUP_TITLE = "Run"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket,alt+down", "explained(1)", "Next explained", show=False),
        Binding("left_square_bracket,alt+up", "explained(-1)", "Previous explained", show=False),
        Binding("x", "explain", "Explain", show=False),
        Binding("f5", "again", "Arguments", show=False),
    ]

    def __init__(self, run: ThreadRun) -> None:
        super().__init__(run)
        self._view = RunView(run)

    def compose(self) -> ComposeResult:
        """Yield the statements beside the values."""
        with DialogFrame("Run", "", is_whole=True):
            yield self._view

    def on_mount(self) -> None:
        """Focus the statements."""
        super().on_mount()
        self._view.kernel.focus()
        self._show(self.shown_run)

    def on_resize(self) -> None:
        """Show as many keys as there is room for."""
        self._view.values.set_class(self.size.width >= _WIDE_COLUMNS, "-wide")
        room = self.size.width - EDGE_COLUMNS
        self.query_one(DialogFrame).border_subtitle = format_keys(KEYS, room)
        self.call_after_refresh(self._view.kernel.show_cursor)

    def _show(self, run: ThreadRun, note: str = "") -> None:
        self.shown_run = run
        title = f"Run · {run.launch.kernel.name} · {run.title}"
        self.query_one(DialogFrame).border_title = make_printable(title)
        is_shown = self._buffer_name in self._list_buffers()
        self._view.show(run, note, show_buffer(run, self._buffer_name) if is_shown else None)

    @property
    def cursor_run(self) -> ThreadRun:
        """The run."""
        return self.shown_run

    def _list_buffers(self) -> Sequence[str]:
        return list_buffer_names(self.shown_run)

    def _follow_thread(self, run: ThreadRun, thread: int, on_progress: OnProgress) -> ThreadRun:
        return follow_thread(run, thread, on_progress)

    def action_explained(self, delta: int) -> None:
        """Move to the next or previous explained instruction."""
        self._show(self.shown_run.move_to_explained(delta))

    async def action_explain(self) -> None:
        """Find the changes that give the expected elements."""
        run = self.shown_run
        self._show(run, "Trying one change at each statement …")

        def ask(is_stopped: IsStopped) -> RunDiagnosis:
            return explain_thread_run(run, make_progress(is_stopped))

        def take(diagnosis: RunDiagnosis) -> None:
            self._show(self.shown_run.with_diagnosis(diagnosis))

        await self._search.start(ask, take, self._refuse)
