"""Random keys and sizes: the app stays alive, and everything on it agrees."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.driving.explorer import KEYS, explorer
from tests.state.test_open_listing import BLOCK
from tests.tiers import ci_only, some, thorough

_LETTERS = [*"gnNailomtursvbyYxPCh=?/.,- 0123456789[]abcdefu"]
_NAMED = """left right up down home end tab shift+tab enter escape backspace delete space pageup
pagedown plus minus less_than_sign greater_than_sign ctrl+up ctrl+down ctrl+r f2 ctrl+k ctrl+a
ctrl+o f5""".split()
_SIZES = [(80, 24), (120, 40), (200, 60), (40, 12), (20, 6), (99, 31), (160, 50)]


async def _let_loose(seed: int, keys: int, resizes: int) -> None:
    rng = Random(seed)
    pool = [KEYS.get(key, key) for key in _LETTERS] + _NAMED * 2
    batch = max(keys // resizes, 1)
    async with explorer(size=(120, 40)) as drive:
        await (drive.paste(BLOCK) if seed % 2 else drive.press("P"))
        for _ in range(resizes):
            await drive.mash(*rng.choices(pool, k=batch))
            await drive.pilot.resize_terminal(*rng.choice(_SIZES))
            assert drive.app.is_running
            drive.agree()
            assert all(isinstance(x, list) for x in drive.state.make_saved_state().guesses)
        # leave whatever screen or field it ended in
        await drive.press("escape", "escape", "escape")
        drive.agree()
        await drive.pilot.resize_terminal(120, 40)
        shown = await drive.see("a")
        for name, bits in drive.result.items():
            assert f"{name} = " in shown
            assert f"{bits:x}" in shown


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Monkeys save files."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def _frames() -> None:
    """Every frame is drawn."""


@ci_only
@pytest.mark.parametrize("seed", some([0, 1]))
async def test_two_hundred_keys(seed: int) -> None:
    await _let_loose(seed, keys=100, resizes=5)


@thorough
@pytest.mark.parametrize("seed", range(1))
async def test_two_thousand_keys(seed: int) -> None:
    await _let_loose(seed, keys=500, resizes=10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 104))
async def test_twenty_thousand_keys(seed: int) -> None:
    await _let_loose(seed, keys=5_000, resizes=50)
