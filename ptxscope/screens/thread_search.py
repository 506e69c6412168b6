"""A search in a thread, during which the screen stays live."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import Event
from typing import Any, TypeVar

from textual.screen import Screen

from ..engine.cancellation import IsStopped, Stopped

_PATIENCE = 0.25
"""Seconds for which the next key waits for the answer, which is usually immediate."""
AnswerT = TypeVar("AnswerT")


class ThreadSearch:
    """One search at a time for a screen; a new search stops the previous one."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen
        self._stop: Event | None = None

    @property
    def is_running(self) -> bool:
        """Whether an answer is awaited."""
        return self._stop is not None

    def stop(self) -> None:
        """Stop waiting for an answer."""
        if self._stop is not None:
            self._stop.set()
            self._stop = None

    async def start(
        self,
        ask: Callable[[IsStopped], AnswerT],
        take: Callable[[AnswerT], Awaitable[None] | None],
        refuse: Callable[[Exception], None],
    ) -> None:
        """Pass the answer of ``ask``, which runs in a thread, to ``take``; return after a moment.

        ``refuse`` gets a ValueError, an ImportError or a MemoryError instead.
        """
        self.stop()
        stop, end = Event(), asyncio.Event()
        self._stop = stop
        self._screen.run_worker(self._run(stop, end, ask, take, refuse))
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await end.wait()

    async def _run(
        self,
        stop: Event,
        end: asyncio.Event,
        ask: Callable[[IsStopped], AnswerT],
        take: Callable[[AnswerT], Awaitable[None] | None],
        refuse: Callable[[Exception], None],
    ) -> None:
        try:
            answer = await asyncio.to_thread(ask, stop.is_set)
            if not stop.is_set():
                self._stop = None
                if (pending := take(answer)) is not None:
                    await pending
        except (ValueError, ImportError, MemoryError) as error:
            if not stop.is_set():
                self._stop = None
                refuse(error)
        except Stopped:
            pass
        finally:
            stop.set()  # for the thread, because the screen may have ended
            end.set()
