"""A trace is predicted in the explorer: asked, judged, hinted at, left and gone on with."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from ptxscope import parse
from ptxscope.app.app import Explorer
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.base.hint_bar import HintBar
from ptxscope.widgets.lanes.lanes_pane import LanesPane
from tests.app.driving import KEYS, Driver, explorer
from tests.tiers import ci_only, sampled, some

pytestmark = [sampled, ci_only]

LINE = "vadd4.s32.s32.s32.sat d, a, b, c"
VALUES = {"a": 0x80FF7F01, "b": 0x01010180, "c": 0}
SIZES = ((80, 24), (120, 40))
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


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_asked_is_not_to_be_seen(size: tuple[int, int]) -> None:
    async with explorer(LINE, VALUES, size=size) as drive:
        shown = await drive.see("1", "P")
        assert "predict" in shown
        lanes = drive.pane("lanes").read_text()
        assert "-128" not in shown
        assert "81007f81" not in shown
        assert lanes.count("▁▁▁▁") == 8
        assert "What will it be?" in drive.hint
        assert drive.focus is drive.pane("lanes")


@pytest.mark.parametrize("size", SIZES)
async def test_a_wrong_lane_says_why_and_stays(size: tuple[int, int]) -> None:
    async with explorer(LINE, VALUES, size=size) as drive:
        await drive.press("1", "P", "right")
        assert "✗ 255" in await tell(drive, "255")
        assert drive.hint == "× You read 0xff as unsigned."
        assert place(drive) == ("extend.a", 2)
        await tell(drive, "-1")
        assert drive.hint == "✓ Right"
        assert place(drive) == ("extend.a", 1)
        assert "✗" not in drive.pane("lanes").read_text()
        assert "ff" in drive.pane("lanes").read_text()


async def test_a_hint_does_not_carry_the_mark_of_a_wrong_answer() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P", "right")
        await tell(drive, "255")
        assert drive.hint.startswith("× ")
        await drive.press("h")
        assert drive.hint.startswith("Lane 2 comes from a.b2")
        await drive.press("left", "right")
        assert drive.hint.startswith("Lane 2 comes from a.b2")
        assert "✗ 255" in await drive.text()  # the answer is wrong still


async def test_what_was_typed_is_kept_while_another_lane_is_looked_at() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P")
        await drive.type("12")
        await drive.press("escape")
        assert drive.state.is_predicting
        assert place(drive) == ("extend.a", 3)
        shown = await drive.see("right")
        assert "12 ?" in shown
        await drive.type("0x")
        await drive.press("escape", "left", "enter")
        assert "= 12" in await drive.text()
        await drive.press("8", "escape", "escape")
        assert not drive.state.is_predicting
        assert drive.state.step == 1
        shown = await drive.see("P")
        assert "128 ?" in shown
        assert "0x ?" in shown
        assert drive.state.step == 2


async def test_steps_can_be_shown_and_gone_back_to() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("1", "P")
        await tell(drive, "-128")
        shown = await drive.see("n")
        assert "-128" in shown
        assert place(drive) == ("operate.t", 3)
        await drive.press("N")
        assert place(drive) == ("extend.a", 2)  # lane 3 was told
        await drive.press("end")
        assert not drive.state.is_predicting


async def test_the_next_step_has_no_hint_of_the_step_before() -> None:
    async with explorer(LINE, VALUES) as drive:
        await drive.press("P", "n", "h")
        hints = drive.screen.query_one(HintBar)
        assert hints.read_text()
        await drive.press("n")
        assert not hints.read_text().strip()


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

    def record_guesses(pane: LanesPane, *args: Any, **kwargs: Any) -> None:
        shown.append(kwargs.get("guesses"))
        show_trace(pane, *args, **kwargs)

    monkeypatch.setattr(LanesPane, "show_trace", record_guesses)
    app = Explorer(None, None, store=store, predict=not is_saved)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert shown
        assert None not in shown


# --- a monkey ----------------------------------------------------------------------------

_KEYS = "P P h h n p 1 2 8 0 minus x enter enter enter enter right left up down escape".split()
_KEYS += "d s r t m o i a home end space equals_sign less_than_sign tab u pageup g w".split()


@pytest.mark.parametrize("seed", some(range(3)))
async def test_a_monkey_predicts(seed: int) -> None:
    rng = Random(seed)
    async with explorer(LINE, VALUES) as drive:
        for size in ((80, 24), (120, 40), (40, 12)):
            await drive.press("escape", "escape", "escape", "P")
            await drive.mash(*rng.choices(_KEYS, k=20))
            await drive.pilot.resize_terminal(*size)
            assert drive.app.is_running
            drive.agree()
            kept = drive.state.make_saved_state().guesses
            assert all(isinstance(x, list) for x in kept)


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
        levels = []
        for _ in range(3):
            old_trace = drive.state.trace
            await drive.press("enter", "enter")  # nothing is typed: no answer, none that counts
            await drive.press("escape")
            assert drive.state.is_predicting
            await _answer_all(drive)
            assert drive.state.practice is not None
            levels.append((drive.state.practice.level, drive.state.practice.right_count))
            shown = await drive.text()
            assert "at the first try · Enter: another one" in shown
            assert "Enter another one" in shown
            await drive.press("enter")
            assert drive.state.is_predicting
            assert drive.state.step == 1
            assert drive.state.trace != old_trace
            assert drive.state.trace.instruction.opcode in ("vadd", "vadd2", "vadd4")
        assert levels == [(1, 1), (1, 2), (2, 0)]
