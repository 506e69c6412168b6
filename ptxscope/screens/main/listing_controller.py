"""An open listing on the main screen: opening, moving, expected values, checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual.notifications import SeverityLevel

from ...engine.listings.asm_bindings import parse_pasted
from ...engine.syntax.errors import PtxError, make_printable
from ...engine.syntax.parser import parse, scan
from ...state.edits import with_line
from ...state.explorer_state import ExplorerState
from ...state.setup import OperandOrigin, make_setup
from ...state.typed_statements import describe_opening
from .edit_controller import EditController
from .explorer_view import ExplorerView
from .focus_controller import FocusController

if TYPE_CHECKING:
    from ...engine.launches.device_code import DeviceCode, Function
    from ...engine.listings.diagnostic import CheckedInstruction
    from ...state.open_listing import ListingCursor
    from ...state.thread_run import Evaluation, ThreadRun


class ListingController:
    """Opens listings, and shows the statements under their cursors."""

    def __init__(
        self,
        state: ExplorerState,
        view: ExplorerView,
        focus: FocusController,
        edits: EditController,
    ) -> None:
        self._state, self._view, self._focus, self._edits = state, view, focus, edits
        self._launch_texts: dict[str, str] = {}
        """The arguments of the last run of each kernel, as typed."""
        self._left_run: ThreadRun | None = None
        """The run that was shown last, where it was left."""

    # --- opening -----------------------------------------------------------------------

    def paste_text(self, text: str) -> None:
        """Open a pasted instruction, or several as a listing, or report what is wrong."""
        from ...engine.blocks.block_parser import MAX_STATEMENTS, find_block
        from ...state.open_listing import MAX_CHARS

        if len(text) > MAX_CHARS:
            problem = (
                f"more than {MAX_CHARS:,} characters; `ptxscope check` reads a file of any length"
            )
            self._notify(problem, "Not pasted", severity="warning")
            return
        text = text.replace("\r\n", "\n").replace("\r", "\n")  # as terminals pass lines on
        statements = list(scan(text))
        block, is_listing = None, len(statements) > 1
        if len(statements) <= MAX_STATEMENTS:
            try:
                block = find_block(text)
            except PtxError:  # another statement writes registers
                is_listing = True
        if block is not None:
            from ...state.open_listing import open_block

            self.open_cursor(open_block(block, self._state.setup.model))
            return
        if is_listing and any(item.instruction for item in statements):
            self.open_text(text, "pasted")
            return
        try:
            self._edits.open_instruction(parse_pasted(text))
        except PtxError:
            line = " ".join(make_printable(text).split())
            self._edits.edit(with_line(self._state.setup, line))
            self._focus.move_to("line")

    def open_typed_text(self, text: str) -> None:
        """Open a typed line that is more than one instruction as if it were pasted."""
        setup = self._state.setup
        if text == setup.line and describe_opening(setup):
            self.paste_text(text)

    def open_text(self, text: str, name: str) -> None:
        """Open a text as a listing, at its first instruction."""
        from ...state.open_listing import open_listing

        cursor = open_listing(text, name, self._state.setup.model)
        if cursor is None:
            self._notify(name, "It has no instruction that ptxscope explains")
            return
        self.open_cursor(cursor)

    def open_cursor(self, cursor: ListingCursor, *, is_first: bool = False) -> None:
        """Open a listing beside the trace; with ``is_first``, undo ends there.

        A block begins at the first step of its first statement, and the keys for steps go on
        through all of them.
        """
        self.go_to(cursor)
        if cursor.listing.block is not None:
            self._state.go_to_step(1)
            self._view.show_step()
        if is_first:
            self._state.session.undo_history.clear()
        self._focus.move_to("listing")
        self._view.show_keys()  # of another listing that had the focus

    def ask_file(self, name: str = "") -> None:
        """Ask for a listing, or a source with inline assembly, and open it."""
        from ..dialogs.text_prompt import TextPrompt

        def on_close(name: str | None) -> None:
            if name and name.strip():
                self.open_file(name.strip())

        prompt = TextPrompt(
            "Open a listing", "file", name, "a .ptx, .cu, .c or .py file", "open it", "listing"
        )
        self._view.screen.app.push_screen(prompt, on_close)

    def open_file(self, name: str) -> None:
        """Open a file as a listing, or report the problem and ask again."""
        from ...state.open_listing import read_listing

        try:
            self.open_text(read_listing(name), Path(name).name)
        except ValueError as error:
            self._notify(str(error), "Not opened", severity="error")
            self.ask_file(name)

    def _notify(
        self, text: str, title: str = "", *, severity: SeverityLevel = "information"
    ) -> None:
        self._view.screen.notify(make_printable(text), title=title, markup=False, severity=severity)

    # --- moving ------------------------------------------------------------------------

    def focus(self) -> None:
        """Focus the listing, or ask for one if none is open."""
        if self._state.cursor is not None:
            self._focus.move_to("listing")
        else:
            self._focus.end_typing()
            self.ask_file()

    def go_to(self, cursor: ListingCursor) -> None:
        """Show a listing, and the evaluation of the statement under its cursor."""
        self._view.show_listing(is_visible=True)
        self._edits.show_edit(self._state.show_statement(cursor))

    def move_by(self, delta: int) -> None:
        """Go to another instruction of the listing."""
        if self._state.cursor is not None:
            self.go_to(self._state.cursor.move_by(delta))

    # --- questions ---------------------------------------------------------------------

    def ask_observation(self, text: str = "") -> None:
        """Ask for a register's observed value at the end, and go to the cause of a difference."""
        from ...state.open_listing import is_explained
        from ..dialogs.text_prompt import TextPrompt

        if self._state.cursor is None:
            key = self._view.get_key("listing.open")
            self._view.show_hint(f"No listing is open · {key} opens one, or paste it")
            return

        def on_close(text: str | None) -> None:
            before = self._state.cursor
            if not text or not text.strip() or before is None:
                return
            try:
                cursor, message = before.find_culprit(text)
            except PtxError as error:
                self._notify(error.message, severity="error")
                self.ask_observation(text)
                return
            if cursor is not before and is_explained(cursor.statement):
                self.go_to(cursor)
            self._view.notify_user("Observed", make_printable(message))

        title, hint = "What did a register hold at the end?", "%r7=0x7f, %r7=0x??01??00"
        prompt = TextPrompt(title, "observed", text, hint, "find what wrote it", "listing")
        self._view.screen.app.push_screen(prompt, on_close)

    def run_kernel(self) -> None:
        """Return to the run of the listing's kernel, or ask for its arguments."""
        cursor, state = self._state.cursor, self._state
        if cursor is None:
            key = self._view.get_key("listing.open")
            self._view.show_hint(f"No listing is open · {key} opens one, or paste it")
            return
        from ...state.launch_request import load_kernel

        listing = cursor.listing
        try:
            program = listing.programs[cursor.program].name
            code, kernel = load_kernel(listing.text, listing.name, program)
        except ValueError as error:
            self._notify(str(error), "Not run", severity="warning")
            return
        run = self._left_run
        if run and run.launch.is_of(code, kernel, state.setup.model):
            self._show_run(run)
        else:
            self._ask_launch(code, kernel)

    def _ask_launch(self, code: DeviceCode, kernel: Function) -> None:
        """Ask for the arguments of a kernel, and run it thread by thread."""
        from ...state.launch_request import parse_launch, suggest_launch
        from ...state.thread_run import run_thread
        from ..dialogs.text_prompt import TextPrompt

        runs: list[ThreadRun] = []

        model = self._state.setup.model

        def check(text: str, on_progress: Callable[..., None]) -> None:
            launch = parse_launch(code, kernel, text, model)
            runs[:] = [run_thread(launch, on_progress=on_progress)]

        def on_close(text: str | None) -> None:
            self._launch_texts[kernel.name] = prompt.text.strip()
            if text and text.strip() and runs:
                self._show_run(runs[0])

        suggestion = suggest_launch(code, kernel)
        text = self._launch_texts.get(kernel.name) or suggestion
        hint = "--block 64 a=@a.npy b=zeros:u32:64 n=64 --expect b=@expected.npy"
        title = f"Run {make_printable(kernel.name)}"
        prompt = TextPrompt(
            *(title, "arguments", text, hint, "run it", "run", check),
            is_suggestion=text == suggestion,
        )
        self._view.screen.app.push_screen(prompt, on_close)

    def _show_run(self, run: ThreadRun) -> None:
        """Show a run; it stays where it is left."""
        from ..run_screen import RunScreen

        screen = RunScreen(run)

        def on_leave(result: RunScreen | Evaluation | None) -> None:
            self._left_run = screen.thread_run
            if isinstance(result, RunScreen):
                self._ask_launch(run.launch.code, run.launch.kernel)
                return
            if result is not None:
                self._open_evaluation(result)
            key = self._view.get_key("listing.run")
            self._view.show_hint(f"{key} returns to the run", is_sticky=True)

        self._view.screen.app.push_screen(screen, on_leave)

    def _open_evaluation(self, evaluation: Evaluation) -> None:
        """Show an instruction on the values that a thread has."""
        ins = evaluation.instruction
        cursor = self._state.cursor and self._state.cursor.move_to_line(evaluation.line, str(ins))
        if cursor:
            self.go_to(cursor)
        setup = make_setup(ins, evaluation.values, self._state.setup.model)
        origin = OperandOrigin(evaluation.origin, setup.values)
        self._edits.edit(
            replace(setup, place=self._state.setup.place, is_detached=True, origin=origin)
        )
        self._focus.leave()

    def check(self) -> None:
        """Show errors in the listing or the line, and the errata that can change a result."""
        from ..dialogs.check_dialog import CheckDialog, check_listing_text

        text, name, cursor = self._state.setup.line, "the line", self._state.cursor
        if cursor is not None:
            text, name = cursor.listing.text, cursor.listing.name

        def on_close(instruction: CheckedInstruction | None) -> None:
            if instruction is not None:
                self._open_checked(instruction)

        self._view.screen.app.push_screen(CheckDialog(*check_listing_text(text, name)), on_close)

    def _open_checked(self, instruction: CheckedInstruction) -> None:
        """Show a checked instruction, on operands that show the erratum."""
        if self._state.cursor is not None:
            cursor = self._state.cursor.move_to_line(instruction.location.line, instruction.ptx)
            if cursor is None:
                self._notify(instruction.ptx, "It is not in the list")
                return
            self.go_to(cursor)
        if instruction.example is not None:
            example = make_setup(parse(instruction.ptx), instruction.example.values, "isa")
            self._edits.edit(replace(example, place=self._state.setup.place, is_detached=True))
