"""The action that proves the pin, without one, and its help."""

from __future__ import annotations

import pytest

from ptxscope.state.actions import ACTIONS
from tests.driving.explorer import explorer
from tests.driving.states import do, make_state, said


def test_without_a_pin_nothing_is_proved() -> None:
    state = make_state()
    refusal = ACTIONS["prove"].check(state)
    assert refusal
    assert refusal.text == "× nothing is pinned" == said(do(state, "prove"))


async def test_help_opens_at_a_proof() -> None:
    pytest.importorskip("bitwuzla")
    async with explorer(size=(80, 24)) as drive:
        await drive.press("equals_sign", "@prove", "f1")
        assert "Keys: prove" in await drive.text()
