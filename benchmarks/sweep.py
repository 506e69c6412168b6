"""A map of 256 by 256 results under both models, against one NumPy pass over as many numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ptxscope import parse
from ptxscope.engine.tracing.basic_block import make_block
from ptxscope.engine.tracing.operand_bits import bind_values
from ptxscope.features.sweep.computation import MAX_SIDE_VALUES, compute_sweep
from ptxscope.features.sweep.register_parts import choose_default_result, parse_swept_part

from .measure import interleaved

LINES = (
    "vadd4.s32.s32.s32.sat d, a, b, c",
    "vavrg4.s32.s32.s32 d, a, b, c",
    "vset4.s32.u32.lt.add d, a, b, c",
    "vadd.u32.s32.s32.sat d.b0, a.b0, b.b0, c",
    "vmad.s32.u32.u32.sat.shr7 d, a.b0, b.b0, c",
)
FRAME = 1 / 60


def report() -> Iterator[str]:
    """A line an instruction."""
    numbers = np.arange(MAX_SIDE_VALUES * MAX_SIDE_VALUES, dtype=np.uint32)
    runs: dict[str, Callable[[], None]] = {"pass": lambda: void(numbers + numbers)}
    runs |= {line: mapped(line) for line in LINES}
    found = interleaved(runs, 15)
    base = found.pop("pass")
    yield f"one addition of {MAX_SIDE_VALUES * MAX_SIDE_VALUES:,} uint32: {base * 1e6:.0f} us"
    for line, seconds in found.items():
        share = seconds / FRAME
        yield f"{line:<50} {seconds / base:6.0f} x  {seconds * 1e3:5.1f} ms, {share:.0%} of a frame"


def mapped(line: str) -> Callable[[], None]:
    """What makes the map of a line, over the lowest bytes of a and b."""
    ins = make_block(parse(line))
    x, y = parse_swept_part(ins, "a.b0"), parse_swept_part(ins, "b.b0")
    of = choose_default_result(ins, x)
    assert of
    operands = bind_values(ins, {needed.name: 0 for needed in ins.inputs})

    def run() -> None:
        found = compute_sweep(ins, operands, x, y, result_part=of)
        void((found.divergence_mask.any(), found.clamped.any(), found.wrapped.any()))

    return run


def void(_: object) -> None:
    """Throw a result away."""
