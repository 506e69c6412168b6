"""The explorer on a terminal: time to its first useful text, and from a key to the repaint."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence
from itertools import cycle

from .terminal import Terminal

MINIMAL = """
from textual.app import App
from textual.widgets import Footer, Header
class Minimal(App):
    BINDINGS = [("q", "quit", "Quit")]
    TITLE = "minimal-title"
    def compose(self):
        yield Header()
        yield Footer()
Minimal().run()
"""
_STATIC = """
from random import Random
from textual.app import App
from textual.content import Content
from textual.widgets import Static
class One(App):
    BINDINGS = [("r", "random", "Random")]
    def compose(self):
        yield Static(self.text())
    def text(self):
        rng = Random()
        lines = (
            Content.assemble(*((f"{rng.randrange(1 << 32):08x} ", "bold red") for _ in range(12)))
            for _ in range(38)
        )
        return Content("\\n").join(lines)
    def action_random(self):
        self.query_one(Static).update(self.text(), layout=False)
One().run()
"""
EXPLORER = (
    *(sys.executable, "-c", "from ptxscope.cli import main; main()"),  # as it is installed
    *("open", "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0"),
    *("%r2=0x80ff7f01", "%r3=0x01010101", "%r0=5"),
)
MINIMAL_SHOWS = (b"minimal-title",)
EXPLORER_SHOWS = (b"0x00000007", b"lane 3")
SIZE = (120, 40)
MAX_FIRST_TEXT = 1.75
"""How many times a minimal app's time the first text may take. It takes 1.64: some 60 ms
import 100 modules of ptxscope, whose records are standard classes (see ``start``)."""
_STARTED = b"\x1b[?1049h"
"""What takes the terminal."""


def report(times: int = 11, keys: int = 60) -> Iterator[str]:
    """First text and key to repaint, as ratios."""
    minimal = (sys.executable, "-c", MINIMAL)
    first: dict[str, list[float]] = {"minimal": [], "explorer": []}
    for _ in range(times):
        first["minimal"].append(first_text(minimal, *MINIMAL_SHOWS))
        first["explorer"].append(first_text(EXPLORER, *EXPLORER_SHOWS))
    base, ours = (statistics.median(first[name]) for name in ("minimal", "explorer"))
    yield f"first text: minimal app {base * 1e3:.0f} ms, explorer {ours * 1e3:.0f} ms"
    yield f"  {ours / base:.2f} x  (at most {MAX_FIRST_TEXT})"
    repaint = {
        "one Static": repaints((sys.executable, "-c", _STATIC), keys, b"r"),
        "explorer": repaints(EXPLORER, keys, b"r"),
    }
    for name, seconds in repaint.items():
        median = statistics.median(seconds) * 1e3
        high = statistics.quantiles(seconds, n=20)[18] * 1e3
        yield f"r, to the last byte: {name:<10} median {median:5.1f} ms, p95 {high:5.1f} ms"
    ratio = statistics.median(repaint["explorer"]) / statistics.median(repaint["one Static"])
    yield f"  {ratio:.2f} x  (at most 1.2)"


def first_text(command: Sequence[str], *texts: bytes) -> float:
    """Seconds from a program's start until its texts are on the screen."""
    with Terminal(command, *SIZE) as terminal:
        return terminal.until(*texts)


def repaints(command: Sequence[str], times: int, *pressed: bytes) -> list[float]:
    """Seconds from a key to the last byte that answers it, each time; the keys take turns."""
    keys = cycle(pressed)
    with Terminal(command, *SIZE) as terminal:
        terminal.until(_STARTED)
        terminal.drain(1.0)
        for _ in range(10):
            terminal.answer(next(keys))
        return [terminal.answer(next(keys)) for _ in range(times)]
