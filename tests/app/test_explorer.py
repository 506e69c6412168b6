"""The explorer through its keys: what is on the screen is what the engine says."""

from __future__ import annotations

import re

import pytest

from tests.app.driving import LINE, VALUES, explorer
from tests.tiers import some


@pytest.mark.parametrize("size", some([(80, 24), (120, 40), (200, 60)]))
async def test_a_pasted_line_shows_its_lanes_and_result(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        shown = await drive.text()
        assert "%r1 = 0x00000007" in shown
        packed = re.sub("[ ▐▌]", "", shown)
        assert re.search("(ff80|1111111110000000)=-128", packed)  # the widest draws bits
        for said in ("-128<1✓1", "127<1✗0"):
            assert said in packed
        assert re.search(r"5 \+ 1 = 6|5 ━+⊕ 6", shown)
        assert "Step 5 of 5" in shown


async def test_steps_are_revealed_one_by_one() -> None:
    async with explorer() as drive:
        shown = await drive.see("home")
        assert "▸1 select" in shown
        assert "-128 < 1" not in shown
        assert "0x00000007" not in shown
        shown = await drive.see("n", "n")
        assert "▸3 compare" in shown
        assert "-1 < 1 ✓ 1" in shown
        assert "⊕ 6" not in shown
        assert "▸2 extend" in await drive.see("N")
        assert "▸3 compare" in await drive.see("right")
        assert "▸2 extend" in await drive.see("left")
        assert "▸5 write" in await drive.see("end")
        assert "▸5 write" in await drive.see("home", "a")


async def test_typing_in_the_line_moves_form_and_result() -> None:
    async with explorer() as drive:
        await drive.press("i", "home", *["right"] * len("vset4.s32.u32."), "delete", "delete")
        shown = await drive.read_after(drive.type("ge"))
        assert drive.line == LINE.replace(".lt", ".ge") + ";"
        assert "[ge]" in shown
        assert "%r1 = 0x00000007" in shown
        assert drive.result == {"%r1": 5 + 2}
        assert "127 >= 1 ✓ 1" in shown


async def test_the_form_moves_the_line_and_refuses_what_is_illegal() -> None:
    values = {"a": 0x80FF7F01, "b": 0x01FF0180, "c": 0x11223344}
    async with explorer("vadd4.s32.s32.u32.sat d, a, b, c", values) as drive:
        shown = await drive.see("m", *["down"] * 4, "right")
        assert "× `.sat` and `.add` exclude" in shown
        await drive.press("enter")
        assert drive.line == "vadd4.s32.s32.u32.sat d, a, b, c;"
        await drive.press("up", "left", "enter")
        assert drive.line == "vadd4.s32.s32.u32 d, a, b, c;"
        await drive.press("down", "right", "enter")
        assert drive.line == "vadd4.s32.s32.u32.add d, a, b, c;"


async def test_selectors_and_masks_are_edited_lane_by_lane() -> None:
    async with explorer() as drive:
        await drive.press("m", *["down"] * 4, "right", "right", "enter")
        assert drive.form.mask is not None
        assert ".b310," in drive.line.replace("%r1.b310", ".b310")
        await drive.press("down", "right", "7")
        assert "%r2.b7210" in drive.line
        await drive.press("plus")
        assert "%r2.b7310" in drive.line


async def test_undo_and_redo() -> None:
    async with explorer() as drive:
        before = drive.session.setup
        await drive.press("@edit.swap", "r")
        assert drive.session.setup.values != before.values
        await drive.press("u", "u")
        assert drive.session.setup == before
        await drive.press("ctrl+r")
        assert drive.operands["a"] == VALUES["%r3"]


async def test_resizing_keeps_everything() -> None:
    async with explorer() as drive:
        await drive.press("N", "N")
        for size in ((60, 20), (200, 60), (80, 24), (40, 12), (120, 40)):
            await drive.pilot.resize_terminal(*size)
        shown = await drive.text()
        assert "▸3 compare" in shown
        assert "%r1 = 0x00000007" in await drive.see("d")


async def test_the_scrollbar_of_the_first_screen_stands_where_the_list_does() -> None:
    async with explorer("vset4.s32.u32.lt.add d, a, b, c", {}, size=(120, 40)) as drive:
        await drive.text()
        list_ = drive.pane("instructions")
        assert list_.scroll_y > 0
        assert list_.vertical_scrollbar.position == list_.scroll_y
