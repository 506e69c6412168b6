"""The explorer on a terminal: time to its first useful text, and from a key to the repaint."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence

from .terminal import Terminal

_MINIMAL = """
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
SIZE = (120, 40)


def report(times: int = 11, keys: int = 60) -> Iterator[str]:
    """First text and key to repaint, as ratios."""
    minimal = (sys.executable, "-c", _MINIMAL)
    first: dict[str, list[float]] = {"minimal": [], "explorer": []}
    for _ in range(times):
        first["minimal"].append(_first_text(minimal, b"minimal-title"))
        first["explorer"].append(_first_text(EXPLORER, b"0x00000007", b"lane 3"))
    base, ours = (statistics.median(first[name]) for name in ("minimal", "explorer"))
    yield f"first text: minimal app {base * 1e3:.0f} ms, explorer {ours * 1e3:.0f} ms"
    yield f"  {ours / base:.2f} x  (at most 1.5, stretch 1.35)"
    repaint = {
        "one Static": _repaints((sys.executable, "-c", _STATIC), keys),
        "explorer": _repaints(EXPLORER, keys),
    }
    for name, seconds in repaint.items():
        median = statistics.median(seconds) * 1e3
        high = statistics.quantiles(seconds, n=20)[18] * 1e3
        yield f"r, to the last byte: {name:<10} median {median:5.1f} ms, p95 {high:5.1f} ms"
    ratio = statistics.median(repaint["explorer"]) / statistics.median(repaint["one Static"])
    yield f"  {ratio:.2f} x  (at most 1.1 x)"


def _first_text(command: Sequence[str], *texts: bytes) -> float:
    with Terminal(command, *SIZE) as terminal:
        return terminal.until(*texts)


def _repaints(command: Sequence[str], keys: int) -> list[float]:
    with Terminal(command, *SIZE) as terminal:
        terminal.drain(1.0)
        for _ in range(10):
            terminal.answer(b"r")
        return [terminal.answer(b"r") for _ in range(keys)]
