"""The column of a wide screen: what follows there, and what it costs."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from ptxscope.feature import Feature, ScreenPanel, list_problems, refused_parts
from ptxscope.screens.main import action_runner
from ptxscope.screens.main.action_runner import ActionRunner
from ptxscope.screens.main.column_pane import ColumnPane
from ptxscope.state.listing_transitions import open_text
from ptxscope.widgets.base.pane import StyledLine, StyledText
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only

WRAPS = "vadd4.u32.u32.u32 d, a, b, c", {"a": 0xFAC87805, "b": 0x0A0A0A0A, "c": 0}
WIDE = (200, 60)
RESULT = "04d2820f"


class Echo(ColumnPane):
    """Says the step and the place of the cursor, and the result, unless it is hidden."""

    made = 0
    asked = 0
    gate: Event | None = None
    """What answers wait for in a thread."""

    def __init__(self, runner: ActionRunner) -> None:
        super().__init__(runner, "echo", "Echo")
        Echo.made += 1

    async def find_lines(self) -> list[StyledLine]:
        Echo.asked += 1
        state, place = self.state, self.view.lanes.place
        text = f"step {state.step} at {place.key if place else 'nothing'}"
        if not state.is_result_hidden:
            text += f" result {state.trace.result['d']:08x}"
        if Echo.gate is not None:
            await asyncio.to_thread(Echo.gate.wait, 30)
        return [[StyledText(text)]] if state.step > 1 else []


class Other(ColumnPane):
    """Always says something."""

    def __init__(self, runner: ActionRunner) -> None:
        super().__init__(runner, "other", "Other")

    async def find_lines(self) -> list[StyledLine]:
        return [[StyledText("other")]]


def panel(name: str, part: str, after: str = "lanes") -> Feature:
    return Feature(name, screen_panels=(ScreenPanel(name, after, f"{__name__}:{part}", 160),))


@pytest.fixture(autouse=True)
def features(monkeypatch: pytest.MonkeyPatch) -> None:
    Echo.made, Echo.asked, Echo.gate = 0, 0, None
    monkeypatch.setattr(action_runner, "list_features", lambda: (panel("echo", "Echo"),))


async def echo(drive: Driver) -> str:
    """What the pane shows."""
    await drive.text()
    pane = drive.screen.query_one(Echo)
    return pane.read_text() if pane.display else ""


async def test_it_is_there_from_160_columns_on() -> None:
    async with explorer(*WRAPS, size=(159, 45)) as drive:
        width = drive.lanes.size.width
        await drive.press("l", "up", "escape")
        assert not drive.screen.query(ColumnPane)
        assert Echo.made == 0
        for size, is_there in (((160, 45), True), ((159, 45), False), (WIDE, True)):
            await drive.pilot.resize_terminal(*size)
            assert ("step 5 at nothing" in await drive.text()) == is_there
            assert (drive.screen.view.column.region.width > 0) == is_there
            assert (drive.lanes.size.width == width) == (size[0] == 159)
        assert Echo.made == 1
        asked = Echo.asked
        await drive.pilot.resize_terminal(120, 40)
        await drive.press("r", "N", "n")
        assert Echo.asked == asked  # nobody sees it
        await drive.pilot.resize_terminal(*WIDE)
        assert f"result {drive.result['d']:08x}" in (await echo(drive))


async def test_it_follows_steps_edits_and_the_cursor() -> None:
    async with explorer(*WRAPS, size=WIDE) as drive:
        assert (await echo(drive)) == f"step 5 at nothing result {RESULT}"
        await drive.press("N")
        assert (await echo(drive)) == "step 4 at nothing"
        await drive.press("d")
        assert (await echo(drive)) == f"step 4 at nothing result {RESULT}"
        await drive.press("l", "up")
        assert (await echo(drive)).startswith(
            f"step 4 at {drive.lanes.place and drive.lanes.place.key}"
        )
        await drive.press("escape", "r")
        assert (await echo(drive)) == f"step 4 at nothing result {drive.result['d']:08x}"
        await drive.press("home")  # it has nothing to say there
        assert not drive.screen.query_one(Echo).display
        assert drive.lanes.region.right == WIDE[0]


async def test_what_is_hidden_now_is_gone_before_an_answer_is_there() -> None:
    async with explorer(*WRAPS, size=WIDE) as drive:
        assert RESULT in (await echo(drive))
        Echo.gate, asked = Event(), Echo.asked
        for key in ("N", "N", "n", "N", "n"):  # no key waits for an answer
            await drive.pilot.press(key)
        assert drive.state.step == 4
        assert drive.state.is_result_hidden
        assert not drive.screen.query_one(Echo).read_text().strip()
        Echo.gate.set()
        await drive.press("l")
        assert (await echo(drive)).startswith("step 4 at ")
        assert Echo.asked <= asked + 3  # one is asked at a time, the next is the last


async def test_panes_stand_in_order_and_those_without_lines_take_no_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    features = (panel("second", "Other", "echo"), panel("echo", "Echo"))
    monkeypatch.setattr(action_runner, "list_features", lambda: features)
    async with explorer(*WRAPS, size=WIDE) as drive:
        await drive.text()
        first, second = drive.screen.query_one(Echo), drive.screen.query_one(Other)
        assert second.region.y == first.region.bottom + 1
        await drive.press("home")
        await drive.text()
        assert not first.display
        assert second.region.y == drive.lanes.region.y
        assert drive.screen.view.column.region.x == drive.lanes.region.right


async def test_without_anything_to_say_the_lanes_have_all_of_the_width(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(action_runner, "list_features", tuple)
    async with explorer(*WRAPS, size=WIDE) as drive:
        await drive.text()
        width = drive.lanes.outer_size.width
        assert width == WIDE[0] - drive.screen.view.side.size.width


async def test_the_column_gives_way_to_a_listing_that_is_read() -> None:
    async with explorer(*WRAPS, size=(160, 45)) as drive:
        await drive.screen.perform(open_text, "vadd4.u32.u32.u32 d, a, b, c;\n" * 3, "pasted")
        assert drive.screen.view.column.region.width
        await drive.press("g")
        assert drive.screen.view.side.size.width == 80
        assert not drive.screen.view.column.region.width
        await drive.press("escape")
        assert drive.screen.view.column.region.width


@ci_only
async def test_a_part_of_the_screen_that_is_missing_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    features = (panel("other", "Missing"), panel("echo", "Echo"))
    monkeypatch.setattr(action_runner, "list_features", lambda: features)
    try:
        async with explorer(*WRAPS, size=WIDE) as drive:
            await drive.press("l", "up")
            assert await echo(drive)
            (problem,) = (x for x in list_problems() if "Missing" in x)
            assert "has no Missing" in problem
    finally:
        refused_parts.clear()
