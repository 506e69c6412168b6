"""Whole-process time of the commands that need no screen, against an empty program."""

from __future__ import annotations

from collections.abc import Iterator

from ptxscope.cli.support.arguments import find_command_module

from .measure import interleaved, process

BASELINE = "import argparse, dataclasses, enum, json, re"
LINE = "vset4.s32.u32.lt.add %r1, %r2, %r3, %r0"
VALUES = ("%r2=0x80ff7f01", "%r3=0x01010101", "%r0=5")
TRACE = ("-m", "ptxscope", "trace", LINE, *VALUES)
MOST = 3.0
"""How many times an empty program's time ``trace`` may take.

It takes 2.7. About a quarter of that are the record classes and enums of what it loads: 62 named
tuples, 9 frozen dataclasses, 24 enums. They are standard classes on purpose: records of our own
started in 1.8 times an empty program, with tricks that no reader should have to know.
"""


def report() -> Iterator[str]:
    """A line a command."""
    runs = {
        "baseline": process("-c", BASELINE),
        "trace": process(*TRACE),
        "trace --model ptxas": process(*TRACE, "--model=ptxas"),
        "eval": process("-m", "ptxscope", "eval", LINE, *VALUES),
        "show": process("-m", "ptxscope", "show"),
        "show vmad": process("-m", "ptxscope", "show", "vmad"),
    }
    if find_command_module("errata"):
        runs["errata"] = process("-m", "ptxscope", "errata")
    found = interleaved(runs, 21)
    base = found.pop("baseline")
    yield f"python -c {BASELINE!r}: {base * 1e3:.1f} ms"
    for name, seconds in found.items():
        yield f"{name:<20} {seconds / base:5.2f} x  (trace: at most {MOST})"


def ratio() -> float:
    """What ``trace`` takes, against an empty program: the quickest of each, undisturbed by most."""
    runs = {"baseline": process("-c", BASELINE), "trace": process(*TRACE)}
    found = interleaved(runs, 15, min)
    return found["trace"] / found["baseline"]
