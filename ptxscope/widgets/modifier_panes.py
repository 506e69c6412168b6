"""The modifiers, always visible and edited in place: in one row, or in a table."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.geometry import Offset

from ..engine.isa.entry import Slot, SlotPlace
from ..engine.isa.grammar import SLOT_NAMES
from ..engine.isa.types import Form
from ..state import slot_choices
from ..state.edit_transitions import choose_option
from ..state.figure_edits import ask_formula
from ..state.slot_choices import OFF, ON, SlotCell, SlotOption
from .base.pane import StyledLine, StyledText, measure_line
from .form_pane import FormPane


class _Spacing(NamedTuple):
    """Blanks before the row, between tokens, and between a flag and its box."""

    lead: int
    gap: int
    blank: int


_SPACINGS = (_Spacing(1, 2, 1), _Spacing(1, 1, 1), _Spacing(0, 1, 1), _Spacing(0, 1, 0))
"""From wide to narrow; the first one with the fewest rows is used, whatever the values."""


class ModifierRow(FormPane):
    """`` sat ■  mask ■□■■  asel 3210``: the cursor moves from token to token, lane by lane."""

    BINDING_GROUP_TITLE = "Modifiers"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Left", show=False),
        Binding("right", "move(1)", "Right", show=False),
        Binding("ctrl+left", "slot(-1)", "Previous modifier", show=False),
        Binding("ctrl+right", "slot(1)", "Next modifier", show=False),
        Binding("home", "end(0)", "First modifier", show=False),
        Binding("end", "end(-1)", "Last modifier", show=False),
        Binding("enter,up,down", "list", "choose", tooltip="Choose from a list"),
        Binding("space", "take", "switch"),
        Binding("greater_than_sign,plus", "turn(1)", "turn to next"),
        Binding("less_than_sign,minus", "turn(-1)", "turn to previous"),
        Binding("delete,backspace", "leave_out", "leave out", tooltip="Omit this modifier"),
    ]
    DEFAULT_CSS = """
    ModifierRow {
        height: auto; border: none; padding: 0; overflow: hidden; background: $panel;
        &:focus { border: none; }
    }
    """

    def __init__(self, form: Form) -> None:
        super().__init__("modifier-row", "", form)

    def list_slot_cells(self, slot: Slot) -> list[SlotCell]:
        """Return one cell for a slot, whatever its value, or one for each of its lanes."""
        return (
            slot_choices.list_lane_cells(self._form, slot)
            if slot_choices.is_by_lane(slot)
            else [SlotCell(slot.name, None)]
        )

    # --- drawing -----------------------------------------------------------------------------

    def draw(self, width: int) -> list[StyledLine]:
        """Return the tokens in the fewest rows, without cutting any."""
        layouts = [list(self._lay_out(width, spacing)) for spacing in _SPACINGS]
        return min(layouts, key=len)

    def _lay_out(self, width: int, spacing: _Spacing) -> list[StyledLine]:
        lines: list[StyledLine] = []
        column = 0
        for slot in slot_choices.list_slots(self._form):
            token = self._make_token(slot, spacing)
            room = measure_line(token)
            if not lines or column + spacing.gap + room > width:
                lines.append([StyledText(" " * spacing.lead)])
                column = spacing.lead
            else:
                lines[-1].append(StyledText(" " * spacing.gap))
                column += spacing.gap
            lines[-1] += token
            column += room
        return lines

    def _make_token(self, slot: Slot, spacing: _Spacing) -> StyledLine:
        """Return a slot's name and value, in a width independent of the value."""
        form, cells = self._form, self.list_slot_cells(slot)
        is_present = form.get(slot.name) != slot.absent
        if slot_choices.is_flag(slot):
            name = slot_choices.format_value(slot, slot.values[0]) + " " * spacing.blank
            box = StyledText(
                ON if is_present else OFF, self._choose_ink(cells[0], is_present), cells[0]
            )
            return [StyledText(name, "quiet", cells[0]), box]
        if slot.name == "mask":
            value = slot_choices.format_mask(form, slot, form.get(slot.name))
        elif slot_choices.has_digits(slot):
            value = "".join(map(str, reversed(slot_choices.list_digits(form, slot))))
        else:
            room = max(len(slot_choices.format_value(slot, value)) for value in slot.iter_choices())
            text = f"{slot_choices.format_value(slot, form.get(slot.name)):<{room}}"
            style_name = self._choose_ink(cells[0], is_present)
            label = StyledText(f"{slot.name} ", "quiet", cells[0])
            return [label, StyledText(text, style_name, cells[0])]
        lanes = zip(value, cells, strict=True)
        return [
            StyledText(f"{slot.name} ", "quiet"),
            *(StyledText(text, self._choose_ink(cell, is_present), cell) for text, cell in lanes),
        ]

    def _choose_ink(self, cell: SlotCell, is_written: bool) -> str:
        cursor_style = "cursor" if self.is_under_cursor(cell) else ""
        return f"{'strong' if is_written else 'quiet'} {cursor_style}".strip()

    # --- the cursor --------------------------------------------------------------------------

    def action_move(self, delta: int) -> None:
        """Move between tokens and lanes; after the last comes the first."""
        if (current := self.get_current_cell()) is not None:
            cells = list(chain.from_iterable(self.list_rows()))
            self.move_cursor_to(cells[(cells.index(current[1]) + delta) % len(cells)])

    def action_slot(self, delta: int) -> None:
        """Move between slots, to the first lane."""
        if (current := self.get_current_cell()) is not None:
            rows = self.list_rows()
            y = next(y for y, cells in enumerate(rows) if current[1] in cells)
            self.move_cursor_to(rows[(y + delta) % len(rows)][0])

    def action_end(self, index: int) -> None:
        """Move to the first or the last slot."""
        if rows := self.list_rows():
            self.move_cursor_to(rows[index][0])

    def is_turned_by_wheel(self, target: object) -> bool:
        """Whether the wheel changes the token: a value or source, but not a box."""
        if not isinstance(target, SlotCell):
            return False
        slot = slot_choices.find_slot(self._form, target.slot)
        return slot.name != "mask" and not slot_choices.is_flag(slot)

    def describe_cell(self) -> str:
        """Return the meaning of the token under the cursor and how to change it."""
        if (current := self.get_current_cell()) is None:
            return ""
        form, (slot, cell) = self._form, current
        if cell.lane is not None:
            return slot_choices.describe_cell(form, cell)
        if not slot_choices.is_flag(slot):
            if slot.is_optional and form.get(slot.name) == slot.absent:
                return f"{SLOT_NAMES[slot.name]}: {slot_choices.ABSENT} is omitted; Enter lists"
            return f"{SLOT_NAMES[slot.name]}: Enter lists, space steps on"
        other_value = slot.values[0] if form.get(slot.name) == slot.absent else slot.absent
        why = slot_choices.explain_refusal(form, SlotCell(slot.name, other_value))
        return f"{SLOT_NAMES[slot.name]}: " + (f"× {why}" if why else "space switches it")

    # --- choosing ----------------------------------------------------------------------------

    def action_take(self) -> None:
        """Toggle a flag or a lane, or choose the next value or source."""
        self.step(1)

    def action_turn(self, delta: int) -> None:
        """Toggle a flag or a lane, or choose the next or previous value or source."""
        self.step(delta)

    def action_leave_out(self) -> None:
        """Omit the modifier under the cursor."""
        if (current := self.get_current_cell()) is None:
            return
        form, (slot, _) = self._form, current
        if not slot.is_optional:
            self.refuse(f"the {SLOT_NAMES[slot.name]} must be written")
        elif (
            why := slot_choices.explain_refusal(form, SlotCell(slot.name, slot.absent))
        ) is not None:
            self.refuse(why)
        elif form.get(slot.name) != slot.absent:
            self.ask(slot, slot.absent)

    def action_list(self) -> None:
        """Request the list of values, below the token."""
        if (current := self.get_current_cell()) is None:
            return
        cell, choose = current[1], partial(self.choose, current[1])
        choices = slot_choices.make_choice_list(self._form, cell)
        self.do(choose_option, choose, *choices, self._find_place_beneath(cell))

    def choose(self, cell: SlotCell, option: SlotOption) -> None:
        """Choose an option of the list."""
        current = self.get_current_cell()
        if current is None or current[1] != cell or option.why_not:
            return
        if option.value != self._form.get(cell.slot):
            self.ask(current[0], option.value)

    def _find_place_beneath(self, cell: SlotCell) -> Offset:
        """Return the position below a token, on the screen."""
        for (x, y), piece in self.iter_pieces():
            if piece.target == cell:
                return self.content_region.offset + Offset(x, y + 1)
        return self.content_region.bottom_left


