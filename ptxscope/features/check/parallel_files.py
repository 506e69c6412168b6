"""Several files at once, some of them in worker processes.

The output of such a process is in a temporary file, so memory does not grow with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, Protocol, TypeVar

from ...cli.support.streams import CommandError
from ...cli.support.worker_pool import PATIENCE, make_counter, open_pool

FoundT = TypeVar("FoundT")
_T = TypeVar("_T", covariant=True)
_BLOCK = 1 << 16
"""Characters per read of that file."""


class FileWork(Protocol[_T]):
    """Writes the text on a file and returns its result; both can be pickled."""

    def __call__(
        self, name: str, write: Callable[[str], object], *, on_read: Callable[[int], object]
    ) -> _T:
        """``write`` takes a text, ``on_read`` the number of further characters read."""


ResultGetter = Callable[[int, Callable[[], object]], "tuple[FoundT, Iterator[str]] | None"]
"""Returns the result and the text of a file, by number; None leaves the file to the caller.

While it waits, it calls a function now and then.
"""


@contextmanager
def start_processes(
    work: FileWork[FoundT], names: Mapping[int, str], number: int
) -> Iterator[tuple[ResultGetter[FoundT], Callable[[], int]]]:
    """Start processes that work on files; they end with the block.

    Yield a function that returns results, and one that returns the characters read. A file that no
    process has begun, or whose process was killed or can't be started, is left to the caller. Raise
    CommandError if there is no disk space for the texts.
    """
    futures = dict[int, Future[FoundT]]()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="ptxscope-")))
        with suppress(BrokenProcessPool):
            characters = make_counter()
            pool = stack.enter_context(open_pool(number, _share_count, characters))
            for index, name in names.items():
                futures[index] = pool.submit(_work_on_file, work, name, folder / f"{index}")

        def result(
            index: int, on_wait: Callable[[], object]
        ) -> tuple[FoundT, Iterator[str]] | None:
            future = futures.get(index)
            if future is None or future.cancel():
                return None
            while not future.done():
                on_wait()
                wait([future], PATIENCE)
            try:
                return future.result(), _read_output(folder / f"{index}")
            except BrokenProcessPool:
                return None
            except OSError as error:
                raise CommandError(
                    f"error: the output of other processes cannot be saved in {gettempdir()}: "
                    f"{error.strerror or error}; --jobs 1 avoids this"
                ) from None

        yield result, lambda: int(characters.value) if futures else 0


# --- in a worker process --------------------------------------------------------------------

_characters: Any = None
"""The count of characters read, in all processes."""


def _share_count(characters: object) -> None:
    global _characters
    _characters = characters


def _work_on_file(work: FileWork[FoundT], name: str, path: Path) -> FoundT:
    """Return the result of a file; its text is written to another file."""
    with path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as output:
        return work(name, output.write, on_read=_count)


def _count(count: int) -> None:
    with _characters.get_lock():
        _characters.value += count


# --- in the main process --------------------------------------------------------------------


def _read_output(path: Path) -> Iterator[str]:
    """Yield the saved text, and delete its file."""
    with path.open(encoding="utf-8", errors="surrogatepass", newline="") as stream:
        while text := stream.read(_BLOCK):
            yield text
    path.unlink()
