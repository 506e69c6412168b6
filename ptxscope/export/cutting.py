"""A picture cut at its marks: what of it is seen from which step on."""

from __future__ import annotations

from collections.abc import Callable

from ..engine.records import NamedTuple
from .picture import svg

_ALWAYS = ("operands", "foot")
"""What is seen before the first step."""
Wrap = Callable[[int, list[str]], list[str]]
"""Elements that are seen from a step on, which is 0 for what is always seen."""


class Band(NamedTuple):
    """What is drawn between two marks."""

    y: float
    step: int
    """With which step it is seen first, counted from 1; 0 for what always is."""
    parts: list[str]
    flows: list[str]


def bands_of(drawn: svg.Drawing) -> list[Band]:
    """What is drawn, from top to bottom."""
    pen, steps = drawn.pen, len(drawn.doc.steps)
    numbers = {f"step-{step.stage}": at for at, step in enumerate(drawn.doc.steps, 1)}
    numbers |= dict.fromkeys(_ALWAYS, 0)
    marks = pen.marks
    bands = [Band(0, 0, pen.parts[: marks[0].parts], pen.flows[: marks[0].flows])]
    ends = [(mark.parts, mark.flows) for mark in marks[1:]] + [(len(pen.parts), len(pen.flows))]
    for mark, (end, flow_end) in zip(marks, ends, strict=True):
        step = numbers.get(mark.name, steps)
        own = pen.parts[mark.parts : end], pen.flows[mark.flows : flow_end]
        bands.append(Band(mark.y, step, *own))
    return bands


def flows(bands: list[Band], wrap: Wrap) -> list[str]:
    """The lines between rows."""
    found = [line for band in bands for line in wrap(band.step, band.flows)]
    return ['<g class="px-flows">', *found, "</g>"]


def parts(bands: list[Band], wrap: Wrap) -> list[str]:
    """What lies over them."""
    return [line for band in bands for line in wrap(band.step, band.parts)]
