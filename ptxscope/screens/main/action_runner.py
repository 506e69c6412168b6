"""The runner of transitions and of their requests to the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.timer import Timer

from ...engine.syntax.errors import make_printable
from ...engine.tracing.step_text import format_operand_name
from ...feature import FeatureError, ScreenPanel, arrange, leave_out, list_features, load
from ...scene.scene_model import LaneRef, Place
from ...state.explorer_state import ExplorerState
from ...state.requests import (
    Act,
    AskAnswer,
    AskItem,
    AskText,
    AskValue,
    CopyText,
    Focus,
    MenuItem,
    Notify,
    Open,
    PlaceCursor,
    Request,
    Requests,
    RunInThread,
    ShowHint,
    ShowOutcome,
    Transition,
    Wait,
    refuse,
)
from ...state.step_transitions import stop_predicting
from ...widgets.base.explorer_app import get_explorer_app
from ...widgets.operand_table import OperandField
from ..screen_part import ScreenPart
from .explorer_view import ExplorerView

if TYPE_CHECKING:
    from ..dialogs.prompts import TextPrompt
    from ..thread_search import ThreadSearch

PartT = TypeVar("PartT", bound=ScreenPart)
_SEARCHING = "searching… · Esc stops"
_COPIED_COLUMNS = len(" Copied:  ")
"""Columns of the row of hints beside a copied text."""
_NOTATIONS = "-1, 255, 0xff"


class ActionRunner:
    """Runs transitions, which can call public methods of this and of the view."""

    def __init__(self, state: ExplorerState, view: ExplorerView) -> None:
        self.state, self.view, self._screen = state, view, view.screen
        self._parts: dict[Callable[[ActionRunner], ScreenPart], ScreenPart] = {}
        self._timer: Timer | None = None
        self._return: Callable[[], None] | None = None
        """Returns the focus to the widget that asked for a value, except the operands."""

    @cached_property
    def _search(self) -> ThreadSearch:
        from ..thread_search import ThreadSearch

        return ThreadSearch(self._screen)

    def get_part(self, kind: Callable[[ActionRunner], PartT]) -> PartT:
        """Return the part of the screen of a class, created on first use."""
        if kind not in self._parts:
            self._parts[kind] = kind(self)
            self.view.parts.append(self._parts[kind])
        return cast("PartT", self._parts[kind])

    @cached_property
    def _missing_panels(self) -> list[ScreenPanel]:
        """The parts of the screen without room so far."""
        added = [(x.name, x) for feature in list_features() for x in feature.screen_panels]
        lanes = ScreenPanel("lanes", "", "")
        return [x for _, x in arrange([("lanes", lanes)], added, lambda x: x)][1:]

    def follow_cursor(self) -> None:
        """Follow the cursor with all parts of the screen that have room."""
        for panel in [x for x in self._missing_panels if x.columns <= self._screen.size.width]:
            self._missing_panels.remove(panel)
            try:
                self.get_part(load(panel.part))
            except FeatureError as error:
                leave_out(f"part of the screen {panel.name}", panel, str(error))
        for part in self.view.parts:
            part.follow_cursor()

    # --- running -------------------------------------------------------------------------------

    async def run(self, transition: Transition, *arguments: object, **named: object) -> None:
        """Run a transition, and show its effect."""
        requests = transition(self.state, *arguments, **named)
        if requests is None:
            self.view.show_changes()
        else:
            await self._go_on(requests)

    async def _go_on(self, requests: Requests, answer: object = None) -> None:
        """Perform a transition's requests until one has to wait for an answer."""
        try:
            while True:
                request = requests.send(answer)
                self.view.show_changes()
                if await self._wait_for(request, partial(self._go_on, requests)):
                    return
                answer = await self._do(request)
        except StopIteration:
            self.view.show_changes()
        except FeatureError as error:  # a screen or a function that a feature lacks
            self._refuse(error)

    async def _wait_for(self, request: Request, go_on: Callable[..., Any]) -> bool:
        """Perform a request that takes time, then continue; return False for other requests."""
        match request:
            case Wait(seconds):
                if self._timer is not None:  # of an earlier playback
                    self._timer.stop()
                self._timer = self._screen.set_timer(seconds, go_on)
            case RunInThread(function):
                await self._search.start(function, partial(self._take_answer, go_on), self._refuse)
                if self._search.is_running:
                    self.view.show_hint(ShowHint(_SEARCHING, "strong"))
            case AskText() | AskItem() | Open():
                self._open(request, go_on)
            case _:
                return False
        return True

    async def _take_answer(self, go_on: Callable[..., Any], answer: object) -> None:
        if self.state.hint.text == _SEARCHING:
            self.view.clear_hint()
        await go_on(answer)

    def _refuse(self, reason: object) -> None:
        self.view.show_hint(refuse(reason))

    def _open(self, request: AskText | AskItem | Open, go_on: Callable[..., Any]) -> None:
        """Open a dialog or a screen."""
        if self.state.hint.text:  # of something else
            self.view.clear_hint()
        prompt: TextPrompt | None = None
        screen: Screen[Any]
        if isinstance(request, AskText):
            from ..dialogs.prompts import TextPrompt

            screen = prompt = TextPrompt(request)
        elif isinstance(request, AskItem):
            from ..dialogs.prompts import MenuDialog

            screen = MenuDialog(request)
        else:
            is_own = request.name.startswith("dialogs.")
            package = f"{__name__.rpartition('.main')[0]}." if is_own else ""
            screen = load(f"{package}{request.name}")(*request.values)
        parts = [screen] if isinstance(screen, ScreenPart) else []
        self.view.parts += parts

        async def on_close(answer: object) -> None:
            for part in parts:
                self.view.parts.remove(part)
            if prompt is not None:
                self.state.drafts[prompt.request.title] = prompt.text.strip()
            await go_on(answer)

        self._screen.app.push_screen(screen, on_close)

    async def _do(self, request: Request) -> object:
        """Perform a request that takes no time, and return the answer."""
        view, screen = self.view, self._screen
        match request:
            case ShowHint():
                view.show_hint(request)
            case ShowOutcome():
                view.show_outcome(request)
            case Notify(text, title, severity, seconds):
                level = cast("SeverityLevel", severity)
                text = make_printable(text)
                screen.notify(text, title=title, markup=False, severity=level, timeout=seconds)
            case CopyText(text, name):
                screen.app.copy_to_clipboard(text)
                text = make_printable(name)
                if len(text) > (room := screen.size.width - _COPIED_COLUMNS):
                    text = f"{text[: room - 1]}…"  # one row, which covers no step
                view.show_outcome(ShowOutcome("Copied", text))
            case Focus(id_):
                if screen.app.screen is not screen:  # the menu of keys asks for it there
                    await screen.app.screen.run_action("leave")
                self.move_to(id_)
                view.show_keys()  # of another listing that had the focus
            case PlaceCursor(place):
                view.lanes.move_cursor_to(place)
            case AskValue():
                self.ask_value(*request)
            case AskAnswer():
                self.ask_answer(request)
            case Act(name, values):
                if ":" in name:
                    answer = load(name)(self, *values)
                else:
                    answer = getattr(self if hasattr(self, name) else view, name)(*values)
                return await answer if hasattr(answer, "__await__") else answer
        return None

    # --- requests for the screen ----------------------------------------------------------------

    async def escape(self) -> None:
        """Stop a search in a thread, or the tools; without one, release the focus."""
        if "_search" in self.__dict__ and self._search.is_running:
            self._search.stop()
            self.view.show_hint(ShowHint("The search is stopped"))
        else:
            stopped = [part.stop() for part in self._parts.values()]
            if not any(stopped):
                await self.leave()

    async def leave(self) -> None:
        """Release the focus; if only the lanes have it, also stop predicting."""
        if self.state.is_predicting and self._screen.focused in (None, self.view.lanes):
            await self.run(stop_predicting)
        self.leave_focus()

    async def leave_browser(self) -> None:
        """Clear the search for instructions and leave it."""
        self.view.browser.clear()
        await self.leave()

    def scroll_lanes(self, direction: int) -> None:
        """Scroll the lanes by their visible height."""
        lanes = self.view.lanes
        lanes.scroll_relative(y=direction * lanes.scrollable_content_region.height, animate=False)

    def find_cursor(self) -> Place | None:
        """Return the place of the cursor of the lanes."""
        return self.view.lanes.place

    def find_predictable_lane(self) -> LaneRef | None:
        """Return the lane under the cursor if it is predicted."""
        place = self.view.lanes.place
        is_predictable = place is not None and self.view.lanes.is_predictable(place)
        return cast("LaneRef", place) if is_predictable else None

    def invite(self) -> None:
        """Show how to answer for the lane under the cursor."""
        self.view.show_keys()
        self.view.show_hint(ShowHint(" · ".join(self._list_invitations()), is_sticky=True))

    def _list_invitations(self) -> Iterator[str]:
        """Yield hints on answers for the lane under the cursor, and the keys for them."""
        prediction, lanes = self.state.prediction, self.view.lanes
        place = lanes.place
        if prediction and isinstance(place, LaneRef) and prediction.is_yes_or_no(place):
            yield "What will it be? Type yes, no, 1, 0"
        else:
            extent = ""
            if prediction and isinstance(place, LaneRef):
                extent = prediction.format_extent(place)
            yield f"What will it be{extent and f', {extent}'}? Type {_NOTATIONS}"
            yield "0-9 a-f are digits here (a is 0xa)"
        yield "h hint"
        for id_, shows in (("step.next", "the step"), ("step.last", "all")):
            keys = get_explorer_app(lanes).key_names[id_]
            if key := next((x for x in keys if not lanes.check_consume_key(x, x)), ""):
                yield f"{key} shows {shows}"
        yield "Esc leaves, and saves what you typed"

    def offer_another(self) -> None:
        """Let Enter predict another line."""
        hint = self.state.hint
        self.view.show_hint(hint._replace(text=f"{hint.text} · Enter: another one"))
        self.view.lanes.is_predicted = True
        self.view.show_keys()

    def is_covered(self) -> bool:
        """Whether a dialog covers the screen, or a prediction is in progress."""
        return self.state.is_predicting or self._screen.app.screen is not self._screen

    def toggle_motion(self) -> None:
        """Draw each step bit by bit, or at once."""
        app = self._screen.app
        moves = app.animation_level == "full"
        app.animation_level = "none" if moves else "full"
        self.view.show_hint(
            ShowHint("Steps are drawn at once" if moves else "Steps are drawn bit by bit")
        )

    def open_key_menu(self) -> None:
        """Open the menu of keys of the top screen."""
        from ..dialogs.key_menu import KeyMenu, list_items

        main, app = self._screen, self._screen.app

        async def run(choice: tuple[str, DOMNode] | None) -> None:
            if choice is not None:
                await app.run_action(*choice)

        app.push_screen(KeyMenu(list_items(main, self.state)), run)

    async def choose_theme(self) -> None:
        """Ask for a theme."""
        from ..dialogs.prompts import MenuDialog

        app = self._screen.app
        names = [*app.available_themes]

        def choose(index: int | None) -> None:
            if index is not None:
                app.theme = names[index]

        request = AskItem("Theme", [*map(MenuItem, names)], names.index(app.theme))
        app.push_screen(MenuDialog(request), choose)

    async def quit(self) -> None:
        """Leave the explorer."""
        await self._screen.app.action_quit()

    # --- the focus -----------------------------------------------------------------------------

    def leave_focus(self) -> None:
        """Release the focus to the screen's keys."""
        self.view.screen.set_focus(None)  # before its widget is hidden, else it moves to another
        self.end_typing()
        self.view.mark_used(None)

    def move_to(self, id_: str) -> None:
        """Focus a widget."""
        self.end_typing()
        screen = self.view.screen
        if id_ == "modifiers" and screen.has_class("-narrow"):
            id_ = "modifier-row"  # the pane is hidden there
        if id_ in ("listing", "filter"):
            self.view.show_listing(id_ == "listing")
            self.view.show_side(None)
        target = screen.query_one(f"#{id_}")
        self.view.mark_used(target)
        if target.focusable:
            screen.set_focus(target)  # immediately, because the next key is already for it
        else:
            target.focus()  # after its layout

    def follow_focus(self) -> None:
        """Follow the focus, which has moved to a widget."""
        field = self.view.value_field
        if field is None or self.view.screen.focused is not field.input:
            self.end_typing()
        self._show_focus()

    def follow_blur(self) -> None:
        """Follow the focus, which has left a widget; typing in the line becomes one edit."""
        self.state.end_typing()
        if self.view.screen.focused is None:
            self.view.hints.clear_widget_hint()
        self._show_focus()

    def _show_focus(self) -> None:
        """Describe the line while it is edited, and the current keys."""
        self.view.widen_listing()
        self.view.show_status()
        self.view.show_keys()

    # --- values --------------------------------------------------------------------------

    def ask_value(self, field: OperandField, start: str, place: Place | None = None) -> None:
        """Ask for an operand's value in the row of hints; ``place`` is its cell in the lanes."""
        ins, role = self.state.setup.instruction, field.role
        self._return = None if place is None else partial(self.move_to_lane, place)
        if place is None:
            self.view.operands.type_over(True)
        self.view.mount_value_field().open(
            field,
            format_operand_name(self.state.trace, role),
            ins.type_of(role),
            32 // ins.entry.lanes,
            self.state.trace.operands[role],
            start,
        )

    def ask_answer(self, request: AskAnswer) -> None:
        """Ask for an answer in the row of hints."""
        self._return = partial(self.move_to_lane, request.place)
        self.view.mount_value_field().ask(request)

    def move_to_lane(self, place: Place) -> None:
        """Focus the lanes, with the cursor on a cell."""
        self.move_to("lanes")
        self.view.lanes.move_cursor_to(place)

    def end_typing(self) -> None:
        """Apply the typed value and close its field."""
        self._return = None
        if self.view.value_field is not None:
            self.view.value_field.close()
        self.view.operands.type_over(False)

    def go_back(self) -> None:
        """Return the focus to the widget that asked for a value."""
        go_back, self._return = self._return, None
        if go_back is None:
            self.move_to("operands")
        else:
            go_back()
