"""Two runs of a counterexample side by side, or one above the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from ....engine.syntax.errors import make_printable
from ....screens.dialogs.dialog import DialogFrame
from ...kernels.terminal.kernel_panes import RunView
from ...kernels.terminal.step_screen import EDGE_COLUMNS, StepScreen, format_keys
from ...kernels.thread_run import OnProgress, ThreadRun
from ..run_pair import RunPair, follow_pair

_BESIDE_COLUMNS = 110
"""Columns from which the kernels stand side by side."""
_WIDE_COLUMNS = 180
"""Columns from which the values of each kernel have room beside its statements."""
_BOTH_LINES = 20
"""Lines from which one kernel has room above the other."""
KEYS = (
    *(("n over", 0), ("i into", 6), ("N back", 2), ("[ ] differences", 4)),
    *(("d first store", 1), ("m memory", 3), ("a b kernel", 7), ("g cursor", 9)),
    *(("> < thread", 8), ("F6 compare", 10), ("? keys", 5), ("Esc leave", 0)),
)
"""The texts of the keys with their ranks: the highest are left out first."""


class PairScreen(StepScreen[RunPair]):
    """Steps of one thread in two kernels."""

    DEFAULT_CSS = """
    PairScreen {
        & #runs { layout: vertical; }
        & #runs.-beside { layout: horizontal; }
    }
    """
    BINDING_GROUP_TITLE = "Two runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket,alt+down", "difference(1)", "Next difference", show=False),
        Binding("left_square_bracket,alt+up", "difference(-1)", "Previous difference", show=False),
        Binding("d", "first_difference", "First store that differs", show=False),
        Binding("a", "side(0)", "Kernel A", show=False),
        Binding("b", "side(1)", "Kernel B", show=False),
        Binding("f6", "again", "Another kernel", show=False),
    ]

    def __init__(self, pair: RunPair) -> None:
        super().__init__(pair)
        self._views = tuple(map(RunView, pair.runs))

    def compose(self) -> ComposeResult:
        """Yield both runs."""
        with DialogFrame("Two runs", "", is_whole=True), Container(id="runs"):
            yield from self._views

    def on_mount(self) -> None:
        """Focus the statements of the kernel that has the cursor."""
        super().on_mount()
        self._views[self.shown_run.side].kernel.focus()
        self._show(self.shown_run)

    def on_resize(self) -> None:
        """Place the runs, and show as many keys as there is room for."""
        columns = self.size.width
        self.query_one("#runs").set_class(columns >= _BESIDE_COLUMNS, "-beside")
        for view in self._views:
            view.set_class(_BESIDE_COLUMNS <= columns < _WIDE_COLUMNS, "-tall")
        self.query_one(DialogFrame).border_subtitle = format_keys(KEYS, columns - EDGE_COLUMNS)
        self._show_sides()
        for view in self._views:
            self.call_after_refresh(view.kernel.show_cursor)

    def on_descendant_focus(self) -> None:
        """Put the cursor into the kernel of the focus."""
        super().on_descendant_focus()
        for side, view in enumerate(self._views):
            if self.focused in (view.kernel, view.values) and side != self.shown_run.side:
                self._show(self.shown_run.with_side(side))

    def _show(self, run: RunPair, note: str = "") -> None:
        self.shown_run = run
        self.query_one(DialogFrame).border_title = make_printable(f"Two runs · {run.title}")
        for side, (view, own, buffer) in enumerate(
            zip(self._views, run.runs, run.show_buffers(self._buffer_name), strict=True)
        ):
            view.show(own, note if side == run.side else "", buffer, run.format_side(side))
        self._show_sides()

    def _show_sides(self) -> None:
        """Show both kernels, or the one with the cursor if there is no room for both."""
        columns, lines = self.size
        has_room = columns >= _BESIDE_COLUMNS or lines >= _BOTH_LINES
        for side, view in enumerate(self._views):
            view.display = has_room or side == self.shown_run.side

    @property
    def cursor_run(self) -> ThreadRun:
        """The run of the kernel that has the cursor."""
        return self.shown_run.run

    def _list_buffers(self) -> Sequence[str]:
        return self.shown_run.buffer_names

    def _follow_thread(self, run: RunPair, thread: int, on_progress: OnProgress) -> RunPair:
        return follow_pair(run, thread, on_progress)

    def action_difference(self, delta: int) -> None:
        """Move to the next or previous step that writes other values."""
        self._show(self.shown_run.move_to_difference(delta))

    def action_first_difference(self) -> None:
        """Move to the store that first leaves other bytes."""
        self._show(self.shown_run.move_to_first_difference())

    def action_side(self, side: int) -> None:
        """Focus the statements of a kernel."""
        self._views[side].display = True
        self.set_focus(self._views[side].kernel)  # before the other one is hidden
        self._show(self.shown_run.with_side(side))
