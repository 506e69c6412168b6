"""An open listing in the explorer: its list, what is opened, expected and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...engine.records import replace
from ...engine.syntax.errors import PtxError, printable
from ...engine.syntax.parser import parse
from ...state import session as edits
from .screen_mixin import Part

if TYPE_CHECKING:
    from ...engine.listings.lint import Checked
    from ...state.open_listing import ListingCursor
    from ...widgets.listing_pane import Listing


class Listings(Part):
    """What the main screen does with a listing."""

    @property
    def listing_cursor(self) -> ListingCursor | None:
        """The cursor in the listing that is open."""
        return self._main.session.cursor

    def follow_listing(self) -> None:
        """Run the listing on the values that are shown, and show what it computes from them."""
        if self.listing_cursor is not None:
            cursor = self.listing_cursor.following(self._main.session.setup)
            self._main.session.amend(cursor.current(self._main.session.setup), cursor)
            self.listing().show(cursor)

    def veil_listing(self) -> None:
        """The list tells no result that is held back beside it."""
        if self.listing_cursor is not None:
            self.listing().veil(veiled=self._main.is_held_back)

    def listing(self) -> Listing:
        """The list of an open listing's statements, made when there first is one."""
        from ...widgets.listing_pane import Listing

        if not self._main.query(Listing):
            self._main.query_one("#side").mount(Listing(), before="#modifiers")
        return self._main.query_one(Listing)

    def open_listing(self, text: str, name: str) -> None:
        """Open a text as a listing, at its first instruction."""
        from ...state.open_listing import opened_listing

        found = opened_listing(text, name, self._main.session.setup.model)
        if found is None:
            self._main.notify(printable(name), title="None of the 27 is in it", markup=False)
            return
        self.open_at(found)

    def open_at(self, cursor: ListingCursor, *, first: bool = False) -> None:
        """Open a listing beside the trace; where it is the first thing, undo ends there."""
        self.go_to(cursor)
        if first:
            self._main.session.past.clear()
        self._main.action_focus_on("listing")

    def go_to(self, cursor: ListingCursor) -> None:
        """Show a listing, and the evaluation of the statement under its cursor."""
        self._main.query_one("#side").add_class("-listing")
        setup = cursor.setup(self._main.session.setup)
        self._main.used(setup.instruction.opcode)
        self._main.pause()
        self._main.step = 99
        self._main.edit(setup, cursor)

    def on_listing_moved(self, event: Listing.Moved) -> None:
        """Show the statement that the cursor of the list came to."""
        self.go_to(event.to)

    def on_listing_left(self) -> None:
        """The statement is found."""
        self._main.action_leave()

    def action_statement(self, by: int) -> None:
        """Go to another instruction of the listing."""
        if self.listing_cursor is not None:
            self.go_to(self.listing_cursor.moved(by))

    def action_open_file(self, name: str = "") -> None:
        """Open a listing, or a source with inline assembly."""
        from ..dialogs.text_prompt import AskScreen

        def named(name: str | None) -> None:
            if name and name.strip():
                self._open_file(name.strip())

        asked = AskScreen(
            "Open a listing", "file", name, "a .ptx, .cu, .c or .py file", "open it", "listing"
        )
        self._main.app.push_screen(asked, named)

    def _open_file(self, name: str) -> None:
        from ...state.open_listing import read_listing

        try:
            self.open_listing(read_listing(name), Path(name).name)
        except ValueError as error:
            self._main.notify(
                printable(str(error)), title="Not opened", markup=False, severity="error"
            )
            self.action_open_file(name)

    def action_expect(self, text: str = "") -> None:
        """Ask what a register was seen to hold at the end, and go to what wrote it otherwise."""
        from ...state.open_listing import is_explained
        from ..dialogs.text_prompt import AskScreen

        if self.listing_cursor is None:
            self._main.say(
                f"There is no listing · {self._main.key('listing.open')} opens one, or paste it"
            )
            return

        def asked(text: str | None) -> None:
            if text and text.strip() and self.listing_cursor is not None:
                try:
                    there, said = self.listing_cursor.blamed(text)
                except PtxError as error:
                    self._main.notify(printable(error.message), markup=False, severity="error")
                    self.action_expect(text)
                    return
                if there is not self.listing_cursor and is_explained(there.statement):
                    self.go_to(there)
                self._main.tell("Observed", printable(said))

        title_, hint = "What did a register hold at the end?", "%r7=0x7f, %r7=0x??01??00"
        does = "find what wrote it"
        self._main.app.push_screen(
            AskScreen(title_, "observed", text, hint, does, "listing"), asked
        )

    def action_check(self) -> None:
        """Say what is wrong in the listing, or with the line, and where an erratum can bite."""
        from ..dialogs.check_dialog import CheckScreen, diagnostics

        text, name = self._main.session.setup.line, "the line"
        if self.listing_cursor is not None:
            text, name = self.listing_cursor.listing.text, self.listing_cursor.listing.name

        def chosen(found: Checked | None) -> None:
            if found is not None:
                self._open_checked(found)

        self._main.app.push_screen(CheckScreen(*diagnostics(text, name)), chosen)

    def _open_checked(self, found: Checked) -> None:
        """Show what was checked, on the operands that show an erratum."""
        if self.listing_cursor is not None:
            there = self.listing_cursor.at_line(found.place.line, found.ptx)
            if there is None:
                self._main.notify(found.ptx, title="It is not in the list", markup=False)
                return
            self.go_to(there)
        if found.example is not None:
            example = edits.opened(parse(found.ptx), found.example.values, "isa")
            place = self._main.session.setup.place
            self._main.edit(replace(example, place=place, apart=True))
