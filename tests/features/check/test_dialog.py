"""The dialog of ``check``: what a listing is said to have, and what opens."""

from __future__ import annotations

import pytest
from textual import events

from ptxscope.app.app import Explorer
from ptxscope.engine.tracing.deviation import find_deviations
from ptxscope.state.listing_transitions import open_text
from ptxscope.state.open_listing import open_listing
from ptxscope.widgets.base.form_fields import Page
from tests.driving.explorer import Driver, explorer
from tests.reference_data import DATA
from tests.tiers import ci_only, sampled, some

pytestmark = sampled


def told(drive: Driver) -> str:
    return drive.app.screen.query_one("#details", Page).read_text()


@pytest.mark.parametrize("size", some([(80, 24), (120, 40), (200, 60)]))
@ci_only
async def test_a_source_is_checked_and_a_finding_opens(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await drive.press("@listing.open")
        await drive.type(str(DATA / "video.cu"))
        await drive.press("enter", "escape")
        shown = await drive.see("@check")
        assert "23 instructions, 0 illegal, 5 that an erratum can change" in shown
        assert "line 38  E3" in shown
        assert "video.cu:38:" in told(drive)
        assert "as documented, in plain PTX:" in told(drive)
        await drive.press("enter")
        assert drive.state.cursor
        assert drive.state.cursor.statement.line == 38
        assert drive.line.startswith("vadd.u32.s32.s32.sat %0.b0")
        deviation = find_deviations(drive.session.trace)[0]
        assert [erratum.id for erratum in deviation.errata] == ["E3"]
        drive.agree()


@pytest.mark.parametrize("width", [40, 200])
@ci_only
async def test_carets_stand_below_the_wrong_word_of_a_long_line(width: int) -> None:
    code = '"vadd4.s32.s32.s32.sat.add %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)'
    async with explorer(size=(width, 40)) as drive:
        await drive.screen.perform(open_text, f"    asm volatile({code});", "long.cu")
        await drive.press("@check")
        lines = told(drive).splitlines()
        (at,) = (i for i, line in enumerate(lines) if "^^^^" in line)
        start = lines[at].index("^")
        assert lines[at - 1][start : start + 4] == ".sat"
        assert len(lines[at - 1]) < width
        assert lines[at - 1].endswith("…")
        await drive.press("ctrl+y")
        assert code[1:40] in drive.app.clipboard


async def test_a_key_waits_until_the_listing_is_open() -> None:
    cursor = open_listing("vmad.u32.u32.u32.sat %r4, %r1, %r2, %r3;\n", "x.ptx")
    assert cursor is not None
    app = Explorer(listing=cursor)
    app.post_message(events.Key("c", "c"))  # typed before anything was on the screen
    async with app.run_test(size=(120, 40)) as pilot:
        drive = Driver(app, pilot)
        shown = await drive.text()
        assert "Check" in shown
        assert "E11" in shown
        assert "All of them are legal" not in shown


async def test_the_second_of_two_statements_opens() -> None:
    async with explorer(size=(120, 40)) as drive:
        text = "neg.s16 %rs2, %rs1;\ncvt.s32.s16 %r1, %rs2;\n"
        await drive.screen.perform(open_text, text, "pair.ptx")
        await drive.press("@check")
        assert "combined with" in told(drive)
        await drive.press("enter")
        assert str(drive.line) == "cvt.s32.s16 %r1, %rs2;"
        drive.agree()
