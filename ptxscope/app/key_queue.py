"""Processes a burst of key presses one at a time.

Textual sends a key to the focused widget when the key is read. The key's effects continue in
messages: each node (the app, the screen, every widget) has a queue, and moving the focus is also a
message. Therefore keys wait here. The next key is forwarded when the nodes from the focus up have
processed their messages and no queue has a message that results from the previous key.
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
"""Maximum passes over the queues after a key, and maximum waits for one queue."""
TICK = 0.25
"""Seconds between two checks for busy nodes."""

INTERRUPT = "ctrl+c"
"""The key that discards all waiting keys, as a terminal does."""


class KeyQueue:
    """The keys and pastes that wait to be sent to an app."""

    def __init__(self, app: App[Any], *, is_held: bool = False) -> None:
        self._app = app
        self._is_held = is_held
        """Whether keys wait for ``release``, because their target is not drawn yet."""
        self._waiting = deque[events.Event]()
        self._handed_on: events.Event | None = None
        self._task: asyncio.Task[None] | None = None

    def must_wait(self, event: events.Event) -> bool:
        """Queue a key or a paste and return whether it must wait.

        A waiting key is sent to the app again later.
        """
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
        """Send the keys that were held at the start."""
        self._is_held = False
        self._begin()

    def _begin(self) -> None:
        if self._waiting and not self._is_held and not self.is_busy:
            self._task = asyncio.create_task(self._forward_keys())

    @property
    def is_busy(self) -> bool:
        """Whether a key is still being processed."""
        return self._task is not None and not self._task.done()

    async def _forward_keys(self) -> None:
        """Send the keys, each after the previous one has been processed."""
        while self._waiting and self._app.is_running:
            self._handed_on = self._waiting.popleft()
            self._app.post_message(self._handed_on)
            await _has_caught_up(self._app)  # the key has reached the widget with the focus
            await self._wait_until_idle()
        self._handed_on = None

    async def _wait_until_idle(self) -> None:
        """Wait until all queues are empty, for a limited number of passes."""
        for _ in range(ROUNDS):
            for node in self._list_ancestors():
                if not await _has_caught_up(node):
                    return
            if not any(node.message_queue_size for node in self._iter_nodes()):
                return

    def _list_ancestors(self) -> list[DOMNode]:
        """Return the nodes of a key's messages: from the focus up to the app."""
        screens = self._app.screen_stack
        return (self._app.focused or screens[-1]).ancestors_with_self if screens else [self._app]

    def _iter_nodes(self) -> Iterator[DOMNode]:
        yield self._app
        for screen in self._app.screen_stack[-1:]:
            yield from screen.walk_children(with_self=True)


async def _has_caught_up(node: DOMNode) -> bool:
    """Return True once a node has emptied its queue or is gone, False if it takes too long."""
    event = asyncio.Event()
    if not node.call_later(event.set):
        return True
    for _ in range(ROUNDS):  # a node that works for long without awaiting uses one of these rounds
        try:
            async with asyncio.timeout(TICK):
                return await event.wait()
        except TimeoutError:
            if not node.is_running:
                return True
    return False
