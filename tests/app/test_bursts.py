"""Keys that come in a burst do what they do one by one."""

from __future__ import annotations

import time

import pytest

from ptxscope.screens.main import MainScreen
from tests.app.driving import Driver, explorer
from tests.tiers import sampled, some

LINE = ("vadd.s32.s32.s32 d, a, b", {"a": 0, "b": 0})
KEYS = {
    "digits": ("o", *"12"),
    "hexadecimal": ("o", *"0x12", "enter"),
    "two operands": ("o", "enter", *"123", "enter", "down", "enter", *"45", "enter"),
    "a field that was left": ("o", *"56", "ctrl+u", "escape", "o", *"789", "enter"),
    "the line": ("i", "end", "left", "ctrl+w", *"x, y", "escape"),
    "dialogs": ("w", *"hello", "enter", "x", *"0x7", "escape", "o", *"9", "enter"),
    "answers": ("ctrl+o", "x", "enter", "enter", "escape", "w", "y", "enter", "enter", "escape"),
    "find": ("slash", *"vmad", "enter", "o", *"3", "enter"),
}


@sampled
@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("pace", some([0, 0.002]))
async def test_a_burst_does_what_single_keys_do(name: str, pace: float) -> None:
    async with explorer(*LINE) as drive:
        await drive.press(*KEYS[name])
        slow = await _painted(drive)
        setup = drive.session.setup
    async with explorer(*LINE) as drive:
        await drive.mash(*KEYS[name], pace=pace)
        fast = await _painted(drive)
        assert drive.session.setup == setup
        assert fast == slow


async def _painted(drive: Driver) -> str:
    """What stands on the screen; a scrollbar follows in the frame after what it scrolls."""
    await drive.text()
    return await drive.text()


async def test_an_emptied_field_takes_what_is_typed_in_order() -> None:
    async with explorer(*LINE) as drive:
        await drive.press("o", "5", "6", "ctrl+u", "escape")
        await drive.press("o", "7", "8", "9", "enter")
        assert drive.session.trace.operands["a"] == 789


async def test_keys_behind_one_that_takes_long_are_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ptxscope.keys_in_order.ROUNDS", 1)
    monkeypatch.setattr("ptxscope.keys_in_order.TICK", 0.05)

    def slow(self: MainScreen) -> None:
        time.sleep(0.7)

    monkeypatch.setattr(MainScreen, "action_random", slow)
    async with explorer(*LINE) as drive:
        await drive.mash("r", "o", *"12", "enter", "r", "down", *"7", "enter", pace=0.08)
        await drive.pilot.pause(1.0)
        assert drive.app.is_running
        operands = drive.session.trace.operands
        assert (operands["a"], operands["b"]) == (12, 7)
