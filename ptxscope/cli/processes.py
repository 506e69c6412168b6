"""Several files at once, in processes of their own; what is printed of them comes in order.

A process writes what it has to say to a temporary file, so memory does not grow with it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TypeVar

Found = TypeVar("Found")
Work = Callable[[str, Callable[[str], object]], Found]
"""Given a file's name and what takes a text: says what is to be printed, and gives what it found.
It and what it gives can be pickled."""
_PATIENCE = 0.25
"""Seconds."""
_BLOCK = 1 << 16
"""Characters that are read again at once."""


@contextmanager
def processes(
    work: Work[Found],
    names: Sequence[str],
    number: int,
    told: Callable[[int], object] = bool,
) -> Iterator[Iterator[tuple[Found, Iterator[str]]]]:
    """What is found in each file and said of it, in order; with the block the processes end.

    While one is waited for, ``told`` is called with how many files are done before it. To go on
    raises BrokenProcessPool where a process was ended by something else.
    """
    with TemporaryDirectory(prefix="ptxscope-") as folder:
        places = [Path(folder) / f"{at}" for at, _ in enumerate(names)]
        pool = ProcessPoolExecutor(number, get_context("spawn"), initializer=_follow)
        try:
            with _no_interrupt():
                futures = [
                    pool.submit(_kept, work, name, place)
                    for name, place in zip(names, places, strict=True)
                ]
            yield (
                (_result(future, partial(told, at)), _read(place))
                for at, (future, place) in enumerate(zip(futures, places, strict=True))
            )
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()


def _result(future: Future[Found], told: Callable[[], object]) -> Found:
    """What comes of it; while that is waited for, something is told now and then."""
    while not future.done():
        told()
        wait([future], _PATIENCE)
    return future.result()


def _follow() -> None:
    """End this process when the one that started it has ended, however it did."""
    parent = parent_process()
    assert parent

    def end() -> None:
        parent.join()
        os._exit(1)

    Thread(target=end, daemon=True).start()


def _kept(work: Work[Found], name: str, place: Path) -> Found:
    """Do the work on a file; what it says is kept in another."""
    with place.open("w", encoding="utf-8", errors="surrogatepass", newline="") as kept:
        return work(name, kept.write)


def _read(place: Path) -> Iterator[str]:
    """What was kept, once."""
    with place.open(encoding="utf-8", errors="surrogatepass", newline="") as kept:
        while text := kept.read(_BLOCK):
            yield text
    place.unlink()


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
