"""A pasted block is one evaluation: steps go through it, and values keep their origin."""

from __future__ import annotations

import shlex

from textual.widgets import Input

from ptxscope import export
from ptxscope.documents.options import Options
from ptxscope.screens.dialogs.export_dialog import ExportDialog
from ptxscope.widgets.listing_pane import ListingPane
from tests.app.driving import Driver, explorer
from tests.tiers import ci_only, sampled

pytestmark = [sampled, ci_only]

DEQUANT = (
    "{ .reg .b32 t; prmt.b32 t, a, b, 0x5410; and.b32 t, t, 0xff00ff;"
    " vadd2.s32.s32.s32.sat d, t, c, c; }"
)


def title(drive: Driver) -> str:
    return str(drive.screen.query_one("#lanes").border_title)


async def test_steps_go_through_all_statements_and_back() -> None:
    async with explorer(size=(120, 40)) as drive:
        await drive.paste(DEQUANT)
        cursor = drive.state.cursor
        assert cursor
        assert cursor.block_trace
        trace = cursor.block_trace
        assert "Statement 1 of 3 · Step 1 of" in title(drive)
        await drive.press("escape")
        for step in trace.steps[1:]:
            await drive.press("n")
            assert f"Statement {step.statement} of 3 · " in title(drive)
            shown = drive.state.trace.steps[drive.state.step - 1]
            assert [x.values for x in shown.rows] == [x.values for x in step.rows]
        await drive.press("n")  # the last step is the end
        assert "Statement 3 of 3" in title(drive)
        for step in reversed(trace.steps[:-1]):
            await drive.press("N")
            assert f"Statement {step.statement} of 3 · " in title(drive)
            assert drive.state.trace.steps[drive.state.step - 1].stage is step.stage
        drive.agree()


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
