"""Keys that come in a burst do what they do one by one."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest
from textual.app import App

from ptxscope.state.actions import ACTIONS
from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.open_listing import MAX_CHARS
from tests.app.driving import Driver, explorer
from tests.app.on_pty import Explorer
from tests.tiers import ci_only, sampled, some

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="it is POSIX's terminal")

LINE = ("vadd.s32.s32.s32 d, a, b", {"a": 0, "b": 0})
KEYS = {
    "digits": ("o", *"12"),
    "hexadecimal": ("o", *"0x12", "enter"),
    "two operands": ("o", "enter", *"123", "enter", "down", "enter", *"45", "enter"),
    "a field that was left": ("o", *"56", "ctrl+u", "escape", "o", *"789", "enter"),
    "the line": ("i", "end", "left", "ctrl+w", *"x, y", "escape"),
    "dialogs": ("g", *"hello", "escape", "x", *"0x7", "escape", "o", *"9", "enter"),
    "answers": ("g", "x", "enter", "enter", "escape", "e", "y", "enter", "enter", "escape"),
    "find": ("slash", *"vmad", "enter", "o", *"3", "enter"),
}


@sampled
@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("pace", some([0, 0.002]))
async def test_a_burst_does_what_single_keys_do(
    name: str, pace: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(App, "notify", lambda *_, **__: None)  # what is told goes after some time
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


@ci_only
@POSIX
@pytest.mark.parametrize(
    ("keys", "typed"),
    [
        ("o1\r\x1b[B\r2\r\x1b[B\r3\rnnppo4\r", {"a": "0x1", "b": "0x2", "c": "0x4"}),
        ("/vmad\ro3\r", {"a": "0x3", "b": "0x0", "c": "0x0"}),
    ],
)
def test_keys_at_thirty_a_second_reach_their_fields(
    keys: str, typed: dict[str, str], tmp_path: Path
) -> None:
    words = ("vmad.s32.s32.s32 d, a, b, c", "a=0", "b=0", "c=0")
    with Explorer(tmp_path, size=(120, 40), words=words) as app:
        app.wait_for(b"vmad")
        for key in re.findall(r"\x1b\[.|.", f"{keys}q", re.DOTALL):
            app.type(key.encode())
            app.read(1 / 30)
        assert app.ended() == 0
        setup = json.loads(app.state.read_text(encoding="utf-8"))["setup"]
        assert setup["values"] == typed


async def test_an_emptied_field_takes_what_is_typed_in_order() -> None:
    async with explorer(*LINE) as drive:
        await drive.press("o", "5", "6", "ctrl+u", "escape")
        await drive.press("o", "7", "8", "9", "enter")
        assert drive.operands["a"] == 789


@ci_only
async def test_keys_behind_one_that_takes_long_are_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ptxscope.app.key_queue.ROUNDS", 1)
    monkeypatch.setattr("ptxscope.app.key_queue.TICK", 0.05)

    def slow(_: ExplorerState) -> None:
        time.sleep(0.2)

    action = ACTIONS["edit.random"]._replace(run=slow)
    monkeypatch.setitem(ACTIONS, action.id, action)
    async with explorer(*LINE) as drive:
        await drive.mash("r", "o", *"12", "enter", "r", "down", *"7", "enter", pace=0.08)
        assert drive.app.is_running
        operands = drive.operands
        assert (operands["a"], operands["b"]) == (12, 7)


async def test_ctrl_c_drops_the_keys_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    done = 0

    def slow(_: ExplorerState) -> None:
        nonlocal done
        done += 1
        time.sleep(0.05)

    action = ACTIONS["edit.random"]._replace(run=slow)
    monkeypatch.setitem(ACTIONS, action.id, action)
    async with explorer(*LINE) as drive:
        await drive.mash(*"r" * 100, "ctrl+c", pace=0)
        assert "Press q to leave" in await drive.text()
        assert done < 50


async def test_a_paste_that_is_too_long_is_refused() -> None:
    async with explorer(*LINE) as drive:
        setup = drive.session.setup
        assert f"more than {MAX_CHARS:,} characters" in await drive.read_after(
            drive.paste("x" * (MAX_CHARS + 1))
        )
        assert drive.session.setup == setup
