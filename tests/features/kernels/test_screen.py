"""A kernel in the explorer: arguments are asked for, one thread is followed, a fault is found."""

from __future__ import annotations

import asyncio
import re

import pytest
from textual.widgets import Input, Static

from ptxscope.features.kernels.terminal.kernel_panes import KernelPane, ValuesPane
from ptxscope.features.kernels.terminal.run_screen import KEYS, RunScreen
from ptxscope.features.kernels.terminal.step_screen import format_keys
from ptxscope.screens.dialogs.key_menu import KeyList
from ptxscope.screens.dialogs.prompts import TextPrompt
from ptxscope.state.listing_transitions import open_text
from tests.driving.explorer import Driver, explorer
from tests.features.kernels.test_thread_run import PTX, VALUES
from tests.features.kernels.test_thread_run import launch as run_text
from tests.tiers import ci_only

pytestmark = ci_only

_FAULT = PTX.replace("vadd4.u32", "vsub4.u32")


def screen_of(drive: Driver) -> RunScreen:
    screen = drive.app.screen
    assert isinstance(screen, RunScreen)
    return screen


def values(drive: Driver) -> str:
    return screen_of(drive).query_one(ValuesPane).read_text()


def next_line(drive: Driver) -> int:
    step = screen_of(drive).shown_run.next_step
    return step.statement.line if step else 0


async def launch(drive: Driver, arguments: str, ptx: str = PTX) -> None:
    """Open a listing, and run its kernel with arguments."""
    await drive.screen.perform(open_text, ptx, "pasted")
    await drive.text()
    await drive.press("f5")
    drive.app.screen.query_one("Input").value = arguments  # type: ignore[attr-defined]
    await drive.press("enter")


async def test_a_fault_is_found_from_what_was_expected() -> None:
    async with explorer() as drive:
        shown = await drive.read_after(launch(drive, f"{VALUES} --expect out=[3,6,9]", _FAULT))
        assert "Run · k · thread (0,0,0) of block (0,0,0) · 14 of 16 steps" in shown
        assert "param1[0] is 0x00000001, not 0x00000003" in values(drive)
        assert next_line(drive) == 21
        await drive.press("x")
        for _ in range(100):
            if screen_of(drive).shown_run.diagnosis:
                break
            await drive.pilot.pause(0.05)
        assert "Line 20 with `vadd4` rather than `vsub4` explains all 3." in " ".join(
            values(drive).split()
        )
        shown_text = " ".join(values(drive).split())
        assert "x again tries less likely changes." in shown_text
        diagnosis = screen_of(drive).shown_run.diagnosis
        assert diagnosis
        await drive.press("g")
        assert next_line(drive) == 20
        kernel = screen_of(drive).query_one(KernelPane).read_text()
        assert "20 ≠▸ vsub4.u32.u32.u32 %r4, %r3, %r2, %r8" in kernel
        late = diagnosis._replace(has_untried=True, untried="other values")
        pane = screen_of(drive).query_one(ValuesPane)
        pane.show(screen_of(drive).shown_run.with_diagnosis(late))
        shown_text = " ".join(values(drive).split())
        assert "Not tried within the time limit: other values." in shown_text
        assert "x again" not in shown_text


async def test_a_long_launch_shows_its_progress_and_is_stopped() -> None:
    endless = "{ .reg .pred %p; LOOP: setp.eq.u32 %p, 0, 0; @%p bra LOOP; ret; }"
    ptx = f".visible .entry k(.param .u64 out)\n{endless}"
    async with explorer() as drive:
        await drive.screen.perform(open_text, ptx, "pasted")
        await drive.text()
        await drive.press("f5")
        prompt = drive.app.screen
        assert isinstance(prompt, TextPrompt)
        prompt.query_one(Input).value = "out=zeros:u32:1"
        await drive.pilot.press("enter")  # what waits for the run would wait for ever
        note = prompt.query_one("#refusal", Static)
        for _ in range(800):
            if re.match(r"Running: [1-9][\d,]* instructions · Esc stops", str(note.content)):
                break
            await asyncio.sleep(0.05)
        else:
            pytest.fail(f"the prompt shows {note.content}")
        await drive.pilot.press("escape")
        for _ in range(800):  # the thread has to notice it
            if str(note.content).startswith("Stopped after "):
                break
            await asyncio.sleep(0.05)
        else:
            pytest.fail(f"the prompt shows {note.content}")
        assert drive.app.screen is prompt
        await drive.press("escape")
        assert not isinstance(drive.app.screen, TextPrompt)


