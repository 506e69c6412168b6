"""``ptxscope check``: every one of the 27 in listings and sources, legal or not, and why."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

from ..engine.listings.inline_asm import Language, language_of
from ..engine.listings.lint import Checked, check_listing, check_source
from ..export.checked import counted, described, summary, told
from ..export.data import dumps
from . import CommandError
from .arguments import Parser, parsed, parser
from .inputs import once, opened

_EPILOG = """\
examples:
  ptxscope check kernel.ptx
  ptxscope check --json kernel.cu other.cuh
  ptxscope check --sarif src/*.cu > ptxscope.sarif
  cuobjdump -ptx a.out | ptxscope check -

Read are .ptx; asm statements and PTX strings of .c, .cpp, .cu, .cuh, .h and of .py. What another
file holds is told from how it begins. Exit status: 0 all legal, 1 an instruction is illegal,
2 a file can't be read.
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
    to.add_argument("-q", "--quiet", action="store_true", help="leave out what nothing is said of")
    return to


def run(words: Sequence[str]) -> int:
    """Check files, and print what was found."""
    chosen = parsed(arguments(), words)
    once(chosen.files)
    missing: list[CommandError] = []
    counts = Counter[str]()
    found = counted(_found(chosen.files, missing), counts)
    for text in _render(found, chosen):
        sys.stdout.write(text)
    if chosen.format == "text":
        print(summary(counts))
    if missing:
        sys.stdout.flush()
        raise CommandError("\n".join(map(str, missing)))
    return int(counts["illegal"] > 0)


def _found(names: Sequence[str], missing: list[CommandError]) -> Iterator[Checked]:
    """What there is in each file; what can't be read is put on a list."""
    for name in names:
        try:
            yield from _check(name)
        except CommandError as error:
            missing.append(error)


def _render(found: Iterator[Checked], chosen: argparse.Namespace) -> Iterable[str]:
    if chosen.quiet:
        found = (item for item in found if item.diagnostics)
    if chosen.format == "json":
        return _json(found)
    if chosen.format == "sarif":
        from ..export import sarif

        return sarif.render(found)
    return ("\n".join(told(item)) + "\n" for item in found)


# --- reading ------------------------------------------------------------------------------


def _check(name: str) -> Iterator[Checked]:
    with opened(name) as file:
        head = file.read(_CHUNK)
        language = language_of(name, head)
        if language is Language.PTX:
            yield from check_listing(_chunks(head, file), name)
        else:
            yield from check_source(head + file.read(), name, language)


def _chunks(head: str, file: IO[str]) -> Iterator[str]:
    while head:
        yield head
        head = file.read(_CHUNK)


# --- telling ------------------------------------------------------------------------------


def _json(found: Iterable[Checked]) -> Iterator[str]:
    """A JSON array in pieces."""
    comma = "["
    for item in found:
        yield f"{comma}\n {dumps(described(item))}"
        comma = ","
    yield "[]\n" if comma == "[" else "\n]\n"
