"""The Textual application: the main screen, what is kept, the user's keys, the palette."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING

from textual import events
from textual.app import App
from textual.command import Provider
from textual.dom import DOMNode
from textual.screen import Screen

from .engine.instruction import Instruction
from .screens.main import MainScreen
from .session import Setup, example, opened
from .store import Kept, Store

if TYPE_CHECKING:
    from .walk import Walk


_ROUNDS = 3
"""How often the queues are gone through behind a key: what it does may post messages of its own."""

_PATIENCE = 1.0
"""Seconds after which a key is taken for done, should what it went to have been closed."""


def _actions() -> type[Provider]:
    from .palette import ActionCommands

    return ActionCommands


def _instructions() -> type[Provider]:
    from .palette import InstructionCommands

    return InstructionCommands


class Explorer(App[None]):
    """The explorer, opened on an instruction, where it was left, or on an example."""

    TITLE = "ptxscope"
    COMMANDS = App.COMMANDS | {_actions, _instructions}

    def __init__(
        self,
        instruction: Instruction | None = None,
        values: Mapping[str, int] | None = None,
        model: str = "isa",
        store: Store | None = None,
        listing: Walk | None = None,
    ) -> None:
        super().__init__()
        self.store = store
        """What is kept on disk; None keeps nothing."""
        kept = store.load() if store else Kept()
        self.user_keymap = store.keymap() if store else {}
        """Action ids and the keys that the user gave them."""
        self._main = self._opened(kept, instruction, values or {}, model)
        self._listing = listing
        self._keys = deque[events.Key | events.Paste]()
        """Keys and pastes that are on their way; the first is being handled."""
        self._since = 0.0
        """When the handling of the first began."""
        self._theme = kept.theme

    @staticmethod
    def _opened(
        kept: Kept, ins: Instruction | None, values: Mapping[str, int], model: str
    ) -> MainScreen:
        if ins is not None:
            return MainScreen(opened(ins, values, model), None, 0, kept.recent)
        setup: Setup = kept.setup or example("vset4")
        return MainScreen(setup, kept.pin, kept.step if kept.setup else 0, kept.recent)

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return self._main

    def on_mount(self) -> None:
        """Take over the user's theme and keys; say what could not be read."""
        if self._theme in self.available_themes:
            self.theme = self._theme
        self.set_keymap(self.user_keymap)
        if self._listing is not None:
            self.call_after_refresh(self._main.open_walk, self._listing, first=True)
        for message in self.store.messages if self.store else ():
            self.notify(message, severity="warning", markup=False, timeout=12)

    # --- keys, one at a time -------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Let a key or a paste wait until the one before has done all it does.

        A key goes to what has the focus when it is read. Where keys come in a burst, the
        second would be read before the first has moved the focus. Part of Textual.
        """
        if not isinstance(event, (events.Key, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
            return
        self._keys.append(event)
        if len(self._keys) > 1 and monotonic() - self._since > _PATIENCE:
            self._keys.popleft()
            await self._next_key()
        elif len(self._keys) == 1:
            await self._next_key()

    async def _next_key(self) -> None:
        event = self._keys[0]
        self._since = monotonic()
        await super().on_event(event)
        self._follow(event, self.focused or self.screen, _ROUNDS)

    def _follow(self, event: events.Event, node: DOMNode, rounds: int) -> None:
        """Go the way of a key, behind it: through the queue of each node from the focus up."""
        if not rounds or not node.call_later(self._followed, event, node, rounds):
            self.call_later(self._key_is_done, event)

    def _followed(self, event: events.Event, node: DOMNode, rounds: int) -> None:
        parent = node.parent
        if isinstance(parent, DOMNode):
            self._follow(event, parent, rounds)
        else:
            self._follow(event, self.focused or self.screen, rounds - 1)

    async def _key_is_done(self, event: events.Event) -> None:
        if self._keys and self._keys[0] is event:
            self._keys.popleft()
            if self._keys:
                await self._next_key()

    def on_ready(self) -> None:
        """Collect garbage again, of what is made from now on."""
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    def keep(self) -> None:
        """Write down where the explorer is."""
        if self.store is None:
            return
        main = self._main
        last = main.step >= len(main.session.trace.steps)
        setup = main.session.setup
        step = 0 if last else main.step
        self.store.save(Kept(setup, main.pin, step, main.recent, self.theme))
