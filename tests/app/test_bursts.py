"""Keys that come in a burst do what they do one by one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.message import Message

from ptxscope.screens.main.main_screen import MainScreen
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


@ci_only
async def test_keys_behind_one_that_takes_long_are_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ptxscope.app.key_queue.ROUNDS", 1)
    monkeypatch.setattr("ptxscope.app.key_queue.TICK", 0.05)

    def slow(self: MainScreen) -> None:
        time.sleep(0.7)

    monkeypatch.setattr(MainScreen, "action_random", slow)
    async with explorer(*LINE) as drive:
        await drive.mash("r", "o", *"12", "enter", "r", "down", *"7", "enter", pace=0.08)
        await drive.pilot.pause(1.0)
        assert drive.app.is_running
        operands = drive.session.trace.operands
        assert (operands["a"], operands["b"]) == (12, 7)


async def test_ctrl_c_drops_the_keys_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    done = 0

    def slow(self: MainScreen) -> None:
        nonlocal done
        done += 1
        time.sleep(0.05)

    monkeypatch.setattr(MainScreen, "action_random", slow)
    async with explorer(*LINE) as drive:
        await drive.mash(*"r" * 100, "ctrl+c", pace=0)
        assert "Press q to leave" in await drive.text()
        assert done < 50


# --- text that comes faster than anybody types -------------------------------------------


Fed = Callable[[list[str | float]], list[Message]]


@pytest.fixture
def fed(monkeypatch: pytest.MonkeyPatch) -> Fed:
    """What the terminal's parser makes of texts, with pauses of seconds between them."""
    terminal = pytest.importorskip("ptxscope.app.terminal_driver", reason="it is POSIX's terminal")
    now = 100.0
    for name in ("time.monotonic", "_parser.get_time"):
        module, _, attribute = name.partition(".")
        where = "ptxscope.app.terminal_driver.time" if module == "time" else f"textual.{module}"
        monkeypatch.setattr(f"{where}.{attribute}", lambda: now)

    def feed(parts: list[str | float]) -> list[Message]:
        nonlocal now
        parser = terminal.BurstParser()
        found: list[Message] = []
        for part in (*parts, 1.0):
            if isinstance(part, str):
                found += parser.feed(part)
            else:
                now += part
                found += parser.tick()
        assert not parser.is_waiting
        return found

    return feed


def _told(messages: list[Message]) -> list[str]:
    return [
        f"paste {x.text}" if isinstance(x, events.Paste) else x.key
        for x in messages
        if isinstance(x, events.Key | events.Paste)
    ]


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (["ab\r"], ["a", "b", "enter"]),
        (["x" * 255], ["x"] * 255),
        (["x" * 256], ["paste " + "x" * 256]),
        (["x" * 200, 0.3, "x" * 200], ["x"] * 400),
        (["x" * 300, 0.1, "y", 0.1, "z\r"], ["paste " + "x" * 300 + "yz\r"]),
        (["x" * 300, 0.3, "q"], ["paste " + "x" * 300, "q"]),
        (["x" * 300, "\x1b"], ["paste " + "x" * 300, "escape"]),
        (["x" * 300, "\x1b[A", "y"], ["paste " + "x" * 300 + "y"]),
        (["\x1b[A" * 500], ["up"] * 500),
        (["x" * 300, "\x03"], ["ctrl+c"]),
        (["x" * 300 + "\x03q"], ["ctrl+c", "q"]),
        (["x\x03q"], ["x", "ctrl+c", "q"]),
        (["\x1b[200~" + "x" * 300 + "\x1b[201~", "q"], ["paste " + "x" * 300, "q"]),
        (["\x1b[2", "00~", "x" * 300, "\x03", "\x1b[20", "1~"], ["paste " + "x" * 300 + "\x03"]),
        (
            ["x" * 300 + "\x1b[200~" + "y" * 300 + "\x1b[201~"],
            ["paste " + "x" * 300, "paste " + "y" * 300],
        ),
        (["\x1b\x1b[200~" + "x" * 300 + "\x1b[201~"], ["escape", "paste " + "x" * 300]),
        (["\x1b[A\x1b[200~" + "x" * 300, "\x1b[201~q"], ["up", "paste " + "x" * 300, "q"]),
        (["x" * 300 + "\0"], ["paste " + "x" * 300]),
        (["x" * 5_000_000], ["paste " + "x" * (1 << 22)]),
    ],
)  # fmt: skip
def test_a_burst_of_text_is_one_paste(fed: Fed, parts: list[str | float], told: list[str]) -> None:
    assert _told(fed(parts)) == told


def test_the_mouse_moves_within_a_burst(fed: Fed) -> None:
    found = fed(["x" * 300 + "\x1b[<35;10;10M" + "y"])
    assert any(isinstance(x, events.MouseMove) for x in found)
    assert _told(found) == ["paste " + "x" * 300 + "y"]


@ci_only
@POSIX
@pytest.mark.parametrize(
    "text", [b"ab1 ", b"a\x1b[31mb", b"vadd4.s32.s32.s32 d, a, b, c\r"], ids=["a", "esc", "ptx"]
)
def test_a_megabyte_that_is_typed_does_not_keep_it_busy(text: bytes, tmp_path: Path) -> None:
    text = (text * (1 << 20))[: 1 << 20]
    with Explorer(tmp_path) as app:
        app.wait_for(b"vset4")
        app.settle()
        os.set_blocking(app.master, False)
        began = os.times()
        while text:
            app.read(0)
            try:
                text = text[os.write(app.master, text[:4096]) :]
            except BlockingIOError:
                time.sleep(0.001)
        os.set_blocking(app.master, True)
        for key in (b"\x1b", b"q"):  # out of the line
            app.settle()
            app.type(key)
        assert app.ended() == 0
        ended = os.times()
        assert ended.children_user - began.children_user < 60  # as keys it took 218


async def test_a_paste_that_is_too_long_is_refused() -> None:
    async with explorer(*LINE) as drive:
        setup = drive.session.setup
        assert f"more than {MAX_CHARS:,} characters" in await drive.read_after(
            drive.paste("x" * (MAX_CHARS + 1))
        )
        assert drive.session.setup == setup
