"""The box beside a surprise: where it stands, and what it is drawn with."""

from __future__ import annotations

import pytest

from ptxscope.features.surprises.surprises import list_surprises
from ptxscope.features.surprises.terminal.callout import Callout
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
