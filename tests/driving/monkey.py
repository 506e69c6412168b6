"""A monkey at the explorer: seeded keys, texts, pastes, clicks, drags, wheels and sizes.

Every event is a record, so the list of a monkey's events can be replayed.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from textual import events
from textual.dom import DOMNode
from textual.keys import key_to_character

from ptxscope.state.actions import ACTIONS
from ptxscope.state.state_store import format_state
from tests.driving.explorer import Driver

KERNEL = """.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %d<6>;
  .file 1 "sum.cu"
  .loc 1 3 7
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  ld.param.u32 %r8, [n];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, %r8;
  @%p1 bra END;
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d4, %d1, %d3;
  add.u64 %d5, %d2, %d3;
  .loc 1 4 9
  ld.global.u32 %r2, [%d4];
  vadd4.u32.u32.u32 %r4, %r2, %r2, %r8;
  st.global.u32 [%d5], %r4;
END:
  ret;
}
"""
ARGUMENTS = "in=[1,2,3] out=zeros:u32:3 n=3 --block 4 --expect out=[3,6,9]"
_TEXTS = [
    KERNEL,
    "{ add.u32 t, a, b; vsub4.u32.u32.u32 d, t, c, c; }",
    "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0; %r2=0x80ff7f01 %r3=-1",
    "setp.lt.f16x2 p|q, a, b;",
    "d = __vaddss4(a, b);",
    'asm("vadd.u32.s32.s32.sat %0.b0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));',
    "vadd4.s32.s32.s32.sat d, a, 0x7f, c",
    "é\u202e\ud7ff🦜[bold]\t\x1b[31m\n\n",
    ARGUMENTS,
    "",
]
_WORDS = [
    *("-1", "255", "0x7f", "0x80ff7f01", "yes", "no", "[1,2,3,4]", "?", "0x??01??00", "1.5", "inf"),
    *("vadd4", "prmt", "selp", "lessons", "export", "theme", ARGUMENTS, "k.ptx", "out.svg", "a.b3"),
    *("%r1=5", "vmin4.u32.u32.u32 d, a, b, c;", ".sat", "b3210", "signedness", "step", "é🦜"),
]
_KEYS = """left right up down home end tab shift+tab enter escape backspace delete space pageup
pagedown ctrl+up ctrl+down ctrl+left ctrl+right shift+left shift+up ctrl+r ctrl+k ctrl+a ctrl+o
ctrl+s ctrl+y ctrl+p ctrl+u ctrl+w ctrl+c f1 f2 f5 f8""".split()
_SIZES = [
    *((80, 24), (120, 40), (200, 60), (40, 12), (20, 6), (99, 31), (160, 50), (110, 18), (80, 17)),
    *((1, 1), (2, 60), (300, 3)),
]
_JOURNEYS: tuple[tuple[str, ...], ...] = (
    (f"paste {KERNEL}", "f5", "ctrl+a", "ctrl+k", f"type {ARGUMENTS}", "enter"),
    ("v",),
    ("equals_sign", "r", "m", "right", "space", "escape"),
    ("P",),
    ("i", "end", "type , e"),
    ("ctrl+p", "type lessons", "enter", "down", "enter"),
    ("l",),
    ("o", "type -1"),
    ("ctrl+p", "type swe", "enter"),
)
"""Ways to what random keys seldom find, from the main screen."""
_KINDS = {"bound": 34, "key": 14, "letter": 8, "word": 5, "paste": 2, "click": 12, "double": 4}
_KINDS |= {"drag": 5, "wheel": 3, "size": 3, "do": 5, "journey": 4, "leave": 4}
"""How often each kind of events is drawn, of about a hundred times."""
_ENDS = {"q", "ctrl+q", "ctrl+z", "ctrl+d"}
"""Keys that end the explorer, or stop it."""
_MAX_WAIT_SECONDS = 2.0
"""Seconds after which a search is stopped with Escape."""


class MonkeyEvent(NamedTuple):
    """What the monkey does: a kind, and what it is done with."""

    kind: str
    values: tuple[str | int, ...] = ()


def list_bound_keys(drive: Driver) -> list[str]:
    """Return the keys of all current bindings, except the ones that end the explorer."""
    return sorted(key for key in drive.app.screen.active_bindings if key not in _ENDS)


def draw_events(drive: Driver, rng: Random) -> Iterator[MonkeyEvent]:
    """Yield the next events: one, or some that belong together."""
    width, height = drive.app.size

    def point() -> tuple[int, int]:
        beyond = 30 if rng.random() < 0.05 else 0
        return rng.randrange(width + beyond), rng.randrange(height + beyond)

    (kind,) = rng.choices([*_KINDS], [*_KINDS.values()])
    if kind in ("leave", "journey", "do"):
        for _ in range(rng.randrange(1, 4)):
            yield MonkeyEvent("key", ("escape",))
    match kind:
        case "bound":
            yield MonkeyEvent("key", (rng.choice(list_bound_keys(drive) or ["escape"]),))
        case "key":
            yield MonkeyEvent("key", (rng.choice(_KEYS),))
        case "letter":
            yield MonkeyEvent("key", (rng.choice("abcdefghijklmnoprstuvwxyz0123456789NPCXGM-+.,"),))
        case "word":
            yield MonkeyEvent("type", (rng.choice(_WORDS),))
            if rng.random() < 0.7:
                yield MonkeyEvent("key", ("enter",))
        case "paste":
            yield MonkeyEvent("paste", (rng.choice(_TEXTS),))
        case "click" | "double":
            x, y = point()
            button = rng.choices((1, 2, 3), (8, 1, 2))[0]
            for _ in range(2 if kind == "double" else 1):
                yield MonkeyEvent("down", (x, y, button))
                yield MonkeyEvent("up", (x, y, button))
        case "drag":
            (x, y), button = point(), rng.choices((1, 3), (5, 1))[0]
            yield MonkeyEvent("down", (x, y, button))
            for _ in range(rng.randrange(1, 5)):
                x, y = point()
                yield MonkeyEvent("move", (x, y, button))
                if rng.random() < 0.1:
                    yield MonkeyEvent("key", (rng.choice(_KEYS),))
            if rng.random() < 0.9:  # else it leaves the window
                yield MonkeyEvent("up", (x, y, button))
        case "wheel":
            yield MonkeyEvent(rng.choice(("wheel up", "wheel down")), point())
            yield MonkeyEvent("move", (*point(), 0))
        case "journey":
            for step in rng.choice(_JOURNEYS):
                name, _, value = step.partition(" ")
                yield MonkeyEvent(name, (value,)) if value else MonkeyEvent("key", (name,))
        case "size":
            yield MonkeyEvent("size", rng.choice(_SIZES))
        case "do":
            names = sorted(x.id for x in ACTIONS.values() if not x.is_numbered and x.id != "quit")
            yield MonkeyEvent("do", (rng.choice(names),))


_MOUSE: dict[str, type[events.MouseEvent]] = {
    "down": events.MouseDown,
    "up": events.MouseUp,
    "move": events.MouseMove,
    "wheel up": events.MouseScrollUp,
    "wheel down": events.MouseScrollDown,
}


async def perform(drive: Driver, event: MonkeyEvent) -> None:
    """Do what an event says, as the terminal's driver hands it over."""
    terminal = drive.app._driver
    assert terminal is not None
    kind, values = event
    if kind == "key":
        key = str(values[0])
        terminal.process_message(events.Key(key, key_to_character(key)))
    elif kind == "type":
        for char in str(values[0]):
            terminal.process_message(events.Key(char, char))
    elif kind == "paste":
        terminal.process_message(events.Paste(str(values[0])))
    elif kind == "size":
        await drive.pilot.resize_terminal(*map(int, values))
    elif kind == "do":
        if drive.app.screen is drive.screen:
            await drive.screen.action_do(str(values[0]))
    else:
        x, y, button = (*map(int, values), 0)[:3]
        mouse = _MOUSE[kind](None, x, y, 0, 0, button, False, False, False, x, y)
        terminal.process_message(mouse)


