"""The operands, with each value in every notation, editable in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region

from ..engine.isa.encodings import cast, format_float_fields, format_hex, format_lane, format_value
from ..engine.isa.types import Role, Type
from ..engine.syntax.errors import PtxError, make_printable
from ..engine.syntax.values import list_first_characters, parse_value
from ..engine.tracing.step_text import format_operand_name
from ..engine.tracing.trace import Trace
from ..state.edit_transitions import ask_value, offer_values, set_value
from ..state.figure_edits import nudge_lane
from .base.pane import CursorPane, StyledLine, StyledText, measure_line


class OperandField(NamedTuple):
    """One notation of an operand's value, or one of its lanes or bits."""

    role: str
    notation: str
    """``hex``, ``unsigned``, ``signed``, ``float``, ``truth``, ``lane`` or ``bit``."""
    position: int = 0
    """The lane or bit."""


class OperandTable(CursorPane):
    """Shows operand values and requests edits; the cursor is on an OperandField."""

    BINDING_GROUP_TITLE = "Operands"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("enter", "edit", "edit", tooltip="Type a value, or toggle a bit"),
        Binding(
            "greater_than_sign,ctrl+up",
            "nudge(1)",
            "nudge up",
            tooltip="Add one, or the weight of the bit",
        ),
        Binding(
            "less_than_sign,ctrl+down",
            "nudge(-1)",
            "nudge down",
            tooltip="Subtract one, or the weight of the bit",
        ),
        Binding("space", "flip", "flip", tooltip="Toggle this bit, or the lowest one"),
        Binding("v", "presets", "edge cases"),
        Binding("s", "screen.do('edit.swap')", "swap"),
    ]
    """Keys that do not start a literal."""

    def __init__(self, trace: Trace) -> None:
        super().__init__("operands", "Operands")
        self._trace = trace
        self._highlighted_bits: Mapping[str, int] = {}
        self.field = OperandField("a", "hex")
        """The field under the cursor."""
        self._typed_over = False
        self._has_hidden_readings = False

    @property
    def subject(self) -> object:
        """The form, which determines the operands and their types."""
        return self._trace.instruction.form

    def show(self, trace: Trace) -> None:
        """Show the operands of a trace."""
        self._trace = trace
        roles = self._list_roles()
        if roles and self.field.role not in roles:
            self.field = OperandField(roles[0], "hex")
        if roles and self.field not in self._list_fields(self.field.role):
            self.field = OperandField(self.field.role, "hex")
        self.redraw_lines()
        self._show_hint()

    def hide_readings(self, *, is_hidden: bool) -> None:
        """Show lanes as bits while the user predicts their numbers."""
        if is_hidden != self._has_hidden_readings:
            self._has_hidden_readings = is_hidden
            self.redraw_lines()

    def highlight_bits(self, bits: Mapping[str, int]) -> None:
        """Highlight operand bits: a mask by role."""
        if bits != self._highlighted_bits:
            self._highlighted_bits = bits
            self.redraw_lines()

    def _list_roles(self) -> list[str]:
        """Return one role for each source register."""
        return [operand.roles[0] for operand in self._trace.instruction.inputs]

    def _list_fields(self, role: str) -> list[OperandField]:
        type_ = self._trace.instruction.type_of(role)
        if type_ is Type.PRED:
            return [OperandField(role, "truth")]
        notations = ("hex", "unsigned", "signed", *(("float",) if type_.is_float else ()))
        fields = [OperandField(role, notation) for notation in notations]
        lanes = self._trace.instruction.count_lanes(role)
        if lanes > 1:
            fields += [OperandField(role, "lane", lane) for lane in range(lanes - 1, -1, -1)]
        return fields + [OperandField(role, "bit", bit) for bit in range(type_.bits - 1, -1, -1)]

    # --- drawing -------------------------------------------------------------------

    def draw(self, width: int) -> list[StyledLine]:
        """Return each operand's notations, with its bits below; long lines are wrapped.

        A float's fields are described beside it if there is room: the lanes draw them.
        """
        trace, ins, roles = self._trace, self._trace.instruction, self._list_roles()
        constants = {role: x for role, x in ins.constants.items() if role in ins.names}
        if not roles and not constants:
            return [[StyledText("nothing is read: every operand is a literal", "quiet")]]
        names = {
            role: make_printable(format_operand_name(trace, role)) for role in (*roles, *constants)
        }
        room = 6 + max(max(map(len, names.values())), 2)
        indent = room if room <= width // 2 else 6
        lines: list[StyledLine] = []
        for role in roles:
            label = Role(role).label
            head = [StyledText(f"{label:<4}", "quiet"), StyledText(f"{names[role]}  ", "strong")]
            head.append(StyledText(" " * (room - 6 - len(names[role]))))
            if indent < room:  # a long name has a separate line
                lines.append(head)
                head = [StyledText(" " * indent)]
            values = list(_wrap_units(head, self._draw_value(role, roles), indent, width))
            type_ = trace.instruction.type_of(role)
            if type_.is_float:
                fields = f"  {format_float_fields(trace.operands[role], type_)}"
                if measure_line(values[-1]) + len(fields) <= width:
                    values[-1] = [*values[-1], StyledText(fields, "quiet")]
            lines += values
            lines += _wrap_units([StyledText(" " * indent)], self._draw_bits(role), indent, width)
        for role, bits in constants.items():
            head = [
                StyledText(f"{Role(role).label:<4}", "quiet"),
                StyledText(names[role], "strong"),
            ]
            value = StyledText(f"  {format_hex(bits, ins.type_of(role).bits)}  constant", "quiet")
            lines += _wrap_units(head, [[value]], indent, width)
        return lines

    def _make_piece(self, text: str, field: OperandField, style_name: str) -> StyledText:
        has_cursor = field == self.field and (self.has_focus or self._typed_over)
        return StyledText(text, f"{style_name} cursor" if has_cursor else style_name, field)

    def _draw_value(self, role: str, roles: list[str]) -> Iterator[StyledLine]:
        """Yield the notations, each with preceding blanks; the lanes are one notation."""
        bits, type_ = self._trace.operands[role], self._trace.instruction.type_of(role)
        value, signed = format_value(bits, type_), str(cast(bits, type_.bits, signed=True))
        room = max(len(str(self._trace.operands[other])) for other in roles)
        notations = {
            "truth": (0, f"{bits} {value}", "strong"),
            "hex": (0, format_hex(bits, type_.bits), "strong"),
            "unsigned": (2 + room - len(str(bits)), f"{bits}", "quiet" if type_.signed else ""),
            "signed": (3 + room - len(signed), signed, "number"),
            "float": (2, value, "strong"),
        }
        lanes: StyledLine = []
        for field in self._list_fields(role):
            if field.notation == "lane":
                bracket = [StyledText("  "), StyledText("[", "quiet")]
                lanes += [StyledText(", ", "quiet")] if lanes else bracket
                lanes.append(self._make_piece(self._format_lane(field), field, "number"))
            elif field.notation in notations:
                blanks, text, style_name = notations[field.notation]
                piece = self._make_piece(text, field, style_name)
                yield [StyledText(" " * blanks), piece] if blanks else [piece]
        if lanes:
            yield [*lanes, StyledText("]", "quiet")]

    def _format_lane(self, field: OperandField) -> str:
        trace = self._trace
        unit = 32 // trace.instruction.count_lanes(field.role)
        bits = trace.operands[field.role] >> unit * field.position
        if self._has_hidden_readings:
            return format_hex(bits & (1 << unit) - 1, unit)
        type_ = trace.instruction.type_of(field.role)
        return format_lane(bits, unit, type_, signed=type_.signed)

    def _draw_bits(self, role: str) -> Iterator[StyledLine]:
        """Yield the bits, byte by byte, with preceding blanks."""
        trace = self._trace
        bits, type_ = trace.operands[role], trace.instruction.type_of(role)
        highlighted_bits = self._highlighted_bits.get(role, 0)
        if type_ is Type.PRED:
            return
        for low in range(type_.bits - 8, -1, -8):
            byte: StyledLine = [] if low == type_.bits - 8 else [StyledText("  ")]
            for bit in range(low + 7, low - 1, -1):
                style_name = (
                    "origin" if highlighted_bits >> bit & 1 else "" if bits >> bit & 1 else "quiet"
                )
                byte.append(
                    self._make_piece(
                        str(bits >> bit & 1), OperandField(role, "bit", bit), style_name
                    )
                )
                if bit == low + 4:
                    byte.append(StyledText(" "))
            yield byte

    # --- the cursor and editing ----------------------------------------------------

    def action_move(self, across: int, down: int) -> None:
        """Move the cursor between fields and operands."""
        if not (roles := self._list_roles()):
            return
        fields = self._list_fields(self.field.role)
        if across:
            index = fields.index(self.field) + across
            self.field = fields[min(max(index, 0), len(fields) - 1)]
        else:
            index = roles.index(self.field.role) + down
            role = roles[min(max(index, 0), len(roles) - 1)]
            other_fields = self._list_fields(role)
            same_field = self.field._replace(role=role)
            self.field = same_field if same_field in other_fields else other_fields[0]
        self.redraw_lines()
        self.show_target(self.field)
        self._show_hint()

    def handle_click(self, target: object) -> None:
        """Put the cursor on a field; a second click toggles a bit or edits another field."""
        if isinstance(target, OperandField):
            is_repeated = target == self.field
            self.field = target
            self.redraw_lines()
            self._show_hint()
            if target.notation in ("bit", "truth"):
                self.action_flip()
            elif is_repeated:
                self.action_edit()

    def action_edit(self, start: str = "") -> None:
        """Request a new value of the field; bits and predicates toggle."""
        if not self._list_roles():
            return
        if self.field.notation in ("bit", "truth") and not start:
            self.action_flip()
            return
        is_bit = self.field.notation == "bit"  # a literal is the value of the whole operand
        field = OperandField(self.field.role, "hex") if is_bit else self.field
        self.do(ask_value, field, start)

    def action_presets(self) -> None:
        """Request the list of edge cases."""
        if self._list_roles():
            self.do(offer_values, self.field.role)

    def on_key(self, event: events.Key) -> None:
        """Start a new value with its first character; other letters are keys, as elsewhere."""
        if self.check_consume_key(event.key, event.character):
            event.stop()
            self.action_edit(event.character or "")

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key starts a value. Overrides Textual."""
        if not character or not self._list_roles():
            return False
        type_ = self._trace.instruction.type_of(self.field.role)
        return character in list_first_characters(type_)

    def on_paste(self, event: events.Paste) -> None:
        """Paste a value into the operand; other text is an instruction, as elsewhere."""
        if not self._list_roles():
            return
        with suppress(PtxError):
            parse_value(event.text, self._trace.instruction.type_of(self.field.role))
            event.stop()
            self.action_edit(make_printable(event.text.strip()))

    def action_flip(self) -> None:
        """Toggle the bit under the cursor, or the lowest bit of the value or lane."""
        if (place := self._locate_field()) is not None:
            role, bit, _ = place
            self._post(role, self._trace.operands[role] ^ (1 << bit))

    def action_nudge(self, delta: int) -> None:
        """Add to the field: the bit's weight, one to the lane, or one to the whole value.

        A floating-point value moves to its neighbour.
        """
        if (place := self._locate_field()) is not None:
            role, bit, width = place
            if self.field.notation == "float":
                self.do(nudge_lane, role, bit, width, delta)
                return
            bits, mask = self._trace.operands[role], (1 << width) - 1
            self._post(role, bits & ~(mask << bit) | ((bits >> bit) + delta & mask) << bit)

    def _locate_field(self) -> tuple[str, int, int] | None:
        """Return the role, lowest bit and width of the field under the cursor."""
        if not self._list_roles():
            return None
        role, notation, lane = self.field
        width = self._trace.instruction.type_of(role).bits
        if notation == "bit":
            return role, lane, width - lane
        if notation == "lane":
            unit = width // self._trace.instruction.count_lanes(role)
            return role, unit * lane, unit
        return role, 0, width

    def _post(self, role: str, bits: int) -> None:
        self.do(set_value, role, bits)

    def type_over(self, is_typed_over: bool) -> None:
        """Keep the cursor in view while a value is typed, or release it."""
        self._typed_over = is_typed_over
        self.redraw_lines()
        for y, line in enumerate(self.visible_lines if is_typed_over else ()):
            if any(piece.target == self.field for piece in line):  # the field covers the end
                self.scroll_to_region(Region(0, y, 1, 3), animate=False, force=True)

    def _show_hint(self, *, is_focused: bool = False) -> None:
        """Show a hint on the field under the cursor."""
        if (is_focused or self.has_focus) and self._list_roles():
            self.post_hint(self._format_hint())

    def _format_hint(self) -> str:
        role, notation, lane = self.field
        name = make_printable(format_operand_name(self._trace, role))
        if notation == "truth":
            return f"{name}: type true or false, space switches it"
        if notation == "bit":
            return f"bit {lane} of {name}: space flips it, typing sets the operand"
        part = f"lane {lane} of {name}" if notation == "lane" else name
        return f"{part}: type a value, < or > nudges it, Esc leaves"

    def on_focus(self) -> None:
        """Show a hint on the field under the cursor."""
        self._show_hint(is_focused=True)

    def on_blur(self) -> None:
        """Clear the hint."""
        self.post_hint("")


def _wrap_units(
    head: StyledLine, units: Iterable[StyledLine], indent: int, width: int
) -> Iterator[StyledLine]:
    """Yield units after a head; a unit that does not fit begins a new line, without its blanks."""
    line, column, is_empty = head, measure_line(head), True
    for unit in units:
        room = measure_line(unit)
        if not is_empty and column + room > width:
            yield line
            line, column = [StyledText(" " * indent)], indent
            unit = unit if unit[0].text.strip() else unit[1:]
            room = measure_line(unit)
        line = [*line, *unit]
        column, is_empty = column + room, False
    if not is_empty:
        yield line
