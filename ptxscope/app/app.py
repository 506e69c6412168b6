"""The Textual application: the main screen, the saved state, the user's keys."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, ClassVar, cast

from rich.console import Console
from textual import events
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.filter import LineFilter, Monochrome, NoColor
from textual.geometry import Size
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input

from ..engine.syntax.errors import make_printable
from ..engine.syntax.instruction import Instruction
from ..screens.main.main_screen import MainScreen, Start
from ..state.actions import ACTIONS, make_keymap
from ..state.explorer_state import ExplorerState
from ..state.listing_transitions import open_cursor
from ..state.requests import Transition
from ..state.setup import FIRST_OPCODE, make_example, make_setup
from ..state.state_store import SavedState, StateStore, format_state
from ..widgets.base.explorer_app import ExplorerApp
from ..widgets.base.theme_styles import (
    HIGH_CONTRAST,
    WIDGETS_CSS,
    WITHOUT_COLOURS,
    get_theme_styles,
)
from .key_queue import KeyQueue

if TYPE_CHECKING:
    from ..state.open_listing import ListingCursor


_NO_COLOR = NoColor()
_REPORT_COLUMNS = 120
"""The width of tracebacks in crash reports, whatever the terminal's."""
_MAX_COLUMNS, _MAX_LINES = 2_000, 1_000
"""The largest size to draw: larger ones, which some terminals report, take gigabytes."""


def _bound_size(size: Size) -> Size:
    return Size(min(size.width, _MAX_COLUMNS), min(size.height, _MAX_LINES))


def _load_ascii_filter() -> LineFilter:
    from ..widgets.base.ascii_glyphs import Ascii

    return Ascii()


_UTF8 = re.compile("utf[-_]?8", re.IGNORECASE)
_TERMS_WITHOUT_GLYPHS = re.compile(r"linux|vt\d|ansi|cons\d|sun")
"""Prefixes of TERM for terminals whose fonts lack the explorer's glyphs."""


def _is_utf8() -> bool:
    """Whether the terminal draws the explorer's glyphs, by its name, locale and encoding.

    In the locale C, Python uses UTF-8 and puts C.UTF-8 into an unset LC_CTYPE; therefore the
    variables determine the result. Without any, as in many containers, the encoding does.
    """
    names = ["LC_ALL", "LC_CTYPE", "LANG"]
    if sys.flags.utf8_mode and os.environ.get("LC_CTYPE") in ("C.UTF-8", "C.utf8", "UTF-8"):
        names.remove("LC_CTYPE")
    locale = next(filter(None, map(os.environ.get, names)), "utf-8")
    encoding = getattr(sys.__stderr__, "encoding", None) or "utf-8"
    return (
        _TERMS_WITHOUT_GLYPHS.match(os.environ.get("TERM", "")) is None
        and _UTF8.search(locale) is not None
        and _UTF8.fullmatch(encoding) is not None
    )


