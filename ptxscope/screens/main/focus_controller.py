"""The focus of the main screen, and the field that takes it to ask for a value."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...engine.tracing.step_text import format_operand_name
from ...scene.scene_model import Place
from ...state.explorer_state import ExplorerState
from ...state.requests import AskAnswer
from ...widgets.operand_table import OperandField
from .explorer_view import ExplorerView


class FocusController:
    """Moves the focus, and returns it to the widget that asked for a value."""

    def __init__(self, state: ExplorerState, view: ExplorerView) -> None:
        self._state, self._view = state, view
        self._return: Callable[[], None] | None = None
        """Returns the focus to the widget that asked for a value, unless that is the operands."""

    def leave_focus(self) -> None:
        """Release the focus, so that the screen's keys apply again."""
        self._view.screen.set_focus(None)  # before its widget is hidden, else it moves to another
        self.end_typing()
        self._view.mark_used(None)

    def move_to(self, id_: str) -> None:
        """Focus a widget."""
        self.end_typing()
        screen = self._view.screen
        if id_ == "modifiers" and screen.has_class("-narrow"):
            id_ = "modifier-row"  # the pane is hidden there
        if id_ in ("listing", "filter"):
            self._view.show_listing(id_ == "listing")
            self._view.show_machine(is_visible=False)
        target = screen.query_one(f"#{id_}")
        self._view.mark_used(target)
        if target.focusable:
            screen.set_focus(target)  # at once, because the next key is already meant for it
        else:
            target.focus()  # after its layout

    def follow_focus(self) -> None:
        """Follow the focus, which has moved to a widget."""
        field = self._view.value_field
        if field is None or self._view.screen.focused is not field.input:
            self.end_typing()
        self._show_focus()

    def follow_blur(self) -> None:
        """Follow the focus, which has left a widget; the typing in the line becomes one edit."""
        self._state.end_typing()
        if self._view.screen.focused is None:
            self._view.hints.clear_widget_hint()
        self._show_focus()

    def _show_focus(self) -> None:
        """Show help on the line while it is edited, and the keys that apply."""
        self._view.widen_listing()
        self._view.show_status()
        self._view.show_keys()

    # --- values --------------------------------------------------------------------------

    def ask_value(self, field: OperandField, start: str, place: Place | None = None) -> None:
        """Ask for an operand's value in the row of hints; ``place`` is its cell in the lanes."""
        ins, role = self._state.setup.instruction, field.role
        self._return = None if place is None else partial(self.move_to_lane, place)
        if place is None:
            self._view.operands.type_over(True)
        self._view.mount_value_field().open(
            field,
            format_operand_name(self._state.trace, role),
            ins.type_of(role),
            32 // ins.entry.lanes,
            self._state.trace.operands[role],
            start,
        )

    def ask_answer(self, request: AskAnswer) -> None:
        """Ask for an answer in the row of hints."""
        view, place = self._view, request.place
        if place is None:
            self._return = partial(view.screen.set_focus, view.lesson_strip)
        else:
            self._return = partial(self.move_to_lane, place)
        view.mount_value_field().ask(request)

    def move_to_lane(self, place: Place) -> None:
        """Focus the lanes, with the cursor on a cell."""
        self.move_to("lanes")
        self._view.lanes.move_cursor_to(place)

    def end_typing(self) -> None:
        """Apply the typed value and close its field."""
        self._return = None
        if self._view.value_field is not None:
            self._view.value_field.close()
        self._view.operands.type_over(False)

    def go_back(self) -> None:
        """Return the focus to the widget that asked for a value."""
        go_back, self._return = self._return, None
        if go_back is None:
            self.move_to("operands")
        else:
            go_back()
