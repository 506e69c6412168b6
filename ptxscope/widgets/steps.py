"""The steps: their list, and the current one in full."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from textual.message import Message

from ..engine.stages import about, title
from ..engine.trace import Flag, Step, Trace
from ..engine.words import sentence
from .lane_rows import GLYPHS
from .pane import Line, Pane, Piece

_QUIET = {Flag.SIGN_EXTENDED, Flag.ZERO_EXTENDED}


class Steps(Pane):
    """Shows the words of one step of a Trace."""

    @dataclass
    class Chosen(Message):
        """A step of the list was clicked."""

        steps: Steps
        number: int

        @property
        def control(self) -> Steps:
            """The widget that sent it."""
            return self.steps

    def __init__(self, id: str = "steps") -> None:  # noqa: A002
        super().__init__(id, "Steps")
        self._trace: Trace | None = None
        self._step = 0

    def show(self, trace: Trace, step: int) -> None:
        """Show a step of a trace."""
        self._trace, self._step = trace, step
        count = len(trace.steps)
        chosen = trace.steps[min(step, count) - 1]
        self.border_title = f"Step {chosen.number} of {count} · {title(chosen)}"
        self.border_subtitle = f"PTX ISA {trace.instruction.entry.section}"
        self.scroll_to(y=0, animate=False)
        self.redraw()

    def draw(self, width: int) -> list[Line]:
        """The list, what the step does, and a sentence for each lane."""
        if self._trace is None:
            return []
        step = self._trace.steps[min(self._step, len(self._trace.steps)) - 1]
        lines = list(self._list(self._trace.steps, width))
        lines += _wrapped(about(self._trace, step), width, "strong")
        for text, ink in _sentences(self._trace, step):
            lines += _wrapped(text, width, ink)
        return lines

    def _list(self, steps: tuple[Step, ...], width: int) -> Iterator[Line]:
        line: Line = []
        used = 0
        for step in steps:
            current = step.number == self._step
            text = f"{'▸' if current else ' '}{step.number} {title(step)}  "
            if used + len(text) > width and line:
                yield line
                line, used = [], 0
            ink = "current" if current else "veil" if step.number > self._step else "label"
            line.append(Piece(text, ink, ("step", step.number)))
            used += len(text)
        yield line

    def clicked(self, target: object) -> None:
        """Go to the clicked step."""
        if isinstance(target, tuple):
            self.post_message(self.Chosen(self, target[1]))


def _sentences(trace: Trace, step: Step) -> Iterator[tuple[str, str]]:
    """A sentence for each lane of each row, lanes that something happened to marked."""
    for row in step.rows:
        for lane in range(len(row.lanes) - 1, -1, -1):
            flags = [flag for flag in row.lanes[lane].flags if flag not in _QUIET]
            marks = "".join(f"  {GLYPHS[flag]} {flag}" for flag in flags)
            name = f"{row.row.name}, " if len(step.rows) > 1 else ""
            yield f"{name}{sentence(trace, row, lane)}{marks}", "changed" if flags else ""


def _wrapped(text: str, width: int, ink: str) -> list[Line]:
    lines = textwrap.wrap(text, max(width, 20), subsequent_indent="  ", break_on_hyphens=False)
    return [[Piece(line, ink)] for line in lines]
