"""A listing beside the trace: opened, gone through, run from line to line."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.widgets import Input

from ptxscope import export
from ptxscope.documents.options import Options
from ptxscope.screens.dialogs.export_dialog import ExportDialog
from ptxscope.state.listing_transitions import open_text
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.base.pane import Pane
from ptxscope.widgets.listing_pane import ListingPane, fold_text
from tests.driving.explorer import Driver, explorer
from tests.reference_data import DATA
from tests.tiers import ci_only, sampled, some

pytestmark = sampled


def listing(drive: Driver) -> str:
    return drive.screen.query_one("#listing", Pane).read_text()


async def open_statements(drive: Driver, text: str) -> None:
    """Open statements as a listing, like pasted statements that are not a block."""
    await drive.screen.perform(open_text, text, "pasted")
    await drive.text()


@pytest.mark.parametrize("size", some([(120, 40), (80, 24)]))
async def test_a_listing_is_open_again_at_the_next_start(
    size: tuple[int, int], tmp_path: Path
) -> None:
    store = StateStore(tmp_path, tmp_path)
    async with explorer(store=store, size=size) as drive:
        await open_statements(drive, "vadd.u32.u32.u32 t, a, b;\nvmin.u32.u32.u32 d, t, c;\n")
        await drive.press("enter", "o", "7", "enter", "down", "8", "enter", "escape")
        await drive.press("right_square_bracket", "o", "down", "9", "enter", "escape")
        assert (drive.operands, drive.result) == ({"a": 15, "b": 9}, {"d": 9})
        drive.app.save_state()
    async with explorer(None, {}, store=store, size=size) as drive:
        assert "As you left it · g listing · " in drive.hint
        assert (drive.operands, drive.result) == ({"a": 15, "b": 9}, {"d": 9})
        drive.agree()
        shown = await drive.see("g")
        assert "pasted · 2 of 2" in shown
        assert "0x0000000f" in shown
        await drive.press("up")
        assert drive.operands == {"a": 7, "b": 8}


@pytest.mark.parametrize("size", some([(80, 24), (120, 40), (200, 60)]))
async def test_a_file_is_opened_by_name(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await drive.press("@listing.open")
        await drive.type(str(DATA / "video.ptx").replace("~", ""))
        shown = await drive.see("enter")
        assert "video.ptx · 1 of 37" in shown
        await drive.press("down", "down", "enter")
        assert drive.focus is None
        assert drive.state.cursor
        assert drive.state.cursor.statement.instruction == drive.session.setup.instruction
        await drive.press("slash")
        assert "filter" in await drive.text()
        assert "3 of 37" in await drive.see("escape", "g")


async def test_escape_bytes_and_markup_in_a_listing_are_text() -> None:
    async with explorer(size=(200, 60)) as drive:
        text = "vadd.u32.u32.u32 d, a, b;\n[red]\x1b[31m;\nvadd.u32.u32.u32 e, d, [/x];"
        await drive.screen.perform(open_text, text, "[red]a[b].ptx")
        shown = await drive.text()
        assert "\x1b" not in shown
        assert "[red]a[b].ptx · 1 of" in shown
        assert "[red]" in listing(drive)


# --- what is shown is the listing's, or said not to be ------------------------------------


@settings(deadline=None)
@given(st.text(alphabet="ab ", max_size=60), st.integers(1, 40))
def test_a_folded_line_says_all_and_fits(text: str, room: int) -> None:
    lines = fold_text(text, room)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(len(line) <= room for line in lines)


def test_an_opcode_without_room_is_folded_at_a_dot() -> None:
    lines = fold_text("vadd.u32.s32.s32.sat.min %r23, %r24", 22)
    assert lines == ["vadd.u32.s32.s32.sat", "  .min %r23, %r24"]


# --- its size ------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "width"), [((80, 24), 80), ((109, 30), 109), ((120, 40), 60)])
@ci_only
async def test_a_focused_listing_has_half_the_screen_or_all_of_a_narrow_one(
    size: tuple[int, int], width: int
) -> None:
    text = (Path(__file__).parents[1] / "data" / "video.ptx").read_text(encoding="utf-8")
    async with explorer(size=size) as drive:
        await drive.screen.perform(open_text, text, "video.ptx")
        await drive.text()
        side = drive.screen.query_one("#side")
        assert side.size.width == width
        if size[0] == 120:  # the 27 instructions of this kernel have a line each
            shown = drive.pane("listing").read_text().splitlines()
            assert any("vabsdiff4.u32.u32.u32.add %r10, %r11, %r12, %r6" in x for x in shown)
        await drive.press("enter")
        assert side.size.width < width or not side.display
        await drive.press("g")
        assert side.size.width == width


DEQUANT = (
    "{ .reg .b32 t; prmt.b32 t, a, b, 0x5410; and.b32 t, t, 0xff00ff;"
    " vadd2.s32.s32.s32.sat d, t, c, c; }"
)


def lanes_title(drive: Driver) -> str:
    return str(drive.screen.query_one("#lanes").border_title)


@ci_only
async def test_steps_go_through_all_statements_and_back() -> None:
    async with explorer(size=(120, 40)) as drive:
        await drive.paste(DEQUANT)
        cursor = drive.state.cursor
        assert cursor
        assert cursor.block_trace
        trace = cursor.block_trace
        assert "Statement 1 of 3 · Step 1 of" in lanes_title(drive)
        await drive.press("escape")
        for step in trace.steps[1:]:
            await drive.press("n")
            assert f"Statement {step.statement} of 3 · " in lanes_title(drive)
            shown = drive.state.trace.steps[drive.state.step - 1]
            assert [x.values for x in shown.rows] == [x.values for x in step.rows]
        await drive.press("n")  # the last step is the end
        assert "Statement 3 of 3" in lanes_title(drive)
        for step in reversed(trace.steps[:-1]):
            await drive.press("N")
            assert f"Statement {step.statement} of 3 · " in lanes_title(drive)
            assert drive.state.trace.steps[drive.state.step - 1].stage is step.stage
        drive.agree()


@ci_only
async def test_stepping_reveals_one_result_after_the_other() -> None:
    async with explorer(size=(120, 40)) as drive:
        await drive.paste(DEQUANT)
        await drive.press("escape")
        hidden = "▁" * 10
        for count in (2, 1, 0):
            while not drive.state.is_at_end:
                await drive.press("n")
            assert drive.screen.query_one(ListingPane).read_text().count(hidden) == count
            await drive.press("n")
        await drive.press("home", "N", "end")
        # the last step was asked for, so all results are shown
        assert drive.screen.query_one(ListingPane).read_text().count(hidden) == 0


@ci_only
async def test_wires_run_from_the_results_that_a_statement_reads() -> None:
    async with explorer(size=(120, 40)) as drive:
        await drive.paste(
            "{ add.cc.u32 d0, a0, b0; addc.u32 d1, a1, b1; lop3.b32 e, d0, d1, a0, 0x96; }"
        )
        pane = drive.screen.query_one(ListingPane)

        def list_wires() -> str:
            lines = ["".join(x.text for x in line) for line in pane.visible_lines]
            return "".join(line[:1] for line in lines)

        wires = [list_wires()]
        for _ in range(2):
            await drive.press("down")
            wires.append(list_wires())
        # a statement and its results take two lines each; the carry comes from the first
        assert [x.rstrip() for x in wires] == ["", " ╭╰", " ╭│├╰"]


@ci_only
async def test_the_export_is_that_of_the_block() -> None:
    async with explorer(size=(120, 40)) as drive:
        await drive.paste(DEQUANT)
        await drive.press("escape", "e")
        dialog = drive.app.screen
        assert isinstance(dialog, ExportDialog)
        cursor = drive.state.cursor
        assert cursor
        trace = cursor.block_trace
        assert trace
        assert dialog.make_document() == export(trace, "svg")
        dialog.query_one("#steps", Input).value = "1-2"
        assert dialog.make_document() == export(trace, "svg", Options(folded=frozenset({1, 2})))
        await drive.press("escape", "y")
        command = shlex.split(drive.app.clipboard)
        assert command[2] == str(trace.block)
