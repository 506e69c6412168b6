"""The action of machine code."""

from __future__ import annotations

from tests.driving.explorer import explorer, find_in_menu


async def test_the_menu_has_machine_code() -> None:
    async with explorer() as drive:
        assert find_in_menu(drive, "sass") == "See: SASS"
