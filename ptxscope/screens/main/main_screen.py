"""The explorer's main screen: owns the session and updates the widgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget

from ...engine.semantics.plan import Stage
from ...engine.tracing.provenance import LaneBits, find_provenance
from ...engine.tracing.step_text import format_title
from ...engine.tracing.trace import Trace
from ...state.actions import make_bindings
from ...state.session import Session
from ...state.setup import Setup, trace_of
from ...widgets.base.blank_box import Box
from ...widgets.base.explorer_app import get_explorer_app
from ...widgets.base.hint_bar import Hint, HintBar
from ...widgets.base.theme_styles import ThemedScreen
from ...widgets.footer_keys import list_footer_keys
from ...widgets.form.form_pane import FormPane
from ...widgets.form.modifier_table import ModifierTable
from ...widgets.form.slot_choices import ABSENT
from ...widgets.instruction_browser import InstructionBrowser
from ...widgets.lanes.lanes_pane import LanesPane
from ...widgets.operand_table import OperandTable
from ...widgets.ptx_line import LineStatus, PtxLine
from ...widgets.result_bar import KeyBar, ResultBar
from ..dialogs.message_placement import MessagesAside
from .dialog_actions import DialogActions
from .edit_actions import EditActions
from .greeting import Start, greeting
from .lesson_actions import LessonActions
from .listing_actions import ListingActions
from .prediction_actions import PredictionActions
from .step_actions import StepActions


class MainScreen(
    PredictionActions,
    LessonActions,
    ListingActions,
    StepActions,
    EditActions,
    DialogActions,
    ThemedScreen[None],
    MessagesAside[None],
):
    """The line, lanes, steps and operands, with instructions and modifiers beside them."""

    BINDINGS: ClassVar[list[BindingType]] = make_bindings()
    AUTO_FOCUS = ""
    NORMAL = 110
    """Minimum columns for panes beside the lanes."""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (NORMAL, "-normal"), (200, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (32, "-high")]  # noqa: RUF012
    DEFAULT_CSS = """
    MainScreen {
        layers: base over;
        & #top { height: auto; border-top: solid $border-blurred; border-title-style: bold;
            border-title-color: $foreground; border-title-background: $background; }
        & #modifier-row { display: none; }
        & #body { layout: horizontal; margin-bottom: 1; }
        & #side { width: 31; }
        & #lanes { height: 1fr; min-height: 3; }
        & #operands { height: auto; max-height: 8; }
        & #modifiers { height: auto; max-height: 60%; }
        & #side.-listing > InstructionBrowser { display: none; }
        & #side.-listing > ListingPane { display: block; }
        &.-low #operands, &.-tiny #operands {
            display: none; max-height: 5;
            &.-used { display: block; }
        }
        &.-tiny {
            & #status { display: none; }
            & #lanes { min-height: 2; }
            & #body { margin-bottom: 0; }
            & #hint { display: none; }
            & #hint.-refused { display: block; }
        }
        &.-narrow {
            & #side { display: none; width: 40; layer: over; background: $surface; }
            & #side.-used, & #side:focus-within { display: block; }
            & #modifiers { display: none; }
            & #modifier-row { display: block; }
        }
        &.-wide #side { width: 44; }
        & #side.-read, &.-wide #side.-read { width: 50%; min-width: 40; }
    }
    """

    def __init__(
        self,
        setup: Setup,
        pin: Setup | None,
        step: int,
        recent: list[str],
        *,
        is_revealed: bool = False,
        start: Start | None = None,
        guesses: Sequence[object] = (),
        predicting: bool = False,
    ) -> None:
        super().__init__(guesses, predicting=predicting, left_at=int(step < 0))
        self.session = Session(setup)
        self.opened = self.session.trace
        """The first trace of the screen."""
        self.pin = pin
        """The evaluation to compare with."""
        self.step = max(step, 0) if step else len(self.session.trace.steps)
        """The last revealed step, from 1; 0 reveals none."""
        self.recent = recent
        """Opcodes of recent instructions, the latest first."""
        self.asked = is_revealed
        """Whether the result is shown before its step."""
        self._greeting = start
        """The origin of the trace, if the greeting names it."""
        self._was_seen = False

    @property
    def is_result_hidden(self) -> bool:
        """Whether the result is hidden.

        It is while a step is unrevealed and the user has not asked for the result.
        """
        is_veiled = self.is_predicting or self.step < len(self.session.trace.steps)
        return is_veiled and not self.asked

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        self._fit()
        with Vertical(id="top") as top:
            top.border_title = "ptxscope · PTX"
            yield PtxLine()
            yield LineStatus()
        with Box(id="body"):
            with Box(id="side"):
                yield InstructionBrowser()
                yield ModifierTable()
            with Box(id="center"):
                yield LanesPane()
                yield ResultBar()
                yield OperandTable()
        yield HintBar()
        yield KeyBar()

    def _fit(self) -> None:
        """Lay out for the terminal's size from the first paint on."""
        breaks = (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)
        for have, steps in zip(self.app.size, breaks, strict=True):
            self.add_class([name for minimum, name in steps if minimum <= have][-1], update=False)

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new size; a narrow screen creates a row of modifiers on first use."""
        if event.size.width < self.NORMAL and not self.query("#modifier-row"):
            from ...widgets.form.modifier_row import ModifierRow

            row = ModifierRow()
            self.mount(row, after="#top")
            row.show(self.session.setup.instruction.form)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Skip the update of styles for the first resume, because they are fresh."""
        event.refresh_styles, self._was_seen = self._was_seen, True
        self.show_keys()

    def _extend_compose(self, widgets: list[Widget]) -> None:
        """Mount Textual's own widgets after the first paint, because they are not visible.

        Overrides Textual.
        """

    def _mount_hidden_widgets(self) -> None:
        """Mount the invisible widgets before the first key needs them."""
        added: list[Widget] = []
        super()._extend_compose(added)
        self.mount(*added, before=0)
        self.app._refresh_notifications()
        _ = self.value_field

    def on_mount(self) -> None:
        """Show the session, and a greeting if it is new."""
        self.call_after_refresh(self._mount_hidden_widgets)
        self.show_keys()
        self.show_session()
        if self._greeting is not None:
            at_end = self.step == len(self.session.trace.steps)
            self.show_hint(greeting(self._greeting, self.key, at_end=at_end))
        self.call_after_refresh(self.begin_as_kept)

    def show_hint(self, text: str, style: str = "dim", *, is_sticky: bool = False) -> None:
        """Show a hint until the next edit or step; others do not replace a sticky one."""
        self.is_told = False
        self.query_one(HintBar).show_message(text, style, is_sticky=is_sticky)

    def notify_user(self, title: str, text: str) -> None:
        """Show an outcome in the row of hints, or as a message if hints have no row."""
        if self.has_class("-tiny"):
            self.notify(text, title=title, markup=False)
        else:
            self.show_hint(f"{title}: {text}", "strong", is_sticky=True)

    def clear_hint(self) -> None:
        """Clear the hint, unless the line has an error."""
        self.is_told = False
        self.query_one(HintBar).clear()
        self.query_one(LineStatus).show_hint()

    def show_keys(self) -> None:
        """Update the footer with the keys that apply now."""
        self.query_one(KeyBar).show(*list_footer_keys(self, is_predicting=self.is_predicting))

    # --- showing -------------------------------------------------------------------

    def show_session(self) -> None:
        """Update every widget from the session."""
        self.follow_listing()
        setup, trace = self.session.setup, self.session.trace
        first_step = 0 if self.tour else self.least_step  # a lesson may show the operands alone
        self.step = min(max(self.step, first_step), len(trace.steps))
        self.follow_prediction()
        self.query_one(PtxLine).show(setup.line, setup.instruction, setup.error)
        suffix = " · of the last legal line" if setup.error else ""
        self.query_one(OperandTable).set_title(f"Operands{suffix}")
        self.query_one(ModifierTable).set_title(
            f"Modifiers{suffix or f' · {ABSENT} is not written'}"
        )
        self.query_one(InstructionBrowser).show(setup.instruction.opcode, self.recent)
        for pane in self.query(FormPane):
            pane.show(setup.instruction.form)
        self.query_one(OperandTable).show(trace)
        if self.made_value_field is not None:
            self.made_value_field.follow_edit(trace.operands)
        self.show_status()
        self.show_step()
        if self.shown_too is not None:
            self.shown_too()

    def show_step(self, *, is_animated: bool = False) -> None:
        """Update the lanes and the result to the session's step."""
        session, lanes, pin = self.session, self.query_one(LanesPane), self._get_comparable_pin()
        lanes.set_title(self._step_title())
        self.hide_listing_results()
        bar = self.query_one(ResultBar)
        bar.show(session.trace, session.divergences, pin, self._find_reveal_key())
        asks_numbers = self.guesses is not None and session.trace.steps[self.step - 1].stage in (
            Stage.SELECT,
            Stage.EXTEND,
        )
        self.query_one(OperandTable).hide_readings(is_hidden=asks_numbers)
        if self.guesses is not None:  # a pin or another answer would reveal the answer
            lanes.show_trace(session.trace, self.step, guesses=self.guesses)
            return
        lanes.show_trace(session.trace, self.step, session.divergence, pin, is_animated=is_animated)

    def _step_title(self) -> str:
        trace = self.session.trace
        count = len(trace.steps)
        parts = [f"Before step 1 of {count}"]
        if self.step:
            parts = [f"Step {self.step} of {count}", format_title(trace.steps[self.step - 1])]
        if self.is_playing:
            parts.append("playing")
        if self.is_predicting:
            parts.append("predict")
        if self.session.setup.error:
            parts.append("of the last legal line")
        return " · ".join(parts)

    def _find_reveal_key(self) -> str:
        """Return the key that reveals the result, while the result is hidden."""
        id_ = "step.last" if self.is_predicting else "step.result"
        return self.key(id_) if self.is_result_hidden else ""

    def _get_comparable_pin(self) -> Trace | None:
        """Return the pinned evaluation if it is of the same instruction."""
        if self.pin is None:
            return None
        same = self.pin.instruction.opcode == self.session.setup.instruction.opcode
        return trace_of(self.pin) if same else None

    def show_status(self) -> None:
        """Update the line's status."""
        setup, trace = self.session.setup, self.session.trace
        # A contradiction of the manual would always take the place of the summary.
        notes = trace.notes[: len(trace.notes) - len(trace.contradictions)]
        if self.is_predicting:
            notes = ()  # some notes reveal the result
        line = self.query_one(PtxLine)
        self.query_one(LineStatus).show(
            setup.instruction,
            setup.error,
            (*(self.listing_cursor.list_notes(setup) if self.listing_cursor else ()), *notes),
            line.candidates if line.has_focus else (),
            line.candidate,
            first=line.scroll_offset.x,
        )

    def key(self, id_: str) -> str:
        """Return the name of an action's first key."""
        return get_explorer_app(self).key_names[id_][0]

    def on_screen_suspend(self) -> None:
        """Clear the footer: a dialog shows its own keys on its frame."""
        self.query_one(KeyBar).show((), ())

    @on(PtxLine.Scrolled)
    @on(PtxLine.CandidateMoved)
    def _handle_candidate_highlighted(self) -> None:
        self.show_status()

    @on(InstructionBrowser.Emptied)
    def _handle_filter_emptied(self) -> None:
        self.show_keys()

    @on(Hint)
    def _handle_hint(self, event: Hint) -> None:
        self.query_one(HintBar).show_widget_hint(event)

    # --- focus ---------------------------------------------------------------------

    def action_leave(self) -> None:
        """Release the focus, so that the screen's keys apply again."""
        if self.is_predicting and self.focused in (None, self.query_one(LanesPane)):
            self.stop_predicting()
        self.set_focus(None)  # before its widget is hidden, else Textual focuses another
        self.end_typing()
        self._mark_used(None)

    def action_page(self, delta: int) -> None:
        """Scroll the lanes by their visible height."""
        lanes = self.query_one(LanesPane)
        lanes.scroll_relative(y=delta * lanes.scrollable_content_region.height, animate=False)

    def action_focus_on(self, id_: str) -> None:
        """Focus a widget."""
        self.end_typing()
        if id_ == "listing" and self.listing_cursor is None:
            self.action_open_file()
            return
        if id_ == "modifiers" and self.has_class("-narrow"):
            id_ = "modifier-row"  # the pane is hidden there
        if id_ in ("listing", "filter"):
            self.query_one("#side").set_class(id_ == "listing", "-listing")
        target = self.query_one(f"#{id_}")
        self._mark_used(target)
        if target.focusable:
            self.set_focus(target)  # at once, because the next key is already meant for it
        else:
            target.focus()  # after its layout

    def _mark_used(self, target: Widget | None) -> None:
        """Mark the widget in use, because a small screen shows some widgets only then."""
        way = target.ancestors_with_self if target else ()
        for hidden in ("operands", "side"):
            panel = self.query_one(f"#{hidden}")
            panel.set_class(panel in way, "-used")

    @on(LanesPane.CursorMoved)
    def _handle_cursor_moved(self, event: LanesPane.CursorMoved) -> None:
        self.query_one(OperandTable).highlight_bits(
            self._map_origin(event.cell) if event.cell else {}
        )
        self.query_one(HintBar).show_widget_hint(Hint(event.control, event.sentence))
        self.show_keys()  # the keys depend on the cell: Enter, and whether digits are keys

    def _map_origin(self, cell: LaneBits) -> dict[str, int]:
        """Return the operand bits that a cell came from: a mask by role."""
        masks: dict[str, int] = {}
        for role, low, high in find_provenance(self.session.trace, *cell):
            masks[role] = masks.get(role, 0) | (1 << high) - (1 << low)
        return masks

    @on(KeyBar.Pressed)
    async def _handle_key_pressed(self, event: KeyBar.Pressed) -> None:
        await self.app.run_action(event.action, event.node or self)

    def _widen_listing(self) -> None:
        """Widen the listing to half the width while it has the focus."""
        has_focus = self.focused is not None and self.focused.id == "listing"
        self.query_one("#side").set_class(has_focus, "-read")

    def on_descendant_focus(self) -> None:
        """Show help on the line while it is edited, and update the footer."""
        self._widen_listing()
        if self.made_value_field is None or self.focused is not self.made_value_field.input:
            self.end_typing()
        self.show_status()
        self.show_keys()

    def on_descendant_blur(self) -> None:
        """Stop the help on the line; the typing in it becomes one edit."""
        self._widen_listing()
        if self.typed is self.session.setup:
            self.session.drop_empty_edit()
        self.typed = None
        if self.focused is None:
            self.query_one(HintBar).clear_widget_hint()
        self.show_status()
        self.show_keys()
