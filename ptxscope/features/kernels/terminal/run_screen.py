"""A kernel's run, statement by statement, for one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from ....engine.cancellation import IsStopped, Stopped
from ....engine.syntax.errors import make_printable
from ....screens.dialogs.dialog import AnswerScreen, DialogFrame
from ....screens.dialogs.prompts import TextPrompt
from ....screens.thread_search import ThreadSearch
from ....state.requests import AskText
from .kernel_panes import KernelPane, ValuesPane

if TYPE_CHECKING:
    from ..launches.run_diagnosis import RunDiagnosis
    from ..thread_memory import ShownBuffer
    from ..thread_run import Evaluation, ThreadRun

_WIDE_COLUMNS = 110
"""Columns from which the registers have room for their decimal values."""
_KEYS = (
    *("n over", "i into", "N back", "[ ] explained", "g cursor", "> < thread"),
    *("m memory", "x explain", "F5 args", "? keys", "Esc leave"),
)
_KEY_RANKS = (0, 3, 2, 8, 7, 6, 5, 1, 9, 4, 0)
"""The order in which the texts are kept if there is little room."""
_EDGE_COLUMNS = 6


def format_keys(room: int) -> str:
    """Return the key help in at most ``room`` columns."""
    for count in range(len(_KEYS), 0, -1):
        text = " · ".join(x for x, rank in zip(_KEYS, _KEY_RANKS, strict=True) if rank < count)
        if len(text) <= room:
            return text
    return _KEYS[-1]


class LeftRun(NamedTuple):
    """A run, as it was when its screen was left."""

    run: ThreadRun
    evaluation: Evaluation | None = None
    """An instruction to show."""
    is_again: bool = False
    """Whether the user wants other arguments."""


class RunScreen(AnswerScreen[LeftRun]):
    """Steps of one thread; it returns the run as it is left."""

    BINDING_GROUP_TITLE = "Run"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right", "move('over')", "Over", show=False),
        Binding("i", "move('into')", "Into", show=False),
        Binding("N,left", "move('back')", "Back", show=False),
        Binding("right_square_bracket,alt+down", "explained(1)", "Next explained", show=False),
        Binding("left_square_bracket,alt+up", "explained(-1)", "Previous explained", show=False),
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
        Binding("x", "explain", "Explain", show=False),
        Binding("f5", "arguments", "Arguments", show=False),
    ]

    def __init__(self, run: ThreadRun) -> None:
        super().__init__()
        self.thread_run = run
        """The run that is shown."""
        self._kernel, self._values = KernelPane(run), ValuesPane(run)
        self._search = ThreadSearch(self)
        self._buffer_name = ""
        """The buffer in the right pane; empty for the registers."""

    def compose(self) -> ComposeResult:
        """Yield the statements beside the values."""
        with DialogFrame("Run", "", is_whole=True), Horizontal():
            yield self._kernel
            yield self._values

    def on_mount(self) -> None:
        """Focus the statements."""
        super().on_mount()
        self._kernel.focus()
        self._show(self.thread_run)

    def on_resize(self) -> None:
        """Show as many keys as there is room for."""
        self._values.set_class(self.size.width >= _WIDE_COLUMNS, "-wide")
        self.query_one(DialogFrame).border_subtitle = format_keys(self.size.width - _EDGE_COLUMNS)
        self.call_after_refresh(self._kernel.show_cursor)

    def _show(self, run: ThreadRun, note: str = "") -> None:
        self.thread_run = run
        title = f"Run · {run.launch.kernel.name} · {run.title}"
        self.query_one(DialogFrame).border_title = make_printable(title)
        self._kernel.show(run)
        self._values.show(run, note, self._find_buffer())

    def _find_buffer(self) -> ShownBuffer | None:
        """Return the buffer that is shown instead of the registers; None if these are."""
        from ..thread_memory import list_buffer_names, show_buffer

        if self._buffer_name in list_buffer_names(self.thread_run):
            return show_buffer(self.thread_run, self._buffer_name)
        return None

    def action_memory(self, delta: int) -> None:
        """Show the next or previous buffer; before the first and after the last, the registers."""
        from ..thread_memory import list_buffer_names

        names = ("", *list_buffer_names(self.thread_run))
        index = names.index(self._buffer_name) if self._buffer_name in names else 0
        self._buffer_name = names[(index + delta) % len(names)]
        self._show(self.thread_run)

    # --- moves -----------------------------------------------------------------------------

    def action_move(self, name: str) -> None:
        """Move by a statement, or to the cursor."""
        run = self.thread_run
        moves: dict[str, Callable[[], ThreadRun]] = {
            "over": run.move_over,
            "into": run.move_into,
            "back": run.move_back,
            "to_cursor": run.move_to_cursor,
        }
        self._show(moves[name]())

    def action_explained(self, delta: int) -> None:
        """Move to the next or previous explained instruction."""
        self._show(self.thread_run.move_to_explained(delta))

    def action_move_to(self, position: int) -> None:
        """Move to the first statement, or after the last."""
        run = self.thread_run
        self._show(run.move_to_end() if position < 0 else run.move_to(position))

    def action_cursor(self, delta: int) -> None:
        """Move the cursor."""
        self._show(self.thread_run.move_cursor(delta))

    @on(KernelPane.StatementChosen)
    def _handle_statement_chosen(self, event: KernelPane.StatementChosen) -> None:
        self._show(self.thread_run.move_cursor_to(event.place))

    # --- threads ---------------------------------------------------------------------------

    async def action_thread(self, delta: int) -> None:
        """Follow the next or previous thread."""
        run = self.thread_run
        if run.thread_count == 1:
            self.notify("there is no other thread")
        else:
            await self._follow((run.thread + delta) % run.thread_count)

    def action_ask_thread(self) -> None:
        """Ask for the thread to follow."""
        from ..thread_run import parse_thread_number

        run = self.thread_run

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
        from ..thread_run import follow_thread

        run = self.thread_run

        self._show(run, "Following the thread … Esc stops")

        def ask(is_stopped: IsStopped) -> ThreadRun:
            return follow_thread(run, thread, _make_progress(is_stopped))

        await self._search.start(ask, self._show, self._refuse)

    # --- explanations ----------------------------------------------------------------------

    async def action_explain(self) -> None:
        """Find the changes that give the expected elements."""
        from ..thread_run import explain_thread_run

        run = self.thread_run
        self._show(run, "Trying one change at each statement …")

        def ask(is_stopped: IsStopped) -> RunDiagnosis:
            return explain_thread_run(run, _make_progress(is_stopped))

        def take(diagnosis: RunDiagnosis) -> None:
            self._show(self.thread_run.with_diagnosis(diagnosis))

        await self._search.start(ask, take, self._refuse)

    def _refuse(self, error: Exception) -> None:
        self._show(self.thread_run)
        self.notify(make_printable(str(error)), markup=False, severity="warning")

    # --- ends ------------------------------------------------------------------------------

    def action_arguments(self) -> None:
        """Ask for other arguments."""
        self._close(LeftRun(self.thread_run, is_again=True))

    def action_evaluate(self) -> None:
        """Show the instruction under the cursor in the explorer, with the thread's values."""
        run = self.thread_run
        if evaluation := run.evaluation:
            self._close(LeftRun(run, evaluation))
        elif run.step_at_cursor:
            self.notify(f"the explorer has no steps of {run.place_text}", markup=False)
        else:
            self.notify(f"the thread never reaches {run.place_text}", markup=False)

    def action_leave(self) -> None:
        """Return to the explorer; a search ends first."""
        if self._search.is_running:
            self._search.stop()
            self._show(self.thread_run)
        else:
            self._close(LeftRun(self.thread_run))

    def _close(self, result: LeftRun) -> None:
        self._search.stop()
        self.close_with(result)


def _make_progress(is_stopped: IsStopped) -> Callable[..., None]:
    """Return a function that ends a computation if nothing waits for it any more."""

    def check(*_: Any) -> None:
        if is_stopped():
            raise Stopped

    return check
