"""Work on several things at once, in processes of their own; what comes of it is read in order."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast

from . import CommandError

Send = Callable[[object], None]
Work = Callable[[str, Send], None]
"""What is done with one thing; it sends what comes of it. It and what it sends can be pickled."""

_AHEAD = 64
"""How many things may be worked on, or done, before the one that is read is."""
_IN_MEMORY = 1 << 18
"""Bytes that wait in memory for each of those; the rest waits in a temporary file."""


class ProcessEndedError(Exception):
    """A process ended before its work was done; the text says how."""


class _Done:
    """Is sent behind all that comes of one thing."""


class _Process:
    """One that works, and what it works on."""

    def __init__(self, work: Work) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(target=_serve, args=(work, theirs), daemon=True)
        self.process.start()
        theirs.close()  # so that its end is seen here
        self.index = -1
        """Which of the things; none where that is negative."""

    def give(self, index: int, thing: str) -> None:
        """Let it work on a thing."""
        self.index = index
        with suppress(OSError):  # it has ended: that is seen where it is read
            self.connection.send(thing)

    def ended(self) -> ProcessEndedError:
        """How it ended by itself."""
        self.process.join(10)
        code = self.process.exitcode
        how = f"with status {code}"
        if code is not None and code < 0:
            with suppress(ValueError):
                how = f"by {signal.Signals(-code).name}"
        return ProcessEndedError(f"the process that worked on it was ended {how}")

    def stop(self) -> None:
        """End it, whatever it does."""
        self.connection.close()
        self.process.terminate()
        self.process.join()


class Processes(AbstractContextManager["Processes"]):
    """So many processes that work on things, in order; they end with the block."""

    def __init__(self, work: Work, things: Sequence[str], number: int) -> None:
        self._work, self._things, self._number = work, things, number
        self._running: list[_Process] = []
        self._waiting: dict[int, IO[bytes]] = {}
        """What came of things that are not read yet."""
        self._next = 0
        """The first thing that nobody was given."""
        resource_tracker.ensure_running()

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.stop()
        for file in self._waiting.values():
            file.close()

    def results(self, index: int) -> Iterator[Any]:
        """What comes of one of the things, as it comes; each is asked for once, in order.

        Raises ProcessEndedError where its process ended, CommandError where what comes of
        others can't be kept.
        """
        self._give(index)
        if index in self._waiting:
            with self._waiting.pop(index) as file:
                file.seek(0)
                for found in _pickled(file):
                    if isinstance(found, _Done):
                        return
                    yield _not_ended(found)
        while True:
            for process in self._ready():
                at, found = process.index, self._received(process)
                self._give(index)
                if at != index:
                    self._keep(at, found)
                elif isinstance(found, _Done):
                    return
                else:
                    yield _not_ended(found)

    def _ready(self) -> Sequence[_Process]:
        """Those of which something can be read; waits for one."""
        working = {process.connection: process for process in self._running if process.index >= 0}
        return [working[connection] for connection in wait([*working])]  # type: ignore[index]

    def _received(self, process: _Process) -> object:
        """What it sent, or how it ended; where that is the last, it has nothing to do."""
        try:
            found: object = process.connection.recv()
        except (EOFError, OSError):
            found = process.ended()
            self._running.remove(process)
            process.stop()
        if isinstance(found, _Done):
            process.index = -1
        return found

    def _keep(self, index: int, found: object) -> None:
        """Let something wait until it is asked for."""
        if index not in self._waiting:
            self._waiting[index] = cast(
                "IO[bytes]",
                SpooledTemporaryFile(_IN_MEMORY),  # noqa: SIM115 - it is read later
            )
        try:
            pickle.dump(found, self._waiting[index])
        except OSError as error:
            why = error.strerror or error
            said = f"error: what waits can't be kept in a file: {why}; with --jobs 1 nothing waits"
            raise CommandError(said) from None

    def _give(self, index: int) -> None:
        """Give those that have nothing to do the next things, up to some behind the one read."""
        last = min(len(self._things), index + _AHEAD)
        while self._next < last:
            process = next((x for x in self._running if x.index < 0), None)
            if process is None:
                if len(self._running) >= self._number:
                    return
                with _no_interrupt():
                    process = _Process(self._work)
                self._running.append(process)
            process.give(self._next, self._things[self._next])
            self._next += 1


def _not_ended(found: object) -> object:
    if isinstance(found, ProcessEndedError):
        raise found
    return found


def _pickled(file: IO[bytes]) -> Iterator[object]:
    with suppress(EOFError):
        while True:
            yield pickle.load(file)  # noqa: S301 - it is our own


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """What is started within gets no Ctrl-C, which is for this process alone; here it waits."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(work: Work, connection: Connection) -> None:
    """Work on what comes until no more does; the other end is closed then, or gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            work(connection.recv(), connection.send)
            connection.send(_Done())
