"""A trace is predicted in the explorer: asked, judged, hinted at, left and gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ptxscope import parse
from ptxscope.app.app import Explorer
from ptxscope.scene.scene_model import LaneRef
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.lanes.lane_layout import LanesState
from ptxscope.widgets.lanes.lanes_pane import LanesPane
from tests.driving.explorer import KEYS, Driver, explorer
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

LINE = "vadd4.s32.s32.s32.sat d, a, b, c"
VALUES = {"a": 0x80FF7F01, "b": 0x01010180, "c": 0}
# lanes 3 to 0 by hand: a -128 -1 127 1, b 1 1 1 -128
SUMS = (-127, 0, 128, -127)
KEPT = (-127, 0, 127, -127)
ROWS = {
    "select.a": ("0x80", "255", "127", "0b1"),
    "select.b": ("1", "1", "1", "-128"),
    "extend.a": ("-128", "-1", "127", "1"),
    "extend.b": ("1", "1", "1", "-128"),
    "operate.t": tuple(map(str, SUMS)),
    "saturate.t": tuple(map(str, KEPT)),
    "merge.t": ("0x81", "0", "0x7f", "129"),
    "write.d": ("[-127,0,127,-127]",),
}


def place(drive: Driver) -> tuple[str, int] | None:
    """Where the cursor stands."""
    found = drive.lanes.place
    return (found.key, found.lane) if found else None


async def tell(drive: Driver, text: str) -> str:
    """Type an answer and enter it."""
    return await drive.see(*(KEYS.get(char, char) for char in text), "enter")


@pytest.mark.parametrize("case", some([((80, 24), 3), ((120, 40), 1)]))
async def test_a_trace_is_told_to_the_last_step(case: tuple[tuple[int, int], int]) -> None:
    size, first = case
    async with explorer(LINE, VALUES, size=size) as drive:
        await drive.press(*("2P" if first == 3 else "1PN"))
        assert drive.state.is_predicting
        assert drive.pane("lanes").read_text().count("▁▁▁▁") == (4 if first == 3 else 8)
        stages = [str(step.stage) for step in drive.session.trace.steps[first - 1 :]]
        count = 0
        for key in (key for key in ROWS if key.partition(".")[0] in stages):
            answers = ROWS[key]
            for lane, text in zip((3, 2, 1, 0), answers, strict=False):
                assert place(drive) == (key, lane if len(answers) > 1 else 0)
                assert drive.state.is_result_hidden
                await tell(drive, text)
                count += 1
        assert not drive.state.is_predicting
        assert f"{count} values right, {count} at the first try" in drive.hint
        assert "0x81007f81" in await drive.text()
        assert drive.state.step == 6


async def test_the_explorer_opens_with_the_first_step_asked(tmp_path: Path) -> None:
    for line, store in ((LINE, None), (None, None), (None, StateStore(tmp_path, tmp_path))):
        ins = parse(line) if line else None
        app = Explorer(ins, VALUES if line else None, store=store, predict=True)
        app.animation_level = "none"
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            drive = Driver(app, pilot)
            assert "Step 1 of" in await drive.text()
            assert drive.state.is_predicting
            assert place(drive) == ("select.a", 3)
            await tell(drive, hex(drive.operands["a"] >> 24))
            assert drive.hint == "✓ Right"


@pytest.mark.parametrize("is_saved", [False, True])
async def test_no_paint_reveals_the_answer(
    is_saved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = StateStore(tmp_path, tmp_path)
    async with explorer(LINE, VALUES, store=store) as drive:
        await drive.press("4", *"P" * is_saved)
        drive.app.save_state()
    shown = []
    show_trace = LanesPane.show_trace

    def record_guesses(pane: LanesPane, view: LanesState, **kwargs: Any) -> None:
        shown.append(view.guesses)
        show_trace(pane, view, **kwargs)

    monkeypatch.setattr(LanesPane, "show_trace", record_guesses)
    app = Explorer(None, None, store=store, predict=not is_saved)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert shown
        assert None not in shown


async def _answer_all(drive: Driver) -> None:
    """Answer each lane with what the engine computes, until the last step is drawn."""
    for _ in range(60):
        if not drive.state.is_predicting:
            break
        place = drive.state.find_next_lane()
        assert place is not None
        right = drive.state.trace.rows[place.key].values[place.lane]
        drive.lanes.move_cursor_to(place)
        await drive.type(str(right))
        await drive.press("enter")


async def test_enter_after_the_last_answer_draws_another_line_of_the_family() -> None:
    async with explorer("vadd4.u32.u32.u32 d, a, b, c", {"a": 1, "b": 2}, size=(120, 40)) as drive:
        await drive.press("1", "P")
        old_trace = drive.state.trace
        await drive.press("enter", "enter", "escape")  # nothing is typed: no answer that counts
        assert drive.state.is_predicting
        await _answer_all(drive)
        assert drive.state.practice is not None
        assert drive.state.practice.right_count == 1
        shown = await drive.text()
        assert "at the first try · Enter: another one" in shown
        assert "Enter another one" in shown
        await drive.press("enter")
        assert drive.state.is_predicting
        assert drive.state.step == 1
        assert drive.state.trace != old_trace
        assert drive.opcode in ("vadd", "vadd2", "vadd4")


# --- what keys type, and what an unreadable entry leaves --------------------------------------

TYPED = ("vmin4.u32.u32.u32 d, a.b7654, b, c", {"a": 0xD4FA0102, "b": 0xFF030405, "c": 0})


# --- leaving -----------------------------------------------------------------------------


async def test_leaving_the_first_step_draws_the_operands_alone() -> None:
    async with explorer(*TYPED, size=(80, 24)) as drive:
        await drive.press("1", "P", "N")
        assert drive.state.step == 1
        chips = drive.pane("lanes").read_text().count("ff")
        await drive.press("escape")
        assert not drive.state.is_predicting
        assert drive.state.is_result_hidden
        assert drive.state.step == 0
        assert "Before step 1" in await drive.text()
        # a takes b's bytes in step 1: none is drawn twice
        assert drive.pane("lanes").read_text().count("ff") == chips
        await drive.press("P")
        assert drive.state.is_predicting
        assert drive.state.step == 1
        assert drive.lanes.place == LaneRef("select.a", 3)


# --- typing ------------------------------------------------------------------------------


async def test_a_digit_as_the_chips_show_it_begins_an_answer() -> None:
    async with explorer(*TYPED) as drive:
        await drive.press("1", "P", "N")
        for char in "0123456789abcdef-[":
            await drive.press(KEYS.get(char, char))
            assert drive.state.is_predicting
            assert drive.state.step == 1
            assert drive.app.screen is drive.screen
            assert drive.field.is_open
            begun = f"0x{char}" if char in "abcdef" else char  # a letter can begin nothing else
            assert drive.field.input.value == begun
            drive.field.input.value = ""
            await drive.press("escape")
