"""Worker processes that end with their work or with this process, whatever ends it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from types import FrameType
from typing import Any, ParamSpec, TypeVar

CONTEXT = get_context("spawn")
"""Makes shared queues and counters."""
PATIENCE = 0.25
"""Seconds between checks of the processes."""
_SECONDS_TO_END = 3.0
"""Seconds for a process to remove its files."""
ArgumentsT = ParamSpec("ArgumentsT")
ResultT = TypeVar("ResultT")


class WorkerPool:
    """Processes that run functions; Ctrl-C is left to this process."""

    def __init__(self, executor: ProcessPoolExecutor) -> None:
        self._executor = executor

    def submit(
        self,
        function: Callable[ArgumentsT, ResultT],
        *arguments: ArgumentsT.args,
        **named: ArgumentsT.kwargs,
    ) -> Future[ResultT]:
        """Run a function in a process; its arguments and result must be picklable.

        Raise BrokenProcessPool if the process can't be started.
        """
        with _start_errors(), _block_interrupts():
            return self._executor.submit(_run, partial(function, *arguments, **named))


@contextmanager
def open_pool(
    number: int, prepare: Callable[..., object], *arguments: object
) -> Iterator[WorkerPool]:
    """Yield a pool of some processes, which first call a function.

    The processes end with the block, running functions by SystemExit. A result raises
    BrokenProcessPool if a process was killed; so does this function if the system lacks semaphores.
    """
    with _start_errors():
        executor = ProcessPoolExecutor(number, CONTEXT, partial(_begin, prepare, *arguments))
    with _exit_on_signals():
        try:
            yield WorkerPool(executor)
        finally:
            _end(executor)


def _end(executor: ProcessPoolExecutor) -> None:
    """End the processes, and wait for them and the executor's thread."""
    processes = active_children()
    for process in processes:
        process.terminate()
    end = time.monotonic() + _SECONDS_TO_END
    for process in processes:
        process.join(max(0.0, end - time.monotonic()))
        if process.is_alive():
            process.kill()
    executor.shutdown(cancel_futures=True)


# --- in a worker process --------------------------------------------------------------------


def _begin(prepare: Callable[..., object], *arguments: object) -> None:
    """Leave Ctrl-C to the main process, and end with it, whatever the reason."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _raise_exit)
    parent = parent_process()
    assert parent

    def end() -> None:
        parent.join()
        os._exit(1)

    Thread(target=end, daemon=True).start()
    prepare(*arguments)


def _run(work: Callable[[], ResultT]) -> ResultT:
    try:
        return work()
    except SystemExit:  # the executor would take it for a result, and continue with other work
        os._exit(1)


def _raise_exit(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


# --- in the main process --------------------------------------------------------------------


@contextmanager
def _start_errors() -> Iterator[None]:
    """Raise BrokenProcessPool if the system is out of processes, threads or semaphores."""
    try:
        yield
    except (OSError, ImportError, NotImplementedError, RuntimeError) as error:
        raise BrokenProcessPool(str(error)) from error


def make_counter() -> Any:
    """Return a shared number. Raise BrokenProcessPool if the system has none."""
    with _start_errors():
        return CONTEXT.Value("q", 0)


@contextmanager
def _block_interrupts() -> Iterator[None]:
    """Block Ctrl-C in this process while starting processes that ignore it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)


@contextmanager
def _exit_on_signals() -> Iterator[None]:
    """End the block before a signal ends this process."""
    old_handlers = {}
    with suppress(ValueError):  # not the main thread
        for name in ("SIGTERM", "SIGHUP"):
            if number := getattr(signal, name, None):
                old_handlers[number] = signal.signal(number, _raise_exit)
    try:
        yield
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