async def test_the_keys_go_through_a_kernel() -> None:
    async with explorer(size=(80, 12)) as drive:
        await launch(drive, VALUES)
        for keys, line in {
            ("right_square_bracket", "right_square_bracket"): 20,
            ("N",): 4,
            ("N", "N"): 19,
            ("i",): 3,
            ("N", "n"): 20,
            ("n",): 21,
            ("greater_than_sign",): 21,
            ("home",): 9,
            ("down", "down", "g"): 11,
        }.items():
            await drive.press(*keys)
            assert next_line(drive) == line
        assert screen_of(drive).shown_run.thread == 1
        await drive.press("pagedown", "up")
        assert screen_of(drive).shown_run.line > 18
        await drive.press("t", "3", "enter")
        assert screen_of(drive).shown_run.thread == 3
        await drive.press("end")
        assert next_line(drive) == 0
        await drive.pilot.resize_terminal(120, 40)
        await drive.press("question_mark")
        shown = drive.app.screen.query_one(KeyList).read_text()
        assert re.search(r"n +over", shown)
        assert re.search(r"↓↑ +cursor", shown)
        assert "Switch between isa and ptxas" not in shown
        await drive.press("escape", "escape")
        drive.agree()


async def test_the_lines_of_cuda_that_were_compiled_are_named() -> None:
    ptx = PTX.replace("  mov.u32 %r1, %tid.x;\n", '  .file 1 "/src/sad.cu"\n  .loc 1 5 9\n')
    ptx = ptx.replace("setp.ge.u32 %p1, %r1", "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1")
    async with explorer() as drive:
        await launch(drive, VALUES, ptx)
        rows = [*map(str.split, screen_of(drive).query_one(KernelPane).read_text().splitlines())]
        assert rows[rows.index(["sad.cu:5"]) + 1][-3:] == ["mov.u32", "%r1,", "%tid.x"]
        assert rows.count(["sad.cu:5"]) == 1
        await drive.press("home", *["down"] * 3)
        assert "the explorer has no steps of line 14 (sad.cu:5)" in await drive.see("enter")


async def test_enter_shows_an_instruction_on_the_values_of_the_thread() -> None:
    async with explorer() as drive:
        await launch(drive, VALUES)
        shown = await drive.see("enter")
        assert "the explorer has no steps of line 9" in shown
        await drive.press("right_square_bracket", "right_square_bracket", "greater_than_sign")
        await drive.press("enter")
        assert drive.line == "vadd4.u32.u32.u32 %r4, %r3, %r2, %r8;"
        # no lane reads c
        assert drive.operands == {"a": 4, "b": 2}
        assert drive.session.setup.values["c"] == 3
        shown = await drive.text()
        assert "the operands of thread (1,0,0) of block (0,0,0), step 14" in shown
        assert "F5 returns to the run" in shown
        assert "not those of the run" not in shown
        assert drive.screen.focused is None  # the keys are the steps'
        drive.agree()


async def test_a_kernel_of_common_instructions_only_is_run() -> None:
    ptx = PTX.replace("vadd4.u32.u32.u32 %r4, %r3, %r2, %r8", "add.u32 %r4, %r3, %r2")
    async with explorer() as drive:
        await launch(drive, f"{VALUES} --expect out=[3,6,9]", ptx)
        assert "as expected" in values(drive)


