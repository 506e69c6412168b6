"""Labels before the lane columns: of steps and rows, and whole registers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..base.pane import StyledLine, StyledText
from .lane_cells import measure_line

LABEL = 20
"""Columns before the lanes: step number and title (15), row name (5); or a whole register."""
NUMBER = 15

_NAMES = {
    "negated": "neg",
    "amount": "by",
    "not": "!t",
    "guard": "@",
    "number": "int",
    "position": "pos",
    "length": "len",
    "start": "from",
    "zeros": "zero",
    "magnitude": "|d|",
    "pattern": "bits",
    "carry": "out",
}
"""Short forms of row names that are too long for their column."""


class Whole(NamedTuple):
    """A value without lanes: it ends where the lane columns begin, on as many lines as it needs."""

    units: tuple[StyledLine, ...]
    """The unbreakable parts."""


NamedLine = tuple[str | Whole, StyledLine]
"""A line of the lanes after its row's name, which is empty below the first, or after a value."""


def labelled(
    label: str, name: str, style_name: str, body: StyledLine, number: int | None = None
) -> StyledLine:
    """Return a line after its label, whose target is the step.

    The label is the step's number and title, and the row's name.
    """
    target = number if label else None
    return [
        StyledText(f"{label:<{NUMBER}}", style_name, target),
        StyledText(f"{shorten_name(name):<{LABEL - NUMBER - 1}} ", "label"),
        *body,
    ]


def shorten_name(name: str) -> str:
    """Return the name of a row, shortened to its column."""
    return _NAMES.get(name, name)


def whole_lines(
    label: str, whole: Whole, style_name: str, body: StyledLine, number: int | None = None
) -> Iterator[StyledLine]:
    """Yield a whole register after a label; ``body`` continues it in the lane columns."""
    rows = [(label, StyledLine())]
    for unit in whole.units:
        head, line = rows[-1]
        longer_line = [*line, StyledText(" "), *unit] if line else list(unit)
        if (
            len(head) + 1 + measure_line(longer_line) == LABEL + 1
        ):  # a chip has space around it already
            longer_line[0] = longer_line[0]._replace(text=longer_line[0].text.rstrip())
        if (head or line) and len(head) + 1 + measure_line(longer_line) > LABEL:
            rows.append(("", list(unit)))
        else:
            rows[-1] = head, longer_line
    for index, (head, line) in enumerate(rows):
        is_last = index == len(rows) - 1
        blanks = LABEL - len(head) - measure_line(line)
        if blanks > 1 and not (body and is_last):
            blanks -= 1
        title = [StyledText(head, style_name, number)] if head else []
        yield [*title, StyledText(" " * max(blanks, 1)), *line, *(body if is_last else ())]
