"""The base of screens that step through runs: their common keys and actions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from textual import on
from textual.binding import Binding, BindingType

from ....engine.cancellation import IsStopped, Stopped
from ....engine.syntax.errors import make_printable
from ....screens.dialogs.dialog import AnswerScreen
from ....screens.dialogs.prompts import TextPrompt
from ....screens.thread_search import ThreadSearch
from ....state.requests import AskText
from ..step_history import StatementPlace
from ..thread_run import Evaluation, OnProgress, ThreadRun, parse_thread_number
from .kernel_panes import KernelPane

EDGE_COLUMNS = 6
"""The columns of the lower edge that hold no keys."""


class RunPosition(Protocol):
    """A position in one or several runs."""

    def move_over(self) -> Self:
        """Return the position one step on."""

    def move_into(self) -> Self:
        """Return the position one step on, inside of a function that it calls."""

    def move_back(self) -> Self:
        """Return the position one step before."""

    def move_to(self, position: int) -> Self:
        """Return the position after so many steps."""

    def move_to_end(self) -> Self:
        """Return the position after the last step."""

    def move_to_cursor(self) -> Self:
        """Return the position where the thread reaches the cursor."""

    def move_cursor(self, delta: int) -> Self:
        """Return the position with the cursor moved by some statements."""

    def move_cursor_to(self, place: StatementPlace) -> Self:
        """Return the position with the cursor at a statement."""


RunT = TypeVar("RunT", bound=RunPosition)


class LeftRun(NamedTuple, Generic[RunT]):
    """A run, as it was when its screen was left."""

    run: RunT
    evaluation: Evaluation | None = None
    """An instruction to show."""
    is_again: bool = False
    """Whether the user wants other arguments, or another kernel to compare."""


class StepScreen(AnswerScreen[LeftRun[RunT]], Generic[RunT]):
    """Shows steps of one thread; returns the run as the user leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right", "move('over')", "Over", show=False),
        Binding("i", "move('into')", "Into", show=False),
        Binding("N,left", "move('back')", "Back", show=False),
        Binding("down,j", "cursor(1)", "Cursor down", show=False),
        Binding("up,k", "cursor(-1)", "Cursor up", show=False),
        Binding("pagedown", "cursor(10)", "Cursor far down", show=False),
        Binding("pageup", "cursor(-10)", "Cursor far up", show=False),
        Binding("enter", "evaluate", "Show the instruction", show=False),
        Binding("g", "move('to_cursor')", "To the cursor", show=False),
        Binding("home", "move_to(0)", "First", show=False),
        Binding("end", "move_to(-1)", "Last", show=False),
        Binding("greater_than_sign", "thread(1)", "Next thread", show=False),
        Binding("less_than_sign", "thread(-1)", "Previous thread", show=False),
        Binding("t", "ask_thread", "Choose a thread", show=False),
        Binding("m", "memory(1)", "Next buffer", show=False),
        Binding("M", "memory(-1)", "Previous buffer", show=False),
    ]

    def __init__(self, run: RunT) -> None:
        super().__init__()
        self.shown_run = run
        """The position that is shown."""
        self._search = ThreadSearch(self)
        self._buffer_name = ""
        """The buffer that is shown; empty for the registers."""

    @abstractmethod
    def _show(self, run: RunT, note: str = "") -> None:
        """Show a position; ``note`` names the computation in progress."""

    @property
    @abstractmethod
    def cursor_run(self) -> ThreadRun:
        """The run that has the cursor."""

    @abstractmethod
    def _list_buffers(self) -> Sequence[str]:
        """Return the names of the buffers."""

    @abstractmethod
    def _follow_thread(self, run: RunT, thread: int, on_progress: OnProgress) -> RunT:
        """Return the position of another thread."""

    def action_memory(self, delta: int) -> None:
        """Show the next or previous buffer; before the first and after the last, the registers."""
        names = ("", *self._list_buffers())
        index = names.index(self._buffer_name) if self._buffer_name in names else 0
        self._buffer_name = names[(index + delta) % len(names)]
        self._show(self.shown_run)

    # --- moves -----------------------------------------------------------------------------

    def action_move(self, name: str) -> None:
        """Move by a statement, or to the cursor."""
        run = self.shown_run
        moves: dict[str, Callable[[], RunT]] = {
            "over": run.move_over,
            "into": run.move_into,
            "back": run.move_back,
            "to_cursor": run.move_to_cursor,
        }
        self._show(moves[name]())

    def action_move_to(self, position: int) -> None:
        """Move to the first statement, or after the last."""
        run = self.shown_run
        self._show(run.move_to_end() if position < 0 else run.move_to(position))

    def action_cursor(self, delta: int) -> None:
        """Move the cursor."""
        self._show(self.shown_run.move_cursor(delta))

    @on(KernelPane.StatementChosen)
    def _handle_statement_chosen(self, event: KernelPane.StatementChosen) -> None:
        self._show(self.shown_run.move_cursor_to(event.place))

    # --- threads ---------------------------------------------------------------------------

    async def action_thread(self, delta: int) -> None:
        """Follow the next or previous thread."""
        run = self.cursor_run
        if run.thread_count == 1:
            self.notify("there is no other thread")
        else:
            await self._follow((run.thread + delta) % run.thread_count)

    def action_ask_thread(self) -> None:
        """Ask for the thread to follow."""
        run = self.cursor_run

        async def on_close(text: str | None) -> None:
            if text and text.strip():
                await self._follow(parse_thread_number(run, text.strip()))

        def check(text: str, _: object) -> object:
            return parse_thread_number(run, text.strip())

        request = AskText(
            "Which thread?", "thread", "", "5 or 5,0,0, in block 1: 5@1", "follow it", check
        )
        self.app.push_screen(TextPrompt(request), on_close)

    async def _follow(self, thread: int) -> None:
        run = self.shown_run
        self._show(run, "Following the thread … Esc stops")

        def ask(is_stopped: IsStopped) -> RunT:
            return self._follow_thread(run, thread, make_progress(is_stopped))

        await self._search.start(ask, self._show, self._refuse)

    def _refuse(self, error: Exception) -> None:
        self._show(self.shown_run)
        self.notify(make_printable(str(error)), markup=False, severity="warning")

    # --- ends ------------------------------------------------------------------------------

    def action_again(self) -> None:
        """Ask for other arguments, or for another kernel to compare."""
        self._close(LeftRun(self.shown_run, is_again=True))

    def action_evaluate(self) -> None:
        """Show the instruction under the cursor in the explorer, with the thread's values."""
        run = self.cursor_run
        if evaluation := run.evaluation:
            self._close(LeftRun(self.shown_run, evaluation))
        elif run.step_at_cursor:
            self.notify(f"the explorer has no steps of {run.place_text}", markup=False)
        else:
            self.notify(f"the thread never reaches {run.place_text}", markup=False)

    def action_leave(self) -> None:
        """Return to the explorer; a search ends first."""
        if self._search.is_running:
            self._search.stop()
            self._show(self.shown_run)
        else:
            self._close(LeftRun(self.shown_run))

    def _close(self, result: LeftRun[RunT]) -> None:
        self._search.stop()
        self.close_with(result)


def format_keys(keys: Sequence[tuple[str, int]], room: int) -> str:
    """Return the key help in at most ``room`` columns: each text with its rank, 0 for the last."""
    for count in range(len(keys), 0, -1):
        text = " · ".join(text for text, rank in keys if rank < count)
        if len(text) <= room:
            return text
    return keys[-1][0]


def make_progress(is_stopped: IsStopped) -> Callable[..., None]:
    """Return a function that ends a computation if nothing waits for it any more."""

    def check(*_: Any) -> None:
        if is_stopped():
            raise Stopped

    return check
