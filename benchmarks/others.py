"""The explorer beside other Textual programs: time to their first screens, and from a key.

Each of the others has an environment of its own in one folder, made where it is missing. Its
Textual may be another, so a minimal app is started with that one too. All take turns.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from venv import create

from .screen import EXPLORER, EXPLORER_SHOWS, MINIMAL, MINIMAL_SHOWS, first_text, repaints

_LOG, _TRACED = "app.log", "trace.bin"


class Program(NamedTuple):
    """A program, and what it shows at first."""

    package: str
    words: tuple[str, ...]
    shows: tuple[bytes, ...]
    """Text of its first screen."""
    keys: tuple[bytes, ...] = ()
    """Keys that take turns and repaint something each; none where no key does so at once."""
    needs: tuple[str, ...] = ()
    """What its newest dependencies must not be, for it to start."""


class Running(NamedTuple):
    """A program as it is started here."""

    program: Program
    python: str
    command: tuple[str, ...]


_UP, _DOWN, _RIGHT, _LEFT = (f"\x1b[{letter}".encode() for letter in "ABCD")
_NAMES = {_UP: "↑", _DOWN: "↓", _RIGHT: "→", _LEFT: "←"}
OURS = Program("ptxscope", (), EXPLORER_SHOWS, (_LEFT, _RIGHT))
OTHERS = (
    Program("posting", ("posting",), (b"Collection is empty",), needs=("tree-sitter<0.26",)),
    Program("harlequin", ("harlequin", "--locale", "C"), (b"Query Results",)),
    Program("toolong", ("tl", _LOG), (b"the last line",), (_UP, _DOWN)),
    Program("memray", ("memray", "tree", _TRACED), (b"<ROOT>",), (_DOWN, _UP)),
)


def table(folder: Path, times: int = 11, keys: int = 30) -> Iterator[str]:
    """A table in Markdown, and what it was measured on."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        all_ = [Running(OURS, sys.executable, EXPLORER)]
        all_ += [_installed(program, folder, here) for program in OTHERS]
        first, bare = _turns(all_, times)
        yield "| program | Textual | first text, ms | ÷ minimal app | a key, ms |"
        yield "| --- | --- | ---: | ---: | ---: |"
        for at, (program, python, command) in enumerate(all_):
            took, least = statistics.median(first[at]), statistics.median(bare[at])
            key = _key(command, program.keys, keys) if program.keys else ""
            yield (
                f"| {program.package} {_version(python, program.package)} "
                f"| {_version(python, 'textual')} | {took * 1e3:.0f} | {took / least:.2f} | {key} |"
            )
    yield ""
    python = platform.python_version()
    yield f"Medians of {times} starts and {keys} keys; Python {python}, {_processor()}."


def _turns(all_: list[Running], times: int) -> tuple[list[list[float]], list[list[float]]]:
    """Seconds to the first text of each, and of a minimal app with the same Textual."""
    first: list[list[float]] = [[] for _ in all_]
    bare: list[list[float]] = [[] for _ in all_]
    for turn in range(times + 1):
        for at, (program, python, command) in enumerate(all_):
            least = first_text((python, "-c", MINIMAL), *MINIMAL_SHOWS)
            took = first_text(command, *program.shows)
            if turn:  # the first one compiles, and may write what it keeps
                first[at].append(took)
                bare[at].append(least)
    return first, bare


def _key(command: tuple[str, ...], keys: tuple[bytes, ...], times: int) -> str:
    """Milliseconds from a key to the last byte that answers it."""
    answer = statistics.median(repaints(command, times, *keys))
    return f"{' '.join(_NAMES[key] for key in keys)} {answer * 1e3:.0f}"


def _installed(program: Program, folder: Path, here: Path) -> Running:
    """A program in its environment, which is made where there is none."""
    venv = folder.resolve() / program.package
    python, scripts = venv / "bin" / "python", venv / "bin"
    if not python.exists():
        print(f"making {venv} …", file=sys.stderr)
        create(venv, with_pip=True)
    if not (scripts / program.words[0]).exists():
        install = (str(python), "-m", "pip", "install", "--quiet", program.package, *program.needs)
        subprocess.run(install, check=True)
    files = {_LOG: here / _LOG, _TRACED: here / _TRACED}
    if _LOG in program.words:
        lines = [f"2026-01-01 request {n} answered" for n in range(400)]
        files[_LOG].write_text("\n".join([*lines, "2026-01-01 the last line\n"]), "utf-8")
    if _TRACED in program.words:
        code = "import json; x = [json.dumps(list(range(n))) for n in range(200)]"
        traced = ("memray", "run", "-q", "-o", str(files[_TRACED]), "-c", code)
        subprocess.run((str(python), "-m", *traced), check=True, stdout=subprocess.DEVNULL)
    first, *rest = (str(files.get(word, word)) for word in program.words)
    return Running(program, str(python), (str(scripts / first), *rest))


def _version(python: str, package: str) -> str:
    """That of a package in an environment; of ours, what stands here."""
    code = f"from importlib.metadata import version; print(version({package!r}))"
    if package == OURS.package:
        code = f"import {package}; print({package}.__version__)"
    return subprocess.run(
        (python, "-c", code), check=True, capture_output=True, text=True
    ).stdout.strip()


def _processor() -> str:
    """What it runs on."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} cores of {names[0] if names else platform.machine()}"
