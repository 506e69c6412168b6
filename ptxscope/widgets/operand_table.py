"""The operands: each value in every notation, any of them editable in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region

from ..engine.isa.integers import cast
from ..engine.isa.roles import Role
from ..engine.isa.types import Type
from ..engine.records import NamedTuple
from ..engine.syntax.errors import PtxError, printable
from ..engine.syntax.values import (
    float_text,
    format_float_fields,
    hex_text,
    next_float,
    parse_value,
    value_text,
)
from ..engine.tracing.lane_text import operand_name
from ..engine.tracing.trace import Trace
from ..state.actions import keys_by_id
from .base.hint_bar import REFUSED, Hint
from .base.pane import CursorPane, Line, Piece
from .base.posted_message import PartMessage

STAY = (
    "go.operands",
    "edit.undo",
    "edit.random",
    "edit.swap",
    "copy.command",
    "copy.result",
    "quit",
)
"""Actions whose letters keep their meaning on an operand: none of them goes elsewhere."""


class Field(NamedTuple):
    """One notation of one operand's value, or one lane or bit of it."""

    role: str
    notation: str
    """``hex``, ``unsigned``, ``signed``, ``float``, ``truth``, ``lane`` or ``bit``."""
    at: int = 0
    """The lane or bit."""


class Operands(CursorPane):
    """Shows operand values and asks for edits; the cursor stands on a Field."""

    BINDING_GROUP_TITLE = "Operands"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("enter", "edit", "edit", key_display="Enter"),
        Binding("greater_than_sign,ctrl+up", "nudge(1)", "one more", key_display=">"),
        Binding("less_than_sign,ctrl+down", "nudge(-1)", "one less", key_display="<"),
        Binding("space", "flip", "flip", key_display="Space"),
        Binding("v", "presets", "values that bite", key_display="v"),
    ]
    """No key that a literal begins with."""

    class Edit(PartMessage):
        """The field under the cursor is to be typed over."""

        control: Operands
        field: Field
        start: str
        """What was typed already."""

    class Changed(PartMessage):
        """An operand has new bits."""

        control: Operands
        role: str
        bits: int

    class Presets(PartMessage):
        """A list of values that bite is wanted for an operand."""

        control: Operands
        role: str

    def __init__(self, id: str = "operands") -> None:  # noqa: A002
        super().__init__(id, "Operands")
        self._trace: Trace | None = None
        self._lit: Mapping[str, int] = {}
        self.field = Field("a", "hex")
        """The field under the cursor."""
        self._typed_over = False
        self._untold = False

    @property
    def subject(self) -> object:
        """The form: it decides which operands there are, and of which types."""
        return self._trace and self._trace.instruction.form

    def show(self, trace: Trace) -> None:
        """Show the operands of a trace."""
        self._trace = trace
        roles = self._roles(trace)
        if roles and self.field.role not in roles:
            self.field = Field(roles[0], "hex")
        if roles and self.field not in self._fields(trace, self.field.role):
            self.field = Field(self.field.role, "hex")
        self.redraw()
        self._say()

    def untell(self, *, untold: bool) -> None:
        """Show lanes by their bits, where it is asked which numbers they are."""
        if untold != self._untold:
            self._untold = untold
            self.redraw()

    def light(self, bits: Mapping[str, int]) -> None:
        """Light up operand bits: a mask by role."""
        if bits != self._lit:
            self._lit = bits
            self.redraw()

    @staticmethod
    def _roles(trace: Trace) -> list[str]:
        """The registers that are read, each once, in the order of their roles."""
        return [needed.roles[0] for needed in trace.instruction.inputs]

    def _fields(self, trace: Trace, role: str) -> list[Field]:
        type_ = trace.instruction.type_of(role)
        if type_ is Type.PRED:
            return [Field(role, "truth")]
        fields = [Field(role, "hex"), Field(role, "unsigned"), Field(role, "signed")]
        if type_.is_float:
            fields.append(Field(role, "float"))
        lanes = trace.instruction.lanes_of(role)
        if lanes > 1:
            fields += [Field(role, "lane", lane) for lane in range(lanes - 1, -1, -1)]
        return fields + [Field(role, "bit", bit) for bit in range(type_.bits - 1, -1, -1)]

    # --- drawing -------------------------------------------------------------------

    def draw(self, width: int) -> list[Line]:
        """Each operand's notations, and beneath them its bits; what does not fit goes on below.

        What a float's fields mean stands beside it where there is room: the lanes draw them.
        """
        trace = self._trace
        if trace is None:
            return []
        roles = self._roles(trace)
        ins = trace.instruction
        constants = {role: x for role, x in ins.constants.items() if role in ins.names}
        if not roles and not constants:
            return [[Piece("nothing is read: every operand is a literal", "dim")]]
        names = {role: printable(operand_name(trace, role)) for role in (*roles, *constants)}
        room = 6 + max(max(map(len, names.values())), 2)
        indent = room if room <= width // 2 else 6
        lines: list[Line] = []
        for role in roles:
            label = Role(role).label
            head = [Piece(f"{label:<4}", "label"), Piece(f"{names[role]}  ", "strong")]
            head.append(Piece(" " * (room - 6 - len(names[role]))))
            if indent < room:  # a long name stands alone
                lines.append(head)
                head = [Piece(" " * indent)]
            values = list(_wrapped(head, self._values(trace, role, roles), indent, width))
            type_ = trace.instruction.type_of(role)
            if type_.is_float:
                fields = f"  {format_float_fields(trace.operands[role], type_.bits)}"
                if sum(len(piece.text) for piece in values[-1]) + len(fields) <= width:
                    values[-1] = [*values[-1], Piece(fields, "dim")]
            lines += values
            lines += _wrapped([Piece(" " * indent)], self._bits(trace, role), indent, width)
        for role, bits in constants.items():
            head = [Piece(f"{Role(role).label:<4}", "label"), Piece(names[role], "strong")]
            value = Piece(f"  {hex_text(bits, ins.type_of(role).bits)}  constant", "dim")
            lines += _wrapped(head, [[value]], indent, width)
        return lines

    def _piece(self, text: str, field: Field, ink: str) -> Piece:
        here = field == self.field and (self.has_focus or self._typed_over)
        return Piece(text, f"{ink} cursor" if here else ink, field)

    def _values(self, trace: Trace, role: str, roles: list[str]) -> Iterator[Line]:
        """The notations, each with the blanks before it; the lanes are one."""
        lanes: Line = []
        bits, type_ = trace.operands[role], trace.instruction.type_of(role)
        unsigned = max(len(str(trace.operands[other])) for other in roles)
        for field in self._fields(trace, role):
            match field.notation:
                case "truth":
                    yield [self._piece(f"{bits} {value_text(bits, type_)}", field, "value")]
                case "hex":
                    yield [self._piece(hex_text(bits, type_.bits), field, "value")]
                case "unsigned":
                    blanks = Piece(" " * (2 + unsigned - len(str(bits))))
                    yield [blanks, self._piece(f"{bits}", field, "dim" if type_.signed else "")]
                case "signed":
                    number = str(cast(bits, type_.bits, signed=True))
                    blanks = Piece(" " * (3 + unsigned - len(number)))
                    yield [blanks, self._piece(number, field, "number")]
                case "float":
                    yield [Piece("  "), self._piece(value_text(bits, type_), field, "value")]
                case "lane":
                    lanes += [Piece(", ", "dim")] if lanes else [Piece("  "), Piece("[", "dim")]
                    lanes.append(self._piece(self._lane(trace, field), field, "number"))
        if lanes:
            yield [*lanes, Piece("]", "dim")]

    def _lane(self, trace: Trace, field: Field) -> str:
        unit = 32 // trace.instruction.lanes_of(field.role)
        bits = trace.operands[field.role] >> unit * field.at
        if self._untold:
            return hex_text(bits & (1 << unit) - 1, unit)
        return str(cast(bits, unit, trace.instruction.type_of(field.role) is Type.S32))

    def _bits(self, trace: Trace, role: str) -> Iterator[Line]:
        """The bits, byte by byte, with the blanks before them."""
        bits, type_ = trace.operands[role], trace.instruction.type_of(role)
        lit = self._lit.get(role, 0)
        if type_ is Type.PRED:
            return
        for low in range(type_.bits - 8, -1, -8):
            byte: Line = [] if low == type_.bits - 8 else [Piece("  ")]
            for bit in range(low + 7, low - 1, -1):
                ink = "origin" if lit >> bit & 1 else "pattern" if bits >> bit & 1 else "dim"
                byte.append(self._piece(str(bits >> bit & 1), Field(role, "bit", bit), ink))
                if bit == low + 4:
                    byte.append(Piece(" "))
            yield byte

    # --- the cursor and editing ----------------------------------------------------

    def action_move(self, across: int, down: int) -> None:
        """Move the cursor between fields and operands."""
        if self._trace is None or not (roles := self._roles(self._trace)):
            return
        fields = self._fields(self._trace, self.field.role)
        if across:
            at = fields.index(self.field) + across
            self.field = fields[min(max(at, 0), len(fields) - 1)]
        else:
            at = roles.index(self.field.role) + down
            role = roles[min(max(at, 0), len(roles) - 1)]
            others = self._fields(self._trace, role)
            same = self.field._replace(role=role)
            self.field = same if same in others else others[0]
        self.redraw()
        self._show_cursor()
        self._say()

    def _show_cursor(self) -> None:
        for y, line in enumerate(self.drawn):
            if any(piece.target == self.field for piece in line):
                self.show_line(y)

    def clicked(self, target: object) -> None:
        """Put the cursor on a field; a second click on a bit toggles it, elsewhere edits."""
        if isinstance(target, Field):
            again = target == self.field
            self.field = target
            self.redraw()
            self._say()
            if target.notation in ("bit", "truth"):
                self.action_flip()
            elif again:
                self.action_edit()

    def action_edit(self, start: str = "") -> None:
        """Ask for a new value of the field; bits and predicates toggle."""
        if self._trace is None or not self._roles(self._trace):
            return
        if self.field.notation in ("bit", "truth") and not start:
            self.action_flip()
            return
        is_bit = self.field.notation == "bit"  # a literal is of the whole operand
        field = Field(self.field.role, "hex") if is_bit else self.field
        self.Edit(self, field, start).tell()

    def action_presets(self) -> None:
        """Ask for the list of values that bite."""
        if self._trace and self._roles(self._trace):
            self.Presets(self, self.field.role).tell()

    def on_key(self, event: events.Key) -> None:
        """What a literal begins with, or a letter that means nothing here, begins a new value."""
        if self.check_consume_key(event.key, event.character):
            event.stop()
            self.action_edit(event.character or "")

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key begins a value. Part of Textual."""
        if not character or not (self._trace and self._roles(self._trace)):
            return False
        if character in "+-.[" or character.isdecimal():
            return True
        if not character.isalpha() or key in self._bindings.key_to_bindings:
            return False
        keys = keys_by_id(self.app)
        return all(key not in keys[id_] for id_ in STAY)

    def on_paste(self, event: events.Paste) -> None:
        """A value goes into the operand; all else is an instruction, as elsewhere."""
        if self._trace is None or not self._roles(self._trace):
            return
        with suppress(PtxError):
            parse_value(event.text, self._trace.instruction.type_of(self.field.role))
            event.stop()
            self.action_edit(printable(event.text.strip()))

    def action_flip(self) -> None:
        """Turn the bit under the cursor; elsewhere the lowest bit of the value or lane."""
        if (place := self._place()) is not None:
            role, at, _ = place
            self._post(role, self._bits_of(role) ^ (1 << at))

    def action_nudge(self, by: int) -> None:
        """Add to the field: the bit's weight, one to the lane, or one to the whole value.

        A float that is read as one goes to the next.
        """
        if (place := self._place()) is not None:
            role, at, width = place
            if self.field.notation == "float":
                bits = self._bits_of(role)
                following = next_float(bits, width, by)
                if following is None:
                    Hint(self, no_next(bits, width)).tell()
                else:
                    self._post(role, following)
                return
            bits, mask = self._bits_of(role), (1 << width) - 1
            self._post(role, bits & ~(mask << at) | ((bits >> at) + by & mask) << at)

    def _place(self) -> tuple[str, int, int] | None:
        """Role, lowest bit and width of what the cursor means."""
        if self._trace is None or not self._roles(self._trace):
            return None
        role, notation, at = self.field
        width = self._trace.instruction.type_of(role).bits
        if notation == "bit":
            return role, at, width - at
        if notation == "lane":
            unit = width // self._trace.instruction.lanes_of(role)
            return role, unit * at, unit
        return role, 0, width

    def _bits_of(self, role: str) -> int:
        return self._trace.operands[role] if self._trace else 0

    def _post(self, role: str, bits: int) -> None:
        self.Changed(self, role, bits).tell()

    def type_over(self, typed_over: bool) -> None:
        """Keep the cursor in sight while a value is typed, or let it go."""
        self._typed_over = typed_over
        self.redraw()
        for y, line in enumerate(self.drawn if typed_over else ()):
            if any(piece.target == self.field for piece in line):  # the field lies over the end
                self.scroll_to_region(Region(0, y, 1, 3), animate=False, force=True)

    def _say(self, *, focused: bool = False) -> None:
        """Let the row of hints say what is under the cursor."""
        if (focused or self.has_focus) and self._trace and self._roles(self._trace):
            Hint(self, self._said(self._trace)).tell()

    def _said(self, trace: Trace) -> str:
        role, notation, at = self.field
        name = printable(operand_name(trace, role))
        if notation == "truth":
            return f"{name}: type true or false, space switches it"
        if notation == "bit":
            return f"bit {at} of {name}: space turns it, typing sets the operand"
        part = f"lane {at} of {name}" if notation == "lane" else name
        return f"{part}: type a value, < or > nudges it, Esc leaves"

    def on_focus(self) -> None:
        """Say what is under the cursor."""
        self._say(focused=True)

    def on_blur(self) -> None:
        """Say nothing more."""
        Hint(self, "").tell()


def no_next(bits: int, width: int) -> str:
    """Why a float can't be nudged."""
    return f"{REFUSED} there is no float next to {float_text(bits, width)}"


def _wrapped(head: Line, units: Iterable[Line], indent: int, width: int) -> Iterator[Line]:
    """Units behind a head; one that does not fit begins a new line, without its blanks."""
    line, used, is_empty = head, sum(len(piece.text) for piece in head), True
    for unit in units:
        room = sum(len(piece.text) for piece in unit)
        if not is_empty and used + room > width:
            yield line
            line, used = [Piece(" " * indent)], indent
            unit = unit if unit[0].text.strip() else unit[1:]
            room = sum(len(piece.text) for piece in unit)
        line = [*line, *unit]
        used, is_empty = used + room, False
    if not is_empty:
        yield line
