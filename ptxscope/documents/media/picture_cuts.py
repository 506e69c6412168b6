"""Cuts of a picture at its marks, and the step from which each part is visible."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..svg import trace_picture

_ALWAYS = ("operands", "foot")
"""Marks of parts that are visible before the first step."""
Wrap = Callable[[int, list[str]], list[str]]
"""Wraps elements that are visible from a step onwards; step 0 is always visible."""


class Band(NamedTuple):
    """The part of a drawing between two marks."""

    y: float
    step: int
    """First step at which it is visible, from 1; 0 if it always is."""
    parts: list[str]
    flows: list[str]


def cut_bands(drawing: trace_picture.SvgDrawing) -> list[Band]:
    """Return the parts of a drawing from top to bottom."""
    canvas, marks = drawing.canvas, drawing.canvas.marks
    bands = [Band(0, 0, canvas.parts[: marks[0].parts], canvas.flows[: marks[0].flows])]
    ends = [(mark.parts, mark.flows) for mark in marks[1:]] + [
        (len(canvas.parts), len(canvas.flows))
    ]
    for mark, (end, flow_end) in zip(marks, ends, strict=True):
        step = _find_first_step(drawing, mark.name)
        elements = canvas.parts[mark.parts : end], canvas.flows[mark.flows : flow_end]
        bands.append(Band(mark.y, step, *elements))
    return bands


def _find_first_step(drawing: trace_picture.SvgDrawing, mark: str) -> int:
    """Return the first step at which the part below a mark is visible."""
    if mark in _ALWAYS:
        return 0
    numbers = {step.mark: number for number, step in enumerate(drawing.doc.steps, 1)}
    own_number = numbers.get(drawing.owners.get(mark, mark))
    return len(numbers) if own_number is None else own_number


def list_grounds(drawing: trace_picture.SvgDrawing, wrap: Wrap) -> list[str]:
    """Return the background columns, each down to the last visible part on it.

    The columns of branches begin at the point of deviation.
    """
    bands = cut_bands(drawing)
    elements = []
    for ground in drawing.canvas.grounds:
        first = _find_first_step(drawing, ground.first_mark) if ground.first_mark else 0
        end = next((x.y for x in bands if x.y > ground.top and not wrap(x.step, [""])), ground.end)
        elements += wrap(first, [ground.draw_part(ground.top, min(end, ground.end))])
    return elements


def list_flows(bands: list[Band], wrap: Wrap) -> list[str]:
    """Return the lines between rows."""
    lines = [line for band in bands for line in wrap(band.step, band.flows)]
    return ['<g class="px-flows">', *lines, "</g>"]


def list_parts(bands: list[Band], wrap: Wrap) -> list[str]:
    """Return the parts drawn over the lines."""
    return [line for band in bands for line in wrap(band.step, band.parts)]
