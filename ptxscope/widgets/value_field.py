"""The field for an operand's value."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from ..engine.isa.encodings import format_hex
from ..engine.isa.types import Type
from ..engine.syntax.errors import PtxError, make_printable, measure_cells
from ..engine.syntax.values import parse_value
from ..state.edit_transitions import enter_value, refuse_value
from ..state.figure_edits import parse_part
from ..state.requests import AskAnswer, act
from .base.explorer_app import Do
from .base.form_fields import PlainInput
from .operand_table import OperandField


class ValueField(Vertical):
    """A label and an input, with carets and errors below; hidden until opened.

    It covers the row of hints and the rows above, so that nothing moves when it opens.
    """

    DEFAULT_CSS = """
    ValueField {
        dock: bottom; layer: over; margin-bottom: 1;
        height: auto; display: none; background: $panel;
        &.-open { display: block; }
        & > Horizontal { height: 1; }
        & #value-label { width: auto; padding: 0 1; color: $focus; text-style: bold; }
        & #value-input { border: none; height: 1; padding: 0; width: 1fr; }
        & #value-input:focus { border: none; height: 1; }
        & #value-bits { width: auto; padding: 0 1; }
        & #value-error { width: 1fr; height: auto; color: $surprise; }
    }
    """
    BINDING_GROUP_TITLE = "Value"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave", show=False)]

    def __init__(self) -> None:
        super().__init__(id="value")
        self.input = PlainInput(id="value-input", select_on_focus=False)
        self._label = Static(id="value-label")
        self._means = Static(id="value-bits")
        self._error = Static(id="value-error")
        self._lead = 0
        self._field = OperandField("a", "hex")
        self._label_text = ""
        self._is_settled = False
        """Whether the text has been entered or discarded."""
        self._type = Type.U32
        self._unit = 32
        self._bits = 0
        self._request: AskAnswer | None = None
        """The request for a text other than an operand's value."""

    def on_mount(self) -> None:
        """Mount the children before the first digit arrives."""
        self._fill()

    def _fill(self) -> None:
        # label, input and meaning; carets and error; empty after the explorer's end
        if not self.children and self.is_attached:
            self.mount(Horizontal(self._label, self.input, self._means), self._error)

    def open(
        self, field: OperandField, name: str, type_: Type, unit: int, bits: int, start: str
    ) -> None:
        """Open for a value; ``bits`` are the operand's, ``unit`` is its lanes' width in bits."""
        self.close()  # of an earlier request
        self._request = None
        self._field, self._type, self._unit, self._bits = field, type_, unit, bits
        part = f" lane {field.position}" if field.notation == "lane" else ""
        self._start_editing(f"{make_printable(name)}{part}", start)

    def ask(self, request: AskAnswer) -> None:
        """Open for a text with its own parser; every letter is text."""
        self.close()
        self._request = request
        self._start_editing(request.label, request.start)

    def _start_editing(self, label: str, start: str) -> None:
        self._fill()
        self._is_settled = False
        self._label_text = label
        text = f"{label} ="
        self._lead = measure_cells(text) + 2
        self._label.update(Content(text))
        # Reserve room for an error, so that the field does not move.
        self._error.styles.min_height = self._format_error("0x").count("\n") + 1
        self.add_class("-open")
        self.input.value = start
        self.input.cursor_position = len(start)
        self.input.focus()
        self._check(start)

    def close(self) -> None:
        """Hide the field; enter its value, or report a text that is not a value."""
        if not self.is_open:
            return
        self.remove_class("-open")
        text = self.input.value
        if self._request is not None:
            if not self._is_settled:
                self._post_answer(text, is_entered=False)
            return
        if self._is_settled or not text.strip():
            return
        try:
            bits = self._parse_text(text)
        except PtxError as error:
            why = (
                f"{self._label_text} was left at {self._format_current()}: "
                f"{make_printable(error.message)}"
            )
            self.post_message(Do(self, refuse_value, why))
            return
        if bits != self._bits:
            self.post_message(Do(self, enter_value, self._field.role, bits, has_moved=True))

    def _post_answer(self, text: str, *, is_entered: bool) -> None:
        if request := self._request:
            answer = Do(self, request.take, request.about, text, is_entered=is_entered)
            self.post_message(answer)

    def follow_edit(self, operands: Mapping[str, int]) -> None:
        """Follow another edit: the typed lane is inserted into the new value."""
        if self._request is not None:
            return
        bits = operands.get(self._field.role, self._bits)
        if self.is_open and bits != self._bits:
            self._bits = bits
            self._check(self.input.value)

    @property
    def is_open(self) -> bool:
        """Whether a value is being typed."""
        return self.has_class("-open")

    def _format_current(self) -> str:
        """Return the current value of the edited field."""
        if self._field.notation != "lane":
            return format_hex(self._bits, self._type.bits)
        lane = self._bits >> self._unit * self._field.position
        return format_hex(lane & (1 << self._unit) - 1, self._unit)

    def _parse_text(self, text: str) -> int:
        """Return the operand's bits with the typed value in its place.

        Raise PtxError if it is not one.
        """
        if self._request is not None:
            return self._request.parse(text)
        if self._field.notation != "lane":
            return parse_value(text, self._type)
        return parse_part(text, self._type, self._unit, self._field.position, self._bits)

    def _format_error(self, text: str) -> str:
        """Return carets under errors, and the alternatives; empty without errors."""
        try:
            self._parse_text(text)
        except PtxError as error:
            start, end = error.errors[0].span
            if measure_cells(text) >= self.input.size.width > 0:
                start, end = (x - self.input.scroll_offset.x for x in (start, end))
            width = max(self.screen.size.width - 1, 24)
            column = min(max(self._lead + start, 0), width - 12)
            carets = "^" * min(max(end - max(start, 0), 1), width - column)
            lead, message = " " * column + carets, make_printable(error.summary)
            indent = " " * min(self._lead, width // 3)
            has_own_lines = len(lead) + 12 > width
            text = textwrap.fill(
                message,
                width,
                initial_indent=indent if has_own_lines else f"{lead} ",
                subsequent_indent=indent,
                break_on_hyphens=False,
            )
            return f"{lead}\n{text}" if has_own_lines else text
        return ""

    def _check(self, text: str) -> None:
        error_text = self._format_error(text) if text.strip() else ""
        self._error.update(Content(error_text))
        if self._request is not None:
            self._means.update(Content("" if error_text else self._request.keys))
            return
        width = self._type.bits
        message = f"was {format_hex(self._bits, width)}"
        if text.strip() and not error_text:
            message = f"= {format_hex(self._parse_text(text), width)}, {message}"
        self._means.update(Content(message))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the meaning of the text, or its errors."""
        event.stop()
        self._check(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter the value, or stay open if it is wrong."""
        event.stop()
        try:
            bits = self._parse_text(event.value)
        except PtxError:
            if self._request is not None:
                self.input.select_all()
            return
        self._is_settled = True
        if self._request is not None:
            self.input.select_all()  # new text replaces it
            self._post_answer(event.value, is_entered=True)
        else:
            self.post_message(Do(self, enter_value, self._field.role, bits, has_moved=False))

    def action_leave(self) -> None:
        """Close without a value."""
        self._post_answer(self.input.value, is_entered=False)
        self._is_settled = True
        self.post_message(Do(self, act, "go_back"))
