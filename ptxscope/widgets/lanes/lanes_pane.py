"""The lanes: a trace drawn step by step, with a cursor that shows where bits come from and go.

The picture can be edited in place: a register's value, a lane of the mask, a lane's selection. Use
keys, or drag a link from a register's chip to a lane.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeGuard

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.timer import Timer

from ...engine.isa.types import Role, Type
from ...engine.micro_operations.base import RowTrace
from ...engine.micro_operations.properties import MAX_LANE_BITS
from ...engine.syntax.values import list_first_characters
from ...engine.tracing.deviation import Deviation
from ...engine.tracing.provenance import (
    LaneBits,
    find_ancestors,
    find_descendants,
    is_descendant,
)
from ...engine.tracing.step_text import format_lane_sentence
from ...engine.tracing.trace import Trace
from ...scene.scene_builder import build_scene, choose_part_width, iter_parts
from ...scene.scene_model import BitRef, LaneRef, Place, Scene
from ...state import figure_edits
from ...state.answer_transitions import ask_computed
from ...state.edit_transitions import ask_value, choose_option, set_slot
from ...state.figure_edits import (
    FORMULA_PLACE,
    ask_formula,
    flip_mask,
    link_places,
    nudge_lane,
    nudge_place,
    select_part,
)
from ...state.step_transitions import ask_guess, go_to_step, predict_another
from ..base.explorer_app import Do, PartMessage
from ..base.hint_bar import REFUSED, Hint
from ..base.pane import Pane, StyledLine
from ..operand_table import OperandField
from ..slot_choices import (
    ChoiceError,
    SlotCell,
    SlotOption,
    list_slots,
    make_choice_list,
    with_digit,
)
from .lane_cells import Highlights
from .lane_layout import LanesState, Levels, draw
from .lane_rows import is_covered_by_step_text

if TYPE_CHECKING:
    from ...learn.prediction import Guess

_MOTION = 0.2
"""Seconds of the animation of a step."""
_FRAMES = 6
_START_CHARS = "0123456789abcdef+-.["
"""The first characters of an answer; words like `true` need Enter first."""


class _DrawnCell(NamedTuple):
    """The position at which the cell of a place begins."""

    x: int
    y: int
    place: Place


class LanesPane(Pane):
    """Draws a trace up to a step."""

    BINDING_GROUP_TITLE = "Lanes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(0, -1)", "Up", show=False),
        Binding("down,j", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("enter", "change", "edit", show=False),
        Binding("less_than_sign", "nudge(-1)", "one less", show=False),
        Binding("greater_than_sign", "nudge(1)", "one more", show=False),
        Binding("h", "screen.do('predict.hint')", "hint", show=False),
    ]

    class CursorMoved(PartMessage):
        """Posted when the cursor moves to another cell or to none."""

        control: LanesPane
        cell: LaneBits | None
        sentence: str = ""
        """A sentence on the cell."""

    def __init__(self) -> None:
        super().__init__("lanes", "Lanes")
        self._view: LanesState | None = None
        self._steps: dict[int, tuple[int, int]] = {}
        self._levels: tuple[tuple[int, int], Levels] | None = None
        """The levels of the steps, and the size for which they were chosen."""
        self._progress = 1.0
        self._motion: Timer | None = None
        self._dragged: Place | None = None
        self._guesses: Mapping[LaneRef, Guess] | None = None
        self.is_predicted = False
        """Whether the last step has just been predicted, so that Enter asks for another line."""
        self.place: Place | None = None
        """The place of the cursor."""

    def show_trace(
        self,
        trace: Trace,
        step: int,
        deviation: Deviation | None = None,
        pin: Trace | None = None,
        *,
        is_animated: bool = False,
        guesses: Mapping[LaneRef, Guess] | None = None,
        question_lane: LaneRef | None = None,
    ) -> None:
        """Draw a trace up to a step, beside another answer or a pin.

        ``is_animated`` draws the step bit by bit. With guesses, the user predicts the last step;
        ``question_lane`` is a lane of a hidden step that a lesson asks for.
        """
        if (guesses is None) != (self._guesses is None):
            self._levels = None
        self._guesses, self.is_predicted = guesses, False
        is_lost = trace is not self._trace and self.place and not self._has_place(trace, self.place)
        scene = self._view.scene if self._view and trace is self._trace else build_scene(trace)
        was = self._view
        self._view = LanesState(
            trace, step, Highlights(), deviation, pin, scene=scene, question_lane=question_lane
        )
        is_other = was is None or (was.trace is not trace or was[3:5] != (deviation, pin))
        if is_other or (was and was.question_lane != question_lane):
            self._levels = None
        if is_lost:
            self._set_place(None)
        self._start_animation(is_animated=is_animated)
        self.redraw_lines()
        if self.place is not None and self._find_cell(self.place) is not None:
            self._set_place(self.place)

    @property
    def subject(self) -> object:
        """The form and the model, which decide the rows and lanes."""
        trace = self._trace
        return trace and (trace.instruction.form, trace.model)

    @property
    def _trace(self) -> Trace | None:
        return self._view.trace if self._view else None

    @property
    def _scene(self) -> Scene | None:
        return self._view.scene if self._view else None

    @staticmethod
    def _has_place(trace: Trace, place: Place) -> bool:
        if place.key == Role.TABLE:
            return trace.instruction.form.lut is not None
        row = trace.rows.get(place.key)
        return place.key in trace.operands or (row is not None and place.lane < len(row.values))

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
        if self._view is None:
            return []
        view = self._view._replace(
            lights=self.compute_highlights(self._view.trace),
            progress=self._progress,
            guesses=self._guesses,
        )
        height = self.scrollable_content_region.height
        is_unchanged = self._levels and self._levels[0] == (width, height)
        drawing = draw(
            view, width, height, self._levels[1] if is_unchanged and self._levels else None
        )
        self._levels = (width, height), drawing.levels
        self._steps = drawing.steps
        return drawing.lines

    def redraw_lines(self) -> None:
        """Draw anew, with the current step in view."""
        super().redraw_lines()
        if self._view and self._cached_lines and self._view.step in self._steps:
            start, end = self._steps[self._view.step]
            self.show_line(end - 1)
            self.show_line(start)
        if self.place is not None and self._cached_lines and self._find_cell(self.place) is None:
            self._leave_undrawn(self.place)

    def _leave_undrawn(self, place: Place) -> None:
        """Move the cursor from a hidden place to the same lane of the current step."""
        if not self.has_focus:  # a lesson has put the cursor there
            self._set_place(None)
            return
        row = self._trace.rows.get(place.key) if self._trace else None
        self._enter(place.lane if row and len(row.values) > 1 else None)

    def compute_highlights(self, trace: Trace) -> Highlights:
        """Return what is highlighted: the place of the cursor, its origins and its uses."""
        if self.place is None:
            return Highlights()
        if self.is_predictable(self.place) or self._is_hidden(self.place):
            return Highlights(self.place, is_alone=True)
        lit: frozenset[Place] = frozenset()
        if isinstance(self.place, BitRef) and self._scene:
            column = figure_edits.find_table_column(self._scene, self.place)
            lit = column[1] if column else lit
        cell = self._make_lane_bits(trace, self.place)
        if cell is None:
            return Highlights(self.place, lit)
        origins = frozenset(p for c in find_ancestors(trace, cell) for p in iter_parts(trace, *c))
        uses = frozenset(LaneRef(*place) for place in find_descendants(trace, cell)) - {self.place}
        unused_parts = self._find_unused_parts(trace, cell, uses)
        return Highlights(
            self.place, (origins | lit) - {self.place}, uses, unused_parts=frozenset(unused_parts)
        )

    def _find_unused_parts(
        self, trace: Trace, cell: LaneBits, uses: Container[Place]
    ) -> Iterator[tuple[Place, int | None]]:
        """Yield the parts of written registers, shown in columns, to which a cell does not go."""
        for step in self._scene.steps if self._scene else ():
            for row in step.rows:
                unit = 32 // len(row.cells)
                for place, _, part in row.cells:
                    if part is not None and place in uses:
                        bits = LaneBits(*place, unit * part, unit * (part + 1))
                        if not is_descendant(trace, cell, bits):
                            yield place, part

    @staticmethod
    def _make_lane_bits(trace: Trace, place: Place) -> LaneBits | None:
        """Return the bits of a place: of an operand's part, one bit, or the whole lane."""
        if place.key == Role.TABLE:
            return None
        if isinstance(place, BitRef):
            return LaneBits(*place, place.bit + 1)
        key, lane = place
        if key not in trace.operands:
            return LaneBits(key, lane, 0, MAX_LANE_BITS)
        width = choose_part_width(trace, key)
        return LaneBits(key, 0, width * lane, width * (lane + 1))

    # --- the cursor ----------------------------------------------------------------

    def _list_cells(self) -> list[_DrawnCell]:
        """Return every cell as drawn, line by line."""
        cells: dict[tuple[int, Place], _DrawnCell] = {}
        for y, line in enumerate(self.visible_lines):
            x = 0
            for text, _, target in line:
                if isinstance(target, Place):
                    cells.setdefault((y, target), _DrawnCell(x, y, target))
                x += cell_len(text)
        return list(cells.values())

    def _find_cell(self, place: Place | None) -> _DrawnCell | None:
        """Return the first cell of a place; None if it is not drawn."""
        return next((cell for cell in self._list_cells() if cell.place == place), None)

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
        """Return the cells of a line without the parts that nothing reads, if others remain."""
        unread_places = figure_edits.find_unread_places(self._scene) if self._scene else frozenset()
        return [cell for cell in cells if cell.place not in unread_places] or cells

    def _enter(self, lane: int | None = None) -> None:
        """Put the cursor on the first cell of the current step, or on the first of a lane there."""
        cells = self._list_cells()
        step = self._view.step if self._view else 0
        start, end = self._steps.get(step, (0, len(self.visible_lines)))
        step_cells = [cell for cell in cells if start <= cell.y < end]
        asked_cells = [cell for cell in step_cells if self.is_predictable(cell.place)]
        lane_cells = [cell for cell in step_cells if cell.place.lane == lane]
        for cell in [*asked_cells, *lane_cells, *step_cells, *cells][:1]:
            self._go(cell)

    def _go(self, cell: _DrawnCell) -> None:
        self._set_place(cell.place)
        super().redraw_lines()
        self.show_line(cell.y)

    def _set_place(self, place: Place | None) -> None:
        self.place = place
        trace = self._trace
        cell = self._make_lane_bits(trace, place) if trace and place else None
        row = trace.rows.get(place.key) if trace and place else None
        if place and self._guesses is not None and self.is_predictable(place):
            cell, guess = None, self._guesses.get(place)
            sentence = guess.message if guess else ""
            is_refused = guess is not None and guess.is_wrong and not guess.is_hint
            sentence = f"{REFUSED} {sentence}" if is_refused else sentence
        elif place and self._is_hidden(place):
            cell, sentence = None, ""
        elif isinstance(place, BitRef) or place == FORMULA_PLACE:
            sentence = self._describe_table(place)
        elif self._view and cell and row is None:
            sentence = self._describe_operand(self._view, cell)
        elif trace is None or row is None or place is None or self._is_covered_below(trace, row):
            sentence = ""
        else:
            sentence = format_lane_sentence(row, place.lane)
        self.post_message(self.CursorMoved(self, cell, sentence))

    def _describe_operand(self, view: LanesState, cell: LaneBits) -> str:
        """Return a sentence on a part of an operand; empty while the user predicts a step."""
        if view.scene is None or self._guesses is not None:
            return ""
        return figure_edits.describe_operand_part(view.trace, view.scene, cell, view.step)

    def _describe_table(self, place: Place) -> str:
        """Return a sentence on a bit of a truth table or of its words."""
        if self._scene is None or self._guesses is not None:
            return ""
        if isinstance(place, BitRef):
            column = figure_edits.find_table_column(self._scene, place)
            return column[0].sentence if column else ""
        return "Enter types a formula, such as (a & b) | c; < and > go to the next table"

    def _is_covered_below(self, trace: Trace, row: RowTrace) -> bool:
        """Whether the sentences of the current step, which stand below it, say it already."""
        step = self._view.step if self._view and self._guesses is None else 0
        return (
            step > 0 and is_covered_by_step_text(row) and trace.steps[step - 1].stage is row.stage
        )

    def on_focus(self) -> None:
        """Show the cursor at once."""
        if self.place is None and self._trace is not None:
            self._enter()

    def on_blur(self) -> None:
        """Hide the cursor, which is visible only while the lanes have the focus."""
        self.move_cursor_to(None)

    def move_cursor_to(self, place: Place | None) -> None:
        """Put the cursor on a cell if it is drawn, or on none."""
        if place is None and self.place is not None:
            self._set_place(None)
            super().redraw_lines()
        elif cell := self._find_cell(place):
            self._go(cell)

    # --- changing what is drawn ------------------------------------------------------

    def handle_click(self, target: object) -> None:
        """Put the cursor on the clicked cell, toggle a lane of a mask, or go to a step."""
        if isinstance(target, int):
            self.post_message(Do(self, go_to_step, target))
        if isinstance(target, Place):
            is_repeated = target == self.place
            is_opened = isinstance(target, BitRef) or target == FORMULA_PLACE
            is_opened = is_opened or self._is_operand(target)
            self.move_cursor_to(target)
            if self.is_predictable(target):
                if is_repeated:
                    self.action_change()
            elif self._is_mask(target) or (is_repeated and is_opened):
                self.action_change()
            elif is_repeated:
                self.action_nudge(1)

    def handle_right_click(self, target: object) -> None:
        """Select the previous part."""
        if isinstance(target, Place) and (self._find_slot(target) or self._find_control(target)):
            self.move_cursor_to(target)
            self.action_nudge(-1)

    def is_predictable(self, place: Place) -> TypeGuard[LaneRef]:
        """Whether a cell belongs to the predicted step and has no right prediction."""
        if isinstance(place, BitRef):
            return False
        if self._trace is None or self._guesses is None or place.key not in self._trace.rows:
            return False
        guess = self._guesses.get(place)
        stage = self._trace.steps[self._view.step - 1].stage if self._view else None
        is_right = guess is not None and guess.is_right
        return self._trace.rows[place.key].stage is stage and not is_right

    def _is_hidden(self, place: Place) -> bool:
        """Whether a cell belongs to a hidden step, of which a lesson asks for a lane."""
        view = self._view
        row = view.trace.rows.get(place.key) if view else None
        shown_steps = view.trace.steps[: view.step] if view else ()
        return row is not None and all(step.stage is not row.stage for step in shown_steps)

    def _is_operand(self, place: Place) -> TypeGuard[LaneRef]:
        is_known = self._trace is not None and place.key in self._trace.operands
        return is_known and isinstance(place, LaneRef)

    def _find_control(self, place: Place) -> figure_edits.OperandBits | None:
        """Return the operand's bits that decide what a place of a figure shows."""
        trace, scene = self._trace, self._scene
        return figure_edits.find_control(trace, scene, place) if trace and scene else None

    def _is_mask(self, place: Place) -> bool:
        """Whether a cell represents a lane of a mask."""
        return self._trace is not None and figure_edits.is_mask_lane(self._trace, place)

    def _find_slot(self, place: Place) -> str:
        """Return the selector that decides a cell's part; empty if there is none."""
        choice = figure_edits.find_part_choice(self._trace, place) if self._trace else None
        return choice.slot if choice else ""

    def action_change(self) -> None:
        """Edit a register, list the parts for a lane, or toggle a lane of the mask."""
        if self.is_predicted:
            self.post_message(Do(self, predict_another))
            return
        if self.place is None:
            return
        if self.is_predictable(self.place):
            guess = self._guesses.get(self.place) if self._guesses else None
            self.post_message(Do(self, ask_guess, self.place, guess.text if guess else ""))
        elif self._is_operand(self.place):
            self._edit_cell("")
        elif self.place == FORMULA_PLACE:
            self.post_message(Do(self, ask_formula))
        elif isinstance(self.place, BitRef):
            self.action_nudge(1)
        elif self._is_mask(self.place):
            self.post_message(Do(self, flip_mask, self.place.lane))
        elif (slot := self._find_slot(self.place)) and self._trace:
            form, count = self._trace.instruction.form, self._trace.instruction.entry.lanes
            mask_cell = SlotCell(slot, form.get(slot))
            cell = SlotCell(slot, None, self.place.lane) if count > 1 else mask_cell
            self.post_message(
                Do(
                    *(self, choose_option, partial(self._take_part, slot)),
                    *make_choice_list(form, cell),
                    self._find_place_beneath(self.place),
                )
            )
        else:
            self.post_message(Do(self, ask_computed, self.place, ""))

    def _take_part(self, slot: str, option: SlotOption) -> None:
        if not option.why_not:
            self.post_message(Do(self, set_slot, slot, option.value))

    def _find_place_beneath(self, place: Place) -> Offset:
        """Return the position below a cell, on the screen."""
        if cell := self._find_cell(place):
            return self.content_region.offset + Offset(cell.x, cell.y + 1 - self.scroll_offset.y)
        return self.content_region.bottom_left

    def _edit_cell(self, start: str) -> None:
        trace, place = self._trace, self.place
        assert trace
        assert place
        if place.key not in trace.instruction.names:
            self.post_message(Hint(self, f"{REFUSED} this is a literal: change it in the line"))
            return
        by_lane = trace.instruction.count_lanes(place.key) > 1
        truth = trace.instruction.type_of(place.key) is Type.PRED
        field = (
            OperandField(place.key, "lane", place.lane)
            if by_lane
            else OperandField(place.key, "hex")
        )
        if truth and not start:
            self.post_message(Do(self, nudge_lane, place.key, 0, 1, 1))
            return
        self.post_message(Do(self, ask_value, field, start, self.place))

    def action_nudge(self, delta: int) -> None:
        """Change what a cell shows to its next or previous value."""
        scene, place = self._scene, self.place
        if scene is not None and place is not None and not self.is_predictable(place):
            self.post_message(Do(self, nudge_place, scene, place, delta))

    def label_of(self, action: str, label: str) -> str:
        """Return a key's effect on the cell under the cursor; empty if it has none."""
        if action == "screen.do('predict.hint')":
            return label if self._guesses is not None else ""
        if action == "change" and self.is_predicted:
            return "another one"
        place = self.place
        if place is not None and self.is_predictable(place):
            return {"change": "answer"}.get(action, "" if action.startswith("nudge") else label)
        if place is None or self._is_operand(place):
            return label
        slot, control = self._find_slot(place), self._find_control(place)
        if action == "change":
            if place == FORMULA_PLACE:
                return "formula"
            is_bit = place.key == Role.TABLE or (isinstance(place, BitRef) and control)
            return "list" if slot else "switch" if is_bit or self._is_mask(place) else ""
        can_nudge = slot or control or place.key == Role.TABLE
        return label if can_nudge or not action.startswith("nudge") else ""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Whether a key starts an answer for the lane to predict, or is a digit of a figure."""
        if self._trace is None or self.place is None:
            return False
        if not self.is_predictable(self.place):
            control = None if self._is_operand(self.place) else self._find_control(self.place)
            return control is not None and control.parse_digit(character or "") is not None
        from ...learn.question import Question
        from ...learn.question import locate_answer as answered_place

        letters = answered_place(Question(self._trace, *self.place)).letters
        return key == "space" or bool(character and character in _START_CHARS + letters)

    def on_key(self, event: events.Key) -> None:
        """Start a literal on a register; on a selected lane, select the part of the digit."""
        place, char = self.place, event.character
        if self._trace is None or place is None or char is None:
            return
        if self.is_predictable(place):
            if self.check_consume_key(event.key, char):
                event.stop()
                if event.key != "space":
                    self.post_message(Do(self, ask_guess, place, char))
            return
        if self._is_operand(place):
            type_ = self._trace.instruction.type_of(place.key)
            is_flip = type_ is Type.PRED and event.key == "space"
            if char in list_first_characters(type_) or is_flip:
                event.stop()
                self._edit_cell("" if event.key == "space" else char)
        elif (control := self._find_control(place)) and (
            digit := control.parse_digit(char)
        ) is not None:
            event.stop()
            role, low, width, value = control
            self.post_message(Do(self, nudge_lane, role, low, width, digit - value))
            if isinstance(place, BitRef):
                self.move_cursor_to(place._replace(bit=place.bit - 1))
            else:
                self.move_cursor_to(place._replace(lane=place.lane - 1))
        elif event.key == "space":
            event.stop()
            if self._is_mask(place) or isinstance(place, BitRef):
                self.action_change()
            else:
                self.post_message(
                    Hint(self, "space switches a lane of the mask; Esc, then space plays")
                )
        elif char.isdigit() and (slot := self._find_slot(place)):
            event.stop()
            self._select(place, slot, int(char))
        elif char in "0123456789+-.[":
            event.stop()
            self.post_message(Do(self, ask_computed, place, char))

    def _select(self, place: Place, slot: str, digit: int) -> None:
        """Select a lane's part and move to the next, or show which parts there are."""
        assert self._trace
        form = self._trace.instruction.form
        count = figure_edits.count_part_choices(self._trace, place)
        if self._trace.instruction.entry.lanes == 1:
            if digit < count:
                self.post_message(Do(self, select_part, slot, place.lane, digit))
            else:
                message = f"{digit} is none: {slot} takes part 0 to {count - 1} of {slot[0]}"
                self.post_message(Hint(self, f"{REFUSED} {message}"))
            return
        try:
            with_digit(form, next(x for x in list_slots(form) if x.name == slot), place.lane, digit)
        except ChoiceError as refused:
            self.post_message(Hint(self, f"{REFUSED} {refused}"))
            return
        self.post_message(Do(self, select_part, slot, place.lane, digit))
        self.action_move(1, 0)

    # --- wires by hand ---------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start a drag at a register's chip or at a lane that takes one."""
        target = self.find_target(event.x, event.y)
        self._dragged = target if isinstance(target, Place) else None

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """End a drag: link a register's chip and a lane."""
        start, self._dragged = self._dragged, None
        end = self.find_target(event.x, event.y)
        if self._trace is None or start is None or not isinstance(end, LaneRef) or start == end:
            return
        if self._scene is None or self.is_predictable(start) or self.is_predictable(end):
            return
        self.post_message(Do(self, link_places, self._scene, start, end))