class Explorer(ExplorerApp):
    """The explorer, opened on an instruction, on the saved state or on an example."""

    TITLE = "ptxscope"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "suspend_process", "Suspend to the shell", show=False, id="suspend")
    ]
    CSS = WIDGETS_CSS + (
        "Toast { padding: 0 1; margin-top: 0; }"
        "ToastRack { scrollbar-size-vertical: 0; }"  # with one, toasts are a line too short
    )
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        instruction: Instruction | None = None,
        values: Mapping[str, int] | None = None,
        model: str = "isa",
        store: StateStore | None = None,
        listing: ListingCursor | None = None,
        messages: Sequence[str] = (),
        *,
        predict: bool = False,
        opening: Transition | None = None,
        from_start: bool = False,
    ) -> None:
        super().__init__()
        self.register_theme(HIGH_CONTRAST)
        self.is_ascii = not _is_utf8()
        self._glyphs = [_load_ascii_filter()] if self.is_ascii else []
        self._stand_ins: dict[str, str] = {}
        """Names of the themes that an ANSI theme replaces on 16 colours, by its name."""
        self.store = store
        """The saved state on disk; None saves nothing."""
        self.error_console = Console(file=StringIO(), color_system=None, width=_REPORT_COLUMNS)
        """The console for Textual's text on an unexpected error, which the crash report keeps."""
        self.is_gone = False
        """Whether the terminal is gone."""
        self.restore_terminal = _do_nothing
        """Restores the terminal where the explorer hangs."""
        self.ending: Callable[[], None] = _do_nothing
        """Called when the explorer ends without a terminal."""
        self._opening = opening
        """The actions before the first key."""
        self._startup_warnings = messages
        """Messages to show at the start."""
        saved_state = store.load() if store else SavedState()
        self.user_keymap = store.load_keymap() if store else {}
        if predict:
            saved_state = saved_state._replace(step=1, predicting=True, guesses=())
        elif instruction is not None:
            saved_state = saved_state._replace(predicting=False)
        self.state, start = self._make_state(
            saved_state,
            instruction,
            values or {},
            model,
            has_listing=listing is not None,
            from_start=from_start,
        )
        self.state.store = store
        is_greeting = listing is None and not saved_state.predicting
        self._main = MainScreen(self.state, start if is_greeting else None)
        self._listing = listing
        self.keys = KeyQueue(self, is_held=listing is not None or opening is not None)
        """The keys that wait to be processed."""
        self.is_suspect = instruction is None and saved_state.setup is not None
        """Whether the saved state is shown and has not been drawn yet."""
        self._theme = saved_state.theme

    @staticmethod
    def _make_state(
        saved: SavedState,
        ins: Instruction | None,
        values: Mapping[str, int],
        model: str,
        *,
        has_listing: bool,
        from_start: bool,
    ) -> tuple[ExplorerState, Start]:
        """Return the first state, and its origin: a line, the saved state or an example."""
        if ins is None and saved.setup is not None:
            restored = saved._replace(listing=None) if has_listing else saved
            return ExplorerState(saved.setup, restored), Start.KEPT
        others = SavedState(recent=saved.recent, predicting=saved.predicting)
        if ins is None:
            step = int(saved.predicting or not has_listing)
            others = others._replace(pin=saved.pin, step=step)
            return ExplorerState(make_example(FIRST_OPCODE), others), Start.EXAMPLE
        others = others._replace(step=int(saved.predicting or from_start))
        start = Start.LINE if from_start else Start.VALUES
        if from_start and not values:
            from ..learn.practice import SeededRandom, pick_operands

            values = pick_operands(SeededRandom(str(ins)), ins, 1)
        return ExplorerState(make_setup(ins, values, model), others), start

    def get_default_screen(self) -> Screen[None]:
        """Return the main screen."""
        return self._main

    def get_css_variables(self) -> dict[str, str]:
        """Return the theme's variables with enough contrast. Overrides Textual."""
        variables = super().get_css_variables()
        self.theme_variables = variables | get_theme_styles(self, variables).variables
        if self.no_color:
            self.theme_variables |= WITHOUT_COLOURS
        return self.theme_variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of every drawn line. Overrides Textual."""
        filters = super().get_line_filters()
        if self._glyphs:
            filters = [*filters, *self._glyphs]
        # without colour, the greys of ANSI colours would all be black
        if self.no_color and self.current_theme.ansi:
            return [_NO_COLOR if isinstance(x, Monochrome) else x for x in filters]
        return filters

    def _fit_theme(self, theme: Theme) -> None:
        """Replace a theme by its ANSI counterpart."""
        if not theme.ansi:
            stand_in = "ansi-dark" if theme.dark else "ansi-light"
            self._stand_ins[stand_in] = theme.name
            self.theme = stand_in

    def on_mount(self) -> None:
        """Apply the user's theme and keys, and report unreadable files."""
        if self._theme in self.available_themes:
            self.theme = self._theme
        if self.console.color_system in ("standard", "windows") and not self.is_headless:
            self._fit_theme(self.current_theme)
            self.theme_changed_signal.subscribe(self, self._fit_theme)
        self.set_keymap(make_keymap(self.user_keymap))
        self.app_resume_signal.subscribe(self, self._repaint_all)
        self.call_after_refresh(self._open_named)
        for message in (*self._startup_warnings, *(self.store.messages if self.store else ())):
            self.notify(make_printable(message), severity="warning", markup=False, timeout=12)

    async def _open_named(self) -> None:
        """Open the command line's file or tool; keys wait until then."""
        if self._listing is not None:
            await self.perform(open_cursor, self._listing, is_first=True)
        if self._opening is not None:
            await self.perform(self._opening)
        self.keys.release()

    async def perform(self, transition: Transition, *arguments: object, **named: object) -> None:
        """Run a transition of the state with arguments, and show its effect."""
        await self._main.perform(transition, *arguments, **named)

    def _repaint_all(self, _: object) -> None:
        """Repaint everything, because another program has used the terminal."""
        self.refresh(layout=True)

    async def action_do(self, id_: str) -> None:
        """Run an action of the table, from any screen."""
        await self.perform(ACTIONS[id_].perform)

    def action_help_quit(self) -> None:
        """Show which key quits, because ^c does not. Overrides Textual."""
        key = self.key_names["quit"][0]
        is_active = self.screen is self._main and not isinstance(self.focused, Input)
        self.notify(f"Press {key if is_active else f'Esc, then {key},'} to leave", markup=False)

    @property
    def size(self) -> Size:
        """Return the size of the terminal, within bounds. Overrides Textual."""
        return _bound_size(super().size)

    # --- keys, one at a time -------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Queue a key or a paste until the previous one is processed. Overrides Textual."""
        if isinstance(event, events.Resize):
            event = events.Resize.from_dimensions(_bound_size(event.size), event.pixel_size)
        if not self.keys.must_wait(event):
            await super().on_event(event)

    def on_ready(self) -> None:
        """Note when the first frame is seen."""
        self.call_after_refresh(self._is_seen)

    def _is_seen(self) -> None:
        self.is_suspect = False

    # --- the end -------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        """Return the terminal's driver; on POSIX, the one that takes any bytes."""
        driver = super().get_driver_class()
        if driver.__name__ == "LinuxDriver":
            from .terminal_driver import TerminalDriver

            return TerminalDriver
        return driver

    def action_suspend_process(self) -> None:
        """Suspend the job until its shell continues it. Overrides Textual.

        Textual 8.2.8 stops only its own process. A shell waits for every process of a job, such as
        that of ``uv run``; and without a shell, as directly in a window, a stopped process would
        never continue.
        """
        if not self.is_headless and hasattr(os, "getsid") and os.getsid(0) != os.getpgrp():
            with self.suspend():  # before the shell takes the terminal
                os.kill(0, signal.SIGTSTP)

    def _fatal_error(self) -> None:
        """Keep the traceback of an unexpected error. Overrides Textual."""
        self.console.width = _REPORT_COLUMNS
        super()._fatal_error()

    @property
    def failure(self) -> str:
        """The unexpected error that ended the explorer, in Textual's text."""
        return cast("StringIO", self.error_console.file).getvalue()

    def on_terminal_gone(self) -> None:
        """Exit because the terminal is gone."""
        self.is_gone = True
        self.ending()
        self.exit(return_code=128 + 1)  # the same status as SIGHUP

    @property
    def current_state(self) -> SavedState:
        """Return the explorer's current state."""
        return self.state.make_saved_state(self._stand_ins.get(self.theme, self.theme))

    def save_state(self) -> None:
        """Save the explorer's state. Raise OSError if it cannot be written."""
        if self.store is not None:
            self.store.save(self.current_state)

    def describe_state(self) -> Iterator[str]:
        """Yield the state as lines for a crash report."""
        cursor = self.state.cursor
        if cursor is not None:
            listing = cursor.listing
            place = f"program {cursor.program} statement {cursor.index}"
            inputs = listing.inputs_by_program
            yield f"listing: {len(listing.text)} characters, {place}, given {inputs}"
        yield format_state(self.current_state._replace(listing=None))


def _do_nothing() -> None:
    pass
