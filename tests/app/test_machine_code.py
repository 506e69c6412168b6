"""The machine code of the current line, in the explorer."""

from __future__ import annotations

import pytest

from ptxscope.engine.machine_code.machine_listing import list_machine_code
from ptxscope.engine.proof.solver import IsStopped, never
from ptxscope.engine.syntax.instruction import Instruction
from ptxscope.screens.main import proof_controller
from ptxscope.state.machine_code import MachineCode
from tests.app.driving import explorer
from tests.app.test_dialogs import framed
from tools.machine_code import read_samples

pytest.importorskip("bitwuzla")

LINE = "vadd.u32.s32.s32.sat d.b0, a, b, c"


def find_stored(_: Instruction, __: IsStopped = never) -> MachineCode:
    sample = next(x for x in read_samples("sm_90") if x.line == LINE)
    listing = list_machine_code(LINE, sample.source, sample.kernel, "sm_90")
    return MachineCode(LINE, listing, "ptxas 13.0.88, nvdisasm 13.5.37")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_each_instruction_stands_beside_what_it_computes(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof_controller, "find_machine_code", find_stored)
    async with explorer(LINE, size=size) as drive:
        await drive.press("A")
        text = await drive.text()
        assert "Machine code" in text
        assert "sm_90: 12 instructions" in text
        assert "computed by no instruction" in text
        await drive.press("end")
        assert "part of saturate.t" in await drive.text()
        await drive.press("escape")
        assert "Machine code" not in await drive.text()


@pytest.mark.parametrize("key", ["f1", "question_mark"])
async def test_help_opens_at_the_machine_code(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_controller, "find_machine_code", find_stored)
    async with explorer(LINE, size=(80, 24)) as drive:
        await drive.press("A", key)
        first, *_ = (line.split("  ") for line in await framed(drive))
        assert "machine code" in first
        await drive.press("escape")
        assert "sm_90: 12 instructions" in await drive.text()


async def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Instruction, __: IsStopped) -> MachineCode:
        raise ValueError("ptxas is not found: give --ptxas PATH")

    monkeypatch.setattr(proof_controller, "find_machine_code", refuse)
    async with explorer(LINE) as drive:
        await drive.press("A")
        assert "× ptxas is not found" in await drive.text()
