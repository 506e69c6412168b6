"""An explorer that nobody touches uses no processor."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("there is no /proc", allow_module_level=True)

from tests.app.on_pty import Explorer
from tests.tiers import some


def _turns(pid: int) -> int:
    """How often its threads got a processor so far."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[2]) for task in tasks)


def _turns_in(explorer: Explorer, seconds: float) -> int:
    before, deadline = _turns(explorer.process.pid), time.monotonic() + seconds
    while time.monotonic() < deadline:
        explorer.read(0.1)  # what nobody reads is not written
    return _turns(explorer.process.pid) - before


@pytest.mark.parametrize("keys", some([b"i", b""]))
def test_an_idle_explorer_sleeps(keys: bytes, tmp_path: Path) -> None:
    with Explorer(tmp_path) as explorer:
        explorer.wait_for(b"Step 1 of 5")
        explorer.type(keys)
        # it is not idle at first
        assert any(_turns_in(explorer, 3) <= 5 for _ in range(6))
