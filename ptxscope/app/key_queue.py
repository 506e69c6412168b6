"""Keys that come in a burst do what they do one by one.

Textual hands a key to what has the focus when it is read. What the key does goes on in messages:
each node (the app, the screen, every widget) has a queue of its own, and to move the focus is
such a message too. So keys wait here, and the next one is handed on when the nodes from the focus
up have dealt with all they had, and no queue holds anything that came of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode

ROUNDS = 20
"""How often the queues are gone through behind a key, and how often one is waited for, at most."""
TICK = 0.25
"""Seconds after which it is seen whether a node whose turn has not come is still there."""

INTERRUPT = "ctrl+c"
"""The key before which no other waits: those are dropped, as a terminal does it."""


class KeyQueue:
    """The keys and pastes that are on their way to an app."""

    def __init__(self, app: App[Any], *, is_held: bool = False) -> None:
        self._app = app
        self._is_held = is_held
        """Every key waits for ``release``: what they are meant for is not on the screen yet."""
        self._waiting = deque[events.Event]()
        self._handed_on: events.Event | None = None
        self._task: asyncio.Task[None] | None = None

    def must_wait(self, event: events.Event) -> bool:
        """Whether it is a key that must wait; it comes to the app again when its turn has come."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if event is self._handed_on:
            return False
        if isinstance(event, events.Key) and event.key == INTERRUPT:
            self._waiting.clear()
        self._waiting.append(event)
        self._begin()
        return True

    def release(self) -> None:
        """Hand on the keys that were held at the start."""
        self._is_held = False
        self._begin()

    def _begin(self) -> None:
        if self._waiting and not self._is_held and not self.is_busy:
            self._task = asyncio.create_task(self._forward_keys())

    @property
    def is_busy(self) -> bool:
        """Whether there is a key that has not done all it does."""
        return self._task is not None and not self._task.done()

    async def _forward_keys(self) -> None:
        """Hand the keys on, each behind what the one before has done."""
        while self._waiting and self._app.is_running:
            self._handed_on = self._waiting.popleft()
            self._app.post_message(self._handed_on)
            await _has_caught_up(self._app)  # now it is with what has the focus
            await self._wait_until_idle()
        self._handed_on = None

    async def _wait_until_idle(self) -> None:
        """Wait until nothing goes on any more; not for ever."""
        for _ in range(ROUNDS):
            for node in self._list_ancestors():
                if not await _has_caught_up(node):
                    return
            if not any(node.message_queue_size for node in self._iter_nodes()):
                return

    def _list_ancestors(self) -> list[DOMNode]:
        """The way of what a key does: from the focus up to the app."""
        screens = self._app.screen_stack
        return (self._app.focused or screens[-1]).ancestors_with_self if screens else [self._app]

    def _iter_nodes(self) -> Iterator[DOMNode]:
        yield self._app
        for screen in self._app.screen_stack[-1:]:
            yield from screen.walk_children(with_self=True)


async def _has_caught_up(node: DOMNode) -> bool:
    """Wait until a node has dealt with what is in its queue, or is gone; False: it takes long."""
    done = asyncio.Event()
    if not node.call_later(done.set):
        return True
    for _ in range(ROUNDS):  # a node that is long at work, and awaits nothing, takes one of them
        try:
            async with asyncio.timeout(TICK):
                return await done.wait()
        except TimeoutError:
            if not node.is_running:
                return True
    return False
