"""The explorer's main screen: the layout of widgets, and the dispatch of actions."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from ...feature import Service, find_services
from ...state.actions import ACTIONS, ADDED_FOOTER, FOOTER, GROUPS, split_keys
from ...state.edit_transitions import type_line
from ...state.explorer_state import ExplorerState
from ...state.listing_transitions import paste_text
from ...state.requests import ShowHint
from ...state.step_transitions import begin_predicting
from ...widgets.base.explorer_app import Do, Hint
from ...widgets.footer import KeyBar
from ...widgets.lanes.lane_layout import WIDE_SCREEN
from ...widgets.lanes.lanes_pane import LanesPane
from ...widgets.ptx_line import PtxLine
from ..dialogs.dialog import ThemedScreen
from .action_runner import ActionRunner
from .explorer_view import ExplorerView


def make_bindings() -> list[BindingType]:
    """Convert the table of actions to Textual bindings."""
    return [
        Binding(
            keys,
            action.format_call(number if action.is_numbered else 0),
            action.label,
            show=action.id in FOOTER,
            tooltip=action.tooltip,
            id=f"{action.id}.{number}" if action.is_numbered else action.id,
            group=Binding.Group(name),
        )
        for name, group in GROUPS.items()
        for action in group
        for number, keys in enumerate(split_keys(action, action.keys), 1)
    ]


class Start(Enum):
    """The origin of the line and its values."""

    EXAMPLE = auto()
    """An example, without a line or a saved state."""
    LINE = auto()
    """A line without values, with an example's values."""
    VALUES = auto()
    """A line and values."""
    KEPT = auto()
    """The saved state."""


def greeting(
    start: Start,
    key: Callable[[str], str],
    *,
    is_at_end: bool,
    has_lesson: bool,
    has_listing: bool = False,
) -> str:
    """Return the greeting; ``key`` names the key of an action.

    ``is_at_end`` is true at the last step, ``has_lesson`` if Enter begins a lesson.
    """
    next_step = f"{key('step.next')} next step"
    added = "".join(f" · {key(id_)} {ACTIONS[id_].label}" for id_ in ADDED_FOOTER)
    match start:
        case Start.EXAMPLE:
            lesson = "Enter begins the first lesson · " if has_lesson else ""
            return (
                "ptxscope shows what PTX instructions compute, step by step\n"
                f"{next_step} · {key('step.back')} back · {key('step.result')} the result · "
                f"{key('edit.random')} other values\n"
                f"{lesson}{key('go.find')} another instruction · {key('go.line')} your own line"
                f"{added}"
            )
        case Start.LINE:
            return (
                f"These values are an example · {key('edit.random')} draws others · "
                f"{key('go.operands')} types yours · {next_step}{added}"
            )
        case Start.VALUES:
            return f"Every step is shown · {key('step.first')} first step{added}"
        case Start.KEPT:
            first = f"{key('step.first')} first step"
            listing = f"{key('listing.go')} listing · " if has_listing else ""
            return f"As you left it · {listing}{first if is_at_end else next_step}{added}"


