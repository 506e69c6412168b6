"""How the tests of the app wait: until there is nothing to do, and no longer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import active_app
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

from ptxscope.screens.main import column_pane
from tools.screenshots import TERMINAL

_TURNS = 3
"""Idle turns of the event loop that prove it idle for good."""


async def still(*_: float) -> None:
    """Wait until no task has anything to do and the screen is drawn.

    Textual's own way is to look at the processor's clock every 20 ms, twice for each key: slow,
    and wrong on a busy machine.
    """
    loop = asyncio.get_running_loop()
    app = active_app.get()
    quiet = 0
    while quiet < _TURNS:
        await asyncio.sleep(0)
        if loop._ready:  # type: ignore[attr-defined]
            quiet = 0
        elif app.is_running and app._resize_event is not None:
            quiet = 0
            app._check_resize()  # now, not when its timer comes
        elif (
            quiet == _TURNS - 1 and app._screen_stack and app.screen._update_timer._active.is_set()
        ):
            quiet = 0
            app.screen._on_timer_update()
        else:
            quiet += 1


async def _wait_for_screen(*_: object) -> bool:
    """Textual sends a message to each widget, which takes half of the time of a key."""
    await still()
    return True


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The developer's terminal may read no UTF-8, or have fewer colours."""
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(autouse=True)
def _waits(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("app", "pilot"):
        monkeypatch.setattr(f"textual.{module}.wait_for_idle", still)
    monkeypatch.setattr(Pilot, "_wait_for_screen", _wait_for_screen)
    monkeypatch.setattr(column_pane, "PAUSE", 0)


def _unseen(compositor: Compositor, simplify: bool = False) -> None:
    compositor._dirty_regions.clear()


@pytest.fixture(autouse=True)
def _frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames that nobody looks at are not drawn: without a terminal Textual throws them away.

    What a test looks at is drawn in full when it does. Monkeys draw every frame.
    """
    for name in ("render_full_update", "render_partial_update"):
        monkeypatch.setattr(Compositor, name, _unseen)


_PARSED: dict[object, list[RuleSet]] = {}


@pytest.fixture(autouse=True)
def _styles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A style sheet is parsed once, not for each app: nobody changes what comes of it."""
    parse = Stylesheet._parse_rules

    def parsed(self: Stylesheet, *given: Any, **named: Any) -> list[RuleSet]:
        key = given, frozenset(named.items()), frozenset(self._variables.items())
        if key not in _PARSED:
            _PARSED[key] = parse(self, *given, **named)
        return _PARSED[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", parsed)
