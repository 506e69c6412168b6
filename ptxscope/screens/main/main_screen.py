"""The explorer's main screen: owns the session, and tells the widgets what to show."""

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
from ...state.actions import make_bindings, map_key_names
from ...state.session import Session, Setup, trace_of
from ...widgets.base.blank_box import Box
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
    MessagesAside,
    ThemedScreen[None],
):
    """Line, lanes, steps and operands; instructions and modifiers beside them."""

    BINDINGS: ClassVar[list[BindingType]] = make_bindings()
    AUTO_FOCUS = ""
    NORMAL = 110
    """Columns from which on there is room beside the lanes."""
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
        asked: bool = False,
        start: Start | None = None,
        guesses: Sequence[object] = (),
        predicting: bool = False,
    ) -> None:
        super().__init__(guesses, predicting=predicting, left_at=int(step < 0))
        self.session = Session(setup)
        self.opened = self.session.trace
        """What was shown first."""
        self.pin = pin
        """What is compared with."""
        self.step = max(step, 0) if step else len(self.session.trace.steps)
        """The step up to which the trace is revealed, from 1; at 0 none is."""
        self.recent = recent
        """Opcodes that were opened, the latest first."""
        self.asked = asked
        """The result is to be seen before its step."""
        self._greeting = start
        """Where this comes from, if the first line says so."""
        self._was_seen = False

    @property
    def is_result_hidden(self) -> bool:
        """Whether the result is not to be seen: a step is veiled, and nobody asked."""
        is_veiled = self.is_predicting or self.step < len(self.session.trace.steps)
        return is_veiled and not self.asked

    def compose(self) -> ComposeResult:
        """The widgets, each once."""
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
        """Be laid out for the terminal's size from the first paint on."""
        breaks = (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)
        for have, steps in zip(self.app.size, breaks, strict=True):
            self.add_class([name for least, name in steps if least <= have][-1], update=False)

    def on_resize(self, event: events.Resize) -> None:
        """A narrow screen has the modifiers in a row of their own, made when it first is one."""
        if event.size.width < self.NORMAL and not self.query("#modifier-row"):
            from ...widgets.form.modifier_row import ModifierRow

            row = ModifierRow()
            self.mount(row, after="#top")
            row.show(self.session.setup.instruction.form)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """What comes to the screen for the first time was given its styles a moment ago."""
        event.refresh_styles, self._was_seen = self._was_seen, True
        self.show_keys()

    def _extend_compose(self, widgets: list[Widget]) -> None:
        """What Textual adds to a screen comes after the first paint, unseen. Part of Textual."""

    def _mount_hidden_widgets(self) -> None:
        """Mount what is not seen yet, before the first key asks for it."""
        added: list[Widget] = []
        super()._extend_compose(added)
        self.mount(*added, before=0)
        self.app._refresh_notifications()
        _ = self.value_field

    def on_mount(self) -> None:
        """Show the session, and in a few words what it is, where that is new."""
        self.call_after_refresh(self._mount_hidden_widgets)
        self.show_keys()
        self.show_session()
        if self._greeting is not None:
            at_end = self.step == len(self.session.trace.steps)
            self.show_hint(greeting(self._greeting, self.key, at_end=at_end))
        self.call_after_refresh(self.begin_as_kept)

    def show_hint(self, text: str, style: str = "dim", *, is_sticky: bool = False) -> None:
        """Say something in the hint's row, until the next edit or step."""
        self.is_told = False
        self.query_one(HintBar).show_message(text, style, is_sticky=is_sticky)

    def notify_user(self, title: str, text: str) -> None:
        """Say what came of something, and cover nothing: a message only where hints have no row."""
        if self.has_class("-tiny"):
            self.notify(text, title=title, markup=False)
        else:
            self.show_hint(f"{title}: {text}", "strong", is_sticky=True)

    def clear_hint(self) -> None:
        """Say no more, but of a line that is still wrong."""
        self.is_told = False
        self.query_one(HintBar).clear()
        self.query_one(LineStatus).show_hint()

    def show_keys(self) -> None:
        """The footer says which keys act now."""
        self.query_one(KeyBar).show(*list_footer_keys(self))

    # --- showing -------------------------------------------------------------------

    def show_session(self) -> None:
        """Let every widget show the session as it is now."""
        self.follow_listing()
        setup, trace = self.session.setup, self.session.trace
        least = 0 if self.tour else self.least_step  # a lesson may show the operands alone
        self.step = min(max(self.step, least), len(trace.steps))
        self.follow_prediction()
        self.query_one(PtxLine).show(setup.line, setup.instruction, setup.error)
        of = " · of the last legal line" if setup.error else ""
        self.query_one(OperandTable).set_title(f"Operands{of}")
        self.query_one(ModifierTable).set_title(f"Modifiers{of or f' · {ABSENT} is not written'}")
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
        """Let the lanes and the result show the session's step."""
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
        if self.guesses is not None:  # another answer, or a pin, would tell what is asked
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
        """The key that shows the result, while that is held back."""
        id_ = "step.last" if self.is_predicting else "step.result"
        return self.key(id_) if self.is_result_hidden else ""

    def _get_comparable_pin(self) -> Trace | None:
        """The pinned evaluation, where it is of the same instruction."""
        if self.pin is None:
            return None
        same = self.pin.instruction.opcode == self.session.setup.instruction.opcode
        return trace_of(self.pin) if same else None

    def show_status(self) -> None:
        """Let the line say what is to be said of it."""
        setup, trace = self.session.setup, self.session.trace
        # what the manual says two ways would stand in place of the summary, always
        notes = trace.notes[: len(trace.notes) - len(trace.contradictions)]
        if self.is_predicting:
            notes = ()  # some say what comes out
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
        """What the first key of an action is called."""
        return map_key_names(self.app)[id_][0]

    def on_screen_suspend(self) -> None:
        """Under a panel none of the keys here act; those of the panel stand on its frame."""
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
        """Give the focus up: the screen's keys act again."""
        if self.is_predicting and self.focused in (None, self.query_one(LanesPane)):
            self.stop_predicting()
        self.set_focus(None)  # before what has it is hidden, else Textual finds another
        self.end_typing()
        self._mark_used(None)

    def action_page(self, by: int) -> None:
        """Scroll the lanes by what is seen of them."""
        lanes = self.query_one(LanesPane)
        lanes.scroll_relative(y=by * lanes.scrollable_content_region.height, animate=False)

    def action_focus_on(self, id_: str) -> None:
        """Put the focus on a widget."""
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
            self.set_focus(target)  # at once: the next key is already meant for it
        else:
            target.focus()  # when it has been laid out

    def _mark_used(self, target: Widget | None) -> None:
        """Mark what a small screen shows only while it is used."""
        way = target.ancestors_with_self if target else ()
        for hidden in ("operands", "side"):
            panel = self.query_one(f"#{hidden}")
            panel.set_class(panel in way, "-used")

    @on(LanesPane.CursorMoved)
    def _handle_cursor_moved(self, event: LanesPane.CursorMoved) -> None:
        self.query_one(OperandTable).highlight_bits(
            self._map_origin(event.cell) if event.cell else {}
        )
        self.query_one(HintBar).show_widget_hint(Hint(event.control, event.said))
        self.show_keys()  # what Enter does, and whether digits are keys, depends on the cell

    def _map_origin(self, cell: LaneBits) -> dict[str, int]:
        """The operand bits that a cell came from: a mask by role."""
        masks: dict[str, int] = {}
        for role, low, high in find_provenance(self.session.trace, *cell):
            masks[role] = masks.get(role, 0) | (1 << high) - (1 << low)
        return masks

    @on(KeyBar.Pressed)
    async def _handle_key_pressed(self, event: KeyBar.Pressed) -> None:
        await self.app.run_action(event.action, event.node or self)

    def _widen_listing(self) -> None:
        """Give the listing half the width while it has the focus."""
        has_focus = self.focused is not None and self.focused.id == "listing"
        self.query_one("#side").set_class(has_focus, "-read")

    def on_descendant_focus(self) -> None:
        """The status line helps while the PTX line is edited; the footer follows."""
        self._widen_listing()
        if self.made_value_field is None or self.focused is not self.made_value_field.input:
            self.end_typing()
        self.show_status()
        self.show_keys()

    def on_descendant_blur(self) -> None:
        """The status line stops helping; what was typed in the line is one edit."""
        self._widen_listing()
        if self.typed is self.session.setup:
            self.session.drop_empty_edit()
        self.typed = None
        if self.focused is None:
            self.query_one(HintBar).clear_widget_hint()
        self.show_status()
        self.show_keys()