async def settle(drive: Driver) -> None:
    """Wait until all events are done; stop a search that takes long."""
    end = time.monotonic() + _MAX_WAIT_SECONDS
    await drive.pilot.pause()
    while (drive.app.keys.is_busy or len(drive.app.workers)) and drive.app.is_running:
        await asyncio.sleep(0.001)
        await drive.pilot.pause()
        if time.monotonic() > end:
            await perform(drive, MonkeyEvent("key", ("escape",)))
            end = time.monotonic() + _MAX_WAIT_SECONDS


def check(drive: Driver) -> None:
    """Check that the explorer runs, and that all it shows is of its state."""
    assert drive.app.is_running, drive.app.failure
    assert drive.app._exception is None
    state = drive.state
    json.loads(format_state(state.make_saved_state()))
    assert 0 <= state.step <= state.last_step
    if drive.app.screen is drive.screen:
        drive.agree()
    focus: DOMNode | None = drive.app.focused
    assert focus is None or focus.is_attached


def check_history(drive: Driver) -> None:
    """Check that undoing everything and redoing it returns to the same state."""
    session = drive.session
    moment, count = session.moment, len(session.redo_history)
    while drive.state.undo():
        pass
    while len(session.redo_history) > count:
        assert drive.state.redo()
    assert session.moment == moment


async def _stay() -> None:
    """Do nothing where the explorer would end."""


async def play(drive: Driver, seed: int, count: int) -> list[MonkeyEvent]:
    """Let the monkey play, and return what it did; the last event is where a check failed."""
    rng, log = Random(seed), list[MonkeyEvent]()
    drive.app.action_quit = _stay  # type: ignore[method-assign]
    while len(log) < count and drive.app.is_running:
        for event in draw_events(drive, rng):
            log.append(event)
            await perform(drive, event)
            if rng.random() < 0.5:
                await settle(drive)
        if rng.random() < 0.3:
            await settle(drive)
            check(drive)
    await settle(drive)
    check(drive)
    return log
