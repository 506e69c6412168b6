"""Editing backwards and proving the pin, through the explorer's keys."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event

import pytest

from ptxscope import trace
from ptxscope.engine.cancellation import IsStopped, Stopped
from ptxscope.features.prove import pin_proof, solver
from ptxscope.features.prove.pin_proof import prove_pin
from ptxscope.features.prove.proof import Proof
from ptxscope.state.setup import Setup
from tests.driving.explorer import Driver, explorer
from tests.tiers import ci_only

pytestmark = ci_only

pytest.importorskip("bitwuzla")

VADD4 = ("vadd4.s32.s32.u32.sat d.b310, a, b, c", {"a": 0x80FF7F01, "b": 0x01FF0280, "c": 5})


async def test_without_the_solver_a_hint_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "bitwuzla", None)
    solver.load_bitwuzla.cache_clear()
    async with explorer(*VADD4) as drive:
        await drive.press("l")
        shown = await drive.see("5")
        assert "× proofs need bitwuzla, which is not installed" in shown
        await drive.press("escape", "=")
        shown = await drive.see("t", "@prove")
        assert "× proofs need bitwuzla, which is not installed" in shown
    solver.load_bitwuzla.cache_clear()


# --- a search that takes long ------------------------------------------------------------------


@asynccontextmanager
async def search_in_progress(
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[tuple[Driver, Event]]:
    """An explorer whose proof lasts until it is released or stopped."""
    release = Event()

    def prove_slowly(pin: Setup, setup: Setup, is_stopped: IsStopped) -> Proof:
        while not release.wait(0.01):
            if is_stopped():
                raise Stopped
        return prove_pin(pin, setup, is_stopped)

    monkeypatch.setattr(pin_proof, "prove_pin", prove_slowly)
    async with explorer(*VADD4) as drive:
        await drive.press("=", "t")
        await drive.screen.action_do("prove")
        async with asyncio.timeout(60):
            while "searching…" not in drive.state.hint.text:
                await asyncio.sleep(0.01)
        yield drive, release


async def test_keys_work_while_the_solver_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    async with search_in_progress(monkeypatch) as (drive, release):
        step = drive.state.step
        await drive.pilot.press("home")
        async with asyncio.timeout(60):
            while drive.state.step == step:
                await asyncio.sleep(0.01)
        drive.agree()
        release.set()
        shown = await drive.text()
        assert "searching…" not in shown
        assert "A: the pinned, B: the current" in shown
        assert "Equal for all" in shown


async def test_esc_stops_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    async with search_in_progress(monkeypatch) as (drive, _):
        shown = await drive.see("escape")
        assert "The search is stopped" in shown
        assert "searching…" not in shown
        assert len(drive.app.screen_stack) == 1


async def test_a_proof_of_what_has_changed_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    async with search_in_progress(monkeypatch) as (drive, release):
        model = drive.session.setup.model
        await drive.pilot.press("t")
        async with asyncio.timeout(60):
            while drive.session.setup.model == model:
                await asyncio.sleep(0.01)
        release.set()
        shown = await drive.text()
        assert "the proof is about other instructions than the ones shown now" in shown
        assert len(drive.app.screen_stack) == 1


async def test_a_proof_waits_for_another_dialog(monkeypatch: pytest.MonkeyPatch) -> None:
    async with search_in_progress(monkeypatch) as (drive, release):
        await drive.pilot.press("question_mark")
        async with asyncio.timeout(60):
            while len(drive.app.screen_stack) == 1:
                await asyncio.sleep(0.01)
        release.set()
        await drive.text()
        release.clear()  # a second proof would never end
        shown = await drive.see("escape")
        assert "The proof is done · ^p prove shows it" in shown
        assert "Equal for all" in await drive.see("@prove")


async def test_the_explorer_ends_while_the_solver_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    async with search_in_progress(monkeypatch) as (drive, _):
        await drive.pilot.press("q")
        assert not drive.app.is_running or drive.app._exit


async def test_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pin_proof, "PROOF_SECONDS", 1e-6)
    async with explorer("vadd.u32.s32.s32.sat d.b0, a, b, c", {"a": 1}) as drive:
        await drive.press("=", "t")
        shown = await drive.see("@prove")
        assert "Undecided: bitwuzla" in shown
        assert "The explorer stops after" in shown
        assert "`ptxscope prove A B`" in shown


# --- which explanation -------------------------------------------------------------------------


async def test_the_explanations_end_with_the_operands_to_try_next() -> None:
    line = "vadd.u32.s32.s32.sat d.b0, a, b, c"
    async with explorer(line, {"a": 0xFFFFFFFF, "b": 0, "c": 0x11223344}) as drive:
        await drive.press("x")
        await drive.type("0x112233ff")
        shown = await drive.see("enter", "end")
        assert "Which of these? The operands to try next" in shown
        assert "To decide, observe a=0x" in shown
        before = drive.operands
        shown = await drive.see("enter")
        assert "To try next" in shown
        operands = drive.operands
        assert operands != before
        # E3 has no lower bound, the other explanations have another type or no `.sat`
        results = {
            trace(text, {name: operands[name] for name in "abc"}, model=model).result["d"]
            for text, model in (
                (line, "ptxas"),
                (line.replace(".sat", ""), "isa"),
                (line.replace(".u32", ".s32"), "isa"),
            )
        }
        assert len(results) == 3
        assert "0x112233ff" not in await drive.see("x")