_LABEL = 8


class ModifierTable(FormPane):
    """Every value of every slot; the cursor is on a value, or on a lane of a selector or mask."""

    BINDING_GROUP_TITLE = "Modifiers"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("enter,space", "choose", "choose", tooltip="Take the value under the cursor"),
        Binding("greater_than_sign,plus", "turn(1)", "turn to next"),
        Binding("less_than_sign,minus", "turn(-1)", "turn to previous"),
    ]

    def __init__(self, form: Form) -> None:
        super().__init__("modifiers", "Modifiers", form)

    def list_slot_cells(self, slot: Slot) -> list[SlotCell]:
        """Return one cell for each value or lane."""
        return slot_choices.list_cells(self._form, slot)

    # --- drawing -------------------------------------------------------------------

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines of the slots."""
        lines: list[StyledLine] = []
        slots = [*slot_choices.list_slots(self._form)]
        label_columns = max([_LABEL, *(len(slot.name) + 1 for slot in slots)])
        for slot in slots:
            name = f"{slot.name:<{label_columns}}"
            line: StyledLine = [StyledText(name, "quiet")]
            column = label_columns
            for cell in self.list_slot_cells(slot):
                piece = self._make_piece(slot, cell)
                if column + len(piece.text) > width and column > label_columns:
                    lines.append(line)
                    line, column = [StyledText(" " * label_columns)], label_columns
                line.append(piece)
                column += len(piece.text)
            lines.append(line)
        return lines

    def _make_piece(self, slot: Slot, cell: SlotCell) -> StyledText:
        form = self._form
        cursor_style = " cursor" if self.is_under_cursor(cell) else ""
        if cell.lane is not None:
            return StyledText(*_format_lane(form, slot, cell, cursor_style), cell)
        text = slot_choices.format_value(slot, cell.value)
        if slot_choices.is_taken(form, cell):
            return StyledText(f"[{text}]", "strong" + cursor_style, cell)
        if slot_choices.explain_refusal(form, cell):
            return StyledText(f"×{text} ", "off" + cursor_style, cell)
        return StyledText(f" {text} ", cursor_style.strip(), cell)

    # --- the cursor and choosing ---------------------------------------------------

    def action_move(self, across: int, down: int) -> None:
        """Move the cursor between cells and slots; after the last slot comes the first."""
        if (current := self.get_current_cell()) is None:
            return
        form, cell, rows = self._form, current[1], self.list_rows()
        y = next(y for y, cells in enumerate(rows) if cell in cells)
        cells = rows[(y + down) % len(rows)]
        if down:
            taken_cells = (x for x in cells if x.lane is None and slot_choices.is_taken(form, x))
            self.move_cursor_to(next(taken_cells, cells[0]))
        else:
            self.move_cursor_to(cells[min(max(cells.index(cell) + across, 0), len(cells) - 1)])

    def is_turned_by_wheel(self, target: object) -> bool:
        """Whether the wheel changes the cell, a lane's source; elsewhere the pane scrolls."""
        if not isinstance(target, SlotCell):
            return False
        has_digits = slot_choices.has_digits(slot_choices.find_slot(self._form, target.slot))
        return has_digits and target.lane is not None

    def step_by_mouse(self, delta: int) -> None:
        """Step through a lane's sources; the left button chooses a visible value."""
        current = self.get_current_cell()
        if current is not None and current[1].lane is not None:
            self.step(delta)
        elif delta == 1:
            self.action_choose()

    def action_choose(self) -> None:
        """Choose the cell under the cursor, or show why it is impossible."""
        if (current := self.get_current_cell()) is None:
            return
        form, (slot, cell) = self._form, current
        if cell.lane is not None:
            self.step(1)
        elif (why := slot_choices.explain_refusal(form, cell)) is not None:
            self.refuse(why)
        elif slot.place is SlotPlace.TABLE:
            self.do(ask_formula)
        elif not slot_choices.is_taken(form, cell):
            self.ask(slot, cell.value)
        elif slot.is_optional:
            self.ask(slot, slot.absent)


def _format_lane(form: Form, slot: Slot, cell: SlotCell, cursor_style: str) -> tuple[str, str]:
    assert cell.lane is not None
    if slot.name == "mask":
        is_on = slot_choices.is_taken(form, cell)
        return (f" {ON} " if is_on else f" {OFF} "), ("right" if is_on else "quiet") + cursor_style
    is_written = form.get(slot.name) is not None
    digit = slot_choices.list_digits(form, slot)[cell.lane]
    return f" {digit} ", (("strong" if is_written else "") + cursor_style).strip()
