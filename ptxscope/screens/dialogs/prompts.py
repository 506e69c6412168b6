"""Dialogs that ask for one thing: a line of text, an item of a menu, a value of a slot."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.widgets import Input, Static

from ...engine.cancellation import IsStopped, Stopped
from ...engine.syntax.errors import make_printable
from ...state.requests import AskItem, AskText, MenuItem
from ...state.slot_choices import SlotOption
from ...widgets.base.form_fields import LabelledInput, Menu
from ...widgets.base.pane import StyledLine, StyledText, measure_line
from ..thread_search import ThreadSearch
from .dialog import Dialog, DialogFrame, ThemedModal

_PROGRESS_SECONDS = 0.25


class TextPrompt(Dialog[str | None]):
    """Asks for a line of text; returns it, or None if it is closed.

    With a ``check``, it stays open and shows why a text is refused.
    """

    DEFAULT_CSS = """
    TextPrompt #refusal { height: auto; display: none; color: $surprise; }
    """

    def __init__(self, request: AskText) -> None:
        super().__init__()
        self.request = request
        self.text = request.text
        """The current text."""
        self._search = ThreadSearch(self)
        self._done_count = 0

    def compose(self) -> ComposeResult:
        """Yield the field, and the reason why its text is refused."""
        request = self.request
        with DialogFrame(request.title, f"Enter {request.does} · Esc leave"):
            yield LabelledInput(request.label, "asked", self.text, request.hint)
            yield Static(id="refusal")

    def on_mount(self) -> None:
        """Select a suggested text for replacement."""
        self.set_interval(_PROGRESS_SECONDS, self._show_progress)
        if self.request.is_suggestion:
            self.query_one(Input).select_all()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Keep the text, even after the prompt is left."""
        self.text = event.value

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the typed text, or show why it is refused."""
        text, check = event.value, self.request.check
        if check is None or not text.strip():
            self.close_with(text)
            return

        def ask(is_stopped: IsStopped) -> None:
            def advance(count: int, *_: object) -> None:
                self._done_count = count
                if is_stopped():
                    raise Stopped

            check(text, advance)

        self._done_count = 0
        await self._search.start(
            ask, lambda _: self.close_with(text), lambda error: self._show_note(str(error))
        )
        self._show_progress()

    def _show_progress(self) -> None:
        if self._search.is_running:
            self._show_note(f"Running: {self._done_count:,} instructions · Esc stops")

    def _show_note(self, text: str) -> None:
        note = self.query_one("#refusal", Static)
        note.update(Content(make_printable(text)))
        note.display = True

    def action_leave(self) -> None:
        """Stop the running check, or close without a text."""
        if self._search.is_running:
            self._search.stop()
            self._show_note(f"Stopped after {self._done_count:,} instructions.")
        else:
            self.close_with(None)


class MenuDialog(Dialog[int | None]):
    """Asks for one of several items; returns its index, or None if it is closed."""

    DEFAULT_CSS = """
    MenuDialog {
        & Menu { height: auto; max-height: 80vh; border: none; &:focus { border: none; } }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "Leave", show=False)]

    def __init__(self, request: AskItem) -> None:
        super().__init__()
        self._title = request.title
        self._menu = Menu("", request.items, index=request.first)

    def compose(self) -> ComposeResult:
        """Yield the menu."""
        with DialogFrame(self._title, "Enter choose · Esc leave"):
            yield self._menu

    @on(Menu.ItemChosen)
    def _handle_item_chosen(self, event: Menu.ItemChosen) -> None:
        self.close_with(event.index)


_MARK = "× "


class ChoiceList(Menu):
    """A menu of options; an illegal one can be selected but not chosen."""

    def __init__(self, title: str, options: Sequence[SlotOption], index: int) -> None:
        super().__init__(
            title, [MenuItem(option.text, option.about) for option in options], "choices"
        )
        self.options = options
        self.index = index
        self.border_subtitle = "Enter choose · Esc leave"

    def draw(self, width: int) -> list[StyledLine]:
        """Return a line for each option, or several with the reason why it is illegal."""
        mark_width = len(_MARK) * any(option.why_not for option in self.options)
        room = mark_width + max(len(option.text) for option in self.options)
        lines: list[StyledLine] = []
        for i, (_, label, about, why_not) in enumerate(self.options):
            text = ((_MARK if why_not else " " * mark_width) + label).ljust(room)
            style_name = f"{'off' * bool(why_not)} {'cursor' * (i == self.index)}".strip()
            for part in textwrap.wrap(why_not or about, max(width - room - 2, 8)) or [""]:
                lines.append(
                    [StyledText(text, style_name, i), StyledText(f"  {part}".rstrip(), "quiet", i)]
                )
                text, style_name = " " * room, ""
        return lines

    @property
    def widest(self) -> int:
        """The columns of the widest option on one line."""
        return max(measure_line(line) for line in self.draw(1000))

    def action_choose(self) -> None:
        """Choose the option under the cursor if it is legal."""
        if not self.options[self.index].why_not:
            super().action_choose()


_LOWEST = 8
"""Minimum rows of the list, if the screen has them."""
_FRAME = 6
"""Columns of border, padding and scrollbar."""


class ChoicePopup(ThemedModal[int | None]):
    """Asks for one of several values; returns its index, or None if it is closed."""

    DEFAULT_CSS = """
    ChoicePopup {
        align: left top; background: transparent;
        & > ChoiceList {
            height: auto; background: $surface; padding: 0 1;
            border: round $focus; &:focus { border: round $focus; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "Leave", show=False)]

    def __init__(
        self, title: str, options: Sequence[SlotOption], index: int, offset: Offset
    ) -> None:
        super().__init__()
        self._list = ChoiceList(title, options, index)
        self._position = offset

    def compose(self) -> ComposeResult:
        """Yield the list."""
        yield self._list

    def on_resize(self) -> None:
        """Place the list at the slot, if there is room, with the cursor in view."""
        menu, (width, height) = self._list, self.size
        borders = (len(str(text)) + 2 for text in (menu.border_title, menu.border_subtitle))
        wide = min(max(menu.widest, *borders) + _FRAME, width)
        rows = len(menu.draw(max(wide - _FRAME, 1))) + 2
        high = min(rows, max(height - self._position.y, _LOWEST), height)
        x, y = min(self._position.x, width - wide), min(self._position.y, height - high)
        menu.styles.offset = (max(x, 0), max(y, 0))
        menu.styles.width, menu.styles.max_height = wide, high
        self.call_after_refresh(menu.show_target, menu.index)

    @on(ChoiceList.ItemChosen)
    def _handle_item_chosen(self, event: ChoiceList.ItemChosen) -> None:
        self.close_with(event.index)

    def on_click(self, event: events.Click) -> None:
        """Close after a click outside the list."""
        if event.widget is self:
            self.action_leave()
