"""A monkey: the app stays alive, everything on it agrees, and it opens again as it was left."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxscope.state.state_store import StateStore
from tests.driving.explorer import explorer
from tests.driving.monkey import KERNEL, check_history, play
from tests.tiers import thorough

_LINES = (
    "vadd4.s32.s32.u32.sat d, a, b, c",
    None,
    "prmt.b32 d, a, b, c",
    "setp.lt.s32 p|q, a, b",
    "vmad.s32.s32.s32 d, a, b, c",
    "lop3.b32 d, a, b, c, 0xca",
)


async def _let_loose(seed: int, count: int, folder: Path) -> None:
    Path("k.ptx").write_text(KERNEL, "utf-8")
    store = StateStore(folder / "state", folder / "config")
    line = _LINES[seed % len(_LINES)]
    async with explorer(line, {}, size=(120, 40), store=store) as drive:
        await play(drive, seed, count)
        # leave whatever screen or field it ended in
        await drive.press(*["escape"] * 4)
        await drive.pilot.resize_terminal(120, 40)
        drive.agree()
        shown = await drive.see("a")
        for name, bits in drive.result.items():
            assert f"{name} = " in shown
            assert f"{bits:x}" in shown
        drive.app.save_state()
        check_history(drive)
        setup = drive.session.setup
    async with explorer(None, {}, store=store) as drive:
        assert drive.session.setup.line == setup.line
        assert drive.session.setup.values == setup.values
        drive.agree()
    assert not store.messages


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Monkeys save files."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _frames() -> None:
    """Every frame is drawn."""


async def test_a_few_events(tmp_path: Path) -> None:
    await _let_loose(0, 40, tmp_path)


@thorough
@pytest.mark.parametrize("seed", range(1, 4))
async def test_some_hundred_events(seed: int, tmp_path: Path) -> None:
    await _let_loose(seed, 300, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 140))
async def test_twenty_thousand_events(seed: int, tmp_path: Path) -> None:
    await _let_loose(seed, 500, tmp_path)
