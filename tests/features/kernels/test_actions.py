"""The action that runs a kernel."""

from __future__ import annotations

from ptxscope.state.actions import ACTIONS
from tests.driving.explorer import explorer, find_in_menu
from tests.driving.states import do, make_state, said


async def test_the_menu_runs_a_kernel() -> None:
    async with explorer() as drive:
        assert find_in_menu(drive, "run") == "Listings: run"


def test_without_a_listing_nothing_is_run() -> None:
    state = make_state()
    refusal = ACTIONS["listing.run"].check(state)
    assert refusal
    assert refusal.text == "No listing is open" == said(do(state, "listing.run"))
