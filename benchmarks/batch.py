"""Results a second of the array path, against one NumPy addition of the same arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ptxscope import Instruction, evaluate, parse

from .measure import interleaved

SIZE = 1 << 22
LINES = (
    "vadd4.s32.s32.u32.sat d, a, b, c",
    "vadd4.s32.s32.u32.sat d.b310, a.b4321, b.b0123, c",
    "vset4.s32.u32.lt.add d, a, b, c",
    "vavrg2.s32.s32.s32 d, a, b, c",
    "vadd.s32.s32.s32.sat d, a, b",
    "vshl.s32.s32.u32.clamp.add d, a, b, c",
    "vmad.s32.u32.u32 d, -a, b, c",
    "setp.lt.and.f32 p|q, a, b, 1",
)


def report() -> Iterator[str]:
    """A line an instruction."""
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(0, 2**32, SIZE, dtype=np.uint32) for _ in "abc")
    operands = {"a": a, "b": b, "c": c}

    def batch(ins: Instruction) -> Callable[[], None]:
        needed = {x.name: operands[x.name] for x in ins.inputs}
        return lambda: void(evaluate(ins, needed))

    runs: dict[str, Callable[[], None]] = {"a + b": lambda: void(np.add(a, b))}
    runs |= {line: batch(parse(line)) for line in LINES}
    found = interleaved(runs, 5)
    base = found.pop("a + b")
    yield f"one addition of {SIZE:,} uint32: {SIZE / base / 1e6:,.0f} M/s"
    for line, seconds in found.items():
        yield f"{line:<50} {seconds / base:6.1f} x  {SIZE / seconds / 1e6:5.0f} M/s"


def void(_: object) -> None:
    """Throw a result away."""
