"""The box beside a surprise: where it stands, and what it is drawn with."""

from __future__ import annotations

import pytest
from textual.geometry import Offset, Region

from ptxscope.features.surprises.surprises import list_surprises
from ptxscope.features.surprises.terminal.callout import Callout, Joint
from ptxscope.scene.scene_model import LaneRef
from tests.driving.explorer import explorer

LINES = (
    ("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x649C0180, "b": 0x649C02F9, "c": 0}),
    ("vadd4.u32.u32.u32 d.b310, a.b3200, b, c", {"a": 0xFF000001, "b": 0xFF000002, "c": 7}),
    ("vadd.s32.s32.s32 d.h1, a, b, c", {"a": 0x15678, "b": 1, "c": 0x11223344}),
)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (100, 16)])
@pytest.mark.parametrize("example", LINES, ids=lambda x: x[0].partition(".")[0])
async def test_the_box_never_covers_its_own_cell(
    example: tuple[str, dict[str, int]], size: tuple[int, int]
) -> None:
    async with explorer(*example, size=size) as drive:
        await drive.press("a")
        count = len(list_surprises(drive.state.trace, drive.session.deviation))
        shown = 0
        for _ in range(count):
            await drive.press("w")
            box, cell = drive.screen.query_one(Callout), drive.lanes.locate_cursor()
            assert cell
            if box.display:
                shown += 1
                assert not box.region.contains(*cell)
                assert drive.screen.region.contains_region(box.region)
        assert shown or size[1] < 24  # 16 rows may have no room


LANES = ("vadd4.s32.s32.s32.sat d, a, b, c", {"a": 0x649C6480, "b": 0x649C6480, "c": 0})
"""A line whose four lanes are clamped."""


@pytest.mark.parametrize(("width", "is_beside"), [(80, False), (109, False), (110, True)])
async def test_on_a_wide_screen_the_box_is_beside_its_cell(width: int, is_beside: bool) -> None:
    async with explorer(*LANES, size=(width, 40)) as drive:
        await drive.press("a", "w")
        box, cell = drive.screen.query_one(Callout), drive.lanes.locate_cursor()
        assert cell
        assert box.display
        assert (box.region.y <= cell.y < box.region.bottom) == is_beside
        assert drive.screen.query_one(Joint).display == is_beside


@pytest.mark.parametrize("width", [120, 150, 200])
async def test_a_box_beside_its_cell_covers_only_other_lanes(width: int) -> None:
    async with explorer(*LANES, size=(width, 40)) as drive:
        await drive.press("a")
        sides = []
        for _ in range(4):
            await drive.press("w")
            box, joint = drive.screen.query_one(Callout), drive.screen.query_one(Joint)
            place, cell = drive.lanes.place, drive.lanes.locate_cursor()
            assert place
            assert cell
            sides.append("right" if box.region.x > cell.x else "left")
            # the joint is in the row of the cell, between it and the box
            ends = (box.region.x, box.region.right)
            assert joint.region.y == cell.y
            assert joint.region.right in ends if sides[-1] == "right" else joint.region.x in ends
            origin = drive.lanes.content_region.offset - drive.lanes.scroll_offset
            for y, line in enumerate(drive.lanes.visible_lines):
                x = 0
                for text, _, target in line:
                    piece = Region(*(origin + Offset(x, y)), len(text), 1)
                    if isinstance(target, LaneRef) and target.key != "write.d":  # of one lane
                        assert target.lane != place.lane or not piece.overlaps(box.region)
                    x += len(text)
        assert sides[0] == "right"
        assert sides[-1] == "left"  # near the right edge


async def test_enter_opens_the_page_of_the_erratum_and_returns() -> None:
    pytest.importorskip("ptxscope.features.check")
    line = "vadd.u32.s32.s32.sat d.b0, a, b, c"
    values = {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}
    for size in ((80, 24), (120, 40)):
        async with explorer(line, values, size=size) as drive:
            shown = await drive.see("a", "w")
            assert "another value by E3" in shown
            assert "ptxas-13.5: 255" in shown
            assert "Enter: the page of E3" in shown
            place = drive.lanes.place
            assert "Erratum E3" in await drive.see("enter")
            shown = await drive.see("escape")
            assert drive.lanes.place == place
            assert "Enter: the page of E3" in shown


async def test_the_box_is_drawn_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    async with explorer(*LINES[0], size=(80, 24)) as drive:
        shown = await drive.see("w")
        assert "saturate, lane 3, clamped high . 1 of 3" in shown
        assert shown.isascii()


async def test_without_colours_the_box_has_a_border(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with explorer(*LINES[0], size=(80, 24)) as drive:
        shown = await drive.see("w")
        assert "╭─ saturate, lane 3, clamped high · 1 of 3" in shown
        assert "╰──" in shown
