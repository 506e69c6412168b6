"""The families of the instruction browser: folded to their headings beside the 27."""

from __future__ import annotations

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.isa.entry import CORE_GROUPS, Group
from tests.app.driving import explorer

OTHERS = [x for x in Group if x not in CORE_GROUPS]


async def test_families_beside_the_27_are_folded() -> None:
    async with explorer(None, {}, size=(120, 40)) as drive:
        browser = drive.screen.view.browser
        rows = browser.list.rows()
        assert [group for group, name in rows if not name] == OTHERS
        assert [name for _, name in rows if name] == [*CATALOG][:27]
        shown = drive.pane("instructions").read_text().splitlines()
        assert f"{Group.FIELDS} …" in shown
        assert " ".join(Group.SIMD.split()) in await drive.text()  # the heading of vadd4's family

        await drive.press("slash", *["down"] * 12, "enter")  # to the last family
        assert drive.opcode == "vadd4"
        rows = browser.list.rows()
        assert [group for group, name in rows if not name] == OTHERS[:-1]
        assert CATALOG[browser.list.cursor or ""].group == Group.COMMON
        await drive.press("enter")
        assert CATALOG[drive.opcode].group == Group.COMMON


async def test_a_filter_searches_folded_families_and_opens_one() -> None:
    async with explorer(None, {}, size=(120, 24)) as drive:
        await drive.press("slash", *"popc", "enter")
        rows = drive.screen.view.browser.list.rows()
        assert (Group.FIELDS, "popc") in rows
        assert (Group.PERMUTE, "") in rows


async def test_the_list_begins_at_the_open_family() -> None:
    async with explorer("popc.b32 d, a", {}, size=(120, 24)) as drive:
        shown = await drive.text()
        assert f" {Group.FIELDS}\n" in shown  # its heading
        assert "▸popc" in shown
        assert Group.SIMD not in shown
