"""The explorer through its keys: what is on the screen is what the engine says."""

from __future__ import annotations

import re

import pytest

from tests.app.driving import LINE, VALUES, explorer
from tests.tiers import some


@pytest.mark.parametrize("size", some([(80, 24), (120, 40), (200, 60)]))
async def test_a_line_shows_its_lanes_and_result(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        shown = await drive.text()
        assert "%r1 = 0x00000007" in shown
        packed = re.sub("[ ▐▌]", "", shown)
        assert re.search("(ff80|1111111110000000)=-128", packed)  # the widest draws bits
        for said in ("-128<1✓1", "127<1✗0"):
            assert said in packed
        assert re.search(r"5 \+ 1 = 6|5 ━+⊕ 6", shown)
        assert "Step 5 of 5" in shown
        assert f"PTX ISA {drive.session.setup.instruction.entry.section}" in shown


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
        for keys, step in (
            *(("N", "2 extend"), ("right", "3 compare"), ("left", "2 extend"), ("end", "5 write")),
            *(("1", "1 select"), ("3", "3 compare"), ("a", "5 write"), ("2", "2 extend")),
        ):
            assert f"▸{step}" in await drive.see(keys)
        shown = await drive.see("9")
        assert "▸2 extend" in shown
        assert "There are 5 steps" in shown


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
        await drive.press("down", "down", "right", "right", "enter")  # a lane of the mask
        assert drive.line == "vadd4.s32.s32.u32 d.b310, a, b, c;"
        await drive.press("down", "right", "7")  # a lane of a selector
        assert drive.line == "vadd4.s32.s32.u32 d.b310, a.b7210, b, c;"
        await drive.press("plus")
        assert drive.line == "vadd4.s32.s32.u32 d.b310, a.b7310, b, c;"


async def test_edits_are_undone_and_redone() -> None:
    async with explorer() as drive:
        before = drive.session.setup
        await drive.press("@edit.swap", "r")
        assert drive.session.setup.values != before.values
        await drive.press("u", "u")
        assert drive.session.setup == before
        await drive.press("ctrl+r")
        assert drive.operands["a"] == VALUES["%r3"]
