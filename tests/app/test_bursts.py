"""Keys that come in a burst do what they do one by one."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest
from textual.app import App

from ptxscope.state.actions import ACTIONS
from ptxscope.state.explorer_state import ExplorerState
from tests.driving.explorer import Driver, explorer
from tests.driving.pseudo_terminal import Explorer
from tests.tiers import ci_only, sampled, some

LINE = ("vadd.s32.s32.s32 d, a, b", {"a": 0, "b": 0})
KEYS: dict[str, tuple[tuple[str, ...], int]] = {
    "digits": (("o", *"12"), 0),
    "hexadecimal": (("o", *"0x12", "enter"), 0x12),
    "two operands": (("o", "enter", *"123", "enter", "down", "enter", *"45", "enter"), 123),
    "a field that was left": (("o", *"56", "ctrl+u", "escape", "o", *"789", "enter"), 789),
    "the line": (("i", "end", "left", "ctrl+w", *"x, y", "escape"), 0),
    "actions after the line": (("i", "end", *"xy", "enter", *"NNu", "i", "z", "enter", "u"), 0),
    "dialogs": (("g", *"hello", "escape", "x", *"0x7", "escape", "o", *"9", "enter"), 9),
    "answers": (("g", "x", "enter", "enter", "escape", "e", "y", "enter", "enter", "escape"), 0),
    "find": (("slash", *"vmad", "enter", "o", *"3", "enter"), 3),
}
"""Keys, and the value of a after them."""


@sampled
@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("pace", some([0, 0.002]))
async def test_a_burst_does_what_single_keys_do(
    name: str, pace: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(App, "notify", lambda *_, **__: None)  # what is told goes after some time
    keys, value = KEYS[name]
    async with explorer(*LINE) as drive:
        await drive.press(*keys)
        slow = await _painted(drive)
        setup = drive.session.setup
        assert setup.values["a"] == value
    async with explorer(*LINE) as drive:
        await drive.mash(*keys, pace=pace)
        fast = await _painted(drive)
        assert drive.session.setup == setup
        assert fast == slow


async def _painted(drive: Driver) -> str:
    """What stands on the screen; a scrollbar follows in the frame after what it scrolls."""
    await drive.text()
    return await drive.text()


@ci_only
@pytest.mark.skipif(sys.platform == "win32", reason="it is POSIX's terminal")
def test_keys_at_thirty_a_second_reach_their_fields(tmp_path: Path) -> None:
    words = ("vmad.s32.s32.s32 d, a, b, c", "a=0", "b=0", "c=0")
    with Explorer(tmp_path, size=(120, 40), words=words) as app:
        app.wait_for(b"vmad")
        for key in re.findall(r"\x1b\[.|.", "o1\r\x1b[B\r2\r\x1b[B\r3\rnnppo4\rq", re.DOTALL):
            app.type(key.encode())
            app.read(1 / 30)
        assert app.ended() == 0
        assert app.read_saved("setup")["values"] == {"a": "0x1", "b": "0x2", "c": "0x4"}


def make_random_values_slow(monkeypatch: pytest.MonkeyPatch, seconds: float) -> list[float]:
    """Let `r` do nothing for some seconds; the list gets an item each time."""
    done: list[float] = []

    def sleep(_: ExplorerState) -> None:
        done.append(seconds)
        time.sleep(seconds)

    action = ACTIONS["edit.random"]._replace(run=sleep)
    monkeypatch.setitem(ACTIONS, action.id, action)
    return done


@ci_only
async def test_keys_behind_one_that_takes_long_are_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ptxscope.app.key_queue.ROUNDS", 1)
    monkeypatch.setattr("ptxscope.app.key_queue.TICK", 0.05)
    make_random_values_slow(monkeypatch, 0.2)
    async with explorer(*LINE) as drive:
        await drive.mash("r", "o", *"12", "enter", "r", "down", *"7", "enter", pace=0.08)
        assert drive.operands == {"a": 12, "b": 7}


async def test_ctrl_c_drops_the_keys_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    done = make_random_values_slow(monkeypatch, 0.02)
    async with explorer(*LINE) as drive:
        await drive.mash(*"r" * 100, "ctrl+c", pace=0)
        assert "Press q to leave" in await drive.text()
        assert len(done) < 50
