"""The modifiers in one row, always in sight and edited in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Offset

from ...engine.isa.entry import Slot
from ...engine.isa.form import Form
from ...engine.isa.grammar import SLOT_NAMES
from ...engine.records import NamedTuple
from ..base.pane import Line, Piece
from ..base.posted_message import PartMessage
from . import slot_choices
from .form_pane import FormPane
from .slot_choices import OFF, ON, Choice, Option


class _Spacing(NamedTuple):
    """How much air there is: before the row, between tokens, between a flag and its box."""

    lead: int
    gap: int
    blank: int


_SPACINGS = (_Spacing(1, 2, 1), _Spacing(1, 1, 1), _Spacing(0, 1, 1), _Spacing(0, 1, 0))
"""From airy to tight; the first that takes the fewest rows is taken, so values never move it."""


class ModifierRow(FormPane):
    """`` sat ■  mask ■□■■  asel 3210``: the cursor goes from token to token, lanes one by one."""

    BINDING_GROUP_TITLE = "Modifiers"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Left", show=False),
        Binding("right", "move(1)", "Right", show=False),
        Binding("ctrl+left", "slot(-1)", "Previous modifier", show=False),
        Binding("ctrl+right", "slot(1)", "Next modifier", show=False),
        Binding("home", "end(0)", "First modifier", show=False),
        Binding("end", "end(-1)", "Last modifier", show=False),
        Binding("enter,up,down", "list", "list", key_display="Enter"),
        Binding("space", "take", "switch", key_display="Space"),
        Binding("greater_than_sign,plus", "turn(1)", "next", key_display=">"),
        Binding("less_than_sign,minus", "turn(-1)", "previous", key_display="<"),
        Binding("delete,backspace", "leave_out", "leave out", key_display="Del"),
    ]
    DEFAULT_CSS = """
    ModifierRow {
        height: auto; border: none; padding: 0; overflow: hidden; background: $panel;
        &:focus { border: none; }
    }
    """

    class Asked(PartMessage):
        """The values of a token are to be listed beneath it."""

        control: ModifierRow
        title: str
        cell: Choice
        options: Sequence[Option]
        index: int
        """The one that is taken now."""
        at: Offset
        """The place beneath the token, on the screen."""

    def __init__(self, id: str = "modifier-row") -> None:  # noqa: A002
        super().__init__(id, "")
        self._stop = Choice("", None)

    def _stops(self) -> list[Choice]:
        """Where the cursor can stand: each slot, or each of its lanes."""
        form = self._form
        return (
            [stop for slot in slot_choices.slots(form) for stop in _stops(form, slot)]
            if form
            else []
        )

    def current(self) -> tuple[Form, Slot, Choice] | None:
        """The form, and slot and cell under the cursor."""
        stops = self._stops()
        if not stops or self._form is None:
            return None
        if self._stop not in stops:
            self._stop = stops[0]
        name, _, lane = self._stop
        slot = next(slot for slot in slot_choices.slots(self._form) if slot.name == name)
        return (
            self._form,
            slot,
            Choice(name, None if lane is not None else self._form.get(name), lane),
        )

    # --- drawing -----------------------------------------------------------------------------

    def draw(self, width: int) -> list[Line]:
        """The tokens in as few rows as they need; nothing is cut."""
        if self._form is None or self.current() is None:
            return []
        ways = [list(self._laid_out(self._form, width, spacing)) for spacing in _SPACINGS]
        return min(ways, key=len)

    def _laid_out(self, form: Form, width: int, spacing: _Spacing) -> list[Line]:
        lines: list[Line] = []
        used = 0
        for slot in slot_choices.slots(form):
            token = self._token(form, slot, spacing)
            room = sum(len(piece.text) for piece in token)
            if not lines or used + spacing.gap + room > width:
                lines.append([Piece(" " * spacing.lead)])
                used = spacing.lead
            else:
                lines[-1].append(Piece(" " * spacing.gap))
                used += spacing.gap
            lines[-1] += token
            used += room
        return lines

    def _token(self, form: Form, slot: Slot, spacing: _Spacing) -> Line:
        """A slot's name and value, as wide whatever the value is."""
        stops = _stops(form, slot)
        written = form.get(slot.name) != slot.absent
        if slot_choices.is_flag(slot):
            name = slot_choices.text_of(slot, slot.values[0]) + " " * spacing.blank
            box = Piece(ON if written else OFF, self._with_cursor(stops[0], written), stops[0])
            return [Piece(name, self.label_ink(slot), stops[0]), box]
        if slot.name == "mask":
            value = slot_choices.boxes(form, slot, form.get(slot.name))
        elif slot_choices.has_digits(slot):
            value = "".join(map(str, reversed(slot_choices.digits(form, slot))))
        else:
            room = max(len(slot_choices.text_of(slot, value)) for value in slot.choices())
            text = f"{slot_choices.text_of(slot, form.get(slot.name)):<{room}}"
            ink = self._with_cursor(stops[0], written)
            label = Piece(f"{slot.name} ", self.label_ink(slot), stops[0])
            return [label, Piece(text, ink, stops[0])]
        cells = zip(value, stops, strict=True)
        return [
            Piece(f"{slot.name} ", self.label_ink(slot)),
            *(Piece(text, self._with_cursor(stop, written), stop) for text, stop in cells),
        ]

    def _with_cursor(self, stop: Choice, written: bool) -> str:
        here = "cursor" if stop == self._stop and self.has_focus else ""
        return f"{'chosen' if written else 'dim'} {here}".strip()

    # --- the cursor --------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        """Go from token to token, lane to lane; behind the last comes the first."""
        if self.current() is not None:
            stops = self._stops()
            self.place(stops[(stops.index(self._stop) + by) % len(stops)])

    def action_slot(self, by: int) -> None:
        """Go from slot to slot, to its first lane."""
        if (current := self.current()) is not None:
            firsts = self._firsts(current[0])
            at = [stop.slot for stop in firsts].index(self._stop.slot)
            self.place(firsts[(at + by) % len(firsts)])

    def action_end(self, at: int) -> None:
        """Go to the first slot, or to the last."""
        if (current := self.current()) is not None:
            self.place(self._firsts(current[0])[at])

    @staticmethod
    def _firsts(form: Form) -> list[Choice]:
        return [_stops(form, slot)[0] for slot in slot_choices.slots(form)]

    def advance(self) -> None:
        """Go on to the next lane of the same selector, where there is one."""
        if self._stop.lane:
            self.action_move(1)

    def place(self, target: object) -> bool:
        """Put the cursor on what was clicked; returns whether there is a token."""
        if not isinstance(target, Choice):
            return False
        self._stop = target
        self.redraw()
        self.say()
        return True

    def turns(self, target: object) -> bool:
        """The wheel goes through values and sources; boxes are clicked."""
        if not isinstance(target, Choice) or self._form is None:
            return False
        slot = next(slot for slot in slot_choices.slots(self._form) if slot.name == target.slot)
        return slot.name != "mask" and not slot_choices.is_flag(slot)

    def said(self) -> str:
        """What the token under the cursor is, and what can be done with it."""
        if (current := self.current()) is None:
            return ""
        form, slot, cell = current
        if cell.lane is not None:
            return slot_choices.meaning(form, cell)
        if not slot_choices.is_flag(slot):
            if slot.optional and form.get(slot.name) == slot.absent:
                return f"{SLOT_NAMES[slot.name]}: {slot_choices.ABSENT} is none; Enter lists"
            return f"{SLOT_NAMES[slot.name]}: Enter lists, space steps on"
        other = slot.values[0] if cell.value == slot.absent else slot.absent
        why = slot_choices.why_not(form, Choice(slot.name, other))
        return f"{SLOT_NAMES[slot.name]}: " + (f"× {why}" if why else "space switches it")

    # --- choosing ----------------------------------------------------------------------------

    def action_take(self) -> None:
        """Switch a flag or a lane; let a value or a source be the next."""
        self.step(1)

    def action_turn(self, by: int) -> None:
        """Switch a flag or a lane; let a value or a source be the next, or the one before."""
        self.step(by)

    def action_leave_out(self) -> None:
        """Leave out what is under the cursor."""
        if (current := self.current()) is None:
            return
        form, slot, _ = current
        if not slot.optional:
            self.refuse(f"the {SLOT_NAMES[slot.name]} must be written")
        elif (why := slot_choices.why_not(form, Choice(slot.name, slot.absent))) is not None:
            self.refuse(why)
        elif form.get(slot.name) != slot.absent:
            self.ask(slot, slot.absent)

    def action_list(self) -> None:
        """Ask for the list of values, beneath the token."""
        if (current := self.current()) is None:
            return
        form, _, cell = current
        title, found, at = slot_choices.listed(form, cell)
        self.Asked(self, title, cell, found, at, self._beneath(self._stop)).tell()

    def choose(self, cell: Choice, option: Option) -> None:
        """Take an option of the list."""
        if (current := self.current()) is None or current[2] != cell:
            return
        form, slot, _ = current
        if not option.why_not and option.value != form.get(slot.name):
            self.ask(slot, option.value)

    def _beneath(self, stop: Choice) -> Offset:
        """The place beneath a token, on the screen."""
        for y, line in enumerate(self.drawn):
            x = 0
            for piece in line:
                if piece.target == stop:
                    return self.content_region.offset + Offset(x, y + 1)
                x += len(piece.text)
        return self.content_region.bottom_left


def _stops(form: Form, slot: Slot) -> list[Choice]:
    return (
        slot_choices.lanes_of(form, slot)
        if slot_choices.by_lane(slot)
        else [Choice(slot.name, None)]
    )
