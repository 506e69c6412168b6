"""The PTX line: highlighted by part, with what is wrong under it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from ..engine.complete import completions
from ..engine.errors import PtxError, Span, printable
from ..engine.instruction import Instruction
from .pane import Line, Pane, Piece

_MODIFIER, _SELECTOR = "number", "pattern"
_INKS = {
    "opcode": "strong",
    "guard": "label",
    **dict.fromkeys(("dtype", "atype", "btype", "stype", "ctype"), "number"),
    **dict.fromkeys(("cmp", "boolop", "secop", "mode", "scale", "po", "sat", "ftz"), "changed"),
    **dict.fromkeys(("dsel", "mask", "asel", "bsel", "nega", "negb", "negc"), "pattern"),
}
"""Part of an instruction to ink."""


class _PartHighlighter(Highlighter):
    """Colours the parts of the instruction, and underlines what is wrong."""

    def __init__(self, line: PtxLine) -> None:
        self.line = line

    def highlight(self, text: Text) -> None:
        style = self.line.screen.get_component_rich_style
        for part, (start, end) in self.line.parts.items():
            if part in _INKS:
                text.stylize(style(f"ink--{_INKS[part]}", partial=True), start, end)
        for start, end in self.line.wrong:
            text.stylize(style("ink--clamped", partial=True), start, max(end, start + 1))
            text.stylize("underline", start, max(end, start + 1))


class PtxLine(Input):
    """The editable instruction."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", show=False),
    ]
    DEFAULT_CSS = """
    PtxLine { border: none; height: 1; padding: 0 1; }
    PtxLine:focus { border: none; height: 1; }
    """

    @dataclass
    class Edited(Message):
        """The text was changed by the person at the keyboard."""

        line: PtxLine
        text: str

        @property
        def control(self) -> PtxLine:
            """The widget that sent it."""
            return self.line

    @dataclass
    class Pasted(Message):
        """Text was pasted that is more than one line or statement."""

        line: PtxLine
        text: str

        @property
        def control(self) -> PtxLine:
            """The widget that sent it."""
            return self.line

    def __init__(self, id: str = "line") -> None:  # noqa: A002
        self.parts: Mapping[str, Span] = {}
        self.wrong: tuple[Span, ...] = ()
        super().__init__(
            id=id,
            placeholder="an instruction, or paste an asm statement",
            highlighter=_PartHighlighter(self),
            select_on_focus=False,
        )
        self._shown = ""

    def show(self, text: str, ins: Instruction, error: PtxError | None) -> None:
        """Show a line without calling it an edit."""
        self.parts = {} if error else ins.spans
        self.wrong = tuple(problem.span for problem in error.errors) if error else ()
        if text != self.value:
            self._shown = text
            self.value = text
            self.cursor_position = len(text)
        self.refresh()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Tell apart what was typed from what was shown."""
        event.stop()
        if event.value != self._shown:
            self._shown = event.value
            self.post_message(self.Edited(self, event.value))

    def _on_paste(self, event: events.Paste) -> None:
        """Keep a paste of several lines whole."""
        if len(event.text.strip().splitlines()) > 1 or "asm" in event.text:
            event.stop()
            event.prevent_default()
            self.post_message(self.Pasted(self, event.text))
        else:
            super()._on_paste(event)

    def action_complete(self) -> None:
        """Take the first completion, or go on to the next widget."""
        if self.cursor_position == len(self.value):
            found = completions(self.value)
            typed = [x for x in found if self.value[: x.start] + x.text != self.value]
            if typed:
                self.value = self.value[: typed[0].start] + typed[0].text
                self.cursor_position = len(self.value)
                return
        self.screen.focus_next()


class LineStatus(Pane, can_focus=False):
    """Two lines beneath the PTX line: notes; or carets, what is wrong and what is allowed."""

    DEFAULT_CSS = """
    LineStatus { height: 2; border: none; padding: 0 1; overflow: hidden; }
    """

    def __init__(self, id: str = "status") -> None:  # noqa: A002
        super().__init__(id, "")
        self._text = ""
        self._error: PtxError | None = None
        self._notes: tuple[str, ...] = ()
        self._from = 0
        self._editing = False

    def show(
        self,
        text: str,
        error: PtxError | None,
        notes: tuple[str, ...],
        *,
        first: int,
        editing: bool,
    ) -> None:
        """Say what is to be said of a line whose column ``first`` is leftmost on the screen."""
        self._text, self._error, self._notes = text, error, notes
        self._from, self._editing = first, editing
        self.redraw()

    def draw(self, width: int) -> list[Line]:
        """Carets and message; or notes."""
        next_ = [x.text for x in completions(self._text)] if self._editing else []
        said: Line = [Piece(f"next: {'  '.join(next_)}"[:width], "dim")] if next_ else []
        if self._error is None:
            notes = " · ".join(self._notes)
            return [[Piece(notes[:width], "changed")], said]
        problem = self._error.errors[0]
        start, end = problem.span[0] - self._from, problem.span[1] - self._from
        start = min(max(start, 0), max(width - 1, 0))
        carets = "^" * max(min(end, width) - start, 1)
        message = printable(problem.message)
        room = width - start - len(carets) - 1
        hint = f"allowed: {printable(problem.hint)}" if problem.hint else ""
        if len(message) <= room:
            first = [Piece(" " * start), Piece(carets, "bad"), Piece(f" {message}", "bad")]
            return [first, said or [Piece(hint[:width], "dim")]]
        rest = f"{message}; {hint}" if hint else message
        return [[Piece(" " * start), Piece(carets, "bad")], [Piece(rest[:width], "bad")]]
