"""The explorer's main screen: hands keys and messages to the controllers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from ...scene.scene_model import LaneRef
from ...state.actions import make_bindings
from ...state.explorer_state import ExplorerState
from ...state.state_store import StateStore
from ...widgets.base.hint_bar import Hint
from ...widgets.form.form_pane import FormPane
from ...widgets.instruction_browser import InstructionBrowser
from ...widgets.lanes.lanes_pane import LanesPane
from ...widgets.operand_table import OperandTable
from ...widgets.ptx_line import PtxLine
from ...widgets.result_bar import KeyBar
from ..dialogs.themed_screen import ThemedScreen
from .explorer_view import ExplorerView
from .greeting import Start, greeting

if TYPE_CHECKING:
    from ...widgets.form.modifier_row import ModifierRow
    from ...widgets.lesson_strip import LessonStrip
    from ...widgets.listing_pane import ListingPane
    from ...widgets.machine_pane import MachinePane
    from ...widgets.value_field import ValueField
    from .controllers import Controllers


_DIRECTIONS = {1: 1, 2: -1}
"""The direction of each key of an action with two: on, and back."""


class MainScreen(ThemedScreen[None]):
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
        & #side.-machine > InstructionBrowser, & #side.-machine > ListingPane { display: none; }
        & #side.-machine > MachinePane { display: block; }
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
            & #side { display: none; width: 100%; layer: over; background: $surface; }
            & #side.-used, & #side:focus-within { display: block; }
            & #modifiers { display: none; }
            & #modifier-row { display: block; }
        }
        &.-wide #side { width: 44; }
        &.-normal, &.-wide { & #side.-read, & #side.-machine { width: 50%; } }
    }
    """

    def __init__(
        self, state: ExplorerState, store: StateStore | None = None, start: Start | None = None
    ) -> None:
        super().__init__()
        self.state = state
        self.view = ExplorerView(self, state)
        self._store = store
        self._greeting = start
        """The origin of the trace, if the greeting names it."""
        self._was_seen = False

    @cached_property
    def controllers(self) -> Controllers:
        """The controllers, loaded on first use, because the first paint needs none."""
        from .controllers import Controllers

        return Controllers(self.state, self.view, self._store)

    # --- layout --------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Yield the widgets."""
        self._fit()
        view = self.view
        view.add_styles()
        with Vertical(id="top") as top:
            top.border_title = "ptxscope · PTX"
            yield view.line
            yield view.status
        with Vertical(id="body"):
            with view.side:
                yield view.browser
                yield view.modifiers
            with view.center:
                yield view.lanes
                yield view.result
                yield view.operands
        yield view.hints
        yield view.keys

    def _fit(self) -> None:
        """Lay out for the terminal's size from the first paint on."""
        breaks = (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)
        for have, steps in zip(self.app.size, breaks, strict=True):
            self.add_class([name for minimum, name in steps if minimum <= have][-1], update=False)

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for the new size; a narrow screen creates a row of modifiers on first use."""
        if event.size.width < self.NORMAL:
            self.view.mount_modifier_row()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Skip the update of styles for the first resume, because they are fresh."""
        event.refresh_styles, self._was_seen = self._was_seen, True
        self.view.show_keys()

    def on_screen_suspend(self) -> None:
        """Clear the footer: a dialog shows its own keys on its frame."""
        self.view.keys.show((), ())

    def on_mount(self) -> None:
        """Show the session, and a greeting if it is new."""
        self.call_after_refresh(self.view.mount_value_field)
        if self.state.is_prediction_pending:  # from the first paint on: it must not reveal answers
            self.state.begin_predicting(self.state.step)
            self.call_after_refresh(self.controllers.predictions.begin)
        self.view.show_session()
        if self._greeting is not None:
            at_end = self.state.is_at_end
            self.view.show_hint(greeting(self._greeting, self.view.get_key, at_end=at_end))

    # --- the focus -----------------------------------------------------------------------

    def on_descendant_focus(self) -> None:
        self.controllers.focuses.follow_focus()

    def on_descendant_blur(self) -> None:
        self.controllers.focuses.follow_blur()

    def action_leave(self) -> None:
        if not self.controllers.stop_search():
            self.controllers.predictions.leave()

    def action_focus_on(self, id_: str) -> None:
        if id_ == "listing":
            self.controllers.listings.focus()
        else:
            self.controllers.focuses.move_to(id_)

    def on_listing_pane_focus_released(self) -> None:
        self.controllers.predictions.leave()

    # --- what is shown -------------------------------------------------------------------

    def action_page(self, number: int) -> None:
        """Scroll the lanes by their visible height: down by the first key, up by the second."""
        lanes = self.view.lanes
        lanes.scroll_relative(
            y=_DIRECTIONS[number] * lanes.scrollable_content_region.height, animate=False
        )

    @on(PtxLine.Scrolled)
    @on(PtxLine.CandidateMoved)
    def _handle_candidate_highlighted(self) -> None:
        self.view.show_status()

    def on_instruction_browser_emptied(self) -> None:
        self.view.show_keys()

    def on_hint(self, event: Hint) -> None:
        self.view.hints.show_widget_hint(event)

    def on_lanes_pane_cursor_moved(self, event: LanesPane.CursorMoved) -> None:
        self.view.show_origin(event.cell)
        sentence = event.sentence + self.view.describe_block_origin(event.cell)
        self.view.hints.show_widget_hint(Hint(event.control, sentence))
        self.view.show_keys()  # they depend on the cell: Enter, and whether digits are keys

    async def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        await self.app.run_action(event.action, event.node or self)

    # --- steps ---------------------------------------------------------------------------

    def action_step(self, delta: int) -> None:
        self.controllers.steps.move_by(delta)

    def action_step_to(self, target: str | int) -> None:
        self.controllers.steps.move_to(target)

    def on_lanes_pane_step_chosen(self, event: LanesPane.StepChosen) -> None:
        self.controllers.steps.move_to(event.number)

    def action_play(self) -> None:
        self.controllers.steps.toggle_playing()

    def action_motion(self) -> None:
        self.controllers.steps.toggle_animation()

    def action_result(self) -> None:
        self.controllers.steps.toggle_result()

    def on_result_bar_reveal_requested(self) -> None:
        self.controllers.steps.show_result()

    # --- edits ---------------------------------------------------------------------------

    def on_ptx_line_edited(self, event: PtxLine.Edited) -> None:
        if event.text == event.control.value:  # otherwise a later event brings the newer text
            self.controllers.edits.type_line(event.text, is_pasted=event.pasted)

    def on_instruction_browser_instruction_chosen(
        self, event: InstructionBrowser.InstructionChosen
    ) -> None:
        self.controllers.edits.open_choice(event)

    def on_form_pane_slot_changed(self, event: FormPane.SlotChanged) -> None:
        self.controllers.edits.set_slot(event.slot, event.value)

    def on_modifier_row_list_requested(self, event: ModifierRow.ListRequested) -> None:
        self.controllers.edits.offer_modifiers(event)

    def on_operand_table_value_changed(self, event: OperandTable.ValueChanged) -> None:
        self.controllers.edits.set_value(event.role, event.bits)

    def on_operand_table_preset_list_requested(
        self, event: OperandTable.PresetListRequested
    ) -> None:
        self.controllers.edits.offer_values(event)

    def on_operand_table_field_edit_requested(self, event: OperandTable.FieldEditRequested) -> None:
        self.controllers.edits.ask_value(event.field, event.start)

    def on_lanes_pane_register_edit_requested(self, event: LanesPane.RegisterEditRequested) -> None:
        self.controllers.edits.ask_value(event.field, event.start, event.control.place)

    def on_lanes_pane_nudge_requested(self, event: LanesPane.NudgeRequested) -> None:
        self.controllers.edits.nudge_lane(event)

    def on_lanes_pane_table_change_requested(self, event: LanesPane.TableChangeRequested) -> None:
        self.controllers.edits.set_slot("lut", event.table)

    def on_formula_requested(self) -> None:
        self.controllers.edits.ask_formula()

    def on_lanes_pane_computed_edit_requested(self, event: LanesPane.ComputedEditRequested) -> None:
        self.controllers.proofs.ask_value(event.place, event.start)

    def on_lanes_pane_mask_toggle_requested(self, event: LanesPane.MaskToggleRequested) -> None:
        self.controllers.edits.flip_mask(event.lane)

    def on_lanes_pane_source_change_requested(self, event: LanesPane.SourceChangeRequested) -> None:
        self.controllers.edits.select_part(event)

    def on_lanes_pane_source_list_requested(self, event: LanesPane.SourceListRequested) -> None:
        self.controllers.edits.offer_parts(event)

    def action_fix(self) -> None:
        self.controllers.edits.fix_line()

    def action_random(self) -> None:
        self.controllers.edits.randomize_values()

    def action_swap(self) -> None:
        self.controllers.edits.swap_operands()

    def action_toggle_model(self) -> None:
        self.controllers.edits.switch_model()

    def action_undo(self) -> None:
        self.controllers.edits.undo()

    def action_redo(self) -> None:
        self.controllers.edits.redo()

    # --- values and answers --------------------------------------------------------------

    def on_value_field_value_entered(self, event: ValueField.ValueEntered) -> None:
        if not event.moved_on:
            self.controllers.focuses.go_back()
        self.controllers.edits.set_value(event.role, event.bits)

    def on_value_field_refused(self, event: ValueField.Refused) -> None:
        self.controllers.edits.refuse_value(event.reason)

    def on_value_field_cancelled(self) -> None:
        self.controllers.focuses.go_back()

    async def on_value_field_answered(self, event: ValueField.Answered) -> None:
        if isinstance(event.about, LaneRef):
            self.controllers.predictions.take_answer(
                event.about, event.text, is_entered=event.is_entered
            )
        elif event.about is self.state.lesson:
            self.controllers.lessons.take_answer(event.text, is_entered=event.is_entered)
        elif event.is_entered:
            await self.controllers.proofs.take_answer(event.about, event.text)

    def on_value_field_unreadable(self, event: ValueField.Unreadable) -> None:
        if event.about is self.state.lesson:
            self.controllers.lessons.clear_feedback()

    def on_value_field_answer_hint_requested(self, event: ValueField.AnswerHintRequested) -> None:
        if event.about is self.state.lesson:
            self.controllers.lessons.give_hint()

    # --- listings ------------------------------------------------------------------------

    def on_paste(self, event: events.Paste) -> None:
        self.controllers.listings.paste_text(event.text)

    def on_ptx_line_pasted(self, event: PtxLine.Pasted) -> None:
        self.controllers.listings.paste_text(event.text)

    def on_ptx_line_entered(self, event: PtxLine.Entered) -> None:
        self.controllers.listings.open_typed_text(event.text)

    def on_listing_pane_statement_chosen(self, event: ListingPane.StatementChosen) -> None:
        self.controllers.listings.go_to(event.cursor)

    def action_statement(self, number: int) -> None:
        self.controllers.listings.move_by(_DIRECTIONS[number])

    def action_open_file(self) -> None:
        self.controllers.listings.ask_file()

    def action_expect(self) -> None:
        self.controllers.listings.ask_observation()

    def action_run_kernel(self) -> None:
        self.controllers.listings.run_kernel()

    def action_check(self) -> None:
        self.controllers.listings.check()

    # --- predictions and lessons -----------------------------------------------------------

    def action_predict(self) -> None:
        self.controllers.predictions.toggle()

    def on_lanes_pane_another_requested(self) -> None:
        self.controllers.predictions.predict_another()

    def action_predict_another(self) -> None:
        self.controllers.predictions.predict_another()

    def action_hint(self) -> None:
        self.controllers.predictions.give_hint()

    def on_lanes_pane_prediction_requested(self, event: LanesPane.PredictionRequested) -> None:
        self.controllers.predictions.ask_lane(event.place, event.start)

    def action_lessons(self) -> None:
        self.controllers.lessons.choose()

    def on_lesson_strip_card_requested(self, event: LessonStrip.CardRequested) -> None:
        self.controllers.lessons.go(event.delta)

    def on_lesson_strip_continue_requested(self) -> None:
        self.controllers.lessons.go_on()

    def on_lesson_strip_answering(self, event: LessonStrip.Answering) -> None:
        self.controllers.lessons.ask(event.start)

    def on_lesson_strip_card_hint_requested(self) -> None:
        self.controllers.lessons.give_hint()

    def on_lesson_strip_revealed(self) -> None:
        self.controllers.lessons.reveal()

    def on_lesson_strip_exit_requested(self) -> None:
        self.controllers.lessons.leave_card()

    # --- dialogs -------------------------------------------------------------------------

    def action_explain(self) -> None:
        self.controllers.dialogs.explain()

    async def action_prove(self) -> None:
        await self.controllers.proofs.prove()

    async def action_machine_code(self) -> None:
        await self.controllers.machines.toggle()

    async def on_machine_pane_target_chosen(self, event: MachinePane.TargetChosen) -> None:
        await self.controllers.machines.choose_target(event.target)

    def on_machine_pane_focus_released(self) -> None:
        self.controllers.predictions.leave()

    def action_sweep(self) -> None:
        self.controllers.dialogs.sweep()

    def action_pin(self) -> None:
        self.controllers.dialogs.toggle_pin()

    def action_note(self) -> None:
        self.controllers.dialogs.edit_note()

    def action_export(self) -> None:
        self.controllers.dialogs.export()

    def action_copy(self, subject: str) -> None:
        self.controllers.dialogs.copy(subject)

    def action_help(self) -> None:
        self.controllers.dialogs.show_help()
