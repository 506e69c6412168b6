"""The steps of one thread of a kernel, and what a wrong value was computed from."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ...engine.isa.value_text import format_hex
from ...engine.launches.launch import LaunchShape
from ...engine.launches.thread_log import ThreadLog, ThreadStep

_WIDTH = 44
"""Columns of a statement; the effect of a longer one follows it."""
_MAX_ORIGINS = 24
_MAX_INDENTS = 12


def iter_thread_lines(
    log: ThreadLog, shape: LaunchShape, stop_line: int | None, watched: Set[str]
) -> Iterator[str]:
    """Yield the steps up to a line; with watched registers, only those that write one."""
    yield shape.format_thread(log.thread)
    for step in log.steps:
        if stop_line is not None and step.statement.line >= stop_line:
            yield f"stopped before line {step.statement.line}"
            return
        if not watched or not watched.isdisjoint(name for name, _, _ in step.writes):
            yield _format_step(step)
    if log.is_cut:
        yield f"and more after {len(log.steps):,} steps"


def iter_origin_lines(log: ThreadLog, shape: LaunchShape, place: str) -> Iterator[str]:
    """Yield what the last value of a place was computed from, as a tree."""
    store = log.find_store(place)
    if store is None:
        return
    yield f"{place} was written by {shape.format_thread(log.thread)}:"
    for count, (depth, step) in enumerate(log.find_origins(store)):
        if count == _MAX_ORIGINS:
            yield "  and earlier steps"
            return
        indent = 2 * min(depth, _MAX_INDENTS)
        yield " " * indent + _format_step(step, _WIDTH - indent)


def _format_step(step: ThreadStep, width: int = _WIDTH) -> str:
    """Return ``   12 add.u32 %r1, %r2, %r3    %r1 = 0x00000005  5``."""
    effects = [
        f"{name} = ?" if bits is None else f"{name} = {format_hex(bits, width)}  {bits}"
        for name, bits, width in step.writes
    ]
    effects += [f"writes {place}" for place in step.places]
    effects += [f"from {x.name} ({x.writer})" for x in step.reads if x.writer]
    if not step.is_active:
        effects = ["(its guard is false)"]
    return f"{step.statement.line:>5} {step.statement.text:<{width}} {', '.join(effects)}".rstrip()
