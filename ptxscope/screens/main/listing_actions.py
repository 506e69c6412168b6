"""An open listing on the main screen: its pane, opening, expected values, checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...engine.records import replace
from ...engine.syntax.errors import PtxError, make_printable
from ...engine.syntax.parser import parse
from ...state.setup import make_setup
from .screen_mixin import MainScreenMixin

if TYPE_CHECKING:
    from ...engine.listings.lint import CheckedInstruction
    from ...state.open_listing import ListingCursor
    from ...widgets.listing_pane import ListingPane


class ListingActions(MainScreenMixin):
    """The main screen's actions on listings."""

    @property
    def listing_cursor(self) -> ListingCursor | None:
        """The cursor in the open listing."""
        return self.main_screen.session.cursor

    def follow_listing(self) -> None:
        """Run the listing on the current values and show what it computes from them."""
        if self.listing_cursor is not None:
            cursor = self.listing_cursor.rerun_on(self.main_screen.session.setup)
            self.main_screen.session.amend(
                cursor.update_setup(self.main_screen.session.setup), cursor
            )
            self.get_listing_pane().show(cursor)

    def hide_listing_results(self) -> None:
        """Hide the list's result of a statement whose result is hidden beside it."""
        if self.listing_cursor is not None:
            self.get_listing_pane().hide_results(is_hidden=self.main_screen.is_result_hidden)

    def get_listing_pane(self) -> ListingPane:
        """Return the list of the listing's statements, created on first use."""
        from ...widgets.listing_pane import ListingPane

        if not self.main_screen.query(ListingPane):
            self.main_screen.query_one("#side").mount(ListingPane(), before="#modifiers")
        return self.main_screen.query_one(ListingPane)

    def open_listing(self, text: str, name: str) -> None:
        """Open a text as a listing, at its first instruction."""
        from ...state.open_listing import open_listing

        cursor = open_listing(text, name, self.main_screen.session.setup.model)
        if cursor is None:
            self.main_screen.notify(
                make_printable(name), title="None of the 27 is in it", markup=False
            )
            return
        self.open_cursor(cursor)

    def open_cursor(self, cursor: ListingCursor, *, is_first: bool = False) -> None:
        """Open a listing beside the trace; with ``is_first``, undo ends there."""
        self.go_to(cursor)
        if is_first:
            self.main_screen.session.past.clear()
        self.main_screen.action_focus_on("listing")

    def go_to(self, cursor: ListingCursor) -> None:
        """Show a listing, and the evaluation of the statement under its cursor."""
        self.main_screen.query_one("#side").add_class("-listing")
        setup = cursor.make_setup(self.main_screen.session.setup)
        self.main_screen.add_recent(setup.instruction.opcode)
        self.main_screen.pause_playing()
        self.main_screen.step = 99
        self.main_screen.edit(setup, cursor)

    def on_listing_pane_statement_chosen(self, event: ListingPane.StatementChosen) -> None:
        """Show the statement under the list's cursor."""
        self.go_to(event.to)

    def on_listing_pane_focus_released(self) -> None:
        """Return the focus from the list."""
        self.main_screen.action_leave()

    def action_statement(self, delta: int) -> None:
        """Go to another instruction of the listing."""
        if self.listing_cursor is not None:
            self.go_to(self.listing_cursor.move_by(delta))

    def action_open_file(self, name: str = "") -> None:
        """Open a listing, or a source with inline assembly."""
        from ..dialogs.text_prompt import TextPrompt

        def on_close(name: str | None) -> None:
            if name and name.strip():
                self._open_file(name.strip())

        prompt = TextPrompt(
            "Open a listing", "file", name, "a .ptx, .cu, .c or .py file", "open it", "listing"
        )
        self.main_screen.app.push_screen(prompt, on_close)

    def _open_file(self, name: str) -> None:
        from ...state.open_listing import read_listing

        try:
            self.open_listing(read_listing(name), Path(name).name)
        except ValueError as error:
            self.main_screen.notify(
                make_printable(str(error)), title="Not opened", markup=False, severity="error"
            )
            self.action_open_file(name)

    def action_expect(self, text: str = "") -> None:
        """Ask for a register's observed value at the end, and go to the cause of a difference."""
        from ...state.open_listing import is_explained
        from ..dialogs.text_prompt import TextPrompt

        if self.listing_cursor is None:
            self.main_screen.show_hint(
                f"No listing is open · {self.main_screen.key('listing.open')} opens "
                "one, or paste it"
            )
            return

        def on_close(text: str | None) -> None:
            if text and text.strip() and self.listing_cursor is not None:
                try:
                    cursor, message = self.listing_cursor.find_culprit(text)
                except PtxError as error:
                    self.main_screen.notify(
                        make_printable(error.message), markup=False, severity="error"
                    )
                    self.action_expect(text)
                    return
                if cursor is not self.listing_cursor and is_explained(cursor.statement):
                    self.go_to(cursor)
                self.main_screen.notify_user("Observed", make_printable(message))

        title_, hint = "What did a register hold at the end?", "%r7=0x7f, %r7=0x??01??00"
        does = "find what wrote it"
        self.main_screen.app.push_screen(
            TextPrompt(title_, "observed", text, hint, does, "listing"), on_close
        )

    def action_check(self) -> None:
        """Show errors in the listing or the line, and the errata that can change a result."""
        from ..dialogs.check_dialog import CheckDialog, check_listing_text

        text, name = self.main_screen.session.setup.line, "the line"
        if self.listing_cursor is not None:
            text, name = self.listing_cursor.listing.text, self.listing_cursor.listing.name

        def chosen(instruction: CheckedInstruction | None) -> None:
            if instruction is not None:
                self._open_checked(instruction)

        self.main_screen.app.push_screen(CheckDialog(*check_listing_text(text, name)), chosen)

    def _open_checked(self, instruction: CheckedInstruction) -> None:
        """Show a checked instruction, on operands that show the erratum."""
        if self.listing_cursor is not None:
            cursor = self.listing_cursor.move_to_line(instruction.place.line, instruction.ptx)
            if cursor is None:
                self.main_screen.notify(
                    instruction.ptx, title="It is not in the list", markup=False
                )
                return
            self.go_to(cursor)
        if instruction.example is not None:
            example = make_setup(parse(instruction.ptx), instruction.example.values, "isa")
            place = self.main_screen.session.setup.place
            self.main_screen.edit(replace(example, place=place, is_detached=True))
