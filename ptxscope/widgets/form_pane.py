"""The modifiers of a form, with a cursor and choices; subclasses lay out the cells."""

from __future__ import annotations

from itertools import chain

from textual import events

from ..engine.isa.entry import Slot
from ..engine.isa.types import Form
from ..state import slot_choices
from ..state.edit_transitions import set_slot
from ..state.requests import REFUSED
from ..state.slot_choices import ChoiceError, SlotCell
from .base.pane import CursorPane


class FormPane(CursorPane):
    """Shows a form and requests another; its cursor is on a SlotCell."""

    def __init__(self, id: str, title: str, form: Form) -> None:  # noqa: A002
        super().__init__(id, title)
        self._form = form
        self._cursor = SlotCell("", None)

    @property
    def subject(self) -> object:
        """The form."""
        return self._form

    def show(self, form: Form) -> None:
        """Show a form."""
        if form != self._form:
            self._form = form
            self.redraw_lines()
            self.show_hint()

    # --- the cursor ------------------------------------------------------------------------

    def list_slot_cells(self, slot: Slot) -> list[SlotCell]:
        """Return the cells of a slot, left to right."""
        raise NotImplementedError

    def list_rows(self) -> list[list[SlotCell]]:
        """Return the cells of every slot."""
        return [self.list_slot_cells(slot) for slot in slot_choices.list_slots(self._form)]

    def get_current_cell(self) -> tuple[Slot, SlotCell] | None:
        """Return the slot and the cell under the cursor."""
        if not (cells := list(chain.from_iterable(self.list_rows()))):
            return None
        cell = self._cursor if self._cursor in cells else cells[0]
        return slot_choices.find_slot(self._form, cell.slot), cell

    def is_under_cursor(self, cell: SlotCell) -> bool:
        """Whether the cursor is visible and on a cell."""
        current = self.get_current_cell() if self.has_focus else None
        return current is not None and cell == current[1]

    def move_cursor_to(self, target: object) -> bool:
        """Put the cursor on a cell; return False for any other target."""
        if not isinstance(target, SlotCell):
            return False
        self._cursor = target
        self.redraw_lines()
        self.show_target(target)
        self.show_hint()
        return True

    # --- choosing --------------------------------------------------------------------------

    def ask(self, slot: Slot, value: object) -> None:
        """Request another legal value of a slot."""
        self.do(set_slot, slot.name, value)

    def step(self, delta: int) -> None:
        """Request the next or previous value of the cell under the cursor."""
        if (current := self.get_current_cell()) is None:
            return
        form, (slot, cell) = self._form, current
        try:
            if cell.lane is None:
                self.ask(slot, slot_choices.find_next_value(form, slot, delta))
            elif slot.name == "mask":
                self.ask(slot, slot_choices.with_lane_toggled(form, slot, cell.lane))
            else:
                self.ask(slot, slot_choices.with_next_source(form, slot, cell.lane, delta))
        except ChoiceError as refused:
            self.refuse(str(refused))

    def action_turn(self, delta: int) -> None:
        """Select the next or previous byte or half-word for a lane of a selector."""
        current = self.get_current_cell()
        if current and slot_choices.has_digits(current[0]) and current[1].lane is not None:
            self.step(delta)

    def on_key(self, event: events.Key) -> None:
        """Set the source of a lane to the typed digit and move to the next lane."""
        current = self.get_current_cell()
        if current is None or not self.check_consume_key(event.key, event.character):
            return
        event.stop()
        slot, cell = current
        assert cell.lane is not None
        try:
            value = slot_choices.with_digit(self._form, slot, cell.lane, int(event.character or ""))
        except ChoiceError as refused:
            self.refuse(str(refused))
            return
        self.ask(slot, value)
        if cell.lane:
            self.move_cursor_to(cell._replace(lane=cell.lane - 1))

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key is a digit for the lane under the cursor.

        Overrides Textual.
        """
        current = self.get_current_cell()
        if not character or character not in "0123456789" or current is None:
            return False
        return current[1].lane is not None and slot_choices.has_digits(current[0])

    # --- the mouse -------------------------------------------------------------------------

    def handle_click(self, target: object) -> None:
        """Choose the next value."""
        if self.move_cursor_to(target):
            self.step_by_mouse(1)

    def handle_right_click(self, target: object) -> None:
        """Choose the previous value."""
        if self.move_cursor_to(target):
            self.step_by_mouse(-1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Step through the values under the mouse; elsewhere scroll."""
        self._handle_wheel(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Step through the values under the mouse; elsewhere scroll."""
        self._handle_wheel(event, -1)

    def _handle_wheel(self, event: events.MouseEvent, up: int) -> None:
        target = self.find_target(event.x, event.y)
        if self.is_turned_by_wheel(target) and self.move_cursor_to(target):
            event.stop()
            event.prevent_default()
            current = self.get_current_cell()
            # Numbers grow upwards, lists continue downwards.
            is_digit = current is not None and current[1].lane is not None
            self.step_by_mouse(up if is_digit else -up)

    def is_turned_by_wheel(self, target: object) -> bool:
        """Whether the wheel changes the value under the mouse."""
        raise NotImplementedError

    def step_by_mouse(self, delta: int) -> None:
        """Step through the values of a cell that is clicked or under the wheel."""
        self.step(delta)

    # --- hints -----------------------------------------------------------------------------

    def describe_cell(self) -> str:
        """Return the meaning of the cell under the cursor."""
        current = self.get_current_cell()
        return slot_choices.describe_cell(self._form, current[1]) if current else ""

    def show_hint(self) -> None:
        """Show a hint on the cell under the cursor."""
        if self.has_focus:
            self.post_hint(self.describe_cell())

    def refuse(self, why: str) -> None:
        """Show a hint why a choice is impossible."""
        self.redraw_lines()
        self.post_hint(f"{REFUSED} {why}")

    def on_focus(self) -> None:
        """Show a hint on the cell under the cursor."""
        self.post_hint(self.describe_cell())

    def on_blur(self) -> None:
        """Clear the hint."""
        self.post_hint("")
