"""The lanes: a trace drawn step by step, with a cursor that highlights origins and uses of bits.

A register's value, a lane of the mask and a lane's selection can be edited in place, with keys or
by dragging a link from a register's chip to a lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeGuard

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.timer import Timer

from ...engine.isa.types import Role, Type
from ...engine.syntax.values import list_first_characters
from ...engine.tracing.provenance import LaneBits
from ...engine.tracing.step_text import format_lane_sentence
from ...engine.tracing.trace import Trace
from ...scene.scene_builder import build_scene
from ...scene.scene_model import BitRef, LaneRef, Place, Scene
from ...state import figure_edits
from ...state.answer_transitions import ask_computed
from ...state.edit_transitions import ask_value, choose_option, set_slot
from ...state.figure_edits import (
    FORMULA_PLACE,
    PlaceKind,
    ask_formula,
    flip_mask,
    link_places,
    nudge_lane,
    nudge_place,
    select_part,
)
from ...state.requests import REFUSED, WRONG
from ...state.slot_choices import SlotCell, SlotOption, make_choice_list
from ...state.step_transitions import ask_guess, go_to_step, predict_another, select_notable_flags
from ..base.explorer_app import PartMessage
from ..base.pane import Pane, StyledLine
from ..operand_table import OperandField
from .lane_highlights import Highlights, find_highlights, make_lane_bits
from .lane_layout import WIDE_SCREEN, LanesState, Levels, draw
from .lane_links import draw_dragged
from .lane_rows import is_covered_by_step_text

if TYPE_CHECKING:
    from ...learn.prediction import Guess

_MOTION = 0.2
"""Seconds of the animation of a step."""
_FRAMES = 6
_START_CHARS = "0123456789abcdef+-.["
"""The first characters of an answer; words such as ``true`` need Enter first."""


class _DrawnCell(NamedTuple):
    """The start position of a place's cell."""

    x: int
    y: int
    place: Place