def test_the_statements_of_a_run_are_coloured_like_the_line() -> None:
    lines = KernelPane(run_text(VALUES)).draw(70)
    line = next(x for x in lines if any(piece.text == "vadd4" for piece in x))
    styles = {piece.text.strip(): piece.style_name for piece in line}
    assert styles["vadd4"] == "strong"
    assert styles[".u32.u32.u32"] == styles["%r4"] == styles["%r8"] == ""


async def test_a_run_is_returned_to_where_it_was_left() -> None:
    async with explorer() as drive:
        await launch(drive, f"{VALUES} --expect out=[3,6,9]", _FAULT)
        await drive.press("greater_than_sign", "right_square_bracket", "left_square_bracket")
        place = screen_of(drive).shown_run
        await drive.press("enter")
        assert drive.line == "vsub4.u32.u32.u32 %r4, %r3, %r2, %r8;"
        await drive.press("f5")
        assert screen_of(drive).shown_run == place
        await drive.press("escape", "f5", "f5")
        assert isinstance(drive.app.screen, TextPrompt)
        await drive.press("escape", "f5")
        assert screen_of(drive).shown_run == place
        drive.agree()


async def test_a_listing_without_a_kernel_is_not_run() -> None:
    async with explorer() as drive:
        assert "No listing is open" in await drive.see("f5")
        await drive.screen.perform(open_text, "vadd.u32.u32.u32 x, a, 1;" * 2, "pasted")
        shown = await drive.see("f5")
        assert "there is no kernel here" in shown
        assert " F5 run " not in shown
        await drive.screen.perform(open_text, PTX, "pasted")
        assert " F5 run " in await drive.text()
        await drive.press("f5", *"in=[1]", "escape", "f5", *" n=9")  # the suggestion is replaced
        prompt = drive.app.screen
        assert isinstance(prompt, TextPrompt)
        assert prompt.text == "in=[1] n=9"  # what was typed stays, and typing adds to it
        prompt.query_one(Input).value = VALUES.replace("4", "1")
        assert "there is no other thread" in await drive.see("enter", "<")
        assert screen_of(drive).shown_run.thread == 0
        assert "nothing is expected" in await drive.see("x")


@pytest.mark.parametrize("room", [20, 74, 114, 194])
def test_the_keys_fit(room: int) -> None:
    text = format_keys(KEYS, room)
    assert len(text) <= room or room == 20
    assert text.endswith("Esc leave")


@pytest.mark.parametrize(
    ("width", "place"),
    [(34, "%d5    = param1[2]"), (48, "%d5    = 0x00007f0000000208  param1[2]")],
)
def test_values_are_marked_and_addresses_are_shown_as_places(width: int, place: str) -> None:
    run = run_text(f"{VALUES} --thread 2").move_to_end()
    for shown, text in ((run, place), (run.move_back().move_back(), "• %r4    = 0x00000009  9")):
        lines = ["".join(x.text for x in line) for line in ValuesPane(shown).draw(width)]
        assert any(text in line for line in lines), lines


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_buffers_are_shown_and_scrolled(size: tuple[int, int]) -> None:
    async with explorer(size=size) as drive:
        await launch(drive, VALUES.replace("zeros:u32:3", "zeros:u32:400"))
        await drive.press("m")
        pane = screen_of(drive).query_one(ValuesPane)
        shown = values(drive).split()
        assert [x for x in shown if len(x) == 1] == ["1", "2", "3"]
        assert [x for x in shown if len(x) == 8] == ["00000001", "00000002", "00000003"]
        await drive.press("m", "end", "N", "N")
        assert str(pane.border_title) == "param1 out (u32 × 400)"
        assert "+" not in values(drive)
        await drive.press("n")
        assert "•3" in values(drive)
        assert "+6" in values(drive)
        assert pane.scroll_offset.y == 0
        await drive.press("tab", "pagedown")
        assert pane.scroll_offset.y > 0
        await drive.press("M", "M")
        assert str(pane.border_title) == "Registers and memory"
        drive.agree()
