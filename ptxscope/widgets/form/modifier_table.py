"""The modifiers: a row for each slot, with only legal choices."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from ...engine.isa.entry import Slot, SlotPlace
from ...engine.isa.form import Form
from ...state.figure_transitions import ask_formula
from ..base.pane import StyledLine, StyledText
from ..base.posted_message import DoWithPart
from . import slot_choices
from .form_pane import FormPane
from .slot_choices import OFF, ON, SlotCell

_LABEL = 8


class ModifierTable(FormPane):
    """Every value of every slot; the cursor is on a value, or on a lane of a selector or mask."""

    BINDING_GROUP_TITLE = "Modifiers"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("enter,space", "choose", "choose", key_display="Enter"),
        Binding("greater_than_sign,plus", "turn(1)", "lane on", key_display=">"),
        Binding("less_than_sign,minus", "turn(-1)", "lane back", key_display="<"),
    ]

    def __init__(self, id: str = "modifiers") -> None:  # noqa: A002
        super().__init__(id, "Modifiers")

    list_slot_cells = staticmethod(slot_choices.list_cells)

    # --- drawing -------------------------------------------------------------------

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines of the slots."""
        lines: list[StyledLine] = []
        if self._form is None:
            return lines
        for slot in slot_choices.list_slots(self._form):
            line: StyledLine = [StyledText(f"{slot.name:<{_LABEL}}"[:_LABEL], self.label_ink(slot))]
            column = _LABEL
            for cell in self.list_slot_cells(self._form, slot):
                piece = self._make_piece(self._form, slot, cell)
                if column + len(piece.text) > width and column > _LABEL:
                    lines.append(line)
                    line, column = [StyledText(" " * _LABEL)], _LABEL
                line.append(piece)
                column += len(piece.text)
            lines.append(line)
        return lines

    def _make_piece(self, form: Form, slot: Slot, cell: SlotCell) -> StyledText:
        cursor_style = " cursor" if self.is_under_cursor(cell) else ""
        if cell.lane is not None:
            return StyledText(*_format_lane(form, slot, cell, cursor_style), cell)
        text = slot_choices.format_value(slot, cell.value)
        if slot_choices.is_taken(form, cell):
            return StyledText(f"[{text}]", "chosen" + cursor_style, cell)
        if slot_choices.explain_refusal(form, cell):
            return StyledText(f"×{text} ", "off" + cursor_style, cell)
        return StyledText(f" {text} ", cursor_style.strip(), cell)

    # --- the cursor and choosing ---------------------------------------------------

    def action_move(self, across: int, down: int) -> None:
        """Move the cursor between cells and slots; after the last slot comes the first."""
        if (current := self.get_current_cell()) is None:
            return
        form, _, cell = current
        rows = self.list_rows(form)
        y = next(y for y, cells in enumerate(rows) if cell in cells)
        cells = rows[(y + down) % len(rows)]
        if down:
            taken_cells = (x for x in cells if x.lane is None and slot_choices.is_taken(form, x))
            self.move_cursor_to(next(taken_cells, cells[0]))
        else:
            self.move_cursor_to(cells[min(max(cells.index(cell) + across, 0), len(cells) - 1)])

    def is_turned_by_wheel(self, target: object) -> bool:
        """Whether the wheel changes the cell: sources of lanes; elsewhere the pane scrolls."""
        if not isinstance(target, SlotCell) or self._form is None:
            return False
        has_digits = slot_choices.has_digits(slot_choices.get_slot(self._form, target))
        return has_digits and target.lane is not None

    def step_by_mouse(self, delta: int) -> None:
        """Step through a lane's sources; the left button chooses a visible value."""
        current = self.get_current_cell()
        if current is not None and current[2].lane is not None:
            self.step(delta)
        elif delta == 1:
            self.action_choose()

    def action_choose(self) -> None:
        """Choose the cell under the cursor, or show why it is impossible."""
        if (current := self.get_current_cell()) is None:
            return
        form, slot, cell = current
        if cell.lane is not None:
            self.step(1)
        elif (why := slot_choices.explain_refusal(form, cell)) is not None:
            self.refuse(why)
        elif slot.place is SlotPlace.TABLE:
            self.post_message(DoWithPart(self, ask_formula))
        elif not slot_choices.is_taken(form, cell):
            self.ask(slot, cell.value)
        elif slot.is_optional:
            self.ask(slot, slot.absent)


def _format_lane(form: Form, slot: Slot, cell: SlotCell, cursor_style: str) -> tuple[str, str]:
    assert cell.lane is not None
    if slot.name == "mask":
        is_on = slot_choices.is_taken(form, cell)
        return (f" {ON} " if is_on else f" {OFF} "), ("chosen" if is_on else "dim") + cursor_style
    is_written = form.get(slot.name) is not None
    digit = slot_choices.list_digits(form, slot)[cell.lane]
    return f" {digit} ", (("chosen" if is_written else "") + cursor_style).strip()
