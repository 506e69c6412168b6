"""Undo: the listing goes with it, and what it holds is bounded."""

from __future__ import annotations

from ptxscope.state.listing_transitions import open_text
from ptxscope.widgets.base.pane import Pane
from ptxscope.widgets.listing_pane import ListingPane
from tests.app.driving import Driver, explorer, focused
from tests.tiers import sampled

pytestmark = sampled

LONG = "".join(f"vadd.u32.u32.u32 x{i}, x{i - 1}, {i};\n" for i in range(1, 9))
SHORT = "vmin.u32.u32.u32 s, a, b;\nvmax.u32.u32.u32 t, s, b;\n"


def listing(drive: Driver) -> str:
    return drive.screen.query_one("#listing", Pane).read_text()


async def _open(drive: Driver, name: str, text: str) -> None:
    await drive.screen.perform(open_text, text, name)
    await drive.pilot.pause()


async def test_undo_of_opening_a_listing_closes_it() -> None:
    async with explorer() as drive:
        before = drive.session.setup
        await drive.paste(SHORT)
        assert isinstance(focused(drive), ListingPane)
        await drive.press("u")
        assert drive.session.setup == before
        assert drive.state.cursor is None
        assert focused(drive) is None
        assert not drive.screen.query_one("#listing").display
        assert "pasted · 1 of 2" in await drive.read_after(drive.press("ctrl+r"))


async def test_undo_and_redo_say_what_happened_to_a_listing() -> None:
    async with explorer() as drive:
        assert "There is no edit to undo" in await drive.read_after(drive.press("u"))
        assert "There is no edit to redo" in await drive.read_after(drive.press("ctrl+r"))
        await _open(drive, "long.ptx", LONG)
        await drive.press("right_square_bracket", "o", "5", "enter", "escape")
        assert "Undone: x1 = 0x00000001" not in await drive.text()
        assert "Undone: " in await drive.read_after(drive.press("u"))
        assert "Undone: line 2 of `long.ptx`" in await drive.read_after(drive.press("u"))
        assert "Undone: the listing `long.ptx`" in await drive.read_after(drive.press("u"))
        assert "Restored: the listing `long.ptx`" in await drive.read_after(drive.press("ctrl+r"))
        shown = await drive.read_after(drive.press("ctrl+r"))
        assert "Restored: line 2 of `long.ptx` · u undoes it" in shown


async def test_undo_says_it_in_a_small_terminal_too() -> None:
    async with explorer(size=(40, 12)) as drive:
        await drive.press("@edit.swap")
        shown = " ".join((await drive.read_after(drive.press("u"))).split())
        assert "Undone" in shown
