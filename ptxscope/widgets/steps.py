"""The steps: their list, and the current one in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from textual.message import Message

from ..engine.tracing.divergence import Divergence
from ..engine.tracing.stages import title
from ..engine.tracing.trace import Step, Trace
from .pane import Line, Pane, Piece
from .step_words import step_words

_ROOMY = 24
"""Lines from which on every revealed step is shown in full."""


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
        self._divergence: Divergence | None = None
        self._start = 0

    def show(
        self,
        trace: Trace,
        step: int,
        divergence: Divergence | None = None,
        *,
        playing: bool = False,
    ) -> None:
        """Show a step of a trace, and what makes another answer part from it."""
        self._trace, self._step, self._divergence = trace, step, divergence
        count = len(trace.steps)
        chosen = trace.steps[min(step, count) - 1]
        mark = " · playing" if playing else ""
        self.border_title = f"Step {chosen.number} of {count} · {title(chosen)}{mark}"
        self.border_subtitle = f"PTX ISA {trace.instruction.entry.section}"
        self.scroll_to(y=0, animate=False)
        self.redraw()
        if self._start:
            self.show_line(len(self.drawn) - 1)
            self.show_line(self._start)

    def draw(self, width: int) -> list[Line]:
        """The list, what the step does, and a sentence for each lane."""
        if self._trace is None:
            return []
        trace = self._trace
        current = trace.steps[min(self._step, len(trace.steps)) - 1]
        lines = list(self._list(trace.steps, width))
        shown = trace.steps[: current.number] if self.size.height >= _ROOMY else (current,)
        self._start = 0
        for step in shown:
            if len(shown) > 1:
                if step is current:
                    self._start = len(lines)
                ink = "current" if step is current else "label"
                lines += [[], [Piece(f"{step.number} {title(step)}", ink, ("step", step.number))]]
            lines += step_words(trace, step, width, self._divergence)
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