class MainScreen(ThemedScreen[None]):
    """The line, lanes, steps and operands, with instructions and modifiers beside them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *make_bindings(),
        Binding("enter", "follow_hint", "Go on", show=False),
    ]
    AUTO_FOCUS = ""
    NORMAL = 110
    """Minimum columns for panes beside the lanes."""
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-narrow"),
        (NORMAL, "-normal"),
        (WIDE_SCREEN, "-broad"),
        (200, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (18, "-low"), (32, "-high")]  # noqa: RUF012
    DEFAULT_CSS = """
    MainScreen {
        layers: base over;
        & #top { height: auto; border-top: solid $border-blurred; border-title-style: bold;
            border-title-color: $foreground; border-title-background: $background; }
        & #modifier-row { display: none; }
        & #body { layout: horizontal; margin-bottom: 1; }
        &.-greeting #body { margin-bottom: 3; }
        & #side { width: 31; }
        &.-wide #side { width: 44; }
        &.-read #side, &.-panel #side { width: 50%; }
        & #column { width: auto; overflow-y: auto; scrollbar-size-vertical: 1; }
        &.-narrow #column, &.-normal #column, &.-panel #column, &.-read #column { display: none; }
        & #lanes { height: 1fr; min-height: 3; }
        & #operands { height: auto; max-height: 8; }
        & #modifiers { height: auto; max-height: 60%; }
        & #side.-listing > InstructionBrowser { display: none; }
        & #side.-listing > ListingPane { display: block; }
        &.-panel #side { & > InstructionBrowser, & > ListingPane { display: none; } }
        &.-panel #side > .-shown { display: block; }
        &.-low #operands, &.-tiny #operands {
            display: none; max-height: 5;
            &.-used { display: block; }
        }
        &.-tiny {
            &.-greeting #body { margin-bottom: 0; }
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
    }
    """

    def __init__(self, state: ExplorerState, start: Start | None = None) -> None:
        super().__init__()
        self.state = state
        self.view = ExplorerView(self, state)
        self._runner = ActionRunner(state, self.view)
        self.perform = self._runner.run
        """Runs a transition of the state with arguments, and shows its effect."""
        self._greeting = start
        """The origin of the trace, for the greeting."""
        self._was_seen = False

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
            yield view.column
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
        if event.size.width >= WIDE_SCREEN:
            self._runner.follow_cursor()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Skip the update of fresh styles at the first resume."""
        event.refresh_styles, self._was_seen = self._was_seen, True
        self.view.show_keys()

    def on_screen_suspend(self) -> None:
        """Clear the footer: a dialog shows its own keys on its frame."""
        self.view.keys.show((), ())

    def _mount_value_field(self) -> None:
        if self.is_attached:  # the first key may have ended the explorer
            self.view.mount_value_field()

    def on_mount(self) -> None:
        """Show the session, and a greeting if it is new."""
        self.call_after_refresh(self._mount_value_field)
        if (
            self.state.is_prediction_pending
        ):  # before the first paint, which must not reveal answers
            self.state.begin_predicting(self.state.step)
            self.call_after_refresh(self.perform, begin_predicting)
        self.view.show_changes()
        if self._greeting is not None:
            is_first = self._greeting is Start.EXAMPLE
            teach = next(iter(find_services(Service.TEACH_NEWCOMER) if is_first else ()), None)
            text = greeting(
                *(self._greeting, self.view.get_key),
                is_at_end=self.state.is_at_end,
                has_lesson=teach is not None,
                has_listing=self.state.cursor is not None,
            )
            self.view.show_hint(ShowHint(text, on_enter=teach))

    # --- actions -------------------------------------------------------------------------

    async def action_do(self, id_: str, number: int = 0) -> None:
        """Run an action of the table; ``number`` is its key's, if it is numbered."""
        await self.perform(ACTIONS[id_].perform, number)

    async def action_follow_hint(self) -> None:
        """Run the action of the hint."""
        if self.state.hint.on_enter is not None:
            await self.perform(self.state.hint.on_enter)

    @on(Do)
    async def _handle_do(self, event: Do) -> None:
        await self.perform(event.run, *event.arguments, **event.named)

    async def on_key_bar_pressed(self, event: KeyBar.Pressed) -> None:
        await self.app.run_action(event.action, event.node or self)

    async def on_paste(self, event: events.Paste) -> None:
        await self.perform(paste_text, event.text)

    async def on_ptx_line_edited(self, event: PtxLine.Edited) -> None:
        if event.text == event.control.value:  # otherwise a later event has the newer text
            await self.perform(type_line, event.text, is_pasted=event.is_pasted)
            self.view.show_status()

    # --- the view ------------------------------------------------------------------------

    def on_descendant_focus(self) -> None:
        self._runner.follow_focus()

    def on_descendant_blur(self) -> None:
        self._runner.follow_blur()

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
        self.view.show_keys()  # the effects of Enter and of digits depend on the cell
        self._runner.follow_cursor()
