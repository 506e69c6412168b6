"""The pane of machine code: it follows the line, the step and the chosen target."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from threading import Event

import pytest

from ptxscope.engine.cancellation import IsStopped, Stopped
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.features.machine import machine_code, toolchain
from ptxscope.features.machine.kernel_source import KernelSource, make_kernel_source
from ptxscope.features.machine.machine_code import MachineCode
from ptxscope.features.machine.row_matches import count_instructions, list_machine_code
from ptxscope.features.machine.terminal import machine_controller
from ptxscope.features.machine.toolchain import Tool, ToolError
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only
from tools.machine_code import read_samples

pytestmark = ci_only

pytest.importorskip("bitwuzla")

LINE = "vadd.u32.s32.s32.sat d.b0, a, b, c"
OTHER = "vadd4.u32.u32.u32 d, a, b, c"
TARGETS = ("sm_75", "sm_90")


@pytest.fixture(autouse=True)
def stored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Machine code comes from the samples; returns the targets that were compiled for."""
    compiled: list[str] = []

    def compile_stored(_: Tool, __: Tool, arch: str, sources: list[KernelSource]) -> list[object]:
        compiled.append(arch)
        line = str(sources[0].ins).removesuffix(";")
        found = (x.kernel for x in read_samples(arch) if x.line == line)
        return [next(found, "it is in no sample")]

    versions = {"ptxas": "13.0.88", "nvdisasm": "13.5.37"}
    monkeypatch.setattr(machine_code, "find_tool", lambda name: Tool(name, (13, 0), versions[name]))
    targets = (*TARGETS, "sm_90a", "sm_52")
    monkeypatch.setattr(machine_code, "list_targets", lambda _: targets)
    monkeypatch.setattr(machine_code, "compile_kernels", compile_stored)
    monkeypatch.setattr(machine_controller, "PAUSE", 0.01)
    return compiled


async def wait_for(drive: Driver, text: str) -> str:
    """Return the screen's text once it has a text; tools run in threads."""
    for _ in range(2000):
        if text in (found := await drive.text()):
            return found
        await asyncio.sleep(0.01)
    raise AssertionError(f"{text!r} is not in {found}")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_each_instruction_stands_beside_what_it_computes(size: tuple[int, int]) -> None:
    async with explorer(LINE, size=size) as drive:
        await drive.press("@machine_code")
        text = await wait_for(drive, "Machine code · ptxas 13.0.88, nvdisasm 13.5.37")
        assert "= ptxas-13.5, ptxas-13.0 for all operands · ≠ isa (E3)" in text
        assert "select b" in text
        assert "Modifiers" in text or size[0] < 110
        await drive.press("end")
        text = await drive.text()
        assert "write d" in text
        assert "store d" in text or size[1] < 40
        assert "every negative result" in text
        assert any("write d" in line for line in list_marked_lines(text))
        assert re.search("SASS +←→ +target", await drive.see("question_mark"))
        await drive.press("escape")
        await drive.press("@machine_code")
        assert "Machine code · ptxas" not in await drive.text()
        assert drive.screen.focused is None


async def test_it_stays_beside_the_lanes_and_follows_the_line(stored: list[str]) -> None:
    async with explorer(LINE, size=(120, 40)) as drive:
        await drive.press("@machine_code")
        await wait_for(drive, "sm_75 12 ▸sm_90 12")
        text = await drive.see("escape")
        assert "Step " in text
        assert stored == ["sm_90", "sm_75"]
        await drive.press("i")
        drive.screen.view.line.value = OTHER
        text = await wait_for(drive, "sm_75 5 ▸sm_90 5")
        assert "= isa, ptxas-13.5, ptxas-13.0 for all operands" in text
        assert "select b" not in text
        assert stored == ["sm_90", "sm_75"] * 2
        await drive.press("escape", "u")  # what was compiled once is kept
        await wait_for(drive, "sm_75 12 ▸sm_90 12")
        assert len(stored) == 4
        await drive.press("slash")  # the instructions have their place again
        assert "Machine code" not in await drive.text()


async def test_the_arrows_choose_the_target(stored: list[str]) -> None:
    async with explorer(LINE, size=(120, 40)) as drive:
        await drive.press("@machine_code")
        await wait_for(drive, "▸sm_90 12")
        await drive.press("right")
        text = await wait_for(drive, "▸sm_75 12 instructions  sm_90 12")
        assert "LDG.E.SYS" in text
        await drive.press("left")
        assert "LDG.E.SYS" not in await wait_for(drive, " sm_75 12 ▸sm_90 12")
        assert stored.count("sm_90") == 1
        await drive.press("enter")
        assert drive.screen.focused is None
        assert "Machine code" in await drive.text()


