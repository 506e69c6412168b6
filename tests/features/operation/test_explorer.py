"""The operation in the explorer: the pane of the column, the dialog, the panel of the page."""

from __future__ import annotations

import pytest

from ptxscope import parse
from ptxscope.features.operation.page_panel import make_panel
from ptxscope.features.operation.terminal.column import OperationColumnPane, draw_operation
from ptxscope.features.operation.terminal.operation_dialog import OperationDialog
from ptxscope.widgets.base.form_fields import Page
from tests.driving.element_texts import text_of
from tests.driving.explorer import explorer
from tests.driving.states import make_state
from tests.tiers import ci_only

CLAMPS = "vadd4.u32.u32.u32.sat d, a, b, c"


def read_lines(ptx: str, *stages: str, width: int = 40) -> list[str]:
    lines = ["".join(x.text for x in line) for line in draw_operation(parse(ptx), stages, width)]
    assert all(len(line) <= width for line in lines)
    return lines


def test_the_lines_of_the_step_are_marked() -> None:
    lines = read_lines(CLAMPS, "operate", "saturate")
    assert lines[0] == "  for i in 3, 2, 1, 0:"
    assert [line for line in lines if line[0] == "▸"] == ["▸     t[i] = clamp(t[i], 0..255)"]
    assert not any(line[0] == "▸" for line in read_lines(CLAMPS))
    # the bytes of d are assigned in the step before the last
    assert read_lines(CLAMPS, "merge", "write")[-1][0] == "▸"


def test_a_guard_is_a_condition_of_all_lines() -> None:
    head, *lines = read_lines("@!p vadd.s32.s32.s32 d, a, b")
    assert head == "  if not p:"
    assert all(line.startswith("      ") for line in lines)


@pytest.mark.parametrize("ptx", ["prmt.b32 d, a, b, c", "vmad.s32.s32.s32.sat.shr15 d, a, b, -c"])
def test_a_long_line_is_folded(ptx: str) -> None:
    words = " ".join(read_lines(ptx)).split()
    assert words == " ".join(read_lines(ptx, width=200)).split()


def test_the_panel_of_the_page_has_the_line_and_its_lines() -> None:
    shown = text_of(make_panel(make_state("vset4.s32.u32.lt.add %r1, %r2, %r3, %r0"), ""))
    assert "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0;" in shown
    assert "t[i] = x < y" in shown


@ci_only
async def test_the_pane_follows_the_step() -> None:
    async with explorer(CLAMPS, {"a": 1, "b": 2, "c": 3}, size=(200, 60)) as drive:
        await drive.press("1")
        await drive.text()
        pane = drive.screen.query_one(OperationColumnPane)
        assert "▸     x = byte i of a" in pane.read_text()
        await drive.press("a")
        await drive.text()
        assert "▸     byte i of d = " in pane.read_text()


@ci_only
async def test_the_dialog_has_all_forms_too() -> None:
    async with explorer(CLAMPS, {"a": 1, "b": 2, "c": 3}) as drive:
        await drive.press("O")
        screen = drive.app.screen
        assert isinstance(screen, OperationDialog)
        await drive.app.workers.wait_for_complete()
        text = screen.query_one(Page).read_text()
        assert "t[i] = clamp(t[i], 0..255)" in text.partition("All forms of vadd4:")[0]
        assert "if .sat:" in text.partition("All forms of vadd4:")[2]
        assert "Numbers are exact" in text
        await drive.press("escape")
        assert not isinstance(drive.app.screen, OperationDialog)
