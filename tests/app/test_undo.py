"""Undo: the listing goes with it, and what it holds is bounded."""

from __future__ import annotations

from ptxscope.widgets.base.pane import Pane
from ptxscope.widgets.listing_pane import ListingPane
from tests.app.driving import Driver, explorer
from tests.tiers import sampled

pytestmark = sampled

SHORT = "vmin.u32.u32.u32 s, a, b;\nvmax.u32.u32.u32 t, s, b;\n"


def listing(drive: Driver) -> str:
    return drive.screen.query_one("#listing", Pane).read_text()


async def test_undo_of_opening_a_listing_closes_it() -> None:
    async with explorer() as drive:
        before = drive.session.setup
        await drive.paste(SHORT)
        assert isinstance(drive.focus, ListingPane)
        await drive.press("u")
        assert drive.session.setup == before
        assert drive.state.cursor is None
        assert drive.focus is None
        assert not drive.screen.query_one("#listing").display
        assert "pasted · 1 of 2" in await drive.see("ctrl+r")


async def test_undo_says_it_in_a_small_terminal_too() -> None:
    async with explorer(size=(40, 12)) as drive:
        await drive.press("@edit.swap")
        shown = " ".join((await drive.see("u")).split())
        assert "Undone" in shown