class LanesPane(Pane):
    """Draws a trace up to a step."""

    DEFAULT_CSS = """
    LanesPane.-outdated { text-opacity: 60%; }
    """

    BINDING_GROUP_TITLE = "Lanes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(0, -1)", "Up", show=False),
        Binding("down,j", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("enter", "change", "edit", show=False),
        Binding("less_than_sign", "nudge(-1)", "nudge down", show=False),
        Binding("greater_than_sign", "nudge(1)", "nudge up", show=False),
        Binding("h", "screen.do('predict.hint')", "hint", show=False),
    ]

    class CursorMoved(PartMessage):
        """Posted when the cursor moves to another cell or to none."""

        control: LanesPane
        cell: LaneBits | None
        sentence: str = ""
        """A sentence on the cell."""

    def __init__(self, trace: Trace) -> None:
        super().__init__("lanes", "Lanes")
        self._view = LanesState(trace, 0)
        self._built_scene: Scene | None = None
        self._steps: dict[int, tuple[int, int]] = {}
        self._levels: tuple[tuple[int, int], Levels] | None = None
        """The levels of the steps, and the size for which they were chosen."""
        self._progress = 1.0
        self._motion: Timer | None = None
        self._dragged: Place | None = None
        self._drag: tuple[Offset, Offset] | None = None
        """The column and the line of a drag's start, and of the mouse."""
        self._drag_start = Offset()
        self.is_predicted = False
        """Whether the last step was just predicted, and Enter asks for another line."""
        self.place: Place | None = None
        """The place of the cursor."""

    def show_trace(self, view: LanesState, *, is_animated: bool = False) -> None:
        """Draw a trace; ``is_animated`` draws its last step line by line."""
        old, self._view = self._view, view
        is_other_trace = view.trace is not old.trace
        if is_other_trace:
            self._built_scene = None
        first, second = (
            (x.deviation, x.pin, x.question_lane, x.guesses is None) for x in (old, view)
        )
        if is_other_trace or first != second:
            self._levels = None
        self.is_predicted = False
        if is_other_trace and self.place is not None and not self._has_place(self.place):
            self._set_place(None)
        self._start_animation(is_animated=is_animated)
        self.redraw_lines()
        if self.place is not None and self._find_cell(self.place) is not None:
            self._set_place(self.place)

    @property
    def subject(self) -> object:
        """The form and the model, which determine the rows and lanes."""
        return self._trace.instruction.form, self._trace.model

    @property
    def _trace(self) -> Trace:
        return self._view.trace

    @property
    def _scene(self) -> Scene:
        if self._built_scene is None:  # not before the app runs, which handles failures here
            self._built_scene = build_scene(self._trace)
        return self._built_scene

    def _has_place(self, place: Place) -> bool:
        if place.key == Role.TABLE:
            return self._trace.instruction.form.lut is not None
        row = self._trace.rows.get(place.key)
        is_in_row = row is not None and place.lane < len(row.values)
        return place.key in self._trace.operands or is_in_row

    # --- motion --------------------------------------------------------------------

    def _start_animation(self, *, is_animated: bool) -> None:
        if self._motion is not None:
            self._motion.stop()
            self._motion = None
        self._progress = 1.0
        if is_animated and self.is_mounted and self.app.animation_level == "full":
            self._progress = 1 / _FRAMES
            self._motion = self.set_interval(_MOTION / _FRAMES, self._move_on)

    def _move_on(self) -> None:
        self._progress += 1 / _FRAMES
        if self._progress >= 1 - 1 / _FRAMES / 2:
            self._start_animation(is_animated=False)
        super().redraw_lines()

    # --- drawing -------------------------------------------------------------------

    def draw(self, width: int) -> list[StyledLine]:
        """Return the lines of the trace."""
        lights = self.compute_highlights()
        view = self._view._replace(
            lights=lights,
            progress=self._progress,
            scene=self._scene,
            is_screen_wide=self.app.size.width >= WIDE_SCREEN,
        )
        size = width, self.scrollable_content_region.height
        known_levels = self._levels[1] if self._levels and self._levels[0] == size else None
        drawing = draw(view, *size, known_levels)
        self._levels, self._steps = (size, drawing.levels), drawing.steps
        return draw_dragged(drawing.lines, *self._drag) if self._drag else drawing.lines

    def redraw_lines(self) -> None:
        """Redraw with the current step in view."""
        super().redraw_lines()
        if self._cached_lines and self._view.step in self._steps:
            start, end = self._steps[self._view.step]
            self.show_line(end - 1)
            self.show_line(start)
        if self.place is not None and self._cached_lines and self._find_cell(self.place) is None:
            self._leave_undrawn(self.place)

    def _leave_undrawn(self, place: Place) -> None:
        """Move the cursor from a hidden place to the same lane of the current step."""
        if not self.has_focus:  # a screen has put the cursor there
            self._set_place(None)
            return
        row = self._trace.rows.get(place.key)
        self._enter(place.lane if row and len(row.values) > 1 else None)

    def compute_highlights(self) -> Highlights:
        """Return the highlights: the place of the cursor, its origins and its uses."""
        if self.place is None:
            return Highlights()
        if self.is_predictable(self.place) or self._is_hidden(self.place):
            return Highlights(self.place, is_alone=True)
        return find_highlights(self._trace, self._scene, self.place)

    # --- the cursor ----------------------------------------------------------------

    def _list_cells(self) -> list[_DrawnCell]:
        """Return every cell as drawn, line by line."""
        cells: dict[tuple[int, Place], _DrawnCell] = {}
        for (x, y), piece in self.iter_pieces():
            if isinstance(piece.target, Place):
                cells.setdefault((y, piece.target), _DrawnCell(x, y, piece.target))
        return list(cells.values())

    def _find_cell(self, place: Place | None) -> _DrawnCell | None:
        """Return the first cell of a place; None if it is not drawn."""
        return next((cell for cell in self._list_cells() if cell.place == place), None)

    @property
    def is_on_computed(self) -> bool:
        """Whether the cursor is on a computed value, for which Enter asks for another."""
        return self.place is not None and self._find_kind(self.place) is PlaceKind.COMPUTED

    def locate_cursor(self) -> Offset | None:
        """Return the position of the cursor's cell on the screen; None if out of view."""
        cell = self._find_cell(self.place)
        if cell is None:
            return None
        position = self.content_region.offset + Offset(cell.x, cell.y) - self.scroll_offset
        return position if self.content_region.contains(*position) else None

    def action_move(self, across: int, down: int) -> None:
        """Move the cursor by cells and lines."""
        self.is_predicted = False
        cells = self._list_cells()
        current = self._find_cell(self.place)
        if current is None:
            self._enter()
            return
        if across:
            line = [cell for cell in cells if cell.y == current.y]
            self._go(line[min(max(line.index(current) + across, 0), len(line) - 1)])
            return
        ahead = {cell.y for cell in cells if (cell.y - current.y) * down > 0}
        ahead -= {cell.y for cell in cells if cell.place == current.place}
        if ahead:
            y = min(ahead, key=lambda y: abs(y - current.y))
            line = self._select_read([cell for cell in cells if cell.y == y])
            self._go(min(line, key=lambda cell: abs(cell.x - current.x)))

    def _select_read(self, cells: list[_DrawnCell]) -> list[_DrawnCell]:
        """Return the cells of a line without unread parts, if others remain."""
        unread_places = figure_edits.find_unread_places(self._scene)
        return [cell for cell in cells if cell.place not in unread_places] or cells

    def _enter(self, lane: int | None = None) -> None:
        """Put the cursor on the first cell of the current step, or of one of its lanes.

        If every step is shown, a cell of the last step would highlight all: begin at the first lane
        that loses or keeps bits, or else at the top.
        """
        cells = self._list_cells()
        start, end = self._steps.get(self._view.step, (0, len(self.visible_lines)))
        step_cells = [cell for cell in cells if start <= cell.y < end]
        asked_cells = [cell for cell in step_cells if self.is_predictable(cell.place)]
        lane_cells = [cell for cell in step_cells if cell.place.lane == lane]
        if (
            lane is None
            and self._view.guesses is None
            and self._view.step == len(self._trace.steps)
        ):
            step_cells = [cell for cell in cells if self._is_notable(cell.place)]
        for cell in [*asked_cells, *lane_cells, *step_cells, *cells][:1]:
            self._go(cell)

    def _is_notable(self, place: Place) -> bool:
        """Whether a place is a lane that is clamped, wrapped or kept."""
        row = self._trace.rows.get(place.key)
        return row is not None and bool(select_notable_flags(row, place.lane))

    def _go(self, cell: _DrawnCell) -> None:
        self._set_place(cell.place)
        super().redraw_lines()
        self.show_line(cell.y)

    def _set_place(self, place: Place | None) -> None:
        self.place = place
        cell, sentence = self._describe_place(place) if place else (None, "")
        self.post_message(self.CursorMoved(self, cell, sentence))

    def _describe_place(self, place: Place) -> tuple[LaneBits | None, str]:
        """Return a place's bits, or None while they are predicted, and a sentence on it."""
        trace, guesses, step = self._trace, self._view.guesses, self._view.step
        if guesses is not None and self.is_predictable(place):
            guess = guesses.get(place)
            is_wrong = guess is not None and guess.is_wrong and not guess.is_hint
            return None, (f"{WRONG} " if is_wrong else "") + (guess.message if guess else "")
        if self._is_hidden(place):
            return None, ""
        cell, row = make_lane_bits(trace, place), trace.rows.get(place.key)
        if row is not None and not isinstance(place, BitRef):
            is_current = guesses is None and step > 0 and trace.steps[step - 1].stage is row.stage
            is_covered = is_current and is_covered_by_step_text(row)  # below the step
            return cell, "" if is_covered else format_lane_sentence(row, place.lane)
        if guesses is not None:
            return cell, ""
        if place == FORMULA_PLACE:
            keys = "Enter types a formula, such as (a & b) | c; < and > go to the next table"
            return cell, keys
        if isinstance(place, BitRef):
            column = figure_edits.find_table_column(self._scene, place)
            return cell, column[0].sentence if column else ""
        if cell is None:
            return None, ""
        return cell, figure_edits.describe_operand_part(trace, self._scene, cell, step)

    def on_focus(self) -> None:
        """Show the cursor at once."""
        if self.place is None:
            self._enter()

    def on_blur(self) -> None:
        """Hide the cursor, which needs the focus."""
        self.move_cursor_to(None)

    def move_cursor_to(self, place: Place | None) -> None:
        """Put the cursor on a cell if it is drawn, or on no cell."""
        if place is None and self.place is not None:
            self._set_place(None)
            super().redraw_lines()
        elif cell := self._find_cell(place):
            self._go(cell)

    # --- editing the picture ---------------------------------------------------------

    def handle_click(self, target: object) -> None:
        """Put the cursor on the clicked cell, toggle a lane of a mask, or go to a step."""
        if isinstance(target, int):
            self.do(go_to_step, target)
        if isinstance(target, Place):
            is_repeated, kind = target == self.place, self._find_kind(target)
            self.move_cursor_to(target)
            if is_repeated and kind in (PlaceKind.PART, PlaceKind.DIGIT, PlaceKind.COMPUTED):
                self.action_nudge(1)
            elif is_repeated or kind is PlaceKind.MASK:
                self.action_change()

    def handle_right_click(self, target: object) -> None:
        """Select the previous part."""
        if isinstance(target, Place) and (self._find_slot(target) or self._find_control(target)):
            self.move_cursor_to(target)
            self.action_nudge(-1)

    def is_predictable(self, place: Place) -> TypeGuard[LaneRef]:
        """Whether a cell belongs to the predicted step and has no right prediction."""
        trace, guesses = self._trace, self._view.guesses
        if isinstance(place, BitRef) or guesses is None or place.key not in trace.rows:
            return False
        guess = guesses.get(place)
        is_asked = trace.rows[place.key].stage is trace.steps[self._view.step - 1].stage
        return is_asked and not (guess is not None and guess.is_right)

    def _is_hidden(self, place: Place) -> bool:
        """Whether a cell belongs to a hidden step in question."""
        row, shown_steps = self._trace.rows.get(place.key), self._trace.steps[: self._view.step]
        return row is not None and all(step.stage is not row.stage for step in shown_steps)

    def _find_kind(self, place: Place) -> PlaceKind:
        if self.is_predictable(place):
            return PlaceKind.ANSWER
        return figure_edits.find_place_kind(self._trace, self._scene, place)

    def _find_control(self, place: Place) -> figure_edits.OperandBits | None:
        """Return the operand's bits that control a place of a figure."""
        return figure_edits.find_control(self._trace, self._scene, place)

    def _find_slot(self, place: Place) -> str:
        """Return the selector of a cell's part; may be empty."""
        choice = figure_edits.find_part_choice(self._trace, place)
        return choice.slot if choice else ""

    def action_change(self) -> None:
        """Edit a register, list the parts for a lane, or toggle a lane of the mask."""
        place = self.place
        if self.is_predicted:
            self.do(predict_another)
            return
        if place is None:
            return
        match self._find_kind(place):
            case PlaceKind.ANSWER:
                guesses: Mapping[Any, Guess] = self._view.guesses or {}
                guess = guesses.get(place)
                self.do(ask_guess, place, guess.text if guess else "")
            case PlaceKind.FORMULA:
                self.do(ask_formula)
            case PlaceKind.BIT:
                self.action_nudge(1)
            case PlaceKind.OPERAND:
                self._edit_cell(place, "")
            case PlaceKind.MASK:
                self.do(flip_mask, place.lane)
            case PlaceKind.PART:
                self._list_parts(place)
            case PlaceKind.DIGIT | PlaceKind.COMPUTED:
                self.do(ask_computed, place, "")

    def _list_parts(self, place: Place) -> None:
        """Show a lane's possible parts in a list below its cell."""
        ins, slot = self._trace.instruction, self._find_slot(place)
        cell = SlotCell(slot, ins.form.get(slot))
        if ins.entry.lanes > 1:
            cell = SlotCell(slot, None, place.lane)
        below = self.content_region.bottom_left
        if drawn := self._find_cell(place):
            below = self.content_region.offset + Offset(drawn.x, drawn.y + 1 - self.scroll_offset.y)
        take = partial(self._take_part, slot)
        self.do(choose_option, take, *make_choice_list(ins.form, cell), below)

    def _take_part(self, slot: str, option: SlotOption) -> None:
        if not option.why_not:
            self.do(set_slot, slot, option.value)

    def _edit_cell(self, place: Place, start: str) -> None:
        ins, role = self._trace.instruction, place.key
        if role not in ins.names:
            self.post_hint(f"{REFUSED} this is a literal: change it in the line")
        elif ins.type_of(role) is Type.PRED and not start:
            self.do(nudge_lane, role, 0, 1, 1)
        else:
            by_lane = ins.count_lanes(role) > 1
            field = OperandField(role, "lane", place.lane) if by_lane else OperandField(role, "hex")
            self.do(ask_value, field, start, place)

    def action_nudge(self, delta: int) -> None:
        """Change a cell to its next or previous value."""
        if self.place is not None and not self.is_predictable(self.place):
            self.do(nudge_place, self._scene, self.place, delta)

    def format_key_label(self, action: str, label: str) -> str:
        """Return a key's effect on the cell under the cursor; may be empty."""
        if action == "screen.do('predict.hint')":
            return label if self._view.guesses is not None else ""
        if action == "change" and self.is_predicted:
            return "another one"
        place = self.place
        kind = self._find_kind(place) if place else PlaceKind.OPERAND
        if place is None or kind is PlaceKind.OPERAND:
            return label
        has_bits = place.key == Role.TABLE or self._find_control(place) is not None
        if action == "change":
            labels = {
                PlaceKind.ANSWER: "answer",
                PlaceKind.FORMULA: "formula",
                PlaceKind.BIT: "switch" if has_bits else "",
                PlaceKind.MASK: "switch",
                PlaceKind.PART: "choose",
            }
            return labels.get(kind, "")
        can_nudge = kind is not PlaceKind.ANSWER and (has_bits or kind is PlaceKind.PART)
        return label if can_nudge or not action.startswith("nudge") else ""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key starts an answer for a predicted lane, or is a digit of a figure."""
        place = self.place
        if place is None:
            return False
        if not self.is_predictable(place):
            is_operand = self._find_kind(place) is PlaceKind.OPERAND
            control = None if is_operand else self._find_control(place)
            return control is not None and control.parse_digit(character or "") is not None
        from ...learn.question import Question, locate_answer

        letters = locate_answer(Question(self._trace, *place)).letters
        return key == "space" or bool(character and character in _START_CHARS + letters)

    def on_key(self, event: events.Key) -> None:
        """Start a literal on a register; on a selected lane, select the part with the digit."""
        place, char = self.place, event.character
        if place is not None and char is not None and self._take_key(place, event.key, char):
            event.stop()

    def _take_key(self, place: Place, key: str, char: str) -> bool:
        """Apply a key at a place; return whether it has an effect there."""
        kind = self._find_kind(place)
        if kind is PlaceKind.ANSWER:
            is_taken = self.check_consume_key(key, char)
            if is_taken and key != "space":
                self.do(ask_guess, place, char)
            return is_taken
        if kind is PlaceKind.OPERAND:
            type_ = self._trace.instruction.type_of(place.key)
            is_flip = type_ is Type.PRED and key == "space"
            is_taken = is_flip or char in list_first_characters(type_)
            if is_taken:
                self._edit_cell(place, "" if key == "space" else char)
            return is_taken
        control = self._find_control(place)
        if control and (digit := control.parse_digit(char)) is not None:
            role, low, width, value = control
            self.do(nudge_lane, role, low, width, digit - value)
            if isinstance(place, BitRef):
                self.move_cursor_to(place._replace(bit=place.bit - 1))
            else:
                self.move_cursor_to(place._replace(lane=place.lane - 1))
        elif key == "space" and kind in (PlaceKind.MASK, PlaceKind.BIT):
            self.action_change()
        elif key == "space":
            self.post_hint("space switches a lane of the mask; Esc, then space plays")
        elif char.isdigit() and kind is PlaceKind.PART:
            self._select(place, self._find_slot(place), int(char))
        elif char in "0123456789+-.[":
            self.do(ask_computed, place, char)
        else:
            return False
        return True

    def _select(self, place: Place, slot: str, digit: int) -> None:
        """Select a lane's part, if it exists, and move to the next lane."""
        self.do(select_part, slot, place.lane, digit)
        is_legal = digit < figure_edits.count_part_choices(self._trace, place)
        if is_legal and self._trace.instruction.entry.lanes > 1:
            self.action_move(1, 0)

    # --- wires by hand ---------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start a drag at a register's chip or at a lane with a selection."""
        target = self.find_target(event.x, event.y)
        self._dragged = target if isinstance(target, Place) else None
        self._drag_start = self._find_position(event)

    def _find_position(self, event: events.MouseEvent) -> Offset:
        """Return the column and the line of the mouse."""
        return event.offset + self.scroll_offset - self.gutter.top_left

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the dragged link."""
        is_dragging = self._dragged is not None and event.button > 0
        self._draw_drag(self._find_position(event) if is_dragging else None)

    def _draw_drag(self, end: Offset | None) -> None:
        """Draw the link of a drag to a column and a line, or none."""
        drag = None if end is None else (self._drag_start, end)
        if drag != self._drag:
            self._drag = drag
            super().redraw_lines()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag: link a register's chip and a lane."""
        start, self._dragged = self._dragged, None
        self._draw_drag(None)
        end = self.find_target(event.x, event.y)
        if start is None or not isinstance(end, LaneRef) or start == end:
            return
        if not self.is_predictable(start) and not self.is_predictable(end):
            self.do(link_places, self._scene, start, end)
