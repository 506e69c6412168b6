"""The PTX line and what is said beneath it: nothing is cut without a sign."""

from __future__ import annotations

import io
import sys

import pytest

from ptxscope.engine.isa.catalog import CATALOG
from ptxscope.engine.syntax.errors import PtxError
from ptxscope.engine.syntax.parser import parse
from ptxscope.state.edit_transitions import edit
from ptxscope.state.edits import with_line
from ptxscope.widgets.base.pane import GOES_ON
from ptxscope.widgets.ptx_line import PtxLine
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

SIZES = [(60, 20), (80, 24), (100, 30), (120, 40)]
NAME = "%a_register_with_a_name_of_40_characters"
LONG = f"vadd4.s32.s32.u32.sat {NAME}1, {NAME}2, {NAME}3, {NAME}4"
WRONG = [
    "vfoo d, a, b",
    "vadd4.s32.s32.u32.zzz d, a, b, c",
    "vadd4.s32.s32.u32 d.b310, a, b.b99999, c",
    "set.lt.and.or.xor.f32.s32 d, a, b, c",
    "vmad.s32.s32.s32.po.shr7 d, -a, b, c",
    f"vadd4.s32.s32.u32 {NAME}, {NAME}, {NAME}",
    f"vset4.s32.u32.lt.{NAME[1:]} d, a, b, c",
]


def said(drive: Driver) -> str:
    """What stands beneath the line and in the row of hints, as one text."""
    return " ".join(f"{drive.pane('status').read_text()} {drive.pane('hint').read_text()}".split())


@pytest.mark.parametrize("size", some(SIZES))
@pytest.mark.parametrize("line", WRONG)
async def test_what_is_wrong_and_what_is_allowed_is_read_whole(
    line: str, size: tuple[int, int]
) -> None:
    with pytest.raises(PtxError) as caught:
        parse(line)
    problem = caught.value.errors[0]
    async with explorer(size=size) as drive:
        before = [drive.pane(id_).region for id_ in ("lanes", "result", "status")]
        await drive.screen.perform(edit, with_line(drive.session.setup, line))
        for keys in (["escape"], ["i", "home"]):
            await drive.press(*keys)
            shown = said(drive).replace("^ ", "").replace("^", "")
            assert problem.message in shown
            opcodes = f"one of {len(CATALOG)} instructions"
            allowed = opcodes if set(CATALOG) <= {*problem.hint.split()} else problem.hint
            assert f"allowed: {allowed}" in shown
            for row in drive.pane("status").read_text().splitlines():
                assert len(row) <= drive.pane("status").content_size.width
        assert [drive.pane(id_).region for id_ in ("lanes", "result", "status")] == before
        await drive.press("escape", "u")
        assert "allowed" not in said(drive)


def edges(text: str) -> tuple[str, str]:
    row = text.splitlines()[1]
    return row[0], row[79:80]


async def test_a_long_line_says_where_it_goes_on() -> None:
    async with explorer(LONG, {}, size=(80, 24)) as drive:
        assert edges(await drive.see("i", "home")) == (" ", GOES_ON[1])
        assert edges(await drive.see(*["right"] * 100)) == GOES_ON
        assert edges(await drive.see("end")) == (GOES_ON[0], "")
    async with explorer(size=(80, 24)) as drive:
        assert edges(await drive.see("i", "home"))[0] == " "
        assert not {*GOES_ON} & set(await drive.text())


async def test_in_ascii_the_signs_are_those_of_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stderr__", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    async with explorer(LONG, {}, size=(80, 24)) as drive:
        await drive.press("i", "home")
        assert edges(await drive.see(*["right"] * 100)) == ("<", ">")


@pytest.mark.parametrize("width", [60, 80, 100, 200])
async def test_completions_that_have_no_room_leave_a_sign(width: int) -> None:
    async with explorer(size=(width, 24)) as drive:
        await drive.press("i", *["backspace"] * 60)
        row = drive.pane("status").read_text().splitlines()[-1]
        assert len(row) <= drive.pane("status").content_size.width
        assert row.startswith("Tab:")
        last = drive.screen.query_one(PtxLine).candidates[-1].text
        assert ("…" in row) == (last not in row.split())


@pytest.mark.parametrize("width", [50, 60, 70, 80, 81, 82, 100])
async def test_what_a_completion_means_is_whole_or_cut_with_a_sign(width: int) -> None:
    async with explorer(size=(width, 24)) as drive:
        await drive.press("i", "ctrl+u")
        await drive.type("vabsdiff")
        for _ in range(4):
            await drive.press("down")
            line = drive.screen.query_one(PtxLine)
            about = line.candidates[line.candidate].about
            row = drive.pane("status").read_text().splitlines()[-1]
            assert len(row) <= drive.pane("status").content_size.width
            tail = row.rstrip().rpartition("  ")[2]
            is_cut = tail.endswith("…") and about.startswith(tail[:-1])
            assert row.rstrip().endswith(f"  {about}") or is_cut or about[:4] not in row


async def test_an_error_that_is_out_of_sight_has_no_caret_under_something_else() -> None:
    line = f"vfoo.s32.s32.u32.sat {NAME}1, {NAME}2, {NAME}3, {NAME}4"
    async with explorer(size=(80, 24)) as drive:
        await drive.screen.perform(edit, with_line(drive.session.setup, line))
        await drive.press("i", "home")
        assert drive.pane("status").read_text().startswith("^")
        await drive.press("end")
        assert drive.screen.query_one(PtxLine).scroll_offset.x > 20
        status = drive.pane("status").read_text()
        assert "^" not in status
        assert status.startswith(GOES_ON[0])
