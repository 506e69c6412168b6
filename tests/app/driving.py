"""Driving the explorer as a person would: keys in, screen text out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from ptxscope import parse
from ptxscope.app import Explorer
from ptxscope.screens.main import MainScreen
from ptxscope.session import Session

LINE = "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0"
VALUES = {"%r2": 0x80FF7F01, "%r3": 0x01010101, "%r0": 5}


class Driver:
    """An explorer under test."""

    def __init__(self, app: Explorer, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def screen(self) -> MainScreen:
        main = self.app.screen_stack[0]
        assert isinstance(main, MainScreen)
        return main

    @property
    def session(self) -> Session:
        return self.screen.session

    async def press(self, *keys: str) -> str:
        """Press keys; returns what is on the screen then."""
        await self.pilot.press(*keys)
        return await self.text()

    async def type(self, text: str) -> str:
        """Type text."""
        names = {" ": "space", ".": "full_stop", ",": "comma", "-": "minus", "[": "[", "]": "]"}
        return await self.press(*(names.get(char, char) for char in text))

    async def text(self) -> str:
        """What is on the screen, line by line."""
        await self.pilot.pause()
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)


@asynccontextmanager
async def explorer(
    line: str | None = LINE,
    values: Mapping[str, int] | None = None,
    *,
    model: str = "isa",
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Driver]:
    """The app, opened on a line."""
    ins = None if line is None else parse(line)
    app = Explorer(ins, VALUES if values is None else values, model)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Driver(app, pilot)
