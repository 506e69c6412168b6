"""What the modifiers' pane and their row have in common: a form, a cursor on a cell, choosing."""

from __future__ import annotations

from textual import events

from ...engine.isa.entry import Slot
from ...engine.isa.form import Form
from ..base.hint_bar import REFUSED, Hint
from ..base.pane import CursorPane
from ..base.posted_message import PartMessage
from . import slot_choices
from .slot_choices import ChoiceError, SlotCell


class FormPane(CursorPane):
    """Shows a Form and asks for another; its cursor stands on a Choice."""

    class SlotChanged(PartMessage):
        """A slot is to take another value, which is legal."""

        control: FormPane
        slot: str
        value: object

    def __init__(self, id: str, title: str) -> None:  # noqa: A002
        super().__init__(id, title)
        self._form: Form | None = None
        self.pointed = ""
        """The slot that a lesson points at."""

    @property
    def subject(self) -> object:
        """The form."""
        return self._form

    def highlight_slot(self, slot: str) -> None:
        """Point at a slot, or at none."""
        if slot != self.pointed:
            self.pointed = slot
            self.redraw_lines()

    def label_ink(self, slot: Slot) -> str:
        """How the name of a slot looks."""
        return "current" if slot.name == self.pointed else "label"

    def show(self, form: Form) -> None:
        """Show a form."""
        if form != self._form:
            self._form = form
            self.redraw_lines()
            self.show_hint()

    def get_current_cell(self) -> tuple[Form, Slot, SlotCell] | None:
        """The form, and slot and cell under the cursor."""
        raise NotImplementedError

    def move_cursor_to(self, target: object) -> bool:
        """Put the cursor on what was clicked; returns whether there is a cell."""
        raise NotImplementedError

    def advance(self) -> None:
        """Go on to the next lane, where there is one."""
        raise NotImplementedError

    # --- choosing --------------------------------------------------------------------------

    def ask(self, slot: Slot, value: object) -> None:
        """Ask for another value of a slot, which is legal."""
        self.SlotChanged(self, slot.name, value).post_to_screen()

    def step(self, by: int) -> None:
        """Let what is under the cursor take its next value, or the one before."""
        if (current := self.get_current_cell()) is None:
            return
        form, slot, cell = current
        try:
            if cell.lane is None:
                self.ask(slot, slot_choices.find_next_value(form, slot, by))
            elif slot.name == "mask":
                self.ask(slot, slot_choices.with_lane_toggled(form, slot, cell.lane))
            else:
                self.ask(slot, slot_choices.with_next_source(form, slot, cell.lane, by))
        except ChoiceError as refused:
            self.refuse(str(refused))

    def action_turn(self, by: int) -> None:
        """Let a lane of a selector take the next byte or half-word."""
        current = self.get_current_cell()
        if current and slot_choices.has_digits(current[1]) and current[2].lane is not None:
            self.step(by)

    def on_key(self, event: events.Key) -> None:
        """A digit sets the source of a lane, and goes on to the next."""
        current = self.get_current_cell()
        if current is None or not self.check_consume_key(event.key, event.character):
            return
        event.stop()
        form, slot, cell = current
        assert cell.lane is not None
        try:
            value = slot_choices.with_digit(form, slot, cell.lane, int(event.character or ""))
        except ChoiceError as refused:
            self.refuse(str(refused))
            return
        self.ask(slot, value)
        self.advance()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is a digit, and the cursor on a lane that takes one. Part of Textual."""
        if (
            not character
            or character not in "0123456789"
            or (current := self.get_current_cell()) is None
        ):
            return False
        return current[2].lane is not None and slot_choices.has_digits(current[1])

    # --- the mouse -------------------------------------------------------------------------

    def handle_click(self, target: object) -> None:
        """Take a step on."""
        if self.move_cursor_to(target):
            self.step_by_mouse(1)

    def handle_right_click(self, target: object) -> None:
        """Take a step back."""
        if self.move_cursor_to(target):
            self.step_by_mouse(-1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Over a value the wheel takes a step; elsewhere it scrolls."""
        self._handle_wheel(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Over a value the wheel takes a step; elsewhere it scrolls."""
        self._handle_wheel(event, -1)

    def _handle_wheel(self, event: events.MouseEvent, up: int) -> None:
        target = self.find_target(event.x, event.y)
        if self.is_turned_by_wheel(target) and self.move_cursor_to(target):
            event.stop()
            event.prevent_default()
            current = self.get_current_cell()
            # numbers grow upwards, lists go on downwards
            is_digit = current is not None and current[2].lane is not None
            self.step_by_mouse(up if is_digit else -up)

    def is_turned_by_wheel(self, target: object) -> bool:
        """Whether the wheel changes what stands there."""
        raise NotImplementedError

    def step_by_mouse(self, by: int) -> None:
        """A cell was clicked, or the wheel turned over it."""
        self.step(by)

    # --- hints -----------------------------------------------------------------------------

    def describe_cell(self) -> str:
        """What the cell under the cursor means."""
        current = self.get_current_cell()
        return slot_choices.describe_cell(current[0], current[2]) if current else ""

    def show_hint(self) -> None:
        """Let the row of hints say what is under the cursor."""
        if self.has_focus:
            Hint(self, self.describe_cell()).post_to_screen()

    def refuse(self, why: str) -> None:
        """Let the row of hints say why something can't be chosen."""
        self.redraw_lines()
        Hint(self, f"{REFUSED} {why}").post_to_screen()

    def on_focus(self) -> None:
        """Say what is under the cursor."""
        Hint(self, self.describe_cell()).post_to_screen()

    def on_blur(self) -> None:
        """Say nothing more."""
        Hint(self, "").post_to_screen()
