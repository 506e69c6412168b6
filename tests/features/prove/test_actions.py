"""The action that proves the pin, without one."""

from __future__ import annotations

from ptxscope.state.actions import ACTIONS
from tests.driving.states import do, make_state, said


def test_without_a_pin_nothing_is_proved() -> None:
    state = make_state()
    refusal = ACTIONS["prove"].check(state)
    assert refusal
    assert refusal.text == "× nothing is pinned" == said(do(state, "prove"))
