"""Driving the explorer as a person would: keys in, screen text out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from itertools import groupby

from textual import events
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widget import Widget

from ptxscope import parse
from ptxscope.app.app import Explorer
from ptxscope.engine.isa.types import Form
from ptxscope.scene.scene_model import BitRef, LaneRef, Place
from ptxscope.screens.dialogs.key_menu import filter_items, find_best, list_items
from ptxscope.screens.main.main_screen import MainScreen
from ptxscope.state.explorer_state import ExplorerState
from ptxscope.state.session import Session
from ptxscope.state.state_store import StateStore
from ptxscope.widgets.base.pane import Pane
from ptxscope.widgets.lanes.lanes_pane import LanesPane
from ptxscope.widgets.value_field import ValueField

LINE = "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0"
VALUES = {"%r2": 0x80FF7F01, "%r3": 0x01010101, "%r0": 5}
KEYS = {
    " ": "space",
    ".": "full_stop",
    ",": "comma",
    "-": "minus",
    "/": "slash",
    "_": "underscore",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "%": "percent_sign",
    "+": "plus",
    ":": "colon",
    "|": "vertical_line",
    "=": "equals_sign",
    "?": "question_mark",
}

_CHARACTERS = {name: char for char, name in KEYS.items()}


def parse_place(text: str) -> Place:
    """``select.b 3``, or ``lut 0 5`` for a bit."""
    key, lane, *bits = text.split()
    return BitRef(key, int(lane), int(bits[0])) if bits else LaneRef(key, int(lane))


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
    def state(self) -> ExplorerState:
        return self.app.state

    @property
    def session(self) -> Session:
        return self.state.session

    @property
    def line(self) -> str:
        return self.session.setup.line

    @property
    def form(self) -> Form:
        return self.session.setup.instruction.form

    @property
    def opcode(self) -> str:
        return self.session.setup.instruction.opcode

    @property
    def operands(self) -> Mapping[str, int]:
        return self.session.trace.operands

    @property
    def result(self) -> Mapping[str, int]:
        return self.session.trace.result

    @property
    def edit_count(self) -> int:
        """How many edits can be undone."""
        return len(self.session.undo_history)

    @property
    def lanes(self) -> LanesPane:
        return self.screen.view.lanes

    @property
    def field(self) -> ValueField:
        """The field for values and answers."""
        return self.screen.view.mount_value_field()

    @property
    def focus(self) -> Widget | None:
        return self.app.focused

    @property
    def hint(self) -> str:
        """The row of hints, as one line."""
        return " ".join(self.pane("hint").read_text().split())

    async def see(self, *keys: str) -> str:
        """Press keys, and return the screen's text."""
        await self.press(*keys)
        return await self.text()

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until they have done what they do.

        ``@note`` is the action of that name, which the menu has and no key.
        """
        for is_action, group in groupby(keys, lambda key: key.startswith("@")):
            if is_action:
                for key in group:
                    await self.screen.action_do(key.removeprefix("@"))
            else:
                await self.pilot.press(*group)
            await self._settle()

    async def read_after(self, action: Awaitable[None]) -> str:
        """Return the screen's text after an action; drawing all of it takes as long as a key."""
        await action
        return await self.text()

    async def mash(self, *keys: str, pace: float = 0.001) -> None:
        """Send keys one after another without waiting for the screen, then wait."""
        driver = self.app._driver
        assert driver is not None
        for key in keys:
            char = _CHARACTERS.get(key, key if len(key) == 1 else None)
            event = events.Key(key, char)
            event.set_sender(self.app)
            driver.send_message(event)
            await asyncio.sleep(pace)
        await self._settle()

    async def _settle(self) -> None:
        """Wait until every key has done what it does; on a busy machine a pause is too short."""
        await self.pilot.pause()
        while (self.app.keys.is_busy or len(self.app.workers)) and self.app.is_running:
            await asyncio.sleep(0.001)  # a thread may search
            await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type text."""
        await self.press(*(KEYS.get(char, char) for char in text))

    async def paste(self, text: str) -> None:
        """Paste text, as a terminal hands it over."""
        self.app.post_message(events.Paste(text))
        await self._settle()

    async def text(self) -> str:
        """What is on the screen, line by line."""
        await self._settle()
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def click(self, pane: str, text: str) -> None:
        """Click the first place where a panel shows a text."""
        widget = self.screen.query_one(f"#{pane}", Pane)
        for y, line in enumerate(widget.visible_lines):
            said = "".join(piece.text for piece in line)
            if text in said:
                x = said.index(text) + widget.gutter.left
                top = y - widget.scroll_offset.y + widget.gutter.top
                await self.pilot.click(widget, offset=(x, top))
                await self._settle()
                return
        raise AssertionError(f"{text!r} is not in {pane}:\n{widget.read_text()}")

    def locate(self, target: object) -> Offset:
        """Where a piece of the lanes that means something stands."""
        pane = self.lanes
        for y, line in enumerate(pane.visible_lines):
            x = 0
            for piece in line:
                if piece.target == target:
                    return Offset(
                        x + pane.gutter.left + len(piece.text) // 2,
                        y - pane.scroll_offset.y + pane.gutter.top,
                    )
                x += len(piece.text)
        raise AssertionError(f"{target} is not shown:\n{pane.read_text()}")

    async def hit(self, place: Place, button: int = 1) -> None:
        """Click a place of the lanes."""
        await self.pilot.click(self.lanes, offset=self.locate(place), button=button)

    def pane(self, id_: str) -> Pane:
        """A panel."""
        return self.screen.query_one(f"#{id_}", Pane)

    def agree(self) -> None:
        """Line, form, operands and result say the same; panels show what they would draw now."""
        setup, trace = self.session.setup, self.session.trace
        if setup.error is None:
            assert parse(setup.line) == setup.instruction
        assert trace.instruction == setup.instruction
        again = type(trace)(trace.block, trace.model, trace.operands)
        assert again.result == trace.result
        for pane in self.app.screen.query(Pane):
            if width := pane.scrollable_content_region.width:
                assert pane.draw(width) == pane.visible_lines, pane.id
        shown = self.pane("result").read_text()
        for name, bits in trace.result.items():
            assert name in shown
            if not self.state.is_result_hidden:
                assert f"{bits:x}" in shown


@asynccontextmanager
async def explorer(
    line: str | None = LINE,
    values: Mapping[str, int] | None = None,
    *,
    model: str = "isa",
    size: tuple[int, int] = (120, 40),
    store: StateStore | None = None,
) -> AsyncIterator[Driver]:
    """The app, opened on a line."""
    ins = None if line is None else parse(line)
    app = Explorer(ins, VALUES if values is None else values, model, store)
    app.animation_level = "none"
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        yield Driver(app, pilot)


def find_in_menu(drive: Driver, query: str) -> str:
    """Return the group and the name of the item that Enter runs after typing into the filter."""
    items = filter_items(list_items(drive.screen, drive.state), query)
    best = items[find_best(items, query)]
    return f"{best.group}: {best.label}"
