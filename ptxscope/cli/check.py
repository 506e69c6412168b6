"""``ptxscope check``: every one of the 27 in listings and sources, legal or not, and why."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..engine.errors import printable
from ..engine.models import errata_of
from ..engine.parser import Parsed, scan
from . import CommandError
from .arguments import parsed, parser

_EPILOG = """\
examples:
  ptxscope check kernel.ptx
  ptxscope check --json kernel.cu other.cuh
  cuobjdump -ptx a.out | ptxscope check -

Exit status: 0 all legal, 1 an instruction is illegal, 2 a file can't be read.
"""


class Found(NamedTuple):
    """One instruction of a file, or what was meant to be one."""

    file: str
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    ptx: str
    legal: bool
    message: str
    """What is wrong; empty where nothing is."""
    notes: tuple[str, ...]
    errata: tuple[str, ...]
    """Ids of those that can change its result on sm_70 and later."""


def run(words: Sequence[str]) -> int:
    """Check files, and print what was found."""
    arguments = parser("check", "Check every supported instruction of listings.", _EPILOG)
    arguments.add_argument("files", metavar="FILE", nargs="+", help=".ptx, .cu, …; - is the input")
    arguments.add_argument("--json", action="store_true", help="as an array of objects")
    chosen = parsed(arguments, words)
    found = [item for name in chosen.files for item in check(_read(name), name)]
    if chosen.json:
        print(json.dumps([item._asdict() for item in found], indent=1))
    else:
        for item in found:
            print("\n".join(_lines(item)))
        bad = sum(not item.legal for item in found)
        warned = sum(bool(item.errata) for item in found)
        print(f"{len(found)} instructions, {bad} illegal, {warned} that an erratum can change")
    return int(any(not item.legal for item in found))


def check(text: str, name: str) -> Iterator[Found]:
    """Every one of the 27 in a text, in order."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    at = 0
    for item in scan(text):
        place = item.problems[0].span[0] if item.problems else item.span[0]
        while at + 1 < len(starts) and starts[at + 1] <= place:
            at += 1
        while starts[at] > place:
            at -= 1
        yield _found(text, item, name, at + 1, place - starts[at] + 1)


def _found(text: str, item: Parsed, name: str, line: int, column: int) -> Found:
    ins = item.instruction
    if ins is None:
        ptx = " ".join(text[slice(*item.span)].split())
        message = "; ".join(problem.message for problem in item.problems)
        return Found(name, line, column, ptx, False, message, (), ())
    errata = tuple(erratum.id for erratum in errata_of(ins.form))
    return Found(name, line, column, str(ins), True, "", ins.notes, errata)


def _lines(item: Found) -> Iterator[str]:
    place = f"{printable(item.file)}:{item.line}:{item.column}"
    if not item.legal:
        yield f"{place}: error: {printable(item.message)}"
    elif item.errata:
        ids = ", ".join(item.errata)
        yield f"{place}: warning: ptxas departs from the documentation for this form ({ids})"
    else:
        yield f"{place}: ok"
    yield f"    {printable(item.ptx)}"
    yield from (f"    note: {printable(note)}" for note in item.notes)


def _read(name: str) -> str:
    try:
        if name == "-":
            return sys.stdin.read()
        return Path(name).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise CommandError(f"error: {printable(name)}: {error.strerror}") from None
