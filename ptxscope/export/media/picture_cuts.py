"""A picture cut at its marks: what of it is seen from which step on."""

from __future__ import annotations

from collections.abc import Callable

from ...engine.records import NamedTuple
from ..svg import trace_picture

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


def cut_bands(drawn: trace_picture.SvgDrawing) -> list[Band]:
    """What is drawn, from top to bottom."""
    pen, marks = drawn.pen, drawn.pen.marks
    bands = [Band(0, 0, pen.parts[: marks[0].parts], pen.flows[: marks[0].flows])]
    ends = [(mark.parts, mark.flows) for mark in marks[1:]] + [(len(pen.parts), len(pen.flows))]
    for mark, (end, flow_end) in zip(marks, ends, strict=True):
        step = _step(drawn, mark.name)
        own = pen.parts[mark.parts : end], pen.flows[mark.flows : flow_end]
        bands.append(Band(mark.y, step, *own))
    return bands


def _step(drawn: trace_picture.SvgDrawing, mark: str) -> int:
    """The step with which is seen first what a mark begins."""
    numbers = {f"step-{step.stage}": at for at, step in enumerate(drawn.doc.steps, 1)}
    return 0 if mark in _ALWAYS else numbers.get(mark, len(numbers))


def list_grounds(drawn: trace_picture.SvgDrawing, wrap: Wrap) -> list[str]:
    """What lies under all: the columns, each as far down as what is seen on it.

    Those of branches begin where they part.
    """
    bands = cut_bands(drawn)
    found = []
    for ground in drawn.pen.grounds:
        first = _step(drawn, ground.since) if ground.since else 0
        end = next((x.y for x in bands if x.y > ground.top and not wrap(x.step, [""])), ground.end)
        found += wrap(first, [ground.part(ground.top, min(end, ground.end))])
    return found


def list_flows(bands: list[Band], wrap: Wrap) -> list[str]:
    """The lines between rows."""
    found = [line for band in bands for line in wrap(band.step, band.flows)]
    return ['<g class="px-flows">', *found, "</g>"]


def list_parts(bands: list[Band], wrap: Wrap) -> list[str]:
    """What lies over them."""
    return [line for band in bands for line in wrap(band.step, band.parts)]
