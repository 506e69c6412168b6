"""Two runs on the screen: side by side, one above the other, or one of them."""

from __future__ import annotations

import re

import pytest

from ptxscope.features.compare.comparison import compare_kernels
from ptxscope.features.compare.file_kernel import FileKernel
from ptxscope.features.compare.run_pair import run_comparison
from ptxscope.features.compare.terminal.pair_screen import KEYS, PairScreen
from ptxscope.features.compare.transitions import LastPair, open_pair
from ptxscope.features.kernels.launches.device_code import load_device_code
from ptxscope.features.kernels.terminal.kernel_panes import KernelPane, RunView, ValuesPane
from ptxscope.features.kernels.terminal.step_screen import format_keys
from ptxscope.screens.dialogs.key_menu import KeyList
from ptxscope.screens.dialogs.prompts import TextPrompt
from ptxscope.state.listing_transitions import go_to, open_text
from tests.driving.explorer import Driver, explorer
from tests.features.compare.kernel_texts import make_kernel
from tests.tiers import ci_only

pytest.importorskip("bitwuzla")
pytestmark = ci_only

_A = make_kernel("add.u32 a, n0, 1;\nst.global.u32 [O], a;")
_B = make_kernel("not.b32 c, n0;\nneg.s32 c, c;\nadd.u32 c, c, 1;\nst.global.u32 [O], c;")
_BOTH = _A + _B.partition("64\n")[2].replace("k(", "other(", 1)


def screen_of(drive: Driver) -> PairScreen:
    screen = drive.app.screen
    assert isinstance(screen, PairScreen)
    return screen


async def compare(drive: Driver, name: str = "other", text: str = _BOTH) -> None:
    """Open a listing, and compare its first kernel with another."""
    await drive.screen.perform(open_text, text, "pasted")
    await drive.press("f6")
    assert isinstance(drive.app.screen, TextPrompt)
    drive.app.screen.query_one("Input").value = name  # type: ignore[attr-defined]
    await drive.press("enter")
    for _ in range(200):
        if not isinstance(drive.app.screen, TextPrompt) and drive.app.screen is not drive.screen:
            break
        await drive.pilot.pause(0.05)


async def test_both_runs_have_room() -> None:
    async with explorer(size=(80, 24)) as drive:
        await compare(drive)
        for size, is_beside, is_tall, count in (
            ((80, 24), False, False, 2),
            ((80, 16), False, False, 1),
            ((120, 40), True, True, 2),
            ((200, 60), True, False, 2),
        ):
            await drive.pilot.resize_terminal(*size)
            await drive.press("a")
            shown = await drive.text()
            assert "Two runs · thread (0,0,0) of block (0,0,0)" in shown
            views = [x for x in drive.app.screen.query(RunView) if x.display]
            assert len(views) == count
            if count == 2:
                a, b = (x.region for x in views)
                assert (a.y == b.y, a.x == b.x) == (is_beside, not is_beside)
            assert "A · " in shown
            assert (views[0].kernel.region.x == views[0].values.region.x) is is_tall
            for view in views:
                assert "≠▸ st.global.u32" in view.kernel.read_text()
            await drive.press("b")
            assert screen_of(drive).shown_run.side == 1
            shown = await drive.text()
            assert "B · " in shown
            assert ("A · " in shown) is (count == 2)


async def test_the_keys_go_through_both_kernels() -> None:
    async with explorer(size=(120, 40)) as drive:
        await compare(drive)
        screen = screen_of(drive)
        start = screen.shown_run
        await drive.press("n")
        values = [x.read_text() for x in screen.query(ValuesPane)]
        assert all("• param1[0] = 0x0000000" in x for x in values)
        await drive.press("m")
        first, second = (x.read_text() for x in screen.query(ValuesPane))
        assert "≠1" in first
        assert "≠2" in second
        await drive.press("left_square_bracket", "left_square_bracket")
        assert screen.shown_run == start.move_to_difference(-1)
        await drive.press("d")
        assert screen.shown_run == start
        await drive.press("N", "N")
        kernels = [x.read_text() for x in screen.query(KernelPane)]
        assert any("waits" in str(x.border_title) for x in screen.query(KernelPane))
        assert re.search(r"▸ neg.s32 c, c", kernels[1])
        await drive.press("tab", "tab")  # the statements of B
        assert screen.shown_run.side == 1
        await drive.press("up", "g")
        assert "▸ not.b32" in screen.query(KernelPane)[1].read_text()
        await drive.press("a", "end")
        assert screen.shown_run.move_into() == screen.shown_run
        assert "there is no other thread" in await drive.see("greater_than_sign")
        await drive.press("question_mark")
        assert re.search(r"d +first store", drive.app.screen.query_one(KeyList).read_text())
        await drive.press("escape", "escape")
        drive.agree()


async def test_the_runs_are_returned_to_and_an_instruction_is_shown() -> None:
    vector = _A.replace("add.u32 a, n0, 1", "vadd4.u32.u32.u32 a, n0, n0, n0")
    async with explorer(size=(120, 40)) as drive:
        await compare(drive, text=vector + _BOTH.partition(_A)[2])
        await drive.press("N", "a")
        await drive.press("enter")
        shown = await drive.text()
        assert drive.line == "vadd4.u32.u32.u32 a, n0, n0, n0;"
        assert "F6 returns to both runs" in shown
        pair = drive.state.get_attached(LastPair).pair
        await drive.press("f6")
        assert screen_of(drive).shown_run == pair
        await drive.press("f6")
        assert isinstance(drive.app.screen, TextPrompt)
        drive.agree()


async def test_the_runs_are_those_of_the_kernel_at_the_cursor() -> None:
    third = _B.partition("64\n")[2].replace("k(", "third(", 1).replace("a, n0, 1", "a, n0, 2")
    code = load_device_code(_BOTH + third.replace("c, c, 1", "c, c, 2"))
    sources = [
        FileKernel(f"p.ptx:{x.name}", "p.ptx", code, x) for x in code.kernels if x.name != "k"
    ]
    pair = run_comparison(compare_kernels(sources[0], sources[1]))
    async with explorer(size=(120, 40)) as drive:
        await drive.screen.perform(open_pair, pair=pair)
        await drive.press("escape")
        cursor = drive.state.cursor
        assert cursor
        assert cursor.listing.programs[cursor.program].name == "other"
        await drive.press("f6")
        assert screen_of(drive).shown_run == pair
        await drive.press("escape")
        await drive.screen.perform(go_to, cursor.move_to(0, 0))
        await drive.press("f6")
        assert isinstance(drive.app.screen, TextPrompt)


async def test_equal_kernels_have_an_answer_and_no_runs() -> None:
    async with explorer(size=(80, 24)) as drive:
        assert "No listing is open" in await drive.see("f6")
        await compare(drive, "k")
        assert "Equal for all parameters" in await drive.text()
        await drive.press("escape", "f6")
        drive.app.screen.query_one("Input").value = "missing"  # type: ignore[attr-defined]
        assert "missing is not a kernel here; there are: k, other" in await drive.see("enter")
        drive.app.screen.query_one("Input").value = "no.ptx:f"  # type: ignore[attr-defined]
        assert "no.ptx:f is not a kernel" in await drive.see("enter")


@pytest.mark.parametrize("room", [20, 74, 114, 194])
def test_the_keys_fit(room: int) -> None:
    text = format_keys(KEYS, room)
    assert len(text) <= room
    assert text.startswith("n over")
    assert text.endswith("Esc leave")
