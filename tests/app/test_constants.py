"""Literal inputs of an asm statement in the explorer: shown, and not edited."""

from __future__ import annotations

from tests.app.driving import explorer

LINE = 'asm("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"({}));'


async def test_a_literal_of_a_pasted_line_stays_as_it_is() -> None:
    async with explorer() as drive:
        shown = await drive.read_after(drive.paste(LINE.format("0x55667788")))
        assert "%3  0x55667788  constant" in shown
        await drive.press("r", "r")
        assert drive.operands["c"] == 0x55667788
        shown = await drive.see("@edit.swap")  # another form of the same line
        assert "%3  0x55667788  constant" in shown


async def test_a_literal_in_a_listing_keeps_its_value() -> None:
    async with explorer() as drive:
        await drive.paste("\n".join((LINE.format(7), LINE.format(8))))
        assert drive.operands["c"] == 7
        shown = await drive.see("o", "down", "down", "9", "enter")
        assert "%3 is a constant of the asm statement" in shown
        assert drive.operands["c"] == 7
        await drive.press("escape", "right_square_bracket")
        assert drive.operands["c"] == 8
