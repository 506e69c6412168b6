"""The modifiers: a row for each slot, in which only legal choices can be made."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from ..engine.isa.catalog import entry_of
from ..engine.isa.entry import Digits, Slot, SlotPlace
from ..engine.isa.form import Form
from ..engine.isa.grammar import SLOT_NAMES
from ..engine.isa.legality import obstacle
from ..engine.isa.types import Selector
from .pane import Line, Pane, Piece

_LABEL = 8


class Choice(NamedTuple):
    """A cell of the form: a value of a slot; or, for lanes, a lane of a selector or mask."""

    slot: str
    value: object
    lane: int | None = None


class Modifiers(Pane):
    """Shows a Form and asks for another; the cursor stands on a Choice."""

    BINDING_GROUP_TITLE = "Modifiers"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("enter", "choose", "Choose", show=False),
        Binding("plus", "turn(1)", "Next source of the lane", show=False),
        Binding("minus", "turn(-1)", "Previous source of the lane", show=False),
    ]

    @dataclass
    class Changed(Message):
        """A slot is to take another value, which is legal."""

        modifiers: Modifiers
        slot: str
        value: object

        @property
        def control(self) -> Modifiers:
            """The widget that sent it."""
            return self.modifiers

    def __init__(self, id: str = "modifiers") -> None:  # noqa: A002
        super().__init__(id, "Modifiers")
        self._form: Form | None = None
        self._at = (0, 0)
        self._refused = ""

    def show(self, form: Form) -> None:
        """Show a form."""
        if form != self._form:
            self._form, self._refused = form, ""
            self.redraw()

    # --- what can be chosen ----------------------------------------------------------

    def _rows(self) -> list[tuple[Slot, list[Choice]]]:
        """Every slot with its cells, left to right."""
        if self._form is None:
            return []
        entry = entry_of(self._form)
        slots = [slot for slot in entry.slots if slot.name != "c"]
        return [(slot, list(_cells(slot, entry.lanes))) for slot in slots]

    def _current(self) -> tuple[Slot, Choice] | None:
        rows = self._rows()
        if not rows:
            return None
        y = min(self._at[1], len(rows) - 1)
        slot, cells = rows[y]
        x = min(self._at[0], len(cells) - 1)
        self._at = (x, y)
        return slot, cells[x]

    def _taken(self, choice: Choice) -> bool:
        """Whether a cell shows what the form has."""
        assert self._form
        value = self._form.get(choice.slot)
        if choice.lane is None:
            return value == choice.value
        return value is None or (isinstance(value, Selector) and choice.lane in value.lanes)

    def _why_not(self, choice: Choice) -> str | None:
        """Why a cell can't be chosen."""
        assert self._form
        if choice.lane is not None or self._taken(choice):
            return None
        found = obstacle(self._form, choice.slot, choice.value)
        return None if found is None else found[0]

    # --- drawing -------------------------------------------------------------------

    def draw(self, width: int) -> list[Line]:
        """The slots, and beneath the one with the cursor what its cell means."""
        rows = self._rows()
        self._current()
        lines: list[Line] = []
        for y, (slot, cells) in enumerate(rows):
            line: Line = [Piece(f"{slot.name:<{_LABEL}}"[:_LABEL], "label")]
            used = _LABEL
            for x, cell in enumerate(cells):
                piece = self._piece(slot, cell, (x, y))
                if used + len(piece.text) > width and used > _LABEL:
                    lines.append(line)
                    line, used = [Piece(" " * _LABEL)], _LABEL
                line.append(piece)
                used += len(piece.text)
            lines.append(line)
            if y == self._at[1] and self.has_focus:
                lines += ([Piece(text, "changed")] for text in self._hint(slot, cells, width))
        return lines

    def _piece(self, slot: Slot, cell: Choice, at: tuple[int, int]) -> Piece:
        here = " cursor" if at == self._at and self.has_focus else ""
        if cell.lane is not None:
            return Piece(*self._lane_text(slot, cell, here), ("choice", at))
        text = _text(slot, cell.value)
        if self._taken(cell):
            return Piece(f"[{text}]", "chosen" + here, ("choice", at))
        if self._why_not(cell):
            return Piece(f"×{text} ", "off" + here, ("choice", at))
        return Piece(f" {text} ", here.strip(), ("choice", at))

    def _lane_text(self, slot: Slot, cell: Choice, here: str) -> tuple[str, str]:
        assert self._form
        assert cell.lane is not None
        if slot.name == "mask":
            on = self._taken(cell)
            return (" ■ " if on else " □ "), ("chosen" if on else "dim") + here
        written = self._form.get(slot.name) is not None
        digit = _digits(self._form, slot)[cell.lane]
        return f" {digit} ", ("chosen" if written else "") + here

    def _hint(self, slot: Slot, cells: list[Choice], width: int) -> list[str]:
        """What the cell under the cursor means, or why it can't be chosen."""
        cell = cells[self._at[0]]
        reason = self._refused or self._why_not(cell)
        if reason:
            said = f"× {reason}"
        elif cell.lane is None:
            said = SLOT_NAMES[slot.name]
        elif slot.name == "mask":
            said = f"lane {cell.lane} of the mask: Enter switches it"
        else:
            assert self._form
            source = _source(self._form, _digits(self._form, slot)[cell.lane])
            said = f"lane {cell.lane} of {slot.place} takes {source}: a digit, + or - changes it"
        return textwrap.wrap(said, max(width - 1, 12), initial_indent="  ", subsequent_indent="  ")

    # --- the cursor and choosing ---------------------------------------------------

    def action_move(self, across: int, down: int) -> None:
        """Move the cursor between cells and slots."""
        rows = self._rows()
        if not rows:
            return
        x, y = self._at
        y = min(max(y + down, 0), len(rows) - 1)
        if down:
            x = self._taken_column(rows[y][1])
        self._at = (min(max(x + across, 0), len(rows[y][1]) - 1), y)
        self._refused = ""
        self.redraw()
        self._show_cursor()

    def _taken_column(self, cells: list[Choice]) -> int:
        return next((x for x, c in enumerate(cells) if c.lane is None and self._taken(c)), 0)

    def _show_cursor(self) -> None:
        for y, line in enumerate(self.drawn):
            if any(piece.target == ("choice", self._at) for piece in line):
                self.show_line(min(y + 2, len(self.drawn) - 1))
                self.show_line(y)

    def clicked(self, target: object) -> None:
        """Choose the clicked cell."""
        if isinstance(target, tuple):
            self._at = target[1]
            self.action_choose()

    def action_choose(self) -> None:
        """Make the choice under the cursor, or say why it can't be made."""
        current = self._current()
        if current is None or self._form is None:
            return
        slot, cell = current
        if cell.lane is not None:
            if slot.name == "mask":
                self._switch(slot, cell.lane)
            else:
                self.action_turn(1)
            return
        reason = self._why_not(cell)
        self._refused = reason or ""
        self.redraw()
        if reason is None and not self._taken(cell):
            self.post_message(self.Changed(self, slot.name, cell.value))
        elif reason is None and slot.optional:
            self.post_message(self.Changed(self, slot.name, slot.absent))

    def _switch(self, slot: Slot, lane: int) -> None:
        """Turn a lane of the mask on or off; one must stay on."""
        assert self._form
        lanes = set(_digits(self._form, slot)) ^ {lane}
        if not lanes:
            self._refused = "a mask has at least one lane"
            self.redraw()
            return
        unit = 32 // entry_of(self._form).lanes
        mask = Selector(unit, tuple(sorted(lanes)))
        self.post_message(self.Changed(self, slot.name, mask))

    def action_turn(self, by: int) -> None:
        """Let a lane of a selector take the next byte or half-word."""
        current = self._current()
        if current and self._form and isinstance(current[0].values, Digits):
            slot, cell = current
            if cell.lane is not None:
                digit = _digits(self._form, slot)[cell.lane] + by
                self._set_digit(slot, cell.lane, digit % (2 * entry_of(self._form).lanes))

    def _set_digit(self, slot: Slot, lane: int, digit: int) -> None:
        assert self._form
        lanes = list(_digits(self._form, slot))
        lanes[lane] = digit
        unit = 32 // len(lanes)
        self.post_message(self.Changed(self, slot.name, Selector(unit, tuple(lanes))))

    def on_key(self, event: events.Key) -> None:
        """A digit sets the source of a lane."""
        current = self._current()
        if not (event.character and event.character.isdigit() and current and self._form):
            return
        slot, cell = current
        digit = int(event.character)
        if cell.lane is None or not isinstance(slot.values, Digits):
            return
        event.stop()
        if digit < 2 * entry_of(self._form).lanes:
            self._set_digit(slot, cell.lane, digit)
            self.action_move(1, 0)

    def on_focus(self) -> None:
        """Show the cursor."""
        self.redraw()

    def on_blur(self) -> None:
        """Hide the cursor."""
        self._refused = ""
        self.redraw()


def _cells(slot: Slot, lanes: int) -> Iterator[Choice]:
    if slot.optional:
        yield Choice(slot.name, slot.absent)
    if isinstance(slot.values, Digits) or slot.name == "mask":
        for lane in range(lanes - 1, -1, -1):
            yield Choice(slot.name, None, lane)
        return
    for value in slot.values:
        yield Choice(slot.name, value)


def _text(slot: Slot, value: object) -> str:
    if value == slot.absent:
        return "–"
    if slot.place is not SlotPlace.MODIFIER and slot.word:
        return f"{slot.word}{slot.place}"
    return slot.text(value)


def _digits(form: Form, slot: Slot) -> tuple[int, ...]:
    """The lanes of a selector or mask, written or by default; lane 0 first."""
    value = form.get(slot.name)
    if isinstance(value, Selector):
        return value.lanes
    lanes = entry_of(form).lanes
    first = lanes if slot.name == "bsel" else 0
    return tuple(range(first, first + lanes))


def _source(form: Form, digit: int) -> str:
    lanes = entry_of(form).lanes
    return f"{'ab'[digit // lanes]}.{'h' if lanes == 2 else 'b'}{digit % lanes}"
