"""A listing beside the trace: opened, gone through, run from line to line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.engine.parting import partings
from ptxscope.widgets.fields import Page
from ptxscope.widgets.listing import Listing
from ptxscope.widgets.pane import Pane
from tests.app.driving import Driver, explorer, focused
from tests.reference_data import DATA

BLOCK = """{
  .reg .u32 t1, t2;
  .reg .pred p;
  vadd4.u32.u32.u32 t1, %1, %2, %2;
  not.b32 t2, t1;
  setp.ne.b32 p, t2, 0;
  selp.b32 %0, t1, %3, p;
}"""


def listing(drive: Driver) -> str:
    return drive.screen.query_one("#listing", Pane).text()


async def test_a_pasted_block_opens_as_a_list() -> None:
    async with explorer() as drive:
        shown = await drive.paste(BLOCK)
        assert "pasted · 1 of 3" in shown
        assert "not.b32 t2, t1" in listing(drive)
        assert "needs %1, %2" in listing(drive)
        assert drive.session.setup.line == "vadd4.u32.u32.u32 t1, %1, %2, %2;"
        assert isinstance(focused(drive), Listing)
        drive.agree()


async def test_values_given_at_one_line_run_on_to_the_next() -> None:
    async with explorer() as drive:
        await drive.paste(BLOCK)
        await drive.press("o", *"0x01020304", "enter", "down")
        await drive.press(*"0x01010101", "enter")
        text = listing(drive)
        assert "0x02030405" in text
        assert "0xfdfcfbfa" in text  # not of it, by hand
        assert "needs %3" in text
        await drive.press("right_square_bracket")
        assert drive.session.trace.operands["a"] == 0xFDFCFBFA
        assert drive.session.trace.result == {"p": 1}
        await drive.press("right_square_bracket")
        assert drive.session.setup.line == "selp.b32 %0, t1, %3, p;"
        await drive.press("alt+up", "alt+up", "alt+up")
        assert drive.session.setup.line == "vadd4.u32.u32.u32 t1, %1, %2, %2;"
        drive.agree()


async def test_undo_takes_a_given_value_back() -> None:
    async with explorer() as drive:
        await drive.paste("vadd.u32.u32.u32 x, a, b; vadd.u32.u32.u32 y, x, x;")
        await drive.press("r")
        assert "needs" not in listing(drive)
        assert drive.screen.walk
        given = drive.screen.walk.given
        await drive.press("right_square_bracket")
        x = drive.session.trace.operands["a"]
        await drive.press("u")
        assert drive.session.setup.instruction == drive.screen.walk.statement.instruction
        assert drive.screen.walk.given == given
        await drive.press("u")
        assert "needs a, b" in listing(drive)
        await drive.press("ctrl+r", "ctrl+r")
        assert drive.session.trace.operands["a"] == x


async def test_an_erratum_is_marked_where_it_bites() -> None:
    async with explorer() as drive:
        text = "vadd.u32.s32.s32.sat d.b0, -1, 0, 5; vadd.u32.u32.u32 e, d, 0;"
        await drive.paste(text)
        assert "≠ E3" in listing(drive)
        await drive.press("escape", "t")
        assert "0x000000ff" in listing(drive)
        await drive.press("right_square_bracket")
        assert drive.session.trace.operands["a"] == 0xFF


async def test_an_illegal_line_is_shown_with_what_is_wrong() -> None:
    async with explorer() as drive:
        await drive.paste("vadd.u32.u32.u32 d, a, b;\nvadd4.s32.s32.bad d, a, b, c;")
        assert "✗" in listing(drive)
        shown = await drive.press("down")
        assert "vadd4.s32.s32.bad d, a, b, c;" in shown
        assert ".bad" in shown


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_file_is_opened_by_name(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await drive.press("ctrl+o")
        await drive.type(str(DATA / "video.ptx").replace("~", ""))
        shown = await drive.press("enter")
        assert "video.ptx · 1 of 37" in shown
        await drive.press("down", "down", "enter")
        assert focused(drive) is drive.screen.query_one("#steps")
        assert drive.screen.walk
        assert drive.screen.walk.statement.instruction == drive.session.setup.instruction
        await drive.press("slash")
        assert "filter" in await drive.text()
        assert "3 of 37" in await drive.press("escape", "g")


async def test_a_file_that_can_not_be_opened_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.ptx").write_text("mov.u32 a, b;", encoding="utf-8")
    async with explorer() as drive:
        for name, said in (("none.ptx", "No such file"), ("empty.ptx", "None of the 27")):
            await drive.press("g")
            await drive.type(str(tmp_path / name))
            assert said in await drive.press("enter")
        assert drive.screen.walk is None


async def test_escape_bytes_and_markup_in_a_listing_are_text() -> None:
    async with explorer() as drive:
        shown = await drive.paste(
            "vadd.u32.u32.u32 d, a, b;\n[red]\x1b[31m;\nvadd.u32.u32.u32 e, d, [/x];"
        )
        assert "\x1b" not in shown
        assert "[red]" in listing(drive)


async def test_a_second_enter_that_was_on_its_way_does_no_harm() -> None:
    async with explorer() as drive:
        for keys in (("ctrl+o", "x", "enter", "enter"), ("w", "x", "enter", "enter", "escape")):
            await drive.mash(*keys, pace=0)
            assert drive.app.is_running
            assert len(drive.app.screen_stack) == 1


# --- check --------------------------------------------------------------------------------


def told(drive: Driver) -> str:
    return drive.app.screen.query_one("#told", Page).text()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_a_source_is_checked_and_a_finding_opens(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await drive.press("ctrl+o")
        await drive.type(str(DATA / "video.cu"))
        await drive.press("enter", "escape")
        shown = await drive.press("c")
        assert "23 instructions, 0 illegal, 5 that an erratum can change" in shown
        assert "line 38  E3" in shown
        assert "video.cu:38:" in told(drive)
        assert "as documented, in plain PTX:" in told(drive)
        await drive.press("enter")
        assert drive.screen.walk
        assert drive.screen.walk.statement.line == 38
        assert drive.session.setup.line.startswith("vadd.u32.s32.s32.sat %0.b0")
        parting = partings(drive.session.trace)[0]
        assert [erratum.id for erratum in parting.errata] == ["E3"]
        drive.agree()


async def test_the_line_alone_is_checked_too() -> None:
    async with explorer("vadd.u32.s32.s32.sat d.b0, a, b, c", {}) as drive:
        await drive.press("c")
        assert "E3: with ptxas" in told(drive)
        await drive.press("escape", "i", "end", *["backspace"] * 4)
        await drive.press("escape", "c")
        assert "error" in told(drive)
        await drive.press("escape")
        await drive.paste("vadd4.u32.u32.u32 d, a, b, c;")
        shown = await drive.press("escape", "c")
        assert "1 instruction, 0 illegal" in shown
        assert "Nothing is wrong" in told(drive)
        await drive.press("enter", "down", "escape")
        assert drive.session.setup.line == "vadd4.u32.u32.u32 d, a, b, c;"
