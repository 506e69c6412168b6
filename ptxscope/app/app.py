"""The Textual application: the main screen, what is kept, the user's keys, the palette."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import App, SystemCommand
from textual.command import Provider
from textual.driver import Driver
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input

from ..engine.syntax.errors import make_printable
from ..engine.syntax.instruction import Instruction
from ..screens.main.greeting import Start
from ..screens.main.main_screen import MainScreen
from ..state.actions import make_keymap, map_key_names
from ..state.session import make_example, make_setup, trace_of
from ..state.state_store import SavedState, StateStore, format_state
from ..widgets.base.theme_styles import (
    HIGH_CONTRAST,
    WIDGETS_CSS,
    WITHOUT_COLOURS,
    get_theme_styles,
)
from .key_queue import KeyQueue

if TYPE_CHECKING:
    from ..state.open_listing import ListingCursor


FAILED = 70
"""The exit status after an error of ours: ``EX_SOFTWARE``."""
_NO_COLOR = NoColor()


def _load_action_commands() -> type[Provider]:
    from .command_palette import ActionCommands

    return ActionCommands


def _load_instruction_commands() -> type[Provider]:
    from .command_palette import InstructionCommands

    return InstructionCommands


def _load_ascii_filter() -> LineFilter:
    from ..widgets.base.ascii_glyphs import Ascii

    return Ascii()


def _is_utf8() -> bool:
    encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


class Explorer(App[None]):
    """The explorer, opened on an instruction, where it was left, or on an example."""

    TITLE = "ptxscope"
    CSS = WIDGETS_CSS + "Toast { padding: 0 1; margin-top: 0; }"
    COMMANDS = App.COMMANDS | {_load_action_commands, _load_instruction_commands}

    def __init__(
        self,
        instruction: Instruction | None = None,
        values: Mapping[str, int] | None = None,
        model: str = "isa",
        store: StateStore | None = None,
        listing: ListingCursor | None = None,
        said: Sequence[str] = (),
        *,
        predict: bool = False,
        lesson: tuple[str, bool] | None = None,
        from_start: bool = False,
    ) -> None:
        super().__init__()
        self.register_theme(HIGH_CONTRAST)
        self.is_ascii = not _is_utf8()
        """The terminal reads something else than UTF-8, and gets ASCII."""
        self._glyphs = [_load_ascii_filter()] if self.is_ascii else []
        self._stand_ins: dict[str, str] = {}
        """The themes that others stand for where there are 16 colours, by these."""
        self.store = store
        """What is kept on disk; None keeps nothing."""
        self.failure: BaseException | None = None
        """The first error that nobody expected; it ends the explorer."""
        self._failed_at = ""
        """The screens that were open then, and their size."""
        self.is_gone = False
        """There is no terminal any more."""
        self.ending: Callable[[], None] = _do_nothing
        """Called when an error ends it."""
        self._lesson = lesson
        """The lesson to open, and whether from its first card on."""
        self._said = said
        """What the user must know at first."""
        kept = store.load() if store else SavedState()
        self.user_keymap = store.load_keymap() if store else {}
        """Action ids and the keys that the user gave them."""
        if predict:
            kept = kept._replace(step=1, predicting=True, guesses=())
        self._main = self._make_main_screen(
            kept,
            instruction,
            values or {},
            model,
            listing,
            is_predicting=predict,
            from_start=from_start,
        )
        self._listing = listing
        self.keys = KeyQueue(self, is_held=listing is not None or lesson is not None)
        """Those that are on their way."""
        self.is_suspect = instruction is None and kept.setup is not None
        """What was kept is shown, and has not come to the screen yet."""
        self._theme = kept.theme

    @staticmethod
    def _make_main_screen(
        kept: SavedState,
        ins: Instruction | None,
        values: Mapping[str, int],
        model: str,
        listing: ListingCursor | None,
        *,
        is_predicting: bool,
        from_start: bool,
    ) -> MainScreen:
        """All is shown of what was named; what was left goes on; an example begins."""
        recent, start = list(kept.recent), None
        if ins is not None:
            if not is_predicting:
                start = Start.LINE if from_start else Start.VALUES
            step, setup = int(is_predicting or from_start), make_setup(ins, values, model)
            return MainScreen(setup, None, step, recent, start=start, predicting=is_predicting)
        is_said = listing is None and not kept.predicting
        if kept.setup is not None:
            return MainScreen(
                kept.setup,
                kept.pin,
                kept.step,
                recent,
                asked=kept.is_result_revealed,
                start=Start.KEPT if is_said else None,
                guesses=kept.guesses,
                predicting=kept.predicting,
            )
        return MainScreen(
            make_example("vset4"),
            kept.pin,
            int(listing is None or is_predicting),
            recent,
            start=Start.EXAMPLE if is_said else None,
            predicting=is_predicting,
        )

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What Textual offers in the palette, but what stands there as an action of ours."""
        return (x for x in super().get_system_commands(screen) if x.title != "Quit")

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return self._main

    def get_css_variables(self) -> dict[str, str]:
        """The theme's variables, with nothing too faint. Part of Textual."""
        variables = super().get_css_variables()
        self.theme_variables = variables | get_theme_styles(self, variables).variables
        if self.no_color:
            self.theme_variables |= WITHOUT_COLOURS
        return self.theme_variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What is changed on every line that is drawn. Part of Textual."""
        filters = super().get_line_filters()
        if self._glyphs:
            filters = [*filters, *self._glyphs]
        if self.no_color and self.current_theme.ansi:  # greys of ANSI colours would all be black
            return [_NO_COLOR if isinstance(x, Monochrome) else x for x in filters]
        return filters

    def _fit_theme(self, theme: Theme) -> None:
        """Take a theme of ANSI colours in place of another one."""
        if not theme.ansi:
            stand_in = "ansi-dark" if theme.dark else "ansi-light"
            self._stand_ins[stand_in] = theme.name
            self.theme = stand_in

    def on_mount(self) -> None:
        """Take over the user's theme and keys; say what could not be read."""
        if self._theme in self.available_themes:
            self.theme = self._theme
        if self.console.color_system in ("standard", "windows") and not self.is_headless:
            self._fit_theme(self.current_theme)
            self.theme_changed_signal.subscribe(self, self._fit_theme)
        self.set_keymap(make_keymap(self.user_keymap))
        self.app_resume_signal.subscribe(self, self._repaint_all)
        self.call_after_refresh(self._open_named)
        for message in (*self._said, *(self.store.messages if self.store else ())):
            self.notify(make_printable(message), severity="warning", markup=False, timeout=12)

    def _open_named(self) -> None:
        """Open the listing or the lesson that was named; keys wait until then."""
        if self._listing is not None:
            self._main.open_cursor(self._listing, is_first=True)
        if self._lesson is not None:
            name, again = self._lesson
            self._main.open_lesson(name, from_start=again)
        self.keys.release()

    def _repaint_all(self, _: object) -> None:
        """Paint all: the terminal was somebody else's for a while."""
        self.refresh(layout=True)

    def action_command_palette(self) -> None:
        """Open the palette."""
        from .command_palette import ActionPalette

        if not isinstance(self.screen, ActionPalette):
            self.push_screen(ActionPalette(id="--command-palette"))

    def action_help_quit(self) -> None:
        """Say which key leaves; ^c does not. Part of Textual."""
        key = map_key_names(self.screen.app)["quit"][0]
        acts = self.screen is self._main and not isinstance(self.focused, Input)
        self.notify(f"Press {key if acts else f'Esc, then {key},'} to leave", markup=False)

    # --- keys, one at a time -------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Let a key or a paste wait until the one before has done all it does. Part of Textual."""
        if not self.keys.must_wait(event):
            await super().on_event(event)

    def on_ready(self) -> None:
        """Collect garbage again, of what is made from now on."""
        self.call_after_refresh(self._is_seen)
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    def _is_seen(self) -> None:
        self.is_suspect = False

    # --- the end -------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        """The terminal's; on POSIX one that lasts."""
        found = super().get_driver_class()
        if found.__name__ == "LinuxDriver":
            from .terminal_driver import TerminalDriver

            return TerminalDriver
        return found

    def on_gone(self) -> None:
        """End without a terminal."""
        self.is_gone = True
        self.ending()
        self.exit(return_code=128 + 1)  # as SIGHUP would

    def _handle_exception(self, error: Exception) -> None:
        """End on an error that nobody expected; it is told when the terminal is put back.

        Part of Textual.
        """
        if self.failure is None:
            self.failure = self._exception = error
            names = [type(screen).__name__ for screen in self._screen_stack]
            self._failed_at = f"{', '.join(names)} in {self.size.width} x {self.size.height}"
            self._exception_event.set()
            self.ending()
        self._return_code = FAILED
        self._close_messages_no_wait()

    @property
    def current_state(self) -> SavedState:
        """Where the explorer is."""
        main = self._main
        setup, pin, step, asked, guesses, predicting = main.view_state
        if not predicting:
            step = 0 if step >= len(trace_of(setup).steps) else step or -1
        theme = self._stand_ins.get(self.theme, self.theme)
        return SavedState(setup, pin, step, main.recent, theme, asked, guesses, predicting)

    def save_state(self) -> None:
        """Write down where the explorer is; raises OSError where that can't be done."""
        if self.store is not None:
            self.store.save(self.current_state)
            if self._main.tour:
                self.store.save_lessons(self._main.tour.places)

    def describe_state(self) -> Iterator[str]:
        """The state, for a report."""
        yield f"screens: {self._failed_at}"
        cursor = self._main.listing_cursor
        if cursor is not None:
            listing = cursor.listing
            place = f"program {cursor.program} statement {cursor.index}"
            yield f"listing: {len(listing.text)} characters, {place}, given {listing.given}"
        yield format_state(self.current_state)


def _do_nothing() -> None:
    pass
