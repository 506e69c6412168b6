"""The action of machine code."""

from __future__ import annotations

from tests.driving.explorer import explorer, search_palette


async def test_the_palette_has_machine_code() -> None:
    async with explorer() as drive:
        assert (await search_palette(drive, "sass"))[0] == "Answers: SASS"
