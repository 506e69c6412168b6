"""``ptxscope check``: every one of the 27 in listings and sources, legal or not, and why."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from stat import S_ISREG
from typing import IO, TYPE_CHECKING

from ...engine.listings.lint import Checked, check_listing, check_source
from ...engine.listings.source_language import Language, language_of
from ...engine.records import NamedTuple
from ...export.formats.check_report import counted, described, summary, told
from ...export.formats.json_text import Frame, dumps
from .. import CommandError
from ..support.arguments import Parser, parsed, parser
from ..support.inputs import once, opened
from ..support.progress_bar import Bar

if TYPE_CHECKING:
    from ..support.worker_processes import Work

Pieces = Callable[[Checked], Iterable[str]]
"""What is told of an instruction."""

_EPILOG = """\
examples:
  ptxscope check kernel.ptx
  ptxscope check --json kernel.cu other.cuh
  ptxscope check --sarif src/*.cu > ptxscope.sarif
  cuobjdump -ptx a.out | ptxscope check -

Read are .ptx files; asm statements and strings that hold PTX in .c, .cpp, .cu, .cuh, .h, .py, .rs
and .ll files; code in fences of .md and in <pre> of .html files. The language of another file is
known by how it begins. Several large files are checked at once, in processes of
their own. Exit status: 0 all legal, 1 an instruction is illegal, 2 a file can't be read.
"""
_CHUNK = 1 << 18
"""Characters of a listing that are read at once."""


def arguments() -> Parser:
    """What it takes."""
    to = parser("check", "Check every supported instruction of listings.", _EPILOG)
    to.add_argument("files", metavar="FILE", nargs="+", help=".ptx, .cu, …; - is the input")
    to.add_argument(
        "-f", "--format", choices=("text", "json", "sarif"), default="text", help="text by default"
    )
    for name, about in (("json", "an array of objects"), ("sarif", "SARIF 2.1.0")):
        to.add_argument(
            f"--{name}", action="store_const", const=name, dest="format", help=f"as {about}"
        )
    to.add_argument(
        "-j",
        "--jobs",
        metavar="N",
        type=_positive,
        help="check up to N files at once; by default as many as there are processors, where "
        "that is faster",
    )
    to.add_argument("-q", "--quiet", action="store_true", help="leave out what nothing is said of")
    return to


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:9]) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text[:9])


def run(words: Sequence[str]) -> int:
    """Check files, and print what was found."""
    chosen = parsed(arguments(), words)
    once(chosen.files)
    frame, pieces = _form(chosen.format)
    work = partial(_work, pieces=pieces, between=frame.between, quiet=chosen.quiet)
    with Bar() as bar:
        if chosen.format != "text":  # what is printed does not end with a line
            bar.prints()
        output = _Output(frame, bar)
        sys.stdout.write(frame.begin)
        sizes = [*map(_size, chosen.files)]
        number = _number(chosen.jobs, [size for size in sizes if size is not None])
        bar.begin("checking", *_total(sizes))
        if number > 1:
            shared = [size is not None for size in sizes]
            _in_processes(chosen.files, shared, number, work, output)
        else:
            for name in chosen.files:
                output.ended(work(name, output.write, read=output.read))
    sys.stdout.write(frame.end if output.some else frame.empty)
    if chosen.format == "text":
        print(summary(output.counts))
    if output.missing:
        sys.stdout.flush()
        raise CommandError("\n".join(output.missing))
    return int(output.counts["illegal"] > 0)


class Outcome(NamedTuple):
    """How the checking of a file ended."""

    counts: Counter[str]
    missing: str = ""
    """Why it can't be read."""


class _Output:
    """What has come of the files so far."""

    def __init__(self, frame: Frame, bar: Bar) -> None:
        self.frame, self.bar = frame, bar
        self.in_its_way = sys.stdout.isatty()
        self.size = 0
        """Characters that are read here."""
        self.elsewhere: Callable[[], int] = int
        """How many are read by other processes."""
        self.some = False
        """Some text was printed."""
        self.counts = Counter[str]()
        self.missing: list[str] = []
        """Why files can't be read."""

    def write(self, text: str) -> None:
        """Print a text, if there is any, that begins as all do but the first."""
        if not text:
            return
        if not self.some:
            self.some = True
            text = self.frame.first + text.removeprefix(self.frame.between)
        if self.in_its_way:
            self.bar.hide()
        sys.stdout.write(text)

    def read(self, size: int = 0) -> None:
        """So many more characters of a file are read, or checked."""
        self.size += size
        self.bar.at(self.size + self.elsewhere())

    def ended(self, outcome: Outcome) -> None:
        """A file is done."""
        self.counts.update(outcome.counts)
        if outcome.missing:
            self.missing.append(outcome.missing)


def _form(format_: str) -> tuple[Frame, Pieces]:
    """What stands around what is told of the instructions, and that."""
    if format_ == "json":
        return Frame(first="[", between=",", end="\n]\n", empty="[]\n"), _json
    if format_ == "sarif":
        from ...export.formats import sarif

        return sarif.frame(), sarif.results
    return Frame(), _text


def _text(item: Checked) -> Iterator[str]:
    yield "\n".join(told(item)) + "\n"


def _json(item: Checked) -> Iterator[str]:
    yield f"\n {dumps(described(item))}"


# --- several files ------------------------------------------------------------------------

_EACH = 4_000_000
"""Bytes of files for each process: with fewer it takes longer to start than it saves."""


def _number(wanted: int | None, sizes: Sequence[int]) -> int:
    """How many processes are to check files of so many bytes."""
    if wanted is not None:
        return min(wanted, len(sizes))
    return min(len(sizes), sum(sizes) // _EACH, _cores()) if len(sizes) > 1 else 1


def _cores() -> int:
    """The processors that this process may use."""
    ours: set[int] = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    return len(ours) or os.cpu_count() or 1


def _size(name: str) -> int | None:
    """Bytes of a file that another process can read as well: it has a name and an end."""
    path = Path(name)
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    ours = name == "-" or str(path.absolute()).startswith(("/dev/", "/proc/"))
    return found.st_size if S_ISREG(found.st_mode) and not ours else None


def _total(sizes: Sequence[int | None]) -> tuple[int | None, str]:
    """How much there is to read, and of what; nearly: a character is a byte, or some."""
    known = [size for size in sizes if size]
    return (sum(known), "") if len(known) == len(sizes) else (None, "characters")


def _in_processes(
    names: Sequence[str],
    shared: Sequence[bool],
    number: int,
    work: Work[Outcome],
    output: _Output,
) -> None:
    """Check files at once, here and in other processes; what is printed is the same.

    ``shared`` says which files another process can read.
    """
    from ..support.worker_processes import processes

    # the first is told as it is checked
    theirs = {at: name for at, name in enumerate(names) if at and shared[at]}
    with processes(work, theirs, number - 1) as (result, output.elsewhere):
        for at, name in enumerate(names):
            if (found := result(at, output.read)) is None:
                output.ended(work(name, output.write, read=output.read))
                continue
            outcome, texts = found
            for text in texts:
                output.write(text)
            output.ended(outcome)


# --- one file -----------------------------------------------------------------------------


def _work(
    name: str,
    write: Callable[[str], object],
    *,
    pieces: Pieces,
    between: str,
    quiet: bool,
    read: Callable[[int], object],
) -> Outcome:
    """Check a file, and write what is said of it."""
    counts = Counter[str]()
    try:
        for item in counted(_check(name, read), counts):
            if item.diagnostics or not quiet:
                write("".join(between + piece for piece in pieces(item)))
    except CommandError as error:
        return Outcome(counts, str(error))
    return Outcome(counts)


def _check(name: str, read: Callable[[int], object]) -> Iterator[Checked]:
    with opened(name) as file:
        head = file.read(_CHUNK)
        language = language_of(name, head)
        if language is Language.PTX:
            yield from check_listing(_chunks(head, file, read), name)
        else:
            text = head + file.read()
            lines, known = text.count("\n") + 1, 0
            for item in check_source(text, name, language):
                if (so_far := len(text) * item.place.line // lines) > known + _CHUNK:
                    read(so_far - known)
                    known = so_far
                yield item
            read(len(text) - known)


def _chunks(head: str, file: IO[str], read: Callable[[int], object]) -> Iterator[str]:
    while head:
        read(len(head))
        yield head
        head = file.read(_CHUNK)
