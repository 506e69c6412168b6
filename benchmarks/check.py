"""Instructions a second of `ptxscope check`, against splitting the same text into lines."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ptxscope.engine.listings.lint import check_listing

from .measure import interleaved, process

SAMPLE = Path(__file__).parents[1] / "tests" / "data" / "video.ptx"
SIZE = 20_000_000


def report() -> Iterator[str]:
    """The bare reading, then the whole command."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.ptx"
        count = generate(path, SIZE)
        runs: dict[str, Callable[[], None]] = {
            "lines": lambda: _split(path),
            "check_listing": lambda: _check(path),
            "ptxscope check": process("-m", "ptxscope", "check", str(path)),
        }
        found = interleaved(runs, 3)
        base = found.pop("lines")
        yield f"{count:,} PTX instructions, {SIZE / 1e6:.0f} MB, split into lines: {base:.2f} s"
        for name, seconds in found.items():
            yield f"{name:<16} {seconds / base:6.1f} x  {count / seconds:9,.0f} instructions/s"


def generate(path: Path, size: int) -> int:
    """Write a listing of at least so many characters; returns how many instructions it has.

    It is a listing of nvcc, its kernels repeated with other register numbers.
    """
    text = SAMPLE.read_text(encoding="utf-8")
    start = text.index(".visible")
    head, body = text[:start], text[start:]
    variants = [_NUMBER.sub(partial(_shifted, by=by), body) for by in range(0, 900, 100)]
    count = written = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(head)
        while written < size:
            variant = variants[count % len(variants)]
            written += file.write(variant)
            count += variant.count(";")
    return count


_NUMBER = re.compile(r"(?<=%)([a-z]+<?)([0-9]+)")
"""Of a register, or how many of them are declared."""


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
