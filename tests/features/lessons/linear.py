"""Entry points of lessons, for the test of linear time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ptxscope import parse, trace
from ptxscope.features.lessons.lesson import Lesson, LessonSource
from ptxscope.features.lessons.text_templates import fill_template

_ADD = "vadd4.s32.s32.s32.sat d, a, b, c;"
_TRACE = trace(parse(_ADD), {"a": 1, "b": 2, "c": 3})


def _read(text: str) -> Lesson:
    return LessonSource(text, "x.md", "x").lesson


def _lesson(text: str) -> object:
    """A whole file; a card's text, what it takes from a trace, its fields."""
    fields = "minutes: 3\nsummary: b\ngroup: g\npurpose: p\nc: c\n"
    head = f"# A\n\n{fields}\n## C\n\n```card\nptx: {_ADD}"
    with suppress(ValueError):
        fill_template(text, _TRACE)
    for card in (
        f"{head}\nwith: {text}\n```\n",
        f"{head}\nwith: a=1 b=2\nat: {text}\n```\n",
        f"{head}\nwith: a=1 b=2\n```\n\n{text}",
        text,
    ):
        with suppress(ValueError):
            _read(card)
    return None


ENTRIES: dict[str, Callable[[str], object]] = {
    "lessons": _lesson,
}
