"""The widgets of the main screen, and their only updates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from textual.containers import Vertical
from textual.screen import Screen
from textual.widget import Widget

from ...engine.tracing.provenance import LaneBits, find_provenance
from ...engine.tracing.step_text import format_title
from ...state.explorer_state import ExplorerState
from ...state.open_block import describe_opening
from ...state.requests import ShowHint, ShowOutcome
from ...state.slot_choices import ABSENT
from ...widgets.base.explorer_app import get_explorer_app
from ...widgets.footer import HintBar, KeyBar, list_footer_keys
from ...widgets.form_pane import FormPane
from ...widgets.instruction_browser import InstructionBrowser
from ...widgets.lanes.lane_layout import LanesState
from ...widgets.lanes.lanes_pane import LanesPane
from ...widgets.modifier_panes import ModifierRow, ModifierTable
from ...widgets.operand_table import OperandTable
from ...widgets.ptx_line import LineState, LineStatus, PtxLine
from ...widgets.result_bar import ResultBar

if TYPE_CHECKING:
    from ...state.open_listing import ListingCursor
    from ...state.setup import Setup
    from ...widgets.listing_pane import ListingPane
    from ...widgets.value_field import ValueField
    from ..screen_part import ScreenPart


class _ShownState(NamedTuple):
    """The state shown by the widgets."""

    setup: Setup | None = None
    cursor: ListingCursor | None = None
    marks: tuple[object, ...] = ()
    step: int = 0
    is_predicting: bool = False


class ExplorerView:
    """The widgets of a screen. Initially hidden widgets are created on first use."""

    def __init__(self, screen: Screen[None], state: ExplorerState) -> None:
        self.screen, self._state = screen, state
        trace, ins = state.trace, state.setup.instruction
        self.line, self.status = PtxLine(), LineStatus(ins)
        self.browser, self.modifiers = InstructionBrowser(), ModifierTable(ins.form)
        self.lanes, self.result, self.operands = (
            LanesPane(trace),
            ResultBar(trace),
            OperandTable(trace),
        )
        self.hints, self.keys = HintBar(), KeyBar()
        self.side, self.center = Vertical(id="side"), Vertical(id="center")
        self.column = Vertical(id="column")
        self.value_field: ValueField | None = None
        """The field for values, once created."""
        self._modifier_row: ModifierRow | None = None
        self._listing: ListingPane | None = None
        self._side_pane: Widget | None = None
        """The pane that replaces the instructions and the listing, if any."""
        self._shown = _ShownState()
        self.parts: list[ScreenPart] = []
        """The parts and other screens that follow the view."""

    def add_styles(self) -> None:
        """Add the CSS of the widgets at once.

        Textual would add it level by level, and parse the base classes' CSS again for each deeper
        subclass.
        """
        sides = (self.browser, self.browser.list, self.modifiers)
        for widget in (self.line, self.status, *sides, self.lanes, self.result, self.operands):
            for location, css, depth, scope in widget._get_default_css():
                self.screen.app.stylesheet.add_source(
                    css, location, is_default_css=True, tie_breaker=depth, scope=scope
                )

    # --- widgets created on first use --------------------------------------------------

    def mount_value_field(self) -> ValueField:
        """Return the field for values, created on first use."""
        if self.value_field is None:
            from ...widgets.value_field import ValueField

            self.value_field = ValueField()
            self.screen.mount(self.value_field, before=self.keys)
        return self.value_field

    @property
    def listing(self) -> ListingPane:
        """The list of the listing's statements."""
        if self._listing is None:
            from ...widgets.listing_pane import ListingPane

            self._listing = ListingPane()
            self.side.mount(self._listing, before=self.modifiers)
        return self._listing

    def mount_side(self, pane: Widget) -> None:
        """Add a pane that can replace the instructions."""
        self.side.mount(pane, before=self.modifiers)

    def mount_modifier_row(self) -> None:
        """Create the row of modifiers of a narrow screen."""
        if self._modifier_row is None:
            self._modifier_row = ModifierRow(self._state.setup.instruction.form)
            self.screen.mount(self._modifier_row, after="#top")

    @property
    def forms(self) -> Iterator[FormPane]:
        """The widgets of the modifiers."""
        yield self.modifiers
        if self._modifier_row is not None:
            yield self._modifier_row

    # --- showing the state ---------------------------------------------------------------

    def show_changes(self) -> None:
        """Update the widgets for all changes since the last call."""
        state, old = self._state, self._shown
        new = _ShownState(state.setup, state.cursor, state.marks, state.step, state.is_predicting)
        self._shown = new
        if old.setup is not state.setup or old.cursor is not state.cursor:
            self.clear_hint()
            self._follow_listing(old.cursor)
            self.show_session()
        elif old.marks != new.marks:
            self.show_step(is_animated=state.step == old.step + 1)
        if old.is_predicting != state.is_predicting:
            self.show_status()
            self.show_keys()

    def _follow_listing(self, old_cursor: ListingCursor | None) -> None:
        """Show another listing or, after its closing, the instructions."""
        cursor = self._state.cursor
        if cursor is None and old_cursor is not None:
            if self.listing.has_focus:
                self.screen.set_focus(None)
                self.mark_used(None)
            self.show_listing(False)
        elif cursor and not (old_cursor and old_cursor.listing.programs is cursor.listing.programs):
            self.show_listing(True)

    def show_session(self) -> None:
        """Update every widget from the state."""
        setup, trace = self._state.setup, self._state.trace
        if self._state.cursor is not None:
            self.listing.show(self._state.cursor)
        self.line.show(setup.line, setup.instruction, setup.error)
        suffix = " · last legal line" if setup.error else ""
        self.operands.set_title(f"Operands{suffix}")
        self.modifiers.set_title(f"Modifiers{suffix or f' · {ABSENT} is not written'}")
        self.browser.list.show(setup.instruction.opcode, tuple(self._state.recent))
        for pane in self.forms:
            pane.show(setup.instruction.form)
        self.lanes.set_class(setup.error is not None, "-outdated")
        self.result.set_class(setup.error is not None, "-outdated")
        self.operands.show(trace)
        if self.value_field is not None:
            self.value_field.follow_edit(trace.operands)
        self.show_status()
        if self.line.has_focus:
            self.show_keys()  # F2 applies to an error with a fix
        self.show_step()
        for part in self.parts:
            part.follow_edit()

    def show_step(self, *, is_animated: bool = False) -> None:
        """Update the lanes and the result to the current step."""
        state, session = self._state, self._state.session
        self.lanes.set_title(self._format_step_title())
        for part in self.parts:
            part.follow_step()
        if state.cursor is not None:
            self.listing.hide_results(state.first_hidden_statement)
        pin, reveal_key = state.comparable_pin, ""
        if state.is_result_hidden:
            is_predicting = state.is_predicting
            reveal_key = self.get_reveal_key() if is_predicting else self.get_key("step.result")
        self.result.show(state.trace, session.deviations, pin, reveal_key)
        self.operands.hide_readings(is_hidden=state.has_hidden_readings)
        lanes = LanesState(state.trace, state.step, guesses=state.guesses)
        if lanes.guesses is None:  # otherwise a pin or another answer would reveal the answer
            lanes = lanes._replace(deviation=session.deviation, pin=pin)
        self.lanes.show_trace(lanes, is_animated=is_animated and lanes.guesses is None)

    def _format_step_title(self) -> str:
        state = self._state
        parts = [f"Before step 1 of {state.last_step}"]
        if state.step:
            title = format_title(state.trace.steps[state.step - 1])
            parts = [f"Step {state.step} of {state.last_step}", title]
        if block := state.block_trace:
            parts.insert(0, f"Statement {state.block_statement} of {len(block.parts)}")
        if state.is_playing:
            parts.append("playing")
        if state.is_predicting:
            parts.append("predict")
        if state.setup.error:
            parts.append("last legal line")
        return " · ".join(parts)

    def show_status(self) -> None:
        """Update the line's status."""
        setup, line, notes = self._state.setup, self.line, self._state.notes
        opening = describe_opening(setup) if line.has_focus else ""
        if opening:
            notes = (f"Enter opens all statements as a {opening}", *notes)
        self.status.show(
            LineState(
                setup.instruction,
                None if opening else setup.error,
                notes,
                line.candidates if line.has_focus else (),
                line.candidate,
                line.scroll_offset.x,
            )
        )

    def show_keys(self) -> None:
        """Update the footer with the current keys."""
        self.keys.show(*list_footer_keys(self.screen))

    def show_origin(self, cell: LaneBits | None) -> None:
        """Highlight the operand bits of a cell's origin."""
        masks: dict[str, int] = {}
        if cell:
            for role, low, high in find_provenance(self._state.trace, *cell):
                masks[role] = masks.get(role, 0) | (1 << high) - (1 << low)
        self.operands.highlight_bits(masks)

    def describe_block_origin(self, cell: LaneBits | None) -> str:
        """Return a sentence with the bits of an open block's registers behind a cell."""
        trace = self._state.block_trace
        if cell is None or trace is None:
            return ""
        from ...engine.tracing.provenance import describe_origins

        key = trace.block.get_statement(self._state.block_statement).prefix + cell.key
        if key not in trace.rows:
            return ""
        origins = describe_origins(trace, key, cell.lane, cell.low, cell.high)
        return f" · from {origins} of the block"

    # --- hints ---------------------------------------------------------------------------

    def get_key(self, id_: str) -> str:
        """Return the name of an action's first key."""
        return get_explorer_app(self.screen).key_names[id_][0]

    def get_reveal_key(self) -> str:
        """Return the key that ends a prediction; letters may begin an answer."""
        keys = get_explorer_app(self.screen).key_names["step.last"]
        return next((key for key in keys if len(key) > 1), keys[0])

    def _format_keys(self, text: str, keys: tuple[tuple[str, str], ...]) -> str:
        """Append the keys of follow-up actions to a text."""
        parts = (f"{self.get_key(id_)} {does}".strip() for id_, does in keys)
        return " · ".join(filter(None, (text, *parts)))

    def show_hint(self, hint: ShowHint) -> None:
        """Show a hint until the next edit or step; an empty one clears it at once."""
        self._state.hint = hint
        text = self._format_keys(hint.text, hint.keys)
        self.hints.show_message(text, hint.style, is_sticky=hint.is_sticky)
        if not text:
            self.clear_hint()

    def clear_hint(self) -> None:
        """Clear an old hint, unless the line has an error."""
        self._state.hint = ShowHint()
        self.hints.clear()
        self.status.show_hint()

    def show_outcome(self, outcome: ShowOutcome) -> None:
        """Show an outcome in the row of hints, or as a message if hints have no row."""
        if self.screen.has_class("-tiny"):
            text = self._format_keys(outcome.text, outcome.keys)
            self.screen.notify(text, title=outcome.title, markup=False)
        else:
            text = f"{outcome.title}: {outcome.text}"
            self.show_hint(ShowHint(text, "strong", is_sticky=True, keys=outcome.keys))

    # --- small screens ---------------------------------------------------------------------

    def show_listing(self, is_visible: bool) -> None:
        """Show the listing instead of the instructions, or the instructions again."""
        self.side.set_class(is_visible, "-listing")

    def show_side(self, pane: Widget | None) -> None:
        """Show a pane instead of the instructions or the listing, or these again."""
        for other in filter(None, (self._side_pane, pane)):
            other.set_class(other is pane, "-shown")
        self._side_pane = pane
        self.screen.set_class(pane is not None, "-panel")

    def is_side_open(self, pane: Widget) -> bool:
        """Whether a pane replaces the instructions."""
        return pane is self._side_pane

    def is_side_visible(self, pane: Widget) -> bool:
        """Whether a pane is visible: small screens show it while it has the focus."""
        return self.is_side_open(pane) and self.side.display

    def mark_used(self, target: Widget | None) -> None:
        """Mark the focused widget, because small screens show some widgets only then."""
        path = target.ancestors_with_self if target else ()
        for panel in (self.operands, self.side):
            panel.set_class(panel in path, "-used")

    def widen_listing(self) -> None:
        """Widen the focused listing to half the width."""
        focus = self.screen.focused
        self.screen.set_class(focus is not None and focus is self._listing, "-read")
