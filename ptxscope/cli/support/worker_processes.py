"""Several files at once, some in processes of their own.

What such a process has to say waits in a temporary file, so memory does not grow with it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from threading import Thread
from types import FrameType
from typing import Any, Protocol, TypeVar

from .. import CommandError

FoundT = TypeVar("FoundT")
_T = TypeVar("_T", covariant=True)
_PATIENCE = 0.25
"""Seconds."""
_BLOCK = 1 << 16
"""Characters that are read again at once."""


class Work(Protocol[_T]):
    """Says what is to be printed of a file, and gives what it found; both can be pickled."""

    def __call__(
        self, name: str, write: Callable[[str], object], *, read: Callable[[int], object]
    ) -> _T:
        """``write`` takes a text, ``read`` how many more characters are read."""


ResultGetter = Callable[[int, Callable[[], object]], "tuple[FoundT, Iterator[str]] | None"]
"""What was found in a file and said of it, by its number; None where that is left to the caller.
While it is waited for, something is called now and then."""


@contextmanager
def start_processes(
    work: Work[FoundT], names: Mapping[int, str], number: int
) -> Iterator[tuple[ResultGetter[FoundT], Callable[[], int]]]:
    """So many processes that work on files; they end with the block.

    Gives what asks for a result, and what tells how many characters are read. A file that nobody
    has begun with, or whose process was ended by something else, is left to the caller. Raises
    CommandError where there is no room for what waits.
    """
    context = get_context("spawn")
    characters = context.Value("q", 0)
    with _exit_on_signals(), TemporaryDirectory(prefix="ptxscope-") as folder:
        places = {at: Path(folder) / f"{at}" for at in names}
        pool = ProcessPoolExecutor(number, context, _begin, (characters,))

        def result(at: int, told: Callable[[], object]) -> tuple[FoundT, Iterator[str]] | None:
            future = futures.get(at)
            if future is None or future.cancel():
                return None
            while not future.done():
                told()
                wait([future], _PATIENCE)
            try:
                return future.result(), _read(places[at])
            except BrokenProcessPool:
                return None
            except OSError as error:
                raise CommandError(
                    f"error: what waits can't be kept in {gettempdir()}: "
                    f"{error.strerror or error}; with --jobs 1 nothing waits"
                ) from None

        try:
            with _ignore_interrupts():
                futures = {
                    at: pool.submit(_work_on_file, work, name, places[at])
                    for at, name in names.items()
                }
            yield result, lambda: int(characters.value)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()


# --- in such a process --------------------------------------------------------------------

_characters: Any = None
"""How many are read, in all processes."""


def _begin(characters: object) -> None:
    """End this process when the one that started it has ended, however it did."""
    global _characters
    _characters = characters
    parent = parent_process()
    assert parent

    def end() -> None:
        parent.join()
        os._exit(1)

    Thread(target=end, daemon=True).start()


def _work_on_file(work: Work[FoundT], name: str, place: Path) -> FoundT:
    """Do the work on a file; what it says is kept in another."""
    with place.open("w", encoding="utf-8", errors="surrogatepass", newline="") as kept:
        return work(name, kept.write, read=_count)


def _count(more: int) -> None:
    with _characters.get_lock():
        _characters.value += more


# --- in the one that started them -----------------------------------------------------------


def _read(place: Path) -> Iterator[str]:
    """What was kept, once."""
    with place.open(encoding="utf-8", errors="surrogatepass", newline="") as kept:
        while text := kept.read(_BLOCK):
            yield text
    place.unlink()


@contextmanager
def _ignore_interrupts() -> Iterator[None]:
    """What is started within gets no Ctrl-C, which is for this process alone; here it waits."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _exit_on_signals() -> Iterator[None]:
    """What ends this process ends the block first."""

    def end(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = {}
    with suppress(ValueError):  # not the main thread
        for name in ("SIGTERM", "SIGHUP"):
            if known := getattr(signal, name, None):
                before[known] = signal.signal(known, end)
    try:
        yield
    finally:
        for known, handler in before.items():
            signal.signal(known, handler)
