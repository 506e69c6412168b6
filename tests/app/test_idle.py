"""An explorer that nobody touches uses no processor."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("there is no /proc", allow_module_level=True)

from tests.app.on_pty import Explorer
from tests.tiers import ci_only

_SECONDS = 6.0
"""Long enough for a timer of two seconds to act more than twice."""


def _count_turns(pid: int) -> int:
    """Return how often the threads of a process have been given a processor."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[2]) for task in tasks)


def _count_turns_within(explorer: Explorer, seconds: float) -> int:
    before, deadline = _count_turns(explorer.process.pid), time.monotonic() + seconds
    while time.monotonic() < deadline:
        explorer.read(0.1)  # output that nobody reads would block the explorer
    return _count_turns(explorer.process.pid) - before


@ci_only
@pytest.mark.parametrize("keys", [b"i", b""])
def test_an_idle_explorer_sleeps(keys: bytes, tmp_path: Path) -> None:
    with Explorer(tmp_path) as explorer:
        explorer.wait_for(b"Step 1 of 5")
        explorer.type(keys)
        # it has a picture to draw and a state to save first: wait until it rests for a second
        assert any(_count_turns_within(explorer, 1) == 0 for _ in range(20))
        assert _count_turns_within(explorer, _SECONDS) <= 2
