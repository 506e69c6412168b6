"""The erratum and the machine code of the present step beside the lanes of a wide screen."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from ptxscope.engine.cancellation import IsStopped, Stopped
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.features.machine import machine_code
from ptxscope.features.machine.machine_code import MachineCode
from ptxscope.features.machine.terminal import column
from ptxscope.features.machine.terminal.column import MachineColumnPane
from ptxscope.scene.scene_model import LaneRef
from tests.driving.explorer import Driver, explorer
from tests.features.machine.test_pane import OTHER, stored  # noqa: F401 - a fixture
from tests.tiers import ci_only

pytestmark = ci_only

pytest.importorskip("bitwuzla")

E3 = "vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}
WIDE = (200, 60)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column, "PAUSE", 0.01)


async def said(drive: Driver) -> str:
    """What the pane says when the tools are done."""
    await drive.text()
    pane = drive.screen.query_one(MachineColumnPane)
    return pane.read_text() if pane.display else ""


async def test_it_has_the_instructions_of_the_step_and_the_tools() -> None:
    async with explorer(*E3, size=WIDE) as drive:
        text = await said(drive)
        assert text.startswith("≠ E3: The clamp's lower bound is")
        assert "6 write" in text
        assert "ptxas 13.0.88, nvdisasm 13.5.37" in text
        assert "The line: 12 instructions" in text  # the sample's, as the large pane counts them
        await drive.press("2")
        text = await said(drive)
        assert "E3" not in text.partition("The line")[0]  # its step is not shown
        assert "2 extend" in text
        await drive.press("P")
        assert "E3:" not in await said(drive)


async def test_it_follows_the_lane_under_the_cursor(stored: list[str]) -> None:  # noqa: F811
    async with explorer(OTHER, {"a": 1, "b": 2, "c": 0}, size=WIDE) as drive:
        assert "5 write" in await said(drive)
        assert "The line: 5 instructions" in await said(drive)
        await drive.press("l")
        drive.lanes.move_cursor_to(LaneRef("merge.t", 2))
        assert "4 merge, lane 2" in await said(drive)
        await drive.press("escape", "r", "N", "n")
        assert stored == ["sm_90"]  # once for a line


async def test_keys_do_not_wait_for_the_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    find, release = machine_code.find_machine_code, Event()
    lines = []

    def find_slowly(ins: Instruction, arch: str, is_stopped: IsStopped) -> MachineCode:
        lines.append(ins.opcode)
        while not release.wait(0.01):
            if is_stopped():
                raise Stopped
        return find(ins, arch, is_stopped)

    monkeypatch.setattr(column, "find_machine_code", find_slowly)
    async with explorer(*E3, size=WIDE) as drive:
        async with asyncio.timeout(60):
            while not lines:
                await asyncio.sleep(0.01)
        await drive.pilot.press("home")
        assert drive.state.step == 1
        drive.screen.view.line.value = OTHER
        async with asyncio.timeout(60):
            while lines != ["vadd", "vadd4"]:  # the first is stopped
                await asyncio.sleep(0.01)
        release.set()
        assert "The line: 5 instructions" in await said(drive)


async def test_without_tools_it_says_nothing_but_the_erratum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(column, "has_tools", lambda: False)
    async with explorer(*E3, size=WIDE) as drive:
        text = await said(drive)
        assert text.startswith("≠ E3")
        assert "instruction" not in text
        await drive.press("home")
        assert not await said(drive)


async def test_folded_literals_are_hidden_with_the_result() -> None:
    async with explorer("vadd.u32.u32.u32 d, 7, b", {"b": 1}, size=WIDE) as drive:
        await drive.press("home")
        assert not await said(drive)
