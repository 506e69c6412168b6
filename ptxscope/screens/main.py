"""The explorer's main screen: owns the session, and tells the widgets what to show."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input

from .. import session as edits
from ..engine.errors import PtxError
from ..engine.parser import parse_all
from ..engine.parting import partings
from ..engine.provenance import Cell, provenance
from ..engine.values import parse_value
from ..export.text import command, result_text
from ..keys import ACTIONS, bindings
from ..session import Session, Setup
from ..widgets.bars import KeyBar, ResultBar
from ..widgets.browser import Browser
from ..widgets.inks import InkScreen
from ..widgets.lanes import Lanes
from ..widgets.line import LineStatus, PtxLine
from ..widgets.modifiers import Modifiers
from ..widgets.operands import Field, Operands
from ..widgets.steps import Steps

_PACE = 1.6
"""Seconds a step stays while the steps are played."""


class MainScreen(InkScreen):
    """Line, lanes, steps and operands; instructions and modifiers beside them."""

    BINDINGS: ClassVar[list[BindingType]] = bindings()
    AUTO_FOCUS = "#steps"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]  # noqa: RUF012
    DEFAULT_CSS = """
    MainScreen {
        layers: base over;
        & #top { height: auto; border-top: solid $surface-lighten-2; border-title-style: bold; }
        & #body { height: 1fr; }
        & #side { width: 32; }
        & #main { width: 1fr; }
        & #lanes { height: 1fr; min-height: 4; }
        & #steps { height: 7; }
        & #operands { height: auto; max-height: 8; }
        & #modifiers { height: auto; max-height: 60%; }
        & #value { display: none; border: none; height: 1; padding: 0 1; }
        & #value.-open { display: block; }
        &.-narrow {
            & #side { display: none; width: 40; layer: over; background: $surface; }
            & #side:focus-within { display: block; }
            & #steps { height: 4; }
            & #operands { max-height: 4; }
        }
        &.-wide #side { width: 44; }
    }
    """

    def __init__(self, setup: Setup) -> None:
        super().__init__()
        self.session = Session(setup)
        self.step = len(self.session.trace.steps)
        self._random = Random()  # noqa: S311
        self._playing: Timer | None = None
        self._field: Field | None = None

    def compose(self) -> ComposeResult:
        """The widgets, each once."""
        with Vertical(id="top") as top:
            top.border_title = "PTX"
            yield PtxLine()
            yield LineStatus()
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield Browser()
                yield Modifiers()
            with Vertical(id="main"):
                yield Lanes()
                yield ResultBar()
                yield Steps()
                yield Operands()
                yield Input(id="value")
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the session."""
        self.query_one(KeyBar).show(
            [
                (action.display or action.keys.partition(",")[0], action.label, action.action)
                for action in ACTIONS
                if action.footer
            ]
        )
        self.show_session()

    # --- showing -------------------------------------------------------------------

    def show_session(self) -> None:
        """Let every widget show the session as it is now."""
        setup, trace = self.session.setup, self.session.trace
        self.step = min(max(self.step, 1), len(trace.steps))
        line = self.query_one(PtxLine)
        line.show(setup.line, setup.instruction, setup.error)
        self.query_one(Browser).show(setup.instruction.opcode)
        self.query_one(Modifiers).show(setup.instruction.form)
        self.query_one(ResultBar).show(trace, partings(trace))
        self.query_one(Operands).show(trace)
        self._show_status()
        self._show_step()

    def _show_step(self) -> None:
        trace = self.session.trace
        self.query_one(Lanes).show(trace, self.step)
        self.query_one(Steps).show(trace, self.step)

    def _show_status(self) -> None:
        setup = self.session.setup
        line = self.query_one(PtxLine)
        self.query_one(LineStatus).show(
            setup.line,
            setup.error,
            self.session.trace.notes,
            first=line.scroll_offset.x,
            editing=line.has_focus,
        )

    def edit(self, setup: Setup) -> None:
        """Apply an edit, and show what it made."""
        steps = len(self.session.trace.steps)
        at_end = self.step >= steps
        if self.session.apply(setup):
            if at_end:
                self.step = len(self.session.trace.steps)
            self.show_session()

    # --- steps ---------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        """Go to the next step, or back."""
        self._go_to(self.step + by)

    def action_step_to(self, where: str) -> None:
        """Go to the first or the last step."""
        self._go_to(1 if where == "first" else len(self.session.trace.steps))

    def _go_to(self, step: int) -> None:
        step = min(max(step, 1), len(self.session.trace.steps))
        if step != self.step:
            self.step = step
            self._show_step()

    def action_play(self) -> None:
        """Play the steps from here, from the start where all are seen; or pause."""
        if self._playing is not None:
            self._pause()
            return
        if self.step >= len(self.session.trace.steps):
            self._go_to(1)
        self._playing = self.set_interval(_PACE, self._play_on)

    def _play_on(self) -> None:
        self.action_step(1)
        if self.step >= len(self.session.trace.steps):
            self._pause()

    def _pause(self) -> None:
        if self._playing is not None:
            self._playing.stop()
            self._playing = None

    @on(Steps.Chosen)
    def _step_chosen(self, event: Steps.Chosen) -> None:
        self._go_to(event.number)

    # --- edits ---------------------------------------------------------------------

    @on(PtxLine.Edited)
    def _line_edited(self, event: PtxLine.Edited) -> None:
        self.edit(edits.with_line(self.session.setup, event.text))

    @on(PtxLine.Pasted)
    def _line_pasted(self, event: PtxLine.Pasted) -> None:
        try:
            found = parse_all(event.text)
        except PtxError:
            self.edit(edits.with_line(self.session.setup, " ".join(event.text.split())))
            return
        self.edit(edits.with_instruction(self.session.setup, found[0]))

    @on(Modifiers.Changed)
    def _modifier_changed(self, event: Modifiers.Changed) -> None:
        self.edit(edits.with_choice(self.session.setup, event.slot, event.value))

    @on(Browser.Chosen)
    def _instruction_chosen(self, event: Browser.Chosen) -> None:
        self.edit(edits.with_opcode(self.session.setup, event.opcode))
        self.action_focus_on("steps")

    @on(Operands.Changed)
    def _operand_changed(self, event: Operands.Changed) -> None:
        self.edit(edits.with_value(self.session.setup, event.role, event.bits))

    @on(Operands.Edit)
    def _operand_edit(self, event: Operands.Edit) -> None:
        self._field = event.field
        field = self.query_one("#value", Input)
        field.add_class("-open")
        field.value = event.start
        field.focus()

    @on(Input.Submitted, "#value")
    def _value_submitted(self, event: Input.Submitted) -> None:
        assert self._field
        role = self._field.role
        try:
            bits = parse_value(event.value, self.session.setup.instruction.type_of(role))
        except PtxError as error:
            self.notify(str(error), markup=False)
            return
        self.edit(edits.with_value(self.session.setup, role, bits))
        self.action_focus_on("operands")

    def action_random(self) -> None:
        """Give what is read random values."""
        self.edit(edits.randomized(self.session.setup, self._random))

    def action_swap(self) -> None:
        """Exchange a and b."""
        self.edit(edits.swapped(self.session.setup))

    def action_toggle_model(self) -> None:
        """Switch between the documentation and the newest assembler."""
        setup = self.session.setup
        name = "isa" if setup.model != "isa" else "ptxas"
        self.edit(edits.with_model(setup, name))

    def action_undo(self) -> None:
        """Undo."""
        if self.session.undo():
            self.show_session()

    def action_redo(self) -> None:
        """Redo."""
        if self.session.redo():
            self.show_session()

    # --- focus, copying ------------------------------------------------------------

    def action_focus_on(self, id_: str) -> None:
        """Put the focus on a widget."""
        self.query_one("#value").remove_class("-open")
        self.query_one(f"#{id_}").focus()

    def action_copy(self, what: str) -> None:
        """Copy the command, or the result."""
        trace = self.session.trace
        text = command(trace) if what == "command" else result_text(trace)
        self.app.copy_to_clipboard(text)
        self.notify(text, title="Copied", markup=False)

    @on(Lanes.CursorMoved)
    def _cursor_moved(self, event: Lanes.CursorMoved) -> None:
        lit = self._origin(event.cell) if event.cell else {}
        self.query_one(Operands).light(lit)

    def _origin(self, cell: Cell) -> dict[str, int]:
        trace = self.session.trace
        masks: dict[str, int] = {}
        for role, low, high in provenance(trace, *cell):
            masks[role] = masks.get(role, 0) | (1 << high) - (1 << low)
        return masks

    @on(KeyBar.Pressed)
    async def _key_pressed(self, event: KeyBar.Pressed) -> None:
        await self.run_action(event.action)

    def on_descendant_focus(self) -> None:
        """The status line helps while the PTX line is edited."""
        self._show_status()
