"""The line as a field, the browser, the palette, dialogs and messages, as they stand there."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.intrinsics import intrinsics

from tests.app.driving import LINE, VALUES, explorer, focused

E3 = ("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344})
MASKED = "vadd4.s32.s32.s32 d.b310, a, b, c"


# --- the line ----------------------------------------------------------------------------


async def test_enter_leaves_the_line_and_letters_act_again() -> None:
    async with explorer() as drive:
        await drive.press("i", "end", *"npq", "enter")
        assert focused(drive) is None
        assert drive.session.setup.line.endswith("npq")
        await drive.press("p")
        assert drive.session.setup.line.endswith("npq")
        assert drive.screen.step == 4


async def test_escape_leaves_the_line_too() -> None:
    async with explorer() as drive:
        await drive.press("i", "x", "escape", "p")
        assert focused(drive) is not drive.screen.query_one("#line")
        assert drive.screen.step == 4


async def test_enter_takes_a_completion_that_was_chosen_then_leaves() -> None:
    async with explorer() as drive:
        await drive.press("i", "ctrl+a", "ctrl+k")
        await drive.type("vav")
        shown = await drive.press("down")
        assert "Tab, Enter: vavrg4" in shown
        await drive.press("enter")
        assert drive.session.setup.line == "vavrg4"
        assert focused(drive) is drive.screen.query_one("#line")
        await drive.press("enter")
        assert focused(drive) is None


async def test_enter_leaves_a_completion_that_nobody_chose() -> None:
    async with explorer() as drive:
        await drive.press("i", "ctrl+a", "ctrl+k")
        await drive.type("vav")
        await drive.press("enter")
        assert drive.session.setup.line == "vav"
        assert focused(drive) is None


async def test_an_edit_of_the_line_is_one_undo_however_many_keys() -> None:
    async with explorer() as drive:
        before = drive.session.setup
        await drive.press("i", *["backspace"] * 6)
        await drive.type("%r9, %r8")
        await drive.press("enter")
        after = drive.session.setup
        assert len(drive.session.past) == 1
        await drive.press("u")
        assert drive.session.setup == before
        await drive.press("ctrl+r")
        assert drive.session.setup == after


async def test_each_visit_to_the_line_is_an_edit() -> None:
    async with explorer() as drive:
        before = drive.session.setup
        await drive.press("i", *"xyz", "enter", "i", *"uvw", "escape")
        await drive.press("u")
        assert drive.session.setup.line.endswith("xyz")
        await drive.press("u")
        assert drive.session.setup == before


async def test_what_came_to_nothing_is_no_edit() -> None:
    async with explorer() as drive:
        await drive.press("s", "i", *"xyz", *["backspace"] * 3, "enter")
        assert len(drive.session.past) == 1
        await drive.press("u")
        assert drive.session.trace.operands["a"] == VALUES["%r2"]


async def test_a_paste_into_the_line_is_an_edit_of_its_own() -> None:
    async with explorer() as drive:
        before = drive.session.setup.line
        await drive.press("i", *"xy")
        await drive.paste("pasted")
        await drive.press(*"zw", "enter")
        lines = []
        while drive.session.past:
            lines.append(drive.session.setup.line)
            await drive.press("u")
        assert lines == [f"{before}xypastedzw", f"{before}xypasted", f"{before}xy"]
        assert drive.session.setup.line == before


async def test_a_fix_within_the_line_is_an_edit_of_its_own() -> None:
    async with explorer("vadd2.s32.s32.s32 d, a, b, c", {}) as drive:
        await drive.press("i", "ctrl+a", "ctrl+k")
        await drive.type("varvg2.s32.s32.s32 d, a, b, c")
        await drive.press("f2", "end", "backspace", *"xy", "enter")
        assert drive.session.setup.line == "vavrg2.s32.s32.s32 d, a, b, xy"
        await drive.press("u")
        assert drive.session.setup.line == "vavrg2.s32.s32.s32 d, a, b, c"
        await drive.press("u")
        assert drive.session.setup.line == "varvg2.s32.s32.s32 d, a, b, c"
        await drive.press("u")
        assert drive.session.setup.line == "vadd2.s32.s32.s32 d, a, b, c;"


# --- the browser, and what it searches ----------------------------------------------------


@pytest.mark.parametrize(
    ("line", "first", "then"),
    [(LINE, "vavrg4", "vavrg2"), ("vadd2.u32.u32.u32 d, a, b, c", "vavrg2", "vavrg4")],
)
async def test_the_average_that_fits_the_lanes_at_hand_is_first(
    line: str, first: str, then: str
) -> None:
    async with explorer(line, {}) as drive:
        await drive.press("slash", *"average")
        listed = drive.pane("instructions").text().split()
        assert listed.index(first) < listed.index(then)
        await drive.press("enter")
        assert drive.session.setup.instruction.opcode == first


async def test_words_open_what_they_say() -> None:
    async with explorer("vadd.u32.u32.u32 d, a, b", {}) as drive:
        await drive.press("slash")
        await drive.type("average four bytes")
        await drive.press("enter")
        assert drive.session.setup.instruction.opcode == "vavrg4"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (250, 70)])
async def test_no_word_in_the_browser_is_cut(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await drive.press("slash")
        for query in ("", "clamp", "absolute difference", "vabsdiff"):
            await drive.press("ctrl+a", "ctrl+k")
            await drive.type(query)
            pane = drive.pane("instructions")
            width = pane.scrollable_content_region.width
            assert width >= 28
            assert all(len(line) <= width for line in pane.text().splitlines())
            said = " ".join(pane.text().split())
            for name in pane.matches():  # type: ignore[attr-defined]
                entry, found = CATALOG.get(name), intrinsics().get(name)
                about = [entry.summary, entry.brief] if entry else []
                about += [f"{x} {found.ptx.partition(' ')[0]}" for x in "=≈"] if found else []
                assert any(f"{name} {x}" in said for x in about)
