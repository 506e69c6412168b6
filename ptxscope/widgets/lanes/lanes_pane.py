"""The lanes: a trace drawn step by step, with a cursor that lights where bits come from and go.

What is drawn can be changed where it stands: a register's value, a mask's lane, what a lane
selects; by keys, and by dragging a wire from a register's chip to a lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.timer import Timer

from ...engine.isa.types import Type
from ...engine.semantics.micro_operation import WHOLE
from ...engine.semantics.micro_operations import Merge, Select
from ...engine.tracing.divergence import Divergence
from ...engine.tracing.lane_text import sentence
from ...engine.tracing.provenance import Cell, ancestors, descendants
from ...engine.tracing.trace import Trace
from ...scene.scene_builder import part_width, parts, scene
from ...scene.scene_model import Place
from ..base.hint_bar import REFUSED, Hint
from ..base.pane import Line, Pane
from ..base.posted_message import PartMessage
from ..form.slot_choices import Choice, ChoiceError, slots, with_digit
from ..operand_table import Field
from .lane_accordion import View, draw
from .lane_cells import DARK, Lights
from .lane_levels import Levels

if TYPE_CHECKING:
    from ...learn.prediction import Guess

_MOTION = 0.2
"""Seconds in which a step is drawn."""
_FRAMES = 6
_BEGINS = "0123456789abcdef+-.["
"""What an answer begins with, digits as the chips show them; words like `true` after Enter."""
_COMPUTED = f"{REFUSED} this is computed: type over a register's chip"


class Lanes(Pane):
    """Draws a Trace up to a step."""

    BINDING_GROUP_TITLE = "Lanes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(0, -1)", "Up", show=False),
        Binding("down,j", "move(0, 1)", "Down", show=False),
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("enter", "change", "edit", show=False),
        Binding("less_than_sign", "nudge(-1)", "one less", show=False),
        Binding("greater_than_sign", "nudge(1)", "one more", show=False),
    ]

    class CursorMoved(PartMessage):
        """The cursor stands on another cell, or on none."""

        control: Lanes
        cell: Cell | None
        said: str = ""
        """What happened there, in a sentence."""

    class StepChosen(PartMessage):
        """The title of a step was clicked."""

        control: Lanes
        number: int

    class Edit(PartMessage):
        """A register's chip is to be typed over."""

        control: Lanes
        field: Field
        start: str
        """What was typed already."""

    class Nudged(PartMessage):
        """A register's part is to be so much more."""

        control: Lanes
        role: str
        low: int
        """The lowest bit of the part."""
        width: int
        by: int

    class Flipped(PartMessage):
        """A lane is to go into the mask, or out of it."""

        control: Lanes
        lane: int

    class Reselected(PartMessage):
        """A lane is to take another byte or half-word; from 0, those of a first, then b's."""

        control: Lanes
        slot: str
        """``asel`` or ``bsel``."""
        lane: int
        digit: int
        unit: int = 0
        """Bits of the part, where it may be another than now."""

    class Choosing(PartMessage):
        """What a lane may take is to be listed."""

        control: Lanes
        cell: Choice
        at: Offset
        """The place beneath it, on the screen."""

    class Predict(PartMessage):
        """What a lane will be is to be typed."""

        control: Lanes
        place: Place
        start: str
        """What was typed already."""

    def __init__(self, id: str = "lanes") -> None:  # noqa: A002
        super().__init__(id, "Lanes")
        self._view: View | None = None
        self._steps: dict[int, tuple[int, int]] = {}
        self._levels: tuple[tuple[int, int], Levels] | None = None
        """How open steps are, and the size for which it was chosen."""
        self._progress = 1.0
        self._motion: Timer | None = None
        self._dragged: Place | None = None
        self._guesses: Mapping[Place, Guess] | None = None
        self.place: Place | None = None
        """Where the cursor stands."""

    def show(
        self,
        trace: Trace,
        step: int,
        divergence: Divergence | None = None,
        pin: Trace | None = None,
        *,
        moving: bool = False,
        guesses: Mapping[Place, Guess] | None = None,
    ) -> None:
        """Draw a trace, its steps revealed up to a number, beside another answer or a pin.

        ``moving`` draws the step bit by bit. Where there are guesses, the last step is asked.
        """
        if (guesses is None) != (self._guesses is None):
            self._levels = None
        self._guesses = guesses
        is_lost = trace is not self._trace and self.place and not self._has(trace, self.place)
        drawn = self._view.scene if self._view and trace is self._trace else scene(trace)
        was = self._view
        self._view = View(trace, step, DARK, divergence, pin, scene=drawn)
        if was is None or was.trace is not trace or was[3:5] != (divergence, pin):
            self._levels = None
        if is_lost:
            self._set_place(None)
        self._start(moving=moving)
        self.redraw()
        if self.place is not None and self._at(self._places()) is not None:
            self._set_place(self.place)

    @property
    def subject(self) -> object:
        """The form and the model: they decide which rows and lanes there are."""
        trace = self._trace
        return trace and (trace.instruction.form, trace.model)

    @property
    def _trace(self) -> Trace | None:
        return self._view.trace if self._view else None

    @staticmethod
    def _has(trace: Trace, place: Place) -> bool:
        row = trace.rows.get(place.key)
        return place.key in trace.operands or (row is not None and place.lane < len(row.lanes))

    # --- motion --------------------------------------------------------------------

    def _start(self, *, moving: bool) -> None:
        if self._motion is not None:
            self._motion.stop()
            self._motion = None
        self._progress = 1.0
        if moving and self.is_mounted and self.app.animation_level == "full":
            self._progress = 1 / _FRAMES
            self._motion = self.set_interval(_MOTION / _FRAMES, self._move_on)

    def _move_on(self) -> None:
        self._progress += 1 / _FRAMES
        if self._progress >= 1 - 1 / _FRAMES / 2:
            self._start(moving=False)
        super().redraw()

    # --- drawing -------------------------------------------------------------------

    def draw(self, width: int) -> list[Line]:
        """The lines of the trace."""
        if self._view is None:
            return []
        view = self._view._replace(
            lights=self._lights(self._view.trace),
            progress=self._progress,
            guesses=self._guesses,
        )
        height = self.scrollable_content_region.height
        same = self._levels and self._levels[0] == (width, height)
        drawing = draw(view, width, height, self._levels[1] if same and self._levels else None)
        self._levels = (width, height), drawing.levels
        self._steps = drawing.steps
        return drawing.lines

    def redraw(self) -> None:
        """Draw anew, with the current step in sight."""
        super().redraw()
        if self._view and self._drawn and self._view.step in self._steps:
            start, end = self._steps[self._view.step]
            self.show_line(end - 1)
            self.show_line(start)
        if self.place is not None and self._drawn and self._at(self._places()) is None:
            self._leave_undrawn(self.place)

    def _leave_undrawn(self, place: Place) -> None:
        """Take the cursor from what is veiled now to the current step, to the same lane there."""
        if not self.has_focus:  # somebody pointed there
            self._set_place(None)
            return
        row = self._trace.rows.get(place.key) if self._trace else None
        self._enter(place.lane if row and len(row.lanes) > 1 else None)

    def _lights(self, trace: Trace) -> Lights:
        if self.place is None:
            return DARK
        if self.is_asked(self.place):
            return Lights(self.place, is_alone=True)
        cell = self._cell(trace, self.place)
        origins = frozenset(p for c in ancestors(trace, cell) for p in parts(trace, *c))
        reached = frozenset(Place(*place) for place in descendants(trace, cell))
        return Lights(self.place, origins - {self.place}, reached - {self.place})

    @staticmethod
    def _cell(trace: Trace, place: Place) -> Cell:
        """The bits of a place: of an operand's part, or the whole lane."""
        key, lane = place
        if key not in trace.operands:
            return Cell(key, lane, 0, WHOLE)
        width = part_width(trace, key)
        return Cell(key, 0, width * lane, width * (lane + 1))

    # --- the cursor ----------------------------------------------------------------

    def _places(self) -> list[list[tuple[int, Place]]]:
        """For every line, where its cells begin and which they are."""
        found: list[list[tuple[int, Place]]] = []
        for line in self.drawn:
            x, cells = 0, list[tuple[int, Place]]()
            for piece in line:
                target = piece.target
                if isinstance(target, Place) and all(target != c for _, c in cells):
                    cells.append((x, target))
                x += cell_len(piece.text)
            found.append(cells)
        return found

    def action_move(self, across: int, down: int) -> None:
        """Move the cursor by cells and lines."""
        places = self._places()
        at = self._at(places)
        if at is None:
            self._enter()
            return
        y, i = at
        x = places[y][i][0]
        if across:
            i = min(max(i + across, 0), len(places[y]) - 1)
            self._go(y, places[y][i][1])
            return
        here = places[y][i][1]
        y += down
        while 0 <= y < len(places):
            if places[y] and all(place != here for _, place in places[y]):
                nearest = min(places[y], key=lambda cell: abs(cell[0] - x))
                self._go(y, nearest[1])
                return
            y += down

    def _enter(self, lane: int | None = None) -> None:
        """Put the cursor on the first cell of the current step, or the first of a lane there."""
        places = self._places()
        step = self._view.step if self._view else 0
        start, end = self._steps.get(step, (0, len(places)))
        here = [place for line in places[start:end] for _, place in line]
        if asked := next(filter(self.is_asked, here), None):
            self.stand_on(asked)
            return
        if same := next((place for place in here if place.lane == lane), None):
            self.stand_on(same)
            return
        order = [*range(start, end), *range(len(places))]
        y = next((y for y in order if places[y]), None)
        if y is not None:
            self._go(y, places[y][0][1])

    def _at(self, places: list[list[tuple[int, Place]]]) -> tuple[int, int] | None:
        for y, cells in enumerate(places):
            for i, (_, place) in enumerate(cells):
                if place == self.place:
                    return y, i
        return None

    def _go(self, y: int, place: Place) -> None:
        self._set_place(place)
        super().redraw()
        self.show_line(y)

    def _set_place(self, place: Place | None) -> None:
        self.place = place
        trace = self._trace
        cell = self._cell(trace, place) if trace and place else None
        row = trace.rows.get(place.key) if trace and place else None
        if place and self._guesses is not None and self.is_asked(place):
            cell, guess = None, self._guesses.get(place)
            said = guess.said if guess else ""
            is_refused = guess is not None and guess.is_wrong and not guess.is_hint
            said = f"{REFUSED} {said}" if is_refused else said
        else:
            said = sentence(trace, row, place.lane) if trace and row and place else ""
        self.CursorMoved(self, cell, said).tell()

    def on_focus(self) -> None:
        """The cursor is there at once."""
        if self.place is None and self._trace is not None:
            self._enter()

    def on_blur(self) -> None:
        """The cursor is shown only while the lanes have the focus."""
        if self.place is not None:
            self._set_place(None)
            super().redraw()

    def stand_on(self, place: Place | None) -> None:
        """Put the cursor on a cell, if it is drawn; or on none."""
        if place is None:
            if self.place is not None:
                self._set_place(None)
                super().redraw()
            return
        for y, cells in enumerate(self._places()):
            if any(place == found for _, found in cells):
                self._go(y, place)
                return

    # --- changing what is drawn ------------------------------------------------------

    def clicked(self, target: object) -> None:
        """Put the cursor on the clicked cell; a lane of a mask is switched, a step gone to."""
        if isinstance(target, int):
            self.StepChosen(self, target).tell()
        if isinstance(target, Place):
            again = target == self.place
            self.stand_on(target)
            if self.is_asked(target):
                if again:
                    self.action_change()
            elif self._is_mask(target) or (again and self._is_operand(target)):
                self.action_change()
            elif again:
                self.action_nudge(1)

    def right_clicked(self, target: object) -> None:
        """Take a selector a step back."""
        if isinstance(target, Place) and self._slot(target):
            self.stand_on(target)
            self.action_nudge(-1)

    def is_asked(self, place: Place) -> bool:
        """Whether a cell is of the step that is predicted, and was not told right."""
        if self._trace is None or self._guesses is None or place.key not in self._trace.rows:
            return False
        guess = self._guesses.get(place)
        stage = self._trace.steps[self._view.step - 1].stage if self._view else None
        is_right = guess is not None and guess.is_right
        return self._trace.rows[place.key].stage is stage and not is_right

    def _is_operand(self, place: Place) -> bool:
        return self._trace is not None and place.key in self._trace.operands

    def _is_mask(self, place: Place) -> bool:
        """Whether a cell stands for a lane that a mask may take or leave."""
        trace = self._trace
        row = trace.rows.get(place.key) if trace else None
        return bool(trace and row and trace.instruction.entry.lanes > 1) and isinstance(
            row.micro if row else None, Merge
        )

    def _slot(self, place: Place) -> str:
        """The selector that decides what a cell takes; empty where none does."""
        trace = self._trace
        row = trace.rows.get(place.key) if trace else None
        if trace is None or row is None or not isinstance(row.micro, Select):
            return ""
        name = f"{row.name}sel"
        return name if any(slot.name == name for slot in trace.instruction.entry.slots) else ""

    def action_change(self) -> None:
        """Type over a register, list what a lane may take, or switch a lane of the mask."""
        if self.place is None:
            return
        if self.is_asked(self.place):
            guess = self._guesses.get(self.place) if self._guesses else None
            self.Predict(self, self.place, guess.text if guess else "").tell()
        elif self._is_operand(self.place):
            self._edit("")
        elif self._is_mask(self.place):
            self.Flipped(self, self.place.lane).tell()
        elif (slot := self._slot(self.place)) and self._trace:
            form, count = self._trace.instruction.form, self._trace.instruction.entry.lanes
            whole = Choice(slot, form.get(slot))
            cell = Choice(slot, None, self.place.lane) if count > 1 else whole
            self.Choosing(self, cell, self._beneath(self.place)).tell()
        else:
            Hint(self, _COMPUTED).tell()

    def _beneath(self, place: Place) -> Offset:
        """The place beneath a cell, on the screen."""
        for y, cells in enumerate(self._places()):
            for x, found in cells:
                if found == place:
                    return self.content_region.offset + Offset(x, y + 1 - self.scroll_offset.y)
        return self.content_region.bottom_left

    def _edit(self, start: str) -> None:
        trace, place = self._trace, self.place
        assert trace
        assert place
        if place.key not in trace.instruction.names:
            Hint(self, f"{REFUSED} this is a literal: change it in the line").tell()
            return
        by_lane = trace.instruction.lanes_of(place.key) > 1
        truth = trace.instruction.type_of(place.key) is Type.PRED
        field = Field(place.key, "lane", place.lane) if by_lane else Field(place.key, "hex")
        if truth and not start:
            self.Nudged(self, place.key, 0, 1, 1).tell()
            return
        self.Edit(self, field, start).tell()

    def action_nudge(self, by: int) -> None:
        """One more or less on a register's part; the next or the one before for a selector."""
        trace, place = self._trace, self.place
        if trace is None or place is None or self.is_asked(place):
            return
        if self._is_operand(place):
            width = part_width(trace, place.key)
            self.Nudged(self, place.key, width * place.lane, width, by).tell()
        elif slot := self._slot(place):
            digit = (self._digit(place) + by) % self._choices(place)
            self.Reselected(self, slot, place.lane, digit).tell()

    def _choices(self, place: Place) -> int:
        """How many parts a cell of a selected row may take."""
        assert self._trace
        micro = self._trace.rows[place.key].micro
        assert isinstance(micro, Select)
        count = self._trace.instruction.entry.lanes
        return 2 * count if count > 1 else 32 // micro.unit if micro.unit < 32 else 4

    def _digit(self, place: Place) -> int:
        """What a lane selects, as its selector says it."""
        assert self._trace
        row = self._trace.rows[place.key]
        assert isinstance(row.micro, Select)
        word, index = row.micro.picks[place.lane]
        count = self._trace.instruction.entry.lanes
        return index + (count if count > 1 and row.input_keys[word] == "b" else 0)

    def label_of(self, action: str, label: str) -> str:
        """What a key does on the cell under the cursor; empty where it does nothing."""
        place = self.place
        if place is None or self.is_asked(place) or self._is_operand(place):
            return label
        slot = self._slot(place)
        if action == "change":
            return "list" if slot else "switch" if self._is_mask(place) else ""
        return label if slot or not action.startswith("nudge") else ""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """A lane that is asked takes what an answer begins with, and no action has it."""
        if self._trace is None or self.place is None or not self.is_asked(self.place):
            return False
        from ...learn.question import Question
        from ...learn.question import place as answered_place

        letters = answered_place(Question(self._trace, *self.place)).letters
        return key == "space" or bool(character and character in _BEGINS + letters)

    def on_key(self, event: events.Key) -> None:
        """On a register a literal begins; on a selected lane a digit is what it takes."""
        place, char = self.place, event.character
        if self._trace is None or place is None or char is None:
            return
        if self.is_asked(place):
            if self.check_consume_key(event.key, char):
                event.stop()
                if event.key != "space":
                    self.Predict(self, place, char).tell()
            return
        if self._is_operand(place):
            truth = self._trace.instruction.type_of(place.key) is Type.PRED
            if char in self._starts(place.key) or (truth and event.key == "space"):
                event.stop()
                self._edit("" if event.key == "space" else char)
        elif event.key == "space":
            event.stop()
            if self._is_mask(place):
                self.action_change()
            else:
                Hint(self, "space switches a lane of the mask; Esc, then space plays").tell()
        elif char.isdigit() and (slot := self._slot(place)):
            event.stop()
            self._select(place, slot, int(char))
        elif char in "0123456789+-.[":
            event.stop()
            Hint(self, _COMPUTED).tell()

    def _select(self, place: Place, slot: str, digit: int) -> None:
        """Let a lane take a part and go on to the next; or say which parts there are."""
        assert self._trace
        form, count = self._trace.instruction.form, self._choices(place)
        if self._trace.instruction.entry.lanes == 1:
            if digit < count:
                self.Reselected(self, slot, place.lane, digit).tell()
            else:
                said = f"{digit} is none: {slot} takes part 0 to {count - 1} of {slot[0]}"
                Hint(self, f"{REFUSED} {said}").tell()
            return
        try:
            with_digit(form, next(x for x in slots(form) if x.name == slot), place.lane, digit)
        except ChoiceError as refused:
            Hint(self, f"{REFUSED} {refused}").tell()
            return
        self.Reselected(self, slot, place.lane, digit).tell()
        self.action_move(1, 0)

    def _starts(self, role: str) -> str:
        """What a literal of an operand begins with."""
        assert self._trace
        type_ = self._trace.instruction.type_of(role)
        letters = "inIN" if type_.is_float else "tfTF" if type_ is Type.PRED else ""
        return "0123456789+-.[" + letters

    # --- wires by hand ---------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A drag may begin at a register's chip or at a lane that takes one."""
        target = self.target_at(event.x, event.y)
        self._dragged = target if isinstance(target, Place) else None

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """A wire is let go: between a register's chip and a lane it is laid."""
        start, self._dragged = self._dragged, None
        end = self.target_at(event.x, event.y)
        if self._trace is None or start is None or not isinstance(end, Place) or start == end:
            return
        for chip, lane in ((start, end), (end, start)):
            if self.is_asked(lane):
                continue
            if self._is_operand(chip) and chip.key in ("a", "b") and (slot := self._slot(lane)):
                self._lay(chip, lane, slot)
                return

    def _lay(self, chip: Place, lane: Place, slot: str) -> None:
        """Let a lane take a register's part."""
        assert self._trace
        count = self._trace.instruction.entry.lanes
        if count > 1:
            digit = chip.lane + (count if chip.key == "b" else 0)
            self.Reselected(self, slot, lane.lane, digit).tell()
        elif not slot.startswith(chip.key):
            said = f"{REFUSED} {slot} of a scalar instruction takes a part of {slot[0]} only"
            Hint(self, said).tell()
        else:
            unit = part_width(self._trace, chip.key)
            self.Reselected(self, slot, 0, chip.lane, unit).tell()