async def test_the_instructions_of_the_step_are_marked() -> None:
    async with explorer(LINE, size=(120, 40)) as drive:
        await drive.press("home", "@machine_code")
        await wait_for(drive, "sm_90 12")
        counts = {}
        while drive.state.step < drive.state.last_step:
            await drive.press("n")
            stage = drive.state.trace.steps[drive.state.step - 1].stage
            marked = [x for x in list_marked_lines(await drive.text()) if "sm_" not in x]
            counts[str(stage)] = len(marked)
        # two lines fold, and the second part of each has no mark
        assert counts == {"extend": 1, "operate": 4, "saturate": 4, "merge": 0, "write": 1}


def list_marked_lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        pane = line[:60]
        if pane.startswith(" ▸"):
            yield pane


async def test_a_small_screen_has_it_while_it_has_the_focus(stored: list[str]) -> None:
    async with explorer(LINE, size=(80, 24)) as drive:
        await drive.press("@machine_code")
        await wait_for(drive, "sm_75 12")
        await drive.press("escape")
        assert "Machine code" not in await drive.text()
        count = len(stored)
        await drive.press("i")
        drive.screen.view.line.value = OTHER
        await drive.press("escape")
        await asyncio.sleep(0.1)
        assert len(stored) == count  # no tool runs for what nobody sees
        await drive.press("@machine_code")
        await wait_for(drive, "sm_75 5 ▸sm_90 5")


async def test_the_keys_work_while_the_tools_run(monkeypatch: pytest.MonkeyPatch) -> None:
    find, release = machine_code.find_machine_code, Event()

    def find_slowly(ins: Instruction, arch: str, is_stopped: IsStopped) -> MachineCode:
        while not release.wait(0.01):
            if is_stopped():
                raise Stopped
        return find(ins, arch, is_stopped)

    monkeypatch.setattr(machine_controller, "find_machine_code", find_slowly)
    async with explorer(LINE, size=(120, 40)) as drive:
        step = drive.state.step
        await drive.screen.action_do("machine_code")
        async with asyncio.timeout(60):
            while "assembling…" not in drive.state.hint.text:
                await asyncio.sleep(0.01)
        await drive.pilot.press("home")
        async with asyncio.timeout(60):
            while drive.state.step == step:
                await asyncio.sleep(0.01)
        await drive.press("escape")
        assert "The search is stopped" in await drive.text()
        assert "Machine code" not in await drive.text()
        release.set()
        await drive.press("@machine_code")
        await wait_for(drive, "sm_90 12")


async def test_a_line_that_is_refused_is_said_in_the_pane() -> None:
    async with explorer(LINE, size=(120, 40)) as drive:
        await drive.press("@machine_code")
        await wait_for(drive, "▸sm_90 12")
        await drive.press("escape", "i")
        drive.screen.view.line.value = "vadd.u32.u32.u32 d, 7, b"
        text = await wait_for(drive, "refuses the line")
        assert "ptxas 13.0.88 refuses the line for sm_90:" in text
        assert "load a" not in text
        drive.screen.view.line.value = OTHER
        await wait_for(drive, "▸sm_90 5")


async def test_another_target_can_be_chosen_if_one_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compile_stored = vars(machine_code)["compile_kernels"]

    def fail(ptxas: Tool, nvdisasm: Tool, arch: str, sources: list[KernelSource]) -> list[object]:
        if arch == "sm_75":
            raise ToolError("nvdisasm cannot read it")
        found: list[object] = compile_stored(ptxas, nvdisasm, arch, sources)
        return found

    monkeypatch.setattr(machine_code, "compile_kernels", fail)
    async with explorer(LINE, size=(120, 40)) as drive:
        await drive.press("@machine_code")
        await wait_for(drive, "sm_75 ? ▸sm_90 12")
        await drive.press("right")
        text = await wait_for(drive, "nvdisasm cannot read it")
        assert "▸sm_75 ?" in text
        assert "select b" not in text
        await drive.press("right")
        assert "select b" in await wait_for(drive, "▸sm_90 12")


async def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "find_tool", toolchain.find_tool)
    monkeypatch.setattr(toolchain, "iter_places", lambda _: iter(()))
    monkeypatch.setenv("PTXSCOPE_PTXAS", "")
    async with explorer(LINE) as drive:
        await drive.press("@machine_code")
        await wait_for(drive, "× ptxas is not found: set PTXSCOPE_PTXAS")  # there is no option
        assert "Machine code" not in await drive.text()


def test_counts_without_proofs_are_those_of_the_listing() -> None:
    for sample in read_samples("sm_90")[::4]:
        source = make_kernel_source(sample.source.ins)
        listing = list_machine_code(sample.line, source, sample.kernel, "sm_90")
        assert count_instructions(source, sample.kernel) == listing.instruction_count
