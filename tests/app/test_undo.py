"""Undo: the listing goes with it, and what it holds is bounded."""

from __future__ import annotations

import pytest

from ptxscope.engine.syntax.parser import parse
from ptxscope.state.edits import with_line
from ptxscope.state.open_listing import open_listing
from ptxscope.state.session import MAX_UNDO_STEPS, Session
from ptxscope.state.setup import make_example, make_setup
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
    drive.screen.listings.open_text(text, name)
    await drive.pilot.pause()


async def test_undo_goes_back_to_the_listing_before() -> None:
    async with explorer() as drive:
        await _open(drive, "long.ptx", LONG)
        await drive.press(*["right_square_bracket"] * 5)
        assert drive.session.setup.line == "vadd.u32.u32.u32 x6, x5, 6;"
        await _open(drive, "short.ptx", SHORT)
        assert drive.session.setup.line == "vmin.u32.u32.u32 s, a, b;"
        shown = await drive.read_after(drive.press("u"))
        assert drive.app.is_running
        assert "long.ptx · 6 of 8" in shown
        assert drive.session.setup.line == "vadd.u32.u32.u32 x6, x5, 6;"
        assert drive.state.cursor
        assert drive.state.cursor.statement.instruction == drive.session.setup.instruction
        assert "x8" in listing(drive)
        assert "vmin" not in listing(drive)
        await drive.press(*["u"] * 5)
        assert drive.session.setup.line == "vadd.u32.u32.u32 x1, x0, 1;"
        shown = await drive.read_after(drive.press(*["ctrl+r"] * 6))
        assert "short.ptx · 1 of 2" in shown
        assert drive.session.setup.line == "vmin.u32.u32.u32 s, a, b;"
        drive.agree()


async def test_the_values_given_belong_to_their_listing() -> None:
    async with explorer() as drive:
        await _open(drive, "long.ptx", LONG)
        await drive.press("o", *"100", "enter", "escape", "right_square_bracket")
        await _open(drive, "short.ptx", SHORT)
        await drive.press("o", *"7", "enter", "escape")
        assert drive.state.cursor
        assert drive.state.cursor.listing.given == ({"a": 7},)
        await drive.press("u", "u")
        assert drive.state.cursor.listing.given == ({"x0": 100},)
        assert drive.session.trace.operands["a"] == 101  # x1 = x0 + 1
        assert "0x00000088" in listing(drive)  # 100 + 1 + … + 8 = 136, what x8 holds
        await drive.press("ctrl+r", "ctrl+r")
        assert drive.state.cursor.listing.given == ({"a": 7},)


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


async def test_a_listing_of_the_same_first_line_is_undone_too() -> None:
    async with explorer() as drive:
        await drive.paste(SHORT)
        await drive.paste(SHORT.splitlines()[0] + "\nvsub.u32.u32.u32 u, s, b;\n")
        assert "vsub" in listing(drive)
        await drive.press("u")
        assert "vsub" not in listing(drive)
        assert "vmax" in listing(drive)


async def test_at_the_end_of_a_listing_there_is_a_step_to_write_on() -> None:
    async with explorer() as drive:
        await drive.paste(SHORT)
        await drive.press("right_square_bracket", "right_square_bracket", "w")
        assert "A note on step" in await drive.text()


def test_undo_is_bounded_in_number() -> None:
    session = Session(make_example("vadd4"))
    ins = parse("vadd.u32.u32.u32 d, a, b")
    for value in range(MAX_UNDO_STEPS + 50):
        assert session.apply(make_setup(ins, {"a": value}))
    assert len(session.past) == MAX_UNDO_STEPS
    while session.undo():
        pass
    assert session.setup.values["a"] == 49
    assert len(session.future) == MAX_UNDO_STEPS
    while session.redo():
        pass
    assert session.setup.values["a"] == MAX_UNDO_STEPS + 49


def test_undo_is_bounded_in_what_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxscope.state.session.MAX_UNDO_CHARS", 2_000)
    session = Session(make_example("vadd4"))
    for size in range(100):
        session.apply(with_line(session.setup, " " * (200 + size)))
    assert 5 <= len(session.past) <= 10
    assert session.undo()


@pytest.mark.parametrize("cursors", [1, 30])
def test_undo_holds_few_listings(cursors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the cursor moved in one of them, it counts once."""
    monkeypatch.setattr("ptxscope.state.session.MAX_UNDO_CHARS", 20_000)
    session = Session(make_example("vadd4"))
    for number in range(15):
        text = f"vadd.u32.u32.u32 d{number}, a, b;\n" * 60  # 1,680 characters
        cursor = open_listing(text, "x")
        assert cursor
        for at in range(cursors):
            session.apply(cursor.move_to(0, at).make_setup(session.setup), cursor.move_to(0, at))
    moments = list(iter(lambda: session.undo() and session.cursor, False))
    assert 5 <= len({id(cursor.listing.programs) for cursor in moments if cursor}) <= 12


def test_what_was_computed_is_not_held() -> None:
    cursor = open_listing(LONG, "long")
    assert cursor
    assert cursor.rows
    assert cursor.listing.runs
    session = Session(make_example("vadd4"), cursor)
    session.apply(make_example("vsub4"))
    session.undo()
    assert session.cursor == cursor
    assert session.cursor is not None
    assert not session.cursor.listing.runs
    assert not session.cursor.listing.lists


@pytest.mark.parametrize(
    ("keys", "edit"),
    [
        (("o", "5", "enter", "escape"), "%r2 = 0x00000005"),
        (("s",), "%r2 = 0x01010101, %r3 = 0x80ff7f01"),
        (("t",), "the model ptxas"),
        (("w", *"why", "enter"), "the notes for exports"),
        (("slash", *"vadd4", "enter"), "the line `vadd4."),
        (("i", "end", "x", "y", "escape"), "the line `vset4.s32.u32.lt.add %r1, %r2, %r3, %r0;xy`"),
    ],
)  # fmt: skip
async def test_undo_and_redo_say_what_the_edit_was(keys: tuple[str, ...], edit: str) -> None:
    async with explorer() as drive:
        await drive.press(*keys)
        assert f"Took back: {edit}" in await drive.read_after(drive.press("u"))
        shown = await drive.read_after(drive.press("ctrl+r"))
        assert f"Restored: {edit}" in shown
        assert "u takes it back" in shown


async def test_undo_and_redo_say_what_happened_to_a_listing() -> None:
    async with explorer() as drive:
        assert "There is no edit to take back" in await drive.read_after(drive.press("u"))
        assert "There is no edit to restore" in await drive.read_after(drive.press("ctrl+r"))
        await _open(drive, "long.ptx", LONG)
        await drive.press("right_square_bracket", "o", "5", "enter", "escape")
        assert "Took back: x1 = 0x00000001" not in await drive.text()
        assert "Took back: " in await drive.read_after(drive.press("u"))
        assert "Took back: line 2 of `long.ptx`" in await drive.read_after(drive.press("u"))
        assert "Took back: the listing `long.ptx`" in await drive.read_after(drive.press("u"))
        assert "Restored: the listing `long.ptx`" in await drive.read_after(drive.press("ctrl+r"))
        assert "Restored: line 2 of `long.ptx`" in await drive.read_after(drive.press("ctrl+r"))


async def test_undo_says_it_in_a_small_terminal_too() -> None:
    async with explorer(size=(40, 12)) as drive:
        await drive.press("s")
        shown = " ".join((await drive.read_after(drive.press("u"))).split())
        assert "Took back" in shown
