"""Instructions a second of `ptxscope check`, against splitting the same text into lines."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path

from ptxscope.engine.syntax.opcodes import OPCODES
from ptxscope.features.check.listing_checks import check_listing

from .measure import interleaved, process

SAMPLE = Path(__file__).parents[1] / "tests" / "data" / "video.ptx"
SIZE = 20_000_000
FILES = 4


def report() -> Iterator[str]:
    """The bare reading, then the whole command; several files one after the other, and at once."""
    with tempfile.TemporaryDirectory() as folder:
        for name, few in (("dense", False), ("sparse", True)):
            path = Path(folder) / f"{name}.ptx"
            yield from _one(name, path, generate(path, SIZE, few=few))
        paths = [Path(folder) / f"{index}.ptx" for index in range(FILES)]
        several = sum(generate(path, SIZE // FILES, few=False) for path in paths)
        yield from _several(list(map(str, paths)), several)


def _one(name: str, path: Path, instructions: int) -> Iterator[str]:
    runs: dict[str, Callable[[], None]] = {
        "lines": lambda: _split(path),
        "check_listing": lambda: _check(path),
        "ptxscope check": process("-m", "ptxscope", "check", str(path)),
    }
    found = interleaved(runs, 3)
    base = found.pop("lines")
    size = path.stat().st_size / 1e6
    said = f"{instructions:,} PTX instructions, {size:.0f} MB"
    yield f"{name}: {said}, split into lines: {base:.2f} s"
    for run, seconds in found.items():
        yield f"  {run:<16} {seconds / base:6.1f} x  {instructions / seconds:9,.0f} instructions/s"


def _several(names: list[str], instructions: int) -> Iterator[str]:
    command = ("-m", "ptxscope", "check", *names)
    runs = {"--jobs 1": process(*command, "--jobs", "1"), "at once": process(*command)}
    yield f"{len(names)} files, dense"
    for run, seconds in interleaved(runs, 3).items():
        yield f"  {run:<16} {seconds:6.2f} s  {instructions / seconds:9,.0f} instructions/s"


def generate(path: Path, size: int, *, few: bool) -> int:
    """Write a listing of at least so many characters; returns how many instructions it has.

    It is a listing of nvcc, its kernels repeated with other register numbers; where ``few`` is
    asked for, one in twenty of its instructions of the 27 is left.
    """
    text = SAMPLE.read_text(encoding="utf-8")
    start = text.index(".visible")
    head, body = text[:start], text[start:]
    if few:
        body = "".join(_thinned(body.splitlines(keepends=True) * 20))
    variants = [_NUMBER.sub(partial(_shifted, by=by), body) for by in range(0, 900, 100)]
    instructions = written = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(head)
        for variant in cycle(variants):
            if written >= size:
                break
            written += file.write(variant)
            instructions += variant.count(";")
    return instructions


_OPCODE = re.compile(r"\s*(?:@!?%p\d+\s+)?([a-z]\w*)")
_NUMBER = re.compile(r"(?<=%)([a-z]+<?)([0-9]+)")
"""Of a register, or how many of them are declared."""


def _thinned(lines: list[str]) -> Iterator[str]:
    seen = 0
    for line in lines:
        found = _OPCODE.match(line)
        if found and found[1] in OPCODES:
            seen += 1
            if seen % 20:
                continue
        yield line


def _shifted(found: re.Match[str], by: int) -> str:
    return f"{found[1]}{int(found[2]) + by}"


def _split(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for line in file:
            line.split()


def _check(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for _ in check_listing(iter(lambda: file.read(1 << 18), ""), str(path)):
            pass
