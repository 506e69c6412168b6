"""The steps of one thread of a kernel, and what a wrong value was computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from ...engine.isa.value_text import format_hex
from ...kernels.launches.launch import LaunchShape
from ...kernels.launches.memory_regions import describe_address
from ...kernels.launches.thread_log import ThreadLog, ThreadStep

if TYPE_CHECKING:
    from ...kernels.sequences.intrinsic_sequences import IntrinsicSequence

_WIDTH = 44
"""Columns of a statement; the effect of a longer one follows it."""
_MAX_ORIGINS = 24
_MAX_INDENTS = 12


def iter_thread_lines(
    log: ThreadLog,
    shape: LaunchShape,
    stop_line: int | None,
    watched: Set[str],
    sequences: Sequence[IntrinsicSequence] = (),
    *,
    is_folded: bool = False,
) -> Iterator[str]:
    """Yield the steps up to a line; with watched registers, only those that write one.

    ``sequences`` are those of the file; folded, each is one line.
    """
    ends = {x.statements[-1].span: x for x in sequences}
    inner_spans = {y.span for x in sequences for y in x.statements} if is_folded else set()
    yield shape.format_thread(log.thread)
    for step in log.steps:
        if step.statement.line == stop_line:
            yield f"stopped before line {stop_line}"
            return
        span = step.statement.span
        sequence = ends.get(span)
        if watched:
            if not watched.isdisjoint(x.name for x in step.writes):
                yield _format_step(log, step)
        elif sequence and is_folded:
            yield _format_step(log, step, f"{sequence.call}  [{sequence.format_lines()}]")
        elif span not in inner_spans:
            yield _format_step(log, step)
            if sequence:
                yield f"      {sequence}"
    if log.is_cut:
        yield f"and more after {len(log.steps):,} steps"
    elif stop_line is not None:
        yield f"never reached line {stop_line}"


def iter_origin_lines(log: ThreadLog, shape: LaunchShape, name: str, index: int) -> Iterator[str]:
    """Yield what the last value of an element of a buffer was computed from, as a tree."""
    store = log.find_store(name, index)
    if store is None:
        return
    yield f"{name}[{index}] was written by {shape.format_thread(log.thread)}:"
    for count, (depth, step) in enumerate(log.find_origins(store)):
        if count == _MAX_ORIGINS:
            yield "  and earlier steps"
            return
        indent = 2 * min(depth, _MAX_INDENTS)
        yield " " * indent + _format_step(log, step, width=_WIDTH - indent)


def _format_step(log: ThreadLog, step: ThreadStep, text: str = "", width: int = _WIDTH) -> str:
    """Return ``   12 add.u32 %r1, %r2, %r3    %r1 = 0x00000005  5``, or a text in its place."""
    effects = [f"{x.name} = {_format_bits(log, x.bits, x.width)}" for x in step.writes]
    effects += [
        f"writes {place} = {_format_bits(log, bits, 8 * size)}"
        for place, bits, (_, _, size) in zip(step.places, step.stored, step.spans, strict=True)
    ]
    effects += [f"from {x.name} ({x.writer})" for x in step.reads if x.writer]
    if not step.is_active:
        effects = ["(its guard is false)"]
    text = text or step.statement.text
    return f"{step.statement.line:>5} {text:<{width}} {', '.join(effects)}".rstrip()


def _format_bits(log: ThreadLog, bits: int | None, width: int) -> str:
    """Return ``0x00000005  5``, or the place of an address instead of the decimal number."""
    if bits is None:
        return "?"
    if width == 1:
        return str(bool(bits)).lower()
    place = describe_address(log.regions, bits) if width == 64 else ""
    return f"{format_hex(bits, width)}  {place or bits}"
